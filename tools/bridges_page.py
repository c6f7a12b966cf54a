# SPDX-License-Identifier: BSD-2-Clause
"""The measured part of docs/guide/derivatives.md from bench/results/bridges.json.

    python tools/bridges_page.py [--check]

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
from measured_page import BEGIN, END, by_case, heading, line, measured_part, short, shown

__all__ = ["BEGIN", "END", "main", "measured", "written"]

PAGE = measured_page.ROOT / "docs" / "guide" / "derivatives.md"
RESULTS = measured_page.ROOT / "bench" / "results" / "bridges.json"
EMPTY = "a call in which nothing is computed"
QUANTITIES = ("values", "gradient", "gradient of everything")


def measured(report: Mapping[str, Any]) -> str:
    lines = heading(["bridge / library", *QUANTITIES])
    floors = []
    for case, rows in by_case(report).items():
        if EMPTY in rows:
            floors.append(f"{case.split(',')[0]} {short(rows[EMPTY]['ours'])} us")
            continue
        lines.append(line([case, *(shown(rows[f"{name}, ratio"]) for name in QUANTITIES)]))
    if floors:
        lines += ["", f"A call with one row in which nothing is computed: {', '.join(floors)}."]
    return measured_part(report, lines)


def written(page: str, report: Mapping[str, Any]) -> str:
    """The page with the figures of the report."""
    return measured_page.with_part(page, measured(report))


def main(argv: Sequence[str]) -> int:
    def files() -> Mapping[Path, str]:
        report = json.loads(RESULTS.read_text(encoding="utf-8"))
        return {PAGE: written(PAGE.read_text(encoding="utf-8"), report)}

    return measured_page.command(argv, "bridges_page", __doc__, files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
