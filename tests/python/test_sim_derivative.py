# SPDX-License-Identifier: BSD-2-Clause
"""Derivatives of steps and rollouts from Python: differences, products, uses, errors."""

from __future__ import annotations

import numpy as np
import pytest
import tactum

sim = pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")

OPTIONS = sim.StepOptions(tolerance=1e-13, max_iterations=20000, warm_start=False)
JACOBIANS = ("dq_dq", "dq_dv", "dq_dtau", "dv_dq", "dv_dv", "dv_dtau")


def ellipsoid_model(friction: float = 0.5, restitution: float = 0.0) -> object:
    builder = sim.ModelBuilder()
    builder.add_ground(friction=friction, restitution=restitution)
    shape = tactum.Ellipsoid(semi_axes=(0.1, 0.06, 0.14))
    builder.add_body(shape, mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.1399]))
    return builder.build()


def sliding_state(model: object) -> object:
    state = model.state()
    state.q = model.integrate(state.q, [0, 0, 0, 0.02, -0.03, 0.4])
    state.v[:] = [1.0, 0.2, -0.5, 0.5, 2.0, -1.0]
    return state


def test_jacobians_are_those_of_differences() -> None:
    model = ellipsoid_model()
    state, tau = sliding_state(model), np.linspace(-0.1, 0.2, 6)
    result = sim.step(model, state, tau, options=OPTIONS, tape=True)
    assert result.tape
    J = sim.step_derivative(result)
    assert J.smooth
    assert J.rule == "unique"
    assert 0 < J.mode_margin <= 1
    assert "smooth=True" in repr(J)
    h = 1e-6
    for i in range(model.nv):
        unit = h * np.eye(model.nv)[i]
        for name in ("q", "v", "tau"):
            ends = []
            for sign in (1, -1):
                other, force = state.copy(), tau
                if name == "q":
                    other.q = model.integrate(state.q, sign * unit)
                elif name == "v":
                    other.v = state.v + sign * unit
                else:
                    force = tau + sign * unit
                ends.append(sim.step(model, other, force, options=OPTIONS).state)
            dq = model.difference(ends[1].q, ends[0].q) / (2 * h)
            dv = (ends[0].v - ends[1].v) / (2 * h)
            for found, expected in ((f"dq_d{name}", dq), (f"dv_d{name}", dv)):
                jacobian = getattr(J, found)
                assert np.abs(jacobian[:, i] - expected).max() <= 2e-6 * np.abs(jacobian).max()


def test_products_are_those_of_the_jacobians() -> None:
    model = ellipsoid_model(restitution=0.3)
    names = (
        "friction",
        "restitution",
        "compliance",
        "inertia",
        "gravity",
        "position_correction",
        "slop",
    )
    result = sim.step(model, sliding_state(model), options=OPTIONS, tape=True)
    J = sim.step_derivative(result, parameters=names)
    random = np.random.default_rng(1)
    dq, dv, dtau, gq, gv = random.normal(size=(5, 6))
    d_q, d_v, d_tau, d_parameters = J.vjp(dq=gq, dv=gv)
    assert np.allclose(d_q, J.dq_dq.T @ gq + J.dv_dq.T @ gv, rtol=1e-9)
    assert np.allclose(d_v, J.dq_dv.T @ gq + J.dv_dv.T @ gv, rtol=1e-9)
    assert np.allclose(d_tau, J.dq_dtau.T @ gq + J.dv_dtau.T @ gv, rtol=1e-9)
    next_q, next_v = J.jvp(dq=dq, dv=dv, dtau=dtau)
    assert np.allclose(next_q, J.dq_dq @ dq + J.dq_dv @ dv + J.dq_dtau @ dtau, rtol=1e-9)
    assert np.allclose(next_v, J.dv_dq @ dq + J.dv_dv @ dv + J.dv_dtau @ dtau, rtol=1e-9)
    assert set(d_parameters) == set(names)
    for name in names:
        by_q, by_v = getattr(J, f"dq_d{name}"), getattr(J, f"dv_d{name}")
        assert np.allclose(d_parameters[name], by_q.T @ gq + by_v.T @ gv, rtol=1e-9, atol=1e-12)
        change = random.normal(size=by_v.shape[1])
        assert np.allclose(J.jvp(dparameters={name: change})[1], by_v @ change, rtol=1e-9)


