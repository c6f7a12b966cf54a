# SPDX-License-Identifier: BSD-2-Clause
"""Shapes, poses and checks that several test files share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import tactum

Array = npt.NDArray[np.float64]


def cube_corners(half: float = 1.0) -> Array:
    """The eight corners of a cube, as (8, 3)."""
    return half * np.array(
        [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float
    )


#: one shape of every kind, by name
SHAPES: dict[str, tactum.Shape] = {
    "point": tactum.Sphere(radius=0.0),
    "sphere": tactum.Sphere(radius=0.7),
    "ellipsoid": tactum.Ellipsoid(semi_axes=(0.5, 0.9, 0.3)),
    "box": tactum.Box(half_extents=(0.4, 0.6, 0.8)),
    "rounded_box": tactum.Box(half_extents=(0.4, 0.6, 0.8), margin=0.1),
    "capsule": tactum.Capsule(radius=0.3, half_length=0.5),
    "cylinder": tactum.Cylinder(radius=0.4, half_length=0.6),
    "cone": tactum.Cone(radius=0.5, half_length=0.7),
    "half_space": tactum.HalfSpace(normal=(0.0, 0.6, 0.8), offset=-0.2),
    "hull": tactum.Convex.from_points(cube_corners(0.5) @ np.diag([1.0, 0.8, 0.6]), margin=0.05),
    "polygon": tactum.Convex.from_points([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]),
    "segment": tactum.Convex.from_points([[0, 0, -1], [0, 0, 1]]),
    "hull_point": tactum.Convex.from_points([[0.1, 0.2, 0.3]]),
    "stp": tactum.Stp.from_points(
        cube_corners(0.5) @ np.diag([1.0, 0.8, 0.6]), small_radius=0.05, big_radius=4.0
    ),
}


def random_rotation(rng: np.random.Generator) -> Array:
    """A rotation, uniform on SO(3)."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    if np.linalg.det(q) < 0:
        q[:, 0] = -q[:, 0]
    return np.asarray(q, dtype=np.float64)


def pose(
    translation: npt.ArrayLike = (0.0, 0.0, 0.0), rotation: npt.ArrayLike | None = None
) -> Array:
    """A (4, 4) pose."""
    X = np.eye(4)
    X[:3, 3] = translation
    if rotation is not None:
        X[:3, :3] = rotation
    return X


def random_pose(rng: np.random.Generator, size: float = 1.0) -> Array:
    """A (4, 4) pose with a translation of the given size."""
    return pose(size * rng.normal(size=3), random_rotation(rng))


def support_in_world(shape: tactum.Shape, X: Array, direction: Array) -> float:
    """Support function of a posed shape along a world direction."""
    local = shape.support(X[:3, :3].T @ direction)
    return float(direction @ (X[:3, :3] @ local + X[:3, 3]))


def check_result(
    r: tactum.Distance,
    a: tactum.Shape,
    X_WA: Array,
    b: tactum.Shape,
    X_WB: Array,
    tolerance: float = 1e-9,
) -> None:
    """The conventions, and that the normal separates the shapes by exactly the distance."""
    slack = tolerance * tactum.pair_scale(a, X_WA, b, X_WB)
    assert r.status in (tactum.Status.separated, tactum.Status.touching, tactum.Status.penetrating)
    np.testing.assert_allclose(np.linalg.norm(r.normal), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(r.point_b - r.point_a, r.distance * r.normal, rtol=0, atol=slack)
    assert r.lower <= r.distance <= r.upper
    assert r.upper - r.lower <= 1e-10 * tactum.pair_scale(a, X_WA, b, X_WB)
    # an unbounded shape has a support along its own normal only, up to rounding
    if not isinstance(a, tactum.HalfSpace) and not isinstance(b, tactum.HalfSpace):
        gap = -support_in_world(b, X_WB, -r.normal) - support_in_world(a, X_WA, r.normal)
        assert abs(gap - r.distance) <= slack
