# SPDX-License-Identifier: BSD-2-Clause
"""Derivatives of steps of real robots in random states, by tools/step_derivative_check.py."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
check: Any = importlib.import_module("step_derivative_check")
FOLDER = check.robots_folder()


@pytest.mark.skipif(FOLDER is None, reason="the robots belong to the packages of --bridges")
@pytest.mark.parametrize("name", list(check.ROBOTS))
def test_products_are_those_of_differences(name: str) -> None:
    found = check.check(name, 40, 0, FOLDER)
    assert found["touching"] >= 35
    assert found["states"] - found["flagged"] - found["unknown"] >= 20
    assert found["worst"] <= check.GOAL
    assert found["wrong"] == 0
