# SPDX-License-Identifier: BSD-2-Clause
"""Solo-12 that trots under model predictive control, simulated under a contact model.

The step is that of the survey with its algorithms as printed, or ours, both in steps of 1 ms to a
tolerance of 1e-6 from the forces of the last step. Shapes of the robot are the convex hulls of its
own meshes; they meet the ground and each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import tactum

from . import robot_motions
from .experiment import is_installed
from .survey import STEP, Array

SPEED = 0.3  # m/s
TOLERANCE, ITERATIONS = 1e-6, 1000
LOOK = 5  # steps
FELL = 0.5  # of the vertical axis of the base: it has tilted by more than 60 degrees
# the bumpy ground: points of its grid are 0.2 m apart, half a robot; where it ends and begins, m
CELL, REACH, LEVEL = 0.2, ((-1.0, 3.0), (-1.0, 1.0)), 0.3
ROUGHNESS = 0.1  # m, between the highest and the lowest point
Column = tuple[str, str]  # "printed", "printed, pushed" or "ours"; solver


def is_possible() -> bool:
    """Whether everything that it needs is installed."""
    return robot_motions.folder() is not None and is_installed("crocoddyl")


@dataclass(frozen=True)
class Trot:
    """A simulated trot of T steps."""

    time: Array  # (T + 1,) s
    place: Array  # (T + 1, 3) m, of the base
    velocity: Array  # (T + 1, 3) m/s, of the base, in the world
    upright: Array  # (T + 1,) cosine of the tilt of the base
    force: Array  # (T, 4) N, along the normals, of each foot
    violation: Array  # of the complementarity of the ncp, in N s, m/s and W s, every LOOK steps
    sliding: float  # share of the loaded contacts that slide
    solve_seconds: Array  # (T,)
    converged: float  # share of the steps

    @property
    def fell(self) -> bool:
        return bool(self.upright.min() < FELL)


def bumpy_heights(seed: int) -> Array:
    """Heights of a grid: uniform, as far apart as the roughness, and level where the robot starts."""
    x, y = (np.arange(low, high + 0.5 * CELL, CELL) for low, high in REACH)
    heights = np.random.default_rng([seed, 18]).uniform(-0.5, 0.5, (len(x), len(y))) * ROUGHNESS
    return np.asarray(np.where(x[:, None] > LEVEL, heights, 0.0))


def solo(friction: float, heights: Array | None) -> tuple[Any, Any, list[int], Array]:
    """The simulator's model, Pinocchio's, the joint of every geometry, and where it stands."""
    from tactum import sim

    robot = robot_motions.ROBOTS["Solo-12"]
    theirs, shapes, q = robot_motions.load(robot)
    q[2] -= robot_motions.lowest(theirs, shapes, q)
    builder = sim.ModelBuilder(gravity=theirs.gravity.linear)
    if heights is None:
        builder.add_ground(friction=friction)
    else:
        field = tactum.HeightField(heights=heights, spacing=(CELL, CELL))
        middle = np.eye(4)
        middle[:2, 3] = [0.5 * (low + high) for low, high in REACH]
        builder.add_fixed(field, middle, friction=friction)
    model = sim.from_pinocchio(theirs, shapes, q=q, friction=friction, builder=builder)
    parents = [0, *(shape.parentJoint for shape in shapes.geometryObjects)]
    return model, theirs, parents, q


def options(column: str) -> Any:
    """sim.StepOptions of a column: both take back little of a penetration, as the survey does."""
    from tactum import sim

    return sim.StepOptions(
        tolerance=TOLERANCE,
        max_iterations=ITERATIONS,
        position_correction=1e-4,
        slop=1e-6,
        as_printed=column != "ours",
    )


def cone_distance(radius: float, height: float, a: float, b: float) -> float:
    """Distance of a point from the cone a * radius <= b * height around the height."""
    if a * radius <= b * height:
        return 0.0
    if b * radius + a * height <= 0.0:  # the apex is nearest
        return float(np.hypot(radius, height))
    return (a * radius - b * height) / float(np.hypot(a, b))


def ncp_violation(force: Array, velocity: Array, friction: Array) -> float:
    """Eq. 14 of the survey: the largest distance of an impulse from its cone, of the velocity with
    De Saxce's term from the dual cone, or of their product from zero. Rows: tangent, tangent,
    normal."""
    worst = 0.0
    for f, c, mu in zip(force, velocity, friction, strict=True):
        slip = float(np.hypot(c[0], c[1]))
        lifted = c + np.array([0.0, 0.0, mu * slip])
        primal = cone_distance(float(np.hypot(f[0], f[1])), f[2], 1.0, mu)
        dual = cone_distance(slip, lifted[2], mu, 1.0)
        worst = max(worst, primal, dual, abs(float(f @ lifted)))
    return worst


class Recorder:
    """Collects what a Trot holds."""

    def __init__(self, theirs: Any, parents: list[int]) -> None:
        self.theirs, self.data, self.parents = theirs, theirs.createData(), parents
        self.lower_legs = [theirs.getJointId(f"{leg}_KFE") for leg in ("FL", "FR", "HL", "HR")]
        self.force: list[Array] = []
        self.violation: list[float] = []
        self.seconds: list[float] = []
        self.loaded = self.slid = self.converged = 0

    def add(self, q: Array, result: Any) -> None:
        """A step from q."""
        contacts = result.contacts
        normal = np.einsum("ij,ij->i", contacts.force, contacts.normal)
        joints = np.array([self.parents[b] for _, b in contacts.geometry], dtype=int)
        self.force.append(np.array([normal[joints == leg].sum() for leg in self.lower_legs]))
        loaded = normal > 1e-3
        self.loaded += int(loaded.sum())
        self.slid += sum(mode == "sliding" for mode, on in zip(contacts.mode, loaded) if on)
        if len(self.force) % LOOK == 0:
            self.violation.append(self.ncp(q, result) if len(contacts) else 0.0)
        self.seconds.append(result.timings["solve"])
        self.converged += result.status == "converged"

    def ncp(self, q: Array, result: Any) -> float:
        """The violation of a step."""
        contacts = result.contacts
        J = robot_motions.contact_jacobian(self.theirs, self.data, self.parents, q, contacts)
        frames = np.array([robot_motions.contact_rows(n) for n in contacts.normal])
        impulse = STEP * np.einsum("ijk,ik->ij", frames, contacts.force)
        velocity = (J @ result.state.v).reshape(-1, 3)
        velocity[:, 2] += np.maximum(contacts.distance, 0.0) / STEP
        return ncp_violation(impulse, velocity, contacts.friction)


def trot(
    column: str, solver: str, friction: float, heights: Array | None, steps: int, push: float = 0.0
) -> Trot:
    """Simulates. push: m/s, added to the first sideways velocity: how far chance alone leads."""
    from tactum import sim

    from .trot_controller import TrotController

    model, theirs, parents, q = solo(friction, heights)
    controller = TrotController(theirs, q, SPEED, friction)
    state, choice, record = model.state(), options(column), Recorder(theirs, parents)
    first = np.zeros(model.nv)
    first[1] = push
    state.v = first
    states = [(state.q, state.v)]
    tau = np.zeros(model.nv)
    for step in range(steps):
        tau[6:] = controller.torque(step * STEP, state.q, state.v)
        result = sim.step(model, state, tau, STEP, solver=solver, options=choice)
        record.add(state.q, result)
        state = result.state
        states.append((state.q, state.v))
        if tactum.pose_matrix(state.q[:7])[2, 2] < FELL:
            break
    return finished(states, record)


def finished(states: list[tuple[Array, Array]], record: Recorder) -> Trot:
    """The record of a trot."""
    rotations = np.array([tactum.pose_matrix(q[:7])[:3, :3] for q, _ in states])
    local = np.array([v[:3] for _, v in states])
    return Trot(
        time=STEP * np.arange(len(states), dtype=np.float64),
        place=np.array([q[:3] for q, _ in states]),
        velocity=np.einsum("ijk,ik->ij", rotations, local),
        upright=rotations[:, 2, 2],
        force=np.array(record.force),
        violation=np.array(record.violation),
        sliding=record.slid / max(record.loaded, 1),
        solve_seconds=np.array(record.seconds),
        converged=record.converged / max(len(states) - 1, 1),
    )
