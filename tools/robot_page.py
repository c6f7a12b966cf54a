# SPDX-License-Identifier: BSD-2-Clause
"""The measured part of docs/robot-speed.md from bench/results/robot.json.

    python tools/robot_page.py [--check]

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
    by_case,
    heading,
    judged,
    line,
    measured_part,
    peer,
    short,
    shown,
)

__all__ = ["BEGIN", "END", "main", "measured", "written"]

PAGE = measured_page.ROOT / "docs" / "robot-speed.md"
RESULTS = measured_page.ROOT / "bench" / "results" / "robot.json"
HEAD = ("robot", "pairs", "tactum, us", "Pinocchio, us", "Pinocchio / tactum", "update, us")
HEAD += ("difference, m",)
RATIO, DIFFERENCE = "ratio to Pinocchio", "difference"


def goals_sentence(report: Mapping[str, Any]) -> str:
    """How many goals of each sort are met, and which cases miss that of time."""
    rows = report["rows"]
    time, accuracy = (
        judged([row for row in rows if row["quantity"] == quantity])
        for quantity in (RATIO, DIFFERENCE)
    )
    slow = [row["case"] for row in rows if row["quantity"] == RATIO and row["holds"] is False]
    missed = f" Slower than the goal: {'; '.join(slow)}." if slow else ""
    return (
        f"Goals of time met: {time[0]} of {time[1]}; of accuracy: {accuracy[0]} of {accuracy[1]}."
        + missed
    )


def measured(report: Mapping[str, Any]) -> str:
    lines = heading(HEAD)
    for case, rows in by_case(report).items():
        time = rows["time"]
        pairs = time["note"].split(" ", 1)[0]
        cells = [case, pairs, short(time["ours"]), peer(time, "pinocchio")]
        lines.append(
            line(
                [
                    *cells,
                    shown(rows[RATIO]),
                    short(rows["update time"]["ours"]),
                    shown(rows[DIFFERENCE]),
                ]
            )
        )
    return measured_part(report, [*lines, "", goals_sentence(report)])


def written(page: str, report: Mapping[str, Any]) -> str:
    """The page with the figures of the report."""
    return measured_page.with_part(page, measured(report))


def main(argv: Sequence[str]) -> int:
    def files() -> Mapping[Path, str]:
        report = json.loads(RESULTS.read_text(encoding="utf-8"))
        return {PAGE: written(PAGE.read_text(encoding="utf-8"), report)}

    return measured_page.command(argv, "robot_page", __doc__, files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
