#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`./run compare sim-derivative`: runs tactum_compare_sim_derivative and turns its measurements into
a table and rows of JSON.

The derivative of the next position and velocity by position, velocity and forces, beside MuJoCo's
finite differences (mjd_transitionFD, centered, step 1e-6) and beside our own step, on the files of
`./run compare sim`. One thread, in turns in one process. Errors are against extrapolated
differences of each simulator's own step, where these are known to 1e-6.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import compare_sim
from compare_sim import ROOT, Row, judged, make_report, make_row, write_report

PROGRAM = ROOT / "build" / "release" / "bin" / "tactum_compare_sim_derivative"
TOO_LARGE = ("1000 hulls in a bin",)  # its Jacobians have 216 million numbers
QUICK = ("UR5", "humanoid")
AS_CHEAP_AS_A_STEP = ("UR5", "32 boxes")  # goal 1.0 of our step, 1.5 elsewhere
FEW_DIFFERENCES = ("UR5", "half-cheetah")  # goal 10 times faster than differences, 20 elsewhere


def measure(
    name: str, path: Path, program: Path, arguments: argparse.Namespace
) -> list[dict[str, Any]]:
    """Both phases of one file."""
    command = [str(program), "--seconds", str(arguments.seconds), "--dt", str(arguments.dt)]
    command += ["--states", str(arguments.states), f"{name}={path}"]
    # MuJoCo writes a log where it runs
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=compare_sim.FILES
    )
    if done.returncode != 0:
        print(f"{name}: left out: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return []
    return [json.loads(line) for line in done.stdout.splitlines()]


def rows_of(cell: dict[str, Any]) -> list[Row]:
    """Ratios to our step, to differences and to the Jacobian; and the errors."""
    ours, theirs = cell["sides"]
    case = f"{cell['name']}, {cell['phase']}"
    step, jacobian, vjp = (ours["calls"][call] for call in ("step", "jacobian", "vjp"))
    differences = theirs["calls"]["jacobian"]
    note = (
        f"nv {cell['nv']}; step {step[0]:.1f} us with {ours['contacts']:g} contacts, Jacobian "
        f"{jacobian[0]:.1f} us, vjp {vjp[0]:.1f} us; MuJoCo's step {theirs['calls']['step'][0]:.1f} us "
        f"with {theirs['contacts']:g} contacts, differences {differences[0]:.1f} us"
    )

    def ratio(quantity: str, over: float, under: list[float], relation: str, goal: float) -> Row:
        spread = over * abs(1.0 / under[1] - 1.0 / under[2]) if relation == ">=" else None
        value = over / under[0]
        return make_row(
            case,
            quantity,
            "1",
            value,
            spread=spread,
            relation=relation,
            goal=goal,
            timing=True,
            note=note,
        )

    name = cell["name"]
    rows = [
        ratio(
            "Jacobian over our step",
            jacobian[0],
            step,
            "<=",
            1.0 if name in AS_CHEAP_AS_A_STEP else 1.5,
        ),
        ratio(
            "MuJoCo's differences over our Jacobian",
            differences[0],
            jacobian,
            ">=",
            10.0 if name in FEW_DIFFERENCES else 20.0,
        ),
        ratio("vjp over the Jacobian", vjp[0], jacobian, "<=", 0.7),
    ]
    if ours["known"] > 0 and theirs["known"] > 0:
        rows.append(
            make_row(
                case,
                "median error of a column",
                "1",
                ours["error"][0],
                peers={"mujoco": theirs["error"][0]},
                relation="<=",
                goal=theirs["error"][0],
                note=(
                    f"9 of 10 at most {ours['error'][1]:.1e}, MuJoCo {theirs['error'][1]:.1e}; "
                    f"{ours['known']} and {theirs['known']} columns; {ours['smooth']} of "
                    f"{ours['states']} states are smooth"
                ),
            )
        )
    return rows


def print_cell(cell: dict[str, Any]) -> None:
    ours, theirs = cell["sides"]
    step, jacobian, vjp = (ours["calls"][call][0] for call in ("step", "jacobian", "vjp"))
    differences = theirs["calls"]["jacobian"][0]
    errors = [f"{side['error'][0]:.0e}" if side["known"] else "" for side in (ours, theirs)]
    print(
        f"{cell['name']:<22}{cell['phase']:<7}{cell['nv']:>4}{ours['contacts']:>5g}{step:>10.1f}"
        f"{jacobian:>10.1f}{jacobian / step:>7.2f}{vjp / jacobian:>7.2f}{differences:>12.1f}"
        f"{differences / jacobian:>7.1f}{errors[0]:>8}{errors[1]:>8}"
        f"{ours['smooth']:>5} of {ours['states']}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run compare sim-derivative", description=__doc__)
    parser.add_argument("filter", nargs="?", default="", help="regular expression over the cases")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each phase")
    parser.add_argument("--dt", type=float, default=2e-3)
    parser.add_argument("--states", type=int, default=10, help="of each phase")
    parser.add_argument("--quick", action="store_true", help="two cases, few states")
    parser.add_argument("--program", type=Path, default=PROGRAM, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.seconds, arguments.states = 0.2, 3
    names = [
        name
        for name in (QUICK if arguments.quick else compare_sim.CASES)
        if name not in TOO_LARGE and re.search(arguments.filter, name)
    ]
    began = time.monotonic()
    rows: list[Row] = []
    print(
        f"{'case':<22}{'phase':<7}{'nv':>4}{'cont':>5}{'step us':>10}{'Jacobian':>10}{'/step':>7}"
        f"{'vjp/J':>7}{'MuJoCo FD':>12}{'FD/J':>7}{'error':>8}{'MuJoCo':>8}  smooth"
    )
    for name, path in compare_sim.make_files(names).items():
        for cell in measure(name, path, arguments.program, arguments):
            print_cell(cell)
            rows += rows_of(cell)
    if arguments.json is not None:
        report = make_report(
            "compare sim-derivative",
            "MuJoCo",
            quick=arguments.quick,
            seed=0,
            seconds=time.monotonic() - began,
            rows=rows,
        )
        write_report(arguments.json, report)
    held, goals = judged(rows)
    print(f"{held} of {goals} goals hold")
    return 0


if __name__ == "__main__":
    sys.exit(main())
