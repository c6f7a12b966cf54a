# SPDX-License-Identifier: BSD-2-Clause
"""Surfaces of shapes as triangles: Shape.to_mesh."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import tactum

from ._errors import InvalidInput

Array = npt.NDArray[np.float64]


def directions(resolution: int) -> Array:
    """Unit vectors in rings around z, off the axes by half a step, so that flat faces give their
    corners."""
    rings = max(resolution // 2, 2)
    polar = (np.arange(rings) + 0.5) * np.pi / rings
    turn = (np.arange(resolution) + 0.5) * 2 * np.pi / resolution
    p, t = np.meshgrid(polar, turn, indexing="ij")
    return np.stack([np.sin(p) * np.cos(t), np.sin(p) * np.sin(t), np.cos(p)], axis=-1).reshape(
        -1, 3
    )


def plate(shape: tactum.HalfSpace, size: float) -> tactum.Mesh:
    """A square of the plane that bounds a half-space, around the point nearest to its origin."""
    if not (np.isfinite(size) and size > 0.0):
        raise InvalidInput("size", repr(size), "give a positive length in metres")
    first, second = np.linalg.svd(shape.normal[None, :])[2][1:]
    if np.cross(first, second) @ shape.normal < 0.0:
        second = -second
    top = (shape.offset + shape.margin) * shape.normal
    corners = [
        top + size * (x * first + y * second) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    return tactum.Mesh(vertices=np.array(corners), triangles=[[0, 1, 2], [0, 2, 3]])


def compound_mesh(compound: tactum.Compound, resolution: int = 32) -> tactum.Mesh:
    """Compound.to_mesh."""
    vertices, triangles, count = [], [], 0
    for part, X in compound.parts:
        mesh = part.to_mesh(resolution)
        vertices.append(mesh.vertices @ X[:3, :3].T + X[:3, 3])
        triangles.append(mesh.triangles + count)
        count += len(mesh.vertices)
    return tactum.Mesh(vertices=np.concatenate(vertices), triangles=np.concatenate(triangles))


def shape_mesh(shape: tactum.Shape, resolution: int = 32, size: float = 1.0) -> tactum.Mesh:
    """Shape.to_mesh."""
    if isinstance(resolution, bool) or not isinstance(resolution, (int, np.integer)):
        raise TypeError(f"resolution: got {type(resolution).__name__}; give an integer")
    if not 4 <= resolution <= 1024:
        raise InvalidInput("resolution", str(resolution), "give 4 to 1024")
    if isinstance(shape, tactum.HalfSpace):
        return plate(shape, size)
    if isinstance(shape, tactum.Convex) and shape.margin == 0.0:
        hull = shape
    else:
        hull = tactum.Convex.from_points(shape.support(directions(int(resolution))))
    return tactum.Mesh(vertices=hull.vertices, triangles=hull.faces, solid=hull.dimension == 3)
