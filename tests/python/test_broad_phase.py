# SPDX-License-Identifier: BSD-2-Clause
"""DynamicTree and SweepAndPrune against numpy over all pairs; shapes of arguments, errors,
copies; bounding volumes."""

from __future__ import annotations

import copy
import math
import pickle
import threading
from typing import Any

import numpy as np
import pytest
import tactum
from kinds import SHAPES, random_pose

STRUCTURES = [tactum.DynamicTree, tactum.SweepAndPrune]
Array = np.ndarray[Any, np.dtype[Any]]


def random_boxes(rng: np.random.Generator, count: int, size: float = 6.0) -> tuple[Array, Array]:
    lower = rng.uniform(0, size, size=(count, 3))
    return lower, lower + rng.uniform(0, 1, size=(count, 3))


def brute_force(lower: Array, upper: Array) -> Array:
    overlap = np.all((lower[:, None] <= upper[None]) & (lower[None] <= upper[:, None]), axis=-1)
    return np.argwhere(np.triu(overlap, 1)).astype(np.int32)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_pairs_are_those_of_brute_force(structure: Any) -> None:
    rng = np.random.default_rng(0)
    lower, upper = random_boxes(rng, 400)
    boxes = structure()
    ids = boxes.insert(lower, upper)
    assert ids.dtype == np.int32 and ids.tolist() == list(range(400))
    for _ in range(5):
        pairs = boxes.pairs()
        assert pairs.dtype == np.int32 and pairs.shape[1] == 2
        np.testing.assert_array_equal(pairs, brute_force(lower, upper))
        inside = np.all((lower <= 3) & (upper >= 2), axis=1)
        np.testing.assert_array_equal(boxes.query([2, 2, 2], [3, 3, 3]), np.flatnonzero(inside))
        step = rng.normal(scale=0.2, size=lower.shape)
        lower, upper = lower + step, upper + step
        boxes.update(ids, lower, upper)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_one_box_at_a_time(structure: Any) -> None:
    boxes = structure()
    assert boxes.pairs().shape == (0, 2) and len(boxes) == 0
    first, second = boxes.insert((0, 0, 0), (1, 1, 1)), boxes.insert([1, 0, 0], [2, 1, 1])
    assert (first, second) == (0, 1) and type(first) is int
    assert boxes.pairs().tolist() == [[0, 1]]  # touching counts
    boxes.update(second, (1.001, 0, 0), (2, 1, 1))
    assert boxes.pairs().tolist() == []
    np.testing.assert_array_equal(boxes.box(second)[0], [1.001, 0, 0])
    boxes.remove(first)
    assert len(boxes) == 1 and first not in boxes and second in boxes and boxes.ids.tolist() == [1]
    assert (
        boxes.insert([-math.inf] * 3, [math.inf] * 3) == 0
    )  # the lowest free id, for an unbounded box
    assert boxes.pairs().tolist() == [[0, 1]]
    boxes.remove([1, 0])
    assert len(boxes) == 0 and repr(boxes) == f"{structure.__name__}(boxes=0)" and boxes.nbytes > 0


@pytest.mark.parametrize("structure", STRUCTURES)
def test_copies_and_pickles_are_independent(structure: Any) -> None:
    rng = np.random.default_rng(1)
    boxes = structure()
    boxes.insert(*random_boxes(rng, 50))
    boxes.remove([3, 30, 49])
    for other in (copy.copy(boxes), copy.deepcopy(boxes), pickle.loads(pickle.dumps(boxes))):
        np.testing.assert_array_equal(other.pairs(), boxes.pairs())
        np.testing.assert_array_equal(other.ids, boxes.ids)
        assert other.insert([9, 9, 9], [9, 9, 9]) == 3 and len(boxes) == 47
    with pytest.raises(tactum.InvalidInput, match="state"):
        structure.__new__(structure).__setstate__(
            (np.array([5, 4], dtype=np.int32), np.zeros((2, 3)), np.ones((2, 3)))
        )
    with pytest.raises(tactum.InvalidInput, match=r"lower\[1, 2\]"):
        structure.__new__(structure).__setstate__(
            (np.array([0, 1], dtype=np.int32), np.array([[0, 0, 0], [0, 0, 5.0]]), np.ones((2, 3)))
        )


@pytest.mark.parametrize("structure", STRUCTURES)
def test_bad_input_is_named_and_changes_nothing(structure: Any) -> None:
    boxes = structure()
    zero, one = np.zeros((3, 3)), np.ones((3, 3))
    boxes.insert(zero, one)
    bad = one.copy()
    bad[2, 1] = math.nan
    cases: list[tuple[Any, str]] = [
        (lambda: boxes.insert(zero, bad), r"upper\[2, 1\]: got nan"),
        (
            lambda: boxes.insert([0, 0, 2], [1, 1, 1]),
            r"lower\[2\]: got 2; give at most upper\[2\] = 1",
        ),
        (lambda: boxes.insert(zero, one[:2]), r"upper: got an array of shape \(2, 3\)"),
        (lambda: boxes.insert([0, 0], [1, 1]), "lower: got"),
        (lambda: boxes.update([0, 1, 7], zero, one + 1), r"ids\[2\]: got 7"),
        (lambda: boxes.update([0, 1], zero, one), "ids: got 2 ids for 3 boxes"),
        (lambda: boxes.update(0, zero, one), "id: got one id"),
        (lambda: boxes.update(5, zero[0], one[0]), "id: got 5"),
        (lambda: boxes.update([0, 1, 2], zero, bad), r"upper\[2, 1\]: got nan"),
        (lambda: boxes.remove(9), "id: got 9"),
        (lambda: boxes.remove([0, 9]), "id: got 9"),
        (lambda: boxes.remove([1, 1]), "id: got 1 twice"),
        (lambda: boxes.query([0, 0, math.nan], [1, 1, 1]), r"lower\[2\]: got nan"),
        (lambda: boxes.box(-1), "id: got -1"),
    ]
    for call, message in cases:
        with pytest.raises(tactum.InvalidInput, match=message):
            call()
    for wrong in (
        lambda: boxes.insert("box", one[0]),
        lambda: boxes.remove(0.5),
        lambda: boxes.insert(None, None),
    ):
        with pytest.raises(TypeError):
            wrong()
    np.testing.assert_array_equal(boxes.pairs(), [[0, 1], [0, 2], [1, 2]])
    np.testing.assert_array_equal(boxes.box(0)[1], [1, 1, 1])


