#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Turns the output of ncu into docs/guide/gpu-roofline.json, from which tools/gpu_page.py writes the
table of docs/guide/gpu.md.

    ncu $(python3 tools/gpu_roofline.py --options) build/gpu/bin/tactum_gpu_bench --only profile > ncu.csv
    python3 tools/gpu_roofline.py ncu.csv --machine "NVIDIA H200" --date 2026-11-18

Of several launches of one kernel the longest counts.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

JSON = Path(__file__).resolve().parent.parent / "docs" / "guide" / "gpu-roofline.json"

# name in the JSON: metrics of ncu, of which the largest counts
METRICS = {
    "nanoseconds": ["gpu__time_duration.sum"],
    "issue": ["smsp__issue_active.avg.pct_of_peak_sustained_active"],
    "on_chip": [
        "l1tex__throughput.avg.pct_of_peak_sustained_active",
        "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    ],
    "device_memory": ["dram__throughput.avg.pct_of_peak_sustained_elapsed"],
    "lanes": ["smsp__thread_inst_executed_per_inst_executed.ratio"],
}


def options() -> str:
    names = ",".join(name for group in METRICS.values() for name in group)
    return f"--clock-control none --csv --page raw --print-units base --metrics {names}"


def kernel_name(text: str) -> str | None:
    """The name of a kernel without its namespaces and arguments, double precision and instances for
    all kinds of shapes marked; None for one that only makes data."""
    found = re.search(r"(\w+_kernel)\b(<[^(]*>)?", text)
    if found is None:
        return None
    arguments = re.findall(r"\w+", found.group(2) or "")
    marks = ", double" * ("double" in arguments) + ", all kinds" * ("255" in arguments)
    return found.group(1) + marks


def kernels(text: str) -> list[dict[str, Any]]:
    """The longest launch of every kernel, in the order of their first launches."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    best: dict[str, dict[str, Any]] = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        name = kernel_name(row["Kernel Name"])
        if not row.get("ID", "").isdigit() or name is None:
            continue  # the row of units, and kernels of the program
        numbers: dict[str, Any] = {
            name: max(float(row[metric].replace(",", "")) for metric in metrics)
            for name, metrics in METRICS.items()
        }
        if name not in best or numbers["nanoseconds"] > best[name]["nanoseconds"]:
            best.setdefault(name, {}).update({"kernel": name} | numbers)
    return list(best.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--options", action="store_true", help="print the options for ncu")
    parser.add_argument("--machine", default="unknown")
    parser.add_argument("--date", default="unknown")
    parser.add_argument("--out", type=Path, default=JSON)
    arguments = parser.parse_args()
    if arguments.options:
        print(options())
        return 0
    if arguments.file is None:
        parser.error("give the output of ncu, or --options")
    found = kernels(arguments.file.read_text())
    if not found:
        print(f"{arguments.file}: no kernel in it; is it the CSV of ncu?", file=sys.stderr)
        return 1
    report = {"machine": arguments.machine, "date": arguments.date, "kernels": found}
    arguments.out.write_text(json.dumps(report, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
