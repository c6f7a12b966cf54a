# SPDX-License-Identifier: BSD-2-Clause
"""Pairs that the tests of both bridges differentiate: every size of every shape, every form of a pose."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import tactum
from kinds import SHAPES, Array, random_pose

ELLIPSOID = tactum.Ellipsoid(semi_axes=(0.3, 0.2, 0.1))
CYLINDER = tactum.Cylinder(radius=0.1, half_length=0.2)
BALL = tactum.Sphere(radius=0.1)
EGG, STONE = tactum.Ellipsoid(semi_axes=(0.5, 0.4, 0.3), margin=0.05), tactum.Ellipsoid(semi_axes=(0.3, 0.35, 0.4))
HULL = tactum.Convex.from_points(np.random.default_rng(3).normal(scale=0.3, size=(14, 3)), margin=0.02)


def poses(n: int, seed: int, shift: float = 0.0, length: float = 1.0) -> Array:
    """(N, 7), with quaternions of some length."""
    rng = np.random.default_rng(seed)
    X = np.array([tactum.pose_xyz_xyzw(random_pose(rng, 0.1)) for _ in range(n)])
    X[:, :3] += shift
    X[:, 3:] *= length
    return X


def matrices(X: Array) -> Array:
    return np.array([tactum.pose_matrix(x) for x in X])


class SizeCase(NamedTuple):
    """A shape against an ellipsoid: its sizes, as arrays."""

    shape: tactum.Shape
    sizes: dict[str, Any]


def array_of(value: Any) -> Array:
    return np.array(value, dtype=np.float64)


SIZE_CASES: dict[str, SizeCase] = {
    name: SizeCase(shape, {size: array_of(getattr(shape, size)) for size in sizes})
    for name, shape, sizes in (
        ("sphere", SHAPES["sphere"], ("radius",)),
        ("ellipsoid", EGG, ("semi_axes", "margin")),
        ("box", SHAPES["rounded_box"], ("half_extents", "margin")),
        ("capsule", SHAPES["capsule"], ("radius", "half_length")),
        ("cylinder", SHAPES["cylinder"], ("radius", "half_length")),
        ("cone", SHAPES["cone"], ("radius", "half_length")),
        ("half_space", SHAPES["half_space"], ("offset",)),
        ("convex", HULL, ("vertices", "margin")),
    )
}


def size_pose(name: str) -> Array:
    """Where the ellipsoid is: apart, nearest to the middle of a feature."""
    X = poses(1, seed=5)[0]
    X[:3] = (1.3, 1.1, 0.9) if name != "half_space" else (0.1, 0.9, 1.2)
    return X
