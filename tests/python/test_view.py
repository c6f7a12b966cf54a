# SPDX-License-Identifier: BSD-2-Clause
"""The viewer without a browser: what it draws, recordings, pages, the command, and bad input."""

from __future__ import annotations

import base64
import io
import re
import socket
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tactum
from kinds import SHAPES
from scipy.spatial.transform import Rotation
from tactum import _view_mesh, view
from tactum.cli import main

G = 9.81


def at(*xyz: float) -> Any:
    return tactum.pose_matrix([*xyz, 0.0, 0.0, 0.0, 1.0])


# ------------------------------------------------------------------------------------ what is drawn
def received(socket: Any, quiet: float) -> tuple[int, int]:
    """Messages and bytes that come until none has come for that many seconds."""
    messages = size = 0
    while True:
        try:
            size += len(socket.recv(timeout=quiet))
        except TimeoutError:
            return messages, size
        messages += 1


def test_a_frame_of_a_thousand_objects_is_small() -> None:
    """What a page has to keep up with at 30 Hz, and the time that it leaves the process."""
    viser = pytest.importorskip("viser", reason="the viewer needs viser: pip install tactum[view]")
    from websockets.sync.client import connect

    rng, frames, count = np.random.default_rng(0), 20, 1000
    hulls = [tactum.Convex.from_points(0.05 * rng.normal(size=(20, 3))) for _ in range(10)]
    X = np.tile(np.eye(4), (count, 1, 1))
    X[:, :3, 3] = rng.uniform(-1.0, 1.0, size=(count, 3))
    with view.Viewer(port=0) as viewer:
        numbers = viewer.add_many([hulls[i % 10] for i in range(count)], X)
        address = viewer.url.replace("http", "ws")
        protocol = [f"viser-v{viser.__version__}"]
        with connect(address, subprotocols=protocol, max_size=None, compression=None) as page:  # type: ignore[list-item]
            received(page, 1.0)
            spent, messages, size = [], 0, 0
            for turn in Rotation.random(frames, random_state=1).as_matrix():
                X[:, :3, :3], X[:, :3, 3] = turn, X[:, :3, 3] + 0.01
                began = time.process_time()
                viewer.set_poses(numbers, X)
                got = received(page, 0.1)
                spent.append(time.process_time() - began)
                messages, size = messages + got[0], size + got[1]
    numbers_of_a_pose = 4 * (3 + 4)  # position and quaternion as float32
    assert count * numbers_of_a_pose <= size / frames < 1.3 * count * numbers_of_a_pose
    assert messages / frames <= 20
    assert np.median(spent) < 1.0 / 30.0, "of the process, all threads and this page together"


@pytest.mark.parametrize("kind", SHAPES)
def test_triangles_are_on_the_surface(kind: str) -> None:
    shape = SHAPES[kind]
    vertices, triangles = _view_mesh.triangles_of(shape, 1.0)
    distances = tactum.signed_distance(shape, np.eye(4), vertices.astype(np.float64))[0]
    thickness = _view_mesh.THIN if kind in ("point", "segment", "hull_point") else 0.0
    error = np.abs(distances - thickness).max()
    assert error < 1e-6 * max(1.0, float(np.abs(vertices).max()))
    assert triangles.max() < len(vertices)


def test_a_compound_is_all_its_parts() -> None:
    box, ball = tactum.Box(half_extents=(0.1, 0.1, 0.1)), tactum.Sphere(radius=0.2)
    both = tactum.Compound(parts=[(box, at(1.0, 0.0, 0.0)), (ball, at(-1.0, 0.0, 0.0))])
    vertices, triangles = _view_mesh.triangles_of(both)
    count = len(_view_mesh.triangles_of(box)[0])
    assert np.allclose(vertices[:count].mean(axis=0), [1.0, 0.0, 0.0], atol=1e-6)
    assert np.allclose(np.linalg.norm(vertices[count:] - [-1.0, 0.0, 0.0], axis=1), 0.2, atol=1e-6)
    assert triangles.max() == len(vertices) - 1
    with pytest.raises(TypeError, match="give a Shape"):
        _view_mesh.triangles_of("box")


