# SPDX-License-Identifier: BSD-2-Clause
"""Differentiable collision detection, Table I: terminal cost of contact-pose generation on rough
shapes.

100 pairs of polyhedral ellipsoids with 12 vertices, 100 targets each, Gauss-Newton with
backtracking, 50 iterations, costs over the squared size of the pair. Choices that the paper leaves
open, with variants that show what they do to Q3 and D9: shapes are icosahedra with semi-axes
uniform from 0.1 to 0.3 m; targets are support points of random directions, hence vertices (the
paper's finite differences reach 4e-32 on a quarter of its problems, which no point inside a face
allows); starts have random rotations, with centers as far apart as both bounding radii together;
steps are damped by 1e-4 of the largest diagonal entry of J'J. Where targets lie in faces the last
poses are judged again with other witness points of the same contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tactum

from .. import figures
from ..contact_problems import (
    COLORS,
    COLUMNS,
    OURS,
    SOLVED,
    TABLE_DAMPING,
    Array,
    Estimator,
    costs_of_other_witnesses,
    make_problems,
    merge,
    ours_row,
    polyhedral_ellipsoid,
    quantiles,
    ratio,
    solve_with_poses,
)
from ..experiment import Experiment, Settings, task_seed
from ..report import Row, make_row

PUBLISHED = {
    "finite differences, 1e-6": (2e-33, 4e-32, 3e-3, 4e-2, 8e-2),
    "finite differences, 1e-3": (8e-33, 7e-23, 4e-14, 1e-2, 5e-2),
    "zeroth order": (4e-23, 5e-20, 2e-13, 2e-3, 5e-3),
    "Gaussian": (4e-16, 1e-10, 4e-8, 3e-7, 2e-6),
    "Gumbel": (6e-16, 3e-10, 1e-8, 7e-8, 2e-5),
}
JUDGED = ("zeroth order", "Gaussian", "Gumbel")
# name: semi-axes, kind of targets, distance of the starts, damping, whether the estimators have our
# form
VARIANTS = {
    "paper": (0.1, 0.3, "support", 1.0, TABLE_DAMPING, False),
    "a third of the size": (0.033, 0.1, "support", 1.0, TABLE_DAMPING, False),
    "three times the size": (0.3, 0.9, "support", 1.0, TABLE_DAMPING, False),
    "rounder shapes": (0.2, 0.3, "support", 1.0, TABLE_DAMPING, False),
    "targets: vertices, all alike": (0.1, 0.3, "vertices", 1.0, TABLE_DAMPING, False),
    "targets: witness points of random poses": (0.1, 0.3, "witness", 1.0, TABLE_DAMPING, False),
    "targets: anywhere on the surface": (0.1, 0.3, "surface", 1.0, TABLE_DAMPING, False),
    "starts: half as far": (0.1, 0.3, "support", 0.5, TABLE_DAMPING, False),
    "starts: twice as far": (0.1, 0.3, "support", 2.0, TABLE_DAMPING, False),
    "damping: 1e-5": (0.1, 0.3, "support", 1.0, 1e-5, False),
    "damping: 1e-3": (0.1, 0.3, "support", 1.0, 1e-3, False),
    "estimators in our form": (0.1, 0.3, "support", 1.0, TABLE_DAMPING, True),
}
# variance reduction on, and scales relative to the unit normal: angles, or a tenth of an edge
OUR_FORM: dict[str, Estimator] = {
    "zeroth order": tactum.ZerothOrder(samples=50, scale=1e-2),
    "Gaussian": tactum.Gaussian(samples=20, scale=0.3),
    "Gumbel": tactum.Gumbel(rings=1),
}
PAIRS_A_TASK = 2
# kinds of targets that lie in faces, where the query chooses among many witness points
IN_FACES = ("witness", "surface")

Task = tuple[list[int], str, int, int]  # seed, variant, pairs, targets of each


def tasks(settings: Settings) -> list[Task]:
    """The table, then a smaller one for each variant."""
    pairs, count, fewer, fewer_count = settings.pick((100, 100, 10, 50), (12, 20, 2, 6))
    made: list[Task] = []
    for variant in VARIANTS:
        total, each = (pairs, count) if variant == "paper" else (fewer, fewer_count)
        made += [
            (task_seed(settings, len(made) + k), variant, PAIRS_A_TASK, each)
            for k in range(total // PAIRS_A_TASK)
        ]
    return made


def work(task: Task) -> tuple[str, dict[str, Array]]:
    """Terminal costs by column."""
    seed, variant, pairs, count = task
    smallest, largest, kind, distance, damping, own_form = VARIANTS[variant]
    estimators = {**COLUMNS, **OUR_FORM} if own_form else COLUMNS
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(pairs):
        a, b = (polyhedral_ellipsoid(rng, smallest, largest) for _ in range(2))
        problems = make_problems(a, b, rng, count, kind, distance)
        own: dict[str, Array] = {}
        for name, estimator in estimators.items():
            history, poses = solve_with_poses(problems, estimator, damping)
            own[name] = history[:, -1]
            if kind in IN_FACES:
                others = costs_of_other_witnesses(problems, poses)
                own |= {f"{name}, {place}": costs for place, costs in others.items()}
        parts.append(own)
    return variant, merge(parts)


def collect(results: Sequence[tuple[str, dict[str, Array]]]) -> dict[str, dict[str, Array]]:
    return {
        variant: merge([costs for name, costs in results if name == variant])
        for variant in VARIANTS
    }


def table_rows(costs: dict[str, Array]) -> list[Row]:
    made = []
    found = {column: quantiles(values) for column, values in costs.items()}
    for column, numbers in found.items():
        published = dict(zip(numbers, PUBLISHED.get(column, ()), strict=False))
        for name, value in numbers.items():
            goal = published.get(name) if column in JUDGED and name in ("Q3", "D9") else None
            more = {"published": published.get(name), "relation": "<=", "goal": goal}
            made.append(
                make_row(
                    column,
                    name,
                    "1",
                    value,
                    **more,
                    note="cost over the squared size; published: in square metres",
                )
            )
        made.append(
            make_row(
                column,
                "share not solved",
                "1",
                float(np.mean(costs[column] > SOLVED)),
                note="cost above 1e-6",
            )
        )
    note = "below 1e-28 both count as 1e-28: solved but for rounding"
    for name in ("Q3", "D9"):
        costs_there = {column: numbers[name] for column, numbers in found.items()}
        differences = min(
            cost for column, cost in costs_there.items() if column.startswith("finite")
        )
        for column in ("Gaussian", "Gumbel"):
            gain = ratio(costs_there["zeroth order"], costs_there[column])
            made.append(
                make_row(
                    name, f"zeroth order / {column}", "1", gain, relation=">=", goal=10.0, note=note
                )
            )
        gain = ratio(differences, costs_there["zeroth order"])
        made.append(
            make_row(
                name, "differences / zeroth order", "1", gain, relation=">=", goal=1.0, note=note
            )
        )
        best = min(cost for column, cost in costs_there.items() if column != OURS)
        made.append(ours_row(name, costs_there[OURS], best))
    unsolved = {column: float(np.mean(values > SOLVED)) for column, values in costs.items()}
    least = min(share for column, share in unsolved.items() if column != OURS)
    made.append(
        make_row(
            "share not solved",
            "ours - best other",
            "1",
            unsolved[OURS] - least,
            relation="<=",
            goal=0.0,
            note="cost above 1e-6",
        )
    )
    return made


def rows(settings: Settings, results: Sequence[tuple[str, dict[str, Array]]]) -> list[Row]:
    cells = collect(results)
    made = table_rows(cells["paper"])
    for variant, costs in cells.items():
        for column, values in costs.items() if variant != "paper" else ():
            numbers = quantiles(values)
            made += [
                make_row(f"{variant}: {column}", name, "1", numbers[name])
                for name in ("median", "Q3", "D9")
            ]
    return made


def draw(figure: Any, settings: Settings, results: Sequence[tuple[str, dict[str, Array]]]) -> None:
    cells = collect(results)
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.35))
    for column, values in cells["paper"].items():
        shares = np.arange(1, len(values) + 1) / len(values)
        left.plot(np.maximum(np.sort(values), 1e-34), shares, color=COLORS[column], label=column)
        if column in PUBLISHED:
            left.plot(
                PUBLISHED[column],
                (0.1, 0.25, 0.5, 0.75, 0.9),
                "o",
                ms=4,
                color=COLORS[column],
                mec="white",
                mew=0.5,
            )
    left.set_xscale("log")
    left.legend(fontsize=7, loc="upper left")
    figures.tidy(left, "Table I: curves ours, dots published", "terminal cost", "share of problems")
    for place, column in enumerate(COLUMNS):
        heights = [np.mean(costs[column] > SOLVED) for costs in cells.values()]
        at = np.arange(len(cells)) + 0.13 * (place - 2.5)
        right.barh(at, heights, 0.13, color=COLORS[column])
    right.set_yticks(range(len(cells)), list(cells), fontsize=8)
    right.invert_yaxis()
    figures.tidy(right, "what the open choices do", "share of problems with cost above 1e-6", "")


EXPERIMENT = Experiment(
    name="contact-pose",
    title="contact poses of rough shapes by five estimators and ours",
    source="Differentiable collision detection, Table I",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(13.0, 6.0),
)
