# SPDX-License-Identifier: BSD-2-Clause
"""Collision-free postures of a humanoid as nonlinear programs: the application of the paper on STP
volumes, section VII.

Minimize eq. 13 over joint angles and the pose of the base, with tasks (points of the robot at
points of the world) as equations, and joint limits, the center of mass above the support, and the
distances of pairs of bodies as inequalities. The optimizer is a sequential quadratic program, as
the FSQP of the paper is one. All distances of an iterate are one call of tactum.distances, with
their gradients.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from . import elastic_sqp
from .humanoid import humanoid
from .posture_robot import PostureRobot

Array = npt.NDArray[np.float64]

BIG_RADIUS = 10.0  # m, of the paper
TOLERANCE = 1e-6  # m and rad, of steps and of what a constraint may lack
BASE_CURVATURE = 0.1  # of the first model; eq. 13 does not count the base
MOST_ITERATIONS = 400
SHAPES = (
    "stp",
    "hull",
)  # both keep bodies apart by their margins: inside the volume, or as a bound


@dataclass(frozen=True)
class Scenario:
    """A thing to do, in a place.

    targets: (body, point of it, where in the world). flat: bodies whose axes stay those of the
    world. support: rectangle x0, x1, y0, y1 for the center of mass. obstacles: by name, with poses.
    near: (body, obstacle) to keep apart. start: x, y, z added to the base at the zero posture.
    """

    name: str
    targets: list[tuple[str, Array, Array]]
    flat: list[str]
    support: tuple[float, float, float, float]
    obstacles: dict[str, tuple[tactum.Shape, Array]]
    near: list[tuple[str, str]]
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Posture:
    """What the optimizer found."""

    q: Array
    converged: bool  #: it ended by itself, and nothing lacks
    iterations: int
    calls: int  #: distances of pairs, each with its gradient
    seconds: float
    lack: float  #: largest violation of any constraint, m or rad
    clearance: float  #: least distance of the points' own hulls beyond their margins, m
    cost: float
    moved: float  #: length of the way, rad
    touching: int = 0  #: pairs whose hulls overlap


@dataclass
class Problem:
    """The functions of the nonlinear program; each iterate is looked at once."""

    scenario: Scenario
    shape: str
    collisions: bool = True
    big_radius: float = BIG_RADIUS
    robot: PostureRobot = field(default_factory=humanoid)

    def __post_init__(self) -> None:
        robot, names = self.robot, list(self.scenario.obstacles)
        bodies = [
            self._body(points, float(margin))
            for points, margin in zip(robot.points, robot.margins, strict=True)
        ]
        obstacles = [shape for shape, _ in self.scenario.obstacles.values()]
        self.table = tactum.ShapeTable([*bodies, *obstacles])
        self.fixed = np.array([X for _, X in self.scenario.obstacles.values()]).reshape(-1, 4, 4)
        pairs = robot.self_pairs()
        pairs += [
            (robot.index[body], len(bodies) + names.index(other))
            for body, other in self.scenario.near
        ]
        self.pairs = np.array(pairs, dtype=np.int32)
        self.margins = np.concatenate([robot.margins, np.zeros(len(obstacles))])[self.pairs].sum(1)
        # a volume holds its margin inside, hulls are kept apart by those of both
        self.gap = np.zeros(len(self.pairs)) if self.shape == "stp" else self.margins
        self.middle = 0.25 * (robot.lower + robot.upper)
        self.middle[:6] = 0.0
        self.weight = np.ones(robot.size)
        self.weight[:6] = 0.0  # eq. 13 counts joints
        self.distance_calls = 0

    def _body(self, points: Array, margin: float) -> tactum.Shape:
        if self.shape == "hull":
            return tactum.Convex.from_points(points)
        return tactum.Stp.from_points(points, small_radius=margin, big_radius=self.big_radius)

    def look(self, q: Array) -> elastic_sqp.View:
        """Cost (eq. 13), tasks = 0, and what has to be >= 0."""
        robot, scenario = self.robot, self.scenario
        X_W, jacobians = robot.poses(q)
        equal, equal_rows = [], []
        for body, local, target in scenario.targets:
            place, rows = robot.point(robot.index[body], local, X_W, jacobians)
            equal.append(place - target)
            equal_rows.append(rows)
        for body in scenario.flat:
            k = robot.index[body]
            R, turns = X_W[k, :3, :3], jacobians[k][3:]
            # the rotation from the axes of the world, to first order in what is left of it
            equal.append(0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]))
            equal_rows.append(0.5 * (np.trace(R) * np.eye(3) - R) @ (R @ turns))
        center, center_rows = robot.center_of_mass(X_W, jacobians)
        x0, x1, y0, y1 = scenario.support
        above = [
            np.array([center[0] - x0, x1 - center[0], center[1] - y0, y1 - center[1]]),
        ]
        above_rows = [np.array([center_rows[0], -center_rows[0], center_rows[1], -center_rows[1]])]
        if self.collisions:
            values, rows = self._distances(X_W, jacobians)
            above.append(values - self.gap)
            above_rows.append(rows)
        away = q - self.middle
        return elastic_sqp.View(
            float((self.weight * away**2).sum()),
            2.0 * self.weight * away,
            np.concatenate(equal),
            np.concatenate(equal_rows),
            np.concatenate(above),
            np.concatenate(above_rows),
        )

    def _distances(self, X_W: Array, jacobians: Array) -> tuple[Array, Array]:
        poses = np.concatenate([X_W, self.fixed])
        a, b = self.pairs.T
        found = tactum.distances(
            (self.table, a),
            poses[a],
            (self.table, b),
            poses[b],
            derivative=tactum.Exact(),
            fields=("distance", "distance_jacobian"),
            num_threads=1,
        )
        moving = np.concatenate([jacobians, np.zeros((len(self.fixed), 6, self.robot.size))])
        rows = np.einsum("ni,nij->nj", found.distance_jacobian[:, :6], moving[a])
        rows += np.einsum("ni,nij->nj", found.distance_jacobian[:, 6:], moving[b])
        self.distance_calls += len(a)
        return found.distance, rows

    def clearances(self, q: Array) -> Array:
        """Distances of the hulls of all pairs' points, by single queries of another shape."""
        robot = self.robot
        hulls: list[Any] = [tactum.Convex.from_points(points) for points in robot.points]
        hulls += [shape for shape, _ in self.scenario.obstacles.values()]
        poses = np.concatenate([robot.poses(q)[0], self.fixed])
        return np.array(
            [
                tactum.distance(hulls[a], poses[a], hulls[b], poses[b]).distance
                for a, b in self.pairs
            ]
        )


