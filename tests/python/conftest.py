# SPDX-License-Identifier: BSD-2-Clause
"""Tests that need PyTorch, three gigabytes, or Pinocchio run with --bridges and are left out,
and counted as such, without."""

from __future__ import annotations

from pathlib import Path

import pytest

MARKERS = {"torch": "PyTorch", "pinocchio": "Pinocchio"}  #: of tests, and what they need
#: files that import PyTorch
IMPORT_TORCH = (
    "test_neural_device.py",
    "test_neural_simulation.py",
    "test_neural_training.py",
    "test_torch.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bridges", action="store_true", help="also run the tests that need PyTorch or Pinocchio"
    )


def pytest_configure(config: pytest.Config) -> None:
    for marker, needed in MARKERS.items():
        config.addinivalue_line(
            "markers", f"{marker}: needs {needed}; deselected without --bridges"
        )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return (
        True if collection_path.name in IMPORT_TORCH and not config.getoption("--bridges") else None
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--bridges"):
        return
    left_out = [
        item for item in items if any(item.get_closest_marker(marker) for marker in MARKERS)
    ]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_report_header(config: pytest.Config) -> str | None:
    return (
        None
        if config.getoption("--bridges")
        else "without --bridges: test_torch.py and what else needs PyTorch or Pinocchio is left out"
    )
