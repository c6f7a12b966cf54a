# SPDX-License-Identifier: BSD-2-Clause
"""Constructors, attributes, boxes, volumes and value semantics of every kind of shape."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
import tactum
from kinds import SHAPES, cube_corners, pose, random_pose

ALL = pytest.mark.parametrize("name", SHAPES)
BOUNDED = pytest.mark.parametrize("name", [name for name in SHAPES if name != "half_space"])


def test_attributes() -> None:
    assert tactum.Sphere(radius=2, margin=0.5).radius == 2.0
    assert tactum.Sphere(radius=2, margin=0.5).margin == 0.5
    np.testing.assert_array_equal(tactum.Ellipsoid(semi_axes=[1, 2, 3]).semi_axes, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(
        tactum.Box(half_extents=np.array([1, 2, 3])).half_extents, [1.0, 2.0, 3.0]
    )
    for kind in (tactum.Capsule, tactum.Cylinder, tactum.Cone):
        shape = kind(radius=0.1, half_length=0.2, margin=0.3)
        assert (shape.radius, shape.half_length, shape.margin) == (0.1, 0.2, 0.3)
    ground = tactum.HalfSpace()
    np.testing.assert_array_equal(ground.normal, [0.0, 0.0, 1.0])
    assert ground.offset == 0.0
    np.testing.assert_allclose(
        tactum.HalfSpace(normal=(0, 3, 4), offset=2.0).normal, [0.0, 0.6, 0.8], rtol=0, atol=1e-16
    )


def test_numbers_of_many_sorts_are_taken() -> None:
    for radius in (1, 1.0, np.float32(1.0), np.float64(1.0), np.int64(1), np.array(1.0)):
        assert tactum.Sphere(radius=radius).radius == 1.0
    sizes = np.arange(1.0, 7.0)[::2]
    for value in (
        sizes,
        sizes.astype(np.float32),
        list(sizes),
        tuple(sizes),
        sizes.astype(">f8"),
        sizes.astype(np.int16),
        memoryview(sizes),
    ):
        np.testing.assert_array_equal(tactum.Box(half_extents=value).half_extents, [1.0, 3.0, 5.0])


@ALL
def test_kinds_are_shapes_and_read_only(name: str) -> None:
    shape = SHAPES[name]
    assert isinstance(shape, tactum.Shape)
    parameters = [
        n
        for n in (
            "radius",
            "semi_axes",
            "half_extents",
            "half_length",
            "normal",
            "offset",
            "vertices",
            "margin",
        )
        if hasattr(shape, n)
    ]
    for parameter in parameters:
        with pytest.raises(AttributeError):
            setattr(shape, parameter, 1.0)
    # arrays are copies: writing to one would be lost, so that it is refused
    for parameter in parameters:
        value = getattr(shape, parameter)
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 99.0


@pytest.mark.filterwarnings("ignore:nanobind:RuntimeWarning")
def test_a_shape_cannot_be_made_again_in_place() -> None:
    sphere = tactum.Sphere(radius=1.0)
    with pytest.raises(TypeError):
        sphere.__init__(radius=2.0)
    with pytest.raises(TypeError):
        sphere.__setstate__((2.0, 0.0))
    assert sphere.radius == 1.0


def test_sizes_are_keyword_only() -> None:
    for call in (
        lambda: tactum.Sphere(1.0),
        lambda: tactum.Box((1, 1, 1)),
        lambda: tactum.Capsule(0.1, 0.2),
        tactum.Sphere,
        tactum.Shape,
    ):
        with pytest.raises(TypeError):
            call()


@ALL
def test_repr_names_the_kind(name: str) -> None:
    shape = SHAPES[name]
    assert repr(shape).startswith(type(shape).__name__ + "(")
    assert str(shape) == repr(shape)


def test_repr_of_a_primitive_is_its_constructor() -> None:
    box = tactum.Box(half_extents=(0.1, 0.2, 1.0 / 3.0), margin=0.01)
    assert eval(repr(box), {"Box": tactum.Box}) == box


@ALL
def test_equality_hash_pickle_copy(name: str) -> None:
    shape = SHAPES[name]
    for other in (pickle.loads(pickle.dumps(shape)), copy.copy(shape), copy.deepcopy(shape)):
        assert type(other) is type(shape)
        assert other == shape
        assert hash(other) == hash(shape)
        assert repr(other) == repr(shape)
    for other_name, other_shape in SHAPES.items():
        assert (other_shape == shape) == (other_name == name)
    assert shape != "shape"
    assert len({shape, pickle.loads(pickle.dumps(shape))}) == 1


def test_parameters_make_the_difference() -> None:
    assert tactum.Sphere(radius=1.0) != tactum.Sphere(radius=1.0, margin=0.1)
    assert tactum.Sphere(radius=1.0) != tactum.Sphere(radius=math.nextafter(1.0, 2.0))
    assert tactum.Cylinder(radius=1.0, half_length=1.0) != tactum.Cone(radius=1.0, half_length=1.0)


@pytest.mark.parametrize(
    "state", [(), (1.0,), (1.0, 2.0, 3.0), ("a", "b"), (math.nan, 0.0), (-1.0, 0.0), (None, None)]
)
def test_a_damaged_pickle_raises(state: tuple[object, ...]) -> None:
    sphere = tactum.Sphere.__new__(tactum.Sphere)
    with pytest.raises((TypeError, ValueError)):
        sphere.__setstate__(state)


def test_volumes_against_closed_forms() -> None:
    margin = 0.1
    cases = [
        (tactum.Sphere(radius=0.5), 4 / 3 * math.pi * 0.5**3),
        (tactum.Sphere(radius=0.5, margin=margin), 4 / 3 * math.pi * 0.6**3),
        (tactum.Ellipsoid(semi_axes=(1, 2, 3)), 8 * math.pi),
        (tactum.Box(half_extents=(1, 2, 3)), 48.0),
        # Steiner: V + S m + (mean width term) m^2 + ball
        (
            tactum.Box(half_extents=(1, 2, 3), margin=margin),
            48 + 88 * margin + math.pi * 12 * margin**2 + 4 / 3 * math.pi * margin**3,
        ),
        (tactum.Capsule(radius=0.5, half_length=1.0), math.pi * 0.25 * 2 + 4 / 3 * math.pi * 0.125),
        (tactum.Cylinder(radius=0.5, half_length=1.0), math.pi * 0.25 * 2),
        (tactum.Cone(radius=0.5, half_length=1.0), math.pi * 0.25 * 2 / 3),
        (tactum.Convex.from_points(cube_corners()), 8.0),
        (tactum.HalfSpace(), math.inf),
    ]
    for shape, volume in cases:
        assert shape.volume() == pytest.approx(volume, rel=1e-12), repr(shape)


def test_mass_properties_of_a_box() -> None:
    properties = tactum.Box(half_extents=(1, 2, 3)).mass_properties(density=2.0)
    assert properties.mass == pytest.approx(96.0)
    np.testing.assert_allclose(properties.center_of_mass, 0.0, atol=1e-15)
    np.testing.assert_allclose(
        properties.inertia, 96.0 / 3.0 * np.diag([13.0, 10.0, 5.0]), rtol=1e-13, atol=1e-12
    )
    again = pickle.loads(pickle.dumps(properties))
    assert repr(again) == repr(properties)
    np.testing.assert_array_equal(again.inertia, properties.inertia)


def test_center_of_mass_of_a_cone_is_a_quarter_up() -> None:
    properties = tactum.Cone(radius=1.0, half_length=2.0).mass_properties(1.0)
    np.testing.assert_allclose(properties.center_of_mass, [0.0, 0.0, -1.0], atol=1e-14)


@BOUNDED
def test_aabb_holds_the_supports(name: str) -> None:
    shape, X = SHAPES[name], random_pose(np.random.default_rng(1))
    lower, upper = shape.aabb(X)
    for axis in range(3):
        direction = np.eye(3)[axis]
        for sign, bound in ((1.0, upper[axis]), (-1.0, lower[axis])):
            point = X[:3, :3] @ shape.support(X[:3, :3].T @ (sign * direction)) + X[:3, 3]
            assert point[axis] == pytest.approx(bound, abs=1e-12)


def test_aabb_in_the_own_frame_and_of_a_half_space() -> None:
    lower, upper = tactum.Box(half_extents=(1, 2, 3), margin=0.5).aabb()
    np.testing.assert_array_equal(lower, [-1.5, -2.5, -3.5])
    np.testing.assert_array_equal(upper, [1.5, 2.5, 3.5])
    lower, upper = tactum.HalfSpace(offset=2.0).aabb(pose((0, 0, 1)))
    np.testing.assert_array_equal(lower, [-math.inf] * 3)
    np.testing.assert_array_equal(upper, [math.inf, math.inf, 3.0])


def test_support() -> None:
    np.testing.assert_array_equal(
        tactum.Box(half_extents=(1, 2, 3)).support((2, -1, 5)), [1.0, -2.0, 3.0]
    )
    np.testing.assert_allclose(
        tactum.Sphere(radius=2.0, margin=1.0).support([0, 0, 1e-9]), [0.0, 0.0, 3.0], atol=1e-15
    )
    np.testing.assert_allclose(
        tactum.HalfSpace(offset=2.0).support((0, 0, 1)), [0.0, 0.0, 2.0], atol=1e-15
    )
    with pytest.raises(tactum.InvalidInput):
        tactum.HalfSpace().support((1, 0, 0))
    for bad in ((0, 0, 0), (math.nan, 0, 1), (math.inf, 0, 0)):
        with pytest.raises(tactum.InvalidInput):
            tactum.Sphere(radius=1.0).support(bad)


@ALL
def test_nbytes(name: str) -> None:
    assert SHAPES[name].nbytes > 0


def test_hull_tables_stay_within_their_bound() -> None:
    points = np.random.default_rng(2).normal(size=(3000, 3))
    hull = tactum.Convex.from_points(points / np.linalg.norm(points, axis=1, keepdims=True))
    assert len(hull.vertices) == 3000
    assert hull.nbytes <= 256 * 3000 + 16 * 1024
