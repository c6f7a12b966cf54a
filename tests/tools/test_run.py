# SPDX-License-Identifier: BSD-2-Clause
"""The entry script's own behavior, with the tools it calls replaced by small fakes: exit codes,
logs, and what it says."""

from __future__ import annotations

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
