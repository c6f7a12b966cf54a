# SPDX-License-Identifier: BSD-2-Clause
"""tactum.neural without PyTorch: inference, symmetries, gradient, filter, hostile input, labels."""

from __future__ import annotations

import json
import math
import pickle
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
import tactum
from tactum import neural
from tactum.neural import labels
from tactum.neural.objects import GROUPS, ObjectSet
from tactum.neural.weights import load_weights, save_weights

MUG = tactum.Box(half_extents=(0.05, 0.04, 0.03)).to_mesh()
ROD = tactum.Capsule(radius=0.02, half_length=0.08).to_mesh()


@pytest.fixture(scope="module")
def network() -> neural.CollisionNetwork:
    return neural.CollisionNetwork.load()


@pytest.fixture(scope="module")
def codes(network: neural.CollisionNetwork) -> tuple[neural.ObjectCode, neural.ObjectCode]:
    return network.encode(MUG), network.encode(ROD)


def random_poses(n: int, reach: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    t, q = rng.uniform(-reach, reach, size=(n, 3)), labels.random_rotations(rng, n)
    return np.array([tactum.pose_matrix(np.concatenate(row)) for row in zip(t, q)])


def test_shipped_network_tells_far_from_deep(network, codes) -> None:
    a, b = codes
    X = np.tile(np.eye(4), (2, 1, 1))
    X[1, 0, 3] = 0.4
    deep, far = network.logits(a, b, X)
    assert deep > 2.0 and far < -2.0
    assert network.logits(a, b, X[0]).shape == ()
    assert network.logits(a, b, X[0]) == deep
    poses = np.array([tactum.pose_xyz_xyzw(x) for x in X])
    np.testing.assert_allclose(network.logits(a, b, poses), [deep, far], rtol=1e-12)
    assert abs(network.distances(a, b, X)[1]) < 1.0


def test_agrees_with_the_exact_query_away_from_contact(network, codes) -> None:
    a, b = codes
    X = random_poses(300, 0.15)
    solid = [
        tactum.Mesh(vertices=m.vertices, triangles=m.triangles, solid=True) for m in (MUG, ROD)
    ]
    exact = tactum.distances(solid[0], np.eye(4), solid[1], X, fields=("lower", "upper"))
    clear = (exact.lower > 0.01) | (exact.upper < -0.005)
    said = network.logits(a, b, X) > 0.0
    assert clear.sum() > 100
    assert np.mean(said[clear] == (exact.upper[clear] < 0.0)) > 0.95


def test_the_order_of_the_objects_changes_nothing(network, codes) -> None:
    a, b = codes
    X_AB = random_poses(20, 0.1)
    there = network.logits(a, b, X_AB)
    back = network.logits(b, a, np.linalg.inv(X_AB))
    np.testing.assert_allclose(there, back, atol=1e-9)


def test_gradient_agrees_with_differences(network, codes) -> None:
    a, b = codes
    X_AB = random_poses(5, 0.1, seed=1)
    gradient = network.gradient(a, b, X_AB)
    step = 1e-6
    for k in range(6):
        d = step * np.eye(6)[k]
        ahead = network.logits(a, b, X_AB @ tactum.se3.exp(d))
        behind = network.logits(a, b, X_AB @ tactum.se3.exp(-d))
        difference = (ahead - behind) / (2.0 * step)
        np.testing.assert_allclose(gradient[:, k], difference, rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(network.gradient(a, b, X_AB[0]), gradient[0])


def test_logits_are_continuous_and_their_gradients_jump(network, codes) -> None:
    a, b = codes

    def poses(places: np.ndarray | list[float]) -> np.ndarray:
        X = np.tile(random_poses(1, 0.01, seed=2), (len(places), 1, 1))
        X[:, 0, 3] = places
        return X

    # steps of a tenth: the largest change of the logit falls with them, that of the gradient stays
    logit_changes, gradient_changes = [], []
    for count in (101, 1001, 10001):
        line = np.linspace(0.0, 0.1, count)
        gradient = network.gradient(a, b, poses(line))
        logit_changes.append(np.abs(np.diff(network.logits(a, b, poses(line)))).max())
        gradient_changes.append(np.linalg.norm(np.diff(gradient, axis=0), axis=1))
    largest = np.linalg.norm(gradient, axis=1).max()
    assert logit_changes[1] < 0.2 * logit_changes[0] and logit_changes[2] < 0.02 * logit_changes[0]
    at = int(gradient_changes[-1].argmax())
    assert 0.02 * largest < gradient_changes[-1][at] < 0.5 * largest
    # where the largest change is, a step of a picometre still has it
    low, high = line[at : at + 2]
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        before, here, behind = network.gradient(a, b, poses([low, middle, high]))
        if np.linalg.norm(here - before) > np.linalg.norm(behind - here):
            high = middle
        else:
            low = middle
    before, behind = network.gradient(a, b, poses([low, high]))
    assert np.linalg.norm(behind - before) > 0.02 * largest
    assert abs(np.diff(network.logits(a, b, poses([low, high])))[0]) < 1e-8


def test_codes_can_be_saved(network, codes) -> None:
    a, b = codes
    again = pickle.loads(pickle.dumps(a))
    assert network.logits(again, b, np.eye(4)) == network.logits(a, b, np.eye(4))
    assert a.features.shape == (len(a.centers), 64)
    samples = MUG.sample(network.num_points, seed=0)
    cloud = network.encode_points(*samples)
    np.testing.assert_array_equal(cloud.features, a.features)


def test_hostile_objects_and_poses(network, codes) -> None:
    a, _ = codes
    triangle = tactum.Mesh(vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles=[[0, 1, 2]])
    assert math.isfinite(network.logits(network.encode(triangle), a, np.eye(4)))
    line = tactum.Mesh(vertices=[[0, 0, 0], [1, 0, 0], [2, 0, 0]], triangles=[[0, 1, 2]])
    far = tactum.Mesh(vertices=1e8 * triangle.vertices, triangles=[[0, 1, 2]])
    for mesh in (line, far):
        with pytest.raises(tactum.InvalidInput):
            network.encode(mesh)
    with pytest.raises(tactum.InvalidInput):
        network.encode_points(np.zeros((0, 3)), np.zeros((0, 3)))
    with pytest.raises(tactum.InvalidInput):
        network.logits(a, a, np.full((2, 4, 4), np.nan))
    with pytest.raises(tactum.InvalidInput):
        network.logits(a, a, 2.0 * np.eye(4))
    X = np.eye(4)
    X[0, 3] = 1e25
    assert math.isfinite(network.logits(a, a, X)) and np.isfinite(network.gradient(a, a, X)).all()


def test_bad_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    for missing in (path, tmp_path):
        with pytest.raises(tactum.InvalidInput):
            neural.CollisionNetwork.load(missing)
    for content in (b"", b"12345678", struct.pack("<Q", 1 << 60), struct.pack("<Q", 2) + b"{}"):
        path.write_bytes(content)
        with pytest.raises(tactum.InvalidInput):
            neural.CollisionNetwork.load(path)
        with pytest.raises(ValueError):
            load_weights(path)


def test_what_needs_pytorch_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tactum.cli import main

    monkeypatch.setitem(sys.modules, "torch", None)
    for name in ("model", "dataset", "training", "evaluation"):
        monkeypatch.delitem(sys.modules, f"tactum.neural.{name}", raising=False)
    where = ["--data", str(tmp_path), "--out", str(tmp_path / "w.safetensors")]
    assert main(["neural", "train", *where]) == 2
    assert "tactum[torch]" in capsys.readouterr().err


def test_weights_come_back(tmp_path: Path) -> None:
    arrays = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.float32([1.5])}
    save_weights(tmp_path / "w.safetensors", arrays, {"k": "v"})
    found, metadata = load_weights(tmp_path / "w.safetensors")
    assert metadata == {"k": "v"}
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)


