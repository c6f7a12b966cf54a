# SPDX-License-Identifier: BSD-2-Clause
"""Every Python block in the README and in the guide runs, in the order of its page; those marked
torch or pinocchio with --bridges alone."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest
import tactum
from tactum import gpu, gpu_baselines

ROOT = Path(__file__).resolve().parents[2]
IN_CPP_ALONE = {"gpu"}  # guides to what Python does not have
IN_PYTHON_ALONE = {"viewer", "learning", "many-machines"}  # guides to what C++ does not have
README = ROOT / "README.md"
GUIDE = sorted(
    page for page in (ROOT / "docs" / "guide").glob("*.md") if page.stem not in IN_CPP_ALONE
)
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCK_OR_BRIDGE = re.compile(
    r"^```python(?: torch| pinocchio)?\n(.*?)^```", re.MULTILINE | re.DOTALL
)


def run_blocks(page: Path, pattern: re.Pattern[str]) -> None:
    blocks = pattern.findall(page.read_text(encoding="utf-8"))
    assert blocks, "a page of the guide shows code"
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_python_blocks_run(page: Path) -> None:
    run_blocks(page, BLOCK)


def test_every_guide_shows_cpp() -> None:
    # the test guide.blocks compiles and runs them
    pages = (ROOT / "docs" / "guide").glob("*.md")
    without = {page.stem for page in pages if "\n```cpp\n" not in page.read_text(encoding="utf-8")}
    assert without <= IN_PYTHON_ALONE


@pytest.mark.torch
@pytest.mark.pinocchio
@pytest.mark.parametrize(
    "page",
    [
        page
        for page in (README, *GUIDE)
        if re.search(r"```python (torch|pinocchio)", page.read_text(encoding="utf-8"))
    ],
    ids=lambda page: page.stem,
)
def test_blocks_that_need_a_bridge_run(page: Path) -> None:
    run_blocks(page, BLOCK_OR_BRIDGE)


def test_the_readme_runs_and_says_what_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    run_blocks(README, BLOCK)
    status, distance = capsys.readouterr().out.split()[:2]
    assert status == "separated"
    assert abs(float(distance) - 0.05) < 1e-14


@pytest.mark.parametrize("module", [tactum, gpu, gpu_baselines], ids=lambda m: m.__name__)
def test_the_reference_shows_every_public_name(module: ModuleType) -> None:
    pages = "\n".join(
        page.read_text(encoding="utf-8")
        for page in (ROOT / "docs" / "reference" / "python").glob("*.rst")
    )
    name = re.escape(module.__name__)
    shown = re.findall(
        rf"^\.\. autoapi(?:class|function|data):: {name}\.(\w+)$", pages, re.MULTILINE
    )
    assert sorted(shown) == sorted(module.__all__)


@pytest.mark.parametrize("name", ["se3", "plot", "view", "sweep"])
def test_the_reference_shows_modules_that_are_always_there(name: str) -> None:
    module = importlib.import_module(f"tactum.{name}")
    folder = ROOT / "docs" / "reference" / "python"
    pages = "\n".join(page.read_text(encoding="utf-8") for page in folder.glob("*.rst"))
    pattern = rf"^\.\. autoapi(?:class|function|data):: tactum\.{name}\.(\w+)$"
    shown = re.findall(pattern, pages, re.MULTILINE)
    assert sorted(shown) == sorted(module.__all__)


def test_the_reference_shows_every_public_header() -> None:
    pages = "\n".join(
        page.read_text(encoding="utf-8")
        for page in (ROOT / "docs" / "reference" / "cpp").glob("*.rst")
    )
    folder = ROOT / "include" / "tactum"
    # files are found by their names alone, which differ within a project
    headers = {(header.name, "") for header in [*folder.glob("*.hpp"), *folder.glob("sim/*.hpp")]}
    headers |= {(header.name, "gpu") for header in folder.glob("gpu/*.hpp")}
    shown = re.findall(
        r"^\.\. doxygenfile:: (\S+)$(?:\n   :project: (\w+)$)?", pages, re.MULTILINE
    )
    assert set(shown) == headers - {("tactum.hpp", "")}
