# SPDX-License-Identifier: BSD-2-Clause
"""tools/sweep_oracle.py: chunks of a program that stands for tactum_accuracy, merged and resumed."""

from __future__ import annotations

import importlib
import stat
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tactum", reason="the package is not built")
TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
sweep_oracle: Any = importlib.import_module("sweep_oracle")

PAGE = """# Accuracy

| pair | poses | worst distance error | allowed | worst normal error (rad) | worst gap | not converged | wrong signs | claims broken | truth proved |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| Box-Box | {poses} | {error} | 1.4e-14 | 5e-10 | 4e-15 | 1 | 0 | {broken} | 100.00 % |
| Box-Cone | {poses} | 2e-16 | 1.4e-14 | 5e-10 | 4e-15 | 0 | 0 | 0 | 100.00 % |
| all | 99 | 9 |  | 9 | 9 | 9 | 9 | 9 | 100.00 % |
"""
PROGRAM = f"""#!{sys.executable}
import sys
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
broken = int(given["--seed"]) % 3 == 0
text = {PAGE!r}.format(poses=given["--poses"], error=int(given["--seed"]) * 1e-30, broken=int(broken))
open(given["--markdown"], "w").write(text)
open({{calls!r}}, "a").write(given["--seed"] + "\\n")
if broken:
    print("broken: Box-Box: bound", file=sys.stderr)
sys.exit(int(broken))
"""


def test_chunks_become_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    calls, program, out = tmp_path / "calls", tmp_path / "program", tmp_path / "out"
    program.write_text(PROGRAM.replace("{calls!r}", repr(str(calls))))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    given = [str(out), "--chunks", "5", "--poses", "40", "--jobs", "2", "--program", str(program)]
    code = sweep_oracle.main(given)
    shown = capsys.readouterr().out
    seeds = sorted(int(line) for line in calls.read_text().split())
    broken = sum(seed % 3 == 0 for seed in seeds)
    assert len(set(seeds)) == 5 and code == int(broken > 0)
    assert f"400 poses: {broken} broken, 0 wrong signs, 5 not converged" in shown
    assert f"{max(seeds) * 1e-30:.1e}" in shown
    assert shown.count("broken: Box-Box: bound") == broken
    (out / "chunk-00000003.npz").unlink()
    sweep_oracle.main(given)
    assert capsys.readouterr().out == shown
    assert len(calls.read_text().split()) == 6, "the four that were there are kept"


def test_a_program_that_fails_is_named(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho no memory >&2\nexit 9\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(RuntimeError, match=r"exit 9: no memory"):
        sweep_oracle.chunk_table(str(program), (0, 40), np.random.default_rng(0))
    assert sweep_oracle.main([str(tmp_path / "out"), "--program", str(tmp_path / "none")]) == 2
