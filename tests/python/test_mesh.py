# SPDX-License-Identifier: BSD-2-Clause
"""Mesh from Python: arrays, files, report, samples, queries, pickle."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
import tactum

HALF = np.array([1.0, 2.0, 3.0])
SIGNS = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=float)
FACES = [
    (0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4),
    (2, 6, 7), (2, 7, 3), (0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5),
]  # fmt: skip


def box(half: np.ndarray = HALF, solid: bool = True) -> tactum.Mesh:
    return tactum.Mesh(vertices=SIGNS * half, triangles=FACES, solid=solid)


def at(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    X = np.eye(4)
    X[:3, 3] = x, y, z
    return X


def test_arrays_are_views_that_cannot_be_written() -> None:
    mesh = box()
    assert mesh.vertices.shape == (8, 3) and mesh.vertices.dtype == np.float64
    assert mesh.triangles.shape == (12, 3) and mesh.triangles.dtype == np.int32
    assert np.shares_memory(mesh.vertices, mesh.vertices)
    assert np.array_equal(mesh.vertices, SIGNS * HALF)
    with pytest.raises(ValueError):
        mesh.vertices[0, 0] = 1.0
    vertices = mesh.vertices
    del mesh
    assert vertices[7, 2] == 3.0


def test_value() -> None:
    mesh = box()
    assert mesh == box() and hash(mesh) == hash(box())
    assert mesh != box(solid=False) and mesh != box(2 * HALF)
    assert pickle.loads(pickle.dumps(mesh)) == mesh
    assert copy.deepcopy(mesh) is mesh and copy.copy(mesh) is mesh
    assert repr(mesh) == "Mesh(vertices=8, triangles=12, solid=True)"
    assert mesh.solid and mesh.nbytes > 8 * 24 + 12 * 12


def test_report() -> None:
    report = box().report()
    assert report.closed and report.manifold and report.oriented
    assert report.volume == pytest.approx(48.0) and report.area == pytest.approx(88.0)
    assert report.num_components == 1 and report.first_offending_edge is None
    assert repr(report).startswith("MeshReport(closed=True, manifold=True")
    open_box = tactum.Mesh(vertices=SIGNS, triangles=FACES[:-1])
    report = open_box.report()
    assert not report.closed and report.num_boundary_edges == 3
    assert report.first_offending_edge is not None and len(report.first_offending_edge) == 2
    for name in (
        "num_non_manifold_edges",
        "num_misoriented_edges",
        "num_duplicate_vertices",
        "num_duplicate_triangles",
        "num_degenerate_triangles",
        "num_unused_vertices",
    ):
        assert getattr(report, name) == 0


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"vertices": SIGNS, "triangles": [(0, 1, 8)]}, ValueError, "Mesh.triangles[0]: got vertex 8"),
        ({"vertices": SIGNS, "triangles": [(0, 1, -1)]}, ValueError, "Mesh.triangles[0, 2]: got -1"),
        ({"vertices": SIGNS, "triangles": []}, ValueError, "no triangles"),
        ({"vertices": SIGNS * math.nan, "triangles": FACES}, ValueError, "Mesh.vertices[0]: got nan"),
        ({"vertices": SIGNS[:, :2], "triangles": FACES}, ValueError, "Mesh.vertices"),
        ({"vertices": "abc", "triangles": FACES}, TypeError, "Mesh.vertices"),
        ({"vertices": SIGNS, "triangles": [(0.5, 1, 2)]}, TypeError, "Mesh.triangles"),
        ({"vertices": SIGNS, "triangles": FACES, "solid": 1}, TypeError, "Mesh.solid"),
        ({"vertices": SIGNS, "triangles": FACES[1:], "solid": True}, ValueError, "not closed"),
    ],
)  # fmt: skip
def test_bad_input_is_named(arguments: dict, error: type, text: str) -> None:
    with pytest.raises(error) as raised:
        tactum.Mesh(**arguments)
    assert text in str(raised.value)


def test_mass_hull_and_samples() -> None:
    mesh = box()
    expected = tactum.Box(half_extents=HALF).mass_properties(700.0)
    mass = mesh.mass_properties(700.0)
    assert mass.mass == pytest.approx(expected.mass)
    np.testing.assert_allclose(mass.inertia, expected.inertia, rtol=1e-13, atol=1e-9)
    assert mesh.mass_properties(2.0, shell=True).mass == pytest.approx(176.0)
    assert mesh.volume() == pytest.approx(48.0) and mesh.area() == pytest.approx(88.0)
    assert mesh.convex_hull().vertices.shape == (8, 3)
    assert np.array_equal(mesh.support((1, 1, -1)), HALF * (1, 1, -1))
    lower, upper = mesh.aabb(at(1.0))
    np.testing.assert_allclose(lower, np.add(-HALF, (1, 0, 0)), atol=1e-14)
    np.testing.assert_allclose(upper, np.add(HALF, (1, 0, 0)))
    for method in ("uniform", "poisson"):
        points, normals = mesh.sample(200, seed=4, method=method)
        assert points.shape == normals.shape == (200, 3)
        distances, _ = tactum.signed_distance(mesh, np.eye(4), points)
        assert np.abs(distances).max() < 1e-14
        assert np.array_equal(points, mesh.sample(200, seed=4, method=method)[0])
    with pytest.raises(ValueError, match="method"):
        mesh.sample(3, method="halton")
    with pytest.raises(ValueError, match="seed"):
        mesh.sample(3, seed=-1)


def test_files(tmp_path: Path) -> None:
    mesh = box(solid=False)
    for name in ("box.obj", "box.ply"):
        mesh.save(tmp_path / name)
        assert tactum.Mesh.from_file(tmp_path / name) == mesh
        assert tactum.Mesh.from_file(str(tmp_path / name), solid=True) == box()
    scaled = tactum.Mesh.from_file(tmp_path / "box.obj", scale=1e-3)
    np.testing.assert_allclose(scaled.vertices, 1e-3 * mesh.vertices)
    bad = tmp_path / "bad.obj"
    bad.write_text("v 0 0 0\nv 1 0 nan\n")
    with pytest.raises(tactum.InvalidInput) as raised:
        tactum.Mesh.from_file(bad)
    assert str(raised.value).startswith(f"{bad}:2: got 'nan'")
    with pytest.raises(FileNotFoundError, match="No such file"):
        tactum.Mesh.from_file(tmp_path / "none.stl")
    with pytest.raises(IsADirectoryError):
        tactum.Mesh.from_file(tmp_path)
    with pytest.raises(FileNotFoundError):
        mesh.save(tmp_path / "none" / "box.obj")
    with pytest.raises(TypeError, match="path"):
        tactum.Mesh.from_file(3)
    with pytest.raises(ValueError, match=r"write \.obj or \.ply"):
        mesh.save(tmp_path / "box.stl")


COLLADA = """<COLLADA><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="s">
<float_array>0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common>
<accessor count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles><input semantic="VERTEX" source="#v"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="w"><node>
<translate>0 0 5</translate><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


