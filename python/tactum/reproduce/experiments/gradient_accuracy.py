# SPDX-License-Identifier: BSD-2-Clause
"""Our own: errors of the Jacobian of a step, per contact mode and shape, beside the alternatives.

A body touches a fixed ellipsoid, so that normals move with the body, in a random place with a random
orientation and velocity that lead to the mode wanted; and a box rests on its face, whose four points
share forces that are not unique, rigid and compliant. The Jacobian is that of the next velocity by
position and velocity. Its error is the largest difference from extrapolated central differences of
the same step at a tolerance of 1e-13, over the largest entry, for either half. States at the border
of two modes, which `smooth` says, are left out and counted, and so are states whose reference is not
known to 2e-7. The rigid box has no reference: how its points share the friction is up to the solver,
and each of its states is at a border.

The reference of MuJoCo's step need only be known to 2e-2, since its collisions are iterative. So the
median of what its references are known to is told as well: an error that is not larger is not known.

Frozen: contact points and normals that stay. Differences: central, step 1e-6, of a step at the
default tolerance. Zeroth order: antithetic Gaussian noise, with as many steps as those differences
take. MuJoCo: mjd_transitionFD, centered, step 1e-6, of MuJoCo's own step in a scene of the same
shapes, against extrapolated differences of that step at tolerance 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import tactum

from .. import figures
from ..experiment import Experiment, Settings, is_installed, task_seed
from ..report import Row, make_row
from ..step_problems import (
    DT,
    GAP,
    HULL,
    MODES,
    RESTS,
    RIGID,
    SHAPES,
    Array,
    Step,
    differences,
    error,
    extrapolated,
    step_model,
    step_state,
    touching_state,
    zeroth_order,
)

MJCF = {
    "ellipsoid": 'type="ellipsoid" size="0.1 0.06 0.08"',
    "capsule": 'type="capsule" size="0.05 0.08"',
    "box": 'type="box" size="0.08 0.06 0.05"',
    "hull": 'type="mesh" mesh="hull"',
}
METHODS = ("exact", "frozen", "differences", "zeroth order", "mujoco")
GOAL = 1e-6
KNOWN = 2e-7  # error of a reference that is good enough
MUJOCO_KNOWN = 2e-2  # its collisions are iterative, and no step of differences does better

Task = tuple[list[int], str, str, int]  # seed, shape, mode, states
Result = tuple[str, str, "Found"]  # shape, mode


class Found(NamedTuple):
    """Errors by method, and states that have none."""

    errors: dict[str, Array]
    at_border: int
    unknown: int  # states without a reference of ours
    mujoco_known: Array  # to what MuJoCo's references are known, of states that count
    mujoco_unknown: int


def tasks(settings: Settings) -> list[Task]:
    if not is_installed("tactum._sim") or not is_installed("pinocchio"):
        return []
    count = settings.pick(450, 4)
    cases = [(shape, mode) for shape in SHAPES for mode in MODES]
    rests = [("box", mode, max(2, count // 5)) for mode in RESTS]
    sized = [(*case, count) for case in cases] + rests
    return [(task_seed(settings, i), *case) for i, case in enumerate(sized)]


def exact_options() -> Any:
    from tactum import sim

    return sim.StepOptions(tolerance=1e-13, max_iterations=1000)


def our_errors(model: Any, state: Any, rng: np.random.Generator) -> dict[str, float]:
    from tactum import sim

    exact = exact_options()

    def stepper(options: Any) -> Step:
        def velocity(change: Array) -> Array:
            moved = state.copy()
            moved.q = model.integrate(state.q, change[: model.nv])
            moved.v = state.v + change[model.nv :]
            return np.array(sim.step(model, moved, dt=DT, options=options).state.v)

        return velocity

    size = 2 * model.nv
    expected, known = extrapolated(stepper(exact), size, 1e-5, 3)
    if known > KNOWN:
        return {}
    result = sim.step(model, state, dt=DT, options=exact, tape=True)
    found = {}
    for name in ("exact", "frozen"):
        J = sim.step_derivative(result, frozen_contacts=name == "frozen")
        found[name] = np.hstack((J.dv_dq, J.dv_dv))
    found["differences"] = differences(stepper(sim.StepOptions()), size, 1e-6)
    found["zeroth order"] = zeroth_order(stepper(exact), size, rng)
    return {name: error(jacobian, expected) for name, jacobian in found.items()}


def our_work(task: Task) -> tuple[dict[str, list[float]], int, int]:
    from tactum import sim

    seed, shape, mode, count = task
    rng = np.random.default_rng(seed)
    model = step_model(shape, mode)
    errors: dict[str, list[float]] = {name: [] for name in METHODS[:4]}
    at_border = unknown = 0
    for _ in range(count if mode == RIGID else 20 * count):
        state = step_state(model, shape, mode, rng)
        result = sim.step(model, state, dt=DT, options=exact_options(), tape=True)
        modes = set(result.contacts.mode)
        wanted = {"sticking", "sliding"} if mode == "impact" else {mode}
        if mode not in RESTS and not (modes and modes <= wanted):
            continue
        if not sim.step_derivative(result).smooth:
            at_border += 1
            continue
        found = our_errors(model, state, rng)
        unknown += not found
        for name, value in found.items():
            errors[name].append(value)
        if len(errors["exact"]) == count:
            break
    return errors, at_border, unknown


def mujoco_errors(task: Task) -> list[tuple[float, float]]:
    """Errors of MuJoCo's differences with what their references are known to; none where it has no such
    shape or mode, or is not there."""
    seed, shape, mode, count = task
    if shape not in MJCF or mode not in ("sticking", "sliding") or not is_installed("mujoco"):
        return []
    import mujoco

    points = " ".join(f"{x}" for x in HULL.ravel())
    text = (
        f'<mujoco><option timestep="{DT}" cone="elliptic"/><asset><mesh name="hull" '
        f'vertex="{points}"/></asset><worldbody><geom type="ellipsoid" size="0.3 0.25 0.2" '
        f'condim="3" friction="{MODES[mode][0]}"/><body><freejoint/><geom {MJCF[shape]} condim="3" '
        f'mass="1" friction="{MODES[mode][0]}"/></body></worldbody></mujoco>'
    )
    model, fine = mujoco.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(text)
    fine.opt.tolerance, fine.opt.iterations, fine.opt.ls_iterations = 0.0, 500, 200
    fine.opt.ccd_tolerance, fine.opt.ccd_iterations = 1e-12, 500
    data, scratch = mujoco.MjData(model), mujoco.MjData(model)
    rng = np.random.default_rng(seed)
    errors = []
    for _ in range(max(1, count // 8)):
        X, linear, angular = touching_state(SHAPES[shape], mode, -GAP, rng)
        pose = tactum.pose_xyz_xyzw(X)
        mujoco.mj_resetData(model, data)
        data.qpos[:] = [*pose[:3], pose[6], *pose[3:6]]
        data.qvel[:] = [*linear, *(X[:3, :3].T @ angular)]

        def velocity(change: Array) -> Array:
            mujoco.mj_resetData(fine, scratch)
            scratch.qpos[:] = data.qpos
            mujoco.mj_integratePos(fine, scratch.qpos, change[:6], 1.0)
            scratch.qvel[:] = data.qvel + change[6:]
            mujoco.mj_step(fine, scratch)
            return np.array(scratch.qvel)

        expected, known = extrapolated(velocity, 12, 1e-4, 4)
        found = np.zeros((12, 12))
        mujoco.mjd_transitionFD(model, data, 1e-6, True, found, None, None, None)
        errors.append((error(found[6:], expected), known))
    return errors


def work(task: Task) -> Result:
    errors, at_border, unknown = our_work(task)
    mujoco = np.array(mujoco_errors(task)).reshape(-1, 2)
    counts = mujoco[:, 1] <= MUJOCO_KNOWN
    errors["mujoco"] = list(mujoco[counts, 0])
    arrays = {name: np.array(e) for name, e in errors.items()}
    found = Found(arrays, at_border, unknown, mujoco[counts, 1], int(np.sum(~counts)))
    return task[1], task[2], found


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made = []
    for shape, mode, found in results:
        case, ours = f"{shape}, {mode}", found.errors["exact"]
        peers = {name: e for name, e in found.errors.items() if name != "exact" and len(e)}
        note = f"{len(ours)} states"
        if "mujoco" in peers:
            note += f", {len(peers['mujoco'])} of MuJoCo"
        for quantity, of in (("median error", np.median), ("largest error", np.max)):
            if len(ours) == 0:
                continue
            goal = {"relation": "<=", "goal": GOAL} if quantity == "largest error" else {}
            made.append(
                make_row(
                    case,
                    quantity,
                    "1",
                    float(of(ours)),
                    peers={name: float(of(e)) for name, e in peers.items()},
                    note=note,
                    **goal,
                )
            )
        seen = max(1, found.at_border + found.unknown + len(ours))
        made.append(make_row(case, "share at a border", "1", found.at_border / seen))
        made.append(make_row(case, "states without a reference", "1", found.unknown))
        if "mujoco" in peers:
            known = float(np.median(found.mujoco_known))
            made.append(make_row(case, "MuJoCo's references, median, are known to", "1", known))
        if "mujoco" in peers or found.mujoco_unknown > 0:
            unknown = found.mujoco_unknown
            made.append(make_row(case, "MuJoCo's states without a reference", "1", unknown))
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    axes = figure.subplots()
    for k, name in enumerate(METHODS):
        for y, (_, _, found) in enumerate(results):
            values = np.maximum(found.errors[name], 1e-16)
            if len(values) == 0:
                continue
            low, middle, high = np.quantile(values, (0.05, 0.5, 0.95))
            at = y + 0.14 * (k - 2)
            axes.plot((low, high), (at, at), color=f"C{k}", lw=2)
            axes.plot(middle, at, "o", ms=4, color=f"C{k}", label=name if y == 0 else None)
    axes.set_xscale("log")
    axes.set_yticks(range(len(results)), [f"{shape}, {mode}" for shape, mode, _ in results])
    axes.invert_yaxis()
    if results:
        axes.legend(fontsize=8, loc="upper right")
    figures.tidy(axes, "5 %, median and 95 % of the error of a Jacobian", "relative error", "")


EXPERIMENT = Experiment(
    name="gradient-accuracy",
    title="errors of the Jacobian of a step, beside the alternatives",
    source="our own",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(9.0, 8.0),
    uses=("pinocchio", "mujoco"),
)
