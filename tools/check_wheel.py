#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks a repaired wheel the way a stranger meets it: installed in an environment that has numpy
and nothing else.

It fails when the package does not import or answer there, when another Python package is needed,
when a shared object of the wheel needs a library that is neither in the wheel nor part of every
Linux system, when a library search path leaves the wheel, when typing files or licences are
missing, or when a C++ project cannot be built with the headers and the CMake package of the wheel.
The environment is kept between calls, so only the first call needs the network.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

# the simulator needs Pinocchio, which is an extra: without it, tactum.sim says so
OF_THE_SIMULATOR = ("_sim.", "libtactum_sim.")
SYSTEM_LIBRARIES = {"linux-vdso.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"} | {
    "libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2",
}  # fmt: skip
REQUIRED_FILES = [
    "tactum/__init__.py", "tactum/py.typed", "tactum/_core.pyi", "tactum/reproduce/_timing.pyi", "tactum/libtactum.so", "tactum/data/ycb_hulls.npz",
    "tactum/include/tactum/tactum.hpp", "tactum/include/tactum/version.hpp", "tactum/cmake/tactumConfig.cmake",
]  # fmt: skip
REQUIRED_LICENSES = ["LICENSE", "THIRD_PARTY_NOTICES.md"]

# a box and a sphere two metres apart, with the number that a ruler gives
ANSWER = """
import sys
import numpy
import tactum
assert tactum.__file__.startswith(sys.prefix), tactum.__file__
X_WB = numpy.eye(4)
X_WB[0, 3] = 2.0
result = tactum.distance(tactum.Box(half_extents=(0.1, 0.2, 0.3)), numpy.eye(4), tactum.Sphere(radius=0.5), X_WB)
assert abs(result.distance - 1.4) < 1e-12, result.distance
hull = tactum.Convex.from_points(numpy.eye(4)[:, :3])
assert abs(hull.volume() - 1.0 / 6.0) < 1e-15, hull.volume()
try:
    import tactum.sim
except ImportError as error:
    assert "tactum[sim]" in str(error), error
else:
    raise AssertionError("tactum.sim was imported without Pinocchio")
print(tactum.__version__)
"""


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Output of a command; ends the program with its output when it fails."""
    result = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, cwd=cwd, check=False
    )
    if result.returncode != 0:
        sys.exit(
            f"{' '.join(str(part) for part in command)}\nended with {result.returncode}:\n{result.stdout}{result.stderr}"
        )
    return result.stdout


def numpy_requirement(requirements: Path, base: Path) -> str:
    """The line of the requirements that pins numpy; a Python that it is not made for takes another."""
    version = run(base, "-c", "import sys; print(sys.version_info >= (3, 11))").strip()
    lines = requirements.read_text(encoding="utf-8").splitlines()
    pinned = next(line for line in lines if line.startswith("numpy=="))
    return pinned if version == "True" else "numpy>=1.26"


def clean_environment(work: Path, requirement: str, base: Path) -> Path:
    """The interpreter of an environment with numpy alone, made when it is not there yet."""
    python = work / "bin" / "python"
    stamp = work / "numpy.stamp"
    if not (
        python.exists() and stamp.is_file() and stamp.read_text(encoding="utf-8") == requirement
    ):
        run(base, "-m", "venv", "--clear", work)
        run(python, "-m", "pip", "install", "-q", requirement)
        stamp.write_text(requirement, encoding="utf-8")
    return python


def build_consumer(work: Path, folder: str) -> None:
    """Configures, builds and runs a C++ project that knows nothing but the CMake folder of the
    installed package; ends the program with the output of what fails."""
    source = Path(__file__).resolve().parent.parent / "tests" / "consumers" / "find_package"
    build = work / "consumer"
    shutil.rmtree(build, ignore_errors=True)
    options = (f"-Dtactum_DIR={folder}", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "-S", source, "-B", build, *options)
    run("cmake", "--build", build)
    run(build / "consumer")


def content_problems(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    problems = [f"{name} is not in the wheel" for name in REQUIRED_FILES if name not in names]
    problems += [
        f"the licence file {name} is not in the wheel"
        for name in REQUIRED_LICENSES
        if not any(
            ".dist-info/licenses/" in entry and entry.endswith("/" + name) for entry in names
        )
    ]
    if not re.search(r"manylinux_\d+_\d+_", wheel.name):
        problems.append(f"{wheel.name} has no manylinux tag: it was not repaired")
    return problems


def library_problems(site_packages: Path) -> list[str]:
    """Libraries that the installed shared objects need beyond the wheel and the system, by ldd and
    patchelf."""
    problems = []
    objects = sorted(
        path
        for pattern in ("tactum/**/*.so*", "tactum.libs/*.so*")
        for path in site_packages.glob(pattern)
    )
    if not any(path.name.startswith("_core.") for path in objects):
        problems.append("the extension tactum/_core is missing")
    for path in objects:
        extra = path.name.startswith(OF_THE_SIMULATOR)
        for name, place in [] if extra else needed_libraries(run("ldd", path)):
            if name not in SYSTEM_LIBRARIES and not (
                place and Path(place).resolve().is_relative_to(site_packages.resolve())
            ):
                problems.append(
                    f"{path.name} needs {name}, found at {place or 'no place'}: not in the wheel, not a system library"
                )
        search = run("patchelf", "--print-rpath", path).strip()
        problems += [
            f"{path.name} searches {part}, outside the wheel"
            for part in search.split(":")
            if part and not part.startswith("$ORIGIN")
        ]
    return problems


def needed_libraries(ldd_output: str) -> list[tuple[str, str]]:
    """(name, place) of each line of ldd; the place is empty when the library was not found."""
    libraries = []
    for line in ldd_output.splitlines():
        match = re.match(r"\s*(\S+)(?: => (\S+|not found))?(?: \(0x[0-9a-f]+\))?\s*$", line)
        if match and match.group(1) != "statically":
            place = match.group(2) or ""
            libraries.append(
                (Path(match.group(1)).name, "" if place == "not" or place == "not found" else place)
            )
    return libraries


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="folder of the clean environment")
    parser.add_argument(
        "--python", type=Path, default=Path(sys.executable), help="make the environment with this"
    )
    options = parser.parse_args(arguments)
    wheel, work = options.wheel.resolve(), options.work.resolve()
    repository = Path(__file__).resolve().parent.parent

    problems = content_problems(wheel)
    pinned = repository / "tools" / "requirements" / "test.txt"
    python = clean_environment(work, numpy_requirement(pinned, options.python), options.python)
    run(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--force-reinstall", wheel)
    run(python, "-m", "pip", "check")
    packages = set(run(python, "-m", "pip", "list", "--format=freeze").lower().split()) - {""}
    others = {
        line
        for line in packages
        if line.split("==")[0] not in {"pip", "setuptools", "wheel", "numpy", "tactum"}
    }
    if others:
        problems.append(f"the clean environment has more than numpy: {', '.join(sorted(others))}")

    version = run(python, "-I", "-c", ANSWER, cwd=work).strip()
    spoken = run(work / "bin" / "tactum", "--version", cwd=work).strip()
    if version not in wheel.name or version not in spoken:
        problems.append(
            f"versions differ: wheel {wheel.name}, package {version}, command line {spoken}"
        )
    site_packages = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip()
    )
    problems += library_problems(site_packages)
    build_consumer(work, run(work / "bin" / "tactum", "info", "--cmake-dir", cwd=work).strip())

    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"{wheel.name}: imports with numpy alone, needs system libraries only, serves C++")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