def test_filter_states_its_miss_rate(network) -> None:
    strict, loose = neural.NeuralFilter(network), neural.NeuralFilter(network, miss_rate=1e-2)
    assert strict.threshold < loose.threshold
    for found, rate in ((strict, 1e-4), (loose, 1e-2)):
        assert found.miss_rate <= rate
        assert found.interval[0] <= found.miss_rate <= found.interval[1]
    for bad in (0.0, 1.0, -1.0, math.nan, 1e-9, 0.9):
        with pytest.raises(tactum.InvalidInput):
            neural.NeuralFilter(network, miss_rate=bad)


def test_filter_is_exact_where_it_asks(network, codes) -> None:
    a, b = codes
    solid = [
        tactum.Mesh(vertices=m.vertices, triangles=m.triangles, solid=True) for m in (MUG, ROD)
    ]
    X = random_poses(100, 0.12, seed=5)
    found = neural.NeuralFilter(network)
    answer = found.collides(solid[0], a, solid[1], b, X)
    exact = np.array([bool(tactum.collide(solid[0], None, solid[1], x)) for x in X])
    assert not (answer & ~exact).any()
    assert (exact & ~answer).sum() <= 1
    assert answer.any() and not answer.all()


@pytest.mark.parametrize("kind", ["mesh", "hull", "parts"])
def test_filter_asks_all_poses_at_once_and_as_collide_does(
    network, codes, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = codes
    solid = [
        tactum.Mesh(vertices=m.vertices, triangles=m.triangles, solid=True) for m in (MUG, ROD)
    ]
    hulls = [mesh.convex_hull() for mesh in solid]
    parts = [tactum.Compound([(hull, None)]) for hull in hulls]
    first, second = {"mesh": solid, "hull": hulls, "parts": parts}[kind]
    X = random_poses(60, 0.1, seed=6)
    # half of the poses slid to within a micrometre of contact, on either side of it
    for k, pose in enumerate(X[:30]):
        r = tactum.distance(hulls[0], None, hulls[1], pose)
        X[k, :3, 3] -= (r.distance - (-1) ** k * 1e-6) * r.normal
    exact = np.array([bool(tactum.collide(first, None, second, x)) for x in X])
    monkeypatch.setattr(neural._core, "collide", None)  # one call for all, and not one for each
    found = neural.NeuralFilter(network)
    found.threshold = -math.inf
    np.testing.assert_array_equal(found.collides(first, a, second, b, X), exact)
    assert exact.any() and not exact.all()
    found.threshold = math.inf
    assert not found.collides(first, a, second, b, X).any()


def test_confidence_interval_of_known_cases() -> None:
    # 0 of n: the upper end p solves (1 - p)^n = 0.025
    lower, upper = neural.confidence_interval(0, 100)
    assert lower == 0.0
    assert (1.0 - upper) ** 100 == pytest.approx(0.025)
    lower, upper = neural.confidence_interval(5, 10)
    assert (lower, upper) == (pytest.approx(1.0 - upper), pytest.approx(0.8129, abs=1e-4))


# ------------------------------------------------------------------------------------------- labels
def objects() -> ObjectSet:
    """A box and a capsule of every group."""
    meshes = [tactum.Box(half_extents=(0.05, 0.03, 0.02)).to_mesh(), ROD]
    n = len(GROUPS)
    return ObjectSet(
        tuple(f"object {i}" for i in range(2 * n)),
        np.repeat(np.arange(n), 2).astype(np.int8),
        tuple(mesh.vertices.astype(np.float32) for mesh in meshes) * n,
        tuple(np.asarray(mesh.triangles, dtype=np.int32) for mesh in meshes) * n,
    )


def test_contact_records_hold_what_they_promise() -> None:
    few = objects()
    pairs = np.array([[0, 1], [1, 2]], dtype=np.int32)
    records = labels.label_contacts(few.table(), few.radii(), pairs, 20, seed=4)
    hulls = [few.mesh(i).convex_hull() for i in range(3)]  # both are convex
    rng, checked = np.random.default_rng(0), 0
    for row, column in np.ndindex(2, 20):
        a, b = (hulls[i] for i in pairs[row])
        q, t, n = (
            getattr(records, name)[row, column].astype(float)
            for name in ("rotation", "translation", "normal")
        )
        reach, probe = float(records.reach[row, column]), float(records.probe[row, column])
        q /= np.linalg.norm(q)
        if reach > 0.0:
            s = rng.uniform(0.0, reach)
            r = tactum.distance(a, None, b, np.concatenate([t + n * s, q]))
            assert r.distance == pytest.approx(s, abs=2e-6)
            checked += 1
        margin = float(records.margin[row, column])
        r = tactum.distance(a, None, b, np.concatenate([t + n * probe, q]))
        assert margin <= -r.distance + 2e-6 if margin > 0.0 else r.distance >= -margin - 2e-6
    assert checked > 10
    again = labels.label_contacts(few.table(), few.radii(), pairs[1:], 20, seed=4, threads=1)
    np.testing.assert_array_equal(again.translation[0], records.translation[1])


@pytest.mark.parametrize("uniform", [True, False])
def test_test_records_agree_with_the_hulls(uniform: bool, tmp_path: Path) -> None:
    few = objects()
    pairs = np.tile(np.array([[0, 1]], dtype=np.int32), (200, 1))
    tests = labels.label_tests(few.table(), few.radii(), pairs, 1, uniform=uniform)
    assert len(tests.distance) > 100 and 0.1 < (tests.distance < 0.0).mean() < 0.9
    a, b = few.mesh(0).convex_hull(), few.mesh(1).convex_hull()
    for q, t, d, deep in zip(tests.rotation, tests.translation, tests.distance, tests.depth_lower):
        q = q.astype(float) / np.linalg.norm(q)
        r = tactum.distance(a, None, b, np.concatenate([t, q]))
        if d > 0.0:
            assert r.distance == pytest.approx(d, abs=2e-6)
        else:
            assert d - 2e-6 <= r.distance <= -deep + 2e-6
    path = tmp_path / "t.npz"
    assert labels.save_records(tests, path) == labels.digest(labels.load_tests(path))


def test_object_sets_come_back(tmp_path: Path) -> None:
    few = objects()
    few.save(tmp_path / "o.npz")
    again = ObjectSet.load(tmp_path / "o.npz")
    assert again.digest() == few.digest() and len(again) == len(few)
    np.testing.assert_array_equal(again.members("unknown"), few.members("unknown"))


def test_held_back_pairs_are_one_in_ten_in_either_order() -> None:
    first, second = np.triu_indices(240, 1)
    pairs = np.stack([first, second], 1).astype(np.int32)
    held = labels.held_back(pairs)
    np.testing.assert_array_equal(held, labels.held_back(pairs[:, ::-1]))
    assert 0.08 < held.mean() < 0.12


def test_label_command_writes_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tactum.cli import main

    objects().save(tmp_path / "objects.npz")
    arguments = ["neural", "label", "--data", "none", "--out", str(tmp_path)]
    assert main([*arguments, "--count", "3", "--tests", "0.0005", "--seed", "2"]) == 0
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["files"]["contacts"]["rows"] == 3
    assert manifest["objects"] == dict.fromkeys(GROUPS, 2)
    for name in manifest["files"]:
        assert (tmp_path / f"{name}.npz").is_file()
    assert main(["neural", "label", "--data", "none", "--out", str(tmp_path / "x")]) == 2
    assert "gso" in capsys.readouterr().err
