# SPDX-License-Identifier: BSD-2-Clause
"""GJK++, Fig. 8: what making the support directions unit does to both accelerations, on YCB hulls
in close proximity.

All pairs of objects with ten random poses each, at 0.1 mm to 0.1 m, distance and Boolean check.
coal normalizes for Nesterov alone; it is asked on a tenth of the problems. Times of distances are
those of the search alone, as in the paper; coal's are of whole queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np

from .. import figures, ycb
from ..experiment import Experiment, Settings, task_seed
from ..measure import (
    CHECKED,
    QUERIES,
    TIMED,
    Samples,
    merge,
    pool,
    rows_by_distance,
    sweep,
    with_coal,
)
from ..problems import separated_poses
from ..report import Row, make_row

METHODS = ("gjk", "polyak", "polyak_normalized", "nesterov", "nesterov_normalized", "auto")
DISTANCES = (0.0001, 0.001, 0.01, 0.1)
# the weights that the plain names do not have
AUTHORS = "nesterov_normalized, weights authors"
PRINTED = ("polyak, weights printed", "polyak_normalized, weights printed")
PAIRS_A_TASK = 30

Task = tuple[
    list[int], list[tuple[str, str]], int, int, Path | None
]  # seed, pairs, poses, repeats, data


def tasks(settings: Settings) -> list[Task]:
    poses, repeats = settings.pick((10, 10), (4, 3))
    pairs = list(combinations_with_replacement(ycb.object_names(settings.data), 2))
    if settings.quick:
        pairs = [
            pairs[k] for k in np.random.default_rng(settings.seed).permutation(len(pairs))[:60]
        ]
    parts = [pairs[k : k + PAIRS_A_TASK] for k in range(0, len(pairs), PAIRS_A_TASK)]
    return [
        (task_seed(settings, index), part, poses, repeats, settings.data)
        for index, part in enumerate(parts)
    ]


def work(task: Task) -> Samples:
    seed, pairs, poses, repeats, folder = task
    rng = np.random.default_rng(seed)
    parts = []
    for name_a, name_b in pairs:
        problems = separated_poses(ycb.hull(name_a, folder), ycb.hull(name_b, folder), rng, poses)
        parts.append(
            sweep(problems, DISTANCES, QUERIES, with_coal(METHODS), repeats, coal_share=10)
            | sweep(problems, DISTANCES, QUERIES, (AUTHORS,), repeats)
            | sweep(problems, DISTANCES, CHECKED, PRINTED, repeats=1)
        )
    return merge(parts)


def ratio(samples: Samples, query: str, plain: str, unit: str) -> float | None:
    """Iterations of a method with unit directions over those of one without."""
    own, other = (pool(samples, query, name, "iterations") for name in (unit, plain))
    return float(own.mean() / other.mean()) if len(own) and len(other) else None


def rows(settings: Settings, results: Sequence[Samples]) -> list[Row]:
    samples = merge(results)
    made: list[Row] = []
    # Polyak must not gain: a thousandth is what counts as equal
    kinds: tuple[tuple[str, str, str, str, float, str], ...] = (
        ("nesterov", "nesterov", "nesterov_normalized", "<=", 1.0, "printed weights"),
        ("nesterov", "nesterov", AUTHORS, "<=", 1.0, "the authors' weight (k + 2) / (k + 3)"),
        ("polyak", "polyak", "polyak_normalized", ">=", 0.999, "the authors' weights"),
        ("polyak", *PRINTED, ">=", 0.999, "printed weights"),
    )
    for query in CHECKED:
        for family, plain, unit, relation, goal, weights in kinds:
            more: dict[str, Any] = {"relation": relation, "goal": goal, "note": "iterations"}
            theirs = ratio(samples, query, f"coal {plain}", f"coal {unit.split(',')[0]}")
            if theirs is not None and "authors" in weights:
                more["peers"] = {"coal": theirs}
            quantity = f"normalized / plain, {family}, {weights}"
            gain = ratio(samples, query, plain, unit)
            made.append(make_row(f"{query}, close", quantity, "1", gain, **more))
    made += rows_by_distance(
        {key: values for key, values in samples.items() if key[0] != "search"}, "iterations", "1"
    )
    return made + rows_by_distance(samples, "nanoseconds", "us", scale=1e-3, timing=True)


def draw(figure: Any, settings: Settings, results: Sequence[Samples]) -> None:
    samples = merge(results)
    grid = figure.subplots(2, 2)
    shown = (*METHODS[:5], AUTHORS)
    for line, query in zip(grid, CHECKED, strict=True):
        for axes, quantity, unit, scale in zip(
            line, ("nanoseconds", "iterations"), (" [us]", ""), (1e-3, 1.0), strict=True
        ):
            columns = [
                (method, scale * pool(samples, TIMED[query], method, quantity)) for method in shown
            ]
            name = "time" if unit else quantity
            figures.draw_boxes(axes, columns, f"{query}, 0 m < distance <= 0.1 m", name + unit)


EXPERIMENT = Experiment(
    name="gjk-normalization",
    title="normalized support directions on YCB hulls in close proximity",
    source="GJK++, Fig. 8",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(12.0, 7.5),
    uses=("coal",),
)