def test_errors_name_what_is_wrong() -> None:
    model = ellipsoid_model()
    state = sliding_state(model)
    with pytest.raises(tactum.InvalidInput, match="tape"):
        sim.step_derivative(sim.step(model, state))
    result = sim.step(model, state, tape=True)
    with pytest.raises(tactum.InvalidInput, match="'friction'"):
        sim.step_derivative(result, parameters=("fiction",))
    J = sim.step_derivative(result)
    with pytest.raises(tactum.InvalidInput, match="name the parameter"):
        J.dv_dfriction  # noqa: B018
    with pytest.raises(tactum.InvalidInput, match="dq"):
        J.jvp(dq=[1, 2, 3])
    with pytest.raises(tactum.InvalidInput, match="finite"):
        J.vjp(dv=[np.nan] * 6)
    with pytest.raises(TypeError, match="result"):
        sim.step_derivative(state)
    with pytest.raises(TypeError, match="parameters"):
        sim.step_derivative(result, parameters="friction")
    trajectory = sim.rollout(model, state, np.zeros((3, 6)))
    with pytest.raises(tactum.InvalidInput, match="mode"):
        sim.rollout_derivative(model, trajectory, mode="sideways")
    with pytest.raises(tactum.InvalidInput, match="checkpoints"):
        sim.rollout_derivative(model, trajectory, checkpoints=0)
    with pytest.raises(tactum.InvalidInput, match="4 x 6"):
        sim.rollout_derivative(model, trajectory, dq=np.zeros((3, 6)))
    with pytest.raises(tactum.InvalidInput, match="forward"):
        sim.rollout_derivative(model, trajectory, dcontrols=np.zeros((3, 6)))


def test_rollouts_forward_and_backward_agree() -> None:
    model = ellipsoid_model(restitution=0.4)
    trajectory = sim.rollout(model, sliding_state(model), np.zeros((40, 6)), 5e-3, options=OPTIONS)
    random = np.random.default_rng(2)
    dq0, dv0 = random.normal(size=(2, 6))
    dcontrols, gq, gv = random.normal(size=(40, 6)), *random.normal(size=(2, 41, 6))
    dfriction = random.normal(size=2)
    forward = sim.rollout_derivative(
        model,
        trajectory,
        dq=dq0,
        dv=dv0,
        dcontrols=dcontrols,
        dparameters={"friction": dfriction},
        mode="forward",
    )
    backward = sim.rollout_derivative(model, trajectory, dq=gq, dv=gv, parameters=("friction",))
    left = np.sum(forward.dq * gq) + np.sum(forward.dv * gv)
    right = (
        backward.d_q0 @ dq0
        + backward.d_v0 @ dv0
        + np.sum(backward.d_controls * dcontrols)
        + backward.d_parameters["friction"] @ dfriction
    )
    assert left == pytest.approx(right, rel=1e-10)
    whole = sim.rollout_derivative(
        model, trajectory, dq=gq, dv=gv, parameters=("friction",), checkpoints=1
    )
    assert np.array_equal(whole.d_v0, backward.d_v0)
    assert np.array_equal(whole.d_controls, backward.d_controls)


def throw(model: object, velocity: np.ndarray, steps: int) -> object:
    state = model.state()
    state.v[:] = velocity
    options = sim.StepOptions(tolerance=1e-12, max_iterations=5000)
    return sim.rollout(model, state, np.zeros((steps, 6)), 5e-3, options=options)


def gauss_newton(model: object, target: np.ndarray, start: np.ndarray, frozen: bool) -> list[float]:
    """Errors of the end pose while the first velocity is corrected."""
    velocity, errors = np.array(start), []
    for _ in range(12):
        trajectory = throw(model, velocity, 50)
        error = model.difference(target, trajectory.q[-1])
        errors.append(float(np.linalg.norm(error)))
        if errors[-1] < 1e-10:
            break
        columns = [
            sim.rollout_derivative(
                model, trajectory, dv=unit, mode="forward", frozen_contacts=frozen
            ).dq[-1]
            for unit in np.eye(6)
        ]
        velocity = velocity - np.linalg.solve(np.column_stack(columns), error)
    return errors


