# SPDX-License-Identifier: BSD-2-Clause
"""GJK++, Table III: iterations with and without the simplex of GJK, on ellipsoids (a) and on cubes
(b).

1000 problems a class: overlapping and close are 0.1 mm, 1 mm, 1 cm and 0.1 m in equal parts,
distant is 1 m, as in the authors' public benchmarks. The paper gives neither the sizes nor the
limit on Frank-Wolfe; here semi-axes are normal with mean 0.06 m and deviation 0.015 m, cubes have
edges of 1 m, and Frank-Wolfe ends after 15 000 iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tactum

from .. import figures
from ..experiment import Experiment, Settings, task_seed
from ..measure import Array, ask, quartiles, with_coal
from ..problems import Rng, at_distance, separated_poses
from ..report import Row, make_row

CLASSES = {
    "overlapping": (-0.1, -0.01, -0.001, -0.0001),
    "close": (0.0001, 0.001, 0.01, 0.1),
    "distant": (1.0,),
}
METHODS = ("frank_wolfe", "nesmino", "gjk", "nesterov", "auto")
CELLS = [(kind, name) for kind in ("ellipsoids", "cubes") for name in CLASSES]
# mean and deviation in the order of CELLS
TABLE_III = {
    "frank_wolfe": ((73, 62), (48, 42), (4, 1), (5400, 4800), (14300, 9700), (13100, 13500)),
    "nesmino": ((50, 18), (74, 29), (18, 2), (922, 244), (828, 225), (623, 219)),
    "gjk": ((6, 2), (16, 5), (4, 1), (6, 1), (5, 1), (4, 1)),
    "nesterov": ((6, 3), (7, 2), (13, 4), (5, 1), (4, 1), (3, 1)),
}
MAX_ITERATIONS = 15_000
PROBLEMS_A_TASK = 20

Task = tuple[list[int], str, str, int]  # seed, shapes, class, problems
Counts = tuple[str, str, dict[str, Array]]


def tasks(settings: Settings) -> list[Task]:
    count = settings.pick(50, 10)
    cells = [(cell, part) for part in range(count) for cell in CELLS]
    return [(task_seed(settings, k), *cell, PROBLEMS_A_TASK) for k, (cell, _) in enumerate(cells)]


def random_shape(kind: str, rng: Rng) -> tactum.Shape:
    if kind == "cubes":
        return tactum.Box(half_extents=(0.5, 0.5, 0.5))
    return tactum.Ellipsoid(semi_axes=np.maximum(rng.normal(0.06, 0.015, size=3), 0.01))


def work(task: Task) -> Counts:
    seed, kind, name, count = task
    rng = np.random.default_rng(seed)
    found: dict[str, list[Array]] = {method: [] for method in with_coal(METHODS)}
    for index in range(count):
        start = separated_poses(random_shape(kind, rng), random_shape(kind, rng), rng, 1)
        problems = at_distance(start, CLASSES[name][index % len(CLASSES[name])])
        for method, counts in found.items():
            counts.append(
                ask(problems, "distance", method, max_iterations=MAX_ITERATIONS)["iterations"]
            )
    return kind, name, {method: np.concatenate(counts) for method, counts in found.items()}


def collect(results: Sequence[Counts]) -> dict[tuple[str, str], dict[str, Array]]:
    """The counts of all tasks by cell."""
    cells: dict[tuple[str, str], dict[str, Array]] = {}
    for cell in CELLS:
        own = [counts for kind, name, counts in results if (kind, name) == cell]
        cells[cell] = {
            method: np.concatenate([counts[method] for counts in own]) for method in own[0]
        }
    return cells


def rows(settings: Settings, results: Sequence[Counts]) -> list[Row]:
    made = []
    for cell, ((kind, name), counts) in enumerate(collect(results).items()):
        for method in METHODS:
            known, deviation = TABLE_III[method][cell] if method in TABLE_III else (None, None)
            peers = (
                {"coal": float(counts[f"coal {method}"].mean())}
                if f"coal {method}" in counts
                else {}
            )
            mean, spread = float(counts[method].mean()), quartiles(counts[method])
            case = f"{kind}, {name}, {method}"
            made.append(
                make_row(case, "iterations", "1", mean, spread=spread, published=known, peers=peers)
            )
            if known is not None and deviation is not None:
                note = "from the published mean, in published deviations"
                off = abs(mean - known) / deviation
                made.append(
                    make_row(case, "deviations off", "1", off, relation="<=", goal=1.0, note=note)
                )
        if kind == "cubes":
            ratio = float(counts["nesterov"].mean() / counts["gjk"].mean())
            made.append(
                make_row(
                    f"{kind}, {name}",
                    "iterations, nesterov / gjk",
                    "1",
                    ratio,
                    relation="<=",
                    goal=1.0,
                )
            )
            more_often = float(np.mean(counts["nesterov"] > counts["gjk"]))
            made.append(
                make_row(
                    f"{kind}, {name}",
                    "share of problems where nesterov needs more",
                    "1",
                    more_often,
                    relation="<=",
                    goal=0.0,
                )
            )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Counts]) -> None:
    cells = collect(results)
    for axes, kind, letter in zip(
        figure.subplots(1, 2), ("ellipsoids", "cubes"), "ab", strict=True
    ):
        own = [cell for cell in CELLS if cell[0] == kind]
        columns = [
            (
                method,
                [float(cells[cell][method].mean()) for cell in own],
                [known[CELLS.index(cell)] for cell in own],
            )
            for method, known in TABLE_III.items()
        ]
        figures.draw_bars(
            axes, list(CLASSES), columns, f"Table III ({letter}): {kind}", "iterations"
        )
        axes.set_yscale("log")
    figure.axes[0].legend(fontsize=8)


EXPERIMENT = Experiment(
    name="gjk-simplex",
    title="iterations with and without the simplex",
    source="GJK++, Table III",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    uses=("coal",),
)
