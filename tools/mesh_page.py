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

import measured_page
from measured_page import (
    BEGIN,
    END,
    Row,
    Rows,
    by_case,
    heading,
    line,
    measured_part,
    peer,
    short,
    shown,
)

__all__ = ["BEGIN", "END", "main", "measured", "written"]

PAGE = measured_page.ROOT / "docs" / "mesh-speed.md"
RESULTS = measured_page.ROOT / "bench" / "results" / "mesh.json"
QUERIES = ("distance", "tracked distance", "collide")


def query_cells(rows: Rows, query: str) -> list[str]:
    """Our time, and the ratios to coal and to FCL."""
    ratios = [shown(rows.get(f"{query} ratio to {library}")) for library in ("coal", "fcl")]
    return [short(rows[f"{query} time"]["ours"]), *ratios]


def table(cases: Mapping[str, Rows], queries: Sequence[str]) -> list[str]:
    columns = [f"{query}{what}" for query in queries for what in (", us", " / coal", " / FCL")]
    lines = heading(["pair", *columns])
    for case, rows in cases.items():
        cells = [cell for query in queries for cell in query_cells(rows, query)]
        lines.append(line([case, *cells]))
    return lines


def tree_line(case: str, rows: Rows) -> str:
    times = [short(rows[f"{what} time"]["ours"]) for what in ("tree", "hull")]
    ratio = shown(rows.get("one core / all cores"))
    return line([case.removesuffix(", tree of the first"), times[0], ratio, times[1]])


def ray_line(case: str, row: Row) -> str:
    return line([case, short(row["ours"]), peer(row, "embree")])


def measured(report: Mapping[str, Any]) -> str:
    cases = by_case(report)
    of_pairs = {case: rows for case, rows in cases.items() if "distance time" in rows}
    builds = {
        case.removesuffix(", 1 m"): rows for case, rows in cases.items() if "build time" in rows
    }
    lines = [
        *table(of_pairs, QUERIES),
        "",
        *table(builds, ("build",)),
        "",
        *heading(["one mesh", "tree, us on one core", "one core / all cores", "hull, us"]),
        *(tree_line(case, rows) for case, rows in cases.items() if "tree time" in rows),
        "",
        *heading(["rays against one mesh", "us a ray", "Embree, us"]),
        *(ray_line(case, rows["ray time"]) for case, rows in cases.items() if "ray time" in rows),
        "",
        *heading(["objects of convex parts", "us a pair", "note"], last="---"),
    ]
    for case, rows in cases.items():
        if case.endswith("parts near contact"):
            row = rows["collide time"]
            lines.append(line([case, shown(row), row["note"]]))
    return measured_part(report, lines)


def written(page: str, report: Mapping[str, Any]) -> str:
    """The page with the figures of the report."""
    return measured_page.with_part(page, measured(report))


def main(argv: Sequence[str]) -> int:
    def files() -> Mapping[Path, str]:
        report = json.loads(RESULTS.read_text(encoding="utf-8"))
        return {PAGE: written(PAGE.read_text(encoding="utf-8"), report)}

    return measured_page.command(argv, "mesh_page", __doc__, files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
