# SPDX-License-Identifier: BSD-2-Clause
"""The table of kernels is what ncu said."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "gpu_roofline.py"
HEAD = (
    '"ID","Kernel Name","gpu__time_duration.sum",'
    '"smsp__issue_active.avg.pct_of_peak_sustained_active",'
    '"l1tex__throughput.avg.pct_of_peak_sustained_active",'
    '"lts__throughput.avg.pct_of_peak_sustained_elapsed",'
    '"dram__throughput.avg.pct_of_peak_sustained_elapsed",'
    '"smsp__thread_inst_executed_per_inst_executed.ratio"'
)
OUTPUT = f"""==PROF== Connected to process 7
NVIDIA H200
{HEAD}
"","","ns","%","%","%","%",""
"0","void tactum::gpu::search_kernel<64, 0>(DistanceTask)","1,000,000","77.5","71","20","11","24.5"
"1","void tactum::gpu::search_kernel<64, 0>(DistanceTask)","900,000","70","60","80","11","20"
"3","tactum::gpu::random_pairs(PairPointers)","50000","1","2","3","4","5"
"4","void tactum::gpu::search_kernel<255, 0>(DistanceTask)","3,000,000","1","2","3","4","5"
"2","void tactum::gpu::depth_kernel<double, 64>(DistanceTask)","40000","1","2","3","4","5"
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_longest_launch_of_each_kernel_counts(tmp_path: Path) -> None:
    (tmp_path / "ncu.csv").write_text(OUTPUT)
    out = tmp_path / "out.json"
    result = run(
        str(tmp_path / "ncu.csv"), "--machine", "H200", "--date", "today", "--out", str(out)
    )
    assert result.returncode == 0, result.stderr
    report = json.loads(out.read_text())
    assert [kernel["kernel"] for kernel in report["kernels"]] == [
        "search_kernel",
        "search_kernel, all kinds",
        "depth_kernel, double",
    ]
    first = report["kernels"][0]
    assert first["nanoseconds"] == 1e6 and first["on_chip"] == 71.0 and first["lanes"] == 24.5


def test_a_file_without_kernels_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ncu.csv").write_text("==ERROR== no permission\n")
    out = tmp_path / "out.json"
    result = run(str(tmp_path / "ncu.csv"), "--out", str(out))
    assert result.returncode == 1 and "no kernel" in result.stderr and not out.exists()


def test_the_options_name_every_metric_once() -> None:
    names = run("--options").stdout.split("--metrics ")[1].strip().split(",")
    assert len(names) == len(set(names)) == 6
