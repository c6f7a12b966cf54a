# SPDX-License-Identifier: BSD-2-Clause
"""The measured part of docs/sim-derivative-speed.md from bench/results/sim-derivative.json.

    python tools/sim_derivative_page.py [--check]

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
from measured_page import BEGIN, END, by_case, heading, line, measured_part, peer, shown

__all__ = ["BEGIN", "END", "main", "measured", "written"]

PAGE = measured_page.ROOT / "docs" / "sim-derivative-speed.md"
RESULTS = measured_page.ROOT / "bench" / "results" / "sim-derivative.json"
RATIOS = (
    "Jacobian over our step",
    "vjp over the Jacobian",
    "MuJoCo's differences over our Jacobian",
)
ERROR = "median error of a column"
HEAD = (
    *("case", "Jacobian / step", "vjp / Jacobian", "MuJoCo / Jacobian"),
    *("error", "MuJoCo's error", "times"),
)


def measured(report: Mapping[str, Any]) -> str:
    lines = heading(HEAD, last="---")
    for case, rows in by_case(report).items():
        error = rows.get(ERROR)
        cells = [case, *(shown(rows[ratio]) for ratio in RATIOS), shown(error)]
        lines.append(line([*cells, peer(error, "mujoco"), rows[RATIOS[0]]["note"]]))
    return measured_part(report, lines)


def written(page: str, report: Mapping[str, Any]) -> str:
    """The page with the figures of the report."""
    return measured_page.with_part(page, measured(report))


def main(argv: Sequence[str]) -> int:
    def files() -> Mapping[Path, str]:
        report = json.loads(RESULTS.read_text(encoding="utf-8"))
        return {PAGE: written(PAGE.read_text(encoding="utf-8"), report)}

    return measured_page.command(argv, "sim_derivative_page", __doc__, files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
