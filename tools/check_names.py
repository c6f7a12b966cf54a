#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that the names which comments, docstrings and pages mention exist.

- A path that begins with a folder of the root (src/narrow/gjk/gjk.cpp, docs/guide) has to be there;
  a shorter one (narrow/gjk/gjk.cpp, gjk.hpp) has to be the end of one that is there.
- A test written as Suite.Test has to be a GoogleTest of that name.
- The command in ./run COMMAND has to be one of the entry script.
- An identifier in `back quotes` on a page, if it has an underscore or a capital inside, has to
  occur in the code. Records of the past (CHANGELOG.md, docs/decisions) and the page on another
  library may name what is not here.

Links between pages are not looked at: Sphinx checks them. Single letters, NN and `name` stand for
any name; src/narrow/gjk/name.cpp has to have a folder that holds such files.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDERS = ("bench", "cmake", "docs", "examples", "include", "python", "src", "tests", "tools")
ROOTS = tuple(f"{folder}/" for folder in FOLDERS)
PAGES = ("*.md", "docs/**/*.md", "docs/**/*.rst", "src/**/*.md", "tests/**/*.md", "python/**/*.md")
SOURCES = (".cpp", ".hpp", ".cu", ".cuh", ".inl", ".py", ".cmake", ".txt")

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
TARGET = re.compile(r"\]\([^)]*\)|\w+://\S+")
ROOTED = re.compile(rf"(?<![\w./<-])(?:{'|'.join(FOLDERS)})/[\w./*<>-]*[\w>]")
SHORT = re.compile(r"(?<![\w./*<>$}-])(?:[\w.-]+/)*\w[\w-]*\.(?:cpp|hpp|py|md)\b(?![\w/.]*\w)")
TEST = re.compile(r"\b([A-Z]\w+)\.((?:[A-Z][a-z0-9]*){3,})\b")
FILTER = re.compile(r"\b([A-Z]\w+)\.\*")
COMMAND = re.compile(r"(?:`|^ {4})\./run ([a-z][\w-]*)", re.MULTILINE)
DEFINED_TEST = re.compile(
    r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)|^TYPED_TEST\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE
)
PLACEHOLDER = re.compile(r"(?:^|[/*<])(?:[a-zA-Z]|x_y|NN+|name|target)(?:[._/>*-]|$)|[*<]")
QUOTED = re.compile(r"`([^`\n]+)`")
IDENTIFIER = re.compile(r"\b(?=\w*[^\W_](?:_|(?<=[a-z])[A-Z])[^\W_])[A-Za-z]\w{3,}\b")
NOTATION = {
    "HALF_LENGTH",
    "PascalCase",
    "last_X_WA",
    "num_x",
    "p_AB",
    "snake_case",
    "solve_x_y",
    "x_derivative",
}
FREE = (
    "CHANGELOG.md",
    "docs/decisions/",
    "docs/guide/coming-from-coal.md",
    "docs/guide/coming-from-drake.md",
    "docs/guide/coming-from-mujoco.md",
    "docs/guide/coming-from-pinocchio.md",
    "docs/guide/coming-from-trimesh.md",
    "tests/data/",
    "THIRD_PARTY_NOTICES.md",
)
GENERATED = {"tactum/version.hpp", "version.hpp"}  # by CMake


class Tree(NamedTuple):
    """The names and paths that exist."""

    root: Path
    names: set[
        str
        # every end of the path of every file, such as gjk.hpp, narrow/gjk/gjk.hpp and
        # src/narrow/gjk/gjk.hpp
    ]
    tests: dict[str, set[str]]  # by suite
    commands: set[str]
    words: set[str]  # of the code, and the stems of its files


def look_at(root: Path) -> Tree:
    files = [path for folder in FOLDERS for path in (root / folder).glob("**/*") if path.is_file()]
    files += [path for path in root.glob("*") if path.is_file()]
    names, tests, words = set(GENERATED), dict[str, set[str]](), set[str]()
    for path in files:
        parts = path.relative_to(root).parts
        names |= {"/".join(parts[start:]) for start in range(len(parts))}
        if path.suffix not in SOURCES and path.name != "run":
            continue
        text = path.read_text(encoding="utf-8")
        words |= {path.stem, *re.findall(r"\w+", text)}
        if path.name.endswith("_test.cpp"):
            for match in DEFINED_TEST.finditer(text):
                suite, test = (name for name in match.groups() if name)
                tests.setdefault(suite, set()).add(test)
    script = root / "run"
    text = script.read_text(encoding="utf-8") if script.is_file() else ""
    commands = set(
        re.findall(
            r"^  ([a-z][a-z-]*) .{3,}",
            text.partition("HELP'")[2].partition("\nHELP")[0],
            re.MULTILINE,
        )
    )
    return Tree(root, names, tests, commands | {"help"}, words)


