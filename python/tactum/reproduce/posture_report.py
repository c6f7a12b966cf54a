# SPDX-License-Identifier: BSD-2-Clause
"""The three posture experiments: starts, rows and figure. Each has a file of its own with what the
paper prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import tactum

from . import figures, scenarios
from .experiment import Experiment, Settings, task_seed
from .postures import Posture, Problem, Scenario, solve, start_of
from .report import Row, make_row

SPREAD = 0.3  # rad, of the joints of a random start
CASES = {
    "R = 10 m": ("stp", 10.0, True),
    "R = 100 m": ("stp", 100.0, True),
    "hull, 1 cm apart": ("hull", 10.0, True),
    "without collisions": ("stp", 10.0, False),
}
OURS, HULL, BLIND = "R = 10 m", "hull, 1 cm apart", "without collisions"

Task = tuple[list[int], str, str, int]  # seed, scenario, case, number of the start
Result = tuple[str, int, Posture]


@dataclass(frozen=True)
class Published:
    """What the paper prints of a scenario."""

    iterations: int
    pairs: int  #: with the environment
    calls: int  #: of the distance
    seconds: float
    blind_seconds: float | None  #: without collisions


def scenario_of(name: str) -> Scenario:
    """The scenario of that name."""
    found: Scenario = getattr(scenarios, name.replace("-", "_"))()
    return found


def work(task: Task) -> Result:
    """One start of one case; start 0 is the zero posture, as in the paper."""
    seed, name, case, number = task
    shape, big_radius, collisions = CASES[case]
    problem = Problem(scenario_of(name), shape, collisions, big_radius)
    start = start_of(problem, np.random.default_rng(seed), SPREAD if number else 0.0)
    return case, number, solve(problem, start)


def make_experiment(name: str, figure: str, published: Published) -> Experiment:
    """The experiment of a scenario."""

    def tasks(settings: Settings) -> list[Task]:
        starts = settings.pick(24, 2)
        found = [
            (task_seed(settings, k), name, case, k)
            for case in CASES
            for k in range(starts if case != BLIND else 1)
        ]
        return [task for task in found if not (settings.quick and task[2] == "R = 100 m")]

    def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
        return zero_rows(name, published, results) + start_rows(results)

    return Experiment(
        name=f"posture-{name}",
        title=f"a collision-free posture of a humanoid: {name}",
        source=f"Strictly convex hulls, {figure}",
        tasks=tasks,
        work=work,
        rows=rows,
        draw=lambda figure, settings, results: draw(figure, name, results),
    )


def zero_rows(name: str, published: Published, results: Sequence[Result]) -> list[Row]:
    """The run of the paper: from the zero posture."""
    found = {case: posture for case, number, posture in results if number == 0}
    ours, scenario = found[OURS], scenario_of(name)
    case = "from the zero posture"
    made = [
        make_row(
            case,
            "iterations",
            "1",
            ours.iterations if ours.converged else None,
            published=published.iterations,
            relation="<=",
            goal=published.iterations,
        ),
        make_row(
            case,
            "distances asked for",
            "1",
            ours.calls,
            published=published.calls,
            relation="<=",
            goal=published.calls,
            note="each with its gradient",
        ),
        make_row(
            case,
            "pairs with the environment",
            "1",
            len(scenario.near),
            published=published.pairs,
            relation=">=",
            goal=published.pairs,
        ),
        make_row(
            case,
            "pairs of the robot with itself",
            "1",
            len(Problem(scenario, "stp").pairs) - len(scenario.near),
            published=117,
            note="15 bodies; 8 of the 117 of the paper are formulas for joints",
        ),
        make_row(
            case,
            "worst violation of a constraint",
            "m",
            ours.lack,
            relation="<=",
            goal=1e-5,
        ),
        make_row(
            case,
            "clearance of the hulls",
            "m",
            ours.clearance,
            relation=">=",
            goal=0.0099,
            note="by single queries of other shapes, at the posture found",
        ),
        make_row(case, "time", "s", ours.seconds, published=published.seconds, timing=True),
    ]
    blind = found[BLIND]
    made += [
        make_row(BLIND, "pairs that overlap", "1", blind.touching, relation=">=", goal=1),
        make_row(BLIND, "iterations", "1", blind.iterations),
        make_row(
            BLIND,
            "time",
            "s",
            blind.seconds,
            published=published.blind_seconds,
            timing=True,
        ),
    ]
    return made


def start_rows(results: Sequence[Result]) -> list[Row]:
    """All starts, by shape."""
    made, medians, arrived = [], dict[str, float](), dict[str, float]()
    for case in CASES:
        found = [posture for name, _, posture in results if name == case]
        if not found or case == BLIND:
            continue
        arrived[case] = float(np.mean([posture.converged for posture in found]))
        medians[case] = float(np.median([posture.iterations for posture in found]))
        made += [
            make_row(case, "starts that arrive", "1", arrived[case]),
            make_row(case, "iterations, median", "1", medians[case]),
            make_row(case, "way, median", "rad", float(np.median([p.moved for p in found]))),
        ]
    made.append(
        make_row(
            "hull / R = 10 m",
            "iterations, median",
            "1",
            medians[HULL] / medians[OURS],
            relation=">=",
            goal=1.0,
        )
    )
    made.append(
        make_row(
            "hull - R = 10 m",
            "starts that arrive",
            "1",
            arrived[HULL] - arrived[OURS],
            relation="<=",
            goal=0.0,
        )
    )
    return made


def picture(name: str, posture: Posture, size: tuple[int, int] = (300, 380)) -> Any:
    """The robot in its place, by rays."""
    from .. import _demo_pile, _plot

    problem = Problem(scenario_of(name), "hull")
    scene = tactum.Scene()
    scene.add(tactum.HalfSpace())
    for points, X in zip(problem.robot.points, problem.robot.poses(posture.q)[0], strict=True):
        scene.add(tactum.Convex.from_points(points), X)
    for shape, X in problem.scenario.obstacles.values():
        scene.add(shape, X)
    height = 0.75 + float(problem.scenario.start[2])
    camera = _plot.Camera(np.array([0.15, 0.0, height]), 0.85, size, azimuth=-60.0, elevation=15.0)
    return _demo_pile.render_pile(scene, camera)


def draw(figure: Any, name: str, results: Sequence[Result]) -> None:
    """The posture without and with collisions, and who has arrived after so many iterations."""
    found = {case: posture for case, number, posture in results if number == 0}
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.0, 1.0, 1.4))
    for axes, case, title in (
        (left, BLIND, f"collisions left out: {found[BLIND].touching} pairs overlap"),
        (middle, OURS, f"free: {1000.0 * found[OURS].clearance:.1f} mm clear"),
    ):
        axes.imshow(picture(name, found[case]))
        axes.set_title(title, fontsize=9)
        axes.set_axis_off()
    colors = {OURS: "#1f4e8c", "R = 100 m": "#b4560e", HULL: "#23303f"}
    for case, color in colors.items():
        postures = [posture for name, _, posture in results if name == case]
        if postures:
            needed = np.sort([p.iterations if p.converged else np.inf for p in postures])
            share = np.arange(1, len(needed) + 1) / len(needed)
            right.step(needed, share, where="post", color=color, label=case)
    right.legend(fontsize=8, frameon=False, loc="lower right")
    right.set_ylim(0.0, 1.02)
    figures.tidy(right, "who has arrived", "iterations", "share of the starts")