def test_collada(tmp_path: Path) -> None:
    path = tmp_path / "tetrahedron.dae"
    path.write_text(COLLADA)
    mesh = tactum.Mesh.from_file(path, solid=True)
    assert mesh.volume() == pytest.approx(1e-6 / 6)
    np.testing.assert_allclose(mesh.aabb()[0], (0, -0.06, 0), atol=1e-15)
    as_it_is = tactum.Mesh.from_file(path, apply_up_axis=False)
    np.testing.assert_allclose(as_it_is.aabb()[0], (0, 0, 0.05), atol=1e-15)
    path.write_text(COLLADA.replace("#g", "#h"))
    with pytest.raises(tactum.InvalidInput, match=r"tetrahedron.dae:\d+: got url '#h'"):
        tactum.Mesh.from_file(path)


def test_duplicates_are_merged_on_request_and_files_have_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "soup.obj"
    path.write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 4 5 6\nf 1 4 2\n"
    )
    as_it_is = tactum.Mesh.from_file(path)
    assert as_it_is.vertices.shape == (6, 3) and as_it_is.report().num_duplicate_vertices == 2
    merged = tactum.Mesh.from_file(path, merge_duplicates=True)
    np.testing.assert_array_equal(merged.vertices, [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    np.testing.assert_array_equal(merged.triangles, [(0, 1, 2), (0, 2, 3)])
    size = path.stat().st_size
    assert tactum.Mesh.from_file(path, max_bytes=size) == as_it_is
    with pytest.raises(tactum.InvalidInput, match=f"raise max_bytes, which is {size - 1}"):
        tactum.Mesh.from_file(path, max_bytes=size - 1)
    with pytest.raises(tactum.InvalidInput, match="max_bytes"):
        tactum.Mesh.from_file(path, max_bytes=-1)


def test_collada_of_robots_is_as_coal_reads_it() -> None:
    """Every public robot of example-robot-data, beside another reader."""
    coal = pytest.importorskip("coal")
    share = Path(coal.__file__).parents[4] / "share" / "example-robot-data"
    files = sorted(share.rglob("*.dae"))[::8]
    if not files:
        pytest.skip("example-robot-data is not installed")
    for path in files:
        mesh = tactum.Mesh.from_file(path, apply_up_axis=False)
        peer = coal.MeshLoader().load(str(path), np.ones(3))
        corners = np.array([peer.vertex(i) for i in range(peer.num_vertices)])
        used = mesh.vertices[np.unique(mesh.triangles)]
        size = np.ptp(used, axis=0).max()
        np.testing.assert_allclose(used.min(axis=0), corners.min(axis=0), atol=1e-5 * size)
        np.testing.assert_allclose(used.max(axis=0), corners.max(axis=0), atol=1e-5 * size)


def test_self_intersections() -> None:
    mesh = box()
    assert mesh.report().num_self_intersections is None
    assert mesh.report(self_intersections=True).num_self_intersections == 0
    twice = tactum.Mesh(
        vertices=np.vstack([mesh.vertices, mesh.vertices + np.array((0.5, 0.25, 0.125))]),
        triangles=np.vstack([mesh.triangles, mesh.triangles + 8]),
    )
    pairs = tactum.self_intersections(twice)
    assert pairs.shape[1] == 2 and len(pairs) > 5
    assert (pairs[:, 0] < 12).all() and (pairs[:, 1] >= 12).all()
    assert twice.report(self_intersections=True).num_self_intersections == len(pairs)
    assert len(tactum.self_intersections(twice, max_pairs=2)) == 2
    with pytest.raises(ValueError, match="max_pairs"):
        tactum.self_intersections(twice, max_pairs=-1)


def test_distance_of_meshes_and_shapes() -> None:
    mesh, surface = box(), box(solid=False)
    apart = tactum.distance(mesh, np.eye(4), mesh, at(5.0))
    assert apart.distance == pytest.approx(3.0) and apart.status == tactum.Status.separated
    np.testing.assert_allclose(apart.normal, (1, 0, 0), atol=1e-15)
    again = tactum.distance(mesh, np.eye(4), mesh, at(5.0), warm_start=apart.warm_start)
    assert again.distance == apart.distance
    ball = tactum.Sphere(radius=0.5)
    assert tactum.distance(ball, at(4.0), mesh, np.eye(4)).distance == pytest.approx(2.5)
    assert tactum.distance(mesh, np.eye(4), ball, at(4.0)).distance == pytest.approx(2.5)
    inside = tactum.distance(mesh, np.eye(4), ball, np.eye(4))
    assert inside.upper < 0 and inside.lower == pytest.approx(-1.5)
    assert tactum.distance(surface, np.eye(4), ball, np.eye(4)).distance == pytest.approx(0.5)
    assert tactum.collide(mesh, np.eye(4), ball, np.eye(4))
    assert not tactum.collide(surface, np.eye(4), ball, np.eye(4))
    assert tactum.collide(ball, np.eye(4), mesh, np.eye(4)).status == tactum.Status.penetrating
    far = tactum.distance(mesh, np.eye(4), mesh, at(9.0), cutoff=1.0)
    assert far.status == tactum.Status.beyond_cutoff and 1.0 < far.lower <= 7.0


def test_points_and_rays() -> None:
    mesh = box()
    points = np.random.default_rng(3).uniform(-4, 4, (100, 3))
    distances, gradients = tactum.signed_distance(mesh, np.eye(4), points)
    expected, _ = tactum.signed_distance(tactum.Box(half_extents=HALF), np.eye(4), points)
    np.testing.assert_allclose(distances, expected, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(gradients, axis=1), 1.0)
    for point, distance in zip(points, distances, strict=True):
        assert tactum.winding_number(mesh, point) == int(distance < 0)
    hit = tactum.ray_cast(mesh, np.eye(4), (5, 0.3, 0.2), (-1, 0, 0))
    assert hit.distance == pytest.approx(4.0)
    assert not tactum.ray_cast(mesh, np.eye(4), (5, 0.3, 0.2), (1, 0, 0))
    with pytest.raises(ValueError, match=r"points\[1, 0\]"):
        tactum.signed_distance(mesh, np.eye(4), [(0, 0, 0), (math.inf, 0, 0)])


def test_what_is_no_mesh_is_refused() -> None:
    for call in (
        lambda: tactum.distance(box(), np.eye(4), "box", np.eye(4)),
        lambda: tactum.collide(None, np.eye(4), box(), np.eye(4)),
        lambda: tactum.winding_number(tactum.Sphere(radius=1.0), (0, 0, 0)),
        lambda: tactum.distance(box(), np.eye(4), box(), np.eye(4), warm_start=3),
    ):
        with pytest.raises(TypeError):
            call()
