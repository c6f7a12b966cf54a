# SPDX-License-Identifier: BSD-2-Clause
"""Committed results of tactum reproduce: pages say what the reports say, and --check compares."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tactum.cli import main
from tactum.reproduce import names
from tactum.reproduce.check import changes, read_report
from tactum.reproduce.report import FIELDS, holds, make_report, make_row, rounded, write_report

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "reproduce"
RESULTS = PAGES / "results"
# experiments whose reports are still to be made, most of them on an idle machine
WITHOUT_RESULTS = {
    "gjk-ycb",
    "gjk-qp",
    "derivative-timings",
    "stp-small-moves",
    "stp-large-moves",
    "posture-car",
    "posture-at-work",
}
OWN_TOOL = {"gpu-scaling"}  # its report is docs/reproduce/gpu-scaling.json: see test_gpu_page.py


def committed() -> list[str]:
    return sorted(path.stem for path in RESULTS.glob("*.json"))


def report(**ours: float) -> dict[str, Any]:
    rows = [
        make_row("case", key, "1", value, relation="<=", goal=1.0) for key, value in ours.items()
    ]
    return make_report("name", "paper", quick=False, seed=0, seconds=1.0, rows=rows)


def test_every_experiment_has_a_page_and_a_report() -> None:
    assert all((PAGES / f"{name}.md").is_file() for name in names())
    # an experiment whose report is there is to leave the list
    assert set(committed()) == set(names()) - WITHOUT_RESULTS - OWN_TOOL
    assert WITHOUT_RESULTS | OWN_TOOL <= set(names())
    assert all((PAGES / f"{name}.json").is_file() for name in OWN_TOOL)
    listed = (PAGES / "README.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in listed for name in names())


def test_pages_are_what_the_reports_say() -> None:
    tool = [sys.executable, str(ROOT / "tools" / "reproduce_page.py"), "--check"]
    done = subprocess.run(tool, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def page_tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_numbers_in_sentences_are_those_of_rows_that_exist() -> None:
    tool, found = page_tool("reproduce_page"), {"name": report(a=0.123456, b=4567.8)}
    text = 'It is [9](results/name.json "case: a") and [9](results/name.json "case: b").'
    written = tool.with_numbers(text, found)
    assert "[0.123](" in written and "[4568](" in written
    assert tool.with_numbers(written, found) == written
    with pytest.raises(ValueError, match="no row 'case: c'"):
        tool.with_numbers('[9](results/name.json "case: c")', found)


def test_tables_of_rows_side_by_side() -> None:
    tool, found = page_tool("report_grid"), report(a=0.5, b=1.6e-7)
    found["rows"][0]["peers"] = {"coal": 0.25}
    begin = "<!-- grid:begin\nrows: first := case\ncolumns: a; both := b\n"
    text = f"{begin}case: {{row}}\nquantity: {{column}} / a@coal\n-->\n<!-- grid:end -->"
    written = tool.with_grids(text, "name", found)
    assert "| | a | both |\n| --- | ---: | ---: |\n| first | 0.5 / 0.25 | 2e-07 / 0.25 |" in written
    assert tool.with_grids(written, "name", found) == written
    with pytest.raises(ValueError, match="no row"):
        tool.with_grids(text.replace("first := case", "other"), "name", found)


def test_pages_refer_to_reports_that_exist() -> None:
    for page in PAGES.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        named = set(re.findall(r"\]\(results/([a-z0-9-]+)\.json", text))
        assert named <= set(committed()), page.name
        assert "results:begin -->\n<!-- results:end" not in text, page.name


@pytest.mark.parametrize("name", committed())
def test_rows_that_a_page_or_a_note_speaks_of_exist(name: str) -> None:
    rows = read_report(RESULTS, name)["rows"]
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    notes = "\n".join(row["note"] for row in rows)
    promised = re.findall(r"\brows?\s+\*([^*]+)\*", f"{text}\n{notes}")
    known = "\n".join(f"{row['case']}: {row['quantity']}" for row in rows)
    assert [words for words in promised if " ".join(words.split()) not in known] == []


@pytest.mark.parametrize("name", committed())
def test_committed_reports_are_whole_and_judged_afresh(name: str) -> None:
    found = read_report(RESULTS, name)
    assert found["name"] == name and found["rows"]
    for row in found["rows"]:
        assert set(row) == set(FIELDS)
        assert row["holds"] is holds(row["ours"], row["relation"], row["goal"])
    assert not found["missing"], "a committed report comes from a run with all packages"
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert f"](../images/reproduce/{name}.png)" in text
    assert (ROOT / "docs" / "images" / "reproduce" / f"{name}.png").is_file()


def test_changes_names_rows_that_changed_sides() -> None:
    old, new = report(a=0.5, b=2.0, gone=0.0), report(a=1.5, b=2.5, new=0.0)
    found = changes(old, new)
    assert [change.counts for change in found] == [True, False, True]
    assert "changed sides: case: a: 0.5 held, now 1.5 did not hold" in found[0].text
    assert found[1].text == "new row: case: new"
    assert found[2].text == "row is gone: case: gone (goal <= 1.0)"
    assert changes(old, old) == []
    sizes, *rest = changes(old | {"quick": True}, new)
    assert "sizes differ" in sizes.text and not sizes.counts
    assert [change.counts for change in rest] == [True, False, False]


def test_rows_that_are_gone_count_where_they_had_a_goal_and_are_no_times() -> None:
    old = report()
    old["rows"] = [
        make_row("case", "number", "1", 2.0),
        make_row("case", "time", "us", 2.0, relation="<=", goal=1.0, timing=True),
        make_row("case", "missed", "1", 2.0, relation="<=", goal=1.0),
    ]
    assert [change.counts for change in changes(old, report())] == [False, False, True]


def test_rounding_does_not_change_sides() -> None:
    short = rounded(report(a=1.00000001, b=0.123456789))
    assert short["rows"][0]["ours"] == 1.00000001 and short["rows"][0]["holds"] is False
    assert short["rows"][1]["ours"] == 0.1235


def test_check_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["reproduce", "stp-gradient", "--quick"]
    assert main([*words, "--check", str(tmp_path / "none")]) == 2
    assert main([*words, "--check", str(tmp_path)]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main([*words, "--out", str(tmp_path)]) == 0
    assert main([*words, "--check", str(tmp_path)]) == 0
    assert "no row changed sides" in capsys.readouterr().out
    path = tmp_path / "stp-gradient.json"
    made = json.loads(path.read_text(encoding="utf-8"))
    judged = next(row for row in made["rows"] if row["holds"] and not row["timing"])
    judged["holds"] = False
    write_report(path, made)
    assert main([*words, "--check", str(tmp_path)]) == 1
    assert "changed sides" in capsys.readouterr().out
    made["rows"].append(judged | {"holds": True, "case": "a case that is gone"})
    judged["holds"] = True
    write_report(path, made)
    assert main([*words, "--check", str(tmp_path)]) == 1
    assert "row is gone: a case that is gone" in capsys.readouterr().out
    path.write_text("[]", encoding="utf-8")
    assert main([*words, "--check", str(tmp_path)]) == 2
