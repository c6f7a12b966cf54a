# SPDX-License-Identifier: BSD-2-Clause
"""Compounds and meshes wherever a shape goes: batches, tables, derivatives, patches, scenes and their
files, bridges."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tactum

SIGNS = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=float)
FACES = [(0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4), (2, 6, 7), (2, 7, 3)]
FACES += [(0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5)]


def cube(half: float, solid: bool = True) -> tactum.Mesh:
    return tactum.Mesh(vertices=half * SIGNS, triangles=FACES, solid=solid)


def at(x: float, y: float, z: float) -> Any:
    X = np.eye(4)
    X[:3, 3] = x, y, z
    return X


BALL = tactum.Sphere(radius=0.1)
PARTS = tactum.Compound(
    parts=[(BALL, at(-0.3, 0, 0)), (tactum.Box(half_extents=(0.1, 0.2, 0.1)), at(0.3, 0, 0))]
)
GEOMETRIES: list[Any] = [BALL, PARTS, cube(0.2), cube(0.2, solid=False)]


@pytest.mark.parametrize("a", GEOMETRIES)
@pytest.mark.parametrize("b", GEOMETRIES)
def test_every_query_takes_every_pair(a: Any, b: Any) -> None:
    X_WB = at(1.1, 0.13, 0.07)
    single = tactum.distance(a, np.eye(4), b, X_WB)
    assert single.status == tactum.Status.separated
    assert not tactum.collide(a, np.eye(4), b, X_WB)
    many = tactum.distances(a, np.eye(4), b, X_WB, derivative=tactum.Exact())
    assert many.distance[0] == single.distance
    derivative = tactum.distance_derivative(a, np.eye(4), b, X_WB)
    assert np.array_equal(many.distance_jacobian[0], derivative.distance_jacobian)
    assert np.allclose(derivative.distance_jacobian[6:9], single.normal)
    patch = tactum.contact_patch(a, np.eye(4), b, X_WB)
    assert len(patch) >= 1
    assert np.allclose(patch.points_b - patch.points_a, np.outer(patch.distances, patch.normal))
    jacobians = tactum.contact_patch_derivative(a, np.eye(4), b, X_WB)
    assert jacobians.distances_jacobian.shape == (len(patch), 12)
    assert tactum.contact_patches(a, np.eye(4), b, X_WB, cutoff=0.01) == []
    table = tactum.ShapeTable([BALL, a, b])
    rows = tactum.distances((table, [1, 1]), np.eye(4), (table, [2, 2]), np.stack([X_WB, X_WB]))
    assert rows.distance[0] == rows.distance[1] == single.distance


def test_a_table_keeps_what_it_holds() -> None:
    table = tactum.ShapeTable(GEOMETRIES)
    assert list(table) == GEOMETRIES
    assert pickle.loads(pickle.dumps(table)) == table
    assert tactum.ShapeTable([BALL, BALL]) != table
    with pytest.raises(TypeError, match=r"ShapeTable.shapes\[1\]"):
        tactum.ShapeTable([BALL, "mesh"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="convex"):
        tactum.contact_pose(
            (table, [0]), (table, [0]), (0, 0, 0.1), (0, 0, 0.1), start=np.eye(4)[None]
        )


def test_signed_distance_of_parts_and_of_meshes() -> None:
    points = np.random.default_rng(1).uniform(-0.5, 0.5, (200, 3))
    distances, gradients = tactum.signed_distance(PARTS, np.eye(4), points)
    of_parts = [tactum.signed_distance(shape, X, points)[0] for shape, X in PARTS.parts]
    assert np.allclose(distances, np.min(of_parts, axis=0), atol=1e-12)
    box = tactum.Box(half_extents=(0.2, 0.2, 0.2))
    of_mesh, _ = tactum.signed_distance(cube(0.2), np.eye(4), points)
    of_box, _ = tactum.signed_distance(box, np.eye(4), points)
    assert np.allclose(of_mesh, of_box, atol=1e-12)
    assert np.allclose(np.linalg.norm(gradients, axis=1), 1.0)


def test_scenes_hold_meshes_and_their_files(tmp_path: Path) -> None:
    scene = tactum.Scene()
    floor = scene.add(tactum.Mesh(vertices=SIGNS * [2, 2, 0.1], triangles=FACES, solid=True))
    box = scene.add(tactum.Box(half_extents=(0.1, 0.1, 0.1)), at(0, 0, 0.199))
    contacts = scene.contacts()
    assert len(contacts) == 4
    assert np.allclose(contacts.normal, (0, 0, 1)) and np.allclose(contacts.distance, -0.001)
    assert scene.raycast((1.0, 1.0, 1.0), (0, 0, -1)).id[0] == floor
    assert isinstance(scene.shape(floor), tactum.Mesh) and isinstance(scene.shape(box), tactum.Box)
    scene.save(tmp_path / "a.scene")
    assert len(list((tmp_path / "meshes").iterdir())) == 1
    for again in (
        tactum.Scene.load(tmp_path / "a.scene"),
        pickle.loads(pickle.dumps(scene)),
        copy.deepcopy(scene),
    ):
        assert again.to_text() == scene.to_text()
        assert again.shape(floor) == scene.shape(floor)
    assert tactum.Scene.from_text(scene.to_text(), roots=[tmp_path]).shape(floor) == scene.shape(
        floor
    )
    with pytest.raises(tactum.InvalidInput, match="line 2"):
        tactum.Scene.from_text(scene.to_text())
    (tmp_path / "other").mkdir()
    text = scene.to_text().replace("meshes/", "../meshes/")
    with pytest.raises(tactum.InvalidInput, match="without"):
        tactum.Scene.from_text(text, roots=[tmp_path / "other"])


def test_a_warm_start_names_the_last_triangles() -> None:
    a, b = cube(0.2), cube(0.2)
    first = tactum.distance(a, np.eye(4), b, at(1, 0.1, 0.1))
    assert first.warm_start.vertices == (first.part_a, first.part_b)
    again = tactum.distance(a, np.eye(4), b, at(1, 0.1, 0.1), warm_start=first.warm_start)
    assert again.distance == first.distance
    assert not tactum.collide(a, np.eye(4), b, at(1, 0.1, 0.1), warm_start=first.warm_start)


def test_what_is_for_convex_shapes_says_so() -> None:
    with pytest.raises(tactum.InvalidInput, match="parameters"):
        tactum.distance_derivative(cube(0.2), np.eye(4), BALL, at(1, 0, 0), parameters=True)
    with pytest.raises(tactum.InvalidInput, match="convex"):
        tactum.distances(
            PARTS, np.eye(4), BALL, at(1, 0, 0), derivative=tactum.Exact(), parameters=True
        )
    with pytest.raises(TypeError, match="convex parts"):
        tactum.Compound(parts=[(cube(0.2), np.eye(4))])  # type: ignore[list-item]
    with pytest.raises(tactum.InvalidInput, match="value"):
        value = tactum.distance(PARTS, np.eye(4), BALL, at(1, 0, 0))
        tactum.contact_patch(PARTS, np.eye(4), BALL, at(1, 0, 0), value=value)


def test_jax_differentiates_meshes() -> None:
    jax = pytest.importorskip("jax")
    import tactum.jax

    jax.config.update("jax_enable_x64", True)
    X_WB = np.array([1.1, 0.13, 0.07, 0.0, 0.0, 0.0, 1.0])

    def apart(X: Any) -> Any:
        return tactum.jax.distance(cube(0.2), np.eye(4), PARTS, X).distance

    gradient = jax.grad(apart)(X_WB)
    expected = tactum.distance(cube(0.2), np.eye(4), PARTS, X_WB).normal
    assert np.allclose(gradient[:3], expected, atol=1e-9)
