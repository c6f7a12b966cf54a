# SPDX-License-Identifier: BSD-2-Clause
"""tools/make_gso_objects.py: meshes with their parts, the same file from the same input, and the
file that the package ships."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import tactum
from tactum import _demo_mesh

TOOL = Path(__file__).resolve().parents[2] / "tools" / "make_gso_objects.py"


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(TOOL), *map(str, words)], capture_output=True, text=True, check=False
    )


def test_meshes_with_parts(tmp_path: Path) -> None:
    hull = tactum.Convex.from_points(np.array(list(product((0.0, 0.5), repeat=3))))
    for folder in ("mesh", "vhacd"):
        (tmp_path / folder).mkdir()
        tactum.Mesh(vertices=hull.vertices, triangles=hull.faces).save(
            tmp_path / folder / "cube.obj"
        )
    for output in ("1.npz", "2.npz"):
        shown = run(tmp_path, "--output", tmp_path / output, "--objects", "cube")
        assert shown.returncode == 0 and "1 objects" in shown.stdout, shown.stderr
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()
    with np.load(tmp_path / "1.npz", allow_pickle=False) as archive:
        assert archive["num_parts"].tolist() == [1]
        np.testing.assert_array_equal(archive["part_vertices"].max(axis=0), [0.5, 0.5, 0.5])
    failed = run(tmp_path, "--output", tmp_path / "3.npz", "--objects", "none")
    assert failed.returncode == 1 and "none" in failed.stderr


def test_objects_of_the_package() -> None:
    for name in ("Cole_Hardware_Bowl_Scirocco_YellowBlue", _demo_mesh.MUG):
        mesh, parts = _demo_mesh.load_object(name)
        report = mesh.report()
        assert report.closed and report.oriented and mesh.solid
        assert len(mesh.triangles) == 3000 and len(parts) == 32
        assert 0.8 < parts.volume() / report.volume < 2.0


def test_a_mug_hangs_on_a_peg() -> None:
    found = _demo_mesh.run()
    # the hull fills the handle; parts and triangles leave the hole
    assert found.hull.status == tactum.Status.penetrating
    assert 0.0 < found.by_parts.distance < found.exact.distance
    assert 0.0 <= found.contact.distance < 1e-9
    # what it fell is as far as the peg can be lifted: a little more and they cross
    lower = tactum.distance(
        found.mesh, _demo_mesh.lowered(found.drop + 1e-6), _demo_mesh.PEG, found.X_peg
    )
    assert lower.upper < 0.0
