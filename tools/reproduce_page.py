#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the tables of docs/reproduce from the reports in docs/reproduce/results.

    python tools/reproduce_page.py                     bring the pages up to date
    python tools/reproduce_page.py --check             fail where they are not what the reports say
    python tools/reproduce_page.py --take DIR NAME...  copy reports of a run into results, rounded,
                                                       and their pictures into docs/images/reproduce
    ... --take DIR NAME... --without-timings           the same without the rows that are times: the
                                                       machine had other work to do

A table is what stands between <!-- results:begin --> and <!-- results:end -->: every row of the
report with a goal or a published number, the machine, the size and the seed. A number in a sentence
is a link to the report with the name of its row, case and quantity, as the title:
[0.5](results/NAME.json "case: quantity"). report_grid.py writes tables that show rows side by side.
"""

from __future__ import annotations

import argparse
import json
import re
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
IN_SENTENCES = re.compile(r'\[([^\[\]]*)\]\(results/([a-z0-9-]+)\.json\s+"([^"]*)"\)')

# the package may not be built where this runs: this file needs the standard library alone
sys.path.insert(0, str(ROOT / "python" / "tactum" / "reproduce"))
sys.path.insert(0, str(ROOT / "tools"))
from report import judged, number, rounded, write_report  # noqa: E402
from report_grid import with_grids  # noqa: E402


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
    if report.get("without_timings"):
        lines[-1] += " Times were left out of it: the machine had other work to do."
    return "\n".join(lines)


def short(value: float | None) -> str:
    """Three digits that count, or all before the point."""
    if value is None or value == 0 or not 1e-3 <= abs(value) < 1e5:
        return number(value)
    return f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"


def with_numbers(text: str, reports: Mapping[str, Mapping[str, Any]]) -> str:
    """A text with the numbers in its sentences as the reports have them. Raises ValueError where one
    names a row that does not exist."""

    def linked(found: re.Match[str]) -> str:
        _, name, row_name = found.groups()
        known = {f"{row['case']}: {row['quantity']}": row for row in reports[name]["rows"]}
        row = known.get(" ".join(row_name.split()))
        if row is None:
            raise ValueError(f"{name}.json has no row {row_name!r}")
        return f'[{short(row["ours"])}](results/{name}.json "{row_name}")'

    return IN_SENTENCES.sub(linked, text)


def page_with(text: str, report: Mapping[str, Any]) -> str:
    """The page with its table replaced. Raises ValueError where it has no place for it."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        raise ValueError(f"{report['name']}.md needs {BEGIN} and {END}, once each")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    return f"{before}{BEGIN}\n{table(report)}\n{END}{after}"


def reports() -> dict[str, dict[str, Any]]:
    found = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in RESULTS.glob("*.json")
    }
    return dict(sorted(found.items()))


def take(folder: Path, name: str, without_timings: bool) -> None:
    """A report of a run becomes the committed one."""
    RESULTS.mkdir(exist_ok=True)
    report = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    if without_timings:
        kept = [row for row in report["rows"] if not row["timing"]]
        report |= {"without_timings": True, "rows": kept}
    write_report(RESULTS / f"{name}.json", rounded(report))
    picture = folder / f"{name}.png"
    if picture.is_file():
        shutil.copyfile(picture, PICTURES / f"{name}.png")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--take", nargs="+", metavar=("DIR", "NAME"))
    parser.add_argument("--without-timings", action="store_true")
    arguments = parser.parse_args()
    for name in (arguments.take or [])[1:]:
        take(Path(arguments.take[0]), name, arguments.without_timings)
    stale, known = [], reports()
    for name, report in known.items():
        path = PAGES / f"{name}.md"
        old = path.read_text(encoding="utf-8")
        new = with_numbers(with_grids(page_with(old, report), name, report), known)
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
