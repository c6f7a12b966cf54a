# SPDX-License-Identifier: BSD-2-Clause
"""tools/coverage_page.py adds up what llvm-cov counted, and fails below the floor."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "coverage_page.py"


def counted(name: str, **parts: tuple[int, int]) -> dict[str, Any]:
    """A file as llvm-cov writes it, from what is covered and how much there is of each part."""
    summary = {part: {"covered": n, "count": of} for part, (n, of) in parts.items()}
    return {"filename": str(ROOT / name), "summary": summary}


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    files = [
        counted("src/math/a.cpp", lines=(9, 10), branches=(2, 4)),
        counted("src/math/b.hpp", lines=(10, 10), branches=(0, 0)),
        counted("src/shape/hull/c.cpp", lines=(18, 20), branches=(6, 6)),
    ]
    summary = json.dumps({"data": [{"files": files}]})
    (folder / "summary.json").write_text(summary, encoding="utf-8")
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
