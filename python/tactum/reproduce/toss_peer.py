# SPDX-License-Identifier: BSD-2-Clause
"""The tosses in MuJoCo, whose parameters a derivative-free search fits: friction, the damping ratio
of contacts in place of the restitution that MuJoCo does not have, inertia, half-width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .survey import Array
from .toss_fit import FRAME, GRAVITY, INERTIA, MASS, SUBSTEPS, loss_of

MJCF = """<mujoco><option gravity="0 0 {gravity}" timestep="{dt}" cone="elliptic"/>
<default><geom friction="{friction}" condim="3" solref="0.02 {damping}"/></default>
<worldbody><geom type="plane" size="100 100 1"/><body><freejoint/>
<inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia} {inertia} {inertia}"/>
<geom type="box" size="{half} {half} {half}"/></body></worldbody></mujoco>"""


def cube_model(parameters: Array) -> Any:
    """MuJoCo's model; the second parameter is the logarithm of the damping ratio."""
    import mujoco

    friction, damping, factor, half = np.exp(parameters)
    text = MJCF.format(
        gravity=-GRAVITY,
        dt=FRAME / SUBSTEPS,
        friction=friction,
        damping=damping,
        mass=MASS,
        inertia=factor * INERTIA,
        half=half,
    )
    return mujoco.MjModel.from_xml_string(text)


def roll_out(model: Any, rows: Array) -> Array:
    """(T, 7) poses x, y, z, qx, qy, qz, qw."""
    import mujoco

    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = rows[0, :7], rows[0, 7:13]
    poses = [data.qpos.copy()]
    for _ in range(len(rows) - 1):
        for _ in range(SUBSTEPS):
            mujoco.mj_step(model, data)
        poses.append(data.qpos.copy())
    found = np.array(poses)
    return np.concatenate([found[:, :3], np.roll(found[:, 3:], -1, axis=1)], axis=1)


def mean_loss(parameters: Array, pieces: Sequence[Array]) -> float:
    model = cube_model(parameters)
    return float(np.mean([loss_of(roll_out(model, rows), rows) for rows in pieces]))


def fit_by_search(
    loss: Callable[[Array], float], start: Array, near: Array, evaluations: int
) -> Array:
    """The simplex of Nelder and Mead, with so many evaluations."""
    size = len(start)
    points = [start, *(start + 0.3 * np.eye(size)[k] for k in range(size))]
    simplex = [(loss(np.clip(point, *near)), np.clip(point, *near)) for point in points]
    spent = len(simplex)

    def tried(point: Array) -> tuple[float, Array]:
        inside = np.clip(point, *near)
        return loss(inside), inside

    while spent < evaluations:
        simplex.sort(key=lambda pair: pair[0])
        worst = simplex[-1]
        center = np.mean([point for _, point in simplex[:-1]], axis=0)
        reflected = tried(2.0 * center - worst[1])
        spent += 1
        if reflected[0] < simplex[0][0]:
            expanded = tried(3.0 * center - 2.0 * worst[1])
            spent += 1
            simplex[-1] = min(reflected, expanded, key=lambda pair: pair[0])
        elif reflected[0] < simplex[-2][0]:
            simplex[-1] = reflected
        else:
            inner = tried(0.5 * (center + min(reflected, worst, key=lambda pair: pair[0])[1]))
            spent += 1
            if inner[0] < worst[0]:
                simplex[-1] = inner
            else:
                best = simplex[0]
                simplex = [best, *(tried(0.5 * (best[1] + point)) for _, point in simplex[1:])]
                spent += size
    return np.asarray(min(simplex, key=lambda pair: pair[0])[1])
