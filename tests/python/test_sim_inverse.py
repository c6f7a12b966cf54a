# SPDX-License-Identifier: BSD-2-Clause
"""Inverse problems through contact, solved by exact derivatives: torques of a robot that stands, and
the throw of a hull that tumbled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tactum

sim = pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")

LEG = """<body pos="{x} {y} 0"><joint axis="1 0 0"/><geom type="sphere" size="0.02" mass="0.1"
 contype="0" conaffinity="0"/><body><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.15"
 size="0.01" mass="0.2" contype="0" conaffinity="0"/><body pos="0 0 -0.16"><joint axis="0 1 0"/>
<geom type="sphere" pos="0 0 -0.16" size="0.02" mass="0.1" friction="0.8"/></body></body></body>"""


def quadruped(path: Path) -> tuple[object, object]:
    """Four legs with three hinges each, bent, with their feet on the ground."""
    legs = "".join(LEG.format(x=x, y=y) for x in (0.2, -0.2) for y in (0.12, -0.12))
    path.write_text(
        '<mujoco><compiler angle="radian"/><worldbody><geom type="plane" size="5 5 1" friction="0.8"/>'
        '<body pos="0 0 0.5"><freejoint/><geom type="box" size="0.2 0.1 0.04" mass="3" contype="0" '
        f'conaffinity="0"/>{legs}</body></worldbody></mujoco>',
        encoding="utf-8",
    )
    model = sim.load_mjcf(path)
    state = model.state()
    state.q[7:] = np.tile([0.05, 0.6, -1.2], 4)
    # the feet are the lowest of all centers, and of radius 0.02
    lowest = min(X[2, 3] for X in model.geometry_poses(state.q)[1:])
    state.q[2] -= lowest - 0.02
    return model, state


def test_torques_that_let_a_quadruped_stand(tmp_path: Path) -> None:
    """Contact inverse dynamics: the torques of twelve joints for which nothing moves."""
    model, state = quadruped(tmp_path / "robot.xml")
    options = sim.StepOptions(tolerance=1e-12, max_iterations=5000)
    tau = np.zeros(model.nv)
    speeds = []
    for _ in range(6):
        result = sim.step(model, state, tau, dt=1e-3, options=options, tape=True)
        speeds.append(float(np.abs(result.state.v).max()))
        if speeds[-1] < 1e-10:
            break
        by_torque = sim.step_derivative(result).dv_dtau[:, 6:]
        tau[6:] -= np.linalg.lstsq(by_torque, result.state.v, rcond=1e-9)[0]
    assert len(result.contacts) == 4
    assert speeds[0] > 1e-3
    assert speeds[-1] < 1e-8
    # the ground carries the weight
    weight = 9.81 * (3.0 + 4 * (0.1 + 0.2 + 0.1))
    assert result.contacts.force[:, 2].sum() == pytest.approx(weight, rel=1e-6)


def test_the_throw_of_a_hull_is_found_from_where_it_ended() -> None:
    corners = np.array(
        [(9, 0, -5), (-5, 8, -6), (-6, -7, -4), (3, 5, 7), (-4, 2, 9), (5, -6, 5)], dtype=float
    )
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.6, restitution=0.5)
    hull = tactum.Convex.from_points(0.01 * corners)
    builder.add_body(hull, density=1000.0, X=(np.eye(3), [0.0, 0.0, 0.25]))
    model = builder.build()
    options = sim.StepOptions(tolerance=1e-12, max_iterations=5000)

    def throw(velocity: np.ndarray) -> object:
        state = model.state()
        state.v[:] = velocity
        return sim.rollout(model, state, np.zeros((60, 6)), 4e-3, options=options)

    def off_from(goal: object, trajectory: object) -> np.ndarray:
        return np.array(model.difference(goal.q[-1], trajectory.q[-1]))

    true = np.array([0.8, -0.3, 0.2, 3.0, -2.0, 1.0])
    goal = throw(true)
    assert goal.q[:, 2].min() < 0.1  # it has met the ground
    velocity = true + np.array([1e-3, 8e-4, -1e-3, 4e-3, 6e-3, -4e-3])
    trajectory = throw(velocity)
    for _ in range(15):
        off = off_from(goal, trajectory)
        if np.abs(off).max() < 1e-11:
            break
        columns = [
            sim.rollout_derivative(model, trajectory, dv=unit, mode="forward").dq[-1]
            for unit in np.eye(6)
        ]
        change = np.linalg.solve(np.column_stack(columns), off)
        # half of it while it lands in another step and ends farther off
        for _ in range(6):
            trajectory = throw(velocity - change)
            if np.abs(off_from(goal, trajectory)).max() < np.abs(off).max():
                break
            change *= 0.5
        velocity = velocity - change
    assert np.abs(velocity - true).max() < 1e-8
