# SPDX-License-Identifier: BSD-2-Clause
"""The figures of docs/neural-model-card.md are those of the JSON beside it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_page_is_what_its_json_says() -> None:
    check = [sys.executable, str(ROOT / "tools" / "neural_page.py"), "--check"]
    result = subprocess.run(check, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