def start_of(problem: Problem, rng: np.random.Generator, spread: float) -> Array:
    """The zero posture at the place of the scenario, with its joints turned at random, in rad."""
    robot = problem.robot
    q = robot.zero()
    q[:3] += problem.scenario.start
    q[6:] += spread * rng.normal(size=robot.size - 6)
    return np.clip(q, robot.lower, robot.upper)


def solve(
    problem: Problem, q: Array, most: int = MOST_ITERATIONS, searching: bool = False
) -> Posture:
    """Find the posture from a start; searching: by halving steps instead of in a box."""
    began = time.perf_counter()
    robot = problem.robot
    curvature = np.diag(np.where(problem.weight > 0.0, 2.0, BASE_CURVATURE))
    optimizer = elastic_sqp.search if searching else elastic_sqp.minimize
    found = optimizer(
        problem.look, q, robot.lower, robot.upper, curvature, tolerance=TOLERANCE, most=most
    )
    seconds = time.perf_counter() - began
    clear = problem.clearances(found.point)
    return Posture(
        found.point,
        found.converged,
        found.iterations,
        problem.distance_calls,
        seconds,
        found.view.worst,
        float((clear - problem.margins).min()),
        found.view.cost,
        found.moved,
        int((clear < 0.0).sum()),
    )
