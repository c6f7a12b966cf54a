#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that the folders of src/ depend on each other in one direction only.

The order of LAYERS is the rule: a file includes its own folder and folders to its left. The check fails on an include that points
to the right, on a folder that is not listed, on a loose file in src/, on an internal include that names no file, on a public
header that includes src/, and when the list in ARCHITECTURE.md is not the one below. `--write` brings that list up to date.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

# (folder, what it holds), from the foundation up; folders appear in the tree when they have content
LAYERS: list[tuple[str, str]] = [
    ("core", "status, errors, threads"),
    ("math", "poses and small solves"),
    ("shape", "shapes, support points, convex hulls, mass properties"),
    ("mesh", "triangle meshes and their files"),
    ("broad", "bounding boxes and candidate pairs"),
    ("narrow", "distance and collision of one pair"),
    ("batch", "the same queries for many pairs and points, on all cores"),
    ("contact", "contact patches"),
    ("scene", "many shapes"),
    ("solver", "contact forces"),
    ("sim", "simulation"),
    ("neural", "learned collision"),
    ("gpu", "the same stages on the GPU"),
]

BEGIN, END = "<!-- layers:begin -->", "<!-- layers:end -->"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SOURCES = {".hpp", ".cpp", ".h", ".inl", ".cu", ".cuh"}


def include_problems(root: Path, layers: list[str]) -> list[str]:
    """Every breach of the include rule under root/src and root/include."""
    problems = []
    rank = {name: position for position, name in enumerate(layers)}
    src = root / "src"
    for entry in sorted(src.iterdir()):
        if entry.is_dir() and entry.name not in rank:
            problems.append(f"src/{entry.name}/: not a layer; add it to LAYERS in tools/check_layers.py")
        elif entry.is_file() and entry.suffix in SOURCES:
            problems.append(f"src/{entry.name}: loose file; move it into a layer")

    for path in sorted(src.glob("*/**/*")):
        own = path.relative_to(src).parts[0]
        if path.suffix not in SOURCES or own not in rank:
            continue
        for line, target in includes(path):
            where = f"{path.relative_to(root)}:{line}"
            if target.startswith("tactum/"):
                continue
            folder = target.split("/")[0]
            if "/" not in target or folder not in rank:
                problems.append(f'{where}: "{target}" is not written relative to src/ ("layer/file.hpp")')
            elif not (src / target).is_file():
                problems.append(f'{where}: "{target}" names no file in src/')
            elif rank[folder] > rank[own]:
                problems.append(f'{where}: {own} must not include "{target}": {folder} lies to its right')

    for path in sorted((root / "include").glob("**/*")):
        if path.suffix in SOURCES:
            for line, target in includes(path):
                if not target.startswith("tactum/"):
                    problems.append(f'{path.relative_to(root)}:{line}: a public header includes "{target}"')
    return problems


def includes(path: Path) -> list[tuple[int, str]]:
    """(line, target) of the quoted includes of a file."""
    text = path.read_text(encoding="utf-8")
    return [(text.count("\n", 0, match.start(1)) + 1, match.group(1)) for match in INCLUDE.finditer(text)]


def layer_block(root: Path) -> str:
    """The list as it stands in ARCHITECTURE.md: the order, then the folders that exist."""
    lines = [BEGIN, "", "    " + " < ".join(name for name, _ in LAYERS), "", "| layer | holds |", "| --- | --- |"]
    lines += [f"| `src/{name}` | {text} |" for name, text in LAYERS if any((root / "src" / name).glob("*"))]
    return "\n".join([*lines, "", END])


def rewritten_document(root: Path, document: str) -> str | None:
    """The document with a fresh list, or None when it has no markers."""
    begin, end = document.find(BEGIN), document.find(END)
    if begin < 0 or end < begin:
        return None
    return document[:begin] + layer_block(root) + document[end + len(END) :]


def document_problems(root: Path, write: bool) -> list[str]:
    path = root / "ARCHITECTURE.md"
    if not path.is_file():
        return ["ARCHITECTURE.md: missing"]
    document = path.read_text(encoding="utf-8")
    fresh = rewritten_document(root, document)
    if fresh is None:
        return [f"ARCHITECTURE.md: no {BEGIN} … {END} block for the list of layers"]
    if fresh == document:
        return []
    if write:
        path.write_text(fresh, encoding="utf-8")
        return []
    return ["ARCHITECTURE.md: the list of layers is stale; run python3 tools/check_layers.py --write"]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the list of layers into ARCHITECTURE.md")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the tree to check")
    options = parser.parse_args(arguments)
    problems = include_problems(options.root, [name for name, _ in LAYERS]) + document_problems(options.root, options.write)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
