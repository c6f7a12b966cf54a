#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs tactum_compare and turns what it measured into a table, rows of JSON, and a picture for each
family of shapes.

A row is one number. The time rows hold nanoseconds of every library; the ratio rows divide coal's
best by ours and have the goals.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

# the package may not be built where this runs: the file itself needs the standard library alone
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tactum" / "reproduce"))
import compare_derivative
from report import Row, make_report, make_row, write_report

# with -1 cm in the middle of contact and +1 cm in the middle of the way there
COUNTED = re.compile(
    r"^(box-box|ellipsoid-ellipsoid|hull12-hull12|hull100-hull100|hull1000-hull1000) [+-]0\.01 m$"
)
ROUND_KINDS = {"sphere", "capsule"}
HULLS_APART = {"hull1000": 4.0, "hull4000": 7.0}
HULLS_DEEP = {"hull12": 4.0, "hull100": 5.0, "hull1000": 6.0, "hull4000": 8.0}
TOLERANCE = 1e-10
TWO_THREADS = "tactum, 2 threads"

Cell = dict[str, Any]


def ratio_goal(cell: Cell) -> float | None:
    """The factor by which the cell is meant to be faster than coal."""
    first, second = cell["family"].split("-")
    if cell["task"] == "collide":
        return 20.0 if first == second == "hull4000" and cell["gap"] == 1.0 else None
    if cell["task"] == "batch":
        return 4.0 if first == "hull12" else None
    if cell["task"] == "tracked":
        return 30.0 if first == "hull1000" and cell["gap"] < 0 else None
    if {first, second} <= ROUND_KINDS:
        return 1.0
    if cell["gap"] > 0:
        if first != second:
            return 3.0
        return 4.0 if first == "ellipsoid" else HULLS_APART.get(first, 3.0)
    if first != second:
        return None
    return {"box": 12.0, "ellipsoid": 20.0, **HULLS_DEEP}.get(first)


def mean_ratio_goal(cell: Cell) -> float | None:
    return 10.0 if cell["family"] == "hull1000-hull1000" and cell["gap"] < 0 else None


def thread_ratio_goal(cell: Cell) -> float | None:
    return 1.8 if cell["family"] == "hull12-hull12" else None


def rows_of(cell: Cell) -> list[Row]:
    case = cell["case"]
    columns = {column["library"]: column for column in cell["columns"]}
    ours, coal = columns["tactum"], columns["coal"]
    peers = {name: column for name, column in columns.items() if not name.startswith("tactum")}

    def values(field: str) -> dict[str, float]:
        return {name: column[field] for name, column in peers.items()}

    note = f"coal: {coal['setting']}"
    ratio = coal["median"] / ours["median"]
    rows = [
        make_row(
            case,
            "time",
            "ns",
            ours["median"],
            spread=ours["spread"],
            peers=values("median"),
            timing=True,
            note=note,
        ),
        make_row(
            case,
            "ratio",
            "1",
            ratio,
            relation=">=",
            goal=ratio_goal(cell),
            timing=True,
            note="coal / tactum",
        ),
    ]
    if cell["task"] == "tracked":
        mean_ratio = coal["mean"] / ours["mean"]
        rows += [
            make_row(
                case, "mean time", "ns", ours["mean"], peers=values("mean"), timing=True, note=note
            ),
            make_row(
                case,
                "mean ratio",
                "1",
                mean_ratio,
                relation=">=",
                goal=mean_ratio_goal(cell),
                timing=True,
                note="coal / tactum",
            ),
        ]
    if TWO_THREADS in columns:
        both = columns[TWO_THREADS]["median"]
        gain = ours["median"] / both
        goal = thread_ratio_goal(cell)
        rows.append(make_row(case, "time on two threads", "ns", both, timing=True))
        rows.append(
            make_row(
                case,
                "thread ratio",
                "1",
                gain,
                relation=">=",
                goal=goal,
                timing=True,
                note="one thread / two",
            )
        )
    if cell["task"] != "collide":
        note = "largest, relative to the scale of the pair; failures not counted"
        limits = {"relation": "<=", "goal": TOLERANCE}
        rows.append(
            make_row(
                case,
                "distance error",
                "1",
                ours["distance_error"],
                peers=values("distance_error"),
                note=note,
                **limits,
            )
        )
        note = "99th percentile; failures not counted"
        rows.append(
            make_row(
                case,
                "normal error",
                "degree",
                ours["normal_error"],
                peers=values("normal_error"),
                note=note,
            )
        )
    note = f"of {cell['queries']}"
    rows.append(
        make_row(
            case,
            "failures",
            "1",
            ours["failures"],
            peers=values("failures"),
            note=note,
            relation="<=",
            goal=0,
        )
    )
    return rows


