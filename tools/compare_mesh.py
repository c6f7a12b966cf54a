#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`./run compare mesh`: runs tactum_compare_mesh on pairs of meshes and turns its measurements into a
table and rows of JSON.

Pairs are full scans of the YCB Object and Model Set, and objects of Google Scanned Objects. Each query
is compared with the fastest hierarchy of coal and of FCL that gave the same answers. Without the data
folder (--data, or TACTUM_DATA) there is nothing to compare.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# the package may not be built where this runs: the file itself needs the standard library alone
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tactum" / "reproduce"))
from report import Row, judged, make_report, make_row, write_report

GOALS = {"distance": 3.0, "collide": 3.0, "build": 3.0, "tracked distance": 10.0}

Cell = dict[str, Any]
Column = dict[str, Any]


def pairs_of(data: Path, quick: bool) -> list[tuple[Path, Path]]:
    """Neighbors in the list of objects, a few of them spread over it."""
    found: list[tuple[Path, Path]] = []
    for pattern, count in (("ycb/full/*.ply", 6), ("gso/mesh/*.obj", 4)):
        files = sorted(data.glob(pattern))
        step = max(2, len(files) // (1 if quick else count))
        found += list(zip(files[0::step], files[1::step]))
    return found


def fastest(columns: Sequence[Column], library: str, quantity: str) -> Column | None:
    """The fastest hierarchy of a library that has the quantity and answered as tactum did."""
    own = [
        column
        for column in columns
        if column["library"] == library and column["differences"] == 0 and column[quantity] > 0
    ]
    return min(own, key=lambda column: float(column[quantity]), default=None)


def rows_of(name: str, cell: Cell) -> list[Row]:
    case, columns = f"{name}, {cell['case']}", cell["columns"]
    boxes, tracked = columns[0], columns[1]
    rows = []
    for quantity, ours, field in (
        ("distance", boxes, "distance"),
        ("tracked distance", tracked, "distance"),
        ("collide", boxes, "collide"),
        ("build", boxes, "build"),
    ):
        if field == "build" and cell["case"] != "1 m":
            continue  # it is the same in all cells
        best = {
            library: column
            for library in ("coal", "fcl")
            if (column := fastest(columns, library, field)) is not None
        }
        note = ", ".join(f"{library}: {column['setting']}" for library, column in best.items())
        rows.append(
            make_row(
                case,
                f"{quantity} time",
                "us",
                ours[field],
                peers={library: column[field] for library, column in best.items()},
                timing=True,
                note=note,
            )
        )
        for library, column in best.items():
            rows.append(
                make_row(
                    case,
                    f"{quantity} ratio to {library}",
                    "1",
                    column[field] / ours[field],
                    relation=">=",
                    goal=GOALS[quantity] if library == "coal" else None,
                    timing=True,
                    note=f"{library} / tactum",
                )
            )
    others = {
        f"{column['library']} {column['setting']}": column["differences"]
        for column in columns[1:]
        if column["differences"]
    }
    rows.append(
        make_row(
            case,
            "other answers",
            "1",
            tracked["differences"],
            peers=others,
            relation="<=",
            goal=0,
            note="poses at which a hierarchy differs from the first by 1e-9 m, or in the collision",
        )
    )
    return rows


def print_rows(rows: Sequence[Row]) -> None:
    for row in rows:
        goal = (
            ""
            if row["goal"] is None
            else f"  goal {row['goal']:g}: {'met' if row['holds'] else 'missed'}"
        )
        print(f"{row['case']:58}{row['quantity']:28}{row['ours']:12.3f} {row['unit']:3}{goal}")
    met, total = judged(rows)
    print(f"\ngoals met: {met} of {total}")


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="./run compare mesh", description="meshes of tactum, coal and FCL in one process"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows")
    parser.add_argument("--quick", action="store_true", help="two pairs, few poses")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("TACTUM_DATA", "../shared/data"))
    )
    parser.add_argument(
        "--program",
        type=Path,
        default=Path("build/compare/bin/tactum_compare_mesh"),
        help=argparse.SUPPRESS,
    )
    arguments = parser.parse_args(argv)
    start = time.monotonic()
    pairs = pairs_of(arguments.data, arguments.quick)
    if not pairs:
        print(f"compare mesh: no meshes in {arguments.data}; give --data FOLDER", file=sys.stderr)
        return 2
    rows: list[Row] = []
    for a, b in pairs:
        command = [str(arguments.program), "--seed", str(arguments.seed), str(a), str(b)]
        output = subprocess.run(
            [*command, *(["--quick"] if arguments.quick else [])],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if output.returncode:
            return output.returncode
        new = [
            row
            for line in output.stdout.splitlines()
            for row in rows_of(f"{a.stem[:24]} {b.stem[:24]}", json.loads(line))
        ]
        print_rows(new)
        rows += new
    met, total = judged(rows)
    print(f"\ngoals met in all: {met} of {total}")
    if arguments.json:
        report = make_report(
            "compare mesh",
            "tactum and its peers on the same meshes, in one process",
            quick=arguments.quick,
            seed=arguments.seed,
            seconds=time.monotonic() - start,
            rows=rows,
        )
        write_report(arguments.json, report)
        print(f"wrote {arguments.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
