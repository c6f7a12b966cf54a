# SPDX-License-Identifier: BSD-2-Clause
"""tools/check_names.py finds paths, tests, commands and identifiers that do not exist."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
TOOL = REPOSITORY / "tools" / "check_names.py"


def run(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), "--root", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path / "src/core/there.cpp", "int find_root();\n")
    write(
        tmp_path / "tests/core/there_test.cpp",
        "TEST(There, FindsTheRootAtOnce) {}\nTEST_F(Fixture, HoldsForAllKinds) {}\n",
    )
    write(tmp_path / "run", "cat <<'HELP'\n  test  runs every test\nHELP\n")
    return tmp_path


def test_the_repository_passes() -> None:
    result = run(REPOSITORY)
    assert result.returncode == 0, result.stderr


SOUND = [
    "src/core/there.cpp, core/there.cpp, there.cpp and the folder src/core",
    "src/X/y.cpp, tests/core/x_y_test.cpp and src/core/<name>.cpp stand for any file",
    "There.FindsTheRootAtOnce and Fixture.HoldsForAllKinds",
    "`./run test`",
    "https://example.org/src/core/gone.cpp",
]
BROKEN = [
    ("src/core/gone.cpp", "src/core/gone.cpp does not exist"),
    ("the folder src/gone/", "src/gone does not exist"),
    ("src/<name>.cpp", "src/<name>.cpp: its folder holds no such file"),
    ("tests/gone/name_test.cpp", "tests/gone/name_test.cpp: its folder holds no such file"),
    ("core/gone.cpp", "no file is called core/gone.cpp"),
    ("as gone.hpp does", "no file is called gone.hpp"),
    ("There.FindsNothingAtAll", "there is no test There.FindsNothingAtAll"),
    ("`./run nothing`", "./run has no command nothing"),
]


@pytest.mark.parametrize("text", SOUND)
def test_what_exists_may_be_named(tree: Path, text: str) -> None:
    write(tree / "README.md", f"# A title\n\n{text}\n")
    write(tree / "src/core/there.hpp", f"// {text}\n")
    result = run(tree)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(("text", "message"), BROKEN)
@pytest.mark.parametrize(
    ("file", "around"),
    [
        ("README.md", "# A title\n\n{}\n"),
        ("src/core/there.hpp", "int x;\n\nint y;  // {}\n"),
        ("tools/check.py", 'x = 1\n\n# {}\n"""Nothing."""\n'),
        ("tools/read.py", 'def read():\n    """Reads.\n    {}"""\n'),
        ("src/CMakeLists.txt", "\n\n# {}\n"),
    ],
)
def test_what_does_not_exist_is_found_with_its_line(
    tree: Path, text: str, message: str, file: str, around: str
) -> None:
    write(tree / file, around.format(text))
    result = run(tree)
    assert result.returncode == 1
    assert result.stderr.splitlines() == [f"{file}:3: {message}"]


def test_code_and_links_are_left_alone(tree: Path) -> None:
    write(
        tree / "README.md",
        "# A title\n\n[link](src/core/gone.cpp)\n\n```cpp\n#include <gone.hpp>\n```\n",
    )
    write(tree / "src/core/there.hpp", 'const char* path = "src/core/gone.cpp";\n')
    assert run(tree).returncode == 0


def test_identifiers_in_back_quotes_occur_in_the_code(tree: Path) -> None:
    write(
        tree / "README.md",
        "`find_root(x)` and `find_nothing`, `plain` words, and `lost/found_it`\n",
    )
    write(tree / "CHANGELOG.md", "`find_nothing` is gone\n")
    result = run(tree)
    assert result.stderr.splitlines() == ["README.md:1: find_nothing does not occur in the code"]


def test_filters_of_the_build_name_suites(tree: Path) -> None:
    write(tree / "tests/CMakeLists.txt", 'set(filter "There.*:Gone.*")\n')
    result = run(tree)
    assert result.stderr.splitlines() == ["tests/CMakeLists.txt: there is no suite Gone"]
