# SPDX-License-Identifier: BSD-2-Clause
"""`tactum mesh`, `tactum decompose` and mesh files of `tactum distance`."""

import json

import numpy as np
import pytest
import tactum
from tactum.cli import main

CUBE = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=float)
FACES = [(0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4)]
FACES += [(2, 6, 7), (2, 7, 3), (0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5)]


@pytest.fixture
def cube(tmp_path):
    path = tmp_path / "cube.obj"
    tactum.Mesh(vertices=CUBE, triangles=FACES).save(path)
    return path


def test_report(cube, capsys):
    assert main(["mesh", str(cube), "--scale", "0.1"]) == 0
    text = capsys.readouterr().out
    assert "closed      yes, manifold yes, oriented yes, 1 components" in text
    assert "volume      0.008 m^3, area 0.24 m^2" in text
    assert "faults" not in text


def test_report_of_faults(tmp_path, capsys):
    path = tmp_path / "open.ply"
    tactum.Mesh(vertices=CUBE, triangles=FACES[1:]).save(path)
    assert main(["mesh", str(path), "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert (report["closed"], report["solid"], report["boundary_edges"]) == (False, False, 3)
    assert len(report["first_offending_edge"]) == 2
    assert main(["mesh", str(path)]) == 0
    text = capsys.readouterr().out
    assert "faults      3 boundary edges" in text
    assert "first       edge of vertices" in text


def test_self_intersections(tmp_path, capsys):
    path = tmp_path / "crossing.obj"
    vertices = np.vstack([CUBE, CUBE + 0.7])
    tactum.Mesh(vertices=vertices, triangles=FACES + [tuple(i + 8 for i in f) for f in FACES]).save(
        path
    )
    assert main(["mesh", str(path), "--self-intersections"]) == 0
    assert "self intersections" in capsys.readouterr().out
    assert main(["mesh", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["self_intersections"] is None


def test_picture(cube, tmp_path, capsys):
    picture = tmp_path / "cube.png"
    assert main(["mesh", str(cube), str(cube), "--plot", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert len(picture.read_bytes()) > 5000


def test_bad_files(tmp_path, capsys):
    assert main(["mesh", str(tmp_path / "none.obj")]) == 2
    assert "none.obj" in capsys.readouterr().err
    (tmp_path / "bad.obj").write_text("v 0 0 0\nf 1 2 3\n")
    assert main(["mesh", str(tmp_path / "bad.obj")]) == 2
    assert "bad.obj:2" in capsys.readouterr().err


def test_distance_of_mesh_files(cube, tmp_path, capsys):
    other = tmp_path / "other.ply"
    tactum.Mesh(vertices=CUBE, triangles=FACES).save(other)
    words = ["distance", str(cube), f"{other},scale=0.5", "--pose", "2,0,0", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["distance"] == pytest.approx(0.5)
    assert "solid=True" in found["a"]
    assert main(["distance", str(cube), "sphere:radius=0.5", "--pose", "0,0,3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["distance"] == pytest.approx(1.5)
    assert main(["distance", f"{cube},size=3", str(cube)]) == 2
    assert "takes scale" in capsys.readouterr().err


def test_decompose_with_parts_from_a_file(cube, tmp_path, capsys):
    parts, picture = tmp_path / "parts.obj", tmp_path / "parts.png"
    (tmp_path / "given.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in CUBE))
    words = ["decompose", str(cube), "--parts", str(tmp_path / "given.obj")]
    assert main([*words, "--out", str(parts), "--plot", str(picture)]) == 0
    text = capsys.readouterr().out
    assert "parts              1 with 8 vertices" in text
    assert "covered            100.00 %" in text
    assert picture.read_bytes().startswith(b"\x89PNG")
    again = tactum.load_parts(parts, tactum.Mesh.from_file(cube))
    assert again == tactum.load_parts(tmp_path / "given.obj", tactum.Mesh.from_file(cube))
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["num_parts"] == 1


def test_decompose_says_what_is_wrong(cube, capsys):
    assert main(["decompose", str(cube), "--concavity", "7"]) == 2
    assert "concavity" in capsys.readouterr().err
