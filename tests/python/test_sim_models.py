# SPDX-License-Identifier: BSD-2-Clause
"""Loops, models of Pinocchio, saved states, scenes, reports and the command line of the simulator."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tactum
from tactum import cli

sim = pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")

DATA = Path(__file__).resolve().parents[1] / "data"
ARM, LEGS = DATA / "robots" / "arm.urdf", DATA / "robots" / "legs.xml"
BOX = tactum.Box(half_extents=(0.1, 0.1, 0.1))


def at(x: float, y: float, z: float) -> tuple[np.ndarray, list[float]]:
    return np.eye(3), [x, y, z]


def test_a_connection_hangs_a_box() -> None:
    builder = sim.ModelBuilder()
    body = builder.add_body(BOX, mass=2.0, X=at(0, 0, -0.1))
    builder.add_connection(body, 0, (0, 0, 0.1))
    model = builder.build()
    assert model.num_closures == 1
    result = sim.step(model, model.state(), dt=1e-3)
    assert result.closure_force.shape == (1, 6)
    assert result.closure_force[0, 2] == pytest.approx(-2 * 9.81, rel=1e-6)  # on the world
    assert np.allclose(result.state.q, model.state().q, atol=1e-9)


def test_a_weld_and_a_coupling() -> None:
    builder = sim.ModelBuilder()
    builder.add_urdf(ARM, [DATA])
    ball = builder.add_body(tactum.Sphere(radius=0.1), mass=1.0, X=at(5, 0, 0))
    builder.add_weld(0, ball)
    builder.add_coupling("elbow_a", "shoulder", ratio=-1.0)
    model = builder.build()
    state = model.state()
    start = sim.rollout(model, state, np.zeros((200, model.nv)), dt=1e-3).state
    assert start.q[1] == pytest.approx(-start.q[0], abs=1e-6)
    assert np.allclose(model.body_poses(start.q)[ball][:3, 3], [5, 0, 0], atol=1e-6)
    with pytest.raises(tactum.InvalidInput, match="joint_a"):
        builder.add_coupling("nobody")
    with pytest.raises(tactum.InvalidInput, match="body_b"):
        builder.add_weld(0, 99)


@pytest.mark.parametrize("how", ["file", "pickle"])
def test_a_state_goes_on_with_the_same_bits(how: str, tmp_path: Path) -> None:
    model = sim.load_mjcf(LEGS)
    controls = np.zeros((80, model.nv))
    half = sim.rollout(model, model.state(), controls, dt=2e-3).state
    if how == "file":
        half.save(tmp_path / "half.state")
        again = sim.State.load(tmp_path / "half.state")
    else:
        again = pickle.loads(pickle.dumps(half))
    expected = sim.rollout(model, half, controls, dt=2e-3)
    found = sim.rollout(model, again, controls, dt=2e-3)
    assert np.array_equal(found.q, expected.q) and np.array_equal(found.v, expected.v)


def test_options_are_pickled() -> None:
    options = sim.StepOptions(tolerance=1e-5, slop=2e-5, warm_start=False)
    again = pickle.loads(pickle.dumps(options))
    assert (again.tolerance, again.slop, again.warm_start) == (1e-5, 2e-5, False)


def test_a_scene_becomes_a_model() -> None:
    scene = tactum.Scene()
    scene.add(tactum.HalfSpace(), name="ground")
    scene.add(BOX, at(0, 0, 0.1), name="box")
    builder = sim.ModelBuilder()
    builder.add_scene(scene, density=1000.0)
    model = builder.build()
    result = sim.step(model, model.state(), dt=1e-3)
    (row,) = sim.contact_report(model, result)
    assert row["bodies"] == ("world", "box") and row["points"] == 4
    assert row["force"][2] == pytest.approx(8.0 * 9.81, rel=1e-6)
    with pytest.raises(TypeError, match="scene"):
        builder.add_scene(BOX)


def test_progress_is_told_and_may_end_the_work() -> None:
    model = sim.load_mjcf(LEGS)
    told: list[tuple[int, int]] = []
    sim.rollout(
        model, model.state(), np.zeros((50, model.nv)), progress=lambda *now: told.append(now)
    )
    assert told[-1] == (50, 50) and told == sorted(told)

    def stop(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        sim.rollout(model, model.state(), np.zeros((50, model.nv)), progress=stop)


def test_ctrl_c_ends_a_rollout() -> None:
    # in a process of its own, because signals reach the main thread alone
    code = f"""
