# SPDX-License-Identifier: BSD-2-Clause
"""Sphere-torus-patch volumes from Python: construction, pickles, meshes, and supports with their
proof."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import tactum
from kinds import cube_corners


def random_points(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, 3))


def test_properties_and_text() -> None:
    stp = tactum.Stp.from_points(cube_corners(0.5), small_radius=0.1, big_radius=3, margin=0.02)
    assert isinstance(stp, tactum.Shape)
    assert (stp.small_radius, stp.big_radius, stp.margin) == (0.1, 3.0, 0.02)
    assert (stp.num_points, stp.num_edges, stp.num_faces) == (8, 18, 12)
    np.testing.assert_array_equal(stp.points, cube_corners(0.5))
    assert stp.faces.shape == (12, 3)
    assert stp.faces.dtype == np.int32
    assert repr(stp) == "Stp(points=8, small_radius=0.1, big_radius=3.0, margin=0.02)"


def test_covered_points_are_dropped_and_the_rest_makes_the_same_volume() -> None:
    points = random_points(200, 1)
    stp = tactum.Stp.from_points(points, small_radius=0.05, big_radius=8.0)
    assert stp.num_points < 60
    again = tactum.Stp.from_points(stp.points, small_radius=0.05, big_radius=8.0)
    assert again == stp
    assert hash(again) == hash(stp)
    assert pickle.loads(pickle.dumps(stp)) == stp


def test_support_carries_its_proof() -> None:
    """c = s - R n is the lowest point within R - r of every point: n is a sum of p - c over the
    points that are at R - r."""
    points = random_points(30, 2)
    r, R = 0.1, 6.0
    stp = tactum.Stp.from_points(points, small_radius=r, big_radius=R)
    for n in random_points(200, 3):
        n /= np.linalg.norm(n)
        spokes = points - (stp.support(n) - R * n)
        lengths = np.linalg.norm(spokes, axis=1)
        assert lengths.max() <= R - r + 1e-12
        weights, *_ = np.linalg.lstsq(spokes[lengths >= R - r - 1e-11].T, n, rcond=None)
        assert spokes[lengths >= R - r - 1e-11].T @ weights == pytest.approx(n, abs=1e-9)
        assert weights.min() >= -1e-9


def test_smallest_big_radius_is_named() -> None:
    with pytest.raises(
        tactum.InvalidInput, match=r"Stp\.big_radius: got 0\.5; give at least 0\.966"
    ) as caught:
        tactum.Stp.from_points(cube_corners(0.5), small_radius=0.1, big_radius=0.5)
    named = float(str(caught.value).split("at least ")[1].split(" m")[0])
    assert (
        tactum.Stp.from_points(cube_corners(0.5), small_radius=0.1, big_radius=named).num_points
        == 8
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"points": [[0, 0, np.nan]], "small_radius": 0.1, "big_radius": 1.0},
        {"points": np.zeros((0, 3)), "small_radius": 0.1, "big_radius": 1.0},
        {"points": [[0, 0, 0]], "small_radius": -0.1, "big_radius": 1.0},
        {"points": [[0, 0, 0]], "small_radius": 1.0, "big_radius": 1.0},
        {"points": [[0, 0, 0]], "small_radius": 0.1, "big_radius": np.inf},
    ],
)
def test_bad_input_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(tactum.InvalidInput, match="Stp"):
        tactum.Stp.from_points(**arguments)  # type: ignore[arg-type]


def test_mesh_is_closed_and_holds_the_volume() -> None:
    stp = tactum.Stp.from_points(random_points(15, 4), small_radius=0.2, big_radius=5.0)
    mesh = stp.to_mesh(resolution=12)
    a, b, c = mesh.vertices[mesh.triangles].transpose(1, 0, 2)
    assert np.einsum("ij,ij", a, np.cross(b, c)) / 6 == pytest.approx(stp.volume(), rel=5e-3)
    edges = np.vstack(
        [mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]]
    )
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert set(map(tuple, edges)) == {(j, i) for i, j in edges}
    assert mesh.patches.dtype == np.uint8
    assert set(mesh.patches) == {0, 1, 2}
    assert isinstance(mesh, tactum.Mesh)
    assert mesh.report().closed
    assert mesh.report().volume == pytest.approx(stp.volume(), rel=5e-3)
    copied = pickle.loads(pickle.dumps(mesh))
    assert copied == mesh and np.array_equal(copied.patches, mesh.patches)
    with pytest.raises(tactum.InvalidInput, match="resolution"):
        stp.to_mesh(0)


def test_scene_file_keeps_it() -> None:
    scene = tactum.Scene()
    stp = tactum.Stp.from_points(random_points(9, 5), small_radius=0.1, big_radius=5.0, margin=0.01)
    scene.add(stp, np.eye(4))
    assert tactum.Scene.from_text(scene.to_text()).shape(0) == stp
