# SPDX-License-Identifier: BSD-2-Clause
"""signed_distance of points: against distance(), conventions, shapes of arrays, errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import tactum
from kinds import SHAPES, pose, random_pose

POINT = tactum.Sphere(radius=0.0)


@pytest.mark.parametrize("name", SHAPES)
def test_is_the_distance_of_a_point(name: str) -> None:
    rng = np.random.default_rng(len(name))
    shape, X = SHAPES[name], random_pose(rng)
    points = X[:3, 3] + rng.uniform(-1.2, 1.2, size=(200, 3))
    distances, gradients = tactum.signed_distance(shape, X, points)
    assert distances.shape == (200,) and gradients.shape == (200, 3)
    np.testing.assert_allclose(np.linalg.norm(gradients, axis=1), 1.0, rtol=0, atol=1e-12)
    for point, distance, gradient in zip(points, distances, gradients, strict=True):
        r = tactum.distance(shape, X, POINT, pose(point))
        assert distance == pytest.approx(
            r.distance, abs=1e-12 * tactum.pair_scale(shape, X, POINT, pose(point))
        )
        if distance > 1e-3:
            np.testing.assert_allclose(gradient, r.normal, rtol=0, atol=1e-6)
            np.testing.assert_allclose(point - distance * gradient, r.point_a, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", SHAPES)
def test_gradient_is_the_derivative(name: str) -> None:
    rng = np.random.default_rng(100 + len(name))
    shape, X, step = SHAPES[name], random_pose(rng), 1e-6
    points = X[:3, 3] + 3.0 * rng.normal(size=(50, 3))
    distances, gradients = tactum.signed_distance(shape, X, points)
    offsets = step * np.eye(3)
    ahead, _ = tactum.signed_distance(shape, X, points[:, None] + offsets)
    behind, _ = tactum.signed_distance(shape, X, points[:, None] - offsets)
    slopes = (ahead - behind) / (2 * step)
    outside = distances > 0.1
    assert outside.any()
    np.testing.assert_allclose(slopes[outside], gradients[outside], rtol=0, atol=1e-5)


def test_inside_is_negative_and_outward() -> None:
    box = tactum.Box(half_extents=(1, 2, 3), margin=0.5)
    distances, gradients = tactum.signed_distance(
        box, pose((10, 0, 0)), [[10.9, 0, 0], [9.2, 0, 0], [10, 0, 6.5]]
    )
    np.testing.assert_allclose(distances, [-0.6, -0.7, 3.0], atol=1e-14)
    np.testing.assert_allclose(gradients, [[1, 0, 0], [-1, 0, 0], [0, 0, 1]], atol=1e-14)
    ground, up = tactum.signed_distance(
        tactum.HalfSpace(offset=0.25), np.eye(4), [[5, 6, 1], [7, 8, -1]]
    )
    np.testing.assert_allclose(ground, [0.75, -1.25], atol=1e-15)
    np.testing.assert_array_equal(up, [[0, 0, 1], [0, 0, 1]])


@pytest.mark.parametrize("lead", [(), (0,), (1,), (7,), (2, 3), (2, 0), (2, 3, 4)])
def test_leading_axes_are_kept(lead: tuple[int, ...]) -> None:
    points = np.random.default_rng(0).normal(size=(*lead, 3))
    distances, gradients = tactum.signed_distance(SHAPES["hull"], np.eye(4), points)
    assert distances.shape == lead and gradients.shape == (*lead, 3)
    flat, _ = tactum.signed_distance(SHAPES["hull"], np.eye(4), points.reshape(-1, 3))
    np.testing.assert_array_equal(distances.reshape(-1), flat)


def test_any_array_of_numbers() -> None:
    rng = np.random.default_rng(1)
    points = rng.integers(-3, 4, size=(50, 3)).astype(np.float64)
    expected = tactum.signed_distance(SHAPES["cone"], np.eye(4), points)
    others: list[Any] = [
        points.astype(np.float32),
        points.astype(np.int64),
        points.tolist(),
        np.asfortranarray(points),
        np.repeat(points, 2, axis=0)[::2],
        points.astype(">f8"),
    ]
    for other in others:
        for array, same in zip(
            tactum.signed_distance(SHAPES["cone"], np.eye(4), other), expected, strict=True
        ):
            np.testing.assert_array_equal(array, same)


def test_same_bits_for_any_number_of_threads() -> None:
    points = np.random.default_rng(2).normal(size=(50_000, 3))
    one = tactum.signed_distance(SHAPES["hull"], np.eye(4), points, num_threads=1)
    for num_threads in (0, 2, 3, 7):
        for array, same in zip(
            tactum.signed_distance(SHAPES["hull"], np.eye(4), points, num_threads=num_threads),
            one,
            strict=True,
        ):
            assert array.tobytes() == same.tobytes()


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("points[1, 2]", {"points": [[0, 0, 0], [0, 0, math.nan]]}),
        ("points[0, 0]", {"points": [[math.inf, 0, 0]]}),
        ("points[0, 1]", {"points": [[0, 1e31, 0]]}),
        ("points", {"points": [[0, 0], [1, 1]]}),
        ("points", {"points": []}),
        ("X", {"X": np.zeros((4, 4))}),
        ("X", {"X": np.zeros((2, 4, 4))}),
        ("num_threads", {"num_threads": -1}),
    ],
)
def test_bad_values_are_named(field: str, change: dict[str, Any]) -> None:
    call: dict[str, Any] = {"shape": SHAPES["box"], "X": np.eye(4), "points": [[0, 0, 0]]} | change
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.signed_distance(**call)
    assert caught.value.field.startswith(field)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("shape", {"shape": None}),
        ("X", {"X": "eye"}),
        ("points", {"points": 1.0}),
        ("points", {"points": "x"}),
        ("num_threads", {"num_threads": 1.5}),
    ],
)
def test_objects_of_the_wrong_sort_are_type_errors(field: str, change: dict[str, Any]) -> None:
    call: dict[str, Any] = {"shape": SHAPES["box"], "X": np.eye(4), "points": [[0, 0, 0]]} | change
    with pytest.raises(TypeError) as caught:
        tactum.signed_distance(**call)
    assert str(caught.value).startswith(field + ": got ")