def said_in_python(text: str) -> Iterator[tuple[int, str]]:
    """Comments and docstrings with their first lines."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.lineno, node.value.value


def said_in(path: Path) -> Iterator[tuple[int, str]]:
    """The comments and text of a file, with line numbers."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".md", ".rst"):
        yield 1, TARGET.sub("", FENCE.sub(lambda match: "\n" * match.group(0).count("\n"), text))
    elif path.suffix == ".py":
        yield from said_in_python(text)
    else:
        mark = "#" if path.suffix in (".cmake", ".txt") else "//"
        for number, line in enumerate(text.splitlines(), 1):
            _, found, comment = line.partition(mark)
            if found:
                yield number, TARGET.sub("", comment)


def has_room(tree: Tree, path: str) -> bool:
    """Whether the folder of a path with a placeholder in its last part holds a file like it."""
    folder, _, last = path.rpartition("/")
    if PLACEHOLDER.search(folder) or not re.search(r"[\w>]\.\w+$", last):
        return True
    ending = re.search(r"(?:_test|_fuzz)?\.\w+$", last)
    return ending is not None and any((tree.root / folder).glob(f"*{ending.group(0)}"))


def problems_in(tree: Tree, text: str) -> Iterator[tuple[int, str]]:
    """(offset, what is wrong) of a text."""
    for match in ROOTED.finditer(text):
        name = match.group(0)
        if not PLACEHOLDER.search(name):
            if not (tree.root / name).exists():
                yield match.start(), f"{name} does not exist"
        elif not has_room(tree, name):
            yield match.start(), f"{name}: its folder holds no such file"
    for match in SHORT.finditer(text):
        name = match.group(0)
        if not name.startswith(ROOTS) and not PLACEHOLDER.search(name) and name not in tree.names:
            yield match.start(), f"no file is called {name}"
    for match in TEST.finditer(text):
        if match.group(2) not in tree.tests.get(match.group(1), set()):
            yield match.start(), f"there is no test {match.group(0)}"
    for match in COMMAND.finditer(text):
        if match.group(1) not in tree.commands:
            yield match.start(), f"./run has no command {match.group(1)}"


def unknown_identifiers(tree: Tree, page: str) -> Iterator[tuple[int, str]]:
    """(offset, what is wrong) of what a page puts in back quotes."""
    for quoted in QUOTED.finditer(page):
        if "/" in quoted.group(1):
            continue
        for word in IDENTIFIER.findall(quoted.group(1)):
            if word not in tree.words and word not in NOTATION:
                yield quoted.start(), f"{word} does not occur in the code"


def problems(tree: Tree) -> list[str]:
    pages = {path for pattern in PAGES for path in tree.root.glob(pattern)}
    sources = {
        path
        for folder in FOLDERS
        for path in (tree.root / folder).glob("**/*")
        if path.suffix in SOURCES
    }
    data = tree.root / "tests" / "data"
    found = []
    for path in sorted(
        pages
        | {
            path
            for path in sources
            if data not in path.parents and (path.suffix != ".txt" or path.stem == "CMakeLists")
        }
    ):
        where = path.relative_to(tree.root)
        for line, text in said_in(path):
            wrong = list(problems_in(tree, text))
            if path in pages and not str(where).startswith(FREE):
                wrong += unknown_identifiers(tree, text)
            found += [
                f"{where}:{line + text.count(chr(10), 0, offset)}: {what}" for offset, what in wrong
            ]
        if path.name == "CMakeLists.txt":
            suites = FILTER.findall(path.read_text(encoding="utf-8"))
            found += [
                f"{where}: there is no suite {suite}" for suite in suites if suite not in tree.tests
            ]
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(__file__).resolve().parent.parent,
        help="the tree to check",
    )
    found = problems(look_at(parser.parse_args(arguments).root.resolve()))
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