def test_quaternions_are_those_of_scipy() -> None:
    turns = Rotation.random(500, random_state=3)
    half_turns = Rotation.from_rotvec(np.pi * np.concatenate([np.eye(3), -np.eye(3)]))
    for rotations in (turns, half_turns, Rotation.identity(2)):
        found = _view_mesh.quaternions(rotations.as_matrix())
        want = rotations.as_quat(scalar_first=True)
        assert np.allclose(np.abs((found * want).sum(axis=1)), 1.0, atol=1e-14)


def test_equal_shapes_travel_together() -> None:
    backend = view.NullBackend()
    viewer = view.Viewer(backend)
    balls = [tactum.Sphere(radius=0.1 if i % 2 else 0.2) for i in range(1000)]
    poses = np.tile(np.eye(4), (1000, 1, 1))
    poses[:, 0, 3] = np.arange(1000)
    numbers = viewer.add_many(balls, poses)
    assert numbers == list(range(1000)) and len(backend.bodies) == 2
    poses[:, 2, 3] = np.sin(np.arange(1000))
    viewer.set_poses(numbers, poses)
    assert backend.moves == 2, "a message for each shape, not for each object"
    assert np.array_equal(backend.bodies["/objects/0"]["positions"], poses[::2, :3, 3])
    assert np.array_equal(backend.bodies["/objects/1"]["positions"], poses[1::2, :3, 3])
    viewer.set_poses([3], at(0.0, 0.0, 9.0))
    assert backend.moves == 3 and backend.bodies["/objects/1"]["positions"][1, 2] == 9.0


def test_a_distance_is_points_normal_and_text() -> None:
    backend = view.NullBackend()
    with view.Viewer(backend) as viewer:
        a, b = tactum.Sphere(radius=1.0), tactum.Box(half_extents=(1.0, 1.0, 1.0))
        viewer.add(a, color=(1, 2, 3))
        viewer.add(b, at(3.0, 0.0, 0.0))
        viewer.show_distance(tactum.distance(a, at(0.0, 0.0, 0.0), b, at(3.0, 0.0, 0.0)))
    assert backend.bodies["/objects/0"]["colors"] == [(1, 2, 3)]
    assert np.allclose(backend.points["/distance/points"], [[1, 0, 0], [2, 0, 0]])
    assert np.allclose(backend.arrows["/distance/gap"], [[[1, 0, 0], [2, 0, 0]]])
    start, end = backend.arrows["/distance/normal"][0]
    assert np.allclose(np.cross(end - start, [1.0, 0.0, 0.0]), 0.0) and end[0] > start[0]
    assert "distance 1 m" in backend.text["/distance"] and "separated" in backend.text["/distance"]


@pytest.mark.parametrize("bounds", [(1.0, 1.25), (-0.2, 0.1), (1.0, np.inf), (-np.inf, np.inf)])
def test_bounds_are_ticks_along_the_normal(bounds: tuple[float, float]) -> None:
    backend, normal = view.NullBackend(), np.array([0.6, 0.0, 0.8])
    found = types.SimpleNamespace(
        distance=1.1,
        lower=bounds[0],
        upper=bounds[1],
        normal=normal,
        point_a=np.array([0.1, 0.2, 0.3]),
        point_b=np.array([0.1, 0.2, 0.3]) + 1.1 * normal,
        status=tactum.Status.separated,
    )
    viewer = view.Viewer(backend)
    viewer.add(tactum.Sphere(radius=1.0))
    viewer.show_distance(found)
    ticks = backend.arrows["/distance/bounds"]
    known = [bound for bound in bounds if np.isfinite(bound)]
    assert ticks.shape == (len(known), 2, 3), "a bound that is not known has no tick"
    along = (ticks - found.point_a) @ normal
    assert np.allclose(along, np.repeat(known, 2).reshape(-1, 2))
    assert np.allclose(np.linalg.norm(ticks[:, 1] - ticks[:, 0], axis=1), 0.1 * viewer._scale())


