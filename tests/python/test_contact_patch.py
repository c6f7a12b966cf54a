# SPDX-License-Identifier: BSD-2-Clause
"""Contact patches from Python: arrays, invariants, derivatives against differences, pickles, bad
input."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import tactum

TABLE = tactum.Box(half_extents=(1.0, 1.0, 0.5))
BOX = tactum.Box(half_extents=(0.2, 0.3, 0.1))


def pose(x: float, y: float, z: float, yaw: float = 0.0) -> np.ndarray:
    X = np.eye(4)
    X[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    X[:3, 3] = [x, y, z]
    return X


def area(points: np.ndarray) -> float:
    """Area of points in counter-clockwise order seen from above."""
    x, y = points[:, 0], points[:, 1]
    return 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def test_a_box_on_a_table_touches_with_its_whole_face() -> None:
    patch = tactum.contact_patch(TABLE, np.eye(4), BOX, pose(0.1, 0.2, 0.59, 0.3))
    assert len(patch) == 4
    assert patch.points_a.shape == patch.points_b.shape == (4, 3)
    assert patch.feature_ids.dtype == np.uint64 and len(set(patch.feature_ids)) == 4
    assert np.allclose(patch.distances, -0.01, atol=1e-14) and np.allclose(patch.normal, [0, 0, 1])
    assert area(patch.points_a) == pytest.approx(4 * 0.2 * 0.3)
    assert np.allclose(
        patch.points_b - patch.points_a, patch.distances[:, None] * patch.normal, atol=1e-15
    )
    assert patch.status == tactum.Status.penetrating and patch.distance.distance == pytest.approx(
        -0.01
    )
    assert repr(patch).startswith("ContactPatch(points=4, distance=-0.0")


def test_swapped_shapes_swap_points_and_halves_of_ids() -> None:
    X = pose(0.9, 0.8, 0.6, 0.4)
    patch = tactum.contact_patch(TABLE, np.eye(4), BOX, X)
    swapped = tactum.contact_patch(BOX, X, TABLE, np.eye(4))
    order = {int(i): k for k, i in enumerate(swapped.feature_ids)}
    for k, i in enumerate(patch.feature_ids):
        other = order[(int(i) << 32 | int(i) >> 32) & (2**64 - 1)]
        assert np.allclose(swapped.points_b[other], patch.points_a[k], atol=1e-13)


def test_limits() -> None:
    can = tactum.Cylinder(radius=0.3, half_length=0.2)
    ground = tactum.HalfSpace()
    for most in (1, 3, 8, 32):
        assert len(
            tactum.contact_patch(ground, np.eye(4), can, pose(0, 0, 0.2), max_points=most)
        ) == min(most, 16)
    away = tactum.contact_patch(ground, np.eye(4), can, pose(0, 0, 1.0), cutoff=0.1)
    assert (
        len(away) == 0
        and away.status == tactum.Status.beyond_cutoff
        and away.points_a.shape == (0, 3)
    )
    known = tactum.distance(ground, np.eye(4), can, pose(0, 0, 0.2))
    again = tactum.contact_patch(
        ground, np.eye(4), can, pose(0, 0, 0.2), value=known, warm_start=known.warm_start
    )
    assert np.array_equal(
        again.points_a, tactum.contact_patch(ground, np.eye(4), can, pose(0, 0, 0.2)).points_a
    )


def test_derivative_against_differences() -> None:
    X = pose(0.1, 0.2, 0.59, 0.3)
    d = tactum.contact_patch_derivative(TABLE, np.eye(4), BOX, X, frame="local_world_aligned")
    assert (
        d.smooth
        and d.points_a_jacobian.shape == (4, 3, 12)
        and d.distances_jacobian.shape == (4, 12)
    )
    step, angle = 1e-6, 1e-6
    ids = list(d.value.feature_ids)
    for column, axis in ((6, 0), (8, 2)):
        ahead, behind = X.copy(), X.copy()
        ahead[axis, 3] += step
        behind[axis, 3] -= step
        patches = [tactum.contact_patch(TABLE, np.eye(4), BOX, Y) for Y in (ahead, behind)]
        at = [[list(p.feature_ids).index(i) for i in ids] for p in patches]
        quotient = (patches[0].points_b[at[0]] - patches[1].points_b[at[1]]) / (2 * step)
        assert np.allclose(d.points_b_jacobian[:, :, column], quotient, atol=1e-8)
    turned = X.copy()
    turned[:3, :3] = (
        np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])
        @ X[:3, :3]
    )
    patch = tactum.contact_patch(TABLE, np.eye(4), BOX, turned)
    moved = patch.distances[[list(patch.feature_ids).index(i) for i in ids]] - d.value.distances
    assert np.allclose(d.distances_jacobian[:, 9], moved / angle, atol=1e-5)
    # outlines that cross: either face may decide the normal
    assert not tactum.contact_patch_derivative(
        TABLE, np.eye(4), BOX, pose(0.95, 0.2, 0.59, 0.3)
    ).smooth


def test_results_are_pickled() -> None:
    patch = tactum.contact_patch(TABLE, np.eye(4), BOX, pose(0.1, 0.2, 0.59, 0.3))
    again = pickle.loads(pickle.dumps(patch))
    for name in ("points_a", "points_b", "distances", "feature_ids", "normal"):
        assert np.array_equal(getattr(again, name), getattr(patch, name))
    assert again.status == patch.status
    empty = tactum.contact_patch(TABLE, np.eye(4), BOX, pose(0, 0, 5), cutoff=1.0)
    assert len(pickle.loads(pickle.dumps(empty))) == 0
    d = tactum.contact_patch_derivative(TABLE, np.eye(4), BOX, pose(0.1, 0.2, 0.59, 0.3))
    copy = pickle.loads(pickle.dumps(d))
    assert copy.smooth == d.smooth and np.array_equal(copy.points_a_jacobian, d.points_a_jacobian)
    assert np.array_equal(copy.normal_jacobian, d.normal_jacobian)


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("max_points", {"max_points": 0}),
        ("max_points", {"max_points": 33}),
        ("cutoff", {"cutoff": -1.0}),
        ("max_angle", {"max_angle": 1.0}),
    ],
)
def test_bad_values_are_named(field: str, arguments: dict[str, float]) -> None:
    for call in (tactum.contact_patch, tactum.contact_patch_derivative):
        with pytest.raises(tactum.InvalidInput) as caught:
            call(TABLE, np.eye(4), BOX, pose(0, 0, 0.6), **arguments)
        assert caught.value.field == field


def test_bad_objects_are_named() -> None:
    with pytest.raises(TypeError, match="value"):
        tactum.contact_patch(TABLE, np.eye(4), BOX, pose(0, 0, 0.6), value=3)
    with pytest.raises(TypeError, match="warm_start"):
        tactum.contact_patch(TABLE, np.eye(4), BOX, pose(0, 0, 0.6), warm_start=3)
    other = tactum.distance(TABLE, np.eye(4), BOX, pose(0, 0, 2.0))
    with pytest.raises(tactum.InvalidInput, match="value"):
        tactum.contact_patch_derivative(TABLE, np.eye(4), BOX, pose(0, 0, 0.6), value=other)


def test_sizes_move_the_points() -> None:
    X = pose(0.1, 0.2, 0.59, 0.3)
    d = tactum.contact_patch_parameter_derivative(TABLE, np.eye(4), BOX, X)
    assert d.smooth and len(d.value) == 4
    assert d.names_a == ("half_extents[0]", "half_extents[1]", "half_extents[2]", "margin")
    columns = len(d.names_a) + len(d.names_b)
    assert d.points_a_jacobian.shape == (4, 3, columns)
    assert d.normal_jacobian.shape == (3, columns)
    # a higher table and a higher box are nearer, wider ones are not
    assert np.allclose(d.distances_jacobian[0], [0, 0, -1, -1, 0, 0, -1, -1])
    assert "smooth=True" in repr(d)
    compound = tactum.Compound(parts=[(BOX, None)])
    with pytest.raises(tactum.InvalidInput, match="convex"):
        tactum.contact_patch_parameter_derivative(TABLE, np.eye(4), compound, X)


def test_an_estimator_smooths_the_corner_of_a_box() -> None:
    wall = tactum.HalfSpace()
    X = tactum.se3.exp([0.0, 0.0, 0.5, 0.5, 0.4, 0.1])
    exact = tactum.contact_patch_derivative(wall, np.eye(4), BOX, X, max_points=1)
    smooth = tactum.contact_patch_derivative(
        wall, np.eye(4), BOX, X, max_points=1, estimator=tactum.Gumbel(rings=2, temperature=0.1)
    )
    expected = tactum.distance_derivative(
        wall, np.eye(4), BOX, X, estimator=tactum.Gumbel(rings=2, temperature=0.1)
    )
    assert np.allclose(smooth.points_b_jacobian[0], expected.point_b_jacobian)
    assert not np.allclose(smooth.points_b_jacobian[0], exact.points_b_jacobian[0])
    with pytest.raises(TypeError, match="estimator"):
        tactum.contact_patch_derivative(wall, np.eye(4), BOX, X, estimator="gumbel")
