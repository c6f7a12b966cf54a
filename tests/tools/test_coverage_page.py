# SPDX-License-Identifier: BSD-2-Clause
"""tools/coverage_page.py adds up what gcovr counted, and fails below the floor."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "coverage_page.py"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    files = [
        {"filename": "src/math/a.cpp", "line_total": 10, "line_covered": 9, "branch_total": 4, "branch_covered": 2},
        {"filename": "src/math/b.hpp", "line_total": 10, "line_covered": 10, "branch_total": 0, "branch_covered": 0},
        {"filename": "src/shape/hull/c.cpp", "line_total": 20, "line_covered": 18, "branch_total": 6, "branch_covered": 6},
    ]  # fmt: skip
    (folder / "summary.json").write_text(json.dumps({"files": files}), encoding="utf-8")
    command = [sys.executable, str(TOOL), str(folder / "summary.json")]
    command += ["--page", str(folder / "page.md"), "--floor", str(folder / "floor.json")]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)


def test_page_and_floor(tmp_path: Path) -> None:
    floor = tmp_path / "floor.json"
    floor.write_text('{"line": 92.5, "branch": 80.0}', encoding="utf-8")
    result = run(tmp_path)
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| src/math | 20 | 95.0 % | 4 | 50.0 % |" in page
    assert "| src/shape | 20 | 90.0 % | 6 | 100.0 % |" in page
    assert "| all | 40 | 92.5 % | 10 | 80.0 % |" in page
    floor.write_text('{"line": 92.6, "branch": 80.0}', encoding="utf-8")
    result = run(tmp_path)
    assert result.returncode == 1
    assert "line coverage is 92.50 %, below the floor of 92.6 %" in result.stderr
    assert run(tmp_path, "--raise").returncode == 0
    assert json.loads(floor.read_text(encoding="utf-8")) == {"line": 92.5, "branch": 80.0}
