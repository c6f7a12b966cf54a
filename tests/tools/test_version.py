# SPDX-License-Identifier: BSD-2-Clause
"""The files that cannot read the version from CMakeLists.txt hold the same one."""

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
