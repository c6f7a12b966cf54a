# SPDX-License-Identifier: BSD-2-Clause
"""Files that repeat a version hold the one that is read elsewhere: that of the project from CMakeLists.txt, those of the formatters from tools/requirements/dev.txt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def found(path: str, pattern: str) -> str:
    match = re.search(pattern, (REPOSITORY / path).read_text(encoding="utf-8"), re.MULTILINE)
    assert match, f"no version in {path}"
    return match.group(1)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [("CITATION.cff", r"^version: (\S+)"), ("package.xml", r"<version>([^<]+)</version>")],
)
def test_version(path: str, pattern: str) -> None:
    assert found(path, pattern) == found("CMakeLists.txt", r"project\(tactum VERSION (\S+)")


@pytest.mark.parametrize("tool", ["clang-format", "ruff"])
def test_the_hooks_before_a_commit_format_as_the_checks_do(tool: str) -> None:
    pattern = rf"\b{tool}==([\d.]+)"
    hooks = (REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert set(re.findall(pattern, hooks)) == {found("tools/requirements/dev.txt", pattern)}
