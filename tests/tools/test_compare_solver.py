# SPDX-License-Identifier: BSD-2-Clause
"""tools/compare_solver.py and tools/make_contact_problems.py, without the peers."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tools"))
compare_solver: Any = importlib.import_module("compare_solver")
make_contact_problems: Any = importlib.import_module("make_contact_problems")
solver_page: Any = importlib.import_module("solver_page")
Run: Any = compare_solver.Run

NAMES = ["stack 10", "stack 100", "pyramid", "bowl", "mass ratio 1000", "quadruped", "humanoid"]


def problems() -> dict[str, Any]:
    with np.load(make_contact_problems.TARGET) as arrays:
        return dict(make_contact_problems.unpack(dict(arrays)))


def test_shipped_problems() -> None:
    assert make_contact_problems.TARGET.stat().st_size < 1_000_000
    found = problems()
    assert list(found) == NAMES
    for problem in found.values():
        contacts = len(problem.mu)
        assert problem.J.shape == (3 * contacts, len(problem.M)) and problem.g.shape == (
            3 * contacts,
        )
        np.linalg.cholesky(problem.M)
        assert (problem.mu == 0.7).all()


def test_packing_keeps_every_number() -> None:
    rng = np.random.default_rng(0)
    J = rng.standard_normal((6, 4)) * (rng.random((6, 4)) < 0.5)
    J[2] = 0.0  # a row without entries
    given = make_contact_problems.Problem(
        J, np.diag([1.0, 2, 3, 4]), np.arange(6.0), np.ones(2), "<mujoco/>", np.arange(3.0)
    )
    back = make_contact_problems.unpack(make_contact_problems.pack({"one": given}))["one"]
    for key in ("J", "M", "g", "mu", "state"):
        assert np.array_equal(getattr(back, key), getattr(given, key))
    assert back.mjcf == "<mujoco/>"


def test_fewest_iterations_to_a_residual() -> None:
    # 0.9^n <= 1e-3 needs 66; twentieths of that are not told apart
    def solver(iterations: int) -> Any:
        return Run(1e-6 * iterations, 0.9**iterations, iterations)

    found = compare_solver.to_residual(solver, 1e-3, 1.0)
    assert found is not None and 66 <= found.iterations <= 69
    assert compare_solver.to_residual(solver, 0.0, 1e-5) is None


@pytest.mark.parametrize(
    ("ours", "theirs", "quantity", "holds"), [(1.0, 2.5, "ratio", True), (1.0, 1.5, "ratio", False)]
)
def test_rows_of_a_kind(ours: float, theirs: float, quantity: str, holds: bool) -> None:
    def own(iterations: int, tolerance: float = 0.0) -> Any:
        return Run(1e-3 * ours, 0.5 * tolerance, iterations)

    def peer(iterations: int) -> Any:
        return Run(1e-3 * theirs, 0.0, iterations)

    rows = {
        row["quantity"]: row
        for row in compare_solver.kind_rows("case", "PGS", own, {"PGS": peer}, 1e-6, True)
    }
    assert rows["PGS time"]["ours"] == pytest.approx(1e3 * ours)
    assert rows[f"PGS {quantity}"]["ours"] == pytest.approx(theirs / ours)
    assert rows[f"PGS {quantity}"]["holds"] is holds


def test_residuals_at_the_same_time_where_nobody_arrives() -> None:
    def own(iterations: int, tolerance: float = 0.0) -> Any:
        return Run(1e-4 * iterations, 1.0, iterations)

    def peer(iterations: int) -> Any:
        return Run(1e-4 * iterations, 3.0, iterations)

    rows = {
        row["quantity"]: row
        for row in compare_solver.kind_rows("case", "PGS", own, {"PGS": peer}, 1e-6, True)
    }
    assert rows["PGS residual ratio"]["ours"] == pytest.approx(3.0)
    assert rows["PGS residual ratio"]["holds"] is True


def test_rows_of_an_algorithm_as_printed() -> None:
    def printed(iterations: int, tolerance: float = 0.0) -> Any:
        return Run(3e-3, 0.5 * tolerance, iterations)

    def peer(iterations: int) -> Any:
        return Run(6e-3, 0.0, iterations)

    (row,) = compare_solver.printed_rows("case", "ADMM", printed, {"ADMM": peer}, 1e-6, True)
    assert row["quantity"] == "ADMM time as printed" and row["goal"] is None
    assert row["ours"] == pytest.approx(3e3)
    assert row["peers"]["pinocchio ADMM"] == pytest.approx(6e3)
    assert solver_page.printed_cell({row["quantity"]: row}, "ADMM") == "3000"

    def never(iterations: int, tolerance: float = 0.0) -> Any:
        return Run(1e-3 * iterations, 1.0, iterations)

    (row,) = compare_solver.printed_rows("case", "ADMM", never, {}, 1e-6, True)
    assert row["ours"] is None and "does not arrive" in row["note"]
    assert solver_page.printed_cell({row["quantity"]: row}, "ADMM") == "does not arrive"
    assert solver_page.printed_cell({}, "ADMM") == ""


def test_command_without_peers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.json"
    assert (
        compare_solver.main(
            [
                "quadruped",
                "--quick",
                "--no-peers",
                "--json",
                str(file),
                "--plot",
                str(tmp_path / "curves.png"),
            ]
        )
        == 0
    )
    report = json.loads(file.read_text(encoding="utf-8"))
    assert report["name"] == "compare solver" and report["quick"] is True
    assert {row["quantity"] for row in report["rows"]} >= {
        "PGS time",
        "PGS time as printed",
        "ADMM time",
        "ADMM time as printed",
        "derivative share",
    }
    assert (tmp_path / "curves.png").stat().st_size > 0
    assert "goals met" in capsys.readouterr().out
    page = tmp_path / "page.md"
    page.write_text(
        f"before\n{solver_page.BEGIN}\nstale\n{solver_page.END}\nafter\n", encoding="utf-8"
    )
    assert solver_page.main([str(file), str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n") and "stale" not in text
    assert "| quadruped | 4 |" in text
    (line,) = (line for line in text.splitlines() if line.startswith("| quadruped"))
    assert line.count("|") == len(solver_page.HEAD) + 1


def test_page_marks_what_misses_its_goal() -> None:
    row = {"ours": 0.831, "holds": False}
    assert (
        solver_page.shown(row) == "**0.83**"
        and solver_page.shown(row | {"holds": True}, "> ") == "> 0.83"
    )
    assert solver_page.shown(None) == ""
