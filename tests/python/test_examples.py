# SPDX-License-Identifier: BSD-2-Clause
"""Every example runs, prints what it should, is short, and has a twin in C++ unless it shows a
Python package."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
PYTHON_ALONE = {
    "07_torch",
    "08_jax",
    "23_reach",
    "24_grasp",
    "25_push_plan",
    "26_allegro",
    "27_design_sim",
}
WITHOUT_SIM = pytest.mark.skipif(
    importlib.util.find_spec("tactum._sim") is None,
    reason="the simulator is built where Pinocchio is",
)
WITHOUT_CROCODDYL = pytest.mark.skipif(
    importlib.util.find_spec("crocoddyl") is None, reason="it is an optional extra"
)
MARKS = {
    "_torch": pytest.mark.torch,
    "_sim": WITHOUT_SIM,
    "_plan": WITHOUT_CROCODDYL,
    "_allegro": pytest.mark.pinocchio,
}
RUN = [
    pytest.param(name, marks=[mark for end, mark in MARKS.items() if name.endswith(end)])
    for name in NAMES
]


def test_there_are_examples() -> None:
    assert {"01_distance", "02_hull_from_points", "03_warm_start", "04_bad_input"} <= set(NAMES)


@pytest.mark.parametrize("name", RUN)
def test_example(name: str) -> None:
    shown = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")], capture_output=True, text=True, check=False
    )
    assert shown.returncode == 0, shown.stderr
    assert shown.stderr == ""
    # the C++ twin is compared with the same file
    assert shown.stdout == (EXAMPLES / "expected" / f"{name}.txt").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_twins_are_short(name: str) -> None:
    for suffix in (".py",) if name in PYTHON_ALONE else (".py", ".cpp"):
        assert len((EXAMPLES / f"{name}{suffix}").read_text().splitlines()) < 60
