#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes docs/coverage.md from the summary of llvm-cov, and fails where the lines or the branches of src that the tests reach are
fewer than tests/coverage_floor.json asks for. `--raise` makes what was measured the new floor."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PARTS = {"line": "lines", "branch": "branches"}  # the words of llvm-cov
HEAD = """# Coverage

The share of the lines and branches of `src` that the C++ tests reach, by `./run coverage`, as clang counts them in the source:
both sides of every condition are branches, and a template counts once. Assertions are off. A build with coverage repeats random
tests a tenth as often as `./run test` does. `tests/coverage_floor.json` holds what neither share may fall below.

| folder | lines | covered | branches | covered |
| --- | ---: | ---: | ---: | ---: |
"""


def tally(summary: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Counts by layer, and of all."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for entry in summary["data"][0]["files"]:
        parts = Path(entry["filename"]).relative_to(ROOT).parts
        for name in ("/".join(parts[:2]), "all"):
            for part, plural in PARTS.items():
                counts[name][f"{part}_total"] += entry["summary"][plural]["count"]
                counts[name][f"{part}_covered"] += entry["summary"][plural]["covered"]
    return counts


def share(counts: dict[str, int], part: str) -> float:
    total = counts[f"{part}_total"]
    return 100.0 * counts[f"{part}_covered"] / total if total else 100.0


def page(counts: dict[str, dict[str, int]]) -> str:
    rows = []
    for name in [*sorted(name for name in counts if name != "all"), "all"]:
        of = counts[name]
        rows.append(
            f"| {name} | {of['line_total']} | {share(of, 'line'):.1f} % "
            f"| {of['branch_total']} | {share(of, 'branch'):.1f} % |\n"
        )
    return HEAD + "".join(rows)


def shortfalls(measured: dict[str, float], floor: dict[str, float]) -> list[str]:
    return [
        f"{part} coverage is {measured[part]:.2f} %, below the floor of {floor[part]} %: "
        "test what is new, or what has lost its test"
        for part in PARTS
        if measured[part] < floor[part]
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("summary", type=Path, help="what llvm-cov export -summary-only wrote")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "coverage.md")
    parser.add_argument("--floor", type=Path, default=ROOT / "tests" / "coverage_floor.json")
    parser.add_argument("--raise", action="store_true", dest="raise_floor")
    options = parser.parse_args(arguments)
    counts = tally(json.loads(options.summary.read_text(encoding="utf-8")))
    options.page.write_text(page(counts), encoding="utf-8")
    measured = {part: share(counts["all"], part) for part in PARTS}
    print(", ".join(f"{part} coverage {measured[part]:.2f} %" for part in PARTS))
    if options.raise_floor:
        floor = {part: math.floor(10.0 * measured[part]) / 10.0 for part in PARTS}
        options.floor.write_text(json.dumps(floor) + "\n", encoding="utf-8")
    floor = json.loads(options.floor.read_text(encoding="utf-8"))
    problems = shortfalls(measured, floor)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