# ------------------------------------------------------------------------------------- instructions
def count_instructions(program: Path, cell: Cell, library: str, seed: int) -> float:
    """Instructions of one query: the difference of two runs, so that making shapes and poses
    does not count."""
    setting = next(column["setting"] for column in cell["columns"] if column["library"] == library)
    command = [
        str(program),
        "--count",
        library,
        "--setting",
        setting,
        "--cell",
        cell["case"],
        "--seed",
        str(seed),
    ]
    rounds = (1, 3)
    totals = []
    queries = 1
    for count in rounds:
        valgrind = [
            "valgrind",
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            *command,
            "--rounds",
            str(count),
        ]
        result = subprocess.run(valgrind, capture_output=True, text=True, check=True)
        found = re.search(r"Collected : (\d+)", result.stderr)
        if found is None:
            raise RuntimeError(f"callgrind said no count for {cell['case']}")
        totals.append(int(found.group(1)))
        queries = json.loads(result.stdout)["queries"]
    return (totals[1] - totals[0]) / ((rounds[1] - rounds[0]) * queries)


def instruction_rows(program: Path, cells: Sequence[Cell], seed: int) -> list[Row]:
    rows = []
    counted = [cell for cell in cells if COUNTED.match(cell["case"])]
    for index, cell in enumerate(counted):
        print(
            f"\r[{index + 1}/{len(counted)}] counting instructions: {cell['case']:40}",
            end="",
            file=sys.stderr,
            flush=True,
        )
        ours, coal = (
            count_instructions(program, cell, library, seed) for library in ("tactum", "coal")
        )
        note = "callgrind, which runs no AVX-512"
        rows.append(
            make_row(cell["case"], "instructions", "1", ours, peers={"coal": coal}, note=note)
        )
        rows.append(
            make_row(cell["case"], "instruction ratio", "1", coal / ours, note="coal / tactum")
        )
    print(f"\r{'':70}\r", end="", file=sys.stderr)
    return rows


# -------------------------------------------------------------------------------------------- table
def number(value: float | None, form: str = ".0f") -> str:
    return "-" if value is None else format(value, form)


def print_table(cells: Iterable[Cell], rows: Sequence[Row]) -> None:
    index = {(row["case"], row["quantity"]): row for row in rows}
    print(
        f"{'':50}{'median ns a query':^36}{'coal / tactum':^22}{'distance error':^18}{'normal error':^18}{'failures':^16}"
    )
    print(f"{'case':50}{'tactum':>9}{'coal':>9}{'fcl':>9}{'bullet':>9}{'ratio':>8}{'goal':>6}{'instr.':>8}"
          f"{'tactum':>9}{'coal':>9}{'tactum':>9}{'coal':>9}   tactum coal fcl bullet")  # fmt: skip
    for cell in cells:
        case = cell["case"]
        for quantity, ratio_name in (
            ("time", "ratio"),
            ("mean time", "mean ratio"),
            ("time on two threads", "thread ratio"),
        ):
            if (case, quantity) not in index:
                continue
            timing, ratio = index[case, quantity], index[case, ratio_name]
            name = case + {"time": "", "mean time": ", mean"}.get(quantity, ", 1 / 2 threads")
            mark = {True: " ", False: "<", None: " "}[ratio["holds"]]
            line = f"{name:50}{timing['ours']:9.0f}"
            line += "".join(
                f"{number(timing['peers'].get(peer)):>9}" for peer in ("coal", "fcl", "bullet")
            )
            counted = (
                index.get((case, "instruction ratio"), {}).get("ours")
                if quantity == "time"
                else None
            )
            line += f"{ratio['ours']:8.2f}{mark}{number(ratio['goal'], 'g'):>5}{number(counted, '.2f'):>8}"
            for error in ("distance error", "normal error"):
                row = index.get((case, error))
                line += "".join(
                    f"{number(value, '.0e'):>9}"
                    for value in ((row["ours"], row["peers"]["coal"]) if row else (None, None))
                )
            failures = index[case, "failures"]
            counts = [
                failures["ours"],
                *(failures["peers"].get(peer) for peer in ("coal", "fcl", "bullet")),
            ]
            print(f"{line}   {'/'.join(number(count) for count in counts)}")


