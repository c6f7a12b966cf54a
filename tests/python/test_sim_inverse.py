# SPDX-License-Identifier: BSD-2-Clause
"""Inverse problems through contact, solved by exact derivatives: torques of a robot that stands, and
the throw of a hull that tumbled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


CUBE = """<mujoco><compiler angle="radian"/><option timestep="0.005" cone="elliptic"/><worldbody>
<geom type="plane" size="5 5 1" friction="0.5 0 0"/><body pos="0 0 0.3"><freejoint/>
<geom type="box" size="0.1 0.1 0.1" mass="1" friction="0.5 0 0"/></body></worldbody></mujoco>"""
AIM = np.array([1.0, 0.3, -0.5, 2.0, 3.0, -1.0])
OFF = np.array([4e-3, -4e-3, 4e-3, 2e-2, -2e-2, 2e-2])
STEPS = 40


def corrections(run: Any, start: np.ndarray, most: int = 15) -> tuple[int, float]:
    """Gauss-Newton corrections until the end pose is hit to 1e-10, and the last error. `run` returns
    the error of the end pose and a function for its derivative by the first velocity. A correction is
    halved while it makes the error larger."""
    velocity = start
    error, derivative = run(velocity)
    for count in range(most):
        size = float(np.abs(error).max())
        if size < 1e-10:
            return count, size
        change = np.linalg.lstsq(derivative(), error, rcond=None)[0]
        for _ in range(8):
            error, derivative = run(velocity - change)
            if np.abs(error).max() < size:
                break
            change *= 0.5
        velocity = velocity - change
    return most, float(np.abs(error).max())


def our_cube(frozen: bool) -> Any:
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.5, restitution=0.5)
    box = tactum.Box(half_extents=(0.1, 0.1, 0.1))
    builder.add_body(box, mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.3]))
    model = builder.build()
    options = sim.StepOptions(tolerance=1e-12, max_iterations=5000)

    def throw(velocity: np.ndarray) -> Any:
        state = model.state()
        state.v = velocity
        return sim.rollout(model, state, np.zeros((STEPS, 6)), 5e-3, options=options)

    goal = throw(AIM).q[-1]

    def run(velocity: np.ndarray) -> tuple[np.ndarray, Any]:
        trajectory = throw(velocity)

        def derivative() -> np.ndarray:
            columns = [
                sim.rollout_derivative(
                    model, trajectory, dv=unit, mode="forward", frozen_contacts=frozen
                ).dq[-1]
                for unit in np.eye(6)
            ]
            return np.column_stack(columns)

        return np.array(model.difference(goal, trajectory.q[-1])), derivative

    return run


def their_cube() -> Any:
    """The same throw in MuJoCo, with its differences multiplied from step to step."""
    mujoco = pytest.importorskip("mujoco", reason="it belongs to the packages of --bridges")
    model = mujoco.MjModel.from_xml_string(CUBE)

    def throw(velocity: np.ndarray, differentiate: bool) -> tuple[np.ndarray, np.ndarray]:
        data = mujoco.MjData(model)
        data.qvel[:] = velocity
        whole = np.eye(12)
        for _ in range(STEPS):
            if differentiate:
                A = np.zeros((12, 12))
                mujoco.mjd_transitionFD(model, data, 1e-6, True, A, None, None, None)
                whole = A @ whole
            mujoco.mj_step(model, data)
        return data.qpos.copy(), whole[:6, 6:]

    goal, _ = throw(AIM, False)

    def run(velocity: np.ndarray) -> tuple[np.ndarray, Any]:
        end, _ = throw(velocity, False)
        error = np.zeros(6)
        mujoco.mj_differentiatePos(model, error, 1.0, goal, end)
        return error, lambda: throw(velocity, True)[1]

    return run


def test_a_cube_lands_at_a_pose_in_fewer_steps_than_by_other_derivatives() -> None:
    """Each side throws its own cube at a goal of its own: rigid contact here, MuJoCo's soft contact
    there. (0.04 s earlier, after one impact, MuJoCo takes two corrections as well.)"""
    exact, error = corrections(our_cube(frozen=False), AIM + OFF)
    frozen, _ = corrections(our_cube(frozen=True), AIM + OFF)
    differences, _ = corrections(their_cube(), AIM + OFF)
    assert error < 1e-10
    assert exact <= 3
    assert exact < frozen
    assert exact < differences
