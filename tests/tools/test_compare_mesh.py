# SPDX-License-Identifier: BSD-2-Clause
"""tools/compare_mesh.py and tools/mesh_page.py: rows, goals and page from canned measurements."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
mesh_page: Any = importlib.import_module("mesh_page")


def column(
    library: str, setting: str, build: float, distance: float, collide: float, differences: int = 0
) -> dict[str, Any]:
    return {
        "library": library,
        "setting": setting,
        "build": build,
        "distance": distance,
        "distance_spread": 1.0,
        "collide": collide,
        "differences": differences,
    }


COLUMNS = [
    column("tactum", "boxes", 10.0, 10.0, 2.0),
    column("tactum", "tracked", 10.0, 1.0, 1.0),
    column("coal", "RSS", 50.0, 40.0, 1000.0),
    column("coal", "OBB", 20.0, 0.0, 3.0),
    column("coal", "kIOS", 60.0, 5.0, 1.0, differences=1),
    column("fcl", "RSS", 100.0, 80.0, 500.0),
]
CELLS = [
    {"case": "1 m", "columns": COLUMNS},
    {"case": "trees", "triangles": 10000, "one": 1500.0, "all": 1000.0, "hull": 700.0},
    {"case": "rays", "ray": 0.5, "hit_share": 0.9},
]
PARTS = {
    "case": "parts",
    "parts_a": 32,
    "parts_b": 31,
    "collide": 2.5,
    "wrong": 0,
    "colliding_share": 0.5,
}


def impact(library: str, setting: str, **wrong: int) -> dict[str, Any]:
    answers = {"impact": 20.0, "hits": 3, "missed": 0, "late": 0, "early": 0}
    return {"library": library, "setting": setting} | answers | wrong


IMPACT: dict[str, Any] = {
    "case": "impact",
    "motions": 4,
    "columns": [
        impact("tactum", "boxes", impact=5),
        impact("fcl", "RSS", impact=1, hits=0, missed=3),
        impact("fcl", "samples", impact=2, late=1),
        impact("fcl", "OBBRSS", impact=10),
    ],
}


def run_on(tmp_path: Path, *flags: str) -> Any:
    """The report of the tool on canned measurements."""
    for folder, ending in (("ycb/full", "ply"), ("gso/mesh", "obj"), ("gso/vhacd", "obj")):
        (tmp_path / "data" / folder).mkdir(parents=True)
        for name in "ab":
            (tmp_path / "data" / folder / f"{name}.{ending}").touch()
    program = tmp_path / "program"
    lines = "\n".join(json.dumps(cell) for cell in CELLS)
    canned = {"--parts": json.dumps(PARTS), "--impacts": json.dumps(IMPACT), "*": lines}
    cases = "".join(f"{flag}) echo '{text}' ;;\n" for flag, text in canned.items())
    program.write_text(f"#!/bin/sh\ncase $1 in\n{cases}esac\n")
    program.chmod(0o755)
    file = tmp_path / "rows.json"
    command = [sys.executable, str(TOOLS / "compare_mesh.py"), "--program", str(program)]
    command += ["--data", str(tmp_path / "data"), "--json", str(file), "--quick", *flags]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    return json.loads(file.read_text(encoding="utf-8"))


def test_a_ratio_of_impacts_is_to_a_peer_that_is_never_wrong(tmp_path: Path) -> None:
    report = run_on(tmp_path, "--impacts")
    rows = {row["quantity"]: row for row in report["rows"]}
    assert rows["time of impact ratio to fcl"]["ours"] == 2.0  # the two faster ones are wrong
    assert rows["impacts found"]["peers"] == {"fcl RSS": 0, "fcl samples": 3, "fcl OBBRSS": 3}
    assert rows["impacts missed"]["peers"]["fcl RSS"] == 3 and rows["impacts missed"]["holds"]
    lines = "\n".join(mesh_page.impact_lines(report))
    assert "| 5 | 3 | 0 + 0 + 0 | 1 | 0 | 3 + 0 + 0 | 2 | 3 | 0 + 1 + 0 | 10 |" in lines


def test_no_ratio_of_impacts_where_every_peer_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(IMPACT, "columns", IMPACT["columns"][:3])
    report = run_on(tmp_path, "--impacts")
    assert "time of impact ratio to fcl" not in {row["quantity"] for row in report["rows"]}


def test_rows_goals_and_page(tmp_path: Path) -> None:
    report = run_on(tmp_path)
    rows = {(row["case"], row["quantity"]): row for row in report["rows"]}
    ratio = rows["a b, 1 m", "distance ratio to coal"]
    assert ratio["ours"] == 4.0 and ratio["holds"]  # the wrong hierarchy does not count
    assert rows["a b, 1 m", "tracked distance ratio to coal"]["ours"] == 40.0
    assert rows["a b, 1 m", "collide ratio to coal"]["holds"] is False
    assert rows["a b, 1 m", "build ratio to coal"]["ours"] == 5.0  # OBB has no distance
    assert rows["a b, 1 m", "other answers"]["peers"] == {"coal kIOS": 1}
    assert rows["a b, tree of the first", "one core / all cores"]["holds"] is False
    assert rows["a b, rays", "ray time"]["ours"] == 0.5
    assert rows["a b, 32 and 31 parts near contact", "collide time"]["holds"] is False
    none = {"machine": "this one", "rows": []}
    stale = f"before\n{mesh_page.BEGIN}\nstale\n{mesh_page.END}\nafter\n"
    page = mesh_page.written(stale, report, none)
    assert page.startswith("before\n") and page.endswith("after\n") and "stale" not in page
    assert "| a b, 1 m | 10 | 4 | 8 | 1 | 40 | 80 | 2 | **1.5** | 250 |" in page
    assert "| a b | 1500 | **1.5** | 700 |" in page
    assert "| a b, 32 and 31 parts near contact | **2.5** | 50 % collide |" in page
    assert "- *collide ratio to coal, 1 m*: 1 of 1 miss the goal of 3, with 1.5 (a b)." in page
    assert "distance ratio to coal, 1 m*" not in page  # that goal is met


def test_without_data_there_is_nothing_to_compare(tmp_path: Path) -> None:
    command = [sys.executable, str(TOOLS / "compare_mesh.py"), "--data", str(tmp_path)]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    assert shown.returncode == 2 and "no meshes" in shown.stderr


def test_page_is_what_the_results_say() -> None:
    assert mesh_page.main(["--check"]) == 0
