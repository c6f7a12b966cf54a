# SPDX-License-Identifier: BSD-2-Clause
"""`./run compare solver`: contact forces by tactum, Pinocchio, MuJoCo and Clarabel on the same problems, in one process.

Problems are those of python/tactum/data/contact_problems.npz (tools/make_contact_problems.py). Every residual, of every library, is computed
by tactum.contact_residual from the force that the library returned.

Pinocchio   its PGS and ADMM solvers, from the Delassus matrix, which is not part of its time; ADMM with a dense and with a sparse one, the
            faster counts. The time is that of its own clock inside solve(), of the fewest iterations that reach the residual.
Clarabel    the cone complementarity problem as a conic program in forces and motions; its own clock, set-up included.
MuJoCo      the same scenes with MuJoCo's own regularization and stabilization, which make a cone complementarity problem of another G + R and
            g: tactum solves that very problem, to the residual that MuJoCo's solver reached.
tactum      stops by itself at the tolerance. Nothing is started warm. Times alternate, the least of several rounds counts.
as printed  the survey's algorithm of the name of our solver (solve(as_printed=True)), from the matrix G, which is made before. It stops
            where its residual is at most 0.999 of the one asked for, as ours does, and is given as long as Pinocchio's solver is.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tactum" / "reproduce"))
from make_contact_problems import TARGET, Problem, unpack
from report import Row, judged, make_report, make_row, number, write_report
from solver_peers import (
    MujocoScene,
    Run,
    Solver,
    clarabel_run,
    curve,
    ours,
    pinocchio_solvers,
    to_residual,
)

RELATIVE_RESIDUAL = 1e-6  # of the largest force
RATIO_GOAL = 2.0  # against Pinocchio's solver of the same kind
TIME_LIMIT = 0.5  # s: a solver that has not arrived by then does not
QUICK_SETS = ("stack 10", "mass ratio 1000", "quadruped", "humanoid")
KINDS = {"PGS": "ncp_pgs", "ADMM": "ncp_admm"}
CCP_SOLVERS = ("ccp_newton", "ccp_admm")


@dataclass
class Cell:
    """All that is measured on one problem."""

    case: str
    rows: list[Row] = field(default_factory=list)
    curves: dict[str, list[Run]] = field(default_factory=dict)


def alternate(works: Mapping[str, Callable[[], Run]], rounds: int) -> dict[str, Run]:
    """The fastest of several rounds, in each of which everyone has a turn."""
    best: dict[str, Run] = {}
    for _ in range(rounds):
        for name, work in works.items():
            run = work()
            if name not in best or run.seconds < best[name].seconds:
                best[name] = run
    return best


def kind_rows(
    case: str,
    kind: str,
    own: Callable[..., Run],
    peers: Mapping[str, Solver],
    target: float,
    quick: bool,
) -> list[Row]:
    """Our solver of a kind against Pinocchio's: times to the residual, or residuals at the same time."""
    limit = TIME_LIMIT / 10 if quick else TIME_LIMIT
    rounds = 3 if quick else 5
    cap = 1 << 22
    mine: Run | None = own(cap, 0.999 * target) if _arrives(own, target, limit) else None
    # long enough to say whether the goal is met
    limit = max(limit, 1.1 * RATIO_GOAL * mine.seconds) if mine is not None else limit
    reached = {
        name: run
        for name, solver in peers.items()
        if (run := to_residual(solver, target, limit)) is not None
    }
    works: dict[str, Callable[[], Run]] = {
        name: (lambda n=name, r=run: peers[n](r.iterations)) for name, run in reached.items()
    }
    if mine is not None:
        works["tactum"] = lambda: own(cap, 0.999 * target)
    best = alternate(works, rounds)
    times = {name: run.seconds for name, run in best.items() if name != "tactum"}
    peer_time = min(times.values(), default=None)
    note = "least of several rounds" + (
        "" if reached else f"; Pinocchio does not arrive in {limit:g} s"
    )
    peer_names = {f"pinocchio {name}": 1e6 * seconds for name, seconds in times.items()}
    rows = []
    if mine is not None:
        ours_us = 1e6 * best["tactum"].seconds
        rows.append(
            make_row(case, f"{kind} time", "us", ours_us, peers=peer_names, timing=True, note=note)
        )
        # a peer that does not arrive is at least as slow as the time it was given
        ratio = (limit if peer_time is None else peer_time) / best["tactum"].seconds
        note = "Pinocchio / tactum, to the residual" + (
            "" if reached else "; at least: Pinocchio does not arrive"
        )
        rows.append(
            make_row(
                case,
                f"{kind} ratio",
                "1",
                ratio,
                relation=">=",
                goal=RATIO_GOAL,
                timing=True,
                note=note,
            )
        )
        return rows
    rows.append(
        make_row(
            case,
            f"{kind} time",
            "us",
            None,
            peers=peer_names,
            timing=True,
            note="tactum does not arrive",
        )
    )
    if reached:
        rows.append(
            make_row(
                case,
                f"{kind} ratio",
                "1",
                0.0,
                relation=">=",
                goal=RATIO_GOAL,
                timing=True,
                note="tactum does not arrive",
            )
        )
        return rows
    peer_best = min(
        (_at_time(solver, limit) for solver in peers.values()), key=lambda run: run.residual
    )
    own_best = _at_time(lambda n: own(n), limit)
    note = f"Pinocchio / tactum after {limit:g} s, which neither needs less than"
    ratio = peer_best.residual / own_best.residual
    rows.append(
        make_row(
            case,
            f"{kind} residual ratio",
            "1",
            ratio,
            relation=">=",
            goal=1.0,
            timing=True,
            note=note,
        )
    )
    return rows


