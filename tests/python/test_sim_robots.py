# SPDX-License-Identifier: BSD-2-Clause
"""Robots in the simulator: readers and free motion against Pinocchio, MJCF against what MuJoCo's
format says, files and pickles that go on with the same bits."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
import tactum

sim = pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")

DATA = Path(__file__).resolve().parents[1] / "data"
ARM, LEGS = DATA / "robots" / "arm.urdf", DATA / "robots" / "legs.xml"


def arm(**options: object) -> object:
    return sim.load_urdf(ARM, [DATA], **options)


def test_urdf_in_python() -> None:
    model = arm()
    assert model.names == ["shoulder", "elbow_a", "elbow_b", "a_wheel", "finger"]
    assert model.lower_position_limit[0] == -1.5 and model.upper_position_limit[0] == 1.5
    free = arm(base="free")
    assert free.nv == model.nv + 6
    builder = sim.ModelBuilder()
    builder.add_urdf(ARM, [DATA], name="left", X=(np.eye(3), [0, 1, 0]))
    builder.add_urdf(ARM, [DATA], name="right", X=(np.eye(3), [0, -1, 0]))
    assert builder.build().names[:2] == ["left/shoulder", "left/elbow_a"]


def test_mjcf_in_python() -> None:
    model = sim.load_mjcf(LEGS)
    assert np.allclose(model.gravity, [0, 0, -9.8])
    assert "left_pitch" in model.names
    trajectory = sim.rollout(model, model.state(), np.zeros((50, model.nv)), dt=2e-3)
    assert np.all(np.isfinite(trajectory.q))


def test_a_saved_and_a_pickled_model_step_with_the_same_bits(tmp_path: Path) -> None:
    model = sim.load_mjcf(LEGS)
    model.save(tmp_path / "legs.model")
    copies = [sim.Model.load(tmp_path / "legs.model"), pickle.loads(pickle.dumps(model))]
    controls = np.zeros((100, model.nv))
    expected = sim.rollout(model, model.state(), controls, dt=2e-3).q
    for copy in copies:
        assert np.array_equal(sim.rollout(copy, copy.state(), controls, dt=2e-3).q, expected)


@pytest.mark.parametrize(
    "call",
    [
        lambda: sim.load_urdf(DATA / "none.urdf"),
        lambda: sim.load_urdf(LEGS),
        lambda: sim.load_mjcf(ARM),
        lambda: sim.load_urdf(ARM, [DATA], base="flying"),
        lambda: sim.Model.load(ARM),
    ],
)
def test_bad_files_are_refused(call: object) -> None:
    with pytest.raises((tactum.InvalidInput, OSError)):
        call()  # type: ignore[operator]


def test_a_path_is_text_or_path() -> None:
    with pytest.raises(TypeError, match="path"):
        sim.load_urdf(3)


def test_free_motion_is_that_of_pinocchio() -> None:
    """The step of a fixed base with implicit damping, from Pinocchio's own mass matrix and nonlinear
    effects of Pinocchio's own reader."""
    pin = pytest.importorskip("pinocchio", reason="it belongs to the packages of --bridges")
    text = ARM.read_text(encoding="utf-8").replace('friction="0.05"', 'friction="0"')
    theirs = pin.buildModelFromXML(text)
    model = sim.load_urdf(ARM, [DATA], geometries=False)
    assert (model.nq, model.nv) == (theirs.nq, theirs.nv)
    assert list(theirs.names)[1:] == model.names
    data = theirs.createData()
    rng = np.random.default_rng(5)
    dt = 1e-3
    for _ in range(20):
        state = model.state()
        q = pin.integrate(theirs, pin.neutral(theirs), 0.2 * rng.normal(size=theirs.nv))
        q[-1] = 0.02  # the finger, away from its limits
        state.q, state.v = q, 0.1 * rng.normal(size=theirs.nv)
        state.v[0] = 10.0  # dry friction of the shoulder is at its bound
        tau = rng.normal(size=theirs.nv)
        mass = pin.crba(theirs, data, q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        effects = pin.nonLinearEffects(theirs, data, q, state.v)
        damping = np.diag(theirs.damping)
        force = tau - effects - damping @ state.v - np.eye(theirs.nv)[0] * 0.05
        expected = state.v + dt * np.linalg.solve(mass + dt * damping, force)
        found = sim.step(model, state, tau, dt, options=sim.StepOptions(tolerance=1e-12))
        assert np.allclose(found.state.v, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_robots_of_example_robot_data_agree_with_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio", reason="it belongs to the packages of --bridges")
    prefix = [parent for parent in Path(pin.__file__).parents if parent.name == "cmeel.prefix"]
    robots = prefix[0] / "share" / "example-robot-data" / "robots" if prefix else Path("none")
    if not robots.is_dir():
        pytest.skip("example-robot-data is not installed: pip install example-robot-data")
    names = [
        "ur_description/urdf/ur5_robot.urdf",
        "panda_description/urdf/panda.urdf",
        "solo_description/robots/solo12.urdf",
        "go2_description/urdf/go2.urdf",
        "talos_data/robots/talos_reduced.urdf",
        "allegro_hand_description/urdf/allegro_right_hand.urdf",
    ]
    compared = 0
    for name in names:
        path = robots / name
        if not path.is_file():
            continue
        compared += 1
        theirs = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
        model = sim.load_urdf(path, base="free", geometries=False)
        assert (model.nq, model.nv) == (theirs.nq, theirs.nv), name
        data = theirs.createData()
        state = model.state()
        rng = np.random.default_rng(1)
        state.q = pin.integrate(theirs, pin.neutral(theirs), 0.1 * rng.normal(size=theirs.nv))
        state.v = rng.normal(size=theirs.nv)
        kinetic, potential = sim.energy(model, state)
        assert kinetic == pytest.approx(
            pin.computeKineticEnergy(theirs, data, state.q, state.v), rel=1e-12
        )
        assert potential == pytest.approx(
            pin.computePotentialEnergy(theirs, data, state.q), rel=1e-9, abs=1e-9
        )
        assert np.allclose(sim.com(model, state), pin.centerOfMass(theirs, data, state.q))
    assert compared >= 4
