# SPDX-License-Identifier: BSD-2-Clause
"""The simulator from Python: closed forms, arrays, errors, the same bits again."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
import tactum

sim = pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")

G = 9.81


def at(x: float, y: float, z: float) -> tuple[np.ndarray, list[float]]:
    return np.eye(3), [x, y, z]


def box_model(friction: float = 0.5, slope: float = 0.0, shape: object = None) -> object:
    gravity = (G * math.sin(slope), 0.0, -G * math.cos(slope))
    builder = sim.ModelBuilder(gravity=gravity)
    builder.add_ground(friction=friction)
    box = tactum.Box(half_extents=(0.1, 0.1, 0.1)) if shape is None else shape
    builder.add_body(box, mass=2.0, X=at(0, 0, 0.1), name="box")
    return builder.build()


def test_model_tells_its_layout() -> None:
    model = box_model()
    assert (model.nq, model.nv, model.num_bodies, model.num_geometries) == (7, 6, 2, 2)
    assert model.names == ["box"]
    assert model.body_names == ["world", "box"]
    assert model.geometry_names == ["ground", "box"]
    assert model.geometry_bodies == [0, 1]
    assert np.array_equal(model.gravity, [0.0, 0.0, -G])
    assert isinstance(model.geometry(1), tactum.Box)
    assert model.geometry_poses(model.state().q).shape == (2, 4, 4)
    assert np.all(np.isinf(model.lower_position_limit))
    assert "nq=7" in repr(model)


def test_state_is_written_in_place_and_as_a_whole() -> None:
    state = box_model().state()
    state.v[2] = 3.0
    assert state.v[2] == 3.0
    state.q = [0, 0, 1, 0, 0, 0, 1]
    assert state.q[2] == 1.0
    other = copy.deepcopy(state)
    other.q[0] = 5.0
    assert state.q[0] == 0.0
    assert state.copy().time == 0.0
    with pytest.raises(tactum.InvalidInput, match="give 6"):
        state.v = [1, 2, 3]
    view = state.q
    del state  # the view keeps the memory
    assert view[2] == 1.0


def test_box_at_rest_carries_its_weight() -> None:
    model = box_model()
    result = sim.step(model, model.state(), dt=1e-3)
    contacts = result.contacts
    assert result.status == "converged" and len(contacts) == 4
    assert np.allclose(contacts.force.sum(axis=0), [0, 0, 2 * G], atol=1e-6)
    assert contacts.geometry.tolist() == [[0, 1]] * 4 and contacts.body.tolist() == [[0, 1]] * 4
    assert np.allclose(contacts.normal, [0, 0, 1])
    assert np.allclose(contacts.distance, 0.0, atol=1e-12)
    assert np.allclose(contacts.friction, 0.5)
    assert set(contacts.mode) == {"sticking"}
    assert len(set(contacts.feature_id.tolist())) == 4
    assert contacts.point.shape == (4, 3)
    assert result.solution.residual <= 1e-8
    assert set(result.timings) >= {"contacts", "solve"}
    assert result.joint_force.shape == (6,)


@pytest.mark.parametrize("steepness, slides", [(0.99, False), (1.01, True)])
def test_friction_angle(steepness: float, slides: bool) -> None:
    mu = 0.5
    slope = steepness * math.atan(mu)
    model = box_model(mu, slope)
    trajectory = sim.rollout(model, model.state(), np.zeros((300, 6)), dt=1e-3)
    expected = 0.3 * G * (math.sin(slope) - mu * math.cos(slope)) if slides else 0.0
    assert trajectory.v[-1, 0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("solver", ["lcp_pgs", "ccp_newton", "raisim", "ncp_pgs", "ncp_admm"])
def test_solvers_by_name(solver: str) -> None:
    model = box_model()
    result = sim.step(model, model.state(), dt=1e-3, solver=solver)
    assert result.contacts.force.sum(axis=0)[2] == pytest.approx(2 * G, rel=1e-5)


def test_forces_move_the_body_by_newton() -> None:
    builder = sim.ModelBuilder(gravity=(0, 0, 0))
    builder.add_body(tactum.Sphere(radius=0.1), mass=4.0)
    model = builder.build()
    result = sim.step(model, model.state(), [2.0, 0, 0, 0, 0, 0], 0.5)
    assert np.allclose(result.state.v, [0.25, 0, 0, 0, 0, 0])
    assert np.allclose(result.state.q[:3], [0.125, 0, 0])


def test_free_flight_keeps_momentum_and_energy() -> None:
    builder = sim.ModelBuilder(gravity=(0, 0, 0))
    builder.add_body(tactum.Cone(radius=0.1, half_length=0.2), mass=1.0)
    model = builder.build()
    state = model.state()
    state.v = [1.0, -0.5, 0.2, 3.0, 9.0, -4.0]
    momentum, energy = sim.momentum(model, state), sim.energy(model, state)
    last = sim.rollout(model, state, np.zeros((1000, 6)), dt=0.01).state
    assert np.allclose(sim.momentum(model, last), momentum, atol=1e-9)
    assert sim.energy(model, last)[0] == pytest.approx(energy[0], rel=1e-10)


def test_com_and_potential_energy() -> None:
    model = box_model()
    state = model.state()
    assert np.allclose(sim.com(model, state), [0, 0, 0.1])
    kinetic, potential = sim.energy(model, state)
    assert kinetic == 0.0 and potential == pytest.approx(2 * G * 0.1)


def test_inertia_can_be_given() -> None:
    builder = sim.ModelBuilder(gravity=(0, 0, 0))
    builder.add_body(
        tactum.Sphere(radius=0.1), mass=1.0, inertia=np.diag([1.0, 2.0, 2.5]), center=(0, 0, 0)
    )
    model = builder.build()
    result = sim.step(model, model.state(), [0, 0, 0, 0, 1.0, 0], 0.1)
    assert result.state.v[4] == pytest.approx(0.05)


def test_rollout_with_a_function_and_rollouts() -> None:
    model = box_model(0.3)
    state = model.state()
    state.v[0] = 0.5

    def push(time: float, now: object) -> np.ndarray | None:
        return np.array([1.0, 0, 0, 0, 0, 0]) if time < 0.05 else None

    by_function = sim.rollout(model, state, push, dt=1e-3, steps=100)
    controls = np.zeros((100, 6))
    controls[:50, 0] = 1.0
    by_array = sim.rollout(model, state, controls, dt=1e-3)
    assert len(by_array) == 100 and by_array.q.shape == (101, 7) and by_array.v.shape == (101, 6)
    assert np.allclose(by_function.q, by_array.q, atol=1e-3)
    many = sim.rollouts(model, [state] * 3, np.stack([controls] * 3), dt=1e-3, num_threads=2)
    assert all(np.array_equal(each.q, by_array.q) for each in many)
    assert by_array.status == ("converged",) * 100 and by_array.residual.max() <= 1e-8
    with pytest.raises(tactum.InvalidInput, match="steps"):
        sim.rollout(model, state, push)
    with pytest.raises(ZeroDivisionError):
        sim.rollout(model, state, lambda time, now: 1 / 0, steps=3)


def test_compounds_are_bodies() -> None:
    ball = tactum.Sphere(radius=0.1)
    dumbbell = tactum.Compound(parts=[(ball, at(-0.3, 0, 0)), (ball, at(0.3, 0, 0))])
    model = box_model(shape=dumbbell)
    result = sim.step(model, model.state(), dt=1e-3)
    assert len(result.contacts) == 2
    assert np.allclose(result.contacts.force[:, 2], G, atol=1e-6)


@pytest.mark.parametrize(
    "call, field",
    [
        (lambda m, s: sim.step(m, s, dt=0.0), "dt"),
        (lambda m, s: sim.step(m, s, dt=math.nan), "dt"),
        (lambda m, s: sim.step(m, s, [1.0, 2.0]), "tau"),
        (lambda m, s: sim.step(m, s, [math.inf] * 6), "tau"),
        (lambda m, s: sim.step(m, s, solver="magic"), "solver"),
        (lambda m, s: sim.step(m, s, options=sim.StepOptions(slop=-1.0)), "slop"),
        (lambda m, s: sim.step(m, s, options=sim.StepOptions(tolerance=math.nan)), "tolerance"),
        (lambda m, s: m.integrate(s.q, [1.0]), "dq"),
        (lambda m, s: m.geometry(9), "index"),
        (lambda m, s: sim.rollout(m, s, np.zeros((3, 5))), "controls"),
    ],
)
def test_bad_input_is_named(call: object, field: str) -> None:
    model = box_model()
    state = model.state()
    before = state.q.copy()
    with pytest.raises(tactum.InvalidInput, match=field):
        call(model, state)  # type: ignore[operator]
    assert np.array_equal(state.q, before)


def test_bad_states_are_named() -> None:
    model = box_model()
    state = model.state()
    state.v[3] = math.nan
    with pytest.raises(tactum.InvalidInput, match=r"state\.v\[3\]"):
        sim.step(model, state)
    state = model.state()
    state.q[3:] = 0.0
    with pytest.raises(tactum.InvalidInput, match="quaternion"):
        sim.step(model, state)


@pytest.mark.parametrize("bad", [None, "model", 3])
def test_wrong_types(bad: object) -> None:
    model = box_model()
    with pytest.raises(TypeError, match="model"):
        sim.step(bad, model.state())
    with pytest.raises(TypeError, match="state"):
        sim.step(model, bad)
    with pytest.raises(TypeError, match="shape"):
        sim.ModelBuilder().add_body(bad, mass=1.0)


def test_the_step_of_the_survey_has_impulses_and_contacts_that_touch() -> None:
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.4)
    box = tactum.Box(half_extents=(0.1, 0.1, 0.1))
    builder.add_body(box, mass=1.0, X=tactum.pose_matrix([0, 0, 0.1, 0, 0, 0, 1]), friction=0.4)
    model = builder.build()
    state = model.state()
    state.v = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    options = sim.StepOptions(tolerance=1e-12, max_iterations=10000, slop=1e-6, as_printed=True)
    result = sim.step(model, state, None, 1e-3, solver="ncp_pgs", options=options)
    assert result.status == "converged" and len(result.contacts) == 4
    # the speed falls by mu g dt, and the weight is an impulse of m g dt, whatever the units inside
    assert result.state.v[1] == pytest.approx(1.0 - 0.4 * 9.81e-3, abs=1e-10)
    assert np.sum(result.contacts.force, axis=0)[2] == pytest.approx(9.81, abs=1e-7)
    # what slides lifts off in the convex model, and is then not looked at until it is down again
    lifted = sim.step(model, state, None, 1e-3, solver="ccp_pgs", options=options)
    assert lifted.state.v[2] == pytest.approx(0.4 * np.hypot(*lifted.state.v[:2]), rel=1e-6)
    assert len(sim.step(model, lifted.state, None, 1e-3, options=options).contacts) == 0
    with pytest.raises(tactum.InvalidInput, match="tape"):
        sim.step(model, state, None, 1e-3, solver="ncp_pgs", options=options, tape=True)
    with pytest.raises(tactum.InvalidInput, match="as_printed"):
        sim.step(model, state, None, 1e-3, solver="ccp_newton", options=options)
    assert pickle.loads(pickle.dumps(options)).as_printed


def resting() -> tuple[object, object]:
    model = box_model()
    return model, sim.step(model, model.state())


def test_names_compare_or_raise() -> None:
    model, result = resting()
    assert result.status == "converged" and result.status != "not_converged"
    assert repr(result.status) == "'converged'" and result.status in {"converged"}
    for call in (
        lambda: result.status == "convergd",
        lambda: result.status != "convergd",
        lambda: "convergd" == result.status,
    ):
        with pytest.raises(tactum.InvalidInput, match=r"status: got 'convergd'; give one of"):
            call()
    modes = result.contacts.mode
    assert (modes == "sticking").tolist() == [True] * 4 and modes == ["sticking"] * 4
    assert modes == ("sticking",) * 4 and (modes != "sliding").all() and modes[0] == "sticking"
    with pytest.raises(tactum.InvalidInput, match=r"mode: got 'stick'; give one of 'breaking'"):
        modes == "stick"  # noqa: B015
    trajectory = sim.rollout(model, model.state(), np.zeros((3, 6)))
    assert (trajectory.status == "converged").tolist() == [True] * 3
    assert set(trajectory.status) == {"converged"} and "not_converged" not in trajectory.status
    with pytest.raises(tactum.InvalidInput, match=r"status: got 'converge'"):
        trajectory.status == "converge"  # noqa: B015
    assert pickle.loads(pickle.dumps(modes)) == modes


def test_what_results_hand_out_is_read_only() -> None:
    model, _ = resting()
    result = sim.step(model, model.state(), tape=True)
    derivative = sim.step_derivative(result, parameters=("friction",))
    trajectory = sim.rollout(model, model.state(), np.zeros((3, 6)))
    names = {
        result: ("joint_force", "closure_force"),
        result.contacts: (
            *("geometry", "body", "point", "normal", "force"),
            *("distance", "friction", "feature_id"),
        ),
        trajectory: ("q", "v", "residual", "controls"),
        derivative: ("dq_dq", "dq_dv", "dq_dtau", "dv_dq", "dv_dv", "dv_dtau", "dv_dfriction"),
    }
    for value, fields in names.items():
        for field in fields:
            array = getattr(value, field)
            assert not array.flags.writeable, field
            if array.size:
                with pytest.raises(ValueError, match="read-only"):
                    array[(0,) * array.ndim] = 1
    assert derivative.jvp(dq=np.ones(6))[0].flags.writeable, "what a method returns is the caller's"


def test_the_solution_of_a_step_says_what_it_does_not_know() -> None:
    _, result = resting()
    again = pickle.loads(pickle.dumps(result.solution))
    assert np.array_equal(again.force, result.solution.force)
    assert again.modes == result.solution.modes
    state = result.solution.__getstate__()
    for rows in (13, -1, None):
        with pytest.raises((tactum.InvalidInput, TypeError), match="state"):
            tactum.ContactSolution.__new__(tactum.ContactSolution).__setstate__((rows, *state[1:]))
    with pytest.raises(tactum.InvalidInput, match=r"internal_force: got the solution of a step"):
        result.solution.internal_force  # noqa: B018


def test_wrong_arguments_are_named_in_one_line() -> None:
    model, result = resting()
    state, builder = model.state(), sim.ModelBuilder()
    cases = {
        "step: there is no argument 'timestep'; did you mean 'dt'?": lambda: sim.step(
            model, state, timestep=1e-3
        ),
        "step: state is missing": lambda: sim.step(model),
        "step_derivative: there is no argument 'parameter'; did you mean": lambda: (
            sim.step_derivative(result, parameter=())
        ),
        "rollout: controls is missing": lambda: sim.rollout(model, state),
        "StepOptions: there is no argument 'max_iter'; did you mean 'max_iterations'?": lambda: (
            sim.StepOptions(max_iter=3)
        ),
        "StepOptions: arguments are keywords; write StepOptions(": lambda: sim.StepOptions(1e-8),
        "ModelBuilder: there is no argument 'g'": lambda: sim.ModelBuilder(g=(0, 0, 0)),
        "ModelBuilder: got 2 arguments without a name; it takes gravity": lambda: sim.ModelBuilder(
            (0, 0, 0), 1
        ),
        "add_body: there is no argument 'mu'; did you mean 'friction'?": lambda: builder.add_body(
            tactum.Sphere(radius=0.1), mu=0.5
        ),
        "add_ground: there is no argument 'height'": lambda: builder.add_ground(height=1.0),
        "integrate: dq is missing": lambda: model.integrate(state.q),
        "energy: got int, State; it takes model: Model, state: State": lambda: sim.energy(3, state),
    }
    for text, call in cases.items():
        with pytest.raises(TypeError) as caught:
            call()
        shown = str(caught.value)
        assert shown.startswith(text) and "\n" not in shown, shown
    with pytest.raises(TypeError, match=r"warm_start: got int; give True or False"):
        sim.StepOptions(warm_start=1)
    assert sim.StepOptions(slop=1e-4, warm_start=False).slop == 1e-4
    assert pickle.loads(pickle.dumps(sim.step)) is sim.step
