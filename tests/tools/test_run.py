# SPDX-License-Identifier: BSD-2-Clause
"""The entry script's own behavior, with the tools it calls replaced by small fakes: exit codes,
logs, and what it says."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


class Sandbox:
    """A folder with a copy of the script, and a folder of fake programs that comes first in
    PATH."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "repository"
        self.programs = folder / "programs"
        self.root.mkdir()
        self.programs.mkdir()
        shutil.copy(REPOSITORY / "run", self.root / "run")
        self.fake("dpkg-query", "echo -n installed")
        self.fake("cmake", "echo compiling; exit 0")

    def fake(self, name: str, script: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "TACTUM_VERBOSE": "0",
        }
        command = [str(self.root / "run"), *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, cwd="/", check=False
        )


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path)


def test_help_names_every_command(sandbox: Sandbox) -> None:
    result = sandbox.run("--help")
    assert result.returncode == 0
    for command in "demo test build bench compare wheels python tactum fmt lint example docs fuzz oracle accuracy".split():
        assert f"\n  {command}" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nothing"], 2, "there is no command nothing"),
        (["build", "nothing"], 1, "there is no preset nothing"),
        (["fuzz", "distance"], 1, "give a target and seconds"),
        (["fuzz", "nothing", "5"], 1, "there is no fuzz target nothing"),
        (["oracle", "many"], 1, "how many poses"),
        (["test", "--fast"], 1, "test takes --bridges, or nothing"),
    ],
)
def test_wrong_use(sandbox: Sandbox, arguments: list[str], code: int, message: str) -> None:
    result = sandbox.run(*arguments)
    assert result.returncode == code
    assert message in result.stderr


def test_a_good_build_is_quiet_and_keeps_its_log(sandbox: Sandbox) -> None:
    result = sandbox.run("build")
    assert result.returncode == 0, result.stderr
    assert "compiling" not in result.stdout
    assert "compiling" in (sandbox.root / "build/logs/build-release.log").read_text(
        encoding="utf-8"
    )


def test_a_failing_step_ends_the_stage_and_shows_the_log(sandbox: Sandbox) -> None:
    # configuring fails: the compile step after it must not run, and its success must not hide the
    # failure
    sandbox.fake(
        "cmake", 'if [[ $1 == --preset ]]; then echo "no compiler"; exit 7; fi; echo compiling'
    )
    result = sandbox.run("build")
    assert result.returncode == 1
    assert (
        "FAILED" in result.stdout
        and "no compiler" in result.stdout
        and "build/logs/build-release.log" in result.stdout
    )
    assert "compiling" not in result.stdout


def test_a_failing_install_is_not_taken_for_done(sandbox: Sandbox) -> None:
    requirements = sandbox.root / "tools" / "requirements"
    requirements.mkdir(parents=True)
    for name in ("build", "test", "constraints"):
        (requirements / f"{name}.txt").write_text("", encoding="utf-8")
    venv = sandbox.root / ".venv"
    (venv / "bin").mkdir(parents=True)
    python = venv / "bin" / "python"
    python.write_text(
        f'#!/bin/bash\nif [[ $1 == -c ]]; then echo "{venv}"; exit 0; fi\necho "no network"; exit 3\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    for _ in range(2):
        result = sandbox.run("setup")
        assert result.returncode == 1
        assert "no network" in result.stdout
    assert not list(venv.glob("*.stamp"))


def test_without_root_one_line_says_what_to_install(sandbox: Sandbox) -> None:
    sandbox.fake(
        "dpkg-query",
        "[[ ${@: -1} == ninja-build || ${@: -1} == ccache ]] && exit 1; echo -n installed",
    )
    sandbox.fake("id", "echo 1000")
    sandbox.fake("sudo", "exit 1")
    sandbox.fake("apt-get", "echo must not be called; exit 0")
    result = sandbox.run("build")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        "error: please install the missing Debian packages: sudo apt-get install ninja-build ccache"
    ]


def test_as_root_missing_packages_are_installed(sandbox: Sandbox) -> None:
    sandbox.fake("dpkg-query", "[[ ${@: -1} == ccache ]] && exit 1; echo -n installed")
    sandbox.fake("id", "echo 0")
    sandbox.fake("apt-get", 'echo "apt-get $*"')
    result = sandbox.run("build")
    assert result.returncode == 0, result.stdout
    log = (sandbox.root / "build/logs/Debian-packages.log").read_text(encoding="utf-8")
    assert log.splitlines()[-1].startswith("apt-get install") and log.rstrip().endswith(" ccache")


#: what a package that an example imports is in, by the first word of the import
GROUPS = {
    "torch": "bridges",
    "crocoddyl": "crocoddyl",
    "pinocchio": "robot",
    "tactum.sim": "sim",
    "tactum.torch": "bridges",
    "tactum.crocoddyl": "crocoddyl",
}


def in_script(folder: Path, command: str) -> str:
    """What a command prints where the functions of the script are known."""
    text = f"source ./run help >/dev/null; {command}"
    return subprocess.run(
        ["bash", "-c", text], capture_output=True, text=True, cwd=folder, check=True
    ).stdout


def groups_of(path: Path) -> set[str]:
    """The groups of packages that a file imports something of."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {group for name, group in GROUPS.items() if name in found}


def test_examples_get_the_packages_that_they_import() -> None:
    examples = sorted((REPOSITORY / "examples").glob("[0-9][0-9]_*.py"))
    needed = {path.stem: groups_of(path) for path in examples}
    assert needed["25_push_plan"] == {"sim", "crocoddyl"} and needed["01_distance"] == set()
    for name, groups in needed.items():
        given = set(in_script(REPOSITORY, f"example_groups {name}").split())
        assert groups <= given, name
        assert bool(groups) == bool(given), name


def test_examples_that_need_more_are_left_out(sandbox: Sandbox) -> None:
    (sandbox.root / "examples").mkdir()
    (sandbox.root / "build").mkdir()
    python = sandbox.root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/bash\necho "ran $(basename "$1")"\n', encoding="utf-8")
    python.chmod(0o755)
    names = ("01_distance", "07_torch", "20_throw_sim", "25_push_plan", "26_allegro")
    for name in names:
        (sandbox.root / "examples" / f"{name}.py").write_text("", encoding="utf-8")
    plain = in_script(sandbox.root, "run_python_examples").splitlines()
    assert [line for line in plain if line.startswith("ran")] == ["ran 01_distance.py"]
    assert len([line for line in plain if "left out" in line]) == 4
    everything = in_script(sandbox.root, "run_python_examples --bridges").splitlines()
    assert [line for line in everything if line.startswith("ran")] == [
        f"ran {name}.py" for name in names
    ]
