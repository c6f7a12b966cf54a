# SPDX-License-Identifier: BSD-2-Clause
"""tools/check_docs.py finds links, anchors and paths that lead nowhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
TOOL = REPOSITORY / "tools" / "check_docs.py"


def run(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), "--root", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_repository_passes() -> None:
    result = run(REPOSITORY)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[there](docs/there.md) and [web](https://example.org) and [up](#a-title)", ""),
        ("[part](docs/there.md#second-part-x_wa) `docs/there.md`", ""),
        ("```\n[no link](docs/gone.md)\n```", ""),
        ("[gone](docs/gone.md)", "leads nowhere"),
        ("![picture](docs/gone.png)", "leads nowhere"),
        ("[part](docs/there.md#third)", "names no heading"),
        ("`src/core/gone.cpp`", "does not exist"),
    ],
)
def test_links(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "there.md").write_text("# There\n\n## Second part: `X_WA`\n", encoding="utf-8")
    (tmp_path / "README.md").write_text(f"# A title\n\n{text}\n", encoding="utf-8")
    result = run(tmp_path)
    assert result.returncode == (1 if message else 0)
    assert message in result.stderr
