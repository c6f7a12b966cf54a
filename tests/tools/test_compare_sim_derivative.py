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
    # MuJoCo's differences begin at a state, our Jacobian at a tape: both with and without are told
    assert rows["step with tape over our step"]["ours"] == 1.1
    assert rows["step with tape over our step"]["goal"] is None
    whole = rows["MuJoCo's differences over our step with tape and Jacobian"]
    assert (whole["ours"], whole["goal"]) == (180.0 / 23.0, None)
    most = rows["error of 9 columns of 10"]
    assert (most["ours"], most["peers"], most["holds"]) == (2e-10, {"mujoco": 2e-8}, True)
    error = rows["median error of a column"]
    assert (error["holds"], error["timing"], error["peers"]) == (True, False, {"mujoco": 1e-8})
    # UR5 has a smaller and a larger goal
    rows = {row["quantity"]: row for row in compare.rows_of(cell("UR5"))}
    assert rows["Jacobian over our step"]["holds"] is False
    assert rows["MuJoCo's differences over our Jacobian"]["holds"] is True


def test_free_bodies_have_the_smaller_goal() -> None:
    for name in ("32 boxes", "pile of 64 cubes", "100 hulls in a bin"):
        rows = {row["quantity"]: row for row in compare.rows_of(cell(name))}
        assert rows["Jacobian over our step"]["goal"] == 1.0


def test_published_figures_are_information() -> None:
    rows = {row["quantity"]: row for row in compare.rows_of(cell("UR5"))}
    assert rows["Jacobian over our step"]["published"] == 4.1 / 12.3
    assert rows["MuJoCo's differences over our Jacobian"]["published"] == 390.0 / 4.1
    assert all(row["published"] is None for row in compare.rows_of(cell("Go2")))


def test_earlier_reports_are_judged_again() -> None:
    rows = compare.rows_of(cell("pile of 64 cubes"))
    old = [row | {"goal": None, "relation": None, "published": 1.0, "holds": None} for row in rows]
    assert compare.judged_again(old) == rows


def test_no_reference_no_error() -> None:
    quantities = [row["quantity"] for row in compare.rows_of(cell("Go2", known=0))]
    assert "median error of a column" not in quantities
    assert "error of 9 columns of 10" not in quantities
    assert len(quantities) == 5


def test_page_has_a_line_for_each_case() -> None:
    rows = [*compare.rows_of(cell("Go2")), *compare.rows_of(cell("UR5", known=0))]
    text = page.written(
        f"before\n{page.BEGIN}\nstale\n{page.END}\nafter\n", {"rows": rows, "machine": "this one"}
    )
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "stale" not in text
    assert "4 of 8 goals met" in text
    errors = "1.00e-10 | 1.00e-08 | 2.00e-10 | 2.00e-08"
    assert f"| Go2, rests | 1.2 |  | **0.75** | 0.9 | **15** |  | {errors} | 1.1 | 7.8 |" in text
    assert "| UR5, rests | **1.2** | 0.33 | **0.75** | 0.9 | 15 | 95 |  |  |  |  | 1.1 |" in text


def test_page_of_a_report_without_tapes() -> None:
    rows = [row for row in compare.rows_of(cell("Go2")) if "tape" not in row["quantity"]]
    text = page.measured({"rows": rows, "machine": "this one"})
    assert "tape and step" not in text and "| Go2, rests | 1.2 |" in text


def test_the_page_is_that_of_the_results() -> None:
    assert page.main(["--check"]) == 0
