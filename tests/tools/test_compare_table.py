# SPDX-License-Identifier: BSD-2-Clause
"""The tables of the documentation, from a small report whose numbers are written out here."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location(
    "compare_table", REPOSITORY / "tools" / "compare_table.py"
)
assert SPEC is not None and SPEC.loader is not None
compare_table = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(compare_table)


def row(
    case: str, quantity: str, ours: float, coal: float | None = None, **more: Any
) -> dict[str, Any]:
    peers = {} if coal is None else {"coal": coal}
    base = {
        "case": case,
        "quantity": quantity,
        "unit": "1",
        "ours": ours,
        "peers": peers,
        "relation": None,
        "goal": None,
    }
    return {**base, "timing": "time" in quantity or "ratio" in quantity, "holds": None, **more}


@pytest.fixture
def report() -> dict[str, Any]:
    rows = []
    for case, ours, coal, holds in (
        ("box-box -0.01 m", 100.0, 250.0, False),
        ("box-box +0.01 m, offset", 80.0, 240.0, True),
    ):
        rows.append(row(case, "time", ours, coal))
        rows.append(row(case, "ratio", coal / ours, relation=">=", goal=3.0, holds=holds))
        rows.append(row(case, "distance error", 2e-16, 3e-9))
        rows.append(row(case, "failures", 0, 2))
    rows.append(row("tracked box-box -0.01 m", "time", 50.0, 900.0))
    rows.append(row("tracked box-box -0.01 m", "ratio", 18.0))
    rows += [
        row("box-box -0.01 m", "instructions", 950.0, 1900.0),
        row("box-box -0.01 m", "instruction ratio", 2.0),
    ]
    return {
        "name": "compare narrow",
        "quick": False,
        "seed": 7,
        "machine": "a machine",
        "rows": rows,
    }


@pytest.fixture
def derivative() -> dict[str, Any]:
    case = "box-box -0.01 m"
    rows = [
        row(case, "query time", 100.0),
        row(case, "exact time", 60.0),
        row(case, "finite differences time", 1500.0, 9000.0),
    ]
    rows.append(row(case, "exact share", 0.6, relation="<=", goal=0.5, holds=False))
    rows.append(row(case, "distance share", 0.125))
    return {
        "name": "compare derivative",
        "quick": False,
        "seed": 7,
        "machine": "a machine",
        "rows": rows,
    }


def write_pages(root: Path) -> None:
    (root / "docs").mkdir()
    for name in compare_table.PAGES:
        (root / name).write_text(
            f"before\n{compare_table.BEGIN}\nold\n{compare_table.END}\nafter\n", encoding="utf-8"
        )


def run(root: Path, *reports: dict[str, Any], note: str = "") -> int:
    files = []
    for number, report in enumerate(reports):
        files.append(str(root / f"{number}.json"))
        Path(files[-1]).write_text(json.dumps(report), encoding="utf-8")
    return int(compare_table.main([*files, "--root", str(root), "--note", note]))


def test_blocks_are_replaced_and_the_rest_is_left(
    tmp_path: Path, report: dict[str, Any], derivative: dict[str, Any]
) -> None:
    write_pages(tmp_path)
    assert run(tmp_path, report, derivative) == 0
    first = [(tmp_path / name).read_text(encoding="utf-8") for name in compare_table.PAGES]
    assert all(
        page.startswith("before\n") and page.endswith("\nafter\n") and "old" not in page
        for page in first
    )
    # what is stored gives the pages again, with a new report or without
    assert run(tmp_path, report) == 0
    assert run(tmp_path) == 0
    assert first == [(tmp_path / name).read_text(encoding="utf-8") for name in compare_table.PAGES]


def test_a_note_about_the_run_goes_with_the_results(
    tmp_path: Path, report: dict[str, Any], derivative: dict[str, Any]
) -> None:
    write_pages(tmp_path)
    for note in ("The machine was busy.", ""):
        assert run(tmp_path, report, derivative, note=note) == 0
        assert (
            "The machine was busy."
            in (tmp_path / "docs/speed-results.md").read_text(encoding="utf-8")
        ) == bool(note)


def test_the_pages_are_those_of_the_stored_reports() -> None:
    for name, page in compare_table.written(REPOSITORY).items():
        assert page == (REPOSITORY / name).read_text(encoding="utf-8"), (
            f"{name}: run python3 tools/compare_table.py"
        )


def test_short_table_has_time_and_ratio_of_its_cells(report: dict[str, Any]) -> None:
    lines = [
        line
        for line in compare_table.short_table({"narrow": report}).splitlines()
        if line.startswith("| box-box")
    ]
    assert lines == ["| box-box -0.01 m | 100 | 2.5 |"]


def test_the_cells_of_the_short_table_are_measured() -> None:
    report = json.loads((REPOSITORY / "bench/results/narrow.json").read_text(encoding="utf-8"))
    assert {compare_table.parse_case(name) for name in compare_table.SHORT} <= set(
        compare_table.select(report, "time")
    )
    assert len(compare_table.SHORT) == 10


def test_full_tables_have_every_cell_and_the_goal_that_is_missed(
    report: dict[str, Any], derivative: dict[str, Any]
) -> None:
    text = compare_table.full_tables({"narrow": report, "derivative": derivative})
    assert "| box-box | 100 / 2.5 (-) |" in text and "| box-box | 80 / 3.0 |" in text
    assert "| tracked box-box -0.01 m | 50 | 900 | 18.0 |" in text
    assert "| distance box-box | ratio >= 3 | 1 | 2.5 |" in text
    assert "| box-box | 3e-09 | - | - | - | - | - | 0 | 4 | - | - |" in text
    assert "faster than coal in 3 of 3 cells." in text and "1 of 2 goals of speed are met." in text
    assert "| box-box -0.01 m | 950 | 2.0 |" in text
    assert "| box-box -0.01 m | 100 | 60 | - | - | 9000 | 0.60 (-) | 0.12 | - | - |" in text


def test_pairs_that_lose_are_named_with_their_worst_cell(report: dict[str, Any]) -> None:
    assert "takes longer" not in compare_table.standing(report)
    rows = [{"case": f"sphere-box +{gap} m", "ours": ratio} for gap, ratio in
            (("0.1", 0.8), ("0.01", 1.0), ("1", 2.0))]  # fmt: skip
    rows += [{"case": "batch box-box +1 m", "ours": 0.4}, {"case": "box-cone +1 m", "ours": 1.1}]
    assert compare_table.slower(rows) == [
        "tactum takes longer for batch box-box (in 1 of 1 cells, at worst 2.50 times), "
        "distance sphere-box (in 2 of 3 cells, at worst 1.25 times)."
    ]


def test_quick_reports_missing_markers_and_unknown_cells_are_refused(
    tmp_path: Path, report: dict[str, Any]
) -> None:
    write_pages(tmp_path)
    assert run(tmp_path, {**report, "quick": True}) == 1
    assert "old" in (tmp_path / "README.md").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="no report of"):
        run(tmp_path, {**report, "name": "compare scene"})
    with pytest.raises(ValueError, match="compare:begin"):
        compare_table.replace_block("a page without a place for it", "block")
    with pytest.raises(ValueError, match="not the name of a cell"):
        compare_table.parse_case("box against box")


def test_the_pages_have_their_place() -> None:
    for name in compare_table.PAGES:
        page = (REPOSITORY / name).read_text(encoding="utf-8")
        assert page.count(compare_table.BEGIN) == 1 and page.count(compare_table.END) == 1