def test_contacts_of_a_scene_are_drawn() -> None:
    scene = tactum.Scene()
    scene.add(tactum.HalfSpace(), name="ground", static=True)
    scene.add(tactum.Box(half_extents=(0.1, 0.1, 0.1)), at(0.0, 0.0, 0.1), name="box")
    backend = view.NullBackend()
    viewer = view.Viewer(backend)
    viewer.add_scene(scene)
    contacts = scene.contacts(1e-3)
    viewer.show_contacts(contacts)
    assert "/contacts/forces" not in backend.arrows
    assert len(backend.points["/contacts/points"]) == len(contacts.point_a) == 4
    forces = np.tile([0.0, 0.0, 5.0], (4, 1))
    viewer.show_contacts(contacts, forces, per_newton=0.01)
    arrows = backend.arrows["/contacts/forces"]
    assert np.allclose(arrows[:, 1] - arrows[:, 0], [0.0, 0.0, 0.05])


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda v: v.add_many([tactum.Sphere(radius=1.0)], np.zeros((2, 4, 4))), "X"),
        (lambda v: v.add(tactum.Sphere(radius=1.0), np.full((4, 4), np.nan)), "X"),
        (lambda v: v.set_poses([0], np.full((4, 4), np.inf)), "X"),
        (lambda v: v.set_poses([7], np.eye(4)), "numbers"),
        (lambda v: v.set_poses([0, 0], np.zeros((3, 4, 4))), "numbers"),
    ],
)
def test_bad_input(call: Any, field: str) -> None:
    viewer = view.Viewer(view.NullBackend())
    viewer.add(tactum.Sphere(radius=1.0))
    with pytest.raises(tactum.InvalidInput, match=field):
        call(viewer)
    assert np.array_equal(viewer.poses, np.eye(4)[None])


# --------------------------------------------------------------------------------------- recordings
def test_moments_have_one_frame_each() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        count = int(rng.integers(1, 300))
        gaps = rng.exponential(0.02, size=count)
        time = np.cumsum(gaps)
        chosen = view.chosen_moments(time, 30.0)
        assert chosen[0] == 0 and chosen[-1] == count - 1 and (np.diff(chosen) > 0).all()
        # no two but the last are in one frame, and every frame that has a state is there
        frames = np.floor((time - time[0]) * 30.0 + 1e-9)
        assert len(set(frames[chosen])) >= len(chosen) - 1
        assert set(frames[chosen]) == set(frames)


def motion(count: int = 7) -> dict[str, Any]:
    poses = np.tile(np.eye(4), (count, 2, 1, 1))
    poses[:, 1, 2, 3] = np.linspace(0.0, 1.0, count)
    return {
        "geometries": [tactum.Sphere(radius=0.3), tactum.Box(half_extents=(0.2, 0.2, 0.2))],
        "poses": poses,
        "time": np.linspace(0.0, 0.6, count),
    }


def test_a_recording_draws_each_moment() -> None:
    backend = view.NullBackend()
    page = view.record(motion()).to_html(backend=backend)
    assert "7 frames" in page and backend.moves == 14
    assert np.allclose(backend.bodies["/objects/1"]["positions"], [[0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"time": np.zeros(3)}, "poses"),
        ({"time": np.full(7, np.nan)}, "time"),
        ({"time": np.arange(7)[::-1]}, "time"),
        ({"poses": np.zeros((7, 1, 4, 4))}, "poses"),
        ({"poses": np.full((7, 2, 4, 4), np.inf)}, "poses"),
        ({"time": np.zeros(0), "poses": np.zeros((0, 2, 4, 4))}, "time"),
    ],
)
def test_a_recording_that_does_not_go_together(change: dict[str, Any], field: str) -> None:
    with pytest.raises(tactum.InvalidInput, match=field):
        view.record(motion() | change)


