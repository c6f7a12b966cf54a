# SPDX-License-Identifier: BSD-2-Clause
"""The forms of a pose, and the converters."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tactum
from kinds import Array, pose, random_pose, random_rotation


class Se3:
    """Stands for any class with __array__, such as Pinocchio's SE3."""

    def __init__(self, matrix: Array) -> None:
        self.matrix = matrix

    def __array__(self, dtype: object = None, copy: object = None) -> Array:
        return self.matrix


def quaternion_matrix(x: float, y: float, z: float, w: float) -> Array:
    """Rotation of a unit quaternion, by the textbook formula."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_every_form_gives_the_same_matrix() -> None:
    X = random_pose(np.random.default_rng(0))
    R, t = X[:3, :3], X[:3, 3]
    wide = np.zeros((8, 8))
    wide[::2, ::2] = X
    read_only = X.copy()
    read_only.flags.writeable = False
    forms = [
        X,
        X.tolist(),
        np.asfortranarray(X),
        wide[::2, ::2],
        read_only,
        X.astype(">f8"),
        memoryview(X),
        Se3(X),
        (R, t),
        [R, t],
        (R.tolist(), tuple(t)),
    ]
    for form in forms:
        np.testing.assert_array_equal(tactum.pose_matrix(form), X)


def test_seven_numbers() -> None:
    q = np.array([0.1, -0.2, 0.3, 0.4])
    q /= np.linalg.norm(q)
    seven = np.array([1.0, 2.0, 3.0, *q])
    X = tactum.pose_matrix(seven)
    np.testing.assert_allclose(X, pose((1, 2, 3), quaternion_matrix(*q)), rtol=0, atol=1e-15)
    np.testing.assert_array_equal(tactum.pose_matrix(seven.tolist()), X)
    np.testing.assert_array_equal(tactum.pose_matrix(tuple(seven)), X)
    np.testing.assert_allclose(tactum.pose_xyz_xyzw(X), seven, rtol=0, atol=1e-15)
    np.testing.assert_allclose(
        tactum.pose_xyz_xyzw([1, 2, 3, *(-q)]), seven, rtol=0, atol=1e-15
    )  # qw >= 0


def test_round_trip_of_random_poses() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        X = random_pose(rng, 10.0)
        seven = tactum.pose_xyz_xyzw(X)
        assert seven.shape == (7,) and seven[6] >= 0.0
        np.testing.assert_allclose(tactum.pose_matrix(seven), X, rtol=0, atol=4e-15)


def test_results_are_new_c_contiguous_float64() -> None:
    X = np.eye(4)
    out = tactum.pose_matrix(X)
    assert out.flags.c_contiguous and out.dtype == np.float64 and not np.shares_memory(out, X)
    assert tactum.pose_matrix(np.eye(4, dtype=np.int64)).dtype == np.float64


def test_quaternion_orders() -> None:
    np.testing.assert_array_equal(tactum.quat_xyzw_from_wxyz([1, 2, 3, 4]), [2.0, 3.0, 4.0, 1.0])
    np.testing.assert_array_equal(tactum.quat_wxyz_from_xyzw([2, 3, 4, 1]), [1.0, 2.0, 3.0, 4.0])
    many = np.random.default_rng(2).normal(size=(5, 6, 4))
    kept = many.copy()
    np.testing.assert_array_equal(
        tactum.quat_wxyz_from_xyzw(tactum.quat_xyzw_from_wxyz(many)), many
    )
    np.testing.assert_array_equal(tactum.quat_xyzw_from_wxyz(many), many[..., [1, 2, 3, 0]])
    np.testing.assert_array_equal(many, kept)
    for bad in ([1, 2, 3], np.zeros((4, 3)), [math.nan, 0, 0, 1]):
        with pytest.raises(tactum.InvalidInput):
            tactum.quat_xyzw_from_wxyz(bad)


def test_queries_take_every_form() -> None:
    rng = np.random.default_rng(3)
    a, b = tactum.Box(half_extents=(0.1, 0.2, 0.3)), tactum.Sphere(radius=0.1)
    X_WA, X_WB = random_pose(rng), random_pose(rng)
    expected = tactum.distance(a, X_WA, b, X_WB)
    for form in (X_WB.tolist(), Se3(X_WB), (X_WB[:3, :3], X_WB[:3, 3])):
        assert tactum.distance(a, X_WA, b, form).__getstate__() == expected.__getstate__()
    assert tactum.distance(a, X_WA, b, tactum.pose_xyz_xyzw(X_WB)).distance == pytest.approx(
        expected.distance, abs=1e-14
    )


def off(size: float) -> Array:
    """A rotation that is off by about `size`."""
    R = random_rotation(np.random.default_rng(4))
    return R @ (np.eye(3) + 0.5 * size * np.array([[1.0, 0, 0], [0, 0, 0], [0, 0, 0]]))


@pytest.mark.parametrize(
    ("size", "corrected"), [(0.0, False), (5e-13, False), (1e-11, True), (5e-7, True)]
)
def test_small_rotation_errors_are_accepted_or_corrected(size: float, corrected: bool) -> None:
    a, b = tactum.Sphere(radius=1.0), tactum.Box(half_extents=(1, 1, 1))
    X_WB = pose((5, 0, 0), off(size))
    for result in (
        tactum.distance(a, np.eye(4), b, X_WB),
        tactum.distance(b, (X_WB[:3, :3], X_WB[:3, 3]), a, np.eye(4)),
    ):
        assert result.pose_corrected is corrected
    assert tactum.collide(a, np.eye(4), b, X_WB).pose_corrected is corrected
    R = tactum.pose_matrix(X_WB)[:3, :3]
    assert abs(R.T @ R - np.eye(3)).max() <= (2e-15 if corrected else 1e-12)


@pytest.mark.parametrize(("size", "corrected"), [(0.0, False), (1e-11, True), (5e-7, True)])
def test_small_quaternion_errors_are_corrected(size: float, corrected: bool) -> None:
    a = tactum.Sphere(radius=1.0)
    result = tactum.distance(a, np.eye(4), a, [5, 0, 0, 0, 0, 0, 1.0 + size])
    assert result.pose_corrected is corrected


@pytest.mark.parametrize(
    "bad",
    [
        2.0 * np.eye(4),
        np.diag([1.0, 1.0, -1.0, 1.0]),
        pose((0, 0, 0), off(1e-5)),
        pose((math.nan, 0, 0)),
        pose((0, math.inf, 0)),
        pose((0, 0, 1e31)),
        pose(rotation=np.full((3, 3), math.nan)),
        np.eye(4) + np.eye(4)[[0, 1, 2, 0]] * [[0], [0], [0], [1e-3]],
        np.eye(3),
        np.eye(5),
        np.zeros((2, 4, 4)),
        np.zeros(6),
        np.zeros(0),
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 2],
        [0, 0, 0, 0, 0, 0, math.nan],
        [math.inf, 0, 0, 0, 0, 0, 1],
        (np.eye(3), [0, 0]),
        (np.eye(2), [0, 0, 0]),
        (np.eye(3), [0, 0, math.nan]),
        [[1, 0, 0, 0], [0, 1, 0]],
    ],
)
def test_bad_poses_name_the_argument(bad: object) -> None:
    a = tactum.Sphere(radius=1.0)
    for name, call in (
        ("X_WA", lambda: tactum.distance(a, bad, a, np.eye(4))),
        ("X_WB", lambda: tactum.distance(a, np.eye(4), a, bad)),
        ("X_WA", lambda: tactum.collide(a, bad, a, np.eye(4))),
        ("X_WB", lambda: tactum.pair_scale(a, np.eye(4), a, bad)),
        ("X", lambda: tactum.pose_matrix(bad)),
        ("X", lambda: a.aabb(bad)),
    ):
        with pytest.raises(tactum.InvalidInput) as caught:
            call()
        assert caught.value.field.startswith(name)
        assert caught.value.value and caught.value.remedy


@pytest.mark.parametrize(
    "bad",
    [
        "pose",
        b"pose",
        1.0,
        object(),
        {},
        np.eye(4) * 1j,
        np.eye(4, dtype=bool),
        np.eye(4).astype(str),
        np.full((4, 4), None),
        (np.eye(3), None),
        (None, np.zeros(3)),
    ],
)
def test_poses_of_the_wrong_sort_are_type_errors(bad: object) -> None:
    a = tactum.Sphere(radius=1.0)
    with pytest.raises(TypeError) as caught:
        tactum.distance(a, np.eye(4), a, bad)
    assert str(caught.value).startswith("X_WB")
