# SPDX-License-Identifier: BSD-2-Clause
"""tools/check_layers.py accepts a good tree and refuses each kind of bad one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
TOOL = REPOSITORY / "tools" / "check_layers.py"


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), "--root", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree that passes."""
    write(tmp_path / "include/tactum/status.hpp", "#pragma once\n#include <string>\n")
    write(tmp_path / "include/tactum/shape.hpp", '#include "tactum/status.hpp"\n')
    write(tmp_path / "src/core/status.cpp", '#include "tactum/status.hpp"\n')
    write(tmp_path / "src/math/solve.hpp", "#pragma once\n")
    write(tmp_path / "src/math/other.hpp", '#include "math/solve.hpp"\n')
    write(tmp_path / "src/narrow/query/distance.hpp", "#pragma once\n")
    write(tmp_path / "src/shape/hull.hpp", '#include "math/solve.hpp"\n')
    write(
        tmp_path / "src/narrow/gjk.cpp",
        '#include "tactum/shape.hpp"\n  #  include "shape/hull.hpp"\n',
    )
    write(
        tmp_path / "ARCHITECTURE.md", "before\n<!-- layers:begin -->\n<!-- layers:end -->\nafter\n"
    )
    assert run(tmp_path, "--write").returncode == 0
    return tmp_path


def test_the_repository_passes() -> None:
    result = run(REPOSITORY)
    assert result.returncode == 0, result.stderr


def test_a_good_tree_passes_and_the_list_names_what_exists(tree: Path) -> None:
    assert run(tree).returncode == 0
    text = (tree / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n")
    assert "core < math < shape" in text
    assert "`src/narrow`" in text and "`src/sim`" not in text


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("src/shape/hull.hpp", '#include "narrow/gjk.hpp"\n', "shape must not include"),
        (
            "src/core/status.cpp",
            '#include "math/solve.hpp"\n',
            "src/core/status.cpp:1: core must not include",
        ),
        ("src/shape/deep/er.hpp", '\n#include "narrow/gjk.hpp"\n', "src/shape/deep/er.hpp:2"),
        (
            "src/narrow/gjk/gjk.cpp",
            '#include "narrow/query/distance.hpp"\n',
            "lies in a room to the right",
        ),
        ("src/narrow/corner/gjk.cpp", "", "src/narrow/corner/: not a room"),
        (
            "src/math/solve.hpp",
            '#include "math/other.hpp"\n',
            "a circle of includes: math/other -> math/solve -> math/other",
        ),
        ("src/utils/helper.cpp", "", "src/utils/: not a layer"),
        ("src/loose.cpp", "", "loose file"),
        ("src/narrow/gjk.cpp", '#include "gjk_detail.hpp"\n', "not written relative to src/"),
        ("src/narrow/gjk.cpp", '#include "../shape/hull.hpp"\n', "not written relative to src/"),
        ("src/narrow/gjk.cpp", '#include "shape/gone.hpp"\n', "names no file"),
        ("include/tactum/shape.hpp", '#include "shape/hull.hpp"\n', "a public header includes"),
        ("ARCHITECTURE.md", "<!-- layers:begin -->\nold\n<!-- layers:end -->\n", "stale"),
        ("ARCHITECTURE.md", "no list\n", "no <!-- layers:begin -->"),
    ],
)
def test_a_bad_tree_fails(tree: Path, path: str, text: str, message: str) -> None:
    write(tree / "src/narrow/gjk.hpp", "#pragma once\n")
    write(tree / path, text)
    result = run(tree)
    assert result.returncode == 1
    assert message in result.stderr


def test_a_new_folder_makes_the_list_stale_until_it_is_written(tree: Path) -> None:
    write(tree / "src/mesh/mesh.cpp", "")
    assert "stale" in run(tree).stderr
    assert run(tree, "--write").returncode == 0
    assert run(tree).returncode == 0


# a header that declares what another source defines, which calls back into the header's own source
STATE = "namespace tactum {\nvoid grow(int by);\nvoid answer(int a, double b = 0.0);\n}\n"
GROW = '#include "shape/state.hpp"\nnamespace tactum {\nvoid grow(int by) { by += 1; }\n'
ANSWER = (
    '#include "shape/state.hpp"\nnamespace tactum {\n'
    "void answer(int a, double b) {\n  grow(a);\n}\n}\n"
)


def write_circle(tree: Path, caller: str) -> str:
    write(tree / "src/shape/state.hpp", STATE)
    write(tree / "src/shape/state.cpp", GROW + caller + "}\n")
    write(tree / "src/shape/answer.cpp", ANSWER)
    return run(tree).stderr


def test_a_circle_of_calls_is_found(tree: Path) -> None:
    message = write_circle(tree, "void use() { answer(1); }\n")
    assert "a circle of includes: shape/answer -> shape/state -> shape/answer" in message
    assert "shape/state calls answer(), which shape/answer defines" in message


@pytest.mark.parametrize(
    "caller",
    [
        "",
        "// answer(1)\n",
        'const char* text = "answer(1)";\n',
        "void use(Other& other) { other.answer(1); }\n",
        "void use() { answer(1, 2.0, 3); }\n",
        "void use() {\n  const auto answer = [](int) {};\n  answer(1);\n}\n",
        "namespace {\nvoid answer(int) {}\n}\nvoid use() { answer(1); }\n",
    ],
    ids=["none", "comment", "text", "member", "arguments", "lambda", "nameless"],
)
def test_what_is_no_call_makes_no_circle(tree: Path, caller: str) -> None:
    assert write_circle(tree, caller) == ""


CLASS = "namespace tactum {\nstruct State {\n  void fill();\n  void empty();\n};\n}\n"
FILL = '#include "shape/state.hpp"\nnamespace tactum {\nvoid State::fill() {\n  empty();\n}\n}\n'
EMPTY = '#include "shape/state.hpp"\nnamespace tactum {\nvoid State::empty() {\n  fill();\n}\n}\n'


def test_members_in_two_sources_make_a_circle_unless_the_class_has_a_source_of_its_name(
    tree: Path,
) -> None:
    write(tree / "src/shape/state.hpp", CLASS)
    write(tree / "src/shape/fill.cpp", FILL)
    write(tree / "src/shape/empty.cpp", EMPTY)
    assert "shape/empty calls State::fill(), which shape/fill defines" in run(tree).stderr
    write(tree / "src/shape/state.cpp", EMPTY)
    (tree / "src/shape/empty.cpp").unlink()
    assert run(tree).stderr == ""
