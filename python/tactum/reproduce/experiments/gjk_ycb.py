# SPDX-License-Identifier: BSD-2-Clause
"""GJK++, Figs. 9 to 11 and Table I: distance and Boolean check on the hulls of the YCB objects.

Figures: all pairs of objects, ten random poses each, -0.1 m to 1 m. Table: the six pairs of three
objects with 244, 1811 and 3585 corners (the paper shows them as pictures; these have its numbers of
vertices, but for 244 against 240), -1 cm to 1 cm. Each problem is solved 10 times (Table I: 100),
and the mean of the fastest 90 % counts. coal is asked on a tenth of the problems. The paper times
the search alone; whole queries of ours, and coal's, also prove their answer or find the depth, and
only they are compared with auto.
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
    Array,
    Samples,
    merge,
    pool,
    quartiles,
    rows_by_distance,
    sweep,
    with_coal,
)
from ..problems import separated_poses
from ..report import Row, make_row

METHODS = ("gjk", "polyak", "nesterov_normalized", "auto")
DISTANCES = (-0.1, -0.01, -0.001, -0.0001, 0.0001, 0.001, 0.01, 0.1, 1.0)
TABLE_DISTANCES = (-0.01, -0.001, -0.0001, 0.0001, 0.001, 0.01)
TABLE_OBJECTS = {240: "042_adjustable_wrench", 1811: "021_bleach_cleanser", 3585: "056_tennis_ball"}
# microseconds, mean and deviation, of gjk, polyak, nesterov (normalized); distance, then Boolean
# check
TABLE_I = {
    (240, 240): (((1.1, 0.3), (0.9, 0.3), (0.9, 0.3)), ((0.9, 0.4), (0.7, 0.4), (0.8, 0.4))),
    (240, 1811): (((1.9, 0.5), (1.5, 0.5), (1.4, 0.5)), ((1.5, 0.6), (1.2, 0.6), (1.1, 0.6))),
    (240, 3585): (((3.2, 0.8), (2.3, 0.7), (2.4, 0.7)), ((2.5, 0.9), (1.7, 0.8), (1.9, 1.0))),
    (1811, 1811): (((2.7, 0.8), (2.1, 0.7), (1.9, 0.6)), ((2.3, 0.8), (1.6, 0.8), (1.5, 0.8))),
    (1811, 3585): (((4.0, 1.0), (2.9, 0.9), (2.9, 1.0)), ((3.1, 1.2), (2.1, 1.0), (2.2, 1.3))),
    (3585, 3585): (((4.4, 1.3), (2.9, 1.0), (3.0, 0.9)), ((3.0, 1.9), (2.1, 1.4), (2.1, 1.4))),
}
PAIRS_A_TASK = 30

Task = tuple[
    list[int], list[tuple[str, str]], tuple[float, ...], int, int, Path | None
]  # seed, pairs, distances, poses, repeats, data


def tasks(settings: Settings) -> list[Task]:
    """The cells of Table I in its order, then the pairs of the figures."""
    poses, repeats, table_poses, table_repeats = settings.pick((10, 10, 200, 100), (2, 2, 20, 5))
    cells = [[(TABLE_OBJECTS[a], TABLE_OBJECTS[b])] for a, b in TABLE_I]
    pairs = list(combinations_with_replacement(ycb.object_names(settings.data), 2))
    if settings.quick:
        pairs = [
            pairs[k] for k in np.random.default_rng(settings.seed).permutation(len(pairs))[:60]
        ]
    parts = [pairs[k : k + PAIRS_A_TASK] for k in range(0, len(pairs), PAIRS_A_TASK)]
    made: list[Task] = []
    for chosen, distances, count, times in (
        (cells, TABLE_DISTANCES, table_poses, table_repeats),
        (parts, DISTANCES, poses, repeats),
    ):
        made += [
            (task_seed(settings, len(made) + k), part, distances, count, times, settings.data)
            for k, part in enumerate(chosen)
        ]
    return made


def work(task: Task) -> Samples:
    seed, pairs, distances, poses, repeats, folder = task
    rng = np.random.default_rng(seed)
    parts = []
    for name_a, name_b in pairs:
        problems = separated_poses(ycb.hull(name_a, folder), ycb.hull(name_b, folder), rng, poses)
        parts.append(
            sweep(problems, distances, QUERIES, with_coal(METHODS), repeats, coal_share=10)
        )
    return merge(parts)


def split(results: Sequence[Samples]) -> tuple[dict[tuple[int, int], Samples], Samples]:
    """The cells of Table I, and everything for the figures."""
    return dict(zip(TABLE_I, results, strict=False)), merge(results[len(TABLE_I) :])


def table_rows(cell: tuple[int, int], samples: Samples) -> list[Row]:
    made = []
    for query, published in zip(CHECKED, TABLE_I[cell], strict=True):
        case = f"N = {cell[0]} and {cell[1]}, {query}"
        for method, (known, _) in zip(METHODS, published, strict=False):
            values = 1e-3 * pool(samples, TIMED[query], method, "nanoseconds")
            more = {
                "spread": quartiles(values),
                "published": known,
                "timing": True,
                "note": "as the paper times it",
            }
            made.append(make_row(case, f"time, {method}", "us", float(values.mean()), **more))
        times = {
            method: float(1e-3 * pool(samples, query, method, "nanoseconds").mean())
            for method in with_coal(METHODS)
        }
        for method in METHODS:
            peers = {"coal": times[f"coal {method}"]} if f"coal {method}" in times else {}
            made.append(
                make_row(
                    case, f"whole query, {method}", "us", times[method], peers=peers, timing=True
                )
            )
        best = min((mean, method) for method, mean in times.items() if method != "auto")
        more = {"relation": ">=", "goal": 1.0, "timing": True, "note": f"best: {best[1]}"}
        made.append(
            make_row(case, "whole query, best / auto", "1", best[0] / times["auto"], **more)
        )
        search = min(
            float(1e-3 * pool(samples, TIMED[query], method, "nanoseconds").mean())
            for method in METHODS[:3]
        )
        note = "auto also proves the distance and finds the depth, a search does neither"
        made.append(
            make_row(
                case,
                "best search / whole auto",
                "1",
                search / times["auto"],
                relation=">=",
                goal=1.0,
                timing=True,
                note=note,
            )
        )
    return made


def speed_up(samples: Samples, query: str, method: str, distance: float) -> Array:
    """Time of GJK over that of the method, problem by problem, as the paper times them."""
    ours, gjk = (samples[TIMED[query], name, distance]["nanoseconds"] for name in (method, "gjk"))
    return np.asarray(gjk / np.maximum(ours, 1.0))


def rows(settings: Settings, results: Sequence[Samples]) -> list[Row]:
    cells, samples = split(results)
    made = [row for cell, own in cells.items() for row in table_rows(cell, own)]
    for method in ("polyak", "nesterov_normalized"):
        visited, calls = (
            [pool(samples, "search", name, quantity).sum() for name in (method, "gjk")]
            for quantity in ("vertices_visited", "support_calls")
        )
        fewer = float(visited[0] / visited[1])
        for quantity, value in (
            ("vertices", fewer),
            ("vertices of a support call", fewer * float(calls[1] / calls[0])),
        ):
            more = {"relation": "<=", "goal": 1.0, "note": "hill climbing, section II"}
            name = f"{quantity}, {method} / gjk"
            made.append(make_row("distance, all problems", name, "1", value, **more))
    asked = {key: values for key, values in samples.items() if key[0] != "search"}
    searched = {key: values for key, values in samples.items() if key[0] == "search"}
    made += rows_by_distance(asked, "iterations", "1") + rows_by_distance(
        searched, "vertices_visited", "1"
    )
    made += rows_by_distance(samples, "nanoseconds", "us", scale=1e-3, timing=True)
    for query in CHECKED:
        for method in ("polyak", "nesterov_normalized"):
            for distance in DISTANCES:
                ratio = speed_up(samples, query, method, distance)
                case = f"{query}, {method}, {distance:+g} m"
                made.append(
                    make_row(
                        case,
                        "speed-up over gjk",
                        "1",
                        float(np.median(ratio)),
                        spread=quartiles(ratio),
                        timing=True,
                        note="median",
                    )
                )
    return made


def draw_speed_up(axes: Any, samples: Samples, query: str) -> None:
    for place, method in enumerate(("polyak", "nesterov_normalized")):
        ratios = [speed_up(samples, query, method, d) for d in DISTANCES]
        at = [k + 0.3 * place for k in range(len(DISTANCES))]
        style = {
            "widths": 0.25,
            "whis": (5, 95),
            "showfliers": False,
            "patch_artist": True,
            "manage_ticks": False,
        }
        for box in axes.boxplot(ratios, positions=at, **style)["boxes"]:
            box.set(facecolor=figures.color(method), alpha=0.5)
    axes.axhline(1.0, color="#23303f", lw=0.8)
    axes.set_xticks(range(len(DISTANCES)), [f"{d:g}" for d in DISTANCES], rotation=45, fontsize=8)
    figures.tidy(axes, f"Fig. 11: {query}", "signed distance [m]", "time of GJK / time")


def draw(figure: Any, settings: Settings, results: Sequence[Samples]) -> None:
    cells, samples = split(results)
    grid = figure.subplots(4, 2)
    shown = METHODS[:3]
    for column, (query, number) in enumerate(zip(CHECKED, (9, 10), strict=True)):
        title = f"Fig. {number} (b): {query}"
        figures.draw_by_distance(
            grid[0][column], samples, query, shown, "iterations", f"Fig. {number} (a): {query}"
        )
        figures.draw_by_distance(
            grid[1][column], samples, TIMED[query], shown, "nanoseconds", title, "us", 1e-3
        )
        figures.draw_by_distance(
            grid[1][column], samples, query, ["auto"], "nanoseconds", title, "us", 1e-3
        )
        draw_speed_up(grid[2][column], samples, query)
        columns = []
        for place, method in enumerate(METHODS):
            asked = TIMED[query] if method in shown else query
            means = [
                float(1e-3 * pool(own, asked, method, "nanoseconds").mean())
                for own in cells.values()
            ]
            columns.append(
                (
                    method,
                    means,
                    [TABLE_I[cell][column][place] for cell in cells] if method in shown else [],
                )
            )
        figures.draw_bars(
            grid[3][column],
            [f"{a} and\n{b}" for a, b in cells],
            columns,
            f"Table I: {query}",
            "time [us]",
        )
    for line in (0, 1, 3):
        grid[line][0].legend(fontsize=8)


EXPERIMENT = Experiment(
    name="gjk-ycb",
    title="distance and Boolean check on YCB hulls",
    source="GJK++, Figs. 9 to 11, Table I",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(12.0, 15.5),
    uses=("coal",),
)
