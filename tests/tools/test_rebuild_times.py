# SPDX-License-Identifier: BSD-2-Clause
"""tools/rebuild_times.py measures builds, and refuses a build folder that is behind."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "rebuild_times.py"
SPEC = importlib.util.spec_from_file_location("rebuild_times", TOOL)
assert SPEC is not None and SPEC.loader is not None
rebuild_times = importlib.util.module_from_spec(SPEC)
sys.modules["rebuild_times"] = rebuild_times
SPEC.loader.exec_module(rebuild_times)


def test_steps_and_processor_time_of_a_command() -> None:
    work = "print('[1/2] a\\n[2/2] b'); sum(range(3_000_000))"
    times = rebuild_times.measure([sys.executable, "-c", work])
    assert times.commands == 2
    assert 0.0 < times.processor < 60.0 and times.clock > 0.0
    assert rebuild_times.row("a.cpp", rebuild_times.Times(3, 12.4, 7.6)) == "| `a.cpp` | 3 | 12 | 8 |"
    with pytest.raises(RuntimeError, match="failed"):
        rebuild_times.measure([sys.executable, "-c", "raise SystemExit(1)"])


@pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("ninja") is None, reason="needs cmake and ninja"
)
def test_a_changed_file_is_built_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(small NONE)\n"
        "add_custom_command(OUTPUT out COMMAND ${CMAKE_COMMAND} -E touch out\n"
        "  DEPENDS ${CMAKE_SOURCE_DIR}/in)\nadd_custom_target(all_of_it ALL DEPENDS out)\n",
        encoding="utf-8",
    )
    source, build = tmp_path / "in", tmp_path / "build"
    source.touch()
    rebuild_times.measure(["cmake", "-G", "Ninja", "-S", str(tmp_path), "-B", str(build)])
    assert rebuild_times.main([str(build), str(source)]) == 1
    assert "not done" in capsys.readouterr().err
    rebuild_times.measure(["cmake", "--build", str(build)])
    assert rebuild_times.main([str(build), str(source)]) == 0
    assert f"| `{source}` | 1 |" in capsys.readouterr().out
