# SPDX-License-Identifier: BSD-2-Clause
"""Contact models, Fig. 18: a trot of Solo-12 under model predictive control, on bumpy ground of
friction 0.3, simulated under each contact model, on three grounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import trot, trot_report
from ..experiment import Experiment, Settings
from ..report import Row, make_row
from ..survey import Array
from ..trot_report import COLUMNS, FEWER_COLUMNS, PUSHED, REFERENCE, SMALL, Result, Task

FRICTION, GROUNDS = 0.3, 3
RELAXED = (("printed", "ccp_pgs"), ("printed", "raisim"))  # what the survey sees deviate
MORE_VIOLATION = 10.0  # times that of the ncp


def grounds(settings: Settings) -> list[Array]:
    seeds = range(GROUNDS * settings.seed, GROUNDS * settings.seed + settings.pick(GROUNDS, 1))
    return [trot.bumpy_heights(seed) for seed in seeds]


def columns(settings: Settings, ground: int) -> tuple[trot.Column, ...]:
    """All contact models on the first ground, those that are judged on the others."""
    if ground > 0:
        return (REFERENCE, *RELAXED, PUSHED)
    chosen: tuple[trot.Column, ...] = settings.pick(COLUMNS, FEWER_COLUMNS)
    return chosen


def tasks(settings: Settings) -> list[Task]:
    if not trot.is_possible():
        return []
    steps = settings.pick(trot_report.STEPS, trot_report.FEWER_STEPS)
    return [
        (own, FRICTION, heights, steps)
        for ground, heights in enumerate(grounds(settings))
        for own in columns(settings, ground)
    ]


def by_ground(settings: Settings, results: Sequence[Result]) -> list[list[Result]]:
    left, parts = list(results), []
    for ground in range(settings.pick(GROUNDS, 1) if results else 0):
        count = len(columns(settings, ground))
        parts.append(left[:count])
        left = left[count:]
    return parts


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made: list[Row] = []
    parts = by_ground(settings, results)
    for own in (*RELAXED, PUSHED) if parts else ():
        motions = [dict(part) for part in parts if own in dict(part)]
        if not motions:
            continue
        case = f"{trot_report.name_of(own)}, against {trot_report.name_of(REFERENCE)}"
        gaps = [trot_report.forward_gap(found[own], found[REFERENCE]) for found in motions]
        more: dict[str, Any] = {"note": "chance alone"}
        if own != PUSHED:
            more = {"relation": ">=", "goal": SMALL, "note": "the tracked velocity differs"}
            if settings.quick:  # it ends before the robot reaches the bumps
                more = {"relation": "<=", "goal": SMALL, "note": "alike before the bumps"}
        quantity = "forward velocity, median deviation"
        made.append(make_row(case, quantity, "1", float(np.median(gaps)), **more))
        times = [
            found[own].violation.mean() / found[REFERENCE].violation.mean() for found in motions
        ]
        if own != PUSHED:
            note = "sliding contacts violate the complementarity of the ncp"
            # before the bumps little slides, and both are at the tolerance of the solver
            goal = None if settings.quick else MORE_VIOLATION
            more = {"relation": ">=", "goal": goal, "note": note}
        made.append(
            make_row(case, "ncp violation, times, median", "1", float(np.median(times)), **more)
        )
    for ground, (part, heights) in enumerate(zip(parts, grounds(settings), strict=True)):
        name = f"ground {ground + 1}"
        slope = float(np.abs(np.diff(heights, axis=0)).max()) / trot.CELL
        found = [make_row("heights", "roughness", "m", float(np.ptp(heights)))]
        found.append(make_row("heights", "steepest edge", "1", slope))
        found += trot_report.gap_rows(part) + trot_report.motion_rows(part)
        made += [row | {"case": f"{name}: {row['case']}"} for row in found]
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    for part in by_ground(settings, results)[:1]:
        trot_report.draw(figure, part)


EXPERIMENT = Experiment(
    name="mpc-bumpy",
    title="Solo-12 trots on bumpy ground under model predictive control",
    source="Contact models, Fig. 18",
    tasks=tasks,
    work=trot_report.work,
    rows=rows,
    draw=draw,
    figure_size=(13.0, 7.5),
    uses=("pinocchio", "crocoddyl"),
)