def print_summary(rows: Sequence[Row]) -> None:
    ratios = [row for row in rows if row["quantity"] == "ratio"]
    print(f"\nfaster than coal in {sum(row['ours'] >= 1 for row in ratios)} of {len(ratios)} cells")
    for name, timing in (("speed", True), ("accuracy", False)):
        judged = [
            row["holds"] for row in rows if row["timing"] == timing and row["holds"] is not None
        ]
        print(f"goals of {name} met: {sum(judged)} of {len(judged)}")
    print(
        "'<' marks a ratio below its goal; errors of distance are relative to the scale of the pair, of normals in degrees"
    )


# ----------------------------------------------------------------------------------------- pictures
def plot_families(cells: Sequence[Cell], file: Path) -> list[Path]:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    written = []
    for family in dict.fromkeys(cell["family"] for cell in cells):
        own = [cell for cell in cells if cell["family"] == family and cell["task"] == "distance"]
        if not own:
            continue
        kinds = [
            poses for poses in ("approach", "offset") if any(cell["poses"] == poses for cell in own)
        ]
        figure, axes = plt.subplots(
            1, len(kinds), figsize=(5.5 * len(kinds), 4), sharey=True, squeeze=False
        )
        for axis, poses in zip(axes[0], kinds, strict=True):
            chosen = [cell for cell in own if cell["poses"] == poses]
            for library, marker in (("tactum", "o"), ("coal", "s"), ("fcl", "^"), ("bullet", "v")):
                points = [
                    (place, column)
                    for place, cell in enumerate(chosen)
                    for column in cell["columns"]
                    if column["library"] == library
                ]
                if points:
                    label = (
                        library
                        if library == "tactum"
                        else f"{library}" + (", best setting" if library == "coal" else "")
                    )
                    axis.plot(
                        [place for place, _ in points],
                        [column["median"] for _, column in points],
                        marker=marker,
                        label=label,
                    )
            axis.set_xticks(range(len(chosen)), [f"{cell['gap']:+g}" for cell in chosen])
            axis.set_yscale("log")
            axis.set_xlabel("signed distance [m]")
            axis.set_title(f"{family}, {poses} poses")
            axis.grid(True, which="both", alpha=0.3)
        axes[0][0].set_ylabel("time of a query [ns]")
        axes[0][0].legend()
        path = file.with_name(f"{file.stem}-{family}{file.suffix or '.png'}")
        figure.tight_layout()
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110)
        plt.close(figure)
        written.append(path)
    return written


# --------------------------------------------------------------------------------------------- main
def measure(program: Path, arguments: argparse.Namespace) -> list[Cell]:
    command = [
        str(program),
        "--group",
        arguments.group,
        "--filter",
        arguments.filter,
        "--seed",
        str(arguments.seed),
    ]
    if arguments.quick:
        command.append("--quick")
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if output.returncode:
        raise SystemExit(output.returncode)
    return [json.loads(line) for line in output.stdout.splitlines()]


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./run compare", description="tactum beside coal, FCL and Bullet in one process"
    )
    parser.add_argument(
        "group",
        nargs="?",
        default="narrow",
        choices=["narrow", "derivative"],
        help="what to compare",
    )
    parser.add_argument(
        "filter",
        nargs="?",
        default=".*",
        help="regular expression: only cells whose name has a match",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows")
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help="write a picture for each family: FILE's name, a dash, the family",
    )
    parser.add_argument("--quick", action="store_true", help="few poses, at most 10 s")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--instructions",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="count the instructions of a few cells with callgrind (default: when it is installed, but not with --quick)",
    )
    parser.add_argument(
        "--program",
        type=Path,
        default=Path("build/compare/bin/tactum_compare"),
        help=argparse.SUPPRESS,
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    arguments = parse(argv)
    counts = arguments.instructions
    if counts is None:
        counts = (
            arguments.group == "narrow"
            and not arguments.quick
            and shutil.which("valgrind") is not None
        )
    start = time.monotonic()
    cells = measure(arguments.program, arguments)
    if arguments.group == "derivative":
        rows = [row for cell in cells for row in compare_derivative.rows_of(cell)]
        compare_derivative.print_table(cells, rows)
        compare_derivative.print_summary(rows)
    else:
        rows = [row for cell in cells for row in rows_of(cell)]
        if counts:
            rows += instruction_rows(arguments.program, cells, arguments.seed)
        print_table(cells, rows)
        print_summary(rows)
    if arguments.json:
        source = "tactum and its peers on the same shapes and poses, in one process"
        seconds = time.monotonic() - start
        name = f"compare {arguments.group}"
        report = make_report(
            name, source, quick=arguments.quick, seed=arguments.seed, seconds=seconds, rows=rows
        )
        write_report(arguments.json, report)
        print(f"wrote {arguments.json}")
    if arguments.plot:
        for path in plot_families(cells, arguments.plot):
            print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
