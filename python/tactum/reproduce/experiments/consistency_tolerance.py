# SPDX-License-Identifier: BSD-2-Clause
"""Contact models, Table IV and Fig. 15: how a sliding cube depends on the stopping criterion.

The reference has a tolerance of 1e-9. As printed it is on impulses in N s, velocities in m/s and
their products, as in the survey; ours is relative. A step begins from the forces of the last one:
cold, the errors are a hundred times the published ones. The consistency error is that of
consistency-time-step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import figures, survey
from ..experiment import Experiment, Settings
from ..report import Row, make_row
from .consistency_time_step import SOLVERS, consistency_error, energy_gap

REFERENCE = 1e-9
TOLERANCES = (1e-6, 1e-4, 1e-2)
PUBLISHED = {
    "ccp_pgs": (6.7e-7, 4.3e-5, 4.8e-2),
    "raisim": (9.0e-8, 4.8e-5, 7.0e-4),
    "ncp_pgs": (6.0e-10, 9.9e-8, 5.3e-6),
}
STEPS = 1098
COLD = "printed, cold"
Task = tuple[str, str, float, int]  # column, solver, tolerance, steps
Result = tuple[str, str, float, survey.Motion]


def tasks(settings: Settings) -> list[Task]:
    if not survey.has_simulator():
        return []
    columns = [("printed", solver) for solver in SOLVERS]
    columns += [(COLD, "ncp_pgs"), ("ours", "ncp_admm")]
    return [(*own, tolerance, STEPS) for own in columns for tolerance in (REFERENCE, *TOLERANCES)]


def work(task: Task) -> Result:
    column, solver, tolerance, steps = task
    return (
        column,
        solver,
        tolerance,
        survey.sliding_cube(
            solver, column.split(",")[0], steps, tolerance=tolerance, warm=column != COLD
        ),
    )


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made: list[Row] = []
    errors: dict[tuple[str, str, float], float] = {}
    references = {(c, s): m for c, s, t, m in results if t == REFERENCE}
    for column, solver, tolerance, motion in results:
        case = f"{solver}, {column}"
        if tolerance == REFERENCE:
            continue
        error = consistency_error(motion, references[column, solver])
        errors[column, solver, tolerance] = error
        published = PUBLISHED[solver][TOLERANCES.index(tolerance)] if column == "printed" else None
        made.append(
            make_row(case, f"consistency error, {tolerance:g}", "m s", error, published=published)
        )
        if published is not None:
            off = abs(float(np.log10(error / published)))
            note = "from the published error, in decades"
            made.append(
                make_row(
                    case,
                    f"decades off, {tolerance:g}",
                    "1",
                    off,
                    relation="<=",
                    goal=1.0,
                    note=note,
                )
            )
        kept = energy_gap(motion)
        made.append(
            make_row(case, f"largest energy above the closed form, {tolerance:g}", "1", kept)
        )
    for tolerance in TOLERANCES if errors else ():
        ncp = errors["printed", "ncp_pgs", tolerance]
        for other in ("ccp_pgs", "raisim"):
            made.append(
                make_row(
                    "printed",
                    f"error, ncp_pgs / {other}, {tolerance:g}",
                    "1",
                    ncp / max(errors["printed", other, tolerance], 1e-16),
                    relation="<=",
                    goal=1.0,
                    note="the ncp is hardly affected",
                )
            )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    columns = list(dict.fromkeys((c, s) for c, s, _, _ in results))
    if not columns:
        return
    for axes, own in zip(figure.subplots(1, len(columns), sharey=True), columns, strict=True):
        for column, solver, tolerance, motion in results:
            if (column, solver) == own:
                axes.plot(motion.time, motion.energy, lw=1.1, label=f"{tolerance:g}")
        axes.plot(motion.time, survey.closed_energy(motion.time), color="#23303f", lw=3, alpha=0.2)
        axes.legend(fontsize=8)
        name = own[0].replace("printed", "as printed")
        figures.tidy(axes, f"{own[1]}, {name}", "time [s]", "energy [J]")


EXPERIMENT = Experiment(
    name="consistency-tolerance",
    title="a sliding cube by stopping criterion: consistency error and energy",
    source="Contact models, Table IV and Fig. 15",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(14.0, 4.0),
    uses=("pinocchio",),
)
