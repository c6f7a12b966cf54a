# SPDX-License-Identifier: BSD-2-Clause
"""Differentiable collision detection, Table II: time of one derivative on YCB hulls, in collision
and apart.

10,000 problems: random pairs of the 59 hulls, B moved along the axis of the closest points until
the depth or the distance is one of 0.1 mm, 1 mm and 1 cm (the paper does not give its distances),
half of them in collision. The query itself is not timed, as in the paper; finite differences and
zeroth order warm-start theirs from it. Times are taken inside the compiled module on one thread,
each derivative three times in a row, the mean of the fastest 90 % of them counts. The paper prints
mean and deviation, so do the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tactum

from .. import figures, ycb
from .._timing import time_derivatives
from ..contact_problems import Array, Estimator
from ..experiment import Experiment, Settings, task_seed
from ..measure import fastest, quartiles
from ..problems import at_distance, separated_poses
from ..report import Row, make_row

EXACT = "ours, exact"
# mean and deviation in microseconds, in collision and apart
TABLE_II: dict[str, tuple[Estimator, tuple[tuple[float, float], tuple[float, float]] | None]] = {
    "finite differences": (tactum.FiniteDifference(step=1e-6), ((78, 48), (11.0, 7.3))),
    "zeroth order, M = 10": (tactum.ZerothOrder(samples=10), ((65, 36), (9, 6))),
    "zeroth order, M = 20": (tactum.ZerothOrder(samples=20), ((122, 130), (17, 10))),
    "zeroth order, M = 50": (tactum.ZerothOrder(samples=50), ((338, 391), (47, 30))),
    "zeroth order, M = 100": (tactum.ZerothOrder(samples=100), ((613, 402), (86, 45))),
    "Gaussian, M = 10": (tactum.Gaussian(samples=10), ((4.8, 1.4), (3.1, 0.3))),
    "Gaussian, M = 20": (tactum.Gaussian(samples=20), ((8.9, 2.8), (5.8, 0.5))),
    "Gaussian, M = 50": (tactum.Gaussian(samples=50), ((22, 8), (15, 3))),
    "Gaussian, M = 100": (tactum.Gaussian(samples=100), ((42, 13), (27, 3))),
    "Gumbel, n_l = 1": (tactum.Gumbel(rings=1), ((1.7, 0.5), (1.6, 0.5))),
    "Gumbel, n_l = 3": (tactum.Gumbel(rings=3), ((4.1, 1.8), (3.9, 1.4))),
    "Gumbel, n_l = 5": (tactum.Gumbel(rings=5), ((9.6, 7.8), (9.7, 8.1))),
    EXACT: (tactum.Exact(), None),
}
CASES = ("collision", "no collision")
DEPTHS = (1e-4, 1e-3, 1e-2)
RATIOS = ("Gumbel, n_l = 1", "Gaussian, M = 20", EXACT)
# microseconds: what we want of ours, apart
WANTED = {("no collision", "Gumbel, n_l = 1"): 0.25, ("no collision", "Gaussian, M = 20"): 1.5}
REPEATS = 3
PAIRS_A_TASK = 10

Task = tuple[list[int], list[tuple[str, str]], int, Path | None]  # seed, pairs, poses of each, data


def tasks(settings: Settings) -> list[Task]:
    pairs, poses = settings.pick((1000, 10), (20, 4))
    chosen = ycb.draw_pairs(pairs, np.random.default_rng(task_seed(settings, 0)), settings.data)
    parts = [chosen[k : k + PAIRS_A_TASK] for k in range(0, pairs, PAIRS_A_TASK)]
    return [
        (task_seed(settings, 1 + k), part, poses, settings.data) for k, part in enumerate(parts)
    ]


def work(task: Task) -> dict[tuple[str, str], Array]:
    """Microseconds by case and method."""
    seed, pairs, poses, folder = task
    rng = np.random.default_rng(seed)
    found: dict[tuple[str, str], list[Array]] = {}
    for name_a, name_b in pairs:
        problems = separated_poses(ycb.hull(name_a, folder), ycb.hull(name_b, folder), rng, poses)
        depths = rng.choice(DEPTHS, size=poses) * np.where(np.arange(poses) % 2 == 0, -1.0, 1.0)
        moved = at_distance(problems, depths)
        for case, own in zip(CASES, (moved.X_AB[0::2], moved.X_AB[1::2]), strict=True):
            for method, (estimator, _) in TABLE_II.items():
                times = time_derivatives(
                    moved.a, np.eye(4), moved.b, own, estimator=estimator, repeats=REPEATS
                )
                own_times = 1e-3 * fastest(times)
                found.setdefault((case, method), []).append(own_times)
                for depth in DEPTHS if case == "collision" and method in RATIOS else ():
                    found.setdefault((f"depth {depth:g} m", method), []).append(
                        own_times[depths[0::2] == -depth]
                    )
    return {key: np.concatenate(values) for key, values in found.items()}


def collect(results: Sequence[dict[tuple[str, str], Array]]) -> dict[tuple[str, str], Array]:
    return {key: np.concatenate([result[key] for result in results]) for key in results[0]}


def rows(settings: Settings, results: Sequence[dict[tuple[str, str], Array]]) -> list[Row]:
    times = collect(results)
    made = []
    for (case, method), values in times.items():
        published = TABLE_II[method][1]
        known = published[CASES.index(case)][0] if published and case in CASES else None
        more: dict[str, Any] = {"spread": quartiles(values), "published": known, "timing": True}
        more |= {"relation": "<=", "goal": WANTED.get((case, method))}
        made.append(make_row(f"{case}: {method}", "time", "us", float(values.mean()), **more))
    for place, case in enumerate(CASES):
        differences = TABLE_II["finite differences"][1]
        for method in RATIOS:
            published = TABLE_II[method][1]
            known = (
                differences[place][0] / published[place][0] if differences and published else None
            )
            gain = float(times[case, "finite differences"].mean() / times[case, method].mean())
            more = {"published": known, "timing": True, "note": "first order is the faster"}
            more |= {"relation": ">=", "goal": 1.0 if known is None else known}
            made.append(
                make_row(f"{case}: {method}", "finite differences / this", "1", gain, **more)
            )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[dict[tuple[str, str], Array]]) -> None:
    times = collect(results)
    for axes, (place, case) in zip(
        figure.subplots(1, 2, sharex=True, sharey=True), enumerate(CASES), strict=True
    ):
        means = [float(times[case, method].mean()) for method in TABLE_II]
        axes.barh(
            range(len(means)),
            means,
            color=["#1f4e8c" if method == EXACT else "#7fa3cf" for method in TABLE_II],
        )
        for line, (_, published) in enumerate(TABLE_II.values()):
            if published:
                mean, deviation = published[place]
                low = min(deviation, 0.9 * mean)
                axes.errorbar(
                    mean,
                    line,
                    xerr=[[low], [deviation]],
                    fmt="|",
                    ms=9,
                    color="black",
                    lw=1,
                    capsize=2,
                )
        axes.set_yticks(range(len(means)), list(TABLE_II), fontsize=8)
        axes.set_xscale("log")
        figures.tidy(
            axes,
            f"Table II: {case} (bars ours, black published)",
            "time of one derivative [us]",
            "",
        )
    figure.axes[0].invert_yaxis()


EXPERIMENT = Experiment(
    name="derivative-timings",
    title="time of one derivative on YCB hulls",
    source="Differentiable collision detection, Table II",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(12.0, 5.0),
)
