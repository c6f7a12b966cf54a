# SPDX-License-Identifier: BSD-2-Clause
"""Contact models, Fig. 13: Solo-12 on a floor of varying compliance R.

The robot stands on its four feet with its joints locked, 12 rows of contact on 6 motions, friction
0.9. Its weight presses it down and a force swings sideways by 0.3 times the weight, within the cone.
The compliance is that of the survey, c* = -R f at the level of velocities, in steps of 1 ms:
without it the robot rests, with it the feet sink by R f_N and follow the push by R f_T. The step is
made here from Jacobian and mass matrix of the robot, as the simulator's own compliance is that of a
spring under the normal force.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any, cast

import numpy as np

import tactum

from .. import figures, survey
from ..experiment import Experiment, Settings
from ..report import Row, make_row
from ..survey import Array

FRICTION, SWING, PERIOD = 0.9, 0.3, 0.2  # 1, shares of the weight, s
COMPLIANCES = (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)  # (m/s) / (N s)
SOLVERS = (("printed", "ncp_pgs"), ("printed", "ccp_pgs"), ("ours", "ncp_admm"))
# what the stopping rule leaves of internal forces, seen at another tolerance
FINE, FINE_TOLERANCE = "printed, to 1e-12", 1e-12
FINE_COMPLIANCES = (1e-2, 1e-1)
STEPS, FEWER_STEPS = 1000, 80
RESTING = 1e-6  # m/s
Task = tuple[str, str, float, int]  # column, solver, compliance, steps
Result = tuple[
    str, str, float, Array, Array, float
]  # ..., normal, tangential speed, internal share


def robot() -> tuple[Array, Array]:
    """Jacobian (12, 6) of the feet and mass matrix (6, 6) of Solo-12 with locked joints."""
    path = resources.files("tactum") / "data" / "contact_problems.npz"
    with path.open("rb") as file:
        data = np.load(file)
        dense = {}
        for name in ("J", "M"):
            values, columns, starts = (
                data[f"quadruped.{name}.{part}"] for part in ("values", "columns", "starts")
            )
            matrix = np.zeros((len(starts) - 1, 18))
            for row in range(len(matrix)):
                own = slice(starts[row], starts[row + 1])
                matrix[row, columns[own]] = values[own]
            dense[name] = matrix
    return dense["J"][:, :6], dense["M"][:6, :6]


def tasks(settings: Settings) -> list[Task]:
    steps = settings.pick(STEPS, FEWER_STEPS)
    fine = [(FINE, solver, R, steps) for _, solver in SOLVERS[:2] for R in FINE_COMPLIANCES]
    return [*((*own, R, steps) for own in SOLVERS for R in COMPLIANCES), *fine]


def work(task: Task) -> Result:
    """Speeds of the feet, the largest of the four, after every step; and internal forces."""
    column, solver, R, steps = task
    J, M = robot()
    inverse = np.linalg.inv(M)
    weight = M[0, 0] * survey.GRAVITY
    G, v = J @ inverse @ J.T, np.zeros(6)
    found: list[Array] = []
    internal = 0.0
    for step in range(steps):
        swing = SWING * weight * np.sin(2.0 * np.pi * step * survey.STEP / PERIOD)
        load = np.array([0.0, swing, -weight, 0.0, 0.0, 0.0])
        free = v + survey.STEP * inverse @ load
        problem = tactum.ContactProblem(G=G, g=J @ free, mu=FRICTION, R=R)
        solution = tactum.solve(
            problem,
            cast(Any, solver),
            tolerance=FINE_TOLERANCE if column == FINE else survey.TOLERANCE,
            max_iterations=10000,
            as_printed=column != "ours",
        )
        v = free + inverse @ J.T @ solution.force
        feet = (J @ v).reshape(4, 3)
        found.append(np.array([-feet[:, 2].min(), np.hypot(feet[:, 0], feet[:, 1]).max()]))
        size = float(np.linalg.norm(solution.force))
        internal = max(internal, solution.internal_force / size if size > 0 else 0.0)
    normal, tangential = np.array(found).T
    return column, solver, R, normal, tangential, internal


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made: list[Row] = []
    speeds: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for column, solver, R, normal, tangential, internal in results:
        case = f"{solver}, {column}, R = {R:g}"
        if column == FINE:
            made.append(make_row(case, "largest internal force", "1", internal))
            continue
        last = slice(len(normal) // 2, None)
        sinking, creeping = float(normal[last].mean()), float(tangential[last].max())
        rests = {"relation": "<=", "goal": RESTING} if R == 0.0 else {}
        moves = {"relation": ">=", "goal": RESTING} if R >= 1e-3 else rests
        made.append(make_row(case, "speed of sinking", "m/s", sinking, **(rests or moves)))
        note = "dry friction would hold the feet"
        made.append(make_row(case, "largest sideways speed", "m/s", creeping, note=note, **moves))
        judged: dict[str, Any] = {}
        if R >= 1e-2:
            judged = {"relation": "<=", "goal": 1e-5}
        elif R == 0.0 and column == "printed":
            judged = {"relation": ">=", "goal": 1e-3, "note": "internal forces without compliance"}
        made.append(make_row(case, "largest internal force", "1", internal, **judged))
        if R > 0.0:
            speeds.setdefault((column, solver), []).append((R, sinking, creeping))
    for (column, solver), found in speeds.items():
        R, sinking, _ = np.log(np.array(found[:4])).T  # up to 1e-1
        slope = float(np.polyfit(R, sinking, 1)[0])
        note = "slope of the logarithms, R from 1e-4 to 1e-1; 1 is linear"
        made.append(
            make_row(
                f"{solver}, {column}",
                "exponent of sinking by R, off 1",
                "1",
                abs(slope - 1.0),
                relation="<=",
                goal=0.02,
                note=note,
            )
        )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    normal_axes, side_axes, internal_axes = figure.subplots(1, 3)
    for column, solver, R, _, tangential, _ in results:
        if (column, solver) == SOLVERS[0]:
            side_axes.plot(
                survey.STEP * np.arange(len(tangential)), tangential, label=f"R = {R:g}", lw=1
            )
    for own in SOLVERS:
        mine = [result for result in results if result[:2] == own and result[2] > 0.0]
        name = f"{own[1]}, {'as printed' if own[0] == 'printed' else 'ours'}"
        look = {
            "color": survey.color(own[1]),
            "ls": "-" if own[0] == "printed" else "--",
            "marker": "o",
            "ms": 3,
        }
        compliance = [r[2] for r in mine]
        normal_axes.loglog(
            compliance, [r[3][len(r[3]) // 2 :].mean() for r in mine], label=name, **look
        )
        internal_axes.loglog(compliance, [max(r[5], 1e-16) for r in mine], label=name, **look)
    normal_axes.legend(fontsize=7)
    side_axes.legend(fontsize=7)
    side_axes.set_yscale("symlog", linthresh=1e-9)
    figures.tidy(
        normal_axes, "sinking (Fig. 13, left)", "R [m/s per N s]", "speed of sinking [m/s]"
    )
    figures.tidy(side_axes, "sideways, ncp_pgs as printed (center)", "time [s]", "speed [m/s]")
    figures.tidy(internal_axes, "internal forces (right)", "R [m/s per N s]", "share of the force")


EXPERIMENT = Experiment(
    name="compliance",
    title="Solo-12 on floors of varying compliance: sinking, creep, internal forces",
    source="Contact models, Fig. 13",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(14.0, 4.2),
)
