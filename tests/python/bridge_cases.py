# SPDX-License-Identifier: BSD-2-Clause
"""Pairs that the tests of both bridges differentiate: every size of every shape, every form of a
pose."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import tactum
from kinds import SHAPES, Array, random_pose

ELLIPSOID = tactum.Ellipsoid(semi_axes=(0.3, 0.2, 0.1))
CYLINDER = tactum.Cylinder(radius=0.1, half_length=0.2)
BALL = tactum.Sphere(radius=0.1)
EGG, STONE = (
    tactum.Ellipsoid(semi_axes=(0.5, 0.4, 0.3), margin=0.05),
    tactum.Ellipsoid(semi_axes=(0.3, 0.35, 0.4)),
)
HULL = tactum.Convex.from_points(
    np.random.default_rng(3).normal(scale=0.3, size=(14, 3)), margin=0.02
)


def poses(n: int, seed: int, shift: float = 0.0, length: float = 1.0) -> Array:
    """(N, 7), with quaternions of some length."""
    rng = np.random.default_rng(seed)
    X = np.array([tactum.pose_xyz_xyzw(random_pose(rng, 0.1)) for _ in range(n)])
    X[:, :3] += shift
    X[:, 3:] *= length
    return X


def matrices(X: Array) -> Array:
    return np.array([tactum.pose_matrix(x) for x in X])


class Placement:
    """What pinocchio.SE3 has."""

    def __init__(self, X: Array) -> None:
        self.X = X

    @property
    def homogeneous(self) -> Array:
        return self.X


class Rigid:
    """What SciPy's RigidTransform has."""

    def __init__(self, X: Array) -> None:
        self.X = X

    def as_matrix(self) -> Array:
        return self.X


def forms_of_one_pose(X: Array) -> list[Any]:
    """Everything that stands for a (4, 4) pose."""
    return [X, tactum.pose_xyz_xyzw(X), (X[:3, :3], X[:3, 3]), Placement(X), Rigid(X), X.tolist()]


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
    """Places of the ellipsoid: apart, nearest to the middle of a feature."""
    X = poses(1, seed=5)[0]
    X[:3] = (1.3, 1.1, 0.9) if name != "half_space" else (0.1, 0.9, 1.2)
    return X


class ContactParts(NamedTuple):
    """G, g, mu and R of contact problems, with leading axes or not."""

    G: Array
    g: Array
    mu: Array
    R: Array


def contact_parts(seed: int, contacts: int = 3, lead: tuple[int, ...] = ()) -> ContactParts:
    """Regular problems whose bodies approach each other, so that most contacts push."""
    rng = np.random.default_rng(seed)
    rows = 3 * contacts
    W = rng.normal(size=(*lead, rows + 2, rows))
    g = 2.0 * rng.normal(size=(*lead, rows))
    g[..., 2::3] = -np.abs(g[..., 2::3])
    mu, R = rng.uniform(0.2, 0.9, (*lead, contacts)), rng.uniform(0.02, 0.1, (*lead, rows))
    return ContactParts(np.swapaxes(W, -1, -2) @ W / 5 + 0.1 * np.eye(rows), g, mu, R)


#: a box on four corners of a face, with as many forces as there are ways to stand: G and g
def box_on_four_corners(push: float) -> tuple[Array, Array]:
    rows = [
        np.hstack([np.eye(3), [[0, -0.1, -y], [0.1, 0, x], [y, -x, 0]]])
        for x, y in ((0.1, 0.1), (-0.1, 0.1), (0.1, -0.1), (-0.1, -0.1))
    ]
    J = np.vstack(rows)
    return J @ np.diag([1.0] * 3 + [150.0] * 3) @ J.T, J @ np.array(
        [push, 0.0, -9.81, 0.0, 0.0, 0.0]
    )
