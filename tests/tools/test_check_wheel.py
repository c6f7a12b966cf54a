# SPDX-License-Identifier: BSD-2-Clause
"""tools/check_wheel.py reads ldd's output rightly and sees what is missing in a wheel."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "check_wheel", REPOSITORY / "tools" / "check_wheel.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_needed_libraries(tool: ModuleType) -> None:
    output = (
        "\tlinux-vdso.so.1 (0x00007ffc1)\n"
        "\tlibqhull_r.so.8.0 => /usr/lib/libqhull_r.so.8.0 (0x00007f1)\n"
        "\tlibgone.so.1 => not found\n"
        "\t/lib64/ld-linux-x86-64.so.2 (0x00007f2)\n"
    )
    assert tool.needed_libraries(output) == [
        ("linux-vdso.so.1", ""),
        ("libqhull_r.so.8.0", "/usr/lib/libqhull_r.so.8.0"),
        ("libgone.so.1", ""),
        ("ld-linux-x86-64.so.2", ""),
    ]


def test_a_bare_wheel_is_refused(tool: ModuleType, tmp_path: Path) -> None:
    wheel = tmp_path / "tactum-0.1.0-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tactum/__init__.py", "")
    problems = "\n".join(tool.content_problems(wheel))
    for expected in (
        "py.typed",
        "_core.pyi",
        "libtactum.so",
        "tactum.hpp",
        "tactumConfig.cmake",
        "LICENSE",
        "THIRD_PARTY_NOTICES.md",
        "not repaired",
    ):
        assert expected in problems
