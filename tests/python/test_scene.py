# SPDX-License-Identifier: BSD-2-Clause
"""Scenes in Python: against single queries, files, pickles, threads, bad input, the command
line."""

from __future__ import annotations

import copy
import json
import pickle
import threading
from pathlib import Path

import numpy as np
import pytest
import tactum
from tactum.cli import main


def at(*translation: float) -> np.ndarray:
    X = np.eye(4)
    X[:3, 3] = translation
    return X


def random_pose(generator: np.random.Generator, half: float) -> np.ndarray:
    quaternion = generator.normal(size=4)
    return tactum.pose_matrix(
        [*generator.uniform(-half, half, 3), *(quaternion / np.linalg.norm(quaternion))]
    )


def random_scene(count: int, half: float, seed: int = 0) -> tactum.Scene:
    generator = np.random.default_rng(seed)
    kinds = [
        tactum.Sphere(radius=0.2),
        tactum.Box(half_extents=(0.1, 0.2, 0.3)),
        tactum.Cylinder(radius=0.2, half_length=0.1),
        tactum.Convex.from_points(generator.normal(size=(30, 3)) * 0.15),
        tactum.Compound(
            parts=[
                (tactum.Sphere(radius=0.1), at(0.2, 0, 0)),
                (tactum.Box(half_extents=(0.2, 0.05, 0.05)), at(0, 0, 0)),
            ]
        ),
    ]
    scene = tactum.Scene()
    for i in range(count):
        scene.add(kinds[i % len(kinds)], random_pose(generator, half), name=f"object {i}")
    return scene


def test_distances_are_those_of_single_queries() -> None:
    scene = random_scene(40, 0.8)
    r = scene.distances(margin=0.1)
    found = {tuple(pair): d for pair, d in zip(r.pairs.tolist(), r.distance.tolist(), strict=True)}
    ids = scene.ids.tolist()
    expected = {}
    for i in ids:
        for j in ids:
            if i < j:
                d = tactum.distance(
                    scene.shape(i), scene.pose(i), scene.shape(j), scene.pose(j)
                ).distance
                if d <= 0.1:
                    expected[i, j] = d
    assert found.keys() == expected.keys() and len(expected) > 20
    np.testing.assert_allclose([found[k] for k in expected], list(expected.values()), atol=1e-10)
    np.testing.assert_allclose(r.point_b - r.point_a, r.distance[:, None] * r.normal, atol=1e-9)
    assert np.all(r.lower <= r.distance) and np.all(r.distance <= r.upper)
    assert len(r) == len(expected) and r.parts.shape == (len(r), 2)


def test_contacts_of_a_stack() -> None:
    scene = tactum.Scene()
    scene.add(tactum.HalfSpace(), name="ground")
    for i in range(3):
        scene.add(tactum.Box(half_extents=(0.5, 0.5, 0.1)), at(0, 0, 0.1 + 0.2 * i))
    contacts = scene.contacts(margin=1e-6)
    assert contacts.pairs.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert contacts.offsets.tolist() == [0, 4, 8, 12]
    assert contacts.pair.tolist() == [[0, 1]] * 4 + [[1, 2]] * 4 + [[2, 3]] * 4
    np.testing.assert_allclose(contacts.distance, 0, atol=1e-12)
    np.testing.assert_allclose(contacts.normal, np.tile([0, 0, 1], (12, 1)), atol=1e-12)
    assert contacts.feature_id.dtype == np.uint64 and len(np.unique(contacts.feature_id[:4])) == 4
    assert len(scene.contacts(margin=1e-6, max_points=2)) == 6


def test_groups_masks_and_ids() -> None:
    scene = tactum.Scene()
    ball = tactum.Sphere(radius=1.0)
    a = scene.add(ball, group=1, mask=2)
    b = scene.add(ball, group=2, mask=1)
    c = scene.add(ball, group=1, mask=0xFFFFFFFF)
    assert scene.pairs().tolist() == [[a, b], [b, c]]
    assert (scene.group(b), scene.mask(b), scene.name(c)) == (2, 1, "")
    scene.remove(a)
    assert a not in scene and len(scene) == 2 and scene.ids.tolist() == [b, c]
    assert (
        scene.add(ball, name="again") == a
        and scene.find("again") == a
        and scene.find("none") is None
    )


