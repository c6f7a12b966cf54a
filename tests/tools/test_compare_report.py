# SPDX-License-Identifier: BSD-2-Clause
"""tools/compare_report.py: rows, goals, table and pictures from a program that answers with
canned measurements."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
TOOL = REPOSITORY / "tools" / "compare_report.py"
FIELDS = {
    "case", "quantity", "unit", "ours", "spread", "published", "peers", "relation", "goal", "timing", "holds", "note",
}  # fmt: skip


def column(library: str, median: float, **more: Any) -> dict[str, Any]:
    values = {
        "library": library,
        "setting": f"{library}'s best",
        "median": median,
        "spread": 1.5,
        "mean": 2 * median,
    }
    return values | {"distance_error": 1e-12, "normal_error": 0.01, "failures": 0} | more


def cell(
    family: str, task: str, gap: float, *columns: dict[str, Any], poses: str = "approach"
) -> dict[str, Any]:
    case = {"distance": "", "collide": "collide ", "tracked": "tracked ", "batch": "batch "}[
        task
    ] + f"{family} {gap:+g} m"
    case += ", offset" if poses == "offset" else ""
    return {
        "case": case,
        "family": family,
        "task": task,
        "poses": poses,
        "gap": gap,
        "queries": 20,
        "columns": columns,
    }


def report(
    folder: Path, cells: list[dict[str, Any]], *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Runs the tool with a program that writes the cells and keeps its own arguments."""
    lines = folder / "lines.txt"
    lines.write_text("".join(json.dumps(one) + "\n" for one in cells), encoding="utf-8")
    program = folder / "program"
    program.write_text(
        f'#!/bin/sh\necho "$@" > "{folder}/arguments.txt"\ncat "{lines}"\n', encoding="utf-8"
    )
    program.chmod(0o755)
    command = [
        sys.executable,
        str(TOOL),
        "--program",
        str(program),
        "--no-instructions",
        *arguments,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def rows_of(folder: Path, *cells: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    result = report(folder, list(cells), "--json", str(folder / "rows.json"))
    assert result.returncode == 0, result.stderr
    rows = json.loads((folder / "rows.json").read_text(encoding="utf-8"))["rows"]
    assert all(set(row) == FIELDS for row in rows)
    return {(row["case"], row["quantity"]): row for row in rows}


@pytest.mark.parametrize(
    ("family", "task", "gap", "goal"),
    [
        ("sphere-sphere", "distance", 1.0, 1),
        ("sphere-capsule", "distance", -0.1, 1),
        ("sphere-box", "distance", 0.1, 3),
        ("hull100-hull100", "distance", 0.001, 3),
        ("hull1000-hull1000", "distance", 0.01, 4),
        ("hull4000-hull4000", "distance", 0.01, 7),
        ("box-box", "distance", 0.01, 3),
        ("box-box", "distance", -0.01, 12),
        ("ellipsoid-ellipsoid", "distance", 0.1, 4),
        ("ellipsoid-ellipsoid", "distance", -0.1, 20),
        ("hull12-hull12", "distance", -0.1, 4),
        ("hull100-hull100", "distance", -0.001, 5),
        ("hull250-hull250", "distance", -0.001, None),
        ("hull1000-hull1000", "distance", -0.01, 6),
        ("hull4000-hull4000", "distance", -0.01, 8),
        ("ellipsoid-box", "distance", -0.01, None),
        ("hull4000-hull4000", "collide", 1.0, 20),
        ("hull4000-hull4000", "collide", 0.1, None),
        ("hull12-hull12", "batch", -0.01, 4),
        ("box-box", "batch", 0.01, None),
        ("hull1000-hull1000", "tracked", -0.01, 30),
        ("hull1000-hull1000", "tracked", 0.01, None),
    ],
)
def test_goals(tmp_path: Path, family: str, task: str, gap: float, goal: float | None) -> None:
    one = cell(family, task, gap, column("tactum", 100.0), column("coal", 450.0))
    ratio = rows_of(tmp_path, one)[one["case"], "ratio"]
    assert ratio["ours"] == 4.5
    assert ratio["goal"] == goal
    assert ratio["relation"] == (None if goal is None else ">=")
    assert ratio["holds"] == (None if goal is None else goal <= 4.5)


def test_rows_of_a_distance_cell(tmp_path: Path) -> None:
    ours = column("tactum", 100.0, distance_error=2e-10, failures=1)
    one = cell(
        "box-box",
        "distance",
        0.1,
        ours,
        column("coal", 450.0, distance_error=1e-7),
        column("fcl", 900.0, failures=3),
    )
    rows = rows_of(tmp_path, one)
    case = "box-box +0.1 m"
    assert [quantity for _, quantity in rows] == [
        "time",
        "ratio",
        "distance error",
        "normal error",
        "failures",
    ]
    time = rows[case, "time"]
    assert (time["ours"], time["spread"], time["unit"], time["timing"]) == (100.0, 1.5, "ns", True)
    assert time["peers"] == {"coal": 450.0, "fcl": 900.0} and "coal's best" in time["note"]
    error = rows[case, "distance error"]
    assert (error["ours"], error["goal"], error["relation"], error["holds"]) == (
        2e-10,
        1e-10,
        "<=",
        False,
    )
    assert error["peers"]["coal"] == 1e-7 and not error["timing"]
    failures = rows[case, "failures"]
    assert (failures["ours"], failures["holds"], failures["peers"]) == (
        1,
        False,
        {"coal": 0, "fcl": 3},
    )


def test_tracked_cells_have_a_mean_and_boolean_cells_no_distance(tmp_path: Path) -> None:
    tracked = cell(
        "hull1000-hull1000",
        "tracked",
        -0.01,
        column("tactum", 10.0, mean=40.0),
        column("coal", 500.0, mean=500.0),
    )
    boolean = cell("box-box", "collide", 1.0, column("tactum", 10.0), column("coal", 20.0))
    rows = rows_of(tmp_path, tracked, boolean)
    mean = rows[tracked["case"], "mean ratio"]
    assert (mean["ours"], mean["goal"], mean["holds"]) == (12.5, 10, True)
    assert [quantity for case, quantity in rows if case == boolean["case"]] == [
        "time",
        "ratio",
        "failures",
    ]


def test_two_threads_are_not_a_peer(tmp_path: Path) -> None:
    columns = (column("tactum", 90.0), column("tactum, 2 threads", 60.0), column("coal", 450.0))
    rows = rows_of(tmp_path, cell("hull12-hull12", "batch", 0.01, *columns))
    case = "batch hull12-hull12 +0.01 m"
    assert rows[case, "time"]["peers"] == {"coal": 450.0}
    gain = rows[case, "thread ratio"]
    assert (gain["ours"], gain["goal"], gain["holds"]) == (1.5, 1.8, False)


def test_head_of_the_report_and_arguments_of_the_program(tmp_path: Path) -> None:
    one = cell("box-box", "distance", 0.1, column("tactum", 100.0), column("coal", 450.0))
    result = report(
        tmp_path,
        [one],
        "narrow",
        "box",
        "--quick",
        "--seed",
        "7",
        "--json",
        str(tmp_path / "rows.json"),
    )
    assert result.returncode == 0, result.stderr
    head = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))
    fields = {"name", "source", "quick", "seed", "machine", "date", "seconds", "rows"}
    assert set(head) == fields
    assert (head["name"], head["quick"], head["seed"]) == ("compare narrow", True, 7)
    given = (tmp_path / "arguments.txt").read_text(encoding="utf-8").split()
    assert given == ["--group", "narrow", "--filter", "box", "--seed", "7", "--quick"]


