# SPDX-License-Identifier: BSD-2-Clause
"""The package as a whole: names, documentation, types, what it imports."""

from __future__ import annotations

import enum
import inspect
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import pytest
import tactum

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = [name for name in tactum.__all__]


def members() -> list[tuple[str, Any]]:
    """Every public class, function, method and property, by dotted name."""
    found: list[tuple[str, Any]] = [("tactum", tactum)]
    for name in PUBLIC:
        value = getattr(tactum, name)
        found.append((name, value))
        if typing.get_origin(value) is not None:  # an alias for annotations has no text of its own
            found.pop()
        if inspect.isclass(value):
            own = {n: v for n, v in vars(value).items() if not n.startswith("_") or n == "__init__"}
            found += [
                (f"{name}.{n}", v)
                for n, v in own.items()
                if callable(v) or isinstance(v, (property, staticmethod))
            ]
    return found


@pytest.mark.parametrize(("name", "value"), members(), ids=[name for name, _ in members()])
def test_every_public_name_is_documented(name: str, value: Any) -> None:
    doc = (value.__doc__ or "").strip()
    # the first line that nanobind puts before the text is the signature
    lines = [
        line
        for line in doc.splitlines()
        if line.strip() and not line.startswith((name.rpartition(".")[2] + "(", "def "))
    ]
    assert lines and len(" ".join(lines)) >= 10, name


def test_properties_say_their_units_or_meaning() -> None:
    lengths = [
        "Sphere.radius",
        "Box.half_extents",
        "Ellipsoid.semi_axes",
        "Capsule.half_length",
        "Shape.margin",
        "Distance.distance",
        "Distance.point_a",
        "Convex.vertices",
    ]
    documented = dict(members())
    for name in lengths:
        assert "metres" in documented[name].__doc__, name


def test_status_members_are_documented() -> None:
    for status in tactum.Status:
        assert status.__doc__ and status.__doc__ != tactum.Status.__doc__


def test_all_is_explicit_and_complete() -> None:
    assert sorted(PUBLIC) == PUBLIC and len(set(PUBLIC)) == len(PUBLIC)
    visible = {
        n for n, v in vars(tactum).items() if not n.startswith("_") and not inspect.ismodule(v)
    }
    assert visible == set(PUBLIC)
    assert issubclass(tactum.Status, enum.IntEnum)


def test_version_is_that_of_the_build() -> None:
    assert tactum.__version__ == tactum.build_info()["version"]
    text = (ROOT / "CMakeLists.txt").read_text()
    assert f"VERSION {tactum.__version__} " in text


def test_import_brings_numpy_alone() -> None:
    code = (
        "import sys; before = set(sys.modules); import tactum; new = set(sys.modules) - before;"
        "print(*{m.partition('.')[0] for m in new} - set(sys.stdlib_module_names))"
    )
    shown = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False
    )
    assert shown.returncode == 0, shown.stderr
    assert "tactum" in shown.stdout.split() and set(shown.stdout.split()) <= {"numpy", "tactum"}


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_a_bridge_says_what_it_needs(name: str) -> None:
    code = f"import sys; sys.modules[{name!r}] = None; import tactum.{name}"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert f"pip install tactum[{name}]" in shown.stderr


def test_typed_marker_and_stub_are_installed() -> None:
    folder = Path(tactum.__file__).parent
    assert (folder / "py.typed").is_file()
    stub = (folder / "_core.pyi").read_text()
    for name in PUBLIC:
        compiled = getattr(tactum, name).__module__ == "tactum._core"
        assert not compiled or f"class {name}" in stub or f"def {name}(" in stub, name


def test_a_type_checker_finds_mistakes(tmp_path: Path) -> None:
    (tmp_path / "mistakes.py").write_text(
        "import numpy as np\nimport tactum\n"
        "s = tactum.Sphere(1.0)\n"
        "s = tactum.Sphere(radius='1')\n"
        "s.radius = 2.0\n"
        "tactum.distance(s, np.eye(4), s, np.eye(4), method='epa')\n"
        "tactum.distance(s, np.eye(4), s, np.eye(4)).depth\n"
    )
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        str(tmp_path),
        "mistakes.py",
    ]
    shown = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    reported = {int(line.split(":")[1]) for line in shown.stdout.splitlines() if ": error:" in line}
    assert reported == {3, 4, 5, 6, 7}, shown.stdout
