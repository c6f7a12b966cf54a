# SPDX-License-Identifier: BSD-2-Clause
"""Contact models, Fig. 16: time of the contact forces along motions of three robots.

Solo-12 and Talos under a force at the base, a ball that falls into an Allegro hand; problems in
impulses and velocities of steps of 1 ms, friction 0.9, a residual of 1e-6 of each solver's own
model. Every solver gets the same problems, cold and from its own last solution where the contacts
are the same as before. A time is the mean of the fastest 90 % of the solves of a problem, for every
side: of solve() on a problem that exists; as printed with the matrix G + R that the loops work on;
of Pinocchio by its own clock, cold, with the loosest of three tolerances of its own criterion that
leads to the residual; of MuJoCo with the fewest iterations that reach the residual in its own problem
of the same states, whose contacts are compliant. Medians are those of the problems that were solved,
beside their share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tactum

from .. import figures, mujoco_robots, pinocchio_peer, robot_motions, survey
from .._timing import time_solves
from ..experiment import Experiment, Settings, is_installed
from ..measure import fastest, quartiles
from ..report import Row, make_row
from ..survey import Array

PRINTED = ("lcp_pgs", "ccp_pgs", "ccp_admm", "raisim", "ncp_pgs", "ncp_staggered", "ncp_admm")
OURS = ("ncp_pgs", "ncp_admm")
PEERS = ("PGS", "ADMM")
TOLERANCE, ITERATIONS = 1e-6, 1000
PEER_TOLERANCES = (TOLERANCE, 1e-1 * TOLERANCE, 1e-2 * TOLERANCE)
STEPS = {"Solo-12": 400, "Talos": 400, "Allegro hand": 1000}
FEWER_STEPS = {"Solo-12": 120, "Talos": 60, "Allegro hand": 120}
KEPT, FEWER_KEPT = 40, 20  # problems of a robot that are timed, one after the other
STARTS = ("cold", "warm")
Task = tuple[str, int, int, int]  # robot, steps, problems, repeats
Result = tuple[str, dict[tuple[str, str, str], Array]]  # (column, solver, start): seconds, solved


def tasks(settings: Settings) -> list[Task]:
    if robot_motions.folder() is None:
        return []
    steps = settings.pick(STEPS, FEWER_STEPS)
    kept, repeats = settings.pick(KEPT, FEWER_KEPT), settings.pick(5, 2)
    return [(name, steps[name], kept, repeats) for name in robot_motions.ROBOTS]


def time_both(
    problems: Sequence[tuple[tactum.ContactProblem, bool]], solver: str, column: str, repeats: int
) -> dict[str, Array]:
    """Seconds and whether solved (n, 2), cold and warm. A flag says whether the contacts are those
    of the problem before."""
    found: dict[str, list[tuple[float, float]]] = {"cold": [], "warm": []}
    last: Any = None
    for problem, same in problems:
        for start in STARTS:
            times, solution = time_solves(
                problem,
                solver,
                tolerance=TOLERANCE,
                max_iterations=ITERATIONS,
                repeats=repeats,
                as_printed=column == "printed",
                warm_start=last if start == "warm" and same else None,
            )
            seconds = 1e-9 * float(fastest(times[np.newaxis])[0])
            found[start].append((seconds, float(solution.residual <= TOLERANCE)))
        last = solution
    return {start: np.array(values) for start, values in found.items()}


def busiest(
    snapshots: Sequence[robot_motions.Snapshot], kept: int
) -> Sequence[robot_motions.Snapshot]:
    """The consecutive problems, so many, that have most contacts."""
    counts = np.cumsum([0, *(len(shot.mu) for shot in snapshots)])
    last = max(len(snapshots) - kept, 0)
    first = int(np.argmax(counts[min(kept, len(snapshots)) :] - counts[: last + 1]))
    return snapshots[first : first + kept]


def time_pinocchio(
    snapshots: Sequence[robot_motions.Snapshot],
    problems: Sequence[tuple[tactum.ContactProblem, bool]],
    kind: str,
    repeats: int,
) -> Array:
    """Seconds and whether solved (n, 2), cold. Its criterion is not our residual: what stops above
    the tolerance by ours is asked again for more."""
    found = []
    for shot, (problem, _) in zip(snapshots, problems, strict=True):
        for tolerance in PEER_TOLERANCES:
            seconds, impulse = pinocchio_peer.time_solve(
                kind, shot.G, shot.g, shot.mu, tolerance, ITERATIONS, repeats
            )
            finite = bool(np.isfinite(impulse).all())
            solved = finite and tactum.contact_residual(problem, impulse) <= TOLERANCE
            if solved:
                break
        found.append((seconds, float(solved)))
    return np.array(found)


def time_mujoco(
    motion: robot_motions.RobotMotion,
    snapshots: Sequence[robot_motions.Snapshot],
    repeats: int,
) -> dict[tuple[str, str, str], Array]:
    """Seconds and whether solved (n, 2), of each of its solvers, cold and warm."""
    peer = mujoco_robots.Peer(motion.robot, motion.model, motion.up, motion.height)
    found: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for shot in snapshots:
        peer.set_state(shot)
        for solver in mujoco_robots.SOLVERS:
            for start in STARTS:
                times = peer.time_solve(solver, start, TOLERANCE, repeats)
                found.setdefault(("MuJoCo", solver, start), []).append(times)
            peer.keep(solver)
    return {key: np.array(times) for key, times in found.items()}


def work(task: Task) -> Result:
    name, steps, kept, repeats = task
    motion = robot_motions.motion(name, steps)
    snapshots = busiest(motion.snapshots, kept)
    problems = [
        (shot.problem(), k > 0 and shot.pairs == snapshots[k - 1].pairs)
        for k, shot in enumerate(snapshots)
    ]
    found: dict[tuple[str, str, str], Array] = {}
    for column, solvers in (("printed", PRINTED), ("ours", OURS)):
        for solver in solvers:
            for start, values in time_both(problems, solver, column, repeats).items():
                found[column, solver, start] = values
    for kind in PEERS:
        found["Pinocchio", kind, "cold"] = time_pinocchio(snapshots, problems, kind, repeats)
    if is_installed("mujoco"):
        found |= time_mujoco(motion, snapshots, repeats)
    return name, found


def solved_times(values: Array) -> Array:
    """Microseconds of the solves that reached the residual."""
    return np.asarray(1e6 * values[values[:, 1] > 0, 0])


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made: list[Row] = []
    for robot, found in results:
        times = {key: solved_times(values) for key, values in found.items()}
        median = {key: float(np.median(own)) for key, own in times.items() if len(own)}
        for (column, solver, start), values in found.items():
            case = f"{robot}, {solver}, {column}, {start}"
            made.append(make_row(case, "share solved", "1", float(values[:, 1].mean())))
            own = times[column, solver, start]
            if not len(own):
                continue
            peers = {}
            if (column, solver) == ("ours", "ncp_admm"):
                peers = {
                    f"{library} {kind}": time
                    for (library, kind, begin), time in median.items()
                    if library in ("Pinocchio", "MuJoCo") and begin == start
                }
            more: dict[str, Any] = {"spread": quartiles(own), "peers": peers, "timing": True}
            more["note"] = "of the problems that were solved"
            ours = median[column, solver, start]
            made.append(make_row(case, "median time", "us", ours, **more))
        made += judged_rows(robot, median)
    return made


def judged_rows(robot: str, median: dict[tuple[str, str, str], float]) -> list[Row]:
    """What the figure shows, of solvers that solved a problem both cold and warm."""
    made = []
    both = [s for s in PRINTED if {("printed", s, start) for start in STARTS} <= set(median)]
    if {"ccp_admm", "ccp_pgs"} <= set(both):
        cold, warm = (
            median["printed", "ccp_admm", start] / median["printed", "ccp_pgs", start]
            for start in STARTS
        )
        more: dict[str, Any] = {"relation": ">=", "goal": 1.0, "timing": True}
        more["note"] = "cold, ADMM is slower"
        made.append(make_row(robot, "time, ccp_admm / ccp_pgs, cold", "1", cold, **more))
        more |= {"relation": "<=", "note": "warm starts narrow the gap"}
        quantity = "gap of ccp_admm to ccp_pgs, warm / cold"
        made.append(make_row(robot, quantity, "1", warm / cold, **more))
    for solver in both:
        gain = median["printed", solver, "cold"] / median["printed", solver, "warm"]
        more = {"relation": ">=", "goal": 1.0, "timing": True, "note": "warm starts gain"}
        made.append(make_row(f"{robot}, {solver}, printed", "time, cold / warm", "1", gain, **more))
    printed = [value for (column, _, _), value in median.items() if column == "printed"]
    if printed and ("ours", "ncp_admm", "warm") in median:
        ours = median["ours", "ncp_admm", "warm"] / min(printed)
        more = {"timing": True}
        more["note"] = "ours to the ncp, against the fastest of all as printed, cold or warm"
        quantity = "time, our ncp_admm / fastest as printed"
        made.append(make_row(robot, quantity, "1", ours, **more))
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    if not results:
        return
    for axes, (robot, found) in zip(
        np.atleast_1d(figure.subplots(1, len(results))), results, strict=True
    ):
        names = list(dict.fromkeys((column, solver) for column, solver, _ in found))
        for place, (column, solver) in enumerate(names):
            for start, shift, alpha in (("cold", -0.18, 0.9), ("warm", 0.18, 0.45)):
                values = solved_times(found.get((column, solver, start), np.zeros((0, 2))))
                if not len(values):
                    continue
                low, mid, high = np.percentile(values, [5, 50, 95])
                look = {"color": survey.color(solver), "alpha": alpha}
                axes.bar(place + shift, mid, 0.34, **look)
                axes.plot([place + shift] * 2, [low, high], color="#23303f", lw=0.8)
        labels = [f"{solver}\n{column}" for column, solver in names]
        axes.set_xticks(range(len(names)), labels, rotation=90, fontsize=7)
        axes.set_yscale("log")
        figures.tidy(axes, f"{robot}: cold (full), warm (pale)", "", "time of a solve [us]")


EXPERIMENT = Experiment(
    name="solver-timings",
    title="time of contact forces along motions of three robots, cold and warm",
    source="Contact models, Fig. 16",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(15.0, 5.0),
    uses=("pinocchio", "mujoco"),
)