def test_a_large_page_is_warned_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(view, "LARGE_FILE", 10)
    with pytest.warns(UserWarning, match="fewer frames"):
        view.record(motion()).to_html(tmp_path / "a.html", backend=view.NullBackend())
    assert (tmp_path / "a.html").is_file()


def falling_box() -> tuple[Any, Any]:
    sim = pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.5)
    builder.add_body(tactum.Box(half_extents=(0.1, 0.1, 0.1)), mass=2.0, X=at(0.0, 0.0, 0.15))
    model = builder.build()
    return model, sim.rollout(model, model.state(), np.zeros((300, 6)), dt=2e-3)


def test_a_trajectory_comes_with_its_contact_forces() -> None:
    model, trajectory = falling_box()
    shown = view.record(trajectory)
    assert 18 <= len(shown) <= 20 and shown.poses.shape[1:] == (2, 4, 4)
    assert np.allclose(shown.poses[-1], model.geometry_poses(trajectory.q[-1]))
    counts = np.diff(shown.offsets)
    assert counts[0] == 0 and counts[-2] == 4
    # at rest the ground carries the weight
    rows = slice(shown.offsets[-3], shown.offsets[-2])
    assert np.allclose(shown.forces[rows].sum(axis=0), [0.0, 0.0, 2.0 * G], atol=1e-4)
    lengths = np.linalg.norm(shown.arrows(slice(None)), axis=1)
    assert lengths.max() <= shown.radius * (1.0 + 1e-12) and np.median(lengths) > 0.2 * shown.radius
    assert np.allclose(np.cross(shown.arrows(rows), shown.forces[rows]), 0.0)
    bare = view.record(trajectory.q, model, time=2e-3 * np.arange(301), contacts=False)
    assert np.array_equal(bare.poses, shown.poses) and len(bare.points) == 0
    backend = view.NullBackend()
    view.Viewer(backend).play(shown)
    assert np.allclose(backend.bodies["/objects/1"]["positions"], trajectory.q[-1, :3])


def test_pictures_of_a_simulation_show_it() -> None:
    model, _ = falling_box()
    from tactum import _sim_record

    record = _sim_record.run(model, model.state(), 20, 5e-3)
    for _, picture in _sim_record.strip(record, 2, (60, 80)):
        ground = np.isclose(picture, picture[0, 0]).all(axis=2)
        assert 0.05 < 1.0 - ground.mean() < 0.9, "the box takes a good part of the picture"


def test_a_motion_without_its_model_or_time_is_refused() -> None:
    model, trajectory = falling_box()
    with pytest.raises(tactum.InvalidInput, match="model"):
        view.record(trajectory.q)
    with pytest.raises(tactum.InvalidInput, match="time"):
        view.record(trajectory.q, model)
    with pytest.raises(tactum.InvalidInput, match="motion"):
        view.record(trajectory.v, model, time=np.arange(301))
    with pytest.raises(tactum.InvalidInput, match="frames_per_second"):
        view.record(trajectory, frames_per_second=0.0)
    with pytest.raises(tactum.InvalidInput, match="time"):
        view.record(trajectory, time=np.arange(3))


# -------------------------------------------------------------------------------------------- viser
@pytest.fixture
def viser() -> Any:
    return pytest.importorskip("viser", reason="the viewer needs viser: pip install tactum[view]")


def unpack(page: str) -> dict[str, Any]:
    """The messages inside a page."""
    import msgspec
    import zstandard

    (data,) = re.findall(r'__VISER_EMBED_DATA__="([^"]*)"', page)
    packed = base64.b64decode(data)
    inner = zstandard.ZstdDecompressor().decompress(
        packed[8:], max_output_size=int.from_bytes(packed[:8], "little")
    )
    length = int.from_bytes(inner[:8], "little")
    return dict(msgspec.msgpack.decode(inner[8 : 8 + length]))


