# SPDX-License-Identifier: BSD-2-Clause
"""Pairs of hulls that fall into a funnel, recorded at 120 Hz: the trajectories of GJK++, IV-D.

The paper dropped pairs of YCB objects with another simulator, from random poses with random linear
and angular velocities; it prints neither their ranges nor the funnel. Here four planes at 45 degrees
meet 0.1 m from the axis; one object starts just above the other; rotations are uniform, and every
component of the velocities is uniform within SPEED and SPIN; four steps of the simulator make a
frame.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import tactum

from .problems import Array, half_diagonal, random_rotations

Flags = npt.NDArray[np.bool_]

FRAME = 1.0 / 120.0  # s
SUBSTEPS = 4
DENSITY, FRICTION = 500.0, 0.5
SPEED, SPIN = 0.5, 5.0  # m/s, rad/s: the largest component of a first velocity


@dataclass(frozen=True)
class Drop:
    """Poses (T, 4, 4) of both objects, and whether their oriented boxes overlap (T,)."""

    a: tactum.Convex
    b: tactum.Convex
    X_WA: Array
    X_WB: Array
    near: Flags


def drop(a: tactum.Convex, b: tactum.Convex, rng: np.random.Generator, frames: int) -> Drop:
    """Both objects fall into the funnel for some frames, from random poses and velocities."""
    from tactum import sim

    builder = sim.ModelBuilder()
    for x, y in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
        builder.add_ground(friction=FRICTION, normal=(x, y, 1.0), offset=-0.1)
    builder.add_ground(friction=FRICTION, offset=0.0)
    height = 0.15
    for shape, rotation in zip((a, b), random_rotations(rng, 2), strict=True):
        radius = half_diagonal(shape)
        pose = np.eye(4)
        pose[:3, :3] = rotation
        pose[:3, 3] = *rng.uniform(-0.03, 0.03, 2), height + radius
        builder.add_body(shape, density=DENSITY, X=pose, friction=FRICTION)
        height += 2.0 * radius + 0.01
    model = builder.build()
    state = model.state()
    limits = np.tile(np.repeat([SPEED, SPIN], 3), 2)
    state.v = rng.uniform(-limits, limits)
    steps = SUBSTEPS * (frames - 1)
    options = sim.StepOptions(tolerance=1e-6)
    found = sim.rollout(
        model, state, np.zeros((steps, model.nv)), FRAME / SUBSTEPS, options=options
    )
    poses = found.q[::SUBSTEPS]
    X_WA, X_WB = (
        np.stack([tactum.pose_matrix(row) for row in poses[:, own]])
        for own in (slice(0, 7), slice(7, 14))
    )
    return Drop(a, b, X_WA, X_WB, boxes_overlap(a, X_WA, b, X_WB))


def boxes_overlap(a: tactum.Convex, X_WA: Array, b: tactum.Convex, X_WB: Array) -> Flags:
    """Whether the oriented boxes of both overlap, (T,)."""
    boxes = [tactum.oriented_box(shape) for shape in (a, b)]
    moved = [
        [tactum.OrientedBox(X=X @ box.X, half_extents=box.half_extents) for X in poses]
        for box, poses in zip(boxes, (X_WA, X_WB), strict=True)
    ]
    return np.array([one.overlaps(other) for one, other in zip(*moved, strict=True)])


def separation(found: Array, normal: Array) -> Array:
    """x of the paper: the vector from the nearest point of A to that of B, in penetration the other
    way round; (T, 3)."""
    return np.asarray(found[:, None] * normal)


def starts(motion: Drop) -> dict[str, Array]:
    """First directions (T, 3) from A to B in the frame of A, by the names of section IV-D. Frames
    without a last solution, whose boxes did not overlap, take the centers of the boxes."""
    X_AB = np.linalg.inv(motion.X_WA) @ motion.X_WB
    centers = [tactum.oriented_box(shape).X[:3, 3] for shape in (motion.a, motion.b)]
    boxes = X_AB[:, :3, :3] @ centers[1] + X_AB[:, :3, 3] - centers[0]
    last = tactum.distances(motion.a, np.eye(4), motion.b, X_AB)
    x = separation(last.distance, last.normal)
    previous, moved = boxes.copy(), boxes.copy()
    for t in np.flatnonzero(motion.near[:-1]) + 1:
        # x of the paper is a vector of the world, which A may have turned away from since
        turn = motion.X_WA[t, :3, :3].T @ motion.X_WA[t - 1, :3, :3]
        previous[t] = turn @ x[t - 1]
        moved[t] = transformed_previous(
            last.point_a[t - 1], last.point_b[t - 1], X_AB[t - 1], X_AB[t]
        )
    none = np.tile([1.0, 0.0, 0.0], (len(X_AB), 1))
    return {
        "none": none,
        "box centers": boxes,
        "previous": nonzero(previous, boxes),
        "transformed previous": nonzero(moved, boxes),
    }


def transformed_previous(point_a: Array, point_b: Array, last_X_AB: Array, X_AB: Array) -> Array:
    """The last separation vector, from the witness points in the frame of A, with that of B moved as
    B has moved relative to A since."""
    change = X_AB @ np.linalg.inv(last_X_AB)
    return np.asarray(change[:3, :3] @ point_b + change[:3, 3] - point_a)


def nonzero(given: Array, otherwise: Array) -> Array:
    """Rows that have a direction; contacts within rounding have none."""
    has = np.linalg.norm(given, axis=1) > 1e-12
    return np.where(has[:, None], given, otherwise)
