# SPDX-License-Identifier: BSD-2-Clause
"""The three posture experiments: starts, rows and figure. Each has a file of its own with what the
paper prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import tactum

from . import figures, scenarios
from .experiment import Experiment, Settings, task_seed
from .humanoid import humanoid
from .postures import Posture, Problem, Scenario, solve, start_of
from .report import Row, make_row
from .talos import is_available, talos

SPREAD = 0.3  # rad, of the joints of a random start
FREE = 1e-5  # m and rad: what a posture without a violation may lack
OURS, HULL, BLIND = "R = 10 m", "hulls with margins", "without collisions"
FLAT = "R = 100 m"


@dataclass(frozen=True)
class Case:
    """A problem and an optimizer for it. searching: steps are halved, as FSQP does it."""

    shape: str = "stp"
    big_radius: float = 10.0
    collisions: bool = True
    searching: bool = False
    giant: bool = False  #: Talos instead of the robot that is modelled by us


SHAPES = {
    OURS: Case(),
    FLAT: Case(big_radius=100.0),
    HULL: Case(shape="hull"),
}
#: what stands before the names of the shapes
FAMILIES = {
    "": Case(),
    "line search, ": Case(searching=True),
    "Talos, ": Case(giant=True),
    "Talos, line search, ": Case(giant=True, searching=True),
}
CASES = {
    f"{family}{name}": replace(case, searching=kind.searching, giant=kind.giant)
    for family, kind in FAMILIES.items()
    for name, case in SHAPES.items()
} | {
    BLIND: Case(collisions=False),
    f"Talos, {BLIND}": Case(collisions=False, giant=True),
}

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


def problem_of(name: str, case: Case) -> Problem:
    """The problem of a scenario of that name."""
    scenario: Scenario = getattr(scenarios, name.replace("-", "_"))()
    robot = talos() if case.giant else humanoid()
    return Problem(
        scenarios.fitted(scenario, robot), case.shape, case.collisions, case.big_radius, robot
    )


def work(task: Task) -> Result:
    """One start of one case; start 0 is the zero posture, as in the paper."""
    seed, name, case, number = task
    problem = problem_of(name, CASES[case])
    start = start_of(problem, np.random.default_rng(seed), SPREAD if number else 0.0)
    return case, number, solve(problem, start, searching=CASES[case].searching)


def starts_of(case: Case) -> int:
    """How many starts a case gets at full size; Talos takes longer."""
    if not case.collisions:
        return 1
    return 6 if case.giant else 24


def make_experiment(name: str, figure: str, published: Published) -> Experiment:
    """The experiment of a scenario."""

    def tasks(settings: Settings) -> list[Task]:
        giant = is_available()
        return [
            (task_seed(settings, k), name, label, k)
            for label, case in CASES.items()
            for k in range(settings.pick(starts_of(case), 2 if case.collisions else 1))
            if giant or not case.giant
            if not settings.quick or label in (OURS, HULL, BLIND)
        ]

    def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
        made = zero_rows(name, published, results, "", "from the zero posture")
        if any(CASES[label].giant for label, _, _ in results):
            made += zero_rows(name, published, results, "Talos, ", "Talos, from the zero posture")
        return made + start_rows(results)

    return Experiment(
        name=f"posture-{name}",
        title=f"a collision-free posture of a humanoid: {name}",
        source=f"Strictly convex hulls, {figure}",
        tasks=tasks,
        work=work,
        rows=rows,
        draw=lambda figure, settings, results: draw(figure, name, results),
        uses=("pinocchio",),
    )


def zero_rows(
    name: str, published: Published, results: Sequence[Result], family: str, case: str
) -> list[Row]:
    """The run of the paper: from the zero posture. family: which robot; case: what rows are called."""
    found = {label: posture for label, number, posture in results if number == 0}
    ours, problem = found[family + OURS], problem_of(name, CASES[family + OURS])
    near = len(problem.scenario.near)

    def row(quantity: str, unit: str, value: Any, **rest: Any) -> Row:
        return make_row(case, quantity, unit, value, **rest)

    def effort(quantity: str, value: int, known: int, note: str = "") -> Row:
        # a run that does not arrive is not judged by how soon it ends
        judged = {"relation": "<=", "goal": known} if ours.converged else {}
        return row(quantity, "1", value, published=known, note=note, **judged)

    made = [
        row("it arrives", "1", int(ours.converged), relation=">=", goal=1),
        effort("iterations", ours.iterations, published.iterations),
        effort("distances asked for", ours.calls, published.calls, "each with its gradient"),
        row(
            "pairs with the environment",
            "1",
            near,
            published=published.pairs,
            relation=">=",
            goal=published.pairs,
        ),
        row(
            "pairs of the robot with itself",
            "1",
            len(problem.pairs) - near,
            published=117,
            note="15 bodies; 8 of the 117 of the paper are formulas for joints",
        ),
        row("worst violation of a constraint", "m", ours.lack, relation="<=", goal=FREE),
        row(
            "clearance of the hulls beyond their margins",
            "m",
            ours.clearance,
            relation=">=",
            goal=-1e-4,
            note="by single queries of other shapes, at the posture found",
        ),
        row("time", "s", ours.seconds, published=published.seconds, timing=True),
    ]
    if family + BLIND not in found:
        return made
    blind, label, seconds = found[family + BLIND], family + BLIND, published.blind_seconds
    return [
        *made,
        make_row(label, "pairs that overlap", "1", blind.touching, relation=">=", goal=1),
        make_row(label, "iterations", "1", blind.iterations),
        make_row(label, "time", "s", blind.seconds, published=seconds, timing=True),
    ]


def start_rows(results: Sequence[Result]) -> list[Row]:
    """All starts, by shape; and whether hulls need more iterations or arrive less often. A start
    arrives where the optimizer ends by itself, and not where no step helps it any more. Iterations
    and ways are those of starts that arrive: others end early or late for reasons of their own."""
    made, needed = list[Row](), dict[str, dict[int, int]]()
    counts: dict[str, int] = {}
    for label, case in CASES.items():
        found = {number: posture for name, number, posture in results if name == label}
        if len(found) < 2 or not case.collisions:
            continue
        counts[label] = len(found)
        there = {number: posture for number, posture in found.items() if posture.converged}
        needed[label] = {number: posture.iterations for number, posture in there.items()}
        free = sum(posture.lack < FREE for posture in found.values())
        made += [
            make_row(
                label, quantity, "1", count / len(found), note=f"{count} of {len(found)} starts"
            )
            for quantity, count in (
                ("starts that arrive", len(there)),
                ("starts that end without a violation", free),
            )
        ]
        for quantity, unit, values in (
            ("iterations", "1", [one.iterations for one in there.values()]),
            ("way", "rad", [one.moved for one in there.values()]),
        ):
            middle = float(np.median(values)) if values else None
            made.append(make_row(label, f"{quantity} where it arrives, median", unit, middle))
    for family in FAMILIES:
        if family + HULL in counts:
            made += hull_rows(family, needed, counts)
    return made


def hull_rows(family: str, needed: dict[str, dict[int, int]], counts: dict[str, int]) -> list[Row]:
    """Hulls beside volumes. needed: iterations by label and number of the start, where it arrives;
    counts: of starts, by label."""
    hull, ours = needed[family + HULL], needed[family + OURS]
    both, made = sorted(hull.keys() & ours.keys()), list[Row]()
    if both:
        ratio = np.median([hull[k] for k in both]) / np.median([ours[k] for k in both])
        made.append(
            make_row(
                f"{family}hull / R = 10 m",
                "iterations where both arrive, median",
                "1",
                float(ratio),
                relation=">=",
                goal=1.0,
            )
        )
    less = len(hull) / counts[family + HULL] - len(ours) / counts[family + OURS]
    made.append(
        make_row(
            f"{family}hull - R = 10 m", "starts that arrive", "1", less, relation="<=", goal=0.0
        )
    )
    return made


def picture(name: str, posture: Posture, case: Case, size: tuple[int, int] = (300, 380)) -> Any:
    """The robot in its place, by rays."""
    from .. import _demo_pile, _plot

    problem = problem_of(name, case)
    robot, scene = problem.robot, tactum.Scene()
    scene.add(tactum.HalfSpace())
    for points, X in zip(robot.points, robot.poses(posture.q)[0], strict=True):
        scene.add(tactum.Convex.from_points(points), X)
    for shape, X in problem.scenario.obstacles.values():
        scene.add(shape, X)
    center = np.array([0.15, 0.0, 0.75]) * robot.scale
    center[2] += float(problem.scenario.start[2])
    camera = _plot.Camera(center, 0.85 * robot.scale, size, azimuth=-60.0, elevation=15.0)
    return _demo_pile.render_pile(scene, camera)


def draw(figure: Any, name: str, results: Sequence[Result]) -> None:
    """Postures without and with collisions, and who has arrived after so many iterations."""
    found = {case: posture for case, number, posture in results if number == 0}
    shown = [
        (BLIND, f"collisions left out: {found[BLIND].touching} pairs overlap"),
        (OURS, "free of collisions"),
    ]
    giant = f"Talos, {OURS}"
    if giant in found:
        ending = "free of collisions" if found[giant].converged else "does not arrive"
        shown.append((giant, f"Talos, {ending}"))
    axes = figure.subplots(1, len(shown) + 1, width_ratios=(*(1.0 for _ in shown), 1.4))
    for place, (case, title) in zip(axes, shown):
        place.imshow(picture(name, found[case], CASES[case]))
        place.set_title(title, fontsize=9)
        place.set_axis_off()
    colors = {OURS: "#1f4e8c", FLAT: "#b4560e", HULL: "#23303f"}
    for family, style in zip(FAMILIES, ("-", "--", ":", "-.")):
        for shape, color in colors.items():
            postures = [posture for label, _, posture in results if label == family + shape]
            if len(postures) > 1:
                needed = np.sort([p.iterations if p.converged else np.inf for p in postures])
                share = np.arange(1, len(needed) + 1) / len(needed)
                axes[-1].step(needed, share, style, where="post", color=color, label=family + shape)
    axes[-1].legend(fontsize=6, frameon=False, loc="best")
    axes[-1].set_ylim(0.0, 1.02)
    figures.tidy(axes[-1], "who has arrived", "iterations", "share of the starts")