import numpy as np, os, signal, threading
from tactum import sim
signal.signal(signal.SIGINT, signal.default_int_handler)
model = sim.load_mjcf({str(LEGS)!r})
threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    sim.rollout(model, model.state(), np.zeros((10_000_000, model.nv)), dt=1e-3)
except KeyboardInterrupt:
    print("interrupted")
"""
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert shown.stdout.strip() == "interrupted", shown.stderr[-2000:]


def test_meshes_can_stay_as_they_are() -> None:
    hull = sim.load_mjcf(LEGS)
    exact = sim.load_mjcf(LEGS, meshes="exact")
    kinds = [type(exact.geometry(i)).__name__ for i in range(exact.num_geometries)]
    assert "Mesh" in kinds
    assert all(type(hull.geometry(i)).__name__ != "Mesh" for i in range(hull.num_geometries))
    with pytest.raises(tactum.InvalidInput, match="meshes"):
        sim.load_mjcf(LEGS, meshes="parts")


URDF = """<robot name="arm"><link name="base"/>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/>
<origin xyz="0 0 1" rpy="0 0 0.4"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="0.3" effort="50" velocity="9"/><dynamics damping="0.2" friction="0.1"/></joint>
<link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.1 0.1"/></geometry></collision></link>
<joint name="b" type="prismatic"><parent link="upper"/><child link="tip"/>
<origin xyz="0.4 0 0" rpy="0.5 0 0"/><axis xyz="1 0 0"/>
<limit lower="0" upper="0.2" effort="50" velocity="9"/></joint>
<link name="tip"><inertial><mass value="0.5"/>
<inertia ixx="0.001" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.08"/></geometry></collision></link></robot>"""
MJCF = """<mujoco><compiler angle="radian" inertiafromgeom="false"/><option gravity="0 0 -9.81"/>
<worldbody><body name="upper" pos="0 0 1" euler="0 0 0.4">
<joint name="a" axis="0 1 0" range="-2 0.3" damping="0.2" frictionloss="0.1"/>
<inertial pos="0.2 0 0" mass="2" diaginertia="0.01 0.03 0.03"/>
<geom type="box" size="0.2 0.05 0.05" pos="0.2 0 0" friction="0.8"/>
<body name="tip" pos="0.4 0 0" euler="0.5 0 0"><joint name="b" type="slide" axis="1 0 0" range="0 0.2"/>
<inertial pos="0 0 0" mass="0.5" diaginertia="0.001 0.002 0.002"/>
<geom type="sphere" size="0.08" friction="0.8"/></body></body></worldbody></mujoco>"""


def test_the_same_robot_from_urdf_and_mjcf_agrees(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF, encoding="utf-8")
    (tmp_path / "arm.xml").write_text(MJCF, encoding="utf-8")
    ends = []
    for name in ("arm.urdf", "arm.xml"):
        builder = sim.ModelBuilder()
        builder.add_ground(friction=0.8, offset=0.8)
        if name.endswith("urdf"):
            builder.add_urdf(tmp_path / name, friction=0.8)
        else:
            builder.add_mjcf(tmp_path / name)
        model = builder.build()
        assert model.names == ["a", "b"]
        state = model.state()
        state.q, state.v = [-0.2, 0.05], [0.5, 0.3]
        trajectory = sim.rollout(model, state, np.zeros((800, 2)), dt=1e-3)
        result = sim.step(model, trajectory.state, dt=1e-3)
        assert len(result.contacts) > 0  # it has fallen onto the ground, and its limits held
        ends.append(trajectory.q)
    assert np.abs(ends[0][:, 1]).max() <= 0.2 + 1e-6
    assert np.allclose(ends[0], ends[1], atol=1e-6)