def printed_rows(
    case: str,
    kind: str,
    printed: Callable[..., Run],
    peers: Mapping[str, Solver],
    target: float,
    quick: bool,
) -> list[Row]:
    """The survey's algorithm as it is printed, beside Pinocchio's solver of the same kind; no goal."""
    limit = TIME_LIMIT / 10 if quick else TIME_LIMIT
    quantity = f"{kind} time as printed"
    if not _arrives(printed, target, limit):
        note = f"does not arrive in {limit:g} s"
        return [make_row(case, quantity, "us", None, timing=True, note=note)]
    works: dict[str, Callable[[], Run]] = {
        name: (lambda n=name, r=run: peers[n](r.iterations))
        for name, solver in peers.items()
        if (run := to_residual(solver, target, limit)) is not None
    }
    works["printed"] = lambda: printed(1 << 22, 0.999 * target)
    best = alternate(works, 3 if quick else 5)
    times = {f"pinocchio {n}": 1e6 * run.seconds for n, run in best.items() if n != "printed"}
    ours_us = 1e6 * best["printed"].seconds
    note = "least of several rounds"
    return [make_row(case, quantity, "us", ours_us, peers=times, timing=True, note=note)]


def _arrives(own: Callable[..., Run], target: float, limit: float) -> bool:
    """Whether our solver reaches the residual, without letting it run for ever."""
    iterations = 64
    while True:
        run = own(iterations, 0.999 * target)
        if run.residual <= target:
            return True
        if run.seconds > limit or iterations > 1 << 22:
            return False
        iterations *= 4


def _at_time(solver: Solver, limit: float) -> Run:
    """What a solver has after so many seconds."""
    run = solver(8)
    while run.seconds < 0.7 * limit and run.iterations < 1 << 22:
        run = solver(
            max(
                run.iterations + 1,
                int(run.iterations * min(8.0, 0.95 * limit / max(run.seconds, 1e-9))),
            )
        )
    return run


def mujoco_rows(tactum: Any, case: str, problem: Problem, quick: bool) -> list[Row]:
    """Our best solver of MuJoCo's problem at the residual that its Newton solver reaches."""
    view = MujocoScene(tactum, problem)
    peers = {name: view.solver(name) for name in view.SOLVERS}
    first = peers["Newton"]()
    target = max(first.residual, 1e-12)
    own = {name: ours(tactum, view.problem, name, "ccp") for name in CCP_SOLVERS}
    works: dict[str, Callable[[], Run]] = {f"mujoco {name}": work for name, work in peers.items()}
    for name, solver in own.items():
        if solver(20000, target).residual <= target:
            works[name] = lambda s=solver: s(20000, target)
    best = alternate(works, 3 if quick else 9)
    arrived = [name for name in own if name in best]
    note = f"; residual {number(target)}, as MuJoCo's Newton"
    if not arrived:
        return [
            make_row(
                case,
                "MuJoCo ratio",
                "1",
                0.0,
                relation=">=",
                goal=1.0,
                timing=True,
                note="tactum does not arrive" + note,
            )
        ]
    winner = min(arrived, key=lambda name: best[name].seconds)
    times = {name: 1e6 * run.seconds for name, run in best.items() if name.startswith("mujoco")}
    residuals = {name: run.residual for name, run in best.items() if name.startswith("mujoco")}
    ratio = best["mujoco Newton"].seconds / best[winner].seconds
    return [
        make_row(
            case,
            "MuJoCo's problem: time",
            "us",
            1e6 * best[winner].seconds,
            peers=times,
            timing=True,
            note=winner + note,
        ),
        make_row(
            case,
            "MuJoCo's problem: residual",
            "1",
            best[winner].residual,
            peers=residuals,
            timing=True,
            note=winner,
        ),
        make_row(
            case,
            "MuJoCo ratio",
            "1",
            ratio,
            relation=">=",
            goal=1.0,
            timing=True,
            note=f"MuJoCo's Newton / {winner}",
        ),
    ]


