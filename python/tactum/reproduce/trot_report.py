# SPDX-License-Identifier: BSD-2-Clause
"""Rows and figures of the two trots of the contact survey, on level and on bumpy ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import figures, survey, trot
from .report import Row, make_row

REFERENCE = ("printed", "ncp_pgs")
PUSHED = ("printed, pushed", "ncp_pgs")
COLUMNS: tuple[trot.Column, ...] = (
    REFERENCE,
    ("printed", "ccp_pgs"),
    ("printed", "raisim"),
    ("printed", "lcp_pgs"),
    ("printed", "ccp_admm"),
    ("ours", "ncp_admm"),
    PUSHED,
)
FEWER_COLUMNS = COLUMNS[:3]
STEPS, FEWER_STEPS = 3000, 250
PUSH = 1e-6  # m/s
# "hardly affected" and "significantly deviates": shares of the wanted speed, fixed before any run
SMALL = 0.1
REACHED = 0.2
Task = tuple[trot.Column, float, Any, int]  # friction, heights, steps
Result = tuple[trot.Column, trot.Trot]


def work(task: Task) -> Result:
    (column, solver), friction, heights, steps = task
    push = PUSH if (column, solver) == PUSHED else 0.0
    return (column, solver), trot.trot(column, solver, friction, heights, steps, push)


def name_of(own: trot.Column) -> str:
    """Solver and column."""
    return f"{own[1]}, {own[0]}"


def forward_gap(one: trot.Trot, other: trot.Trot) -> float:
    """Root mean square of the difference of the forward velocities while both trot, as a share of
    the wanted speed."""
    both = min(len(one.time), len(other.time))
    gap = one.velocity[:both, 0] - other.velocity[:both, 0]
    return float(np.sqrt(np.mean(gap**2))) / trot.SPEED


def path_gap(one: trot.Trot, other: trot.Trot) -> float:
    """Distance of the bases at the last time that both have, m."""
    both = min(len(one.time), len(other.time)) - 1
    return float(np.linalg.norm(one.place[both, :2] - other.place[both, :2]))


def motion_rows(results: Sequence[Result]) -> list[Row]:
    """What every motion was like."""
    made = []
    for own, motion in results:
        case = name_of(own)
        late = motion.velocity[len(motion.time) // 2 :, 0]
        made += [
            make_row(case, "forward speed, second half", "m/s", float(late.mean())),
            make_row(case, "time until it fell, or the end", "s", float(motion.time[-1])),
            make_row(case, "largest tilt", "rad", float(np.arccos(motion.upright.min()))),
            make_row(case, "loaded contacts that slide", "1", motion.sliding),
            make_row(
                case, "mean ncp violation", "1", float(motion.violation.mean()), note="eq. 14"
            ),
            make_row(case, "steps that converged", "1", motion.converged),
            make_row(
                case,
                "median time of the contact solver",
                "us",
                1e6 * float(np.median(motion.solve_seconds)),
                timing=True,
            ),
        ]
    return made


def gap_rows(results: Sequence[Result], **goal: Any) -> list[Row]:
    """Deviations from the motion under the ncp. goal: of all but the one that was pushed."""
    motions = dict(results)
    made = []
    for own, motion in results:
        if own == REFERENCE:
            continue
        more: dict[str, Any] = {} if own == PUSHED else dict(goal)
        if own == PUSHED:
            more["note"] = f"the same algorithm, pushed aside by {PUSH:g} m/s: chance alone"
        if own[0] == "ours":
            more["note"] = "the same model, another algorithm"
        case = f"{name_of(own)}, against {name_of(REFERENCE)}"
        gap = forward_gap(motion, motions[REFERENCE])
        made.append(make_row(case, "forward velocity, deviation", "1", gap, **more))
        apart = path_gap(motion, motions[REFERENCE])
        made.append(make_row(case, "distance at the end", "m", apart))
    return made


def draw(figure: Any, results: Sequence[Result]) -> None:
    """Base velocity, forces of a foot, violation and time: the panels of the figures."""
    if not results:
        return
    (speed, force), (violation, time) = figure.subplots(2, 2)
    for own, motion in results:
        if own == PUSHED:
            continue
        look = {
            "color": survey.color(own[1]),
            "ls": "--" if own[0] == "ours" else ":" if own[1] == "ccp_admm" else "-",
            "lw": 1,
            "label": name_of(own).replace("printed", "as printed"),
        }
        speed.plot(motion.time, motion.velocity[:, 0], **look)
        force.plot(motion.time[1:], motion.force[:, 0], **look)
        smooth = np.convolve(motion.violation, np.full(10, 0.1), "valid")
        times = motion.time[trot.LOOK :: trot.LOOK]
        violation.semilogy(times[-len(smooth) :], np.maximum(smooth, 1e-12), **look)
        taken = np.convolve(1e6 * motion.solve_seconds, np.full(50, 0.02), "valid")
        time.semilogy(motion.time[-len(taken) :], taken, **look)
    speed.axhline(trot.SPEED, color="#23303f", lw=3, alpha=0.2)
    speed.legend(fontsize=7)
    figures.tidy(speed, "base velocity", "time [s]", "forward [m/s]")
    figures.tidy(force, "normal force of the left front foot", "time [s]", "force [N]")
    figures.tidy(violation, "complementarity of the ncp, mean of 50 ms", "time [s]", "violation")
    figures.tidy(time, "contact solver, mean of 50 ms", "time [s]", "time [us]")
