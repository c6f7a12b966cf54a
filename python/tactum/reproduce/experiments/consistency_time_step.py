# SPDX-License-Identifier: BSD-2-Clause
"""Contact models, Table III and Fig. 14: how a sliding cube depends on the time step.

The reference has steps of 0.1 ms. The consistency error is the integral over 1.1 s of the distance
between the two positions; the survey does not define its own, which has the same unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import survey
from ..experiment import Experiment, Settings
from ..report import Row, make_row
from ..survey import Array

SOLVERS = ("ccp_pgs", "raisim", "ncp_pgs")
REFERENCE = 1e-4  # s
TIME_STEPS = (1e-3, 1e-2, 1e-1)  # s
PUBLISHED = {
    "ccp_pgs": (1.6e-3, 1.7e-2, 1.6e-1),
    "raisim": (1.5e-3, 1.6e-2, 1.5e-1),
    "ncp_pgs": (1.5e-3, 1.6e-2, 1.6e-1),
}
DECADES = 1.0  # between an error and the published one, as the paper does not define its norm
DURATION, SHORTER = 1.1, 0.4  # s
Task = tuple[str, str, float, float]  # column, solver, time step, duration
Result = tuple[str, str, float, survey.Motion]


def tasks(settings: Settings) -> list[Task]:
    if not survey.has_simulator():
        return []
    duration = settings.pick(DURATION, SHORTER)
    columns = [("printed", solver) for solver in SOLVERS] + [("ours", "ncp_admm")]
    return [(*own, dt, duration) for own in columns for dt in (REFERENCE, *TIME_STEPS)]


def work(task: Task) -> Result:
    column, solver, dt, duration = task
    steps = round(duration / dt)
    return column, solver, dt, survey.sliding_cube(solver, column, steps, dt)


def positions(motion: survey.Motion, times: Array) -> Array:
    """(n, 3) positions at some times, linear within steps, m."""
    return np.stack([np.interp(times, motion.time, motion.q[:, k]) for k in range(3)], axis=1)


def consistency_error(motion: survey.Motion, reference: survey.Motion) -> float:
    """Integral of the distance of the positions, m s."""
    gap = np.linalg.norm(positions(motion, reference.time) - reference.q[:, :3], axis=1)
    return float(np.trapezoid(gap, reference.time))


def energy_gap(motion: survey.Motion) -> float:
    """Largest energy above the closed form, as a share of the first one."""
    return float(
        np.max(motion.energy - survey.closed_energy(motion.time)) / (0.5 * survey.SPEED**2)
    )


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made: list[Row] = []
    errors: dict[tuple[str, str], list[float]] = {}
    gaps: dict[tuple[str, str], float] = {}
    references = {(c, s): m for c, s, dt, m in results if dt == REFERENCE}
    for column, solver, dt, motion in results:
        if dt == REFERENCE:
            continue
        error = consistency_error(motion, references[column, solver])
        published = PUBLISHED[solver][TIME_STEPS.index(dt)] if column == "printed" else None
        errors.setdefault((column, solver), []).append(error)
        gaps[column, solver] = max(gaps.get((column, solver), 0.0), energy_gap(motion))
        made.append(
            make_row(
                f"{solver}, {column}",
                f"consistency error, {1e3 * dt:g} ms",
                "m s",
                error,
                published=published,
            )
        )
        if published is not None:
            off = abs(float(np.log10(error / published)))
            # a quick run integrates over a shorter time
            goal = settings.pick(DECADES, None)
            quantity, note = f"decades off, {1e3 * dt:g} ms", "from the published error, in decades"
            more: dict[str, Any] = {"relation": "<=", "goal": goal, "note": note}
            made.append(make_row(f"{solver}, {column}", quantity, "1", off, **more))
    for (column, solver), (small, middle, large) in errors.items():
        case = f"{solver}, {column}"
        for name, ratio in (("10 ms / 1 ms", middle / small), ("100 ms / 10 ms", large / middle)):
            off = abs(np.log10(ratio) - 1.0)
            made.append(
                make_row(
                    case,
                    f"error {name}: decades off ten",
                    "1",
                    float(off),
                    relation="<=",
                    goal=0.15,
                    note="the errors of Table III grow in proportion to the time step",
                )
            )
        more = {"relation": "<=", "goal": 0.1}
        if solver.startswith("ccp"):
            more = {"relation": ">=", "goal": 0.01, "note": "the ccp takes off"}
        made.append(
            make_row(
                case, "largest energy above the closed form", "1", gaps[column, solver], **more
            )
        )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    motions = [(column, solver, 1e3 * dt, motion) for column, solver, dt, motion in results]
    survey.draw_energies(figure, motions, " ms")


EXPERIMENT = Experiment(
    name="consistency-time-step",
    title="a sliding cube by time step: consistency error and energy",
    source="Contact models, Table III and Fig. 14",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(14.0, 4.0),
    uses=("pinocchio",),
)
