# SPDX-License-Identifier: BSD-2-Clause
"""tools/measured_page.py, tools/robot_page.py and tools/bridges_page.py: what pages with measured parts
share, and two of them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
shared: Any = importlib.import_module("measured_page")
robot_page: Any = importlib.import_module("robot_page")
bridges_page: Any = importlib.import_module("bridges_page")


def row(quantity: str, ours: float, **more: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {
        "peers": {},
        "holds": None,
        "goal": None,
        "note": "",
        "case": "arm, cold",
    }
    return empty | {"quantity": quantity, "ours": ours} | more


def test_figures_have_two_digits_and_are_bold_where_they_miss() -> None:
    assert shared.short(123.4) == "120" and shared.shown(None) == ""
    assert shared.shown(row("x", 1.26, holds=False)) == "**1.3**"
    assert shared.shown(row("x", 1.26, holds=True)) == "1.3"
    assert shared.peer(row("x", 1.0, peers={"coal": 2.26}), "coal") == "2.3"
    assert shared.peer(row("x", 1.0), "coal") == ""


def test_robot_page_has_a_line_for_each_case() -> None:
    rows = [
        row("time", 10.0, peers={"pinocchio": 15.0}, note="44 pairs; coal with its guess"),
        row("ratio to Pinocchio", 1.5, holds=False, goal=2.0),
        row("update time", 3.0),
        row("difference", 2e-6, holds=True, goal=1e-5),
    ]
    page = f"before\n{robot_page.BEGIN}\nstale\n{robot_page.END}\nafter\n"
    text = robot_page.written(page, {"machine": "this one", "rows": rows})
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "stale" not in text
    assert "Made on this one; 1 of 2 goals met" in text
    assert "| arm, cold | 44 | 10 | 15 | **1.5** | 3 | 2.00e-06 |" in text
    assert (
        "Goals of time met: 0 of 1; of accuracy: 1 of 1. Slower than the goal: arm, cold." in text
    )


def test_a_stale_file_is_named_and_then_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shared, "ROOT", tmp_path)
    file = tmp_path / "page.md"
    files = lambda: {file: "new"}
    assert shared.command(["--check"], "some_page", "usage", files) == 1
    assert "page.md is not what its report says: run tools/some_page.py" in capsys.readouterr().out
    assert shared.command([], "some_page", "usage", files) == 0 and file.read_text() == "new"
    assert shared.command(["--check"], "some_page", "usage", files) == 0
    assert shared.command(["--wrong"], "some_page", "usage", files) == 2


def test_the_robot_page_is_that_of_the_results() -> None:
    assert robot_page.main(["--check"]) == 0


def test_bridges_have_a_line_for_each_case() -> None:
    rows = [
        row(f"{name}, ratio", ours, holds=ours <= 3.0, goal=3.0)
        for name, ours in zip(bridges_page.QUANTITIES, (1.2, 2.5, 4.04), strict=True)
    ]
    rows.append(row(bridges_page.EMPTY, 47.2) | {"case": "torch, 1 row"})
    page = f"before\n{bridges_page.BEGIN}\nstale\n{bridges_page.END}\nafter\n"
    text = bridges_page.written(page, {"machine": "this one", "rows": rows})
    assert "| arm, cold | 1.2 | 2.5 | **4** |" in text and "2 of 3 goals met" in text
    assert "nothing is computed: torch 47 us." in text


def test_the_page_of_bridges_is_that_of_the_results() -> None:
    assert bridges_page.main(["--check"]) == 0
