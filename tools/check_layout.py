#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that every source has its test: src/X/y.cpp needs tests/X/y_test.cpp, and a test in a
layer's folder needs its source (a .cpp or .hpp of the same stem). A source file above 600 lines
fails too."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_layers import LAYERS

MAX_LINES = 600


def layout_problems(root: Path) -> list[str]:
    problems = []
    for source in sorted((root / "src").glob("*/**/*.cpp")):
        relative = source.relative_to(root / "src")
        test = root / "tests" / relative.with_name(f"{relative.stem}_test.cpp")
        if not test.is_file():
            problems.append(
                f"{source.relative_to(root)}: has no test; write {test.relative_to(root)}"
            )
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