def clarabel_rows(
    tactum: Any, case: str, problem: Problem, own: Any, target: float, quick: bool
) -> list[Row]:
    """The cone complementarity problem by an interior point method."""

    def judge(force: np.ndarray) -> float:
        return tactum.contact_residual(own, force, model="ccp")

    tolerance = next(
        (
            t
            for t in (1e-6, 1e-8, 1e-10, 1e-12)
            if clarabel_run(problem, judge, t).residual <= target
        ),
        None,
    )
    works: dict[str, Callable[[], Run]] = {}
    if tolerance is not None:
        works["clarabel"] = lambda: clarabel_run(problem, judge, tolerance)
    for name in CCP_SOLVERS:
        solver = ours(tactum, own, name, "ccp")
        if solver(20000, 0.999 * target).residual <= target:
            works[name] = lambda s=solver: s(20000, 0.999 * target)
    best = alternate(works, 2 if quick else 5)
    arrived = [name for name in CCP_SOLVERS if name in best]
    if not arrived:
        return [make_row(case, "CCP time", "us", None, timing=True, note="tactum does not arrive")]
    winner = min(arrived, key=lambda name: best[name].seconds)
    peers = {"clarabel": 1e6 * best["clarabel"].seconds} if "clarabel" in best else {}
    rows = [
        make_row(
            case,
            "CCP time",
            "us",
            1e6 * best[winner].seconds,
            peers=peers,
            timing=True,
            note=winner,
        )
    ]
    if peers:
        ratio = best["clarabel"].seconds / best[winner].seconds
        rows.append(
            make_row(
                case,
                "CCP ratio",
                "1",
                ratio,
                relation=">=",
                goal=1.0,
                timing=True,
                note=f"Clarabel / {winner}",
            )
        )
    return rows


def derivative_rows(case: str, own: Any, target: float, quick: bool) -> list[Row]:
    from tactum.reproduce._timing import time_solution_derivatives, time_solves

    rounds = 2 if quick else 5
    solve = derivative = float("inf")
    for _ in range(rounds):
        times, solution = time_solves(own, "ncp_admm", tolerance=target, max_iterations=20000)
        solve = min(solve, float(times.min()))
        derivative = min(derivative, float(time_solution_derivatives(own, solution).min()))
    note = "solution_derivative and one vector-Jacobian product / cold ncp_admm to the residual"
    return [
        make_row(case, "derivative time", "us", 1e-3 * derivative, timing=True),
        make_row(
            case,
            "derivative share",
            "1",
            derivative / solve,
            relation="<=",
            goal=1.0,
            timing=True,
            note=note,
        ),
    ]


def measure(case: str, problem: Problem, *, quick: bool, peers: bool, curves: bool) -> Cell:
    import tactum

    cell = Cell(case)
    factor = np.linalg.cholesky(problem.M)
    own = tactum.ContactProblem.from_operator(
        J=problem.J, factor=factor, g=problem.g, mu=problem.mu
    )
    W = np.linalg.solve(factor, problem.J.T)
    G = W.T @ W
    G[np.abs(G) < 1e-14 * G.max()] = 0.0
    dense = tactum.ContactProblem(G=0.5 * (G + G.T), g=problem.g, mu=problem.mu)
    reference = tactum.solve(own, "ncp_admm", tolerance=1e-10, max_iterations=20000)
    target = RELATIVE_RESIDUAL * float(np.abs(reference.force).max())

    def judge(force: np.ndarray) -> float:
        return tactum.contact_residual(own, force, model="ncp")

    cell.rows.append(make_row(case, "contacts", "1", len(problem.mu)))
    theirs = pinocchio_solvers(problem, G, judge) if peers else {}
    for kind, name in KINDS.items():
        forms = {
            form: ours(tactum, p, name, "ncp") for form, p in (("operator", own), ("dense", dense))
        }
        same = {label: solver for label, solver in theirs.items() if label.startswith(kind)}
        trial = {form: solver(200, 0.999 * target).seconds for form, solver in forms.items()}
        form = min(trial, key=lambda f: trial[f])
        rows = kind_rows(case, kind, forms[form], same, target, quick)
        for row in rows:
            row["note"] += f"; tactum from {'J and a factor of M' if form == 'operator' else 'G'}"
        cell.rows += rows
        printed = ours(tactum, dense, name, "ncp", as_printed=True)
        cell.rows += printed_rows(case, kind, printed, same, target, quick)
        if curves:
            cell.curves[f"tactum {name}"] = curve(lambda n, s=forms[form]: s(n), 0.5, target)
            for label, solver in same.items():
                cell.curves[f"pinocchio {label}"] = curve(solver, 0.5, target)
    if peers:
        cell.rows += clarabel_rows(tactum, case, problem, own, target, quick)
        if problem.mjcf:
            cell.rows += mujoco_rows(tactum, case, problem, quick)
    cell.rows += derivative_rows(case, own, target, quick)
    return cell


