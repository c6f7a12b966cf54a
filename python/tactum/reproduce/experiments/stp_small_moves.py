# SPDX-License-Identifier: BSD-2-Clause
"""Strictly convex hulls, Fig. 15: time of a query against the number of vertices, for small moves.

Two geodesic spheres turn by about 2 degrees about each axis and move by about 2 mm between two
queries, as STP volumes with R = 10 m and R = 100 m and as the hull of the same points. The body
between the big spheres alone (section III-E: creases and corners instead of tori and small spheres)
is a column.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import tactum

from .. import stp_problems
from ..experiment import Experiment, Settings
from ..report import Row, make_row
from ..stp_problems import Array, Result, Task, growth, rows_of, sphere_patch_rows

ANGLE, SHIFT = np.deg2rad(2.0), 0.002
# the paper calls the growth of its distance layer almost that of a square root; nearly independent
# of the number of vertices would be a time that does not double
SQUARE_ROOT, NEARLY_INDEPENDENT = 0.5, 2.0


def tasks(settings: Settings) -> list[Task]:
    return stp_problems.tasks(settings, ANGLE, SHIFT)


def construction_points() -> Array:
    """5000 points, all of which carry a patch."""
    points = np.random.default_rng(0).normal(size=(5000, 3))
    return np.asarray(0.5 * points / np.linalg.norm(points, axis=1, keepdims=True))


def construction_time(points: Array) -> float:
    """ms, the best of three."""
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        tactum.Stp.from_points(points, small_radius=0.01, big_radius=10.0)
        best = min(best, time.perf_counter() - start)
    return 1e3 * float(best)


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made = rows_of(results) + sphere_patch_rows(results)
    span = f"{results[-1][0]} / {results[0][0]} vertices"
    for name in stp_problems.SHAPES[1:]:
        # counts stand for the time, which depends on the machine
        counts = [float(found[name]["support_calls"].mean()) for _, found in results]
        made.append(
            make_row(
                f"{span}, {name}",
                "growth of support pairs",
                "1",
                counts[-1] / counts[0],
                relation="<=",
                goal=4.0,
            )
        )
        exponent = float(np.log(growth(results, name)) / np.log(results[-1][0] / results[0][0]))
        made.append(
            make_row(
                f"{span}, {name}",
                "exponent of time",
                "1",
                exponent,
                relation="<=",
                goal=SQUARE_ROOT,
                timing=True,
            )
        )
        made.append(
            make_row(
                f"{span}, {name}",
                "growth of time",
                "1",
                growth(results, name),
                relation="<=",
                goal=NEARLY_INDEPENDENT,
                timing=True,
            )
        )
    points = construction_points()
    made.append(
        make_row(
            f"{len(points)} points on a sphere",
            "time to build a volume",
            "ms",
            construction_time(points),
            relation="<=",
            goal=20.0,
            timing=True,
        )
    )
    for count, found in results:
        ratio = float(
            np.median(found["R = 10 m"]["distance_ns"]) / np.median(found["hull"]["distance_ns"])
        )
        made.append(
            make_row(
                f"{count} vertices, R = 10 m",
                "time / hull",
                "1",
                ratio,
                relation="<=",
                goal=1.5,
                timing=True,
            )
        )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    stp_problems.draw(figure, results, "Fig. 15: small moves, 2 degrees and 2 mm")


EXPERIMENT = Experiment(
    name="stp-small-moves",
    title="time against the number of vertices, small moves",
    source="Strictly convex hulls, Fig. 15",
    tasks=tasks,
    work=stp_problems.work,
    rows=rows,
    draw=draw,
)
