# SPDX-License-Identifier: BSD-2-Clause
"""Hulls from arrays."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import tactum
from kinds import Array, cube_corners, random_pose

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
TETRAHEDRON_FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def signed_volume(vertices: Array, faces: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> float:
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def test_hull_drops_duplicates_and_inner_points() -> None:
    inner = np.random.default_rng(0).uniform(-0.9, 0.9, size=(50, 3))
    hull = tactum.Convex.from_points(np.vstack([inner, cube_corners(), cube_corners()]))
    assert hull.dimension == 3
    assert {tuple(v) for v in hull.vertices} == {tuple(v) for v in cube_corners()}
    assert hull.faces.shape == (12, 3) and hull.faces.dtype == np.int32
    assert hull.vertices.dtype == np.float64
    assert signed_volume(hull.vertices, hull.faces) == pytest.approx(8.0)


def test_every_face_looks_outward() -> None:
    hull = tactum.Convex.from_points(np.random.default_rng(1).normal(size=(200, 3)))
    v, f = hull.vertices, hull.faces
    normals = np.cross(v[f[:, 1]] - v[f[:, 0]], v[f[:, 2]] - v[f[:, 0]])
    heights = np.einsum("fj,fvj->fv", normals, v[None, :, :] - v[f[:, 0]][:, None, :])
    assert heights.max() <= 1e-12


def test_neighbors_are_the_edges_of_the_faces() -> None:
    hull = tactum.Convex.from_points(np.random.default_rng(2).normal(size=(60, 3)))
    edges = {
        (int(f[i]), int(f[j])) for f in hull.faces for i in range(3) for j in range(3) if i != j
    }
    listed = {(i, int(j)) for i, row in enumerate(hull.neighbors) for j in row}
    assert listed == edges
    assert all(row.dtype == np.int32 for row in hull.neighbors)


@pytest.mark.parametrize(
    ("points", "dimension", "vertices", "faces"),
    [
        ([[1, 2, 3]], 0, 1, 0),
        ([[1, 2, 3]] * 5, 0, 1, 0),
        ([[0, 0, 0], [1, 1, 1], [2, 2, 2], [0.5, 0.5, 0.5]], 1, 2, 0),
        ([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1], [0.5, 0.5, 1]], 2, 4, 2),
        (TETRAHEDRON, 3, 4, 4),
    ],
)
def test_dimensions(points: object, dimension: int, vertices: int, faces: int) -> None:
    hull = tactum.Convex.from_points(points)
    assert (hull.dimension, len(hull.vertices), len(hull.faces)) == (dimension, vertices, faces)
    assert hull.vertices.shape == (vertices, 3) and hull.faces.shape == (faces, 3)
    assert len(hull.neighbors) == vertices
    again = pickle.loads(pickle.dumps(hull))
    assert again == hull and again.dimension == dimension


def test_from_a_mesh() -> None:
    for dtype in (np.int8, np.int32, np.int64, np.uint64):
        solid = tactum.Convex(
            vertices=TETRAHEDRON, faces=TETRAHEDRON_FACES.astype(dtype), margin=0.1
        )
        assert solid.volume() > 1 / 6
        assert solid.margin == 0.1 and solid.dimension == 3
    assert tactum.Convex(vertices=TETRAHEDRON, faces=TETRAHEDRON_FACES).volume() == pytest.approx(
        1 / 6
    )


@pytest.mark.parametrize(
    "faces",
    [
        TETRAHEDRON_FACES[:, ::-1],  # inside out
        TETRAHEDRON_FACES[:3],  # open
        [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4]],  # index out of range
        [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, -1]],
        [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 2**40]],
        [[0, 2, 1, 3]],  # quads
        [],
    ],
)
def test_bad_meshes_raise(faces: object) -> None:
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.Convex(vertices=TETRAHEDRON, faces=faces)
    assert caught.value.field.startswith("Convex") and caught.value.remedy


def test_a_dent_is_refused() -> None:
    vertices = np.vstack([cube_corners(), [[0.0, 0.0, 0.5]]])  # the top pushed in
    hull = tactum.Convex.from_points(cube_corners())
    order = [int(np.flatnonzero((cube_corners() == v).all(axis=1))[0]) for v in hull.vertices]
    top = {i for i in range(8) if vertices[i, 2] > 0}
    faces = [[order[i] for i in face] for face in hull.faces if not {order[i] for i in face} <= top]
    ring = [0b001, 0b101, 0b111, 0b011]  # counter-clockwise seen from above
    faces += [[ring[k], ring[(k + 1) % 4], 8] for k in range(4)]
    with pytest.raises(tactum.InvalidInput):
        tactum.Convex(vertices=vertices, faces=faces)


@pytest.mark.parametrize("kind", ["ball", "cube", "grid", "flat", "far", "tiny", "sliver"])
def test_pickled_hulls_answer_the_same_bits(kind: str) -> None:
    rng = np.random.default_rng(3)
    ball = rng.normal(size=(300, 3))
    points = {
        "ball": ball / np.linalg.norm(ball, axis=1, keepdims=True),
        "cube": rng.uniform(-1, 1, size=(200, 3)),
        "grid": np.array(
            [[x, y, z] for x in range(4) for y in range(4) for z in range(4)], dtype=float
        ),
        "flat": ball * [1.0, 1.0, 1e-9],
        "far": ball + 1e6,
        "tiny": ball * 1e-9,
        "sliver": np.array([[0, 0, 0], [1, 0, 0], [0.5, 1e-12, 0], [0.5, 0, 1e-3]]),
    }[kind]
    hull = tactum.Convex.from_points(points)
    again = pickle.loads(pickle.dumps(hull))
    assert again == hull and hash(again) == hash(hull)
    np.testing.assert_array_equal(again.vertices, hull.vertices)
    np.testing.assert_array_equal(again.faces, hull.faces)
    box = tactum.Box(half_extents=(0.3, 0.4, 0.5))
    for _ in range(20):
        X_WA, X_WB = random_pose(rng), random_pose(rng)
        first, second = (
            tactum.distance(hull, X_WA, box, X_WB),
            tactum.distance(again, X_WA, box, X_WB),
        )
        assert first.__getstate__() == second.__getstate__()


def test_points_are_not_kept() -> None:
    points = cube_corners()
    hull = tactum.Convex.from_points(points)
    points[:] = 7.0
    assert abs(hull.vertices).max() == 1.0


def test_strided_and_fortran_points() -> None:
    corners = cube_corners()
    wide = np.zeros((8, 6))
    wide[:, ::2] = corners
    for points in (
        wide[:, ::2],
        np.asfortranarray(corners),
        corners.astype(np.float32),
        corners.astype(int).tolist(),
    ):
        assert tactum.Convex.from_points(points) == tactum.Convex.from_points(corners)
