#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`./run compare scene`: runs tactum_compare_scene and turns its measurements into a table and rows
of JSON.

A step gives all boxes new places and asks for all pairs. The tree is compared with the fastest of
coal's managers, the sweep with coal's SaP. Then real shapes: tools/compare_bin.py.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# the package may not be built where this runs: the file itself needs the standard library alone
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tactum" / "reproduce"))
import compare_bin
from report import Row, judged, make_report, make_row, write_report

TREE_GOAL = 3.5
SWEEP_GOAL = 10.0  # at 10k boxes

Cell = dict[str, Any]
Column = dict[str, Any]


def best(columns: Sequence[Column], library: str) -> Column | None:
    """The fastest structure of a library among those that found the right pairs."""
    own = [
        column for column in columns if column["library"] == library and column["differences"] == 0
    ]
    return min(own, key=lambda column: column["total"], default=None)


def named(columns: Sequence[Column], setting: str) -> Column:
    return next(column for column in columns if column["setting"] == setting)


def rows_of(cell: Cell) -> list[Row]:
    case, columns = cell["case"], cell["columns"]
    tree, sweep, peer_sweep = (
        named(columns, "DynamicTree"),
        named(columns, "SweepAndPrune"),
        named(columns, "SaP"),
    )
    fastest = {
        library: column
        for library in ("coal", "bullet")
        if (column := best(columns, library)) is not None
    }
    peers = {library: column["total"] for library, column in fastest.items()}
    note = ", ".join(f"{library}: {column['setting']}" for library, column in fastest.items())
    large = cell["boxes"] >= 10000
    rows = [
        make_row(
            case,
            "tree time",
            "us",
            tree["total"],
            spread=tree["spread"],
            peers=peers,
            timing=True,
            note=note,
        )
    ]
    for library, total in peers.items():
        goal = TREE_GOAL if library == "coal" else None
        rows.append(
            make_row(
                case,
                f"tree ratio to {library}",
                "1",
                total / tree["total"],
                relation=">=",
                goal=goal,
                timing=True,
                note=f"{library} / tactum",
            )
        )
    rows.append(
        make_row(
            case,
            "sweep time",
            "us",
            sweep["total"],
            spread=sweep["spread"],
            peers={"coal": peer_sweep["total"]},
            timing=True,
            note="coal: SaP",
        )
    )
    for quantity, field in (("sweep ratio", "total"), ("sweep update ratio", "update")):
        ratio = peer_sweep[field] / sweep[field]
        rows.append(
            make_row(
                case,
                quantity,
                "1",
                ratio,
                relation=">=",
                goal=SWEEP_GOAL if large else None,
                timing=True,
                note="coal SaP / tactum",
            )
        )
    wrong = sum(column["differences"] for column in columns if column["library"] == "tactum")
    others = {
        column["setting"]: column["differences"]
        for column in columns
        if column["differences"] and column["library"] != "tactum"
    }
    note = f"steps with wrong pairs, of {tree['steps']}; {cell['pairs']} pairs at the end"
    rows.append(
        make_row(case, "wrong steps", "1", wrong, peers=others, relation="<=", goal=0, note=note)
    )
    return rows


def print_table(cells: Sequence[Cell], rows: Sequence[Row]) -> None:
    print(
        f"{'case':20}{'library':9}{'structure':24}{'update us':>11}{'pairs us':>11}{'step us':>11}{'wrong':>7}"
    )
    for cell in cells:
        for column in cell["columns"]:
            print(f"{cell['case']:20}{column['library']:9}{column['setting']:24}{column['update']:11.1f}{column['pairs']:11.1f}"
                  f"{column['total']:11.1f}{column['differences']:7}")  # fmt: skip
    print()
    for row in rows:
        if row["unit"] == "ms":
            print(
                f"{row['case']:28}{row['quantity']:40}{row['ours']:8.2f} ms  coal {row['peers'].get('coal', float('nan')):.2f} ms"
            )
        if "ratio" in row["quantity"] or "threads" in row["quantity"]:
            goal = (
                ""
                if row["goal"] is None
                else f"  goal {row['goal']:g}: {'met' if row['holds'] else 'missed'}"
            )
            print(f"{row['case']:28}{row['quantity']:40}{row['ours']:8.2f}{goal}")
    met, total = judged(rows)
    print(f"\ngoals met: {met} of {total}")


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="./run compare scene", description="scenes of tactum, coal and Bullet in one process"
    )
    parser.add_argument(
        "filter",
        nargs="?",
        default=".*",
        help="regular expression: only cells of boxes whose name has a match, and nothing else",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows")
    parser.add_argument("--quick", action="store_true", help="few steps, at most 10 s")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--program",
        type=Path,
        default=Path("build/compare/bin/tactum_compare_scene"),
        help=argparse.SUPPRESS,
    )
    arguments = parser.parse_args(argv)
    start = time.monotonic()
    command = [str(arguments.program), "--filter", arguments.filter, "--seed", str(arguments.seed)]
    output = subprocess.run(
        [*command, *(["--quick"] if arguments.quick else [])],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if output.returncode:
        return output.returncode
    cells = [json.loads(line) for line in output.stdout.splitlines()]
    rows = [row for cell in cells for row in rows_of(cell)]
    if arguments.filter == ".*":
        rows += compare_bin.measure(
            arguments.program.with_name("tactum_compare_bin"), quick=arguments.quick
        )
    print_table(cells, rows)
    if arguments.json:
        source = "tactum and its peers on the same boxes, in one process"
        seconds = time.monotonic() - start
        report = make_report(
            "compare scene",
            source,
            quick=arguments.quick,
            seed=arguments.seed,
            seconds=seconds,
            rows=rows,
        )
        write_report(arguments.json, report)
        print(f"wrote {arguments.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
