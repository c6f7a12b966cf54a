#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the links of the documentation: every relative link and every path in `back quotes` that looks like one of ours must
exist, and every #anchor must be a heading of its page."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
QUOTED = re.compile(r"`((?:src|include|tests|tools|docs|examples|bench|cmake|python)/[\w./-]+)`")
PLACEHOLDER = re.compile(r"(^|/)([xyzXYZ]|NN|NNNN|name|target)[._/-]")  # `src/X/y.cpp` stands for any file
HEADING = re.compile(r"^#+\s+(.*?)\s*#*$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """Anchors of a page's headings, as they are made for Markdown on the web."""
    names: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).lower()).replace(" ", "-")
        names.add(name)
    return names


def pages(root: Path) -> list[Path]:
    return sorted([*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("src/**/*.md"), *root.glob("tests/**/*.md")])


def page_problems(root: Path, page: Path) -> list[str]:
    problems = []
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    where = page.relative_to(root)
    for match in LINK.finditer(text):
        target = match.group(1) or match.group(2)
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        if not place.exists():
            problems.append(f"{where}: the link {target} leads nowhere")
        elif anchor and place.suffix == ".md" and anchor not in anchors(place.read_text(encoding="utf-8")):
            problems.append(f"{where}: {target} names no heading")
    for path in QUOTED.findall(text):
        if not (root / path).exists() and not PLACEHOLDER.search(path):
            problems.append(f"{where}: `{path}` does not exist")
    return problems


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the tree to check")
    root = parser.parse_args(arguments).root.resolve()
    problems = [problem for page in pages(root) for problem in page_problems(root, page)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
