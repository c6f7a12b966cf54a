# SPDX-License-Identifier: BSD-2-Clause
"""The measured part of docs/mesh-speed.md from bench/results/mesh.json.

    python tools/mesh_page.py [--check]

Rewrites what lies between the two marks of the page; all else is written by hand. --check fails
where the page is not what the results say.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tactum" / "reproduce"))
from report import judged, number

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "mesh-speed.md"
RESULTS = ROOT / "bench" / "results" / "mesh.json"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
QUERIES = ("distance", "tracked distance", "collide")

Rows = Mapping[str, Mapping[str, Any]]  # of one case, by quantity


def short(value: float) -> str:
    """Two digits that count."""
    return number(float(f"{value:.2g}"))


def query_cells(rows: Rows, query: str) -> list[str]:
    """Our time, and the ratios to coal and to FCL; bold where the goal is missed."""
    cells = [short(rows[f"{query} time"]["ours"])]
    for library in ("coal", "fcl"):
        row = rows.get(f"{query} ratio to {library}")
        text = "" if row is None else short(row["ours"])
        cells.append(f"**{text}**" if row is not None and row["holds"] is False else text)
    return cells


def line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def table(cases: Mapping[str, Rows], queries: Sequence[str]) -> list[str]:
    head = ["pair"] + [
        f"{query}{what}" for query in queries for what in (", us", " / coal", " / FCL")
    ]
    lines = [line(head), "| --- |" + " ---: |" * (len(head) - 1)]
    for case, rows in cases.items():
        cells = [cell for query in queries for cell in query_cells(rows, query)]
        lines.append(line([case, *cells]))
    return lines


def tree_line(case: str, rows: Rows) -> str:
    ratio = rows.get("one core / all cores")
    text = "" if ratio is None else short(ratio["ours"])
    shown = f"**{text}**" if ratio is not None and ratio["holds"] is False else text
    times = [short(rows[f"{what} time"]["ours"]) for what in ("tree", "hull")]
    return line([case.removesuffix(", tree of the first"), times[0], shown, times[1]])


def ray_line(case: str, row: Mapping[str, Any]) -> str:
    embree = row["peers"].get("embree")
    return line([case, short(row["ours"]), "" if embree is None else short(embree)])


def measured(report: Mapping[str, Any]) -> str:
    cases: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in report["rows"]:
        cases.setdefault(row["case"], {})[row["quantity"]] = row
    met, total = judged(report["rows"])
    of_pairs = {case: rows for case, rows in cases.items() if "distance time" in rows}
    builds = {
        case.removesuffix(", 1 m"): rows for case, rows in cases.items() if "build time" in rows
    }
    lines = [
        f"Made on {report['machine']}; {met} of {total} goals met, bold figures miss theirs.",
        "",
        *table(of_pairs, QUERIES),
        "",
        *table(builds, ("build",)),
        "",
        line(["one mesh", "tree, us on one core", "one core / all cores", "hull, us"]),
        "| --- | ---: | ---: | ---: |",
        *(tree_line(case, rows) for case, rows in cases.items() if "tree time" in rows),
        "",
        line(["rays against one mesh", "us a ray", "Embree, us"]),
        "| --- | ---: | ---: |",
        *(ray_line(case, rows["ray time"]) for case, rows in cases.items() if "ray time" in rows),
        "",
        line(["objects of convex parts", "us a pair", "note"]),
        "| --- | ---: | --- |",
    ]
    for case, rows in cases.items():
        if not case.endswith("parts near contact"):
            continue
        row = rows["collide time"]
        text = short(row["ours"])
        lines.append(line([case, text if row["holds"] else f"**{text}**", row["note"]]))
    return "\n".join([BEGIN, *lines, END])


def written(page: str, report: Mapping[str, Any]) -> str:
    """The page with the figures of the report."""
    before, rest = page.split(BEGIN, 1)
    return before + measured(report) + rest.split(END, 1)[1]


def main(argv: Sequence[str]) -> int:
    if list(argv) not in ([], ["--check"]):
        print(__doc__)
        return 2
    page = PAGE.read_text(encoding="utf-8")
    new = written(page, json.loads(RESULTS.read_text(encoding="utf-8")))
    if "--check" in argv:
        if page != new:
            print(f"{PAGE} is not what {RESULTS} says; run python tools/mesh_page.py")
        return int(page != new)
    PAGE.write_text(new, encoding="utf-8")
    print(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