# ---------------------------------------------------------------------------------------- reporting
def print_table(cells: Sequence[Cell]) -> None:
    print(
        f"{'case':18}{'quantity':28}{'tactum':>11}  {'unit':5}{'goal':>8}    peers, and what was measured"
    )
    for cell in cells:
        for row in cell.rows:
            goal = f"{row['relation']} {row['goal']:g}" if row["goal"] is not None else ""
            mark = "<" if row["holds"] is False else " "
            peers = ", ".join(f"{name} {number(value)}" for name, value in row["peers"].items())
            note = "; ".join(part for part in (peers, row["note"]) if part)
            print(
                f"{cell.case:18}{row['quantity']:28}{number(row['ours']):>11}{mark} {row['unit']:5}{goal:>8}    {note}"
            )


def plot(cells: Sequence[Cell], file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    columns = 2 if len(cells) > 1 else 1
    lines = -(-len(cells) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(5.5 * columns, 3.4 * lines), squeeze=False)
    styles = {"tactum": "-", "pinocchio": "--"}
    for axis, cell in zip(axes.flat, cells, strict=False):
        for name, runs in cell.curves.items():
            color = (
                "tab:blue"
                if "pgs" in name.lower()
                else "tab:green"
                if "sparse" in name
                else "tab:red"
            )
            axis.loglog([1e6 * r.seconds for r in runs], [max(r.residual, 1e-16) for r in runs], styles[name.split()[0]],
                        color=color, label=name)  # fmt: skip
        axis.set_title(cell.case)
        axis.set_xlabel("time [us]")
        axis.set_ylabel("residual of the ncp")
        axis.grid(True, which="major", alpha=0.3)
        axis.legend(fontsize=7)
    for axis in list(axes.flat)[len(cells) :]:
        axis.axis("off")
    figure.tight_layout()
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=100)
    plt.close(figure)


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./run compare solver",
        description="contact forces beside Pinocchio, MuJoCo and Clarabel",
    )
    parser.add_argument(
        "filter", nargs="?", default="", help="only problems whose name has this text"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="write curves of residual against time"
    )
    parser.add_argument("--quick", action="store_true", help="small problems, few rounds")
    parser.add_argument(
        "--peers", action=argparse.BooleanOptionalAction, default=True, help="without: tactum alone"
    )
    parser.add_argument("--problems", type=Path, default=TARGET, help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    arguments = parse(argv)
    start = time.monotonic()
    with np.load(arguments.problems) as arrays:
        problems = unpack(dict(arrays))
    chosen = {
        name: p
        for name, p in problems.items()
        if arguments.filter in name and (not arguments.quick or name in QUICK_SETS)
    }
    cells = []
    for index, (name, problem) in enumerate(chosen.items()):
        print(f"\r[{index + 1}/{len(chosen)}] {name:30}", end="", file=sys.stderr, flush=True)
        cells.append(
            measure(
                name,
                problem,
                quick=arguments.quick,
                peers=arguments.peers,
                curves=arguments.plot is not None,
            )
        )
    print(f"\r{'':44}\r", end="", file=sys.stderr)
    rows = [row for cell in cells for row in cell.rows]
    print_table(cells)
    met, total = judged(rows)
    print(f"\ngoals met: {met} of {total}; '<' marks a row that misses its goal")
    if arguments.json:
        source = (
            "tactum, Pinocchio, MuJoCo and Clarabel on the same contact problems, in one process"
        )
        seconds = time.monotonic() - start
        write_report(
            arguments.json,
            make_report(
                "compare solver", source, quick=arguments.quick, seed=0, seconds=seconds, rows=rows
            ),
        )
        print(f"wrote {arguments.json}")
    if arguments.plot:
        plot(cells, arguments.plot)
        print(f"wrote {arguments.plot}")
    return 0


def with_large_stack(work: Callable[[], int]) -> int:
    """Pinocchio puts matrices of the size of the problem on the stack: 1200 rows need more than the usual 8 MiB."""
    outcome = [1]
    threading.stack_size(1 << 29)
    thread = threading.Thread(target=lambda: outcome.__setitem__(0, work()))
    thread.start()
    thread.join()
    return outcome[0]


if __name__ == "__main__":
    sys.exit(with_large_stack(lambda: main(sys.argv[1:])))
