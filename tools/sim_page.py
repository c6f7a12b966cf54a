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

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tactum" / "reproduce"))
from report import judged, number

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "sim-speed.md"
PLOT = ROOT / "docs" / "images" / "sim-stages.svg"
RESULTS = ROOT / "bench" / "results" / "sim.json"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
SIDES = ("tactum at MuJoCo's residual", "tactum 1e-6")
RATIO, STAGE = "time of a step over MuJoCo's", "time of stage "
THROUGHPUT = "throughput over that of MuJoCo's rollout"
COLORS = ("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860", "#8c8c8c")

Row = Mapping[str, Any]


def short(value: float) -> str:
    """Two digits that count."""
    return number(float(f"{value:.2g}"))


def by_case(rows: Sequence[Row]) -> dict[str, dict[str, Row]]:
    """Ratios by 'robot, phase' and by side."""
    cases: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["quantity"] == RATIO:
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
    lines = [
        "| scene | MuJoCo, us | at MuJoCo's residual / MuJoCo | at 1e-6 / MuJoCo |",
        "| --- | ---: | ---: | ---: |",
    ]
    for case, sides in by_case(rows).items():
        cells = [case, short(next(iter(sides.values()))["peers"]["mujoco"])]
        for side in SIDES:
            row = sides.get(side)
            text = "" if row is None else short(row["ours"])
            cells.append(f"**{text}**" if row is not None and row["holds"] is False else text)
        lines.append("| " + " | ".join(cells) + " |")
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
    held, goals = judged(report["rows"])
    head = f"Made on {report['machine']}; {held} of {goals} goals met, bold figures miss theirs."
    rows = report["rows"]
    return "\n".join([BEGIN, head, "", *table(rows), *rollouts(rows), END])


def written(page: str, report: Mapping[str, Any]) -> str:
    before, rest = page.split(BEGIN)
    return before + measured(report) + rest.split(END)[1]


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


def main(words: Sequence[str]) -> int:
    report = json.loads(RESULTS.read_text(encoding="utf-8"))
    wanted = {
        PAGE: written(PAGE.read_text(encoding="utf-8"), report),
        PLOT: plot(report["rows"]),
    }
    stale = [
        path
        for path, text in wanted.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if "--check" in words:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what {RESULTS.relative_to(ROOT)} says")
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