# ------------------------------------------------------------------------------- Pinocchio's models
def test_a_model_of_pinocchio_steps_as_its_urdf() -> None:
    pin = pytest.importorskip("pinocchio", reason="it belongs to the packages of --bridges")
    theirs = pin.buildModelFromUrdf(str(ARM))
    ours = sim.from_pinocchio(theirs)
    same = sim.load_urdf(ARM, [DATA], geometries=False)
    assert ours.names == same.names and (ours.nq, ours.nv) == (same.nq, same.nv)
    rng = np.random.default_rng(3)
    q = pin.integrate(theirs, pin.neutral(theirs), 0.1 * rng.normal(size=theirs.nv))
    v, tau = rng.normal(size=theirs.nv), rng.normal(size=theirs.nv)
    results = []
    for model in (ours, same):
        state = model.state()
        state.q, state.v = q, v
        results.append(sim.step(model, state, tau, 1e-3).state)
    assert np.allclose(results[0].v, results[1].v, rtol=0, atol=1e-9)
    assert np.allclose(results[0].q, results[1].q, rtol=0, atol=1e-12)


def test_geometries_of_pinocchio_collide_as_their_pairs_say() -> None:
    pin = pytest.importorskip("pinocchio", reason="it belongs to the packages of --bridges")
    model = pin.buildSampleModelManipulator()
    geometry = pin.buildSampleGeometryModelManipulator(model)
    ours = sim.from_pinocchio(model, geometry, friction=0.5)
    assert ours.num_geometries == len(geometry.geometryObjects)
    geometry.addCollisionPair(pin.CollisionPair(0, 3))
    one = sim.from_pinocchio(model, geometry)
    meeting = [
        (i, j)
        for i in range(one.num_geometries)
        for j in range(i + 1, one.num_geometries)
        if one.may_meet(i, j)
    ]
    assert meeting == [(0, 3)]
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.5)
    assert sim.from_pinocchio(model, geometry, builder=builder).num_geometries == (
        one.num_geometries + 1
    )


def test_what_pinocchio_has_and_we_have_not_is_named() -> None:
    pin = pytest.importorskip("pinocchio", reason="it belongs to the packages of --bridges")
    model = pin.Model()
    model.addJoint(0, pin.JointModelSphericalZYX(), pin.SE3.Identity(), "odd")
    with pytest.raises(tactum.InvalidInput, match="odd"):
        sim.from_pinocchio(model)
    with pytest.raises(TypeError, match="model"):
        sim.from_pinocchio(BOX)
    with pytest.raises(TypeError, match="geometry_model"):
        sim.from_pinocchio(pin.Model(), BOX)


# -------------------------------------------------------------------------------- the command line
def test_simulate_prints_and_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, picture = tmp_path / "legs.npz", tmp_path / "legs.png"
    words = ["simulate", str(LEGS), "--seconds", "0.1", "--record", str(record), "--json"]
    if pytest.importorskip("matplotlib", reason="for pictures"):
        words += ["--plot", str(picture)]
    assert cli.main(words) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["steps"] == 100 and report["nv"] == sim.load_mjcf(LEGS).nv
    assert picture.stat().st_size > 10_000
    with np.load(record, allow_pickle=False) as saved:
        assert saved["q"].shape[0] == 101 and saved["energy"].shape == (101, 2)
        assert saved["contact_offsets"][-1] == len(saved["contact_force"])
        model = sim.load_mjcf(LEGS)
        expected = sim.rollout(model, model.state(), np.zeros((100, model.nv)), dt=1e-3)
        assert np.array_equal(saved["q"], expected.q)


def test_simulate_takes_every_kind_of_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = tactum.Scene()
    scene.add(tactum.HalfSpace())
    scene.add(BOX, at(0, 0, 0.3))
    scene.save(str(tmp_path / "box.scene"))
    sim.load_mjcf(LEGS).save(tmp_path / "legs.model")
    short = ["--seconds", "0.01"]
    for words in (
        [str(ARM), "--package-dir", str(DATA), "--base", "fixed"],
        [str(ARM), "--package-dir", str(DATA), "--ground", "0.5"],
        [str(tmp_path / "box.scene")],
        [str(tmp_path / "legs.model")],
    ):
        assert cli.main(["simulate", *words, *short]) == 0
        assert "10 to 0.01 s" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["nothing.urdf"],
        [str(LEGS), "--dt", "0"],
        [str(LEGS), "--seconds", "-1"],
        [str(LEGS), "--solver", "magic"],
        [str(DATA / "robots" / "tetrahedron.obj")],
    ],
)
def test_simulate_refuses_what_it_cannot_do(words: list[str]) -> None:
    assert cli.main(["simulate", *words]) == 2
