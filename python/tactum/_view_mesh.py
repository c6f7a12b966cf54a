# SPDX-License-Identifier: BSD-2-Clause
"""Triangles and colors of what a viewer shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from ._to_mesh import directions, shape_mesh

Array = npt.NDArray[np.float64]
Triangles = tuple[npt.NDArray[np.float32], npt.NDArray[np.uint32]]  #: vertices, corners
Color = tuple[int, int, int]

RESOLUTION = 24  #: of round shapes, points around
THIN = 2e-3  #: m, radius of what has no thickness
PALETTE: tuple[Color, ...] = (
    (92, 143, 204),
    (242, 158, 84),
    (107, 173, 117),
    (204, 112, 115),
    (153, 128, 189),
    (140, 153, 168),
)
GROUND: Color = (205, 208, 212)
FORCE: Color = (196, 38, 46)
NORMAL: Color = (30, 90, 200)
POINT: Color = (20, 20, 24)
BOUND: Color = (36, 132, 72)


def triangles_of(geometry: Any, size: float = 2.0) -> Triangles:
    """The surface of a shape, a compound or a mesh in its own frame; a half-space is a square with
    that half-width, in metres."""
    if isinstance(geometry, tactum.Compound):
        vertices, corners, count = [], [], 0
        for part, X in geometry.parts:
            points, faces = triangles_of(part, size)
            vertices.append(points @ X[:3, :3].T.astype(np.float32) + X[:3, 3].astype(np.float32))
            corners.append(faces + np.uint32(count))
            count += len(points)
        return np.concatenate(vertices), np.concatenate(corners)
    if isinstance(geometry, tactum.Mesh):
        mesh = geometry
    elif isinstance(geometry, tactum.Shape):
        mesh = surface_of(geometry, size)
    else:
        raise TypeError(f"geometry: got {type(geometry).__name__}; give a Shape, Compound or Mesh")
    return mesh.vertices.astype(np.float32), mesh.triangles.astype(np.uint32)


def surface_of(shape: tactum.Shape, size: float) -> tactum.Mesh:
    """The surface of a shape; points and segments, which have none, are drawn a little thicker."""
    try:
        return shape_mesh(shape, RESOLUTION, size)
    except tactum.InvalidInput:
        ends = np.unique(shape.support(directions(RESOLUTION)), axis=0)
        return shape_mesh(tactum.Convex.from_points(ends, margin=THIN), RESOLUTION, size)


def color_of(geometry: Any, index: int) -> Color:
    """The color of the object of that number."""
    return GROUND if isinstance(geometry, tactum.HalfSpace) else PALETTE[index % len(PALETTE)]


def quaternions(rotations: Array) -> Array:
    """(N, 4) unit quaternions w, x, y, z of (N, 3, 3) rotations."""
    R = np.asarray(rotations, dtype=np.float64)
    diagonal = R[:, [0, 1, 2], [0, 1, 2]]
    # the squares of the four components, times four; the largest is the one to divide by
    squares = 1.0 + np.stack(
        [
            diagonal.sum(axis=1),
            diagonal[:, 0] - diagonal[:, 1] - diagonal[:, 2],
            diagonal[:, 1] - diagonal[:, 0] - diagonal[:, 2],
            diagonal[:, 2] - diagonal[:, 0] - diagonal[:, 1],
        ],
        axis=1,
    )
    # row k: the products of component k with all four, times four
    products = np.empty((len(R), 4, 4))
    products[:, [0, 1, 2, 3], [0, 1, 2, 3]] = squares
    for i, j, k in ((1, 2, 3), (2, 3, 1), (3, 1, 2)):
        products[:, 0, i] = products[:, i, 0] = R[:, k - 1, j - 1] - R[:, j - 1, k - 1]
        products[:, i, j] = products[:, j, i] = R[:, j - 1, i - 1] + R[:, i - 1, j - 1]
    chosen = products[np.arange(len(R)), np.argmax(squares, axis=1)]
    return np.asarray(chosen / np.linalg.norm(chosen, axis=1, keepdims=True))


def size_of(geometries: list[Any], poses: Array) -> tuple[Array, float]:
    """Center and radius of a ball around all that is bounded; of the world's origin without any."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for geometry, X in zip(geometries, poses, strict=True):
        if not isinstance(geometry, tactum.HalfSpace):
            box = geometry.aabb(X)
            low, high = np.minimum(low, box[0]), np.maximum(high, box[1])
    if not np.all(np.isfinite(low)):
        return np.zeros(3), 1.0
    return 0.5 * (low + high), max(0.5 * float(np.linalg.norm(high - low)), 1e-6)


def bound_ticks(result: Any, length: float) -> tuple[Array, Array]:
    """Where the ticks of the proved bounds of a distance begin, from the witness point on A along the
    normal, and how they run across it: (K, 3) each, in metres; K is the number of finite bounds."""
    bounds = np.array([bound for bound in (result.lower, result.upper) if np.isfinite(bound)])
    normal = np.asarray(result.normal, dtype=np.float64)
    across = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    across *= length / max(float(np.linalg.norm(across)), 1e-300)
    middle = np.asarray(result.point_a) + bounds[:, None] * normal
    return middle - 0.5 * across, np.tile(across, (len(bounds), 1))
