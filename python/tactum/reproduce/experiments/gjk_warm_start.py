# SPDX-License-Identifier: BSD-2-Clause
"""GJK++, Figs. 12 and 13: Boolean checks along trajectories of falling objects, by warm start.

Pairs of YCB hulls fall into a funnel for 1 s, simulated by tactum and recorded at 120 Hz. Checks
count where the oriented boxes of the pair overlap. Four starts, three methods of the paper, and
`auto`: a cold check, and a whole distance query that begins from its own answer of the frame before,
which is more than a check. Every time is the mean of the fastest 90 % of some repetitions, as in the
other experiments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import figures, funnel, survey, ycb
from .._timing import time_moves, time_queries
from ..experiment import Experiment, Settings, task_seed
from ..measure import TOLERANCE, fastest, quartiles
from ..report import Row, make_row
from ..survey import Array

METHODS = ("gjk", "polyak", "nesterov_normalized")
STARTS = ("none", "box centers", "previous", "transformed previous")
GOOD, POOR = ("box centers", "previous"), ("none", "transformed previous")
# the start that the paper finds best for GJK, against which it holds the accelerated methods
REFERENCE = ("gjk", "previous")
TRACKED = ("auto", "tracked")
# the paper's medians from both good starts: close to 0.5 us for Nesterov, above 1 us for GJK
NESTEROV_TIME = 0.5
FRAMES, FEWER_FRAMES = 120, 60
Task = tuple[list[int], str, str, int, int, Any]  # seed, objects, frames, repeats, folder
Result = dict[tuple[str, str], dict[str, Array]]  # method, start: numbers of the checks
Numbers = dict[tuple[str, str], float]  # method, start


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
    found[TRACKED] = track(motion, X_AB, repeats)
    return found


def track(motion: funnel.Drop, X_AB: Array, repeats: int) -> dict[str, Array]:
    """Distance queries of auto, each from the answer of the frame before where there was one."""
    frames = np.flatnonzero(motion.near)
    times, iterations = [], []
    for part in np.split(np.arange(len(frames)), np.flatnonzero(np.diff(frames) > 1) + 1):
        still = np.tile(np.eye(4), (len(part), 1, 1))
        passes = [
            time_moves(motion.a, still, motion.b, X_AB[part], tolerance=TOLERANCE)
            for _ in range(repeats)
        ]
        times.append(fastest(np.column_stack([one["distance_ns"] for one in passes])))
        iterations.append(passes[0]["iterations"])
    return {"time": np.concatenate(times), "iterations": np.concatenate(iterations)}


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
    found = pooled(results)
    made: list[Row] = []
    for (method, start), values in found.items():
        case = "auto" if (method, start) == ("auto", "box centers") else f"{method}, {start}"
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
        made += start_rows(method, mean, time)
    for method in METHODS[1:]:
        made += method_rows(method, mean, time)
    return made + auto_rows(time)


def start_rows(method: str, mean: Numbers, time: Numbers) -> list[Row]:
    """Which starts the paper finds good for a method, which poor, which worst and which best."""
    more: dict[str, Any] = {"relation": ">=", "goal": 1.0}
    good = max(mean[method, start] for start in GOOD)
    quantity = "iterations / worse of box centers and previous"
    made = [
        make_row(f"{method}, {poor}", quantity, "1", mean[method, poor] / good, **more)
        for poor in POOR
    ]
    more["note"] = "often the worst start of the paper"
    ratio = mean[method, "transformed previous"] / mean[method, "none"]
    quantity = "iterations / none"
    made.append(make_row(f"{method}, transformed previous", quantity, "1", ratio, **more))
    best, other = reversed(GOOD) if method == "gjk" else GOOD
    more = {"relation": "<=", "goal": 1.0, "timing": True}
    more["note"] = "the start that the paper finds best"
    ratio = time[method, best] / time[method, other]
    return [*made, make_row(method, f"time, {best} / {other}", "1", ratio, **more)]


def method_rows(method: str, mean: Numbers, time: Numbers) -> list[Row]:
    """An accelerated method from both good starts, against GJK from its best one."""
    nesterov = method.startswith("nesterov")
    made = []
    for start in GOOD:
        case, other = f"{method}, {start}", f"{REFERENCE[0]}, {REFERENCE[1]}"
        more: dict[str, Any] = {"relation": "<=", "goal": 1.0}
        note = "the paper has times alone: fewer iterations would be why"
        ratio = mean[method, start] / mean[REFERENCE]
        made.append(make_row(case, f"iterations / {other}", "1", ratio, note=note, **more))
        more |= {"goal": NESTEROV_TIME, "published": NESTEROV_TIME} if nesterov else {}
        ratio = time[method, start] / time[REFERENCE]
        made.append(make_row(case, f"time / {other}", "1", ratio, timing=True, **more))
    return made


def auto_rows(time: Numbers) -> list[Row]:
    """Ours, cold and from its own last answer."""
    least = min(value for (method, _), value in time.items() if method != "auto")
    notes = {
        ("auto", "box centers"): "cold",
        TRACKED: "a whole distance query from its own last answer, against Boolean checks",
    }
    return [
        make_row(
            "auto" if key != TRACKED else "auto, tracked",
            "time / fastest of the others",
            "1",
            time[key] / least,
            relation="<=",
            goal=1.0,
            timing=True,
            note=note,
        )
        for key, note in notes.items()
    ]


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    found = pooled(results)
    if not found:
        return
    for axes, method in zip(figure.subplots(1, len(METHODS), sharey=True), METHODS, strict=True):
        columns = [1e-3 * found[method, start]["time"] for start in STARTS]
        columns += [1e-3 * found[key]["time"] for key in (("auto", "box centers"), TRACKED)]
        axes.boxplot(columns, whis=(5, 95), showfliers=False, widths=0.6)
        names = [*(start.replace(" ", "\n") for start in STARTS), "auto", "auto,\ntracked"]
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
