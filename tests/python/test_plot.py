# SPDX-License-Identifier: BSD-2-Clause
"""Drawing: meshes of every shape against its volume and its support, pictures that show what they
should."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tactum
from tactum import plot

SHAPES: list[tactum.Shape] = [
    tactum.Sphere(radius=0.5),
    tactum.Ellipsoid(semi_axes=(0.3, 0.5, 0.2)),
    tactum.Box(half_extents=(0.3, 0.2, 0.1)),
    tactum.Box(half_extents=(0.3, 0.2, 0.1), margin=0.05),
    tactum.Capsule(radius=0.2, half_length=0.3),
    tactum.Cylinder(radius=0.2, half_length=0.3),
    tactum.Cone(radius=0.2, half_length=0.3),
    tactum.Convex.from_points(np.vstack([np.zeros(3), np.eye(3)])),
    tactum.Stp.from_points(np.eye(3), small_radius=0.1, big_radius=3.0),
]


@pytest.mark.parametrize("shape", SHAPES, ids=repr)
def test_a_mesh_has_the_volume_and_the_extent_of_its_shape(shape: tactum.Shape) -> None:
    stp = isinstance(shape, tactum.Stp)
    mesh = shape.to_mesh(16 if stp else 64)
    report = mesh.report()
    assert report.closed and report.oriented
    assert report.volume == pytest.approx(shape.volume(), rel=5e-3)
    directions = np.random.default_rng(2).normal(size=(50, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    heights = np.einsum("ij,ij->i", shape.support(directions), directions)
    reached = (mesh.vertices @ directions.T).max(axis=0)
    size = np.abs(mesh.vertices).max()
    assert np.all(reached <= heights + 1e-9 * size) and np.all(reached > heights - 6e-3 * size)


def test_boxes_are_exact_and_half_spaces_are_squares() -> None:
    box = tactum.Box(half_extents=(0.3, 0.2, 0.1)).to_mesh()
    assert len(box.vertices) == 8 and len(box.triangles) == 12
    plane = tactum.HalfSpace(normal=(0, 0.6, 0.8), offset=2.0)
    square = plane.to_mesh(size=0.5)
    assert np.allclose(square.vertices @ plane.normal, 2.0)
    assert square.report().area == pytest.approx(1.0)
    a, b, c = square.vertices[square.triangles[0]]
    assert np.cross(b - a, c - a) @ plane.normal > 0.0
    with pytest.raises(tactum.InvalidInput, match=r"resolution: got 3; give 4 to 1024"):
        tactum.Sphere(radius=1.0).to_mesh(3)


def test_support_of_many_directions_is_that_of_each() -> None:
    rng = np.random.default_rng(3)
    directions = rng.normal(size=(20, 3))
    for shape in SHAPES:
        many = shape.support(directions)
        assert many.shape == (20, 3)
        for point, direction in zip(many, directions, strict=True):
            assert np.array_equal(point, shape.support(direction))
        assert np.array_equal(shape.support(directions.tolist()), many)
    with pytest.raises(tactum.InvalidInput, match=r"direction"):
        SHAPES[0].support(np.zeros((4, 2)))


def test_unions_and_meshes_have_a_surface_and_supports_too() -> None:
    ball, box = SHAPES[0], SHAPES[2]
    union = tactum.Compound(parts=[(ball, None), (box, (1.0, 0, 0))])
    mesh = union.to_mesh(64)
    assert len(mesh.triangles) == len(ball.to_mesh(64).triangles) + 12
    assert np.allclose(mesh.aabb(), union.aabb(), atol=5e-3)
    assert mesh.to_mesh() is mesh
    directions = np.random.default_rng(4).normal(size=(10, 3))
    for shape in (union, mesh):
        many = shape.support(directions)
        for point, direction in zip(many, directions, strict=True):
            assert np.array_equal(point, shape.support(direction))
    image = pixels(plot.pair(union, None, box.to_mesh(), (0, 1.0, 0)))
    assert (image < 250).mean() > 0.02


def pixels(figure: object) -> np.ndarray:  # type: ignore[type-arg]
    figure.canvas.draw()  # type: ignore[attr-defined]
    return np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(float)  # type: ignore[attr-defined]


def test_a_pair_is_drawn_with_its_points(tmp_path: Path) -> None:
    figure = plot.pair(
        tactum.Sphere(radius=0.3), None, tactum.Box(half_extents=(0.2, 0.2, 0.2)), (1.0, 0, 0)
    )
    image = pixels(figure)
    blue, orange = image[..., 2] - image[..., 0] > 40, image[..., 0] - image[..., 2] > 40
    assert blue.mean() > 0.02 and orange.mean() > 0.02
    figure.savefig(tmp_path / "pair.png")
    assert (tmp_path / "pair.png").stat().st_size > 5000


def test_a_scene_is_drawn_with_contacts_and_forces() -> None:
    scene = tactum.Scene()
    scene.add(tactum.HalfSpace(), static=True)
    box = tactum.Box(half_extents=(0.2, 0.2, 0.1))
    scene.add(box, (0, 0, 0.1))
    scene.add(tactum.Compound(parts=[(box, None), (box, (0.5, 0, 0))]), (1.0, 0, 0.1))
    contacts = scene.contacts(margin=1e-6)
    bare, marked = pixels(plot.scene(scene)), pixels(plot.scene(scene, contacts))
    up = np.tile([0.0, 0.0, 1.0], (len(contacts), 1))
    pushed = pixels(plot.scene(scene, contacts, up))
    assert (bare < 250).any(axis=2).mean() > 0.2
    yellow = (marked[..., 0] > 200) & (marked[..., 1] > 170) & (marked[..., 2] < 90)
    assert yellow.sum() > 20 * len(contacts) / 12
    assert np.abs(pushed - marked).max() > 50
    with pytest.raises(tactum.InvalidInput, match=r"forces: got an array of shape \(2, 3\)"):
        plot.scene(scene, contacts, np.zeros((2, 3)))
    with pytest.raises(tactum.InvalidInput, match=r"scene: got no objects"):
        plot.scene(tactum.Scene())


def test_a_notebook_shows_a_figure() -> None:
    """IPython asks an object for its picture by this method; pyplot is not needed."""
    ball, box = tactum.Sphere(radius=0.2), tactum.Box(half_extents=(0.1, 0.2, 0.3))
    figure = plot.pair(ball, None, box, (0.6, 0.0, 0.0))
    picture = figure._repr_png_()
    assert picture.startswith(b"\x89PNG\r\n")
    width, height = (int.from_bytes(picture[i : i + 4], "big") for i in (16, 20))
    assert 300 < width < 700 and 250 < height < 600
    scene = tactum.Scene()
    scene.add(ball)
    assert plot.scene(scene)._repr_png_() != picture
