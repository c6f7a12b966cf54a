#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`./run compare stp`: runs tactum_compare_stp and turns its measurements into a table and rows of
JSON.

Two geodesic spheres move; every query is answered as STP volumes and as hulls of the same points,
by tactum, and as hulls by coal.
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
from report import Row, judged, make_report, make_row, write_report

HULL_GOAL = 1.5  # times our own hull, for small moves
MANY_VERTICES = 2562  # there the volume is to be faster than coal's hull
TOLERANCE = 1e-12
VOLUMES = ("stp 10 m", "stp 100 m")
# microseconds a query of the library of the paper's authors on another machine: vertices, place,
# moves
REFERENCE = {
    (42, "0.6 m", "small"): 1.58,
    (42, "0.6 m", "large"): 1.77,
    (42, "5 cm", "small"): 6.1,
    (42, "5 cm", "large"): 6.7,
    (2562, "0.6 m", "small"): 1.55,
    (2562, "0.6 m", "large"): 3.50,
    (2562, "5 cm", "small"): 7.6,
    (2562, "5 cm", "large"): 13.0,
}

Cell = dict[str, Any]
Side = dict[str, Any]


def by_name(cell: Cell) -> dict[str, Side]:
    return {side["name"]: side for side in cell["sides"]}


def fastest_coal(sides: dict[str, Side]) -> Side:
    return min(
        (side for name, side in sides.items() if name.startswith("coal")),
        key=lambda side: side["median"],
    )


def rows_of(cell: Cell) -> list[Row]:
    sides = by_name(cell)
    hull, coal = sides["hull"], fastest_coal(sides)
    known = REFERENCE.get((cell["vertices"], cell["place"], cell["moves"]))
    rows = []
    for volume in VOLUMES:
        own, case = (
            sides[volume],
            f"{cell['vertices']} vertices, {cell['place']}, {cell['moves']} moves, R = {volume[4:]}",
        )
        first = volume == VOLUMES[0]
        peers = {"our hull": 1e-3 * hull["median"], "coal": 1e-3 * coal["median"]}
        note = "published: the reference library on another machine" if known and first else ""
        time_row = make_row(
            case,
            "time",
            "us",
            1e-3 * own["median"],
            spread=1e-3 * own["spread"],
            peers=peers,
            published=known if first else None,
            timing=True,
            note=note,
        )
        goal = HULL_GOAL if cell["moves"] == "small" and first else None
        to_hull = make_row(
            case,
            "time / our hull",
            "1",
            own["median"] / hull["median"],
            relation="<=",
            goal=goal,
            timing=True,
        )
        faster = 1.0 if cell["vertices"] == MANY_VERTICES and first else None
        to_coal = make_row(
            case,
            "coal / time",
            "1",
            coal["median"] / own["median"],
            relation=">=",
            goal=faster,
            timing=True,
            note=coal["name"],
        )
        accuracy = make_row(
            case,
            "proved error",
            "m",
            own["error"],
            peers={"our hull": hull["error"], "coal": coal["error"]},
            relation="<=",
            goal=TOLERANCE,
            note="upper - lower; of coal, the difference from our hull",
        )
        failed = make_row(case, "not converged", "1", own["failed"], relation="<=", goal=0)
        supports = make_row(
            case, "support pairs", "1", own["supports"], peers={"our hull": hull["supports"]}
        )
        rows += [time_row, to_hull, to_coal, accuracy, failed, supports]
    return rows


def print_table(cells: Sequence[Cell], rows: Sequence[Row]) -> None:
    print(
        f"{'vertices':>8} {'place':7}{'moves':7}{'side':22}{'median ns':>10}{'mean':>9}{'supports':>9}{'error m':>10}{'failed':>7}{'/ hull':>8}"
    )
    for cell in cells:
        hull = by_name(cell)["hull"]["median"]
        for side in cell["sides"]:
            print(
                f"{cell['vertices']:8} {cell['place']:7}{cell['moves']:7}{side['name']:22}{side['median']:10.0f}{side['mean']:9.0f}"
                f"{side['supports']:9.1f}{side['error']:10.1e}{side['failed']:7}{side['median'] / hull:8.2f}"
            )
    for row in rows:
        if row["holds"] is False:
            print(
                f"missed: {row['case']}: {row['quantity']} {row['ours']:.3g}, goal {row['relation']} {row['goal']:g}"
            )
    met, total = judged(rows)
    print(f"\ngoals met: {met} of {total}")


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="./run compare stp",
        description="STP volumes beside hulls of tactum and coal, in one process",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows")
    parser.add_argument("--quick", action="store_true", help="few steps, at most 10 s")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--program",
        type=Path,
        default=Path("build/compare/bin/tactum_compare_stp"),
        help=argparse.SUPPRESS,
    )
    arguments = parser.parse_args(argv)
    start = time.monotonic()
    command = [
        str(arguments.program),
        "--seed",
        str(arguments.seed),
        *(["--quick"] if arguments.quick else []),
    ]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if output.returncode:
        return output.returncode
    cells = [json.loads(line) for line in output.stdout.splitlines()]
    rows = [row for cell in cells for row in rows_of(cell)]
    print_table(cells, rows)
    if arguments.json:
        source = "STP volumes and hulls of the same points, in one process"
        seconds = time.monotonic() - start
        write_report(
            arguments.json,
            make_report(
                "compare stp",
                source,
                quick=arguments.quick,
                seed=arguments.seed,
                seconds=seconds,
                rows=rows,
            ),
        )
        print(f"wrote {arguments.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
