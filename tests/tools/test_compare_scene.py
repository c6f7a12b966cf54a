# SPDX-License-Identifier: BSD-2-Clause
"""tools/compare_scene.py: rows and goals from a program that answers with canned measurements."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

TOOL = Path(__file__).resolve().parents[2] / "tools" / "compare_scene.py"


def column(
    library: str, setting: str, update: float, pairs: float, differences: int = 0
) -> dict[str, Any]:
    times = {"update": update, "pairs": pairs, "total": update + pairs, "spread": 1.0}
    return {
        "library": library,
        "setting": setting,
        "steps": 200,
        "differences": differences,
    } | times


def test_rows_and_goals(tmp_path: Path) -> None:
    cell = {
        "case": "10k boxes, slow", "boxes": 10000, "pairs": 2500,
        "columns": [
            column("tactum", "DynamicTree", 100, 200), column("tactum", "SweepAndPrune", 300, 700),
            column("coal", "DynamicAABBTree", 500, 700), column("coal", "SaP", 5000, 10), column("coal", "SpatialHashing", 1, 1, 5),
        ],
    }  # fmt: skip
    bin_program = tmp_path / "tactum_compare_bin"
    names = {
        "tactum": 20.0,
        "tactum 2 threads": 11.0,
        "coal one contact": 50.0,
        "coal patches": 80.0,
    }
    columns = [
        {"name": name, "milliseconds": time, "spread": 1.0, "points": 100}
        for name, time in names.items()
    ]
    hulls = {
        "hulls": 1000,
        "frames": 60,
        "common": 900,
        "only_tactum": 0,
        "only_coal": 3,
        "columns": columns,
    }
    bodies = {"bodies": 10000, "points": 8000, "one": 10.0, "two": 6.25}
    bin_program.write_text(
        f"#!/bin/sh\nif [ $1 = --flying ]; then echo '{json.dumps(bodies)}'; else echo '{json.dumps(hulls)}'; fi\n"
    )
    bin_program.chmod(0o755)
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho '{json.dumps(cell)}'\n", encoding="utf-8")
    program.chmod(0o755)
    command = [
        sys.executable,
        str(TOOL),
        "--program",
        str(program),
        "--json",
        str(tmp_path / "rows.json"),
    ]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    rows = {
        row["quantity"]: row for row in json.loads((tmp_path / "rows.json").read_text())["rows"]
    }
    # a structure that finds wrong pairs is not a rival, however fast
    assert rows["tree ratio to coal"]["ours"] == 4.0 and rows["tree ratio to coal"]["holds"] is True
    assert rows["tree time"]["peers"] == {"coal": 1200} and rows["tree time"]["unit"] == "us"
    assert rows["sweep ratio"]["ours"] == 5.01 and rows["sweep ratio"]["holds"] is False
    assert rows["sweep update ratio"]["holds"] is True
    assert rows["wrong steps"]["ours"] == 0 and rows["wrong steps"]["peers"] == {
        "SpatialHashing": 5
    }
    assert rows["wrong steps"]["holds"] is True and rows["wrong steps"]["timing"] is False
    assert rows["ratio to coal"]["ours"] == 4.0 and rows["ratio to coal"]["holds"] is True
    assert rows["pairs that tactum alone finds"]["holds"] is True
    assert (
        rows["two threads to one"]["ours"] == 1.6 and rows["two threads to one"]["holds"] is False
    )
    assert "goals met: 5 of 7" in shown.stdout
