# SPDX-License-Identifier: BSD-2-Clause
"""tools/check_stubs.py sees names that the stub lacks, invents, or shows in C++."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
GOOD = (
    "class Box:\n    def volume(self) -> float: ...\n\ndef distance(a: Box, b: Box) -> float: ...\n"
)


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "check_stubs", REPOSITORY / "tools" / "check_stubs.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def extension() -> ModuleType:
    """A module with a class and a function, as an extension would have them."""
    module = ModuleType("extension")
    exec("class Box:\n    def volume(self): pass\n\ndef distance(a, b): pass\n", module.__dict__)
    return module


@pytest.mark.parametrize(
    ("stub", "message"),
    [
        (GOOD, ""),
        (GOOD.replace("distance", "collide"), "the stub lacks distance"),
        (GOOD.replace("volume", "area"), "the stub declares Box.area"),
        (GOOD.replace("-> float: ...\n\n", '-> "tactum::Pose": ...\n\n'), "shows a C++ name"),
    ],
)
def test_stub(tool: ModuleType, extension: ModuleType, stub: str, message: str) -> None:
    problems = tool.stub_problems(stub, extension)
    assert bool(problems) == bool(message)
    assert message in "\n".join(problems)
