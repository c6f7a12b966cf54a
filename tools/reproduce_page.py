#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the tables of docs/reproduce from the reports in docs/reproduce/results.

    python tools/reproduce_page.py                  bring the tables of the pages up to date
    python tools/reproduce_page.py --check          fail where they are not those of the reports
    python tools/reproduce_page.py --take DIR NAME  copy a report of a run into results, rounded, and
                                                    its picture into docs/images/reproduce

A table is what stands between <!-- results:begin --> and <!-- results:end -->: every row of the
report with a goal or a published number, the machine, the size and the seed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "reproduce"
RESULTS = PAGES / "results"
PICTURES = ROOT / "docs" / "images" / "reproduce"
BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"

# the package may not be built where this runs: this file needs the standard library alone
sys.path.insert(0, str(ROOT / "python" / "tactum" / "reproduce"))
from report import judged, number, rounded, write_report  # noqa: E402


def table(report: Mapping[str, Any]) -> str:
    """The generated part of a page."""
    rows = [
        row for row in report["rows"] if row["goal"] is not None or row["published"] is not None
    ]
    met, total = judged(report["rows"])
    peers = sorted({name for row in rows for name in row["peers"]})
    head = ["case", "quantity", "ours", "published", *peers, "goal", "holds"]
    lines = [f"{met} of {total} goals hold.", ""]
    lines.append("| " + " | ".join(head) + " |")
    lines.append("| --- | --- |" + " ---: |" * (len(head) - 3) + " --- |")
    for row in rows:
        unit = "" if row["unit"] == "1" else f" [{row['unit']}]"
        goal = "" if row["goal"] is None else f"{row['relation']} {number(row['goal'])}"
        cells = [row["case"], row["quantity"] + unit, number(row["ours"])]
        cells += ["" if row["published"] is None else number(row["published"])]
        cells += [number(row["peers"][p]) if p in row["peers"] else "" for p in peers]
        cells += [goal, {True: "yes", False: "**no**", None: ""}[row["holds"]]]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    size = "quick" if report["quick"] else "full size"
    rest = len(report["rows"]) - len(rows)
    lines += ["", f"{report['machine']}; {size}; seed {report['seed']}; {report['seconds']} s. "]
    lines[-1] += f"[The report](results/{report['name']}.json) has {rest} more rows."
    return "\n".join(lines)


def page_with(text: str, report: Mapping[str, Any]) -> str:
    """The page with its generated part replaced. Raises ValueError where it has no place for it."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        raise ValueError(f"{report['name']}.md needs {BEGIN} and {END}, once each")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    return f"{before}{BEGIN}\n{table(report)}\n{END}{after}"


def reports() -> dict[str, dict[str, Any]]:
    found = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in RESULTS.glob("*.json")
    }
    return dict(sorted(found.items()))


def take(folder: Path, name: str) -> None:
    """A report of a run becomes the committed one."""
    RESULTS.mkdir(exist_ok=True)
    report = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    write_report(RESULTS / f"{name}.json", rounded(report))
    picture = folder / f"{name}.png"
    if picture.is_file():
        shutil.copyfile(picture, PICTURES / f"{name}.png")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--take", nargs=2, metavar=("DIR", "NAME"))
    arguments = parser.parse_args()
    if arguments.take:
        take(Path(arguments.take[0]), arguments.take[1])
    stale = []
    for name, report in reports().items():
        path = PAGES / f"{name}.md"
        old = path.read_text(encoding="utf-8")
        new = page_with(old, report)
        if new == old:
            continue
        stale.append(name)
        if not arguments.check:
            path.write_text(new, encoding="utf-8")
    if arguments.check and stale:
        print(f"not as their reports say: {', '.join(stale)}; run tools/reproduce_page.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
