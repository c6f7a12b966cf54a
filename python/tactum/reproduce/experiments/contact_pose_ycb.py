# SPDX-License-Identifier: BSD-2-Clause
"""Differentiable collision detection, Figs. 3 and 5: contact poses of YCB hulls, the cost against
the iterations.

The paper shows one pair and one target as a typical failure of finite differences. Here 40 random
pairs of the 59 hulls with 10 problems each are solved by the columns of Table I; the curves are
medians with quartiles, and the pictures are one problem on which finite differences fail. Targets
are support points of random directions, hence vertices; starts as in contact-pose. On fine meshes a
temperature of 1e-4 m^2 reaches no neighbor unless the hulls nearly touch, so that Gumbel is also
shown with a temperature relative to the edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tactum

from ... import _plot
from .. import figures, ycb
from ..contact_problems import (
    COLORS,
    COLUMNS,
    OURS,
    SOLVED,
    Array,
    Estimator,
    make_problems,
    merge,
    ours_row,
    quantiles,
    ratio,
    solve,
)
from ..experiment import Experiment, Settings, task_seed
from ..report import Row, make_row

RELATIVE = "Gumbel, of the edges"
ESTIMATORS: dict[str, Estimator | None] = {RELATIVE: tactum.Gumbel(rings=1), **COLUMNS}
FIRST_ORDER = ("Gaussian", "Gumbel", RELATIVE)
SHOWN = ("003_cracker_box", "025_mug")  # of the pictures
PAIRS_A_TASK = 2

Task = tuple[
    list[int], list[tuple[str, str]], int, Path | None
]  # seed, pairs, problems of each, data


def tasks(settings: Settings) -> list[Task]:
    pairs, count = settings.pick((40, 10), (8, 8))
    chosen = ycb.draw_pairs(pairs, np.random.default_rng(task_seed(settings, 0)), settings.data)
    parts = [chosen[k : k + PAIRS_A_TASK] for k in range(0, pairs, PAIRS_A_TASK)]
    return [
        (task_seed(settings, 1 + k), part, count, settings.data) for k, part in enumerate(parts)
    ]


def work(task: Task) -> dict[str, Array]:
    """Histories of the cost by column, (problems, iterations + 1)."""
    seed, pairs, count, folder = task
    rng = np.random.default_rng(seed)
    parts = []
    for name_a, name_b in pairs:
        problems = make_problems(ycb.hull(name_a, folder), ycb.hull(name_b, folder), rng, count)
        parts.append({name: solve(problems, estimator) for name, estimator in ESTIMATORS.items()})
    return merge(parts)


def rows(settings: Settings, results: Sequence[dict[str, Array]]) -> list[Row]:
    histories = merge(results)
    made = []
    found = {column: quantiles(values[:, -1]) for column, values in histories.items()}
    for column, numbers in found.items():
        made += [
            make_row(column, name, "1", value, note="terminal cost over the squared size")
            for name, value in numbers.items()
        ]
        values = histories[column]
        made.append(
            make_row(
                column,
                "share not solved",
                "1",
                float(np.mean(values[:, -1] > SOLVED)),
                note="cost above 1e-6",
            )
        )
        first = [int(np.argmax(row <= SOLVED)) for row in values if row[-1] <= SOLVED]
        median = float(np.median(first)) if first else None
        made.append(
            make_row(
                column,
                "iterations to 1e-6",
                "1",
                median if median is not None else -1.0,
                note="median of the solved",
            )
        )
    for name in ("Q3", "D9"):
        value = {column: numbers[name] for column, numbers in found.items()}
        for column in FIRST_ORDER:
            gain = ratio(value["zeroth order"], value[column])
            made.append(
                make_row(
                    name,
                    f"zeroth order / {column}",
                    "1",
                    gain,
                    relation=">=",
                    goal=1.0,
                    note="Fig. 5: first order goes further",
                )
            )
        gain = ratio(value["finite differences, 1e-6"], value["zeroth order"])
        made.append(
            make_row(
                name,
                "differences / zeroth order",
                "1",
                gain,
                relation=">=",
                goal=1.0,
                note="Fig. 3: differences fail",
            )
        )
        best = min(number for column, number in value.items() if column != OURS)
        made.append(ours_row(name, value[OURS], best))
    return made


def shown_problem(folder: Path | None) -> tuple[Any, list[tuple[str, Array]]]:
    """A problem on which finite differences fail and ours does not, and the poses: of the start
    and where each column ends."""
    names = (
        SHOWN
        if all(name in ycb.object_names(folder) for name in SHOWN)
        else tuple(ycb.object_names(folder)[:2])
    )
    a, b = (ycb.hull(name, folder) for name in (names[0], names[-1]))
    problems = make_problems(a, b, np.random.default_rng(1), 40)
    ends = {
        name: solve(problems, ESTIMATORS[name])[:, -1]
        for name in ("finite differences, 1e-6", OURS)
    }
    k = int(np.argmax(ends["finite differences, 1e-6"] - 10.0 * ends[OURS]))
    poses = [("start", problems.start[k])]
    for name in ("finite differences, 1e-6", "zeroth order", "Gaussian", OURS):
        found = tactum.contact_pose(
            a,
            b,
            problems.target_a[k],
            problems.target_b[k],
            start=problems.start[k],
            estimator=ESTIMATORS[name],
        )
        poses.append((name, found.pose))
    return (a, b, problems.target_a[k], problems.target_b[k]), poses


def draw(figure: Any, settings: Settings, results: Sequence[dict[str, Array]]) -> None:
    histories = merge(results)
    grid = figure.add_gridspec(2, 5, height_ratios=(1.25, 1.0), hspace=0.12)
    axes = figure.add_subplot(grid[0, :])
    for column, values in histories.items():
        low, middle, high = np.maximum(np.quantile(values, (0.25, 0.5, 0.75), axis=0), 1e-33)
        color = COLORS.get(column, "#d178b0")
        axes.plot(middle, color=color, label=column)
        axes.fill_between(np.arange(len(middle)), low, high, color=color, alpha=0.10, lw=0)
    axes.set_yscale("log")
    axes.legend(fontsize=8, ncols=2)
    figures.tidy(axes, "Fig. 5: median cost and quartiles", "iteration", "cost / size$^2$")
    (a, b, target_a, target_b), poses = shown_problem(settings.data)
    for place, (name, X) in enumerate(poses):
        axes = figure.add_subplot(grid[1, place])
        identity = (np.eye(3), np.zeros(3))
        result = tactum.distance(a, np.eye(4), b, X)
        marks = (target_a, X[:3, :3] @ target_b + X[:3, 3])
        _plot.draw_scene(
            axes, _plot.Scene(name, a, identity, b, (X[:3, :3], X[:3, 3]), result), targets=marks
        )


EXPERIMENT = Experiment(
    name="contact-pose-ycb",
    title="contact poses of YCB hulls against the iterations",
    source="Differentiable collision detection, Figs. 3 and 5",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(13.0, 7.0),
)
