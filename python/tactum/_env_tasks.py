# SPDX-License-Identifier: BSD-2-Clause
"""The tasks of tactum.envs without Gymnasium: models, starts, observations, rewards.

A task is written once, for one state; environments of one and of many states share it, so that both
give the same numbers.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from . import sim

Array = npt.NDArray[np.float64]

DATA = Path(__file__).resolve().parent / "data"


class Outcome(NamedTuple):
    """What a control step brought."""

    reward: float
    terminated: bool
    info: dict[str, float]


class Task(Protocol):
    """Something to learn."""

    model: sim.Model
    dt: float  #: s, of a step
    steps: int  #: of the simulator in one of the environment
    num_actions: int
    num_observations: int
    view: tuple[float, float, float, float]  #: x, y, z of the center of pictures, and their width

    def start(self, rng: np.random.Generator) -> tuple[sim.State, Array]:
        """A state to begin from, and the goal."""

    def forces(self, state: sim.State, action: Array) -> Array:
        """(nv,) generalized forces of an action of numbers from -1 to 1."""

    def observe(self, state: sim.State, goal: Array) -> Array:
        """What the policy sees."""

    def judge(self, before: sim.State, after: sim.State, action: Array, goal: Array) -> Outcome:
        """Reward and end of a control step."""


def is_finite(state: sim.State) -> bool:
    """Whether all numbers of a state are numbers."""
    return bool(np.isfinite(state.q).all() and np.isfinite(state.v).all())


def turned(state: sim.State, first: int) -> Array:
    """The quaternion x, y, z, w of a free body, with w >= 0: one of the two that mean the same."""
    found = state.q[first : first + 4]
    return np.asarray(found if found[3] >= 0.0 else -found)


class Quadruped:
    """Walk forward. Actions are torques of the twelve joints, in units of 8 Nm.

    Observation, 35 numbers: height; quaternion x, y, z, w; joint angles (12); velocity of the base
    in its axes (6); joint velocities (12). Reward: metres per second along x, plus 0.5 for
    standing, minus 0.05 times the squared action. The end: the base lower than 0.12 m or turned
    over.
    """

    dt, steps = 5e-3, 4
    num_actions, num_observations = 12, 35
    view = (0.0, 0.0, 0.2, 1.4)
    torque = 8.0  #: Nm
    lowest = 0.12  #: m

    def __init__(self) -> None:
        self.model = sim.load_mjcf(DATA / "quadruped.xml")
        self.stand = self.model.state().q.copy()
        self.stand[:7] = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        self.stand[7:] = np.tile([0.0, 0.7, -1.4], 4)
        poses, bodies = self.model.geometry_poses(self.stand), self.model.geometry_bodies
        self.stand[2] -= min(
            float(self.model.geometry(i).aabb(X)[0][2])
            for i, X in enumerate(poses)
            if bodies[i] != 0
        )

    def start(self, rng: np.random.Generator) -> tuple[sim.State, Array]:
        """Standing, with every joint a little off."""
        state = self.model.state()
        state.q = self.stand
        state.q[7:] += rng.uniform(-0.05, 0.05, size=12)
        state.q[2] += 0.01
        state.v = 0.05 * rng.normal(size=self.model.nv)
        return state, np.zeros(0)

    def forces(self, state: sim.State, action: Array) -> Array:
        """Torques of the joints; none on the base."""
        return np.concatenate([np.zeros(6), self.torque * action])

    def observe(self, state: sim.State, goal: Array) -> Array:
        """Everything but where it is on the plane."""
        return np.concatenate([state.q[2:3], turned(state, 3), state.q[7:], state.v])

    def judge(self, before: sim.State, after: sim.State, action: Array, goal: Array) -> Outcome:
        """Fast, upright, with little effort."""
        if not is_finite(after):
            return Outcome(-1.0, True, {"forward": 0.0})
        forward = float(after.q[0] - before.q[0]) / (self.dt * self.steps)
        x, y = after.q[3], after.q[4]
        upright = 1.0 - 2.0 * (
            x * x + y * y
        )  # cosine between the axis of the base and the vertical
        fallen = bool(after.q[2] < self.lowest or upright < 0.2)
        effort = float(action @ action)
        return Outcome(forward + 0.5 * (not fallen) - 0.05 * effort, fallen, {"forward": forward})


class Push:
    """Push a block to a goal on a table. Actions are the velocity of the finger along x and y, in
    units of 0.5 m/s.

    Observation, 15 numbers: position and velocity of the finger (4); of the block x, y, sine and
    cosine of its turn, velocity along x, y and about z (7); from finger to block and from block to
    goal (4). Reward: minus the distance from block to goal and a tenth of that from finger to
    block, in metres; 10 at the goal. The end: the block within 2 cm of it, which is
    info["is_success"].
    """

    dt, steps = 5e-3, 5
    num_actions, num_observations = 2, 15
    view = (0.1, 0.0, 0.0, 1.0)
    speed = 0.5  #: m/s
    gain = 40.0  #: N s/m, of the velocity of the finger
    close = 0.02  #: m

    def __init__(self) -> None:
        self.model = sim.load_mjcf(DATA / "push.xml")

    def start(self, rng: np.random.Generator) -> tuple[sim.State, Array]:
        """The block before the finger, turned a little, and a goal beyond it."""
        state = self.model.state()
        turn = rng.uniform(-0.4, 0.4)
        state.q[2:4] += rng.uniform(-0.03, 0.03, size=2)
        state.q[5:9] = [0.0, 0.0, np.sin(0.5 * turn), np.cos(0.5 * turn)]
        goal = np.array([0.4, 0.0]) + rng.uniform(-0.1, 0.1, size=2)
        return state, goal

    def forces(self, state: sim.State, action: Array) -> Array:
        """A force towards the velocity asked for, and what damping takes."""
        wanted = self.speed * action
        found = np.zeros(self.model.nv)
        found[:2] = self.gain * (wanted - state.v[:2]) + 2.0 * wanted
        return found

    def observe(self, state: sim.State, goal: Array) -> Array:
        """Finger, block, goal."""
        q, v = state.q, state.v
        x, y, z, w = q[5:9]
        sine, cosine = 2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)
        # the velocity of the block is in its own axes
        planar = [cosine * v[2] - sine * v[3], sine * v[2] + cosine * v[3], v[7]]
        return np.concatenate(
            [q[:2], v[:2], q[2:4], [sine, cosine], planar, q[2:4] - q[:2], goal - q[2:4]]
        )

    def judge(self, before: sim.State, after: sim.State, action: Array, goal: Array) -> Outcome:
        """Near the goal, and the finger near the block."""
        if not is_finite(after):
            return Outcome(-1.0, True, {"is_success": 0.0})
        away = float(np.linalg.norm(goal - after.q[2:4]))
        reach = float(np.linalg.norm(after.q[2:4] - after.q[:2]))
        done = away < self.close
        return Outcome(10.0 * done - away - 0.1 * reach, done, {"is_success": float(done)})


TASKS: dict[str, Any] = {"Quadruped": Quadruped, "Push": Push}


@functools.cache
def task(name: str) -> Task:
    """The task of that name; models are constant, so all environments share one."""
    found: Task = TASKS[name]()
    return found
