# SPDX-License-Identifier: BSD-2-Clause
"""Strictly convex hulls, Fig. 16: time of a query against the number of vertices, for large moves.

As stp-small-moves, with turns of about 20 degrees and moves of about 2 cm: little is left of the
last answer. The paper finds the search for the features slower by the moves, and the volume on top
of it not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import stp_problems
from ..experiment import Experiment, Settings
from ..report import Row, make_row
from ..stp_problems import Result, Task, rows_of, sphere_patch_rows

ANGLE, SHIFT = np.deg2rad(20.0), 0.02
SMALL_ANGLE, SMALL_SHIFT = np.deg2rad(2.0), 0.002

Both = tuple[Result, Result]  # large moves, small moves


def tasks(settings: Settings) -> list[Task]:
    return stp_problems.tasks(settings, ANGLE, SHIFT)


def work(task: Task) -> Both:
    seed, frequency, _, _, steps, repeats = task
    return stp_problems.work(task), stp_problems.work(
        (seed, frequency, SMALL_ANGLE, SMALL_SHIFT, steps // 4, repeats)
    )


def rows(settings: Settings, results: Sequence[Both]) -> list[Row]:
    made = rows_of([large for large, _ in results]) + sphere_patch_rows(
        [large for large, _ in results]
    )
    for (count, large), (_, small) in results:
        for name in stp_problems.SHAPES:
            case = f"{count} vertices, {name}"
            pairs = float(large[name]["support_calls"].mean() / small[name]["support_calls"].mean())
            made.append(
                make_row(
                    case, "support pairs, large / small moves", "1", pairs, relation=">=", goal=1.0
                )
            )
            times = float(
                np.median(large[name]["distance_ns"]) / np.median(small[name]["distance_ns"])
            )
            made.append(
                make_row(
                    case,
                    "time, large / small moves",
                    "1",
                    times,
                    relation=">=",
                    goal=1.0,
                    timing=True,
                )
            )
        gradient = float(
            np.median(large["R = 10 m"]["gradient_ns"])
            / np.median(small["R = 10 m"]["gradient_ns"])
        )
        made.append(
            make_row(
                f"{count} vertices, R = 10 m",
                "gradient, large / small moves",
                "1",
                gradient,
                relation="<=",
                goal=1.5,
                timing=True,
            )
        )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Both]) -> None:
    stp_problems.draw(
        figure, [large for large, _ in results], "Fig. 16: large moves, 20 degrees and 2 cm"
    )


EXPERIMENT = Experiment(
    name="stp-large-moves",
    title="time against the number of vertices, large moves",
    source="Strictly convex hulls, Fig. 16",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
)
