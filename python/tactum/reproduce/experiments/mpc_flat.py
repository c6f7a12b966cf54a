# SPDX-License-Identifier: BSD-2-Clause
"""Contact models, Fig. 17: a trot of Solo-12 under model predictive control, on level ground of
friction 0.9, simulated under each contact model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import trot, trot_report
from ..experiment import Experiment, Settings
from ..report import Row, make_row
from ..trot_report import COLUMNS, FEWER_COLUMNS, REACHED, SMALL, Result, Task

FRICTION = 0.9


def tasks(settings: Settings) -> list[Task]:
    if not trot.is_possible():
        return []
    steps = settings.pick(trot_report.STEPS, trot_report.FEWER_STEPS)
    return [(own, FRICTION, None, steps) for own in settings.pick(COLUMNS, FEWER_COLUMNS)]


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made = []
    for own, motion in results:
        case = trot_report.name_of(own)
        late = motion.velocity[len(motion.time) // 2 :, 0]
        off = abs(float(late.mean()) / trot.SPEED - 1.0)
        goal = None if settings.quick else REACHED  # a quick run ends while it still speeds up
        note = "the wanted speed is reached under every contact model"
        more: dict[str, Any] = {"relation": "<=", "goal": goal, "note": note}
        made.append(make_row(case, "off the wanted speed, second half", "1", off, **more))
        stands = float(not motion.fell)
        made.append(make_row(case, "stays upright", "1", stands, relation=">=", goal=1.0))
    made += trot_report.gap_rows(results, relation="<=", goal=SMALL)
    return made + trot_report.motion_rows(results)


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    trot_report.draw(figure, results)


EXPERIMENT = Experiment(
    name="mpc-flat",
    title="Solo-12 trots on level ground under model predictive control",
    source="Contact models, Fig. 17",
    tasks=tasks,
    work=trot_report.work,
    rows=rows,
    draw=draw,
    figure_size=(13.0, 7.5),
    uses=("pinocchio", "crocoddyl"),
)
