# SPDX-License-Identifier: BSD-2-Clause
"""The command line tool."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tactum
from kinds import cube_corners
from tactum.cli import main, parse_pose, parse_shape


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tactum", *words], capture_output=True, text=True, check=False
    )


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["distance", *words, "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_version_help_and_info() -> None:
    assert run("--version").stdout == f"tactum {tactum.__version__}\n"
    assert "distance" in run("--help").stdout
    assert "convex:points.npy" in run("distance", "--help").stdout
    info = run("info")
    assert info.returncode == 0
    shown = dict(line.split(maxsplit=1) for line in info.stdout.splitlines())
    assert shown["version"] == tactum.__version__ and shown["numpy"] == np.__version__
    assert {"compiler", "build", "platform", "python", "simd"} <= set(shown)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("sphere:radius=1", tactum.Sphere(radius=1)),
        ("Sphere:radius=1,margin=0.5", tactum.Sphere(radius=1, margin=0.5)),
        ("box:half_extents=0.1,0.2,0.3", tactum.Box(half_extents=(0.1, 0.2, 0.3))),
        (
            "box:half_extents=0.1,0.2,0.3,margin=1e-2",
            tactum.Box(half_extents=(0.1, 0.2, 0.3), margin=0.01),
        ),
        ("ellipsoid:semi_axes=1,2,3", tactum.Ellipsoid(semi_axes=(1, 2, 3))),
        ("capsule:radius=0.1,half_length=0.5", tactum.Capsule(radius=0.1, half_length=0.5)),
        ("cylinder:radius=0.1,half_length=0.5", tactum.Cylinder(radius=0.1, half_length=0.5)),
        ("cone:half_length=0.5,radius=0.1", tactum.Cone(radius=0.1, half_length=0.5)),
        ("half_space", tactum.HalfSpace()),
        ("halfspace:normal=0,1,0,offset=-2", tactum.HalfSpace(normal=(0, 1, 0), offset=-2)),
    ],
)
def test_shape_expressions(text: str, shape: tactum.Shape) -> None:
    assert parse_shape(text) == shape


def test_points_from_files(tmp_path: Path) -> None:
    corners = cube_corners()
    np.save(tmp_path / "p.npy", corners)
    np.save(tmp_path / "f.npy", corners.astype(np.float32))
    (tmp_path / "p.txt").write_text(
        "# corners\n" + "\n".join(" ".join(map(str, row)) for row in corners) + "\n\n"
    )
    (tmp_path / "p.csv").write_text("\n".join(",".join(map(str, row)) for row in corners))
    for name in ("p.npy", "f.npy", "p.txt", "p.csv"):
        assert parse_shape(f"convex:{tmp_path / name}") == tactum.Convex.from_points(corners)
    assert parse_shape(f"convex:{tmp_path / 'p.csv'},margin=0.25") == tactum.Convex.from_points(
        corners, margin=0.25
    )
    volume = tactum.Stp.from_points(corners, small_radius=0.1, big_radius=5.0)
    assert parse_shape(f"stp:{tmp_path / 'p.csv'},small_radius=0.1,big_radius=5") == volume
    with pytest.raises(ValueError, match=r"from_points: big_radius is missing"):
        parse_shape(f"stp:{tmp_path / 'p.csv'},small_radius=0.1")


def test_poses() -> None:
    np.testing.assert_array_equal(parse_pose("1,2,3")[:3, 3], [1, 2, 3])
    np.testing.assert_allclose(
        parse_pose("1,2,3,0,0,1,0")[:3, :3], np.diag([-1, -1, 1]), atol=1e-15
    )
    np.testing.assert_array_equal(parse_pose(",".join(map(str, np.eye(4).ravel()))), np.eye(4))


def test_distance_as_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["distance", "sphere:radius=1", "sphere:radius=1", "--pose", "0,0,3"]) == 0
    shown = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert (
        shown["status"] == "separated"
        and shown["distance"] == "1.0 m"
        and shown["normal"] == "0.0 0.0 1.0"
    )
    answer = ask(capsys, "sphere:radius=1", "sphere:radius=1", "--pose-b", "0,0,3")
    assert (
        answer["distance"] == 1.0
        and answer["status"] == "separated"
        and answer["point_a"] == [0.0, 0.0, 1.0]
    )
    assert answer["a"] == "Sphere(radius=1.0, margin=0.0)" or "Sphere" in str(answer["a"])


def test_pose_of_b_in_the_frame_of_a(capsys: pytest.CaptureFixture[str]) -> None:
    shapes = ("box:half_extents=0.1,0.2,0.3", "cone:radius=0.1,half_length=0.2")
    # A turned by half a turn about z: 1 along its x is -1 along the world's
    relative = ask(capsys, *shapes, "--pose-a", "5,0,0,0,0,1,0", "--pose", "1,0,0")
    world = ask(capsys, *shapes, "--pose-a", "5,0,0,0,0,1,0", "--pose-b", "4,0,0,0,0,1,0")
    assert relative["distance"] == pytest.approx(world["distance"], abs=1e-12)
    np.testing.assert_allclose(np.array(relative["normal"]), [-1, 0, 0], atol=1e-9)


def test_negative_numbers_need_no_equals_sign(capsys: pytest.CaptureFixture[str]) -> None:
    answer = ask(capsys, "half_space", "sphere:radius=1", "--pose", "-1,0,5")
    assert answer["distance"] == pytest.approx(4.0)
    assert ask(capsys, "half_space", "sphere:radius=1", "--pose=-.5,0,5")[
        "distance"
    ] == pytest.approx(4.0)


@pytest.mark.parametrize(
    "words",
    [
        ["ball:radius=1", "sphere:radius=1"],
        ["sphere", "sphere:radius=1"],
        ["sphere:radius=-1", "sphere:radius=1"],
        ["sphere:radius=nan", "sphere:radius=1"],
        ["sphere:radius=1_0", "sphere:radius=1"],
        ["sphere:radius=", "sphere:radius=1"],
        ["sphere:radius=1,2", "sphere:radius=1"],
        ["sphere:1", "sphere:radius=1"],
        ["sphere:radius=1,radius=2", "sphere:radius=1"],
        ["sphere:diameter=1", "sphere:radius=1"],
        ["box:half_extents=1,2", "sphere:radius=1"],
        ["", "sphere:radius=1"],
        ["convex:", "sphere:radius=1"],
        ["convex:/nowhere/points.npy", "sphere:radius=1"],
        ["convex:/dev/zero", "sphere:radius=1"],
        ["half_space", "half_space"],
        ["sphere:radius=1", "sphere:radius=1", "--pose", "1,2"],
        ["sphere:radius=1", "sphere:radius=1", "--pose", "a,b,c"],
        ["sphere:radius=1", "sphere:radius=1", "--pose", "0,0,0,0,0,0,0"],
        ["sphere:radius=1", "sphere:radius=1", "--pose", "inf,0,0"],
    ],
)
def test_bad_input_ends_with_2_and_one_line(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["distance", *words]) == 2
    shown = capsys.readouterr()
    assert (
        shown.out == "" and shown.err.startswith("tactum: error: ") and shown.err.count("\n") == 1
    )


def test_an_unknown_size_is_answered_with_the_known_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["distance", "capsule:radius=1", "half_space"]) == 2
    assert "Capsule: half_length is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["nothing"],
        ["distance"],
        ["distance", "sphere:radius=1"],
        ["distance", "half_space", "sphere:radius=1", "--pose", "1,0,0", "--pose-b", "1,0,0"],
    ],
)
def test_bad_usage_ends_with_2(words: list[str]) -> None:
    shown = run(*words)
    assert (
        shown.returncode == 2
        and shown.stdout == ""
        and "usage: tactum" in shown.stderr
        and "Traceback" not in shown.stderr
    )


def test_bad_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 3), }"
    files = {
        "header.npy": header.ljust(127) + b"\n",  # promises far more than it holds
        "object.npy": b"\x93NUMPY\x01\x00v\x00"
        + b"{'descr': '|O', 'fortran_order': False, 'shape': (1, 3), }".ljust(117)
        + b"\nX",
        "empty.npy": b"",
        "noise.npy": os.urandom(300),
        "empty.txt": b"",
        "words.txt": b"x,y,z\n1,2,3\n",
        "ragged.txt": b"1 2 3\n4 5\n",
        "binary.txt": b"\xff\xfe\x00\x01",
        "nan.txt": b"1 2 nan\n",
        "huge.txt": b"1 2 1e400\n",
        "locale.txt": b"1,5 2,5 3,5\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        assert main(["distance", f"convex:{tmp_path / name}", "half_space"]) == 2, name
        error = capsys.readouterr().err
        assert error.startswith("tactum: error: A: ") and "Traceback" not in error, name
    np.save(tmp_path / "flat.npy", np.zeros((5, 2)))
    np.save(tmp_path / "complex.npy", np.zeros((5, 3), dtype=complex))
    for name in ("flat.npy", "complex.npy"):
        assert main(["distance", f"convex:{tmp_path / name}", "half_space"]) == 2
        assert "shape (N, 3)" in capsys.readouterr().err
    assert main(["distance", f"convex:{tmp_path}", "half_space"]) == 2


BALLS = ("sphere:radius=1", "sphere:radius=1", "--pose")


def test_collide_answers_by_its_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collide", *BALLS, "1,0,0"]) == 0
    assert capsys.readouterr().out == "colliding\n"
    assert main(["collide", *BALLS, "3,0,0"]) == 1
    assert capsys.readouterr().out.startswith("apart by ")
    assert main(["collide", *BALLS, "3,0,0", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["colliding"] is False
    assert main(["collide", "sphere:radius=-1", "half_space"]) == 2


def test_options_of_distance(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["distance", *BALLS, "3,0,0", "--cutoff", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "beyond_cutoff"
    assert main(["distance", *BALLS, "3,0,0", "--tolerance", "2"]) == 2
    assert "tolerance: got 2;" in capsys.readouterr().err
    picture = tmp_path / "pair.png"
    words = ["distance", *BALLS, "3,0,0", "--derivative", "--json", "--plot", str(picture)]
    assert main(words) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["distance_jacobian"][:3] == [-1.0, 0.0, 0.0] and report["smooth"] is True
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main(["distance", *BALLS, "3,0,0", "--derivative"]) == 0
    mesh = str(Path(__file__).parents[1] / "data" / "robots" / "tetrahedron.obj")
    assert main(["distance", mesh, "sphere:radius=0.1", "--pose", "3,0,0", "--derivative"]) == 0
    assert "smooth     True" in capsys.readouterr().out


def test_standard_input_is_a_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("0 0 0\n1 0 0\n"))
    assert main(["distance", "convex:-", "sphere:radius=1", "--pose", "4,0,0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["distance"] == 2.0
    scene = tactum.Scene()
    scene.add(tactum.Sphere(radius=1.0))
    monkeypatch.setattr("sys.stdin", io.StringIO(scene.to_text()))
    assert main(["scene", "-"]) == 0
    assert "objects    1" in capsys.readouterr().out


def test_what_is_no_text_or_no_file_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe\x00"), "utf-8"))
    assert main(["scene", "-"]) == 2
    assert capsys.readouterr().err == "tactum: error: -: not a text file\n"
    assert main(["distance", "convex:/dev/null", "half_space"]) == 2
    assert "/dev/null: not a regular file; - reads standard input" in capsys.readouterr().err


def test_a_file_that_is_no_scene_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    np.save(tmp_path / "points.npy", np.arange(30.0).reshape(10, 3))
    assert main(["scene", str(tmp_path / "points.npy")]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("tactum: error: scene file, line 1") and shown.count("\n") == 1
    assert main(["scene", str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_a_closed_pipe_is_quiet() -> None:
    command = f"{sys.executable} -m tactum info | true; echo ${{PIPESTATUS[0]}}"
    shown = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert shown.stderr == "" and shown.stdout.strip() in ("0", "141")


def test_info_names_the_optional_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["version"] == tactum.__version__
    assert report["optional"]["matplotlib"] is True and {"gpu", "sim"} <= set(report["optional"])


def test_the_folder_for_cmake_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--cmake-dir"]) == 0
    folder = Path(capsys.readouterr().out.strip())
    assert (folder / "tactumConfig.cmake").is_file()
    assert (folder.parent / "include" / "tactum" / "tactum.hpp").is_file()