def test_a_throw_is_corrected_until_it_hits_a_pose() -> None:
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.5, restitution=0.5)
    shape = tactum.Ellipsoid(semi_axes=(0.1, 0.06, 0.14))
    builder.add_body(shape, mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.3]))
    model = builder.build()
    aim = np.array([1.0, 0.3, -0.5, 1.0, 2.0, -1.0])
    target = throw(model, aim, 50).q[-1]
    start = aim + np.array([0.01, -0.01, 0.01, 0.05, -0.05, 0.05])
    exact = gauss_newton(model, target, start, frozen=False)
    frozen = gauss_newton(model, target, start, frozen=True)
    assert exact[-1] < 1e-10
    assert len(exact) < len(frozen)


def test_friction_is_found_from_how_far_a_block_slides() -> None:
    def distance(friction: float) -> tuple[float, float]:
        builder = sim.ModelBuilder(gravity=(2.0, 0.0, -9.0))  # a slope
        builder.add_ground(friction=friction)
        box = tactum.Box(half_extents=(0.1, 0.1, 0.1))
        builder.add_body(box, mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.1]))
        model = builder.build()
        state = model.state()
        state.v[0] = 1.0
        options = sim.StepOptions(tolerance=1e-12, max_iterations=5000)
        trajectory = sim.rollout(model, state, np.zeros((60, 6)), 5e-3, options=options)
        dq = np.zeros((61, 6))
        dq[-1, 0] = 1.0
        gradient = sim.rollout_derivative(model, trajectory, dq=dq, parameters=("friction",))
        return trajectory.q[-1, 0], gradient.d_parameters["friction"][0]

    measured, _ = distance(0.4)
    friction = 0.3
    for _ in range(10):
        reached, slope = distance(friction)
        friction -= (reached - measured) / slope
    assert friction == pytest.approx(0.4, abs=1e-8)