@pytest.mark.parametrize(("gap", "gumbel_goal", "gaussian_goal"), [(0.01, 5, 1.5), (-0.01, 20, 10)])
def test_derivatives_against_the_query_and_coal(
    tmp_path: Path, gap: float, gumbel_goal: float, gaussian_goal: float
) -> None:
    times = {
        "query": 1000.0,
        "distance jacobian": 30.0,
        "exact": 600.0,
        "gumbel": 400.0,
        "gaussian": 4000.0,
    }
    times |= {"zeroth order": 50000.0, "finite differences": 9000.0, "coal": 7000.0}
    columns = [column(name, median, jacobian_difference=1e-9) for name, median in times.items()]
    one = cell("hull250-hull250", "distance", gap, *columns)
    result = report(tmp_path, [one], "derivative", "--json", str(tmp_path / "rows.json"))
    assert result.returncode == 0, result.stderr
    read = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))["rows"]
    assert all(set(row) == FIELDS for row in read)
    rows = {row["quantity"]: row for row in read}
    judged = {
        name: (row["ours"], row["goal"], row["holds"])
        for name, row in rows.items()
        if row["unit"] == "1"
    }
    assert judged["exact share"] == (0.6, 0.5, False)
    assert judged["distance share"] == (0.03, 0.15, True)
    assert judged["gumbel against coal"] == (17.5, gumbel_goal, 17.5 >= gumbel_goal)
    assert judged["gaussian against coal"] == (1.75, gaussian_goal, 1.75 >= gaussian_goal)
    assert judged["difference"] == (1e-9, 1e-6, True) and rows["finite differences time"][
        "peers"
    ] == {"coal": 7000.0}
    assert "0.60<" in result.stdout and "hull250-hull250" in result.stdout


def test_table_marks_a_missed_goal(tmp_path: Path) -> None:
    missed = cell("box-box", "distance", -0.01, column("tactum", 100.0), column("coal", 450.0))
    met = cell("sphere-sphere", "distance", 1.0, column("tactum", 10.0), column("coal", 20.0))
    lines = {
        line.split("  ")[0]: line for line in report(tmp_path, [missed, met]).stdout.splitlines()
    }
    assert "4.50<   12" in lines["box-box -0.01 m"]
    assert "2.00     1" in lines["sphere-sphere +1 m"]
    assert {
        "faster than coal in 2 of 2 cells",
        "goals of speed met: 1 of 2",
        "goals of accuracy met: 4 of 4",
    } <= set(lines)


def test_a_picture_for_each_family(tmp_path: Path) -> None:
    columns = (column("tactum", 100.0), column("coal", 450.0), column("bullet", 700.0))
    cells = [
        cell("box-box", "distance", gap, *columns, poses=poses)
        for poses in ("approach", "offset")
        for gap in (0.1, -0.1)
    ]
    cells += [
        cell("cone-cone", "distance", 0.1, *columns),
        cell("cone-cone", "collide", 0.1, *columns),
    ]
    result = report(tmp_path, cells, "--plot", str(tmp_path / "times.png"))
    assert result.returncode == 0, result.stderr
    pictures = sorted(path.name for path in tmp_path.glob("*.png"))
    assert pictures == ["times-box-box.png", "times-cone-cone.png"]
    assert all((tmp_path / name).stat().st_size > 5000 for name in pictures)


def test_a_failing_program_is_a_failing_command(tmp_path: Path) -> None:
    command = [sys.executable, str(TOOL), "--program", "false", "--no-instructions"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
    assert report(tmp_path, [], "broad").returncode == 2
