# SPDX-License-Identifier: BSD-2-Clause
"""tools/compare_sim_derivative.py and its page: rows, goals and table from canned measurements."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
compare: Any = importlib.import_module("compare_sim_derivative")
page: Any = importlib.import_module("sim_derivative_page")


def side(name: str, known: int, error: float, **calls: float) -> dict[str, Any]:
    return {
        "name": name,
        "contacts": 4,
        "states": 10,
        "smooth": 9,
        "columns": 40,
        "known": known,
        "error": [error, 2 * error, 3 * error],
        "calls": {call.replace("_", " "): [us, 0.9 * us, 1.1 * us] for call, us in calls.items()},
    }


def cell(name: str, known: int = 30) -> dict[str, Any]:
    ours = side("tactum", known, 1e-10, step=10.0, step_with_tape=11.0, jacobian=12.0, vjp=9.0)
    theirs = side("MuJoCo", known, 1e-8, step=5.0, jacobian=180.0)
    return {"name": name, "phase": "rests", "nv": 12, "sides": [ours, theirs]}


def test_rows_and_goals() -> None:
    rows = {row["quantity"]: row for row in compare.rows_of(cell("Go2"))}
    assert rows["Jacobian over our step"]["ours"] == 1.2
    assert rows["Jacobian over our step"]["holds"] is True
    assert rows["vjp over the Jacobian"]["holds"] is False
    assert rows["MuJoCo's differences over our Jacobian"]["ours"] == 15.0
    assert rows["MuJoCo's differences over our Jacobian"]["holds"] is False
    error = rows["median error of a column"]
    assert (error["holds"], error["timing"], error["peers"]) == (True, False, {"mujoco": 1e-8})
    # UR5 has a smaller and a larger goal
    rows = {row["quantity"]: row for row in compare.rows_of(cell("UR5"))}
    assert rows["Jacobian over our step"]["holds"] is False
    assert rows["MuJoCo's differences over our Jacobian"]["holds"] is True


def test_no_reference_no_error() -> None:
    quantities = [row["quantity"] for row in compare.rows_of(cell("Go2", known=0))]
    assert "median error of a column" not in quantities
    assert len(quantities) == 3


def test_page_has_a_line_for_each_case() -> None:
    rows = [*compare.rows_of(cell("Go2")), *compare.rows_of(cell("UR5", known=0))]
    text = page.written(
        f"before\n{page.BEGIN}\nstale\n{page.END}\nafter\n", {"rows": rows, "machine": "this one"}
    )
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "stale" not in text
    assert "3 of 7 goals met" in text
    assert "| Go2, rests | 1.2 | **0.75** | **15** | 1.00e-10 | 1.00e-08 |" in text
    assert "| UR5, rests | **1.2** | **0.75** | 15 |  |  |" in text


def test_the_page_is_that_of_the_results() -> None:
    assert page.main(["--check"]) == 0
