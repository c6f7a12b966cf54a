#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`./run compare sim-derivative`: runs tactum_compare_sim_derivative and turns its measurements into
a table and rows of JSON.

The derivative of the next position and velocity by position, velocity and forces, beside MuJoCo's
finite differences (mjd_transitionFD, centered, step 1e-6) and beside our own step, on the files of
`./run compare sim`. One thread, in turns in one process. Errors are against extrapolated
differences of each simulator's own step, where these are known to 1e-6.

--judge FILE gives a report that was made before the goals and published figures of today; nothing is
measured.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import compare_sim
from compare_sim import ROOT, Row, judged, make_report, make_row, write_report

PROGRAM = ROOT / "build" / "release" / "bin" / "tactum_compare_sim_derivative"
TOO_LARGE = ("1000 hulls in a bin",)  # its Jacobians have 216 million numbers
QUICK = ("UR5", "humanoid")
# goal 1.0 of our step for UR5 and free bodies, 1.5 elsewhere
AS_CHEAP_AS_A_STEP = ("UR5", "32 boxes", "pile of 64 cubes", "100 hulls in a bin")
FEW_DIFFERENCES = ("UR5", "half-cheetah")  # goal 10 times faster than differences, 20 elsewhere

TAPE = "step with tape over our step"
JACOBIAN = "Jacobian over our step"
DIFFERENCES = "MuJoCo's differences over our Jacobian"
DIFFERENCES_OVER_ALL = "MuJoCo's differences over our step with tape and Jacobian"
PRODUCT = "vjp over the Jacobian"
MEDIAN, MOST = "median error of a column", "error of 9 columns of 10"
FIXED = ("case", "quantity", "unit", "ours")  # of a row, whatever its goal is

# by the authors of the method, on one core of an Apple M3, in us: their step, their d v+ / d(q, v,
# tau), and MuJoCo's differences there; contact patches of four points, numbers of contacts not given
PUBLISHED = {
    "half-cheetah": (15.8, 14.7, 340.0),
    "humanoid": (42.6, 47.9, 2900.0),
    "UR5": (12.3, 4.1, 390.0),
}


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


def goal_of(name: str, quantity: str, theirs: float | None = None) -> dict[str, Any]:
    """Goal and published figure of a row: fields of it. `theirs` is the error of MuJoCo."""
    found: dict[str, Any] = {"published": None, "relation": None, "goal": None}
    published = PUBLISHED.get(name)
    if quantity == JACOBIAN:
        found |= {"relation": "<=", "goal": 1.0 if name in AS_CHEAP_AS_A_STEP else 1.5}
        found["published"] = published and published[1] / published[0]
    elif quantity == DIFFERENCES:
        found |= {"relation": ">=", "goal": 10.0 if name in FEW_DIFFERENCES else 20.0}
        found["published"] = published and published[2] / published[1]
    elif quantity == PRODUCT:
        found |= {"relation": "<=", "goal": 0.7}
    elif quantity in (MEDIAN, MOST):
        found |= {"relation": "<=", "goal": theirs}
    return found


def rows_of(cell: dict[str, Any]) -> list[Row]:
    """Ratios to our step, to differences and to the Jacobian; and the errors."""
    ours, theirs = cell["sides"]
    case, name = f"{cell['name']}, {cell['phase']}", cell["name"]
    calls = ours["calls"]
    step, taped, jacobian, vjp = (
        calls[call] for call in ("step", "step with tape", "jacobian", "vjp")
    )
    differences = theirs["calls"]["jacobian"]
    note = (
        f"nv {cell['nv']}; step {step[0]:.1f} us with {ours['contacts']:g} contacts, with tape "
        f"{taped[0]:.1f} us, Jacobian {jacobian[0]:.1f} us, vjp {vjp[0]:.1f} us; MuJoCo's step "
        f"{theirs['calls']['step'][0]:.1f} us with {theirs['contacts']:g} contacts, differences "
        f"{differences[0]:.1f} us"
    )
    both = [taped[k] + jacobian[k] for k in range(3)]

    def ratio(quantity: str, over: float, under: list[float]) -> Row:
        is_gain = quantity in (DIFFERENCES, DIFFERENCES_OVER_ALL)
        spread = over * abs(1.0 / under[1] - 1.0 / under[2]) if is_gain else None
        more = goal_of(name, quantity) | {"spread": spread, "timing": True, "note": note}
        return make_row(case, quantity, "1", over / under[0], **more)

    rows = [
        ratio(TAPE, taped[0], step),
        ratio(JACOBIAN, jacobian[0], step),
        ratio(DIFFERENCES, differences[0], jacobian),
        ratio(DIFFERENCES_OVER_ALL, differences[0], both),
        ratio(PRODUCT, vjp[0], jacobian),
    ]
    if ours["known"] > 0 and theirs["known"] > 0:
        note = (
            f"{ours['known']} and {theirs['known']} columns; {ours['smooth']} of "
            f"{ours['states']} states are smooth"
        )
        for k, quantity in enumerate((MEDIAN, MOST)):
            peer = theirs["error"][k]
            more = goal_of(name, quantity, peer) | {"peers": {"mujoco": peer}, "note": note}
            rows.append(make_row(case, quantity, "1", ours["error"][k], **more))
    return rows


def judged_again(rows: Sequence[Row]) -> list[Row]:
    """Rows of an earlier run by the goals and published figures of today."""
    again = []
    for row in rows:
        fields = {name: value for name, value in row.items() if name not in ("holds", *FIXED)}
        name = row["case"].rsplit(", ", 1)[0]
        fields |= goal_of(name, row["quantity"], row["peers"].get("mujoco"))
        again.append(make_row(*(row[field] for field in FIXED), **fields))
    return again


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
    parser.add_argument("--judge", type=Path, metavar="FILE", help="judge an earlier report again")
    parser.add_argument("--program", type=Path, default=PROGRAM, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.judge is not None:
        report = json.loads(arguments.judge.read_text(encoding="utf-8"))
        report["rows"] = judged_again(report["rows"])
        write_report(arguments.judge, report)
        print("{} of {} goals hold".format(*judged(report["rows"])))
        return 0
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
