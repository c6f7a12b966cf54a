# SPDX-License-Identifier: BSD-2-Clause
"""Contact models, Fig. 11: a horizontal force on a cube grows until it slides.

The force is min(39.24 t, 17.66) N on the center of a cube of 1 kg with friction 0.9, so that it
slips at 0.225 s. Left: speed and height. Right: tangential forces of the four contacts; forces that
neither push nor turn the cube are internal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import figures, mujoco_peer, survey
from ..experiment import Experiment, Settings, is_installed
from ..report import Row, make_row
from ..survey import Array

FRICTION, RATE, MOST = 0.9, 39.24, 17.66  # 1, N/s, N
SLIP = FRICTION * survey.GRAVITY / RATE  # s
# s: times at which forces are looked at. Until 0.118 s the forces that share the push equally lie in
# their cones; later the contacts at the back cannot hold their share, and some force is internal
STUCK, NEARLY, SLIDING = 0.1, 0.2, 0.4
STEPS, FEWER_STEPS = 600, 420
# solvers, and whether the survey says that they leave internal forces at stiction
SOLVERS = {
    "ccp_pgs": True,
    "ccp_admm": False,
    "raisim": True,
    "ncp_pgs": True,
    "ncp_staggered": False,
}
MOVING = 1e-5  # m/s
# shares of the force: what a figure shows, and what is left of a tolerance of 1e-9 of the solvers
INTERNAL, NO_INTERNAL = 1e-2, 1e-6
Task = tuple[str, str, int]  # column, solver, steps
Result = tuple[str, str, survey.Motion]


def push(time: float) -> Array:
    return np.array([0.0, min(RATE * time, MOST), 0.0])


def tasks(settings: Settings) -> list[Task]:
    if not survey.has_simulator():
        return []
    steps = settings.pick(STEPS, FEWER_STEPS)
    ours = [("ours", solver, steps) for solver in (*SOLVERS, "ncp_admm")]
    peer = [("MuJoCo", "MuJoCo", steps)] if is_installed("mujoco") else []
    return [*(("printed", solver, steps) for solver in SOLVERS), *ours, *peer]


def work(task: Task) -> Result:
    column, solver, steps = task
    if column == "MuJoCo":
        return column, solver, mujoco_peer.simulate(FRICTION, steps, np.zeros(6), push)
    model = survey.cubes_model([1.0], [FRICTION, FRICTION])
    choice = survey.options(column)
    return column, solver, survey.simulate(model, model.state(), steps, solver, choice, push=push)


def closed_speed(time: float) -> float:
    """Speed under Coulomb friction: m/s."""
    knee = MOST / RATE
    grown = min(time, knee) - SLIP
    if grown <= 0.0:
        return 0.0
    return 0.5 * RATE * grown**2 + max(time - knee, 0.0) * (MOST - FRICTION * survey.GRAVITY)


def slip_time(motion: survey.Motion) -> float:
    """Time at the end of the first step after which the cube moves along the push."""
    moving = motion.v[:, 1] > MOVING
    return float(motion.time[moving.argmax()]) if moving.any() else float("inf")


def at(motion: survey.Motion, time: float) -> tuple[Array, Array]:
    """Contact points and forces of the step that ends at a time; of the last one with forces before
    it where the cube is in the air."""
    index = round(time / survey.STEP) - 1
    while index > 0 and not np.any(motion.forces[index]):
        index -= 1
    return motion.points[index], motion.forces[index]


def cross_share(forces: Array) -> float:
    """Share of the tangential forces that is across the push."""
    total = float(np.abs(forces[:, :2]).sum())
    return float(np.abs(forces[:, 0]).sum()) / total if total > 0 else 0.0


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made: list[Row] = []
    speeds: dict[tuple[str, str], float] = {}
    for column, solver, motion in results:
        case = f"{solver}, {column}" if column != "MuJoCo" else "MuJoCo"
        end = float(motion.time[-1])
        speeds[column, solver] = float(motion.v[-1, 1])
        exact = solver.startswith("ncp")
        slip = abs(slip_time(motion) - SLIP) / survey.STEP
        more: dict[str, Any] = {"note": f"from {SLIP:.3f} s, in closed form"}
        if exact:
            more |= {"relation": "<=", "goal": 1.0 + 1e-6}
        made.append(make_row(case, "slip is early or late by", "steps", slip, **more))
        lift = float(np.max(motion.q[:, 2] - motion.q[0, 2]))
        limit: dict[str, Any] = {}
        if solver.startswith("ccp"):
            limit = {"relation": ">=", "goal": 1e-5, "note": "the ccp bumps"}
        elif exact:
            limit = {"relation": "<=", "goal": 1e-6}
        made.append(make_row(case, "lift", "m", lift, **limit))
        off = speeds[column, solver] / closed_speed(end) - 1.0
        near = {"relation": "<=", "goal": 0.01} if exact else {}
        made.append(make_row(case, "speed off the closed form", "1", abs(off), **near))
        if column == "MuJoCo":
            continue
        stuck = survey.internal_share(*at(motion, STUCK))
        named = column == "printed"
        judged: dict[str, Any] = {}
        if named and SOLVERS[solver]:
            judged = {"relation": ">=", "goal": INTERNAL}
        elif named or solver == "ncp_admm":
            judged = {"relation": "<=", "goal": NO_INTERNAL}
        made.append(make_row(case, "internal forces at stiction", "1", stuck, **judged))
        later = survey.internal_share(*at(motion, NEARLY))
        made.append(make_row(case, f"internal forces at {NEARLY:g} s", "1", later))
        crossing = cross_share(at(motion, SLIDING)[1])
        turned: dict[str, Any] = {}
        if named and solver == "raisim":
            turned = {"relation": ">=", "goal": 1e-3, "note": "RaiSim's persist"}
        elif named and solver == "ccp_pgs":
            turned = {"relation": "<=", "goal": 1e-3, "note": "those of the ccp vanish"}
        made.append(make_row(case, "forces across the push, sliding", "1", crossing, **turned))
        made.append(make_row(case, "steps that converged", "1", motion.converged))
    for column in survey.COLUMNS:
        if (column, "raisim") in speeds:
            ratio = speeds[column, "raisim"] / speeds[column, "ncp_pgs"]
            note = "RaiSim slides faster"
            made.append(
                make_row(
                    column,
                    "speed, raisim / ncp_pgs",
                    "1",
                    ratio,
                    relation=">=",
                    goal=1.0 + 1e-6,
                    note=note,
                )
            )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    speed, lift, force = figure.subplots(1, 3)
    for column, solver, motion in results:
        look, name = survey.look(column, solver), survey.label(column, solver)
        speed.plot(motion.time, motion.v[:, 1], label=name, **look)
        lift.plot(motion.time, 1e3 * (motion.q[:, 2] - motion.q[0, 2]), **look)
        if column != "printed":
            continue
        four = [rows[:4, 0] for rows in motion.forces if len(rows) == 4]
        times = [
            t for t, rows in zip(motion.time[1:], motion.forces, strict=True) if len(rows) == 4
        ]
        if four:
            force.plot(times, np.array(four), color=survey.color(solver), lw=0.8)
    if results:
        speed.legend(fontsize=7)
    figures.tidy(speed, "speed (Fig. 11, left)", "time [s]", "along the push [m/s]")
    figures.tidy(lift, "height", "time [s]", "lift [mm]")
    figures.tidy(force, "forces across the push, as printed", "time [s]", "four contacts each [N]")


EXPERIMENT = Experiment(
    name="cube-drag",
    title="a force that grows until a cube slides: slip, height, internal forces",
    source="Contact models, Fig. 11",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(14.0, 4.2),
    uses=("pinocchio", "mujoco"),
)
