#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that the folders of src/ depend on each other in one direction only.

The order of LAYERS is the rule: a file includes its own folder and folders to its left. Large
layers have rooms, folders with an order of their own (ROOMS); a file that lies in a layer outside
its rooms may include all of them. No files need each other in a circle, by an include or by a call
of a function that one file declares and another defines; a header and the source of the same name
count as one. The check fails on an include or a call that breaks this, on a folder that is not
listed, on a loose file in src/, on an internal include that names no file, on a public header that
includes src/, and when the list in ARCHITECTURE.md is not the one below. `--write` brings that list
up to date.
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from source_calls import INCLUDE, Sources, unit_of

# (folder, what it holds), from the foundation up; folders appear in the tree when they have content
LAYERS: list[tuple[str, str]] = [
    ("core", "status, errors, threads"),
    ("math", "poses and small solves"),
    ("shape", "shapes, support points, convex hulls, mass properties"),
    ("broad", "bounding boxes and candidate pairs"),
    ("narrow", "distance and collision of one pair"),
    ("mesh", "triangle meshes, their files and their queries"),
    ("geometry", "compounds, and queries of any two geometries"),
    ("batch", "queries of many pairs and points, on all cores"),
    ("contact", "contact patches"),
    ("scene", "many shapes"),
    ("solver", "contact forces"),
    ("sim", "simulation"),
    ("neural", "learned collision"),
    ("gpu", "distances and collisions on the GPU"),
]

# (room, what it holds) of the layers that have rooms, in the order in which they may include each
# other
ROOMS: dict[str, list[tuple[str, str]]] = {
    "shape": [
        ("check", "checks of numbers and points"),
        ("hull", "convex hulls and their tables"),
        ("stp", "sphere-torus-patch volumes"),
        ("support", "support points, their derivatives and bounds"),
        ("mass", "volume, center of mass, inertia"),
    ],
    "narrow": [
        ("formula", "closed forms on plain numbers"),
        ("pair", "two cores in the frame of A, what is proved of them, bounds and status"),
        ("gjk", "nearest points of cores that are apart, refined by Newton's method"),
        ("depth", "penetration depth and its proofs; the sequence of methods for any pair"),
        ("pairs", "one solver for each pair of kinds, and their table"),
        ("gjkpp", "the methods of the GJK++ paper as it prints them"),
        ("query", "distance, collide, ray_cast"),
        (
            "derivative",
            "derivatives of distance, normal and witness points; estimators; contact pose",
        ),
    ],
    "mesh": [
        ("file", "readers and writers of mesh files"),
        ("surface", "the mesh itself: report, mass properties, samples"),
        ("query", "distance, collision, signed distance and rays of meshes"),
    ],
    "solver": [
        ("linear", "sparse factors and accelerators"),
        ("problem", "the contact problem, residual, modes, islands"),
        ("active_set", "the equations of contacts whose mode is known"),
        ("method", "the solvers"),
        ("as_printed", "the survey's algorithms as plain loops"),
        ("query", "solve, solve_many, solution_derivative"),
    ],
    "sim": [
        ("model", "bodies, robots and what joins them"),
        ("robot_file", "readers of URDF, SRDF and MJCF"),
        ("step", "the stages of a step, in order; rollouts"),
        ("derivative", "the step in reverse"),
        ("storage", "models and states saved and loaded"),
    ],
}

BEGIN, END = "<!-- layers:begin -->", "<!-- layers:end -->"
SOURCES = {".hpp", ".cpp", ".h", ".inl", ".cu", ".cuh"}


def include_problems(root: Path, layers: list[str]) -> list[str]:
    """Every breach of the include rule under root/src and root/include."""
    problems = []
    rank = {name: position for position, name in enumerate(layers)}
    src = root / "src"
    for entry in sorted(src.iterdir()):
        if entry.is_dir() and entry.name not in rank:
            problems.append(
                f"src/{entry.name}/: not a layer; add it to LAYERS in tools/check_layers.py"
            )
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
                problems.append(
                    f'{where}: "{target}" is not written relative to src/ ("layer/file.hpp")'
                )
            elif not (src / target).is_file():
                problems.append(f'{where}: "{target}" names no file in src/')
            elif rank[folder] > rank[own]:
                problems.append(
                    f'{where}: {own} must not include "{target}": {folder} lies to its right'
                )
            elif folder == own and not room_allows(path.relative_to(src).parts, Path(target).parts):
                problems.append(f'{where}: "{target}" lies in a room to the right')

    for path in sorted((root / "include").glob("**/*")):
        if path.suffix in SOURCES:
            for line, target in includes(path):
                if not target.startswith("tactum/"):
                    problems.append(
                        f'{path.relative_to(root)}:{line}: a public header includes "{target}"'
                    )
    return problems