def test_a_loss_is_a_function_of_the_states() -> None:
    model = ellipsoid_model(restitution=0.4)
    goal = np.array([0.4, 0.1])

    def loss(q: np.ndarray, v: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        by_q, by_v = np.zeros_like(q), np.zeros_like(v)
        by_q[-1, :2] = 2.0 * (q[-1, :2] - goal)
        by_q[-1, 3:] = 0.3 * q[0, 3:]
        by_v[:] = 0.02 * v
        value = np.sum((q[-1, :2] - goal) ** 2) + 0.3 * q[-1, 3:] @ q[0, 3:] + 0.01 * np.sum(v**2)
        return float(value), by_q, by_v

    def run(change: np.ndarray) -> object:
        state = sliding_state(model)
        state.v = state.v + change
        return sim.rollout(model, state, np.zeros((30, 6)), 5e-3, options=OPTIONS)

    trajectory = run(np.zeros(6))
    gradient = sim.rollout_derivative(model, trajectory, loss=loss)
    assert gradient.value == loss(trajectory.q, trajectory.v)[0]
    for i, unit in enumerate(np.eye(6)):
        ends = [run(h * unit) for h in (1e-6, -1e-6)]
        slope = (loss(ends[0].q, ends[0].v)[0] - loss(ends[1].q, ends[1].v)[0]) / 2e-6
        # the loss has the velocity at the start in it, and a constant quaternion
        assert gradient.d_v0[i] == pytest.approx(slope, rel=1e-5, abs=1e-6)
    # gradients by tangent vectors are taken as they are
    tangents = sim.rollout_derivative(
        model, trajectory, loss=lambda q, v: (1.0, np.ones((31, 6)), None)
    )
    plain = sim.rollout_derivative(model, trajectory, dq=np.ones((31, 6)))
    assert np.array_equal(tangents.d_v0, plain.d_v0) and plain.value is None
    with pytest.raises(tactum.InvalidInput, match="loss"):
        sim.rollout_derivative(model, trajectory, dq=np.ones((31, 6)), loss=loss)
    with pytest.raises(TypeError, match="loss"):
        sim.rollout_derivative(model, trajectory, loss=lambda q, v: 1.0)


def test_length_of_the_step_and_sizes_of_shapes() -> None:
    def run(length: float, dt: float) -> object:
        builder = sim.ModelBuilder()
        builder.add_ground(friction=0.5)
        shape = tactum.Ellipsoid(semi_axes=(0.1, 0.06, length))
        inertia = np.diag([0.01, 0.012, 0.008])
        builder.add_body(shape, mass=1.0, inertia=inertia, X=(np.eye(3), [0.0, 0.0, 0.1399]))
        model = builder.build()
        state = sliding_state(model)
        return model, sim.step(model, state, dt=dt, options=OPTIONS, tape=True)

    model, result = run(0.14, 1e-3)
    J = sim.step_derivative(result, parameters=("dt", "shape"))
    names = sim.shape_parameters(model)
    assert names[:2] == [(0, "offset"), (0, "margin")]
    column = names.index((1, "semi_axes[2]"))
    assert J.dv_dshape.shape == (6, len(names))
    h = 1e-7
    by_length = (run(0.14 + h, 1e-3)[1].state.v - run(0.14 - h, 1e-3)[1].state.v) / (2 * h)
    by_dt = (run(0.14, 1e-3 + h)[1].state.v - run(0.14, 1e-3 - h)[1].state.v) / (2 * h)
    assert np.allclose(J.dv_dshape[:, column], by_length, rtol=1e-5, atol=1e-4)
    assert np.allclose(J.dv_ddt[:, 0], by_dt, rtol=1e-5, atol=1e-4)


def test_estimators_smooth_the_corner_under_a_box() -> None:
    """A box on one corner: the corner stays the contact point, and the smoothed point rolls."""
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.9)
    R = tactum.se3.exp([0, 0, 0, 0.5, 0.4, 0.0])[:3, :3]
    lowest = np.abs(R[2]) @ np.full(3, 0.1)
    builder.add_body(tactum.Box(half_extents=(0.1, 0.1, 0.1)), mass=1.0, X=(R, [0, 0, lowest]))
    model = builder.build()
    state = model.state()
    state.v[:] = [0.0, 0.0, -0.3, 0.4, 0.1, 0.0]
    result = sim.step(model, state, options=OPTIONS, tape=True)
    assert len(result.contacts) == 1
    exact = sim.step_derivative(result).dv_dq
    assert np.array_equal(sim.step_derivative(result, estimator=tactum.Exact()).dv_dq, exact)
    smooth = sim.step_derivative(result, estimator=tactum.Gumbel(rings=2, temperature=0.05)).dv_dq
    assert np.all(np.isfinite(smooth))
    assert np.abs(smooth - exact).max() > 1e-4 * np.abs(exact).max()
    sharp = sim.step_derivative(result, estimator=tactum.Gumbel(temperature=1e-4)).dv_dq
    assert np.abs(sharp - exact).max() < 1e-6 * np.abs(exact).max()
    # a shape without vertices moves exactly
    ball = ellipsoid_model()
    rolls = sim.step(ball, sliding_state(ball), options=OPTIONS, tape=True)
    assert np.array_equal(
        sim.step_derivative(rolls, estimator=tactum.Gumbel()).dv_dq,
        sim.step_derivative(rolls).dv_dq,
    )
    with pytest.raises(TypeError, match="estimator"):
        sim.step_derivative(result, estimator="gumbel")


