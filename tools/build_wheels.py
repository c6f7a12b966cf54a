#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`./run wheels`: wheels for every supported Python that this machine has, repaired, and tested in
clean environments.

Pythons     python3.10 and later on the PATH, and those that --python names. From 3.12 on the
            extension uses the stable ABI: the oldest of these builds one wheel, which is tested with
            all of them. 3.10 and 3.11 have wheels of their own.
Build       each wheel in an environment of its own, with the pinned build requirements.
Repair      auditwheel gives the wheel the oldest manylinux tag that the symbols of its libraries
            allow. That is set by the C library of the machine: build on the oldest system whose
            compiler knows C++20.
Test        tools/check_wheel.py: numpy alone beside it, libraries, licences, a C++ project.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "tools" / "requirements"
OLDEST = (3, 10)
STABLE = (3, 12)  #: from here on one wheel serves all
NEWEST_NAME = 20  #: python3.20 is the last name that is looked for

Version = tuple[int, int]


@dataclass(frozen=True)
class Interpreter:
    """A Python of this machine."""

    path: Path
    version: Version


@dataclass
class Wheel:
    """What builds a wheel, and which Pythons it serves."""

    name: str
    builder: Interpreter
    serves: list[Interpreter]


def run(*command: str | Path, log: Path, environment: dict[str, str] | None = None) -> None:
    """Runs a command with its output in a log; ends the program with the end of it on failure."""
    log.parent.mkdir(parents=True, exist_ok=True)
    words = [str(part) for part in command]
    with log.open("a", encoding="utf-8") as out:
        out.write("$ " + " ".join(words) + "\n")
        out.flush()
        code = subprocess.run(
            words, stdout=out, stderr=subprocess.STDOUT, env=environment, cwd=ROOT, check=False
        ).returncode
    if code:
        tail = "\n".join(log.read_text(encoding="utf-8").splitlines()[-40:])
        sys.exit(f"{words[0]} ended with {code}; the end of {log}:\n{tail}")


def version_of(path: Path) -> Version | None:
    """The version of an interpreter that can make environments; None: it cannot."""
    code = "import sys, venv, ensurepip; print(*sys.version_info[:2])"
    try:
        shown = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return None
    if shown.returncode:
        return None
    major, minor = shown.stdout.split()
    return int(major), int(minor)


def find_interpreters(named: Sequence[Path]) -> list[Interpreter]:
    """One for each version, those that were named first."""
    candidates = list(named)
    for minor in range(OLDEST[1], NEWEST_NAME + 1):
        found = shutil.which(f"python3.{minor}")
        candidates += [Path(found)] if found else []
    result: dict[Version, Interpreter] = {}
    for path in candidates:
        version = version_of(path)
        if version is None or version < OLDEST:
            if path in named:
                sys.exit(f"--python: got {path}; give a Python >= 3.10 with venv and ensurepip")
            continue
        result.setdefault(version, Interpreter(path, version))
    return [result[version] for version in sorted(result)]


def plan(interpreters: Sequence[Interpreter]) -> list[Wheel]:
    """The wheels that serve these Pythons."""
    wheels = [
        Wheel(f"cp{x.version[0]}{x.version[1]}", x, [x]) for x in interpreters if x.version < STABLE
    ]
    later = [x for x in interpreters if x.version >= STABLE]
    if later:
        wheels.append(Wheel("abi3", later[0], later))
    return wheels


def build(wheel: Wheel, work: Path, out: Path, *, sim: bool) -> Path:
    """The repaired wheel."""
    log = work / "build.log"
    environment = work / "environment"
    python = environment / "bin" / "python"
    run(wheel.builder.path, "-m", "venv", "--clear", environment, log=log)
    requirements = ["build", *(["sim"] if sim else [])]
    files = [part for name in requirements for part in ("-r", str(REQUIREMENTS / f"{name}.txt"))]
    run(python, "-m", "pip", "install", "-q", *files, log=log)
    path = os.pathsep.join([str(environment / "bin"), os.environ["PATH"]])
    raw = work / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    run(
        python, "-m", "pip", "wheel", ROOT, "--no-build-isolation", "--no-deps",
        "--wheel-dir", raw,
        f"--config-settings=build-dir={work / 'cmake'}",
        f"--config-settings=cmake.define.TACTUM_BUILD_SIM={'ON' if sim else 'OFF'}",
        log=log,
        environment={**os.environ, "PATH": path},
    )  # fmt: skip
    repaired = work / "repaired"
    shutil.rmtree(repaired, ignore_errors=True)
    run(
        python, "-m", "auditwheel", "repair", *next_to_pinocchio(), "--wheel-dir", repaired,
        *raw.glob("tactum-*.whl"),
        log=log,
        environment={**os.environ, "PATH": path},
    )  # fmt: skip
    (made,) = repaired.glob("tactum-*.whl")
    out.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(made, out))


def next_to_pinocchio() -> list[str]:
    """Libraries of Pinocchio stay outside: whoever simulates has them installed."""
    return [f"--exclude={name}" for name in ("libpinocchio*", "libboost*", "libcoal*")]


def test(made: Path, interpreter: Interpreter, work: Path) -> None:
    """tools/check_wheel.py with this Python; patchelf is that of the build environment."""
    tag = "".join(str(part) for part in interpreter.version)
    path = os.pathsep.join([str(work / "environment" / "bin"), os.environ["PATH"]])
    run(
        sys.executable, ROOT / "tools" / "check_wheel.py", made,
        "--work", work / f"clean{tag}", "--python", interpreter.path,
        log=work / f"check{tag}.log",
        environment={**os.environ, "PATH": path},
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./run wheels",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder of the wheels")
    parser.add_argument(
        "--python", type=Path, action="append", default=[], help="another interpreter"
    )
    parser.add_argument("--without-sim", action="store_true", help="leave the simulator out")
    options = parser.parse_args(arguments)
    interpreters = find_interpreters(options.python)
    if not interpreters:
        sys.exit("no Python >= 3.10 with venv was found; install one, or name it with --python")
    for wheel in plan(interpreters):
        work = ROOT / "build" / f"wheels-{wheel.name}"
        shown = ", ".join(f"{x.version[0]}.{x.version[1]}" for x in wheel.serves)
        print(f"{wheel.name}, for Python {shown} ...", flush=True)
        made = build(wheel, work, options.out, sim=not options.without_sim)
        for interpreter in wheel.serves:
            test(made, interpreter, work)
        print(f"  {made}: {made.stat().st_size / 1e6:.1f} MB, tested with Python {shown}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
