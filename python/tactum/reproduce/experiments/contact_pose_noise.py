# SPDX-License-Identifier: BSD-2-Clause
"""Differentiable collision detection, Fig. 6: what the scale of the noise and the number of samples
or rings do to convergence.

The paper shows one YCB problem. Here 20 random pairs of hulls with 10 problems each, targets and
starts as in contact-pose-ycb: Gumbel with 1, 3 and 5 rings over temperatures, Gaussian with 5, 20
and 80 samples over scales, both in the paper's form (the noise acts on the separation vector) and
in ours (on the unit normal, with variance reduction), where a scale keeps its meaning as the shapes
come together.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tactum

from .. import figures, ycb
from ..contact_problems import OURS, Array, Estimator, make_problems, merge, ratio, solve
from ..experiment import Experiment, Settings, task_seed
from ..report import Row, make_row

RINGS, SAMPLES = (1, 3, 5), (5, 20, 80)
# the paper's form: m^2 for Gumbel, m for Gaussian; ours: m and rad
SCALES = {
    ("Gumbel", "separation"): (1e-4, 1e-6, 1e-8, 1e-10),
    ("Gaussian", "separation"): (1e-1, 1e-2, 1e-4, 1e-6),
    ("Gumbel", "direction"): (1e-2, 1e-4, 1e-6, 1e-8),
    ("Gaussian", "direction"): (1.0, 1e-1, 1e-2, 1e-4),
}
EARLY = 10  # iterations

Key = tuple[str, str, int, float]  # estimator, relative to, rings or samples, scale
Task = tuple[
    list[int], list[tuple[str, str]], int, Path | None
]  # seed, pairs, problems of each, data


def make_estimator(key: Key) -> Estimator:
    name, relative_to, number, scale = key
    if name == "Gumbel":
        return tactum.Gumbel(
            rings=number,
            temperature=scale,
            relative_to="separation" if relative_to == "separation" else "direction",
        )
    if relative_to == "separation":
        return tactum.Gaussian(
            samples=number, scale=scale, variance_reduction=False, relative_to="separation"
        )
    return tactum.Gaussian(samples=number, scale=scale)


def keys() -> list[Key]:
    return [
        (name, relative_to, number, scale)
        for (name, relative_to), scales in SCALES.items()
        for number in (RINGS if name == "Gumbel" else SAMPLES)
        for scale in scales
    ]


def tasks(settings: Settings) -> list[Task]:
    pairs, count = settings.pick((20, 10), (3, 6))
    chosen = ycb.draw_pairs(pairs, np.random.default_rng(task_seed(settings, 0)), settings.data)
    return [
        (task_seed(settings, 1 + k), [pair], count, settings.data) for k, pair in enumerate(chosen)
    ]


def work(task: Task) -> dict[Any, Array]:
    """Histories of the cost by estimator, (problems, iterations + 1)."""
    seed, pairs, count, folder = task
    rng = np.random.default_rng(seed)
    parts: list[dict[Any, Array]] = []
    for name_a, name_b in pairs:
        problems = make_problems(ycb.hull(name_a, folder), ycb.hull(name_b, folder), rng, count)
        part: dict[Any, Array] = {key: solve(problems, make_estimator(key)) for key in keys()}
        parts.append(part | {OURS: solve(problems, None)})
    return merge(parts)


def describe(key: Key) -> str:
    name, relative_to, number, scale = key
    unit = {"Gumbel": ("m2", "m"), "Gaussian": ("m", "rad")}[name][relative_to == "direction"]
    return (
        f"{name}, {relative_to}, {'n_l' if name == 'Gumbel' else 'M'} = {number}, {scale:g} {unit}"
    )


def rows(settings: Settings, results: Sequence[dict[Any, Array]]) -> list[Row]:
    histories = merge(results)
    made = []
    for key, values in histories.items():
        case = OURS if key == OURS else describe(key)
        early, last = (np.quantile(values[:, k], (0.25, 0.5, 0.75)) for k in (EARLY, -1))
        made.append(
            make_row(
                case,
                f"median after {EARLY}",
                "1",
                float(early[1]),
                note="cost over the squared size",
            )
        )
        made.append(
            make_row(
                case, "median", "1", float(last[1]), note="terminal cost over the squared size"
            )
        )
        made.append(
            make_row(case, "Q3", "1", float(last[2]), note="terminal cost over the squared size")
        )
    for (name, relative_to), scales in SCALES.items():
        case, numbers = f"{name}, {relative_to}", RINGS if name == "Gumbel" else SAMPLES
        own = [histories[name, relative_to, numbers[1], scale] for scale in scales]
        for moment, when, relation, words in (
            (EARLY, f"after {EARLY}", "<=", "more noise, faster at first"),
            (-1, "terminal", ">=", "more noise, less precise in the end"),
        ):
            costs = [float(np.quantile(values[:, moment], 0.75)) for values in own]
            more = {"relation": relation, "goal": 1.0, "note": f"Q3, Fig. 6: {words}"}
            gain = ratio(costs[0], costs[-1])
            made.append(make_row(case, f"{when}: most / least noise", "1", gain, **more))
        few, many = (
            np.mean(
                [
                    np.log10(np.maximum(histories[name, relative_to, n, s][:, -1], 1e-28))
                    for s in scales
                ]
            )
            for n in (numbers[0], numbers[-1])
        )
        more = {
            "relation": "<=",
            "goal": 0.0,
            "note": "mean decades of the terminal cost over all scales: more samples, better",
        }
        made.append(
            make_row(case, "most - fewest samples or rings", "decades", float(many - few), **more)
        )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[dict[Any, Array]]) -> None:
    histories = merge(results)
    grid = figure.subplots(2, 2, sharex=True, sharey=True)
    for axes, ((name, relative_to), scales) in zip(grid.flat, SCALES.items(), strict=True):
        for shade, scale in enumerate(scales):
            for style, number in zip(
                ("-", "--", ":"), RINGS if name == "Gumbel" else SAMPLES, strict=True
            ):
                values = np.maximum(
                    np.median(histories[name, relative_to, number, scale], axis=0), 1e-33
                )
                label = describe((name, relative_to, number, scale)).split(", ", 2)[2]
                axes.plot(values, style, color=f"C{shade}", lw=1.2, label=label)
        axes.plot(
            np.maximum(np.median(histories[OURS], axis=0), 1e-33), color="black", lw=2, label=OURS
        )
        axes.set_yscale("log")
        axes.legend(fontsize=6, ncols=2)
        figures.tidy(
            axes, f"{name}, noise on the {relative_to}", "iteration", "median cost / size$^2$"
        )


EXPERIMENT = Experiment(
    name="contact-pose-noise",
    title="scale of the noise and number of samples or rings",
    source="Differentiable collision detection, Fig. 6",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(13.0, 9.0),
)
