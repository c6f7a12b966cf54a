# SPDX-License-Identifier: BSD-2-Clause
"""tools/tosses_sim.py: a toss whose motion is known, and the recorded ones where they are at hand."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")
TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
tosses_sim: Any = importlib.import_module("tosses_sim")


def flight(frames: int) -> np.ndarray:
    """A cube high above the table that turns about its axis z while it flies."""
    time = np.arange(frames) * tosses_sim.FRAME
    rows = np.zeros((frames, 13))
    rows[:, 0] = 3.0 * time
    rows[:, 2] = 50.0 - 0.5 * tosses_sim.GRAVITY * time**2
    rows[:, 3], rows[:, 6] = np.cos(time), np.sin(time)  # an angle of 2 t
    rows[:, 7], rows[:, 9], rows[:, 12] = 3.0, -tosses_sim.GRAVITY * time, 2.0
    return rows


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, file: Path, count: int) -> dict[str, Any]:
    words = ["tosses_sim.py", "--data", str(folder), "--json", str(file), "--count", str(count)]
    monkeypatch.setattr(sys, "argv", words)
    assert tosses_sim.main() == 0
    return {row["quantity"]: row for row in json.loads(file.read_text(encoding="utf-8"))["rows"]}


def test_a_flight_follows_its_parabola(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rows = flight(20)
    (tmp_path / "tosses").mkdir()
    np.savez(tmp_path / "tosses" / "tosses.npz", ids=[0], offsets=[0, len(rows)], states=rows)
    found = run(monkeypatch, tmp_path, tmp_path / "rows.json", 1)
    # Euler's rule is half a step of gravity behind: g t dt / 2, in the mean half of the last one
    step = tosses_sim.FRAME / tosses_sim.SUBSTEPS
    mean = 0.5 * tosses_sim.GRAVITY * step * 9.5 * tosses_sim.FRAME * tosses_sim.HALF_WIDTH
    assert found["mean error of position"]["ours"] == pytest.approx(mean, rel=1e-6)
    assert found["mean error of angle"]["ours"] < 1e-5
    assert found["steps that converged"]["ours"] == 1.0


def test_recorded_tosses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = Path(os.environ.get("TACTUM_DATA", ""))
    if not (folder / "tosses" / "tosses.npz").is_file():
        pytest.skip("TACTUM_DATA names no folder with tosses/tosses.npz")
    found = run(monkeypatch, folder, tmp_path / "rows.json", 8)
    assert 0.0 < found["mean error of position"]["ours"] < 0.2
    assert found["steps that converged"]["ours"] > 0.99
