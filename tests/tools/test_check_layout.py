# SPDX-License-Identifier: BSD-2-Clause
"""tools/check_layout.py asks for a test of every source, and a source of every test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TOOL = REPOSITORY / "tools" / "check_layout.py"


def run(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), "--root", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_repository_passes() -> None:
    result = run(REPOSITORY)
    assert result.returncode == 0, result.stderr


def test_a_source_needs_its_test(tmp_path: Path) -> None:
    write(tmp_path / "src/narrow/gjk.cpp")
    result = run(tmp_path)
    assert result.returncode == 1
    assert "write tests/narrow/gjk_test.cpp" in result.stderr
    write(tmp_path / "tests/narrow/gjk_test.cpp")
    assert run(tmp_path).returncode == 0


def test_a_header_with_code_needs_its_test(tmp_path: Path) -> None:
    header = tmp_path / "src/math/cube.hpp"
    write(header, "// f() { is no code in a comment\nint cube(int x);\nconstexpr int kOne{1};\n")
    assert run(tmp_path).returncode == 0
    write(header, "inline int cube(int x) { return x * x * x; }\n")
    result = run(tmp_path)
    assert result.returncode == 1
    assert "write tests/math/cube_test.cpp" in result.stderr
    write(header.with_suffix(".cpp"))  # the test of the source is that of both
    assert "cube.cpp: has no test" in run(tmp_path).stderr
    write(tmp_path / "tests/math/cube_test.cpp")
    assert run(tmp_path).returncode == 0


def test_a_test_of_a_layer_needs_its_source(tmp_path: Path) -> None:
    write(tmp_path / "tests/narrow/epa_test.cpp")
    write(tmp_path / "tests/property/symmetry_test.cpp")
    result = run(tmp_path)
    assert result.returncode == 1
    assert "tests/narrow/epa_test.cpp: tests no source" in result.stderr
    assert "property" not in result.stderr


def test_a_long_file_fails(tmp_path: Path) -> None:
    write(tmp_path / "include/tactum/long.hpp", "//\n" * 601)
    result = run(tmp_path)
    assert result.returncode == 1
    assert "601 lines" in result.stderr
