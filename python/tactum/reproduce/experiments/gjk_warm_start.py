# SPDX-License-Identifier: BSD-2-Clause
"""GJK++, Figs. 12 and 13: Boolean checks along trajectories of falling objects, by warm start.

Pairs of YCB hulls fall into a funnel for 1 s, simulated by tactum and recorded at 120 Hz. Checks
count where the oriented boxes of the pair overlap. Four starts, three methods of the paper, and
`auto`. A check is repeated; the mean of its fastest 90 % counts, as in the other experiments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import figures, funnel, survey, ycb
from .._timing import time_queries
from ..experiment import Experiment, Settings, task_seed
from ..measure import TOLERANCE, fastest, quartiles
from ..report import Row, make_row
from ..survey import Array

METHODS = ("gjk", "polyak", "nesterov_normalized")
STARTS = ("none", "box centers", "previous", "transformed previous")
FRAMES, FEWER_FRAMES = 120, 60
Task = tuple[list[int], str, str, int, int, Any]  # seed, objects, frames, repeats, folder
Result = dict[tuple[str, str], dict[str, Array]]  # method, start: numbers of the checks


def tasks(settings: Settings) -> list[Task]:
    if not survey.has_simulator():
        return []
    count = settings.pick(1000, 50)
    pairs = ycb.draw_pairs(count, np.random.default_rng(task_seed(settings, 0)), settings.data)
    frames, repeats = settings.pick(FRAMES, FEWER_FRAMES), settings.pick(10, 3)
    return [
        (task_seed(settings, 1, k), a, b, frames, repeats, settings.data)
        for k, (a, b) in enumerate(pairs)
    ]


def work(task: Task) -> Result:
    seed, a, b, frames, repeats, folder = task
    motion = funnel.drop(
        ycb.hull(a, folder), ycb.hull(b, folder), np.random.default_rng(seed), frames
    )
    near = motion.near
    X_AB = (np.linalg.inv(motion.X_WA) @ motion.X_WB)[near]
    if not near.any():
        return {}
    directions = {name: rows[near] for name, rows in funnel.starts(motion).items()}
    found: Result = {}
    for method in (*METHODS, "auto"):
        for start in STARTS if method != "auto" else ("box centers",):
            answer = time_queries(
                motion.a,
                np.eye(4),
                motion.b,
                X_AB,
                query="collide",
                method=method,
                tolerance=TOLERANCE,
                tolerance_is_gap=method != "auto",
                max_iterations=1000,
                repeats=repeats,
                initial_direction=directions[start] if method != "auto" else None,
            )
            nanoseconds = fastest(answer["nanoseconds"])
            found[method, start] = {"time": nanoseconds, "iterations": answer["iterations"]}
    return found


def pooled(results: Sequence[Result]) -> dict[tuple[str, str], dict[str, Array]]:
    keys = list(dict.fromkeys(key for part in results for key in part))
    return {
        key: {
            name: np.concatenate([part[key][name] for part in results if key in part])
            for name in ("time", "iterations")
        }
        for key in keys
    }


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made: list[Row] = []
    found = pooled(results)
    for (method, start), values in found.items():
        case = f"{method}, {start}" if method != "auto" else "auto"
        for name, unit, scale in (("time", "us", 1e-3), ("iterations", "1", 1.0)):
            numbers = scale * values[name]
            made.append(
                make_row(
                    case,
                    f"median {name}" if name == "time" else "mean iterations",
                    unit,
                    float(np.median(numbers) if name == "time" else numbers.mean()),
                    spread=quartiles(numbers),
                    timing=name == "time",
                )
            )
    if not found:
        return made
    count = len(next(iter(found.values()))["time"])
    made.append(make_row("funnel", "checks that the boxes leave", "1", float(count)))
    mean = {key: float(values["iterations"].mean()) for key, values in found.items()}
    time = {key: float(np.median(values["time"])) for key, values in found.items()}
    for method in METHODS:
        good = min(mean[method, "box centers"], mean[method, "previous"])
        for poor in ("none", "transformed previous"):
            made.append(
                make_row(
                    f"{method}, {poor}",
                    "iterations / best of box centers and previous",
                    "1",
                    mean[method, poor] / good,
                    relation=">=",
                    goal=1.0,
                )
            )
        best = "previous" if method == "gjk" else "box centers"
        other = "box centers" if method == "gjk" else "previous"
        made.append(
            make_row(
                method,
                f"time, {best} / {other}",
                "1",
                time[method, best] / time[method, other],
                relation="<=",
                goal=1.0,
                timing=True,
                note="the start that the paper finds best",
            )
        )
    least = min(value for (method, _), value in time.items() if method != "auto")
    made.append(
        make_row(
            "auto",
            "time / fastest of the others",
            "1",
            time["auto", "box centers"] / least,
            relation="<=",
            goal=1.0,
            timing=True,
            note="cold: its warm start is a query of its own",
        )
    )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    found = pooled(results)
    if not found:
        return
    for axes, method in zip(figure.subplots(1, len(METHODS), sharey=True), METHODS, strict=True):
        columns = [1e-3 * found[method, start]["time"] for start in STARTS]
        columns.append(1e-3 * found["auto", "box centers"]["time"])
        axes.boxplot(columns, whis=(5, 95), showfliers=False, widths=0.6)
        names = [*(start.replace(" ", "\n") for start in STARTS), "auto"]
        axes.set_xticks(range(1, len(names) + 1), names, fontsize=8)
        figures.tidy(axes, figures.label(method), "", "time of a check [us]")


EXPERIMENT = Experiment(
    name="gjk-warm-start",
    title="Boolean checks of falling objects, by warm start",
    source="GJK++, Figs. 12 and 13",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(13.0, 4.2),
    uses=("pinocchio",),
)
