# SPDX-License-Identifier: BSD-2-Clause
"""Strictly convex hulls, section VIII: with a larger big radius an optimizer takes longer, with the
polyhedron it does not arrive.

The paper's posture generator takes 265 and 74 iterations with R = 10 m and 393 and 282 with R = 100
m: flatter volumes have gradients that change faster. The same on the smallest problem that shows
it: a box is to come as near as it can to a pose in a corner of three walls, and to stay 2 cm away
from each. The walls are slabs; a gradient method sees one distance and one gradient for each. Only
the shapes differ: volumes of r = 1 cm over the corners, and hulls with a margin of 1 cm.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

import tactum

from .. import figures
from ..experiment import Experiment, Settings, task_seed
from ..measure import quartiles
from ..report import Row, make_row
from ..sequential_qp import Outcome, View, minimize
from ..stp_problems import SMALL_RADIUS, Array

SHAPES = ("R = 1 m", "R = 10 m", "R = 100 m", "R = 1000 m", "hull")
CLEARANCE = 0.02  # m
TURN_WEIGHT = 0.01  # m^2/rad^2: what a turn away from the axes costs beside a metre
LONGEST_TURN = 0.5  # rad, of one step
TOLERANCE, MOST_ITERATIONS = 1e-7, 500
# iterations, calls of the distance with R = 10 m and with 100 m (sections VII and VIII)
PUBLISHED = {"fridge": ((74, 282), (11675, 68931)), "at work": ((265, 393), (54993, 88505))}

Task = tuple[list[int], int]  # seed, starts
Result = dict[str, list[Outcome]]


def corners(half_extents: Array) -> Array:
    return np.array(list(itertools.product(*[(-h, h) for h in half_extents])))


def shape_of(name: str, points: Array) -> tactum.Shape:
    if name == "hull":
        return tactum.Convex.from_points(points, margin=SMALL_RADIUS)
    return tactum.Stp.from_points(
        points, small_radius=SMALL_RADIUS, big_radius=float(name.split()[2])
    )


def turn(w: Array) -> Array:
    """Rotation by the vector w (Rodrigues)."""
    angle = float(np.linalg.norm(w))
    K = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    return np.asarray(
        np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * K @ K
    )


def vector_of(R: Array) -> Array:
    """w with turn(w) = R, for angles below half a turn."""
    axis = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    angle = np.arctan2(np.linalg.norm(axis), 0.5 * (np.trace(R) - 1.0))
    return np.asarray(axis / np.sinc(angle / np.pi))


def move(X: Array, step: Array) -> Array:
    """The pose after a motion (6,) in its own frame: translation, rotation."""
    found = X.copy()
    found[:3, :3] = X[:3, :3] @ turn(step[3:])
    found[:3, 3] += X[:3, :3] @ step[:3]
    return found


def longest(step: Array) -> float:
    return min(1.0, LONGEST_TURN / max(float(np.linalg.norm(step[3:])), 1e-300))


class Placement:
    """A box among three walls, made of one sort of shape."""

    def __init__(self, name: str, half_extents: Array, target: Array) -> None:
        self.box, self.target, self.walls = shape_of(name, corners(half_extents)), target, []
        for i in range(3):
            half, X = np.full(3, 0.6), np.eye(4)
            half[i], X[i, 3] = 0.1, -0.1
            self.walls.append((shape_of(name, corners(half)), X))

    def look(self, X: Array) -> View:
        away, turned = X[:3, 3] - self.target, vector_of(X[:3, :3])
        cost = 0.5 * float(away @ away + TURN_WEIGHT * turned @ turned)
        found = [
            tactum.distance_derivative(self.box, X, wall, X_W, frame="local")
            for wall, X_W in self.walls
        ]
        return View(
            cost,
            np.concatenate([X[:3, :3].T @ away, TURN_WEIGHT * turned]),
            np.array([one.value.distance - CLEARANCE for one in found]),
            np.array([one.distance_jacobian[:6] for one in found]),
        )


def tasks(settings: Settings) -> list[Task]:
    return [(task_seed(settings, k), settings.pick(25, 5)) for k in range(settings.pick(12, 2))]


def work(task: Task) -> Result:
    """Random starts, used for every shape."""
    seed, starts = task
    found: Result = {name: [] for name in SHAPES}
    for k in range(starts):
        rng = np.random.default_rng([*seed, k])
        half_extents, target, start = (
            rng.uniform(0.05, 0.2, size=3),
            rng.uniform(-0.05, 0.05, size=3),
            np.eye(4),
        )
        w = rng.normal(size=3)
        start[:3, :3], start[:3, 3] = (
            turn(rng.uniform(0.0, 1.5) * w / np.linalg.norm(w)),
            rng.uniform(0.35, 0.6, size=3),
        )
        curvature = np.diag([1.0, 1.0, 1.0, 0.05, 0.05, 0.05])
        for name in SHAPES:
            problem = Placement(name, half_extents, target)
            found[name].append(
                minimize(
                    start,
                    problem.look,
                    move,
                    curvature,
                    longest=longest,
                    tolerance=TOLERANCE,
                    most_iterations=MOST_ITERATIONS,
                )
            )
    return found


def joined(results: Sequence[Result], name: str) -> list[Outcome]:
    return [one for found in results for one in found[name]]


def means(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Iterations and evaluations."""
    return float(np.mean([one.iterations for one in outcomes])), float(
        np.mean([one.evaluations for one in outcomes])
    )


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made = []
    for name in SHAPES:
        outcomes = joined(results, name)
        iterations = np.array([one.iterations for one in outcomes])
        made.append(
            make_row(
                name, "iterations", "1", float(iterations.mean()), spread=quartiles(iterations)
            )
        )
        made.append(make_row(name, "evaluations", "1", means(outcomes)[1]))
        converged = float(np.mean([one.converged for one in outcomes]))
        relation, goal = {
            "R = 10 m": (">=", 0.95),
            "R = 100 m": (">=", 0.9),
            "hull": ("<=", 0.5),
        }.get(name, (None, None))
        made.append(make_row(name, "converged", "1", converged, relation=relation, goal=goal))
    ten, hundred = means(joined(results, "R = 10 m")), means(joined(results, "R = 100 m"))
    for k, quantity in enumerate(("iterations", "evaluations")):
        known = {
            name: hundred_m / ten_m
            for name, (ten_m, hundred_m) in ((n, p[k]) for n, p in PUBLISHED.items())
        }
        note = "; ".join(f"{name}: {p[k][0]} and {p[k][1]}" for name, p in PUBLISHED.items())
        made.append(
            make_row(
                "R = 100 m / R = 10 m",
                quantity,
                "1",
                hundred[k] / ten[k],
                published=min(known.values()),
                relation=">=",
                goal=min(known.values()),
                note=note,
            )
        )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    """The share of the starts that has arrived after so many iterations, and after so many calls."""
    left, right = figure.subplots(1, 2, sharey=True)
    colors = dict(zip(SHAPES, ("#9db7d8", "#1f4e8c", "#b4560e", "#7a2f12", "#23303f"), strict=True))
    for axes, label in ((left, "iterations"), (right, "evaluations")):
        for name in SHAPES:
            outcomes = joined(results, name)
            needed = np.sort([getattr(one, label) if one.converged else np.inf for one in outcomes])
            axes.step(
                needed,
                np.arange(1, len(needed) + 1) / len(needed),
                where="post",
                color=colors[name],
                label=name,
            )
        axes.set_xscale("log")
        axes.set_ylim(0.0, 1.02)
    left.legend(fontsize=8, frameon=False, loc="lower right")
    figures.tidy(left, "A box in a corner: who has arrived", "iterations", "share of the starts")
    figures.tidy(right, "the same by work", "evaluations of three distances and gradients", "")


EXPERIMENT = Experiment(
    name="stp-big-radius",
    title="iterations of an optimizer against the big radius",
    source="Strictly convex hulls, section VIII",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
)
