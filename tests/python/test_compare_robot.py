# SPDX-License-Identifier: BSD-2-Clause
"""tools/compare_robot.py: rows and goals from canned times, and, with Pinocchio, one real robot."""

from __future__ import annotations

import importlib
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))
compare_robot: Any = importlib.import_module("compare_robot")


def test_rows_and_goals() -> None:
    times = compare_robot.Times(
        ours=[9.0, 10.0, 11.0, 10.0],
        update=[3.0, 3.0, 3.0, 3.0],
        theirs={"default": [30.0, 30.0], "cached": [25.0, 25.0]},
        difference=2e-6,
    )
    time, ratio, update, difference = compare_robot.rows_of("arm, cold", 44, times)
    assert time["ours"] == 10.0 and time["peers"] == {"pinocchio": 25.0} and time["timing"]
    assert "44 pairs" in time["note"] and "cached" in time["note"]
    assert ratio["ours"] == 2.5 and ratio["holds"] is True and ratio["goal"] == 2.0
    assert update["ours"] == 3.0 and update["goal"] is None
    assert difference["holds"] is True and not difference["timing"]
    slow = compare_robot.Times([20.0] * 4, [3.0] * 4, times.theirs, 1.0)
    _, ratio, _, difference = compare_robot.rows_of("arm, cold", 44, slow)
    assert ratio["holds"] is False and difference["holds"] is False


@pytest.mark.pinocchio
def test_a_real_robot(tmp_path: Path) -> None:
    file = tmp_path / "robot.json"
    assert compare_robot.main(["^ur5, ", "--quick", "--json", str(file)]) == 0
    report = json.loads(file.read_text(encoding="utf-8"))
    assert report["name"] == "compare robot" and report["quick"] is True
    assert {row["case"] for row in report["rows"]} == {"ur5, cold", "ur5, trajectory"}
    assert all(row["holds"] for row in report["rows"] if row["quantity"] == "difference")


@pytest.mark.pinocchio
def test_a_trajectory_has_small_steps() -> None:
    import pinocchio as pin

    robot = compare_robot.load("ur5")
    path = compare_robot.trajectory(robot, 500, np.random.default_rng(1))
    moves = [pin.difference(robot.model, a, b) for a, b in itertools.pairwise(path)]
    assert len(path) == 500
    assert 0.005 < np.abs(moves).max() <= compare_robot.LARGEST_STEP * (1.0 + 1e-9)
