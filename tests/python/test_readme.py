# SPDX-License-Identifier: BSD-2-Clause
"""The Python of the README runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"


def test_python_blocks_run(tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert blocks, "README.md shows no Python"
    # one program: a later block may go on from an earlier one
    shown = subprocess.run([sys.executable, "-c", "\n".join(blocks)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