def test_tree_against_tree_and_rays() -> None:
    a, b = tactum.DynamicTree(), tactum.DynamicTree()
    a.insert([[0, 0, 0], [5, 0, 0]], [[1, 1, 1], [6, 1, 1]])
    b.insert([[5.5, 0.5, 0.5], [0.5, 0.5, 0.5], [8, 8, 8]], [[7, 1, 1], [0.6, 0.6, 0.6], [9, 9, 9]])
    assert a.pairs_with(b).tolist() == [[0, 1], [1, 0]]
    ids, distances = a.raycast([-2, 0.5, 0.5], [3, 0, 0])
    assert ids.tolist() == [0, 1] and distances.tolist() == [2.0, 7.0]
    assert a.raycast([-2, 0.5, 0.5], [3, 0, 0], max_distance=5.0)[0].tolist() == [0]
    ids, distances, offsets = a.raycast([[-2, 0.5, 0.5], [0, 9, 0], [0.5, 0.5, 0.5]], [1, 0, 0])
    assert ids.tolist() == [0, 1, 0, 1] and offsets.tolist() == [0, 2, 2, 4] and distances[2] == 0.0
    with pytest.raises(tactum.InvalidInput, match="direction"):
        a.raycast([0, 0, 0], [0, 0, 0])
    with pytest.raises(tactum.InvalidInput, match="max_distance"):
        a.raycast([0, 0, 0], [1, 0, 0], max_distance=math.nan)
    assert a.height == 1


def test_threads_may_share_a_tree() -> None:
    rng = np.random.default_rng(2)
    lower, upper = random_boxes(rng, 300)
    tree = tactum.DynamicTree()
    ids = tree.insert(lower, upper)
    expected, wrong = tree.pairs(), []

    def work(own: int) -> None:
        for _ in range(50):
            tree.update(ids, lower, upper)
            if not np.array_equal(tree.pairs(), expected):
                wrong.append(own)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("name", SHAPES)
def test_volumes_hold_their_shape(name: str) -> None:
    rng = np.random.default_rng(len(name))
    shape, X = SHAPES[name], random_pose(rng)
    ball, box, swept = (
        tactum.bounding_sphere(shape, X),
        tactum.oriented_box(shape, X),
        tactum.swept_box(shape, X),
    )
    if name.startswith("half"):
        assert (
            ball.radius == math.inf
            and np.all(box.half_extents == math.inf)
            and np.all(swept.half_extents == math.inf)
        )
        return
    for direction in rng.normal(size=(50, 3)):
        point = X[:3, :3] @ shape.support(X[:3, :3].T @ direction) + X[:3, 3]
        assert np.linalg.norm(point - ball.center) <= ball.radius
        local = np.abs(box.X[:3, :3].T @ (point - box.X[:3, 3]))
        assert np.all(local <= box.half_extents)
        local = np.abs(swept.X[:3, :3].T @ (point - swept.X[:3, 3]))
        assert np.linalg.norm(np.maximum(local - swept.half_extents, 0)) <= swept.radius
    for volume in (ball, box, swept):
        assert volume.volume() >= shape.volume() * (1 - 1e-12)
        assert (
            repr(pickle.loads(pickle.dumps(volume))) == repr(volume) and copy.copy(volume) is volume
        )
        assert volume.overlaps(ball) and volume.distance(swept) == 0.0


def test_volumes_between_each_other() -> None:
    turn = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    box = tactum.OrientedBox(X=(np.eye(3), [0, 0, 0]), half_extents=(1, 2, 3))
    swept = tactum.SweptBox(X=(turn, [5, 0, 0]), half_extents=(1, 2, 0), radius=0.5)
    ball = tactum.BoundingSphere(center=(0, 4, 0), radius=0.5)
    assert box.distance(swept) == pytest.approx(1.5) and swept.distance(box) == pytest.approx(1.5)
    assert box.distance(ball) == pytest.approx(1.5) and not ball.overlaps(box)
    assert ball.distance(ball) == 0.0 and swept.overlaps(swept)
    points = np.random.default_rng(0).normal(size=(100, 3))
    assert tactum.bounding_sphere(points).radius == pytest.approx(
        tactum.bounding_sphere(tactum.Convex.from_points(points)).radius
    )
    assert tactum.oriented_box(points, (turn, [1, 2, 3])).volume() == pytest.approx(
        tactum.oriented_box(points).volume(), rel=0.05
    )
    for call, message in [
        (lambda: tactum.BoundingSphere(center=(0, 0, 0), radius=-1), "radius: got -1"),
        (
            lambda: tactum.OrientedBox(X=np.eye(4), half_extents=(1, -2, 3)),
            r"half_extents\[1\]: got -2",
        ),
        (lambda: tactum.bounding_sphere(np.zeros((0, 3))), "points: got no points"),
    ]:
        with pytest.raises(tactum.InvalidInput, match=message):
            call()
    with pytest.raises(TypeError, match="other"):
        ball.overlaps(3)  # type: ignore[arg-type]
