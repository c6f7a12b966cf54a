# SPDX-License-Identifier: BSD-2-Clause
"""Contact models, Figs. 9 and 10: a cube that slides to rest on the ground, under every model.

The pyramid of the lcp turns the cube off its line, the ccp lifts it, the ncp does neither. The
energy is held against the closed form: under Coulomb's law with maximum dissipation the speed falls
by mu g.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import figures, mujoco_peer, survey
from ..experiment import Experiment, Settings, is_installed
from ..report import Row, make_row

SOLVERS = ("lcp_pgs", "ccp_pgs", "raisim", "ncp_pgs")
STEPS, FEWER_STEPS = 1098, 300  # the cube rests from step 255 on
NEAR_LINE = 1e-9  # m
SAME_ENERGY = 1e-6  # of the first energy
Task = tuple[str, str, int]  # column, solver, steps
Result = tuple[str, str, survey.Motion]


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
        return column, solver, mujoco_peer.sliding_cube(steps)
    return column, solver, survey.sliding_cube(solver, column, steps)


def measures(motion: survey.Motion) -> dict[str, float]:
    first = 0.5 * survey.SPEED**2
    gap = (motion.energy - survey.closed_energy(motion.time)) / first
    sliding = motion.time <= survey.SPEED / (survey.FRICTION * survey.GRAVITY)
    return {
        "drift across the line": float(
            survey.across(motion)[np.abs(survey.across(motion)).argmax()]
        ),
        "lift": float(np.max(motion.q[:, 2] - motion.q[0, 2])),
        "largest energy gap": float(np.abs(gap).max()),
        "mean energy gap while it should slide": float(gap[sliding].mean()),
        "steps that converged": motion.converged,
    }


UNITS = {
    "drift across the line": "m",
    "lift": "m",
    "largest energy gap": "1",
    "mean energy gap while it should slide": "1",
    "steps that converged": "1",
}


def goals(column: str, solver: str, quantity: str) -> dict[str, Any]:
    """What the figure shows, of the models that it shows."""
    model = solver[:3]
    if quantity == "drift across the line" and model == "ncp":
        return {"relation": "<=", "goal": NEAR_LINE}
    if quantity == "lift":
        if model == "ccp":
            return {"relation": ">=", "goal": 1e-4, "note": "the ccp lifts what slides"}
        return {"relation": "<=", "goal": 1e-6}
    if quantity == "largest energy gap":
        if model == "ncp":
            return {"relation": "<=", "goal": SAME_ENERGY}
        if model == "ccp":
            return {"relation": ">=", "goal": 0.01, "note": "a clear gap"}
    return {}


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made: list[Row] = []
    found = {(column, solver): measures(motion) for column, solver, motion in results}
    peer = found.pop(("MuJoCo", "MuJoCo"), None)
    for (column, solver), values in found.items():
        for quantity, value in values.items():
            size = abs(value) if quantity == "drift across the line" else value
            more = goals(column, solver, quantity)
            if peer is not None and solver.startswith("ncp"):
                more["peers"] = {"MuJoCo": peer[quantity]}
            made.append(make_row(f"{solver}, {column}", quantity, UNITS[quantity], size, **more))
    for column in survey.COLUMNS:
        if (column, "lcp_pgs") not in found:
            continue
        expected = survey.pyramid_drift()
        off = found[column, "lcp_pgs"]["drift across the line"] / expected - 1.0
        made.append(
            make_row(
                f"lcp_pgs, {column}",
                "drift off that of the pyramid",
                "1",
                abs(off),
                relation="<=",
                goal=0.02,
                note=f"in closed form the pyramid turns the cube by {expected:.5f} m",
            )
        )
        gaps = {s: found[column, s]["largest energy gap"] for s in ("ccp_pgs", "raisim", "ncp_pgs")}
        made.append(
            make_row(
                column,
                "energy gap, raisim / ccp_pgs",
                "1",
                gaps["raisim"] / gaps["ccp_pgs"],
                relation="<=",
                goal=1.0,
                note="RaiSim narrows the gap",
            )
        )
        made.append(
            make_row(
                column,
                "raisim dissipates less than expected",
                "1",
                found[column, "raisim"]["mean energy gap while it should slide"],
                relation=">=",
                goal=SAME_ENERGY,
                note="mean of energy - closed form, over the first energy",
            )
        )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    line, lift, energy = figure.subplots(1, 3)
    for column, solver, motion in results:
        look, name = survey.look(column, solver), survey.label(column, solver)
        line.plot(survey.along(motion), 1e3 * survey.across(motion), label=name, **look)
        lift.plot(motion.time, 1e3 * (motion.q[:, 2] - motion.q[0, 2]), **look)
        energy.plot(motion.time, motion.energy, **look)
    if results:
        time = results[0][2].time
        energy.plot(
            time, survey.closed_energy(time), color="#23303f", lw=3, alpha=0.25, label="closed form"
        )
        energy.legend(fontsize=8)
        line.legend(fontsize=7)
    figures.tidy(line, "path (Fig. 9)", "along the first velocity [m]", "across [mm]")
    figures.tidy(lift, "height (Fig. 10, left)", "time [s]", "lift [mm]")
    figures.tidy(energy, "energy (Fig. 10, right)", "time [s]", "energy [J]")


EXPERIMENT = Experiment(
    name="cube-slide",
    title="a sliding cube: path, height and energy under every contact model",
    source="Contact models, Figs. 9 and 10",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(14.0, 4.2),
    uses=("pinocchio", "mujoco"),
)