def room_allows(own: tuple[str, ...], target: tuple[str, ...]) -> bool:
    """Whether the order of rooms in one layer lets a file include another; paths are split and
    relative to src/."""
    order = [name for name, _ in ROOMS.get(own[0], [])]

    def rank(parts: tuple[str, ...]) -> int:
        return order.index(parts[1]) if len(parts) > 2 and parts[1] in order else len(order)

    return rank(target) <= rank(own)


def room_problems(root: Path) -> list[str]:
    """Folders inside a layer that are no room."""
    problems = []
    for layer in sorted((root / "src").iterdir()):
        known = {name for name, _ in ROOMS.get(layer.name, [])}
        if layer.is_dir() and known:
            problems += [
                f"src/{layer.name}/{entry.name}/: not a room; add it to ROOMS in tools/check_layers.py"
                for entry in sorted(layer.iterdir())
                if entry.is_dir() and entry.name not in known
            ]
    return problems


def cycle_problems(root: Path) -> list[str]:
    """Files of src/ that need each other in a circle, by an include or by a call of a function that
    is declared elsewhere; a header and the source of the same name are one, and so are the sources
    of one class (tools/source_calls.py)."""
    sources = Sources(root)
    edges: dict[str, dict[str, str]] = {}

    def add(unit: str, target: str, why: str) -> None:
        unit, target = sources.owners.get(unit, unit), sources.owners.get(target, target)
        if unit != target:
            edges.setdefault(unit, {}).setdefault(target, why)

    for file, targets in sources.includes.items():
        for target in targets:
            if not file.startswith("tactum/") and not target.startswith("tactum/"):
                add(unit_of(file), unit_of(target), "")
    for unit, target, function in sources.calls():
        add(unit, target, f"; {unit} calls {function}(), which {target} defines")
    problems, finished = [], set()

    def visit(unit: str, trail: list[str]) -> None:
        if unit in trail:
            circle = [*trail[trail.index(unit) :], unit]
            reasons = [edges[a][b] for a, b in pairwise(circle)]
            problems.append(
                f"src: a circle of includes: {' -> '.join(circle)}{''.join(reasons)}"
            )
            return
        if unit in finished:
            return
        for target in sorted(edges.get(unit, ())):
            visit(target, [*trail, unit])
        finished.add(unit)

    for unit in sorted(edges):
        visit(unit, [])
    return problems


def includes(path: Path) -> list[tuple[int, str]]:
    """(line, target) of the quoted includes of a file."""
    text = path.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, match.start(1)) + 1, match.group(1))
        for match in INCLUDE.finditer(text)
    ]


def layer_block(root: Path) -> str:
    """The list as it stands in ARCHITECTURE.md: the order, then the folders that exist."""
    lines = [
        BEGIN,
        "",
        "    " + " < ".join(name for name, _ in LAYERS),
        "",
        "| layer | holds |",
        "| --- | --- |",
    ]
    for name, text in LAYERS:
        if not any((root / "src" / name).glob("*")):
            continue
        lines.append(f"| `src/{name}` | {text} |")
        lines += [
            f"| `src/{name}/{room}` | {holds} |"
            for room, holds in ROOMS.get(name, [])
            if (root / "src" / name / room).is_dir()
        ]
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
    return [
        "ARCHITECTURE.md: the list of layers is stale; run python3 tools/check_layers.py --write"
    ]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--write", action="store_true", help="write the list of layers into ARCHITECTURE.md"
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(__file__).resolve().parent.parent,
        help="the tree to check",
    )
    options = parser.parse_args(arguments)
    problems = include_problems(options.root, [name for name, _ in LAYERS]) + room_problems(
        options.root
    )
    problems += cycle_problems(options.root) + document_problems(options.root, options.write)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
