# SPDX-License-Identifier: BSD-2-Clause
"""Contact models, Fig. 12: a heavy cube on a light one.

1000 kg on a cube that is up to 10^6 times lighter, friction 0.9 on the floor and 0.95 between. The
residual is that of the ncp over the weight, on the contact problem of one step, after at most 10^4
iterations; the sinking is that of the simulated stack in 100 steps of 1 ms, which should rest: it
rests where it sinks by no more than the slop of the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

import tactum

from .. import figures, survey
from ..experiment import Experiment, Settings
from ..force_problems import cubes
from ..report import Row, make_row
from ..survey import Array

HEAVY = 1e3  # kg
WEIGHT = HEAVY * survey.GRAVITY  # N
RATIOS = (1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6)
FEWER_RATIOS = (1.0, 1e3, 1e6)
PER_CONTACT = ("ccp_pgs", "raisim", "ncp_pgs")
PROXIMAL = ("ccp_admm", "ncp_staggered", "ncp_admm")
OURS = ("ncp_pgs", "ncp_admm")
# residuals over the weight: the tolerance of the authors' scripts, above which a solver has stalled,
# and a hundredth of that
STALLED, SOLVED = 1e-6, 1e-8
RESTS = 1e-6  # m
ITERATIONS = 10000
Task = tuple[str, str, tuple[float, ...], int]  # column, solver, ratios, steps
Result = tuple[str, str, Array, Array, list[Array]]  # column, solver, residuals, sinking, curves


def tasks(settings: Settings) -> list[Task]:
    ratios = settings.pick(RATIOS, FEWER_RATIOS)
    steps = settings.pick(100, 10) if survey.has_simulator() else 0
    printed = [("printed", solver, ratios, steps) for solver in (*PER_CONTACT, *PROXIMAL)]
    return [*printed, *(("ours", solver, ratios, steps) for solver in OURS)]


def residual_curve(solver: str, column: str, ratio: float) -> tuple[float, Array]:
    """Residual of the ncp over the weight at the end, and that of the solver's model after every
    iteration. The scene has no sliding, so that all models have the same solutions."""
    problem = cubes([HEAVY / ratio, HEAVY], 0.9)
    found = tactum.solve(
        problem,
        cast(Any, solver),
        tolerance=1e-3 * SOLVED * WEIGHT,
        max_iterations=ITERATIONS,
        as_printed=column == "printed",
        history=True,
    )
    return found.ncp_residual / WEIGHT, np.asarray(found.history) / WEIGHT


def sinking(solver: str, column: str, ratio: float, steps: int) -> float:
    """How far the heavy cube is from where it rests after some steps, m."""
    if steps == 0:
        return 0.0
    between = 0.95**2 / 0.9
    model = survey.cubes_model([HEAVY / ratio, HEAVY], [0.9, 0.9, between])
    choice = survey.options(column, max_iterations=1000)
    motion = survey.simulate(model, model.state(), steps, solver, choice)
    return float(np.abs(motion.q[-1, 7:10] - motion.q[0, 7:10]).max())


def work(task: Task) -> Result:
    column, solver, ratios, steps = task
    found = [residual_curve(solver, column, ratio) for ratio in ratios]
    sunk = [sinking(solver, column, ratio, steps) for ratio in (ratios[0], ratios[-1])]
    return column, solver, np.array([r for r, _ in found]), np.array(sunk), [c for _, c in found]


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made: list[Row] = []
    ratios = settings.pick(RATIOS, FEWER_RATIOS)
    found = {(column, solver): residuals for column, solver, residuals, _, _ in results}
    for column, solver, residuals, sunk, _ in results:
        case = f"{solver}, {column}"
        for ratio, residual in zip(ratios, residuals, strict=True):
            more: dict[str, Any] = {}
            if column == "printed" and ratio == ratios[-1]:
                per_contact = solver in PER_CONTACT
                more = (
                    {"relation": ">=", "goal": STALLED}
                    if per_contact
                    else {"relation": "<=", "goal": STALLED}
                )
            elif solver == "ncp_admm" and column == "ours":
                note = "below a hundredth of the tolerance at every ratio"
                more = {"relation": "<=", "goal": SOLVED, "note": note}
            made.append(
                make_row(case, f"residual, mass ratio {ratio:g}", "weight", float(residual), **more)
            )
        if survey.has_simulator():
            made += sinking_rows(column, solver, (ratios[0], ratios[-1]), sunk)
        if column == "printed" and solver in PER_CONTACT:
            growth = float(residuals[-1] / max(residuals[0], 1e-16))
            made.append(
                make_row(
                    case, "residual, largest / smallest ratio", "1", growth, relation=">=", goal=1.0
                )
            )
    admm, pgs = (np.maximum(found["printed", name], SOLVED) for name in ("ccp_admm", "ncp_pgs"))
    worst = float(np.max(admm / pgs))
    note = "largest over the sweep; residuals below 1e-8 of the weight count as that, on both sides"
    made.append(
        make_row(
            "printed",
            "residual, ccp_admm / ncp_pgs",
            "1",
            worst,
            relation="<=",
            goal=1.0,
            note=note,
        )
    )
    return made


def sinking_rows(column: str, solver: str, ratios: tuple[float, float], sunk: Array) -> list[Row]:
    """How far the stack sinks at the smallest and the largest ratio. Not judged is our ncp_pgs, of
    which neither the survey nor we say anything."""
    made = []
    for ratio, depth in zip(ratios, sunk, strict=True):
        more: dict[str, Any] = {"relation": "<=", "goal": RESTS}
        if ratio == ratios[1] and solver in PER_CONTACT:
            more = {"relation": ">=", "goal": RESTS} if column == "printed" else {}
        quantity = f"sinking, mass ratio {ratio:g}"
        made.append(make_row(f"{solver}, {column}", quantity, "m", float(depth), **more))
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    curves, sweep = figure.subplots(1, 2)
    ratios = settings.pick(RATIOS, FEWER_RATIOS)
    for column, solver, residuals, _, history in results:
        style = {"printed": "-", "ours": "--"}[column]
        marker = "o" if solver in PER_CONTACT else "s"
        look = {"color": survey.color(solver), "ls": style, "lw": 1.2}
        name = f"{solver}, {'as printed' if column == 'printed' else 'ours'}"
        if len(history[-1]):
            steps = np.arange(1, len(history[-1]) + 1)
            curves.loglog(steps, np.maximum(history[-1], 1e-16), **look)
        sweep.loglog(ratios, np.maximum(residuals, 1e-16), marker=marker, ms=4, label=name, **look)
    sweep.legend(fontsize=7)
    figures.tidy(curves, "1000 kg on 1 g (Fig. 12, left)", "iteration", "residual / weight")
    figures.tidy(sweep, "by mass ratio (Fig. 12, right)", "mass ratio", "residual / weight")


EXPERIMENT = Experiment(
    name="stack",
    title="a heavy cube on a light one: residuals of per-contact and of global solvers",
    source="Contact models, Fig. 12",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    uses=("pinocchio",),
)
