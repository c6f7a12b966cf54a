# SPDX-License-Identifier: BSD-2-Clause
"""The cube of the contact survey in MuJoCo, with its own defaults but elliptic cones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import survey
from .survey import Array, Motion

MJCF = """<mujoco><option gravity="0 0 {gravity}" timestep="{dt}" cone="elliptic"/>
<worldbody><geom type="plane" size="100 100 1" friction="{friction}"/>
<body pos="0 0 {half}"><freejoint/><geom type="box" size="{half} {half} {half}" mass="1"
friction="{friction}" condim="3"/></body></worldbody></mujoco>"""


def simulate(
    friction: float,
    steps: int,
    velocity: Array,
    push: Callable[[float], Array] | None = None,
    dt: float = survey.STEP,
) -> Motion:
    """A cube of 1 kg on a plane; push: force in N on its center, of the time at the end of a step."""
    import mujoco

    text = MJCF.format(gravity=-survey.GRAVITY, dt=dt, friction=friction, half=survey.SIDE / 2)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[:] = velocity
    q, v = [data.qpos.copy()], [data.qvel.copy()]
    for step in range(steps):
        if push is not None:
            data.xfrc_applied[1, :3] = push((step + 1) * dt)
        mujoco.mj_step(model, data)
        q.append(data.qpos.copy())
        v.append(data.qvel.copy())
    none = np.zeros(steps)
    return Motion(
        dt * np.arange(steps + 1, dtype=np.float64),
        np.array(q),
        np.array(v),
        [],
        [],
        none,
        none,
        1.0,
    )


def sliding_cube(steps: int) -> Motion:
    """The motion of survey.sliding_cube()."""
    velocity = np.zeros(6)
    velocity[:2] = survey.SPEED * np.cos(survey.ANGLE), survey.SPEED * np.sin(survey.ANGLE)
    return simulate(survey.FRICTION, steps, velocity)
