#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures what a rebuild takes after a change of one file.

    python3 tools/rebuild_times.py build/release src/core/status.cpp tests/core/status_test.cpp

The build folder has to be up to date. Each file is touched, and everything that depends on it is
compiled and linked anew without the compiler's cache. A row says how many commands that took, the
seconds of the processor and those of the clock.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

STEP = re.compile(r"^\[(\d+)/\d+\]", re.MULTILINE)


class Times(NamedTuple):
    commands: int  # of the build tool
    processor: float  # s, of all processes together
    clock: float  # s


def measure(command: Sequence[str]) -> Times:
    """Runs a build and counts its steps, which ninja numbers as [3/7]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    environment = {**os.environ, "CCACHE_RECACHE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    clock = time.monotonic() - start
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Times(max(map(int, STEP.findall(done.stdout)), default=0), processor, clock)


def row(name: str, times: Times) -> str:
    return f"| `{name}` | {times.commands} | {times.processor:.0f} | {times.clock:.0f} |"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path, help="a build folder that is up to date")
    parser.add_argument("files", type=Path, nargs="+", help="sources and headers to touch")
    options = parser.parse_args(arguments)
    build = ["cmake", "--build", str(options.build)]
    left = measure([*build, "--", "-n"]).commands
    if left > 0:
        print(f"{options.build}: {left} steps are not done; build it first", file=sys.stderr)
        return 1
    print("| changed file | steps | processor, s | clock, s |\n| --- | ---: | ---: | ---: |")
    for file in options.files:
        file.touch()
        print(row(str(file), measure(build)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
