# SPDX-License-Identifier: BSD-2-Clause
"""Contact models, Table IV and Fig. 15: how a sliding cube depends on the stopping criterion.

The reference has a tolerance of 1e-9. As printed it is on impulses in N s, velocities in m/s and
their products, as in the survey; ours is relative. The survey does not say from where a step
begins: cold, as in the authors' scripts, and from the forces of the last step are both judged. The
consistency error is that of consistency-time-step. Ours is held against the published errors and
energies of the ncp.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import survey
from ..experiment import Experiment, Settings
from ..report import Row, make_row
from .consistency_time_step import DECADES, SOLVERS, consistency_error, energy_gap

REFERENCE = 1e-9
TOLERANCES = (1e-6, 1e-4, 1e-2)
PUBLISHED = {
    "ccp_pgs": (6.7e-7, 4.3e-5, 4.8e-2),
    "raisim": (9.0e-8, 4.8e-5, 7.0e-4),
    "ncp_pgs": (6.0e-10, 9.9e-8, 5.3e-6),
}
# what Fig. 15 shows, as shares of the first energy
FIG_15: dict[tuple[str, float], dict[str, Any]] = {
    ("ccp_pgs", 1e-2): {"relation": ">=", "goal": 0.1, "note": "spectacularly impacted"},
    ("raisim", 1e-2): {"relation": ">=", "goal": 0.5, "note": "almost no dissipation"},
    **{
        ("ncp_pgs", tolerance): {"relation": "<=", "goal": 0.01, "note": "hardly affected"}
        for tolerance in TOLERANCES
    },
}
STEPS = 1098
WARM = "printed, warm"
PRINTED = ("printed", WARM)
Task = tuple[str, str, float, int]  # column, solver, tolerance, steps
Result = tuple[str, str, float, survey.Motion]


def tasks(settings: Settings) -> list[Task]:
    if not survey.has_simulator():
        return []
    columns = [(start, solver) for start in PRINTED for solver in SOLVERS] + [("ours", "ncp_admm")]
    return [(*own, tolerance, STEPS) for own in columns for tolerance in (REFERENCE, *TOLERANCES)]


def work(task: Task) -> Result:
    column, solver, tolerance, steps = task
    return (
        column,
        solver,
        tolerance,
        survey.sliding_cube(
            solver, column.split(",")[0], steps, tolerance=tolerance, warm=column == WARM
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
        published = PUBLISHED[solver][TOLERANCES.index(tolerance)] if column in PRINTED else None
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
                    goal=DECADES,
                    note=note,
                )
            )
        else:
            known = PUBLISHED["ncp_pgs"][TOLERANCES.index(tolerance)]
            more: dict[str, Any] = {"relation": "<=", "goal": 1.0, "note": "of Gauss-Seidel's ncp"}
            quantity = f"error / published, {tolerance:g}"
            made.append(make_row(case, quantity, "1", error / known, **more))
        judged = FIG_15.get((solver if column in PRINTED else "ncp_pgs", tolerance), {})
        name = f"largest energy above the closed form, {tolerance:g}"
        made.append(make_row(case, name, "1", energy_gap(motion), **judged))
    for column, tolerance in itertools.product(PRINTED, TOLERANCES if errors else ()):
        ncp = errors[column, "ncp_pgs", tolerance]
        for other in ("ccp_pgs", "raisim"):
            made.append(
                make_row(
                    column,
                    f"error, ncp_pgs / {other}, {tolerance:g}",
                    "1",
                    ncp / max(errors[column, other, tolerance], 1e-16),
                    relation="<=",
                    goal=1.0,
                    note="the ncp is hardly affected",
                )
            )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    survey.draw_energies(figure, results, "")


EXPERIMENT = Experiment(
    name="consistency-tolerance",
    title="a sliding cube by stopping criterion: consistency error and energy",
    source="Contact models, Table IV and Fig. 15",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(18.0, 3.6),
    uses=("pinocchio",),
)
