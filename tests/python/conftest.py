# SPDX-License-Identifier: BSD-2-Clause
"""Tests that need PyTorch, three gigabytes, run with --bridges and are left out, and counted as such, without."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bridges", action="store_true", help="also run the tests that need PyTorch")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "torch: needs PyTorch; deselected without --bridges")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    # it imports torch
    return True if collection_path.name == "test_torch.py" and not config.getoption("--bridges") else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--bridges"):
        return
    left_out = [item for item in items if item.get_closest_marker("torch")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("torch")]


def pytest_report_header(config: pytest.Config) -> str | None:
    return None if config.getoption("--bridges") else "without --bridges: test_torch.py and what else needs PyTorch is left out"
