# SPDX-License-Identifier: BSD-2-Clause
"""The simulator beside MuJoCo where their models agree: free flight, joint space, resting height."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tactum

sim = pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")
mujoco = pytest.importorskip("mujoco", reason="it belongs to the packages of --bridges")


def to_ours(model: Any, data: Any, ours: Any) -> Any:
    """MuJoCo's state as a state of ours; both have the same joints in the same order."""
    state = ours.state()
    q, v = data.qpos.copy(), data.qvel.copy()
    for joint in range(model.njnt):
        if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
            at, speed = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
            q[at + 3 : at + 7] = np.roll(q[at + 3 : at + 7], -1)
            rotation = tactum.pose_matrix(q[at : at + 7])[:3, :3]
            v[speed : speed + 3] = rotation.T @ v[speed : speed + 3]
    state.q, state.v = q, v
    return state


def both(text: str, path: Path, dt: float) -> tuple[Any, Any, Any]:
    path.write_text(text, encoding="utf-8")
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep = dt
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    return model, mujoco.MjData(model), sim.load_mjcf(path)


PENDULUM = """<mujoco><compiler angle="radian"/><worldbody>
<body pos="0 0 1"><joint name="a" axis="0 1 0" damping="0.05" armature="0.01"/>
<geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03" contype="0" conaffinity="0"/>
<body pos="0.5 0 0"><joint name="b" axis="0 1 0.3" stiffness="2" springref="0.4"/>
<geom type="box" size="0.2 0.05 0.1" pos="0.2 0 0" contype="0" conaffinity="0"/>
</body></body></worldbody></mujoco>"""


def test_a_pendulum_swings_as_in_mujoco(tmp_path: Path) -> None:
    """Both are Euler's rule with implicit damping: they differ by terms of order dt."""
    errors = []
    for dt in (1e-3, 5e-4):
        model, data, ours = both(PENDULUM, tmp_path / "pendulum.xml", dt)
        data.qpos[:] = [0.3, -0.5]
        state = to_ours(model, data, ours)
        steps = round(0.5 / dt)
        for _ in range(steps):
            mujoco.mj_step(model, data)
        found = sim.rollout(ours, state, np.zeros((steps, ours.nv)), dt=dt)
        errors.append(np.abs(found.q[-1] - data.qpos).max())
    assert errors[0] < 5e-3
    assert errors[1] < 0.7 * errors[0]


def test_free_flight_is_that_of_mujoco(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><body pos="0 0 5"><freejoint/>
    <geom type="box" size="0.1 0.2 0.3"/></body></worldbody></mujoco>"""
    errors = []
    for dt in (1e-3, 5e-4):
        model, data, ours = both(text, tmp_path / "box.xml", dt)
        data.qvel[:] = [0.3, -0.2, 1.0, 1.0, 2.0, -0.5]
        state = to_ours(model, data, ours)
        steps = round(0.4 / dt)
        for _ in range(steps):
            mujoco.mj_step(model, data)
        found = sim.rollout(ours, state, np.zeros((steps, 6)), dt=dt)
        difference = ours.difference(found.q[-1], to_ours(model, data, ours).q)
        errors.append(np.abs(difference).max())
        assert np.allclose(found.q[-1, :3], data.qpos[:3], atol=1e-6)  # no term of first order
    assert errors[1] < 0.7 * errors[0] < 5e-3


def test_a_box_rests_at_the_height_of_mujoco_within_its_softness(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><geom type="plane" size="5 5 1"/><body pos="0 0 0.12"><freejoint/>
    <geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
    model, data, ours = both(text, tmp_path / "box.xml", 2e-3)
    for _ in range(1000):
        mujoco.mj_step(model, data)
    found = sim.rollout(ours, ours.state(), np.zeros((1000, 6)), dt=2e-3)
    assert found.q[-1, 2] == pytest.approx(0.1, abs=1e-5)
    assert data.qpos[2] == pytest.approx(found.q[-1, 2], abs=2e-3)
