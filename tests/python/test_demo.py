# SPDX-License-Identifier: BSD-2-Clause
"""The demo: its tables, its pictures, and the child process that asks the other library."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import math
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
import tactum
from tactum import _demo_cases, _demo_sim, _plot, demo

CASE_FILE = Path(__file__).resolve().parents[1] / "data" / "hard_cases.txt"


def run_demo(out: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert demo.main(["--out", str(out), "--no-coal", "--pile", "60"]) == 0
    return capsys.readouterr().out


def test_writes_tables_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = run_demo(tmp_path, capsys)
    for name in demo.demo_shapes():
        assert name in text
    for case in _demo_cases.HARD_CASES:
        assert case.source in text
    assert "not asked" in text
    for name in demo.CONTACT_ESTIMATORS:
        assert name in text
    for name in (
        "pairs.png",
        "pass_through.png",
        "contact_pose.png",
        "pile.png",
        "stp.png",
        "mug.png",
    ):
        content = (tmp_path / name).read_bytes()
        assert content.startswith(b"\x89PNG")
        assert 10_000 < len(content) < 300_000
    assert "quadruped" in text
    assert (tmp_path / "fall.png").is_file() == _demo_sim.is_there()
    page = (tmp_path / "demo.html").read_text(encoding="utf-8")
    pictures = list(tmp_path.glob("*.png"))
    assert page.count('src="data:image/png;base64,') == len(pictures) and "http" not in page[:5000]
    assert all(f"<h2>{picture.stem}</h2>" in page for picture in pictures)
    assert "contact pose: two vertices" in page
    has_player = importlib.util.find_spec("viser") is not None and _demo_sim.is_there()
    assert ("<iframe srcdoc=" in page) == has_player
    with (tmp_path / "distances.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 63


def test_without_matplotlib_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = importlib.util.find_spec

    def hide(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "matplotlib" else find_spec(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", hide)
    text = run_demo(tmp_path, capsys)
    assert "pip install matplotlib" in text
    assert not list(tmp_path.glob("*.png"))


def test_every_pair_is_where_it_was_put() -> None:
    rows = demo.all_pairs(demo.Progress(63, io.StringIO()))
    by_names = {(row.a, row.b): row for row in rows}
    assert len(by_names) == 63 and ("HalfSpace", "HalfSpace") not in by_names
    targets = {"separated": 0.1, "touching": 0.0, "penetrating": -0.02}
    assert {row.status for row in rows} == set(targets)
    for row in rows:
        # moved along the normal: exact apart; in penetration another way out may be shorter
        target = targets[row.status]
        assert row.distance >= target - 1e-13
        assert row.status == "penetrating" or abs(row.distance - target) < 1e-13
        assert row.lower <= row.distance <= row.upper
        assert row.upper - row.lower <= 1e-10 * row.scale
        assert abs(row.distance - by_names[row.b, row.a].distance) < 1e-13


@pytest.mark.parametrize("case", _demo_cases.HARD_CASES, ids=lambda case: case.name)
def test_hard_cases_are_those_of_the_data_file_and_solved(case: _demo_cases.HardCase) -> None:
    text = CASE_FILE.read_text(encoding="utf-8")
    blocks = [block for block in text.split("\n\n") if f"source_url {case.source}\n" in block]
    fields = [dict(line.partition(" ")[::2] for line in block.splitlines()) for block in blocks]
    same = [
        f
        for f in fields
        if f["pose_a"].split() == case.pose_a.split() and f["pose_b"].split() == case.pose_b.split()
    ]
    assert [float(f["truth"]) for f in same] == [case.distance]

    result = _demo_cases.ask_tactum(case)
    assert result.lower <= case.distance <= result.upper
    assert abs(result.distance - case.distance) < 1e-12
    if case.normal is not None:
        assert demo.degrees_between(result.normal, case.normal) < 1e-4


def test_the_contact_pose_is_one() -> None:
    run = demo.contact_run(demo.Progress(5, io.StringIO()))
    found = run.found["adaptive smoothing"]
    assert found.status == tactum.ContactPoseStatus.converged
    np.testing.assert_allclose(
        found.pose[:3, :3] @ run.targets[1] + found.pose[:3, 3], run.targets[0], atol=1e-11
    )
    assert run.found["exact"].cost > 1e-4  # what the smoothing is for
    assert len(demo.contact_table(run)) == 1 + len(demo.CONTACT_ESTIMATORS)


# -------------------------------------------------------------------------------- the other library
@pytest.mark.parametrize(
    ("program", "failure"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "crashed (SIGSEGV)"),
        ("raise SystemExit(3)", "ended with exit code 3"),
        ("print('no JSON')", "ended with exit code 0"),
        ("print('[1, 2]')", "ended with exit code 0"),
        ("import time; time.sleep(60)", "no answer in 1 s"),
    ],
)
def test_a_failing_child_is_an_entry_of_the_table(
    program: str, failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_demo_cases, "TIMEOUT_SECONDS", 1.0)
    case = _demo_cases.HARD_CASES[0]
    answer = _demo_cases.ask_coal(case, (sys.executable, "-S", "-c", program))
    assert answer.failure == failure
    assert failure in demo.hard_case_table([(case, _demo_cases.ask_tactum(case), answer)])[1]


def test_an_answering_child() -> None:
    case = _demo_cases.HARD_CASES[0]
    reply = json.dumps({"distance": case.distance + 0.25, "normal": case.normal, "failure": ""})
    answer = _demo_cases.ask_coal(case, (sys.executable, "-S", "-c", f"print({reply!r})"))
    assert answer == _demo_cases.Answer(case.distance + 0.25, case.normal or (), "")
    assert "+2.5e-01" in demo.hard_case_table([(case, _demo_cases.ask_tactum(case), answer)])[1]


def test_the_child_itself() -> None:
    # whether the other library is installed or not, the child must answer in the agreed form
    answer = _demo_cases.ask_coal(_demo_cases.HARD_CASES[0])
    assert answer.failure == "not installed" or (
        abs(answer.distance) < 1e-3 and len(answer.normal) == 3
    )


# ----------------------------------------------------------------------------------------- pictures
@pytest.mark.parametrize("name", [name for name in demo.demo_shapes() if name != "HalfSpace"])
def test_triangles_enclose_the_volume(name: str) -> None:
    shape = demo.demo_shapes()[name]
    vertices, faces = _plot.triangulate(shape)
    corners = vertices[faces]
    volume = np.einsum("ni,ni->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    assert 0.98 * shape.volume() < volume < shape.volume() * (1.0 + 1e-9)


def test_a_plate_stands_for_a_half_space() -> None:
    vertices, _ = _plot.triangulate(
        tactum.HalfSpace(normal=(0.0, 3.0, 4.0), offset=0.2, margin=0.1)
    )
    heights = vertices @ [0.0, 0.6, 0.8]
    np.testing.assert_allclose([heights.min(), heights.max()], [0.27, 0.3], atol=1e-12)


def test_front_and_back_of_a_ball() -> None:
    radius, size = 0.5, 200
    camera = _plot.Camera(np.zeros(3), 1.0, (size, size), azimuth=30.0, elevation=20.0)
    front, back = _plot.rasterize(camera, *_plot.triangulate(tactum.Sphere(radius=radius)))
    seen = np.isfinite(front.depth)
    assert abs(seen.mean() * 4.0 - math.pi * radius**2) < 0.01
    middle = size // 2
    assert (
        abs(front.depth[middle, middle] - radius) < 1e-2
        and abs(back.depth[middle, middle] + radius) < 1e-2
    )
    assert front.normal[middle, middle, 2] > 0.99 and back.normal[middle, middle, 2] < -0.99
    assert np.all(front.depth[seen] >= back.depth[seen] - 1e-9)


def test_the_nearer_body_is_drawn_over_the_other() -> None:
    camera = _plot.Camera(
        np.zeros(3), 1.0, (60, 60), azimuth=0.0, elevation=0.0
    )  # the eye looks along -x
    ball = tactum.Sphere(radius=0.3)

    def middle(x_of_red: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        red, blue = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
        bodies = [
            (ball, (np.eye(3), np.array([x_of_red, 0.0, 0.0])), red),
            (ball, (np.eye(3), np.zeros(3)), blue),
        ]
        return np.asarray(_plot.render(camera, bodies)[30, 30])

    assert middle(0.2)[0] > middle(0.2)[2] and middle(-0.2)[2] > middle(-0.2)[0]
    np.testing.assert_allclose(
        _plot.render(camera, [(ball, (np.eye(3), np.zeros(3)), np.zeros(3))])[0, 0], 1.0
    )


# ----------------------------------------------------------------------------------------- progress
class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_bar_fills_on_a_terminal_only() -> None:
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        progress = demo.Progress(2, stream)
        progress.step("one")
        progress.step("two")
        progress.close()
    assert "#" * 15 + "." * 15 in terminal.getvalue() and "#" * 30 in terminal.getvalue()
    assert pipe.getvalue() == ""