def test_the_hyperstatic_limit_of_a_box_that_slides_and_spins() -> None:
    """Four points share the weight of a rigid box in many ways, and its slide with spin depends on
    which: no derivative. A compliance makes the shares unique; the derivative is then exact and tends
    to a limit as the compliance falls."""

    def start(compliance: float) -> tuple[object, object]:
        builder = sim.ModelBuilder()
        builder.add_ground(friction=0.5, compliance=compliance)
        box = tactum.Box(half_extents=(0.1, 0.1, 0.1))
        builder.add_body(box, mass=2.0, X=(np.eye(3), [0.0, 0.0, 0.1 - 1e-5]))
        model = builder.build()
        state = model.state()
        state.v[:] = [1.0, 0.2, 0.0, 0.0, 0.0, 8.0]
        return model, state

    found = []
    for compliance in (1e-7, 1e-8, 1e-9):
        model, state = start(compliance)
        J = sim.step_derivative(sim.step(model, state, options=OPTIONS, tape=True))
        assert J.smooth and J.rule == "unique"
        columns = []
        for unit in np.eye(6):
            ends = []
            for h in (1e-7, -1e-7):
                other = state.copy()
                other.v = state.v + h * unit
                ends.append(sim.step(model, other, options=OPTIONS).state.v)
            columns.append((ends[0] - ends[1]) / 2e-7)
        assert np.abs(J.dv_dv - np.column_stack(columns)).max() < 1e-6
        found.append(J.dv_dv)
    first, second = np.abs(found[1] - found[0]).max(), np.abs(found[2] - found[1]).max()
    assert second < first / 5.0
    model, state = start(0.0)
    assert not sim.step_derivative(sim.step(model, state, options=OPTIONS, tape=True)).smooth


def sliding_rollout() -> tuple[object, object]:
    model = ellipsoid_model()
    trajectory = sim.rollout(
        model, sliding_state(model), np.zeros((12, model.nv)), dt=1e-3, options=OPTIONS
    )
    return model, trajectory


def test_forward_columns_in_one_pass() -> None:
    model, trajectory = sliding_rollout()
    every = sim.rollout_derivative(model, trajectory, dv=np.eye(model.nv), mode="forward")
    assert every.dq.shape == every.dv.shape == (model.nv, 13, model.nv)
    for i, unit in enumerate(np.eye(model.nv)):
        alone = sim.rollout_derivative(model, trajectory, dv=unit, mode="forward")
        assert np.array_equal(every.dq[i], alone.dq) and np.array_equal(every.dv[i], alone.dv)
        assert (every.smooth, every.mode_margin) == (alone.smooth, alone.mode_margin)
    friction, controls = np.array([[1.0, 0.0], [0.0, 1.0]]), np.ones((2, 12, model.nv))
    both = sim.rollout_derivative(
        model,
        trajectory,
        dcontrols=controls,
        dparameters={"friction": friction},
        mode="forward",
    )
    first = sim.rollout_derivative(
        model,
        trajectory,
        dcontrols=controls[0],
        dparameters={"friction": friction[0]},
        mode="forward",
    )
    assert np.array_equal(both.dv[0], first.dv)
    none = sim.rollout_derivative(model, trajectory, dv=np.zeros((0, model.nv)), mode="forward")
    assert none.dq.shape == (0, 13, model.nv) and none.smooth
    with pytest.raises(tactum.InvalidInput, match="dv"):
        sim.rollout_derivative(
            model, trajectory, dq=np.zeros((3, 6)), dv=np.zeros((2, 6)), mode="forward"
        )
    with pytest.raises(tactum.InvalidInput, match="dv"):
        sim.rollout_derivative(
            model, trajectory, dq=np.zeros((3, 6)), dv=np.zeros(6), mode="forward"
        )


def test_relaxation_of_rollouts() -> None:
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.6)
    builder.add_body(
        tactum.Box(half_extents=(0.1, 0.1, 0.1)), mass=1.0, X=(np.eye(3), [0, 0, 0.1 - 1e-4])
    )
    model = builder.build()
    trajectory = sim.rollout(model, model.state(), np.zeros((5, 6)), dt=1e-3, options=OPTIONS)
    by_v = np.zeros((6, 6))
    by_v[-1, 0] = 1.0
    exact = sim.rollout_derivative(model, trajectory, dv=by_v)
    relaxed = sim.rollout_derivative(model, trajectory, dv=by_v, relaxation=0.01)
    assert abs(exact.d_v0[0]) < 1e-6 < relaxed.d_v0[0]
    forward = sim.rollout_derivative(
        model, trajectory, dv=np.eye(6)[0], mode="forward", relaxation=0.01
    )
    assert np.isclose(forward.dv[-1, 0], relaxed.d_v0[0], rtol=1e-9)
    with pytest.raises(tactum.InvalidInput, match="relaxation"):
        sim.rollout_derivative(model, trajectory, dv=by_v, relaxation=-1.0)
