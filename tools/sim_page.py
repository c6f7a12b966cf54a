# SPDX-License-Identifier: BSD-2-Clause
"""The measured part of docs/sim-speed.md, and its plot of stages, from bench/results/sim.json.

    python tools/sim_page.py [--check]

Rewrites what lies between the two marks of the page, and docs/images/sim-stages.svg; all else is
written by hand. --check fails where one of them is not what the results say.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import measured_page
from measured_page import BEGIN, END, Row, heading, line, measured_part, peer, short, shown

__all__ = ["BEGIN", "END", "main", "measured", "plot", "written"]

PAGE = measured_page.ROOT / "docs" / "sim-speed.md"
PLOT = measured_page.ROOT / "docs" / "images" / "sim-stages.svg"
RESULTS = measured_page.ROOT / "bench" / "results" / "sim.json"
SIDES = ("tactum at MuJoCo's residual", "tactum 1e-6")
RATIO, STAGE = "time of a step over MuJoCo's", "time of stage "
THROUGHPUT = "throughput over that of MuJoCo's rollout"
COLORS = ("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860", "#8c8c8c")
CONVERGED, RESIDUAL = "share of converged steps", "median residual"
HEAD = ("scene", "MuJoCo, us", "at MuJoCo's residual / MuJoCo", "at 1e-6 / MuJoCo")
MORE = (
    "residual of MuJoCo",
    "reached at it",
    "converged at it",
    "reached at 1e-6",
    "converged at 1e-6",
)


def by_side(rows: Sequence[Row], quantity: str) -> dict[str, dict[str, Row]]:
    """Rows of a quantity by 'robot, phase' and by side."""
    cases: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["quantity"] == quantity:
            case, side = row["case"].rsplit(", ", 1)
            cases.setdefault(case, {})[side] = row
    return cases


def stages_of(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Times of stages in us, by 'robot, phase'."""
    cases: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["quantity"].startswith(STAGE):
            case = row["case"].rsplit(", ", 1)[0]
            cases.setdefault(case, {})[row["quantity"].removeprefix(STAGE)] = row["ours"]
    return cases


def table(rows: Sequence[Row]) -> list[str]:
    """Ratios, and what was reached where the report has it."""
    residuals, converged = by_side(rows, RESIDUAL), by_side(rows, CONVERGED)
    lines = heading([*HEAD, *(MORE if residuals else ())])
    for case, sides in by_side(rows, RATIO).items():
        first = peer(next(iter(sides.values())), "mujoco")
        cells = [case, first, *(shown(sides.get(side)) for side in SIDES)]
        if residuals:
            reached = residuals.get(case, {})
            cells.append(peer(next(iter(reached.values()), None), "mujoco"))
            for side in SIDES:
                cells += [shown(reached.get(side)), shown(converged.get(case, {}).get(side))]
        lines.append(line(cells))
    return lines


def rollouts(rows: Sequence[Row]) -> list[str]:
    """A sentence for each comparison of many rollouts."""
    return [
        f"\n{row['case']}: {short(row['ours'])} times the throughput of MuJoCo's `rollout` (goal: "
        f"{short(row['goal'])}); {row['note']}."
        for row in rows
        if row["quantity"] == THROUGHPUT
    ]


def measured(report: Mapping[str, Any]) -> str:
    return measured_part(report, [*table(report["rows"]), *rollouts(report["rows"])])


def written(page: str, report: Mapping[str, Any]) -> str:
    """The page with the figures of the report."""
    return measured_page.with_part(page, measured(report))


def plot(rows: Sequence[Row]) -> str:
    """A bar for each scene, as long as its step is shared among the stages."""
    cases = stages_of(rows)
    names = list(next(iter(cases.values()), {}))
    left, width, bar, top = 230, 560, 18, 40
    height = top + (bar + 6) * len(cases) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 80} {height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for k, name in enumerate(names):
        x = left + k * width // max(len(names), 1)
        lines.append(f'<rect x="{x}" y="12" width="12" height="12" fill="{COLORS[k]}"/>')
        lines.append(f'<text x="{x + 16}" y="22">{name}</text>')
    for i, (case, stages) in enumerate(cases.items()):
        y, x, total = top + i * (bar + 6), float(left), sum(stages.values())
        lines.append(f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{case}</text>')
        for k, name in enumerate(names):
            share = width * stages.get(name, 0.0) / total if total > 0 else 0.0
            lines.append(
                f'<rect x="{x:.1f}" y="{y}" width="{share:.1f}" height="{bar}" fill="{COLORS[k]}"/>'
            )
            x += share
        lines.append(f'<text x="{left + width + 6}" y="{y + 13}">{short(total)} us</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def main(argv: Sequence[str]) -> int:
    def files() -> Mapping[Path, str]:
        report = json.loads(RESULTS.read_text(encoding="utf-8"))
        page = written(PAGE.read_text(encoding="utf-8"), report)
        return {PAGE: page, PLOT: plot(report["rows"])}

    return measured_page.command(argv, "sim_page", __doc__, files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
