# SPDX-License-Identifier: BSD-2-Clause
"""tools/build_wheels.py: which wheels serve which Pythons, and what is said of those that cannot."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "build_wheels", REPOSITORY / "tools" / "build_wheels.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_one_wheel_serves_all_with_the_stable_abi(tool: ModuleType) -> None:
    versions = [(3, 10), (3, 11), (3, 12), (3, 13), (3, 14)]
    wheels = tool.plan([tool.Interpreter(Path(f"python{x}.{y}"), (x, y)) for x, y in versions])
    assert [wheel.name for wheel in wheels] == ["cp310", "cp311", "abi3"]
    assert wheels[2].builder.version == (3, 12)
    assert [x.version for x in wheels[2].serves] == [(3, 12), (3, 13), (3, 14)]
    assert [x.version for wheel in wheels for x in wheel.serves] == versions


def test_interpreters_are_found_once_for_each_version(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, answer in (("python3.10", "3 10"), ("python3.13", "3 13"), ("other", "3 13")):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho {answer}\n", encoding="utf-8")
        program.chmod(0o755)
    broken = tmp_path / "python3.11"  # without the modules that make environments
    broken.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = tool.find_interpreters([tmp_path / "other"])
    assert [(x.path.name, x.version) for x in found] == [
        ("python3.10", (3, 10)),
        ("other", (3, 13)),
    ]
    with pytest.raises(SystemExit, match=r"give a Python >= 3\.10 with venv"):
        tool.find_interpreters([broken])
