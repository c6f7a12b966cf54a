# SPDX-License-Identifier: BSD-2-Clause
"""tactum.crocoddyl: derivatives against Crocoddyl's own differences, and a problem that it solves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tactum

sim = pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")
crocoddyl = pytest.importorskip("crocoddyl", reason="it is an optional extra")

from tactum.crocoddyl import ActionModel, Goal, SmoothedActionModel, State  # noqa: E402

OPTIONS = sim.StepOptions(tolerance=1e-12, max_iterations=20000)


def sliding_ellipsoid() -> tuple[Any, np.ndarray]:
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.4)
    shape = tactum.Ellipsoid(semi_axes=(0.1, 0.06, 0.14))
    builder.add_body(shape, mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.1399]))
    model = builder.build()
    state = model.state()
    q = model.integrate(state.q, [0, 0, 0, 0.02, -0.03, 0.4])
    return model, np.concatenate((q, [1.0, 0.2, -0.5, 0.5, 2.0, -1.0]))


def test_state_is_a_manifold() -> None:
    model, x = sliding_ellipsoid()
    state = State(model)
    random = np.random.default_rng(1)
    dx = random.normal(size=state.ndx)
    moved = state.integrate(x, dx)
    assert np.allclose(state.diff(x, moved), dx, atol=1e-12)
    numerical = crocoddyl.StateNumDiff(state)
    both = crocoddyl.Jcomponent.both
    for ours, theirs in zip(state.Jdiff(x, moved, both), numerical.Jdiff(x, moved, both)):
        assert np.allclose(ours, theirs, atol=1e-6)
    for ours, theirs in zip(state.Jintegrate(x, dx, both), numerical.Jintegrate(x, dx, both)):
        assert np.allclose(ours, theirs, atol=1e-6)
    # difference and integrate undo each other: the product of their derivatives is the identity
    second = crocoddyl.Jcomponent.second
    product = state.Jdiff(x, moved, second) @ state.Jintegrate(x, dx, second)
    assert np.allclose(product, np.eye(state.ndx), atol=1e-11)


def test_derivatives_are_those_of_differences() -> None:
    model, x = sliding_ellipsoid()
    goal = Goal(model, q=model.state().q, position=2.0, velocity=0.1, control=0.01)
    action = ActionModel(model, 1e-3, goal, controls=np.eye(6)[:, :3], options=OPTIONS)
    assert action.nu == 3
    u = np.array([0.3, -0.2, 0.1])
    data = action.createData()
    action.calc(data, x, u)
    action.calcDiff(data, x, u)
    numerical = crocoddyl.ActionModelNumDiff(action, True)
    expected = numerical.createData()
    numerical.calc(expected, x, u)
    numerical.calcDiff(expected, x, u)
    assert data.cost == pytest.approx(expected.cost)
    for name in ("Fx", "Fu", "Lx", "Lu"):
        ours, theirs = getattr(data, name), getattr(expected, name)
        assert np.abs(ours - theirs).max() <= 1e-4 * np.abs(theirs).max(), name


def test_smoothed_derivatives_see_what_is_near() -> None:
    """A finger beside a block: exact derivatives have no block in them, smoothed ones do; without
    noise worth the name both are the same."""
    from pathlib import Path

    model = sim.load_mjcf(Path(tactum.__file__).parent / "data" / "push.xml")
    x = np.concatenate((model.state().q, np.zeros(model.nv)))
    x[0] = 0.1  # 1 cm from the block
    goal, B = Goal(model, control=0.1), np.eye(8)[:, :2]
    common: dict[str, Any] = {"controls": B, "options": sim.StepOptions(tolerance=1e-9)}
    found = {}
    for name, action in (
        ("exact", ActionModel(model, 0.02, goal, **common)),
        (
            "smoothed",
            SmoothedActionModel(
                model,
                0.02,
                goal,
                **common,
                samples=40,
                position_scale=[0.02, 0.02, 0, 0, 0, 0, 0, 0],
                velocity_scale=0.0,
            ),
        ),
        (
            "hardly smoothed",
            SmoothedActionModel(model, 0.02, goal, **common, samples=2, velocity_scale=1e-9),
        ),
    ):
        data = action.createData()
        action.calc(data, x, np.zeros(2))
        action.calcDiff(data, x, np.zeros(2))
        found[name] = data.Fx.copy(), data.Fu.copy()
    assert np.abs(found["exact"][0][2:8, 0]).max() < 1e-9
    assert found["smoothed"][0][10, 0] > 0.01, "where the finger is moves the block"
    for ours, exact in zip(found["hardly smoothed"], found["exact"]):
        assert np.allclose(ours, exact, atol=1e-5 * np.abs(exact).max())


def test_a_ball_is_rolled_to_its_goal() -> None:
    """Torques alone steer a ball that slides at first, through the friction of the ground."""
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.3)
    builder.add_body(tactum.Sphere(radius=0.1), mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.1]))
    model = builder.build()
    x0 = np.concatenate((model.state().q, [0.6, 0.0, 0.0, 0.0, 0.0, 0.0]))
    goal = np.array([0.25, 0.15])

    def place(x: np.ndarray, u: np.ndarray | None) -> tuple[np.ndarray, ...]:
        """Distance from the goal in the world, which the tangent vector moves by R."""
        r_x = np.zeros((2, 12))
        r_x[:, :3] = tactum.pose_matrix(x[:7])[:2, :3]
        return 30.0 * (x[:2] - goal), 30.0 * r_x, np.zeros((2, 0 if u is None else len(u)))

    options = sim.StepOptions(tolerance=1e-10, position_correction=1.0, slop=0.0)
    dt, steps = 0.02, 25
    common: dict[str, Any] = {"controls": np.eye(6)[:, 3:], "options": options}
    running = ActionModel(model, dt, Goal(model, control=0.3), **common)
    problem = crocoddyl.ShootingProblem(
        x0, [running] * steps, ActionModel(model, dt, place, **common)
    )
    solver = crocoddyl.SolverFDDP(problem)
    start = [np.zeros(3)] * steps
    before = problem.calc(problem.rollout(start), start)
    solver.solve(problem.rollout(start), start, 50, True)
    assert solver.cost < 0.02 * before
    # the torques that it found do it in a rollout of the simulator
    state = model.state()
    state.q, state.v = x0[:7], x0[7:]
    forces = np.stack([running.B @ u for u in solver.us])
    trajectory = sim.rollout(model, state, forces, dt=dt, options=options)
    assert np.abs(trajectory.q[-1][:2] - goal).max() < 5e-3


def test_bad_input_names_the_field() -> None:
    model, _ = sliding_ellipsoid()
    with pytest.raises(tactum.InvalidInput, match="controls"):
        ActionModel(model, 1e-3, Goal(model), controls=np.eye(5))
    with pytest.raises(tactum.InvalidInput, match="dt"):
        ActionModel(model, 0.0, Goal(model))