def test_moves() -> None:
    scene = random_scene(30, 0.6)
    generator = np.random.default_rng(5)
    X = np.stack([random_pose(generator, 0.6) for _ in range(30)])
    single = copy.copy(scene)
    scene.set_poses(scene.ids, X)
    for i in range(30):
        single.set_pose(i, X[i])
    assert scene.pairs(0.05).tolist() == single.pairs(0.05).tolist()
    np.testing.assert_array_equal(scene.pose(7), X[7])
    before = scene.to_text()
    for ids, poses, field in (
        ([0, 99], X[:2], "ids[1]"),
        ([0, 1], X[:3], "X"),
        ([0, 1], np.full((2, 4, 4), np.nan), "X[0]"),
    ):
        with pytest.raises(tactum.InvalidInput) as caught:
            scene.set_poses(ids, poses)
        assert str(caught.value).startswith(field)
    assert scene.to_text() == before


def test_files_copies_and_pickles(tmp_path: Path) -> None:
    scene = random_scene(20, 0.5)
    scene.remove(4)
    path = tmp_path / "a.scene"
    scene.save(path)
    text = scene.to_text()
    assert path.read_text() == text
    for same in (
        tactum.Scene.load(path),
        tactum.Scene.from_text(text),
        pickle.loads(pickle.dumps(scene)),
        copy.copy(scene),
        copy.deepcopy(scene),
    ):
        assert same.to_text() == text
        np.testing.assert_allclose(
            same.distances(0.05).distance, scene.distances(0.05).distance, atol=1e-10
        )
    other = copy.copy(scene)
    other.remove(0)
    assert 0 in scene
    with pytest.raises(tactum.InvalidInput, match="line 1"):
        tactum.Scene.from_text("tactum-scene 99\n")
    with pytest.raises(FileNotFoundError):
        tactum.Scene.load(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        tactum.Scene.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        scene.save(tmp_path / "none" / "a.scene")
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 4)
    with pytest.raises(tactum.InvalidInput, match="scene file, line 1"):
        tactum.Scene.load(tmp_path / "binary")
    path.write_text(text[: len(text) // 2])
    with pytest.raises(tactum.InvalidInput, match="scene file, line"):
        tactum.Scene.load(path)


def test_rays() -> None:
    scene = tactum.Scene()
    near = scene.add(tactum.Sphere(radius=0.5), at(2, 0, 0))
    scene.add(tactum.Sphere(radius=0.5), at(5, 0, 0))
    hits = scene.raycast([[0, 0, 0], [0, 0, 0]], [[1, 0, 0], [0, 1, 0]])
    assert hits.id.tolist() == [near, -1] and len(hits) == 2
    assert hits.distance[0] == pytest.approx(1.5, abs=1e-10) and np.isinf(hits.distance[1])
    assert scene.raycast([0, 0, 0], [1, 0, 0], max_distance=1.0).id.tolist() == [-1]
    with pytest.raises(tactum.InvalidInput, match="directions"):
        scene.raycast(np.zeros((2, 3)), np.ones((3, 3)))


def test_same_bits_for_any_number_of_threads() -> None:
    answers = []
    for threads in (1, 2, 5):
        scene = random_scene(60, 0.6)
        answers.append(scene.contacts(0.05, num_threads=threads))
    for r in answers[1:]:
        for field in ("pairs", "offsets", "point_a", "normal", "distance", "feature_id"):
            np.testing.assert_array_equal(getattr(r, field), getattr(answers[0], field))


def test_many_threads_share_one_scene() -> None:
    scene = random_scene(60, 0.6)
    expected = scene.distances(0.05).pairs.tolist()
    failures: list[object] = []

    def work() -> None:
        for _ in range(20):
            if scene.distances(0.05).pairs.tolist() != expected:
                failures.append("different")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize(
    ("call", "error", "field"),
    [
        (lambda s: s.add("ball"), TypeError, "shape"),
        (lambda s: s.add(tactum.Sphere(radius=1.0), np.zeros((4, 4))), tactum.InvalidInput, "X"),
        (lambda s: s.add(tactum.Sphere(radius=1.0), group=-1), tactum.InvalidInput, "group"),
        (lambda s: s.add(tactum.Sphere(radius=1.0), mask=1 << 32), tactum.InvalidInput, "mask"),
        (lambda s: s.add(tactum.Sphere(radius=1.0), mask=1.5), TypeError, "mask"),
        (lambda s: s.add(tactum.Sphere(radius=1.0), name="a\nb"), tactum.InvalidInput, "name"),
        (lambda s: s.add(tactum.Sphere(radius=1.0), name="\ud800"), tactum.InvalidInput, "name"),
        (lambda s: s.add(tactum.Sphere(radius=1.0), name=b"a"), TypeError, "name"),
        (lambda s: s.remove(77), tactum.InvalidInput, "id"),
        (lambda s: s.pose("a"), TypeError, "id"),
        (lambda s: s.pairs(-1.0), tactum.InvalidInput, "margin"),
        (lambda s: s.distances(np.nan), tactum.InvalidInput, "margin"),
        (lambda s: s.distances(tolerance=2.0), tactum.InvalidInput, "tolerance"),
        (lambda s: s.contacts(max_points=0), tactum.InvalidInput, "max_points"),
        (lambda s: s.contacts(num_threads=-1), tactum.InvalidInput, "num_threads"),
        (lambda s: s.save(3), TypeError, "path"),
    ],
)
def test_bad_input_is_named_and_changes_nothing(
    call: object, error: type[Exception], field: str
) -> None:
    scene = random_scene(5, 0.5)
    before = scene.to_text()
    with pytest.raises(error) as caught:
        call(scene)  # type: ignore[operator]
    assert str(caught.value).startswith(field)
    assert scene.to_text() == before


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = tactum.Scene()
    scene.add(tactum.HalfSpace(), name="ground")
    scene.add(tactum.Box(half_extents=(0.5, 0.5, 0.1)), at(0, 0, 0.1), name="box")
    scene.add(tactum.Sphere(radius=0.1), at(0, 0, 2))
    path = str(tmp_path / "a.scene")
    scene.save(path)
    assert main(["scene", path, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["objects"] == 3 and report["kinds"] == {"Box": 1, "HalfSpace": 1, "Sphere": 1}
    assert [(p["a"], p["b"], p["contacts"]) for p in report["pairs"]] == [("ground", "box", 4)]
    assert main(["scene", path, "--margin", "3"]) == 0
    assert "ground" in capsys.readouterr().out
    assert main(["distance", "--scene", path, "box", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["distance"] == pytest.approx(1.7)
    assert main(["distance", "--scene", path, "box", "none"]) == 2
    assert "none" in capsys.readouterr().err
    assert main(["distance", "--scene", path, "box", "2", "--pose", "1,0,0"]) == 2
    assert main(["scene", str(tmp_path / "none")]) == 2
    assert main(["scene", path, "--margin=-1"]) == 2


def test_spread_ids_and_messages_of_files() -> None:
    text = "tactum-scene 1\nshape Sphere 0 1\nobject 1000001 0 1 1 1 0 0 0 1 0 0 0 1 0 0 0 é\nend\n"
    scene = tactum.Scene.from_text(text)
    again = pickle.loads(pickle.dumps(scene))
    assert again.ids.tolist() == [1000001] and again.name(1000001) == "é" and scene.nbytes < 10000
    assert again.add(tactum.Sphere(radius=1.0)) == 0 and again.pairs().tolist() == [[0, 1000001]]
    with pytest.raises(tactum.InvalidInput, match="line 2"):
        tactum.Scene.from_text("tactum-scene 1\nx" + "é" * 30 + "\nend\n")


@pytest.mark.parametrize(
    "wrong", [2**32, 2**32 + 1, 2**63 - 1, -(2**63), -1, np.uint64(2**63), np.uint64(2**64 - 1)]
)
def test_ids_that_no_object_has_move_nothing(wrong: int) -> None:
    scene = tactum.Scene()
    for _ in range(2):
        scene.add(tactum.Sphere(radius=1.0))
    X = np.eye(4)
    X[0, 3] = 7.0
    with pytest.raises(ValueError, match=r"ids\[0\]: got " + str(int(wrong)).replace("-", r"\-")):
        scene.set_poses(np.array([wrong]), X)
    assert scene.pose(0)[0, 3] == 0.0 and scene.pose(1)[0, 3] == 0.0