def test_a_page_holds_transforms_and_no_links(viser: Any, tmp_path: Path) -> None:
    path = tmp_path / "motion.html"
    page = view.record(motion()).to_html(path)
    assert path.read_text(encoding="utf-8") == page
    assert not re.search(r'<(script|link|img)[^>]+(src|href)="?(https?:)?//', page)
    content = unpack(page)
    assert content["durationSeconds"] == pytest.approx(0.6 + 1.0 / 30.0)
    kinds = [message["type"] for _, message in content["messages"]]
    assert sum("BatchedMeshes" in kind for kind in kinds) == 2, "a mesh travels once"
    times = sorted({time for time, _ in content["messages"]})
    assert np.allclose(times, np.linspace(0.0, 0.6, 7))
    longer = view.record(motion(107)).to_html()
    assert len(longer) - len(page) < 100 * 600, "a frame is a few numbers for each object"


def test_a_notebook_shows_a_recording(viser: Any) -> None:
    assert view.record(motion())._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html')
    with view.Viewer(port=0) as viewer:
        assert f'src="{viewer.url}"' in viewer._repr_html_()
    assert "0 objects" in view.Viewer(view.NullBackend())._repr_html_()


def test_a_port_in_use_is_refused(viser: Any) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        with pytest.raises(tactum.InvalidInput, match=f"port: got {port} .*in use"):
            view.Viewer(port=port)
        assert main(["view", __file__, "--port", str(port)]) == 2
    with view.Viewer(port=port) as viewer:
        assert viewer.url.endswith(f":{port}")
        with view.Viewer() as other:
            assert other.url != viewer.url
    with view.Viewer(port=port) as again:
        assert again.url.endswith(f":{port}"), "a viewer that is closed leaves its port"
    with pytest.raises(tactum.InvalidInput, match="65535"):
        view.Viewer(port=70000)


def timeline(seconds_per_frame: float, frames: int) -> tuple[Any, list[int]]:
    """A backend that plays, and the moments that it has drawn."""
    from tactum._view_viser import ViserBackend

    backend, drawn = ViserBackend(port=0), list[int]()
    backend.play(seconds_per_frame * np.arange(frames), drawn.append)
    return backend, drawn


def wait_for(condition: Any, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.01)


def test_a_timeline_plays_and_begins_anew(viser: Any) -> None:
    backend, drawn = timeline(0.05, 8)
    try:
        wait_for(lambda: len(drawn) > 3 and 0 in drawn[3:])
        turns = np.diff(drawn)
        assert drawn[0] == 0 and set(drawn) <= set(range(8)) and max(drawn) > 3
        assert (turns < 0).sum() <= 2, "forward, but for the end"
    finally:
        backend.close()


def test_a_timeline_goes_on_where_somebody_dragged_it(viser: Any) -> None:
    # a moment lasts 100 s: only the hand moves the slider
    backend, drawn = timeline(100.0, 9)
    try:
        slider = backend._handles["timeline"]
        slider.value = 5  # what the page sends when it is dragged ends in the same setter
        wait_for(lambda: drawn[-1] == 5)
        time.sleep(0.5)  # some turns of the clock
        assert slider.value == 5 and drawn[-1] == 5
    finally:
        backend.close()


def test_nothing_is_printed(viser: Any, capfd: pytest.CaptureFixture[str]) -> None:
    with view.Viewer(port=0) as viewer:
        viewer.add(tactum.Sphere(radius=1.0))
        viewer.show_points("/p", np.zeros((0, 3)))
        viewer.show_arrows("/a", np.zeros((2, 3)), np.ones((2, 3)))
        viewer.show_arrows("/a", np.zeros((0, 3)), np.zeros((0, 3)))
        viewer.backend.remove("/a")
        viewer.backend.remove("/nothing")
    viewer.close()
    assert capfd.readouterr() == ("", "")


