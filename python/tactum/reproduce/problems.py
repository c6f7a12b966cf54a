# SPDX-License-Identifier: BSD-2-Clause
"""Collision problems at chosen distances, as in section IV of GJK++: random relative poses of
shapes that do not intersect, then B moved along the axis of the closest points.

All shapes have the center of their bounding box at their origin. Along the axis the distance apart
is exactly what was asked for; a negative one is the depth along that axis, which is at least the
least depth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import tactum

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

REACH = 1.5  # the paper does not say how far apart its random poses are


@dataclass(frozen=True)
class Problems:
    """Relative poses (N, 4, 4) of one pair, A being at the identity."""

    a: tactum.Shape
    b: tactum.Shape
    X_AB: Array

    @property
    def initial_direction(self) -> Array:
        """From the box center of A to that of B, (N, 3): minus the x0 of the paper."""
        return np.ascontiguousarray(self.X_AB[:, :3, 3])


def random_rotations(rng: Rng, count: int) -> Array:
    """(N, 3, 3), uniform."""
    q = rng.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    poses = np.stack([tactum.pose_matrix(np.concatenate([np.zeros(3), row])) for row in q])
    return np.ascontiguousarray(poses[:, :3, :3])


def half_diagonal(shape: tactum.Shape) -> float:
    """Half the diagonal of the bounding box: no point is farther from the origin."""
    lower, upper = shape.aabb(np.eye(4))
    return 0.5 * float(np.linalg.norm(upper - lower))


def random_directions(rng: Rng, count: int) -> Array:
    """(N, 3) unit vectors, uniform."""
    made = rng.normal(size=(count, 3))
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True))


def separated_poses(a: tactum.Shape, b: tactum.Shape, rng: Rng, count: int) -> Problems:
    """Random rotations, centers uniform in a ball of REACH times both half diagonals; those that
    intersect are left out."""
    kept: list[Array] = []
    while sum(len(part) for part in kept) < count:
        poses = np.tile(np.eye(4), (2 * count, 1, 1))
        poses[:, :3, :3] = random_rotations(rng, 2 * count)
        radius = (
            REACH
            * (half_diagonal(a) + half_diagonal(b))
            * np.cbrt(rng.uniform(size=(2 * count, 1)))
        )
        poses[:, :3, 3] = radius * random_directions(rng, 2 * count)
        kept.append(
            poses[
                tactum.distances(
                    a, np.eye(4), b, poses, fields=("distance",), num_threads=1
                ).distance
                > 0
            ]
        )
    return Problems(a, b, np.concatenate(kept)[:count])


def at_distance(problems: Problems, target: float | Array) -> Problems:
    """Given problems with B moved along the axis of the closest points."""
    now = tactum.distances(
        problems.a,
        np.eye(4),
        problems.b,
        problems.X_AB,
        fields=("distance", "normal"),
        num_threads=1,
    )
    poses = problems.X_AB.copy()
    poses[:, :3, 3] += (target - now.distance)[:, None] * now.normal
    return Problems(problems.a, problems.b, poses)
