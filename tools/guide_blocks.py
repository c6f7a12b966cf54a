#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes one program of the C++ blocks of the guide: a function for each page that has some, with its
blocks one after the other. The test of that name compiles and runs it, so that what the guide shows
works.

    tools/guide_blocks.py OUT PAGES... [--without-sim]

With --without-sim, pages that include a header of the simulator are left out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

BLOCK = re.compile(r"^```cpp\n(.*?)^```", re.MULTILINE | re.DOTALL)


def page_function(page: Path) -> tuple[list[str], str]:
    """Headers that the blocks of a page include, and a function of the rest."""
    headers: list[str] = []
    body: list[str] = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.splitlines():
            (headers if line.startswith("#include") else body).append(line)
    name = page.stem.replace("-", "_")
    return headers, f"void {name}() {{\n" + "\n".join(body) + "\n}\n"


def main(arguments: Sequence[str]) -> int:
    with_sim = "--without-sim" not in arguments
    out, *pages = [Path(name) for name in arguments if name != "--without-sim"]
    headers = {"#include <cassert>", "#include <cmath>"}
    functions = []
    taken = []
    for page in pages:
        own, function = page_function(page)
        if with_sim or not any("<tactum/sim/" in header for header in own):
            headers |= set(own)
            functions.append(function)
            taken.append(page.stem.replace("-", "_"))
    calls = "\n".join(f"  {name}();" for name in taken)
    parts = ["\n".join(sorted(headers)), *functions, f"int main() {{\n{calls}\n}}\n"]
    out.write_text("\n\n".join(parts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
