#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`./run compare mesh`: runs tactum_compare_mesh on pairs of meshes and turns its measurements into a
table and rows of JSON.

Pairs are full scans of the YCB Object and Model Set, and objects of Google Scanned Objects. Each query
is compared with the fastest hierarchy of coal and of FCL that gave the same answers; the time to build
with those that have both queries. Rays are shown beside Embree where embreex is installed; objects of
convex parts have no peer here. With --impacts, times of impact are compared instead, with FCL alone.
Without the data folder (--data, or TACTUM_DATA) there is nothing to compare.
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
PARTS_GOAL = 2.0  # us: half a million pairs of objects a second

Cell = dict[str, Any]
Column = dict[str, Any]


def neighbors(files: Sequence[Path], count: int) -> list[tuple[Path, Path]]:
    """Neighbors in the list of objects, a few of them spread over it."""
    step = max(2, len(files) // count)
    return list(zip(files[0::step], files[1::step]))[:count]


def pairs_of(data: Path, quick: bool) -> list[tuple[Path, Path]]:
    """Pairs of scans."""
    return [
        pair
        for pattern, count in (("ycb/full/*.ply", 6), ("gso/mesh/*.obj", 4))
        for pair in neighbors(sorted(data.glob(pattern)), 1 if quick else count)
    ]


def fastest(columns: Sequence[Column], library: str, quantity: str) -> Column | None:
    """The fastest hierarchy of a library that has the quantity and answered as tactum did."""
    own = [
        column
        for column in columns
        if column["library"] == library
        and column["differences"] == 0
        and column[quantity] > 0
        and (quantity != "build" or column["distance"] > 0)
    ]
    return min(own, key=lambda column: float(column[quantity]), default=None)


def embree_time(file: Path) -> float | None:
    """Microseconds a ray, where embreex is installed."""
    command = [sys.executable, str(Path(__file__).with_name("embree_rays.py")), str(file)]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if output.returncode:
        return None
    time_of_ray: float | None = json.loads(output.stdout)[0]
    return time_of_ray


def row_of_rays(name: str, cell: Cell) -> Row:
    peers = {} if cell["embree"] is None else {"embree": cell["embree"]}
    return make_row(
        f"{name}, rays",
        "ray time",
        "us",
        cell["ray"],
        peers=peers,
        timing=True,
        note=f"{100 * cell['hit_share']:.0f} % hit; coal and FCL have no rays against meshes",
    )


def rows_of_trees(name: str, cell: Cell) -> list[Row]:
    case = f"{name}, tree of the first"
    rows = [
        make_row(case, "tree time", "us", cell["one"], timing=True, note="one core"),
        make_row(case, "hull time", "us", cell["hull"], timing=True, note="by the first query"),
    ]
    if cell["triangles"] > 8192:  # fewer are built on one core
        rows.append(
            make_row(case, "one core / all cores", "1", cell["one"] / cell["all"], relation=">=",
                     goal=1.7, timing=True, note=f"{os.cpu_count()} cores")
        )  # fmt: skip
    return rows


def rows_of_parts(name: str, cell: Cell) -> list[Row]:
    case = f"{name}, {cell['parts_a']} and {cell['parts_b']} parts near contact"
    share = f"{100 * cell['colliding_share']:.0f} % collide"
    return [
        make_row(case, "collide time", "us", cell["collide"], relation="<=", goal=PARTS_GOAL,
                 timing=True, note=share),
        make_row(case, "other answers", "1", cell["wrong"], relation="<=", goal=0,
                 note="poses at which the sign of the distance says something else"),
    ]  # fmt: skip


WRONG_IMPACTS = (
    ("impacts missed", "missed", "motions with a colliding sample and no time"),
    ("impacts too late", "late", "motions with a colliding sample before the time given"),
    ("impacts too early", "early", "motions still 0.1 mm or more apart at the time given"),
)


def rows_of_impacts(name: str, cell: Cell) -> list[Row]:
    """Mean times of a query, and how often each library is wrong by samples of the motion. A ratio
    is given to the fastest peer that is never wrong, where there is one."""
    case, columns = f"{name}, {cell['motions']} straight motions", cell["columns"]
    ours, peers = columns[0], {f"fcl {column['setting']}": column for column in columns[1:]}
    rows = [
        make_row(case, "time of impact time", "us", ours["impact"], timing=True,
                 peers={library: column["impact"] for library, column in peers.items()}),
        make_row(case, "impacts found", "1", ours["hits"],
                 peers={library: column["hits"] for library, column in peers.items()}),
        *(
            make_row(case, quantity, "1", ours[field], relation="<=", goal=0, note=note,
                     peers={library: column[field] for library, column in peers.items()})
            for quantity, field, note in WRONG_IMPACTS
        ),
    ]  # fmt: skip
    right = [
        column["impact"]
        for column in peers.values()
        if not any(column[field] for _, field, _ in WRONG_IMPACTS)
    ]
    if right:
        rows.append(
            make_row(case, "time of impact ratio to fcl", "1", min(right) / ours["impact"],
                     timing=True, note="fcl / tactum")
        )  # fmt: skip
    return rows


def rows_of(name: str, cell: Cell) -> list[Row]:
    if cell["case"] == "rays":
        return [row_of_rays(name, cell)]
    if cell["case"] == "trees":
        return rows_of_trees(name, cell)
    if cell["case"] == "parts":
        return rows_of_parts(name, cell)
    if cell["case"] == "impact":
        return rows_of_impacts(name, cell)
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
    parser.add_argument("--impacts", action="store_true", help="times of impact instead")
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
    parts = neighbors(sorted(arguments.data.glob("gso/vhacd/*.obj")), 1 if arguments.quick else 6)
    runs = [
        *(([], *pair) for pair in pairs),
        *((["--parts"], *pair) for pair in parts),
    ]
    if arguments.impacts:
        runs = [(["--impacts"], *pair) for pair in pairs]
    for flags, a, b in runs:
        command = [str(arguments.program), *flags, "--seed", str(arguments.seed), str(a), str(b)]
        output = subprocess.run(
            [*command, *(["--quick"] if arguments.quick else [])],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if output.returncode:
            return output.returncode
        cells: list[Cell] = [json.loads(line) for line in output.stdout.splitlines()]
        for cell in cells:
            if cell["case"] == "rays":
                cell["embree"] = embree_time(a)
        name = f"{a.stem[:24]} {b.stem[:24]}"
        new = [row for cell in cells for row in rows_of(name, cell)]
        print_rows(new)
        rows += new
    met, total = judged(rows)
    print(f"\ngoals met in all: {met} of {total}")
    if arguments.json:
        report = make_report(
            "compare mesh --impacts" if arguments.impacts else "compare mesh",
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