def test_without_viser_it_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['viser'] = None\n"
        "from tactum import view; from tactum.cli import main\n"
        "view.Viewer(view.NullBackend())\n"
        "assert main(['view', 'x.obj']) == 2 and main(['play']) == 2\n"
        "view.Viewer()\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert shown.stderr.count("pip install 'tactum[view]'") == 3, shown.stderr


# -------------------------------------------------------------------------------------- the command
CUBE = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 3 1 4
"""
ROBOT = """<robot name="arm"><link name="base"><collision><geometry><box size="1 1 1"/></geometry>
</collision></link></robot>"""
MUJOCO = """<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""


def files(folder: Path) -> dict[str, Path]:
    scene = tactum.Scene()
    scene.add(tactum.Sphere(radius=1.0), name="ball")
    scene.save(str(folder / "a.scene"))
    for name, text in (("a.obj", CUBE), ("a.urdf", ROBOT), ("a.xml", MUJOCO)):
        (folder / name).write_text(text)
    return {path.suffix: path for path in folder.iterdir()}


@pytest.mark.parametrize("suffix", [".obj", ".scene", ".urdf", ".xml"])
def test_every_kind_of_file_is_shown(viser: Any, suffix: str, tmp_path: Path) -> None:
    if suffix in (".urdf", ".xml"):
        pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")
    page = tmp_path / "out.html"
    assert main(["view", str(files(tmp_path)[suffix]), "--html", str(page)]) == 0
    kinds = [message["type"] for _, message in unpack(page.read_text())["messages"]]
    assert any("BatchedMeshes" in kind for kind in kinds)


def test_a_recorded_simulation_is_shown(viser: Any, tmp_path: Path) -> None:
    pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")
    npz, page = tmp_path / "fall.npz", tmp_path / "fall.html"
    scene = str(files(tmp_path)[".scene"])
    run = ["simulate", scene, "--ground", "--seconds", "0.5", "--dt", "0.005", "--record", str(npz)]
    assert main(run) == 0
    assert main(["view", str(npz), "--html", str(page)]) == 0
    assert unpack(page.read_text())["durationSeconds"] == pytest.approx(0.5 + 1.0 / 30.0)
    good = npz.read_bytes()
    for bad in (good[:200], b"", b"text"):
        npz.write_bytes(bad)
        assert main(["view", str(npz), "--html", str(page)]) == 2
    arrays = dict(np.load(io.BytesIO(good)))
    for change in (
        {"contact_offsets": arrays["contact_offsets"][:-1]},
        {"contact_offsets": arrays["contact_offsets"] + 1},
        {"q": arrays["q"][:, :3]},
        {"model": np.array("no model")},
        {"model": np.zeros(3)},
        {"time": -arrays["time"]},
        {"contact_point": np.full_like(arrays["contact_point"], np.nan)},
    ):
        np.savez(npz, **(arrays | change))
        assert main(["view", str(npz), "--html", str(page)]) == 2, change


def test_the_command_refuses_what_it_cannot_show(viser: Any, tmp_path: Path) -> None:
    empty = tmp_path / "empty.scene"
    tactum.Scene().save(str(empty))
    (tmp_path / "bad.obj").write_text("f 1 2 3\n")
    for name in ("nowhere.obj", "nowhere.scene", "nowhere.npz", "empty.scene", "bad.obj"):
        assert main(["view", str(tmp_path / name), "--html", str(tmp_path / "x.html")]) == 2
    assert not (tmp_path / "x.html").exists()


def test_the_command_serves_until_it_is_told_to_end(
    viser: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(files(tmp_path)[".obj"])
    assert main(["view", path, "--port", "0", "--seconds", "0.1"]) == 0
    assert re.search(r"http://127\.0\.0\.1:\d+ ", capsys.readouterr().out)
