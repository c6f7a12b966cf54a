# SPDX-License-Identifier: BSD-2-Clause
"""Every object of the data folder loads, reports and answers.

The folder is the one that TACTUM_DATA names, else shared/data beside the project.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest
import tactum

BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "data"
DATA = os.environ.get("TACTUM_DATA") or str(BESIDE)
pytestmark = pytest.mark.skipif(
    not Path(DATA, "ycb").is_dir(),
    reason=f"no real objects (ycb/, gso/) in {DATA}; TACTUM_DATA may name their folder",
)


def files() -> list[Path]:
    return sorted(
        path
        for folder in ("ycb/full", "ycb/dec2k", "gso/mesh", "gso/vhacd")
        for path in Path(DATA, folder).glob("*")
    )


def check(path: Path) -> None:
    mesh = tactum.Mesh.from_file(path)
    report = mesh.report()
    assert report.area > 0 and report.num_components >= 1
    lower, upper = mesh.aabb()
    size = float(np.linalg.norm(upper - lower))
    ball = tactum.Sphere(radius=0.1 * size)
    X = np.eye(4)
    X[:3, 3] = upper + 0.2 * size
    apart = tactum.distance(mesh, np.eye(4), ball, X)
    assert apart.status == tactum.Status.separated
    nearest = np.linalg.norm(mesh.vertices - X[:3, 3], axis=1).min() - 0.1 * size
    assert 0 < apart.distance <= nearest + 1e-12
    points, _ = mesh.sample(50, seed=1)
    distances, _ = tactum.signed_distance(mesh, np.eye(4), points)
    assert np.abs(distances).max() < 1e-12 * size
    hit = tactum.ray_cast(mesh, np.eye(4), points[0] + (0, 0, 2 * size), (0, 0, -1))
    assert hit and hit.point[2] >= points[0, 2] - 1e-9 * size
    X[:3, 3] = (0.7 * size, 0, 0)
    pair = tactum.distance(mesh, np.eye(4), mesh, X)
    assert pair.status != tactum.Status.not_converged
    assert bool(tactum.collide(mesh, np.eye(4), mesh, X)) == (pair.distance <= 0)


def test_every_object_loads_and_answers() -> None:
    assert len(files()) > 600
    for path in files():
        check(path)


@pytest.mark.parametrize(
    ("table", "column"), [("ycb/ycb.csv", "file_full"), ("gso/gso.csv", "file")]
)
def test_reports_agree_with_the_tables(table: str, column: str) -> None:
    """The tables were made with another library, before the files were written with six digits."""
    with Path(DATA, table).open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) > 50
    for row in rows:
        mesh = tactum.Mesh.from_file(Path(DATA, table).parent / row[column])
        report = mesh.report()
        assert mesh.vertices.shape[0] == int(row["vertices"]), row[column]
        assert mesh.triangles.shape[0] == int(row["faces"]), row[column]
        assert report.area == pytest.approx(float(row["area_m2"]), rel=1e-4), row[column]
        if row["watertight"] == "True":
            assert report.closed and report.oriented, row[column]
            assert report.volume == pytest.approx(float(row["volume_m3"]), rel=1e-4), row[column]


def test_self_intersections_agree_with_the_tables() -> None:
    """Another library counted the pairs of the decimated scans that have no corner in common."""
    with Path(DATA, "ycb/ycb.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    crossing = 0
    for row in rows:
        mesh = tactum.Mesh.from_file(Path(DATA, "ycb", row["file_2k"]))
        pairs = mesh.triangles[tactum.self_intersections(mesh)]
        in_common = (pairs[:, 0, :, None] == pairs[:, 1, None, :]).any(axis=(1, 2))
        expected = int(row["self_intersecting_pairs_2k"])
        assert np.count_nonzero(~in_common) == expected, row["object"]
        crossing += expected > 0
    assert crossing > 10


def test_a_sample_is_decomposed() -> None:
    pytest.importorskip("coacd")
    for name in ("gso/mesh/Design_Ideas_Drawer_Store_Organizer.obj", "ycb/dec2k/029_plate.obj"):
        mesh = tactum.Mesh.from_file(Path(DATA, name))
        parts = tactum.decompose(mesh, max_parts=8, concavity=0.2, cache=False)
        report = parts.report(samples=2000)
        size = float(np.linalg.norm(np.subtract(*mesh.aabb())))
        assert 1 <= report.num_parts <= 8
        assert report.covered is None or report.covered > 0.9
        assert report.largest_distance < 0.2 * size
        assert tactum.collide(parts, np.eye(4), mesh, np.eye(4))


def test_parts_that_come_with_the_objects_cover_them() -> None:
    for path in sorted(Path(DATA, "gso/vhacd").glob("*.obj"))[::60]:
        mesh = tactum.Mesh.from_file(Path(DATA, "gso/mesh", path.name))
        report = tactum.load_parts(path, mesh).report(samples=2000)
        assert report.num_parts >= 1
        assert report.covered is not None and report.covered > 0.9, path.name
        assert report.added is not None and report.added > -0.01
