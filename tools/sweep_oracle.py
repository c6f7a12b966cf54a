# SPDX-License-Identifier: BSD-2-Clause
"""The oracles of `./run oracle` in chunks, on threads, processes or a Dask cluster, that go on after
a kill.

    ./run build && ./run python tools/sweep_oracle.py FOLDER --chunks 1000 --poses 1000000

A chunk is one run of tactum_accuracy with a seed of its own, and its table is a shard of
tactum.sweep. At the end the shards are one table: sums of counts, and the largest errors. The exit
code is 1 where a claim is broken.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from tactum import sweep

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "release" / "bin" / "tactum_accuracy"
# column of the program's table: name here
COUNTS = {
    "poses": "poses",
    "not converged": "not_converged",
    "wrong signs": "wrong_signs",
    "claims broken": "broken",
}
LARGEST = {
    "worst distance error": "distance_error",
    "worst normal error (rad)": "normal_error",
    "worst gap": "gap",
}

Arrays = Mapping[str, Any]


def table_of(markdown: str) -> dict[str, Any]:
    """The rows of the program's table but the last, which is their sum: arrays by name."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    header, body = rows[0], rows[2:-1]
    found: dict[str, Any] = {"pair": np.array([row[0] for row in body])}
    for column, name in (COUNTS | LARGEST).items():
        values = [row[header.index(column)] for row in body]
        found[name] = np.array(values, dtype=np.int64 if column in COUNTS else np.float64)
    return found


def chunk_table(program: str, chunk: tuple[int, int], rng: np.random.Generator) -> dict[str, Any]:
    """One run of the program, with a seed of the chunk's own. chunk: its number, and its poses."""
    poses = chunk[1]
    seed = int(rng.integers(10**15))
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "table.md"
        command = [program, "--poses", str(poses), "--seed", str(seed), "--threads", "1"]
        done = subprocess.run(
            [*command, "--markdown", str(page)], capture_output=True, text=True, check=False
        )
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr}")
        said = [line for line in done.stderr.splitlines() if "broken:" in line]
        return table_of(page.read_text()) | {"seed": np.array(seed), "said": np.array(said, str)}


def merged(shards: Iterable[Arrays]) -> dict[str, Any]:
    """One table of all: sums of counts, largest errors."""
    tables = list(shards)
    found: dict[str, Any] = {"pair": tables[0]["pair"]}
    for name in COUNTS.values():
        found[name] = np.sum([table[name] for table in tables], axis=0)
    for name in LARGEST.values():
        found[name] = np.max([table[name] for table in tables], axis=0)
    return found


def text_of(table: Arrays) -> str:
    """The table for the terminal."""
    lines = [
        f"{'pair':<24}{'poses':>14}{'distance':>11}{'normal':>11}{'gap':>11}"
        f"{'not converged':>15}{'wrong signs':>13}{'broken':>8}"
    ]
    for i, pair in enumerate(table["pair"]):
        errors = "".join(f"{table[name][i]:>11.1e}" for name in LARGEST.values())
        lines.append(
            f"{pair:<24}{table['poses'][i]:>14}{errors}{table['not_converged'][i]:>15}"
            f"{table['wrong_signs'][i]:>13}{table['broken'][i]:>8}"
        )
    sums = {name: int(table[name].sum()) for name in COUNTS.values()}
    lines.append(
        f"{sums['poses']} poses: {sums['broken']} broken, {sums['wrong_signs']} wrong signs, "
        f"{sums['not_converged']} not converged"
    )
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Run all chunks that are missing, then print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("folder", type=Path, help="where the shards are")
    parser.add_argument("--chunks", type=int, default=100, metavar="N")
    parser.add_argument("--poses", type=int, default=1_000_000, metavar="N", help="of a chunk")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--jobs", type=int, metavar="N", help="at once (default: all processors)")
    parser.add_argument("--dask", metavar="ADDRESS", help="of a scheduler, instead of this machine")
    parser.add_argument("--program", type=Path, default=PROGRAM, metavar="FILE")
    options = parser.parse_args(argv)
    if not options.program.is_file():
        print(f"there is no {options.program}: ./run build makes it", file=sys.stderr)
        return 2
    work = functools.partial(chunk_table, str(options.program))
    if options.dask:
        executor: Any = importlib.import_module("distributed").Client(options.dask)
    else:
        executor = ThreadPoolExecutor(options.jobs)  # each waits for a process of its own
    shards = sweep.run(
        work,
        [(i, options.poses) for i in range(options.chunks)],
        options.folder,
        executor,
        options.seed,
        progress=lambda done, total: print(f"\r{done} of {total} chunks", end="", file=sys.stderr),
    )
    print(file=sys.stderr)
    table = merged(shards)
    print(text_of(table))
    for shard in shards:
        for line in shard["said"].tolist():
            print(f"seed {shard['seed']}: {line}")
    return 1 if table["broken"].sum() else 0


if __name__ == "__main__":
    sys.exit(main())
