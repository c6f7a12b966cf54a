#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that every source has its test: src/X/y.cpp needs tests/X/y_test.cpp, and a test in a
layer's folder needs its source (a .cpp or .hpp of the same stem). A source file above 600 lines
fails too."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_layers import LAYERS

MAX_LINES = 600

# headers with code that have no test of their own name, and why
TESTED_ELSEWHERE = {
    "gpu/certificate.hpp": "distance_pair_test.cpp holds what it proves against the library",
    "gpu/core_record.hpp": "packed_shapes_test.cpp reads every field that it packs",
    "gpu/gjk_lane.hpp": "distance_pair_test.cpp runs it to the end, the only thing it promises",
    "gpu/host_device.hpp": "markers that the compiler of the GPU reads",
    "gpu/vector.hpp": "sums and products of three numbers, in every test of the folder",
    "narrow/pairs/direct_form.hpp": "one entry of the table each: pair_table_test.cpp runs them all",
    "sim/step/step_data.hpp": "the memory of a step, which the tests of all its stages read",
    "scene/scene_state.hpp": "the private state of Scene, seen through scene_test.cpp",
}

# the body of a function: a parameter list, what may follow it, and a brace
BODY = re.compile(
    r"\)\s*(?:const|noexcept|override|final|->\s*[\w:<>&*, ]+|:[^;{}()]*\([^;]*)?\s*\{"
)


def holds_code(header: Path) -> bool:
    """Whether a header has functions with a body, and not declarations and constants alone."""
    text = re.sub(r"//[^\n]*", "", header.read_text(encoding="utf-8"))
    return BODY.search(text) is not None


def source_problems(root: Path) -> list[str]:
    """Sources, and headers without one, that have no test."""
    problems = []
    for source in sorted((root / "src").glob("*/**/*")):
        relative = source.relative_to(root / "src")
        if source.suffix == ".hpp":
            has_source = any(source.with_suffix(s).is_file() for s in (".cpp", ".cu"))
            if has_source or str(relative) in TESTED_ELSEWHERE or not holds_code(source):
                continue
        elif source.suffix != ".cpp":
            continue
        test = root / "tests" / relative.with_name(f"{relative.stem}_test.cpp")
        if not test.is_file():
            problems.append(
                f"{source.relative_to(root)}: has no test; write {test.relative_to(root)}"
            )
    for name in TESTED_ELSEWHERE:
        if (root / "src" / name).parent.is_dir() and not (root / "src" / name).is_file():
            problems.append(f"tools/check_layout.py: TESTED_ELSEWHERE names {name}, which is gone")
    return problems


def layout_problems(root: Path) -> list[str]:
    problems = source_problems(root)
    for name, _ in LAYERS:
        for test in sorted((root / "tests" / name).glob("**/*_test.cpp")):
            relative = test.relative_to(root / "tests")
            stem = relative.stem.removesuffix("_test")
            places = [
                root / "src" / relative.with_name(stem + suffix) for suffix in (".cpp", ".hpp")
            ]
            places.append(root / "include" / "tactum" / f"{stem}.hpp")
            if not any(place.is_file() for place in places):
                problems.append(
                    f"{test.relative_to(root)}: tests no source; expected {places[0].relative_to(root)}"
                )
    for folder in ("src", "include", "python", "tests", "examples", "bench", "tools"):
        for path in sorted((root / folder).glob("**/*")):
            if path.suffix in {".hpp", ".cpp", ".py"}:
                lines = path.read_text(encoding="utf-8").count("\n")
                if lines > MAX_LINES:
                    problems.append(
                        f"{path.relative_to(root)}: {lines} lines; split it (at most {MAX_LINES})"
                    )
    return problems


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(__file__).resolve().parent.parent,
        help="the tree to check",
    )
    problems = layout_problems(parser.parse_args(arguments).root)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
