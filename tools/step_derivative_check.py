#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Derivatives of steps of robots against central differences, in random states that touch.

    ./run python tools/step_derivative_check.py [STATES [SEED]]

Robots of example-robot-data fall onto the ground with random joints, turns and velocities, the
Allegro hand with a ball above it. In each state the product of the derivative with a random change
of q, v and tau is compared with central differences of the next q and v at a tolerance of 1e-13. A
difference is known where those with two steps in a row agree. A state is off where it is another than
the product by more than 1e-6, or where none is known and modes change within the shortest one. Every
state that is off must be flagged: `smooth` false, or a `mode_margin` below 1e-3. States without a
known difference are counted: where forces are known too little, and where a neighbour has another
solution of the contact problem, far from this one. Prints a line for each robot, and fails where a
state is off and not flagged.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tactum
from tactum import sim
from tactum._sim import position_maps

DT = 1e-3  # s
STEPS = (3e-4, 1e-4, 3e-5, 3e-6)  # of differences: long ones lose less to rounding, short ones bend less
GOAL, NEAR = 1e-6, 1e-3  # of errors; of mode_margin, below which differences may cross a border
KNOWN, EXACT = 3e-7, 1e-11  # of two differences; residual of the forces at the ends
JUMP = 100.0  # times the derivative: a kink is less steep
BALL = tactum.Sphere(radius=0.035)
OPTIONS = sim.StepOptions(tolerance=1e-13, max_iterations=3000, position_correction=1.0, slop=0.0)


class Robot(NamedTuple):
    path: str
    base: str
    ball: bool = False


ROBOTS = {
    "Solo-12": Robot("solo_description/robots/solo12.urdf", "free"),
    "Go2": Robot("go2_description/urdf/go2.urdf", "free"),
    "Talos": Robot("talos_data/robots/talos_reduced.urdf", "free"),
    "Allegro hand and ball": Robot(
        "allegro_hand_description/urdf/allegro_right_hand.urdf", "fixed", True
    ),
}


def robots_folder() -> Path | None:
    """Where example-robot-data lies; None where it is not installed."""
    for entry in sys.path:
        folder = Path(entry) / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        if folder.is_dir():
            return folder
    return None


def make_model(robot: Robot, folder: Path) -> Any:
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.7)
    base: Any = robot.base
    # packages are looked for above the folder of robots
    above = (np.eye(3), [0.0, 0.0, 0.5 if robot.base == "fixed" else 0.0])  # clear of the ground
    packages = [folder.parents[1], folder]
    builder.add_urdf(folder / robot.path, packages, base=base, X=above, friction=0.7)
    if robot.ball:
        # hulls of the hand overlap where its parts do not: they meet the ball alone
        hand = range(1, builder.build().num_geometries)
        for i, j in itertools.combinations(hand, 2):
            builder.forbid(i, j)
        builder.add_body(BALL, mass=0.1, X=(np.eye(3), [0.0, 0.0, 1.0]), friction=0.7)
    return builder.build()


def lowest_point(model: Any, q: Any) -> float:
    poses = model.geometry_poses(q)
    return min(model.geometry(i).aabb(poses[i])[0][2] for i in range(1, model.num_geometries))


def touching_state(model: Any, robot: Robot, rng: np.random.Generator) -> Any:
    """A random state that meets the ground, or the ball the hand, within the next step."""
    state = model.state()
    change = 0.2 * rng.normal(size=model.nv)
    state.q = model.integrate(state.q, change)
    # joints keep off their limits, which would throw the robot about
    lower, upper = model.lower_position_limit, model.upper_position_limit
    bounded = np.isfinite(lower) & np.isfinite(upper) & (upper - lower > 0.2)
    inside = np.clip(state.q, lower + 0.1, upper - 0.1)
    state.q[bounded] = inside[bounded]
    state.v = 0.3 * rng.normal(size=model.nv)
    gap = rng.uniform(2e-5, 2e-4)
    if robot.ball:
        hand, ball = model.geometry_poses(state.q), model.num_geometries - 1
        near = [
            tactum.distance(model.geometry(i), hand[i], BALL, hand[ball]) for i in range(1, ball)
        ]
        least = min(near, key=lambda value: value.distance)
        state.q[-7:-4] += (gap - least.distance) * least.normal
        state.v[-6:-3] = -tactum.pose_matrix(state.q[-7:])[:3, :3].T @ least.normal
    elif robot.base == "free":
        state.q[2] += gap - lowest_point(model, state.q)
        down = tactum.pose_matrix(state.q[:7])[:3, :3].T @ np.array([0.0, 0.0, -1.0])
        state.v[:3] += down
    return state


class Difference(NamedTuple):
    """Of the next position, as a tangent vector, and velocity."""

    change: tuple[Any, Any]
    same_modes: bool
    steepest: float  # of the ways to the ends: change of velocity over the step


def largest_error(found: Any, expected: Any) -> float:
    """Of positions and velocities, each relative to its largest entry."""
    errors = (np.abs(x - y).max() / np.abs(y).max() for x, y in zip(found, expected))
    return float(max(errors))


def difference(
    model: Any, state: Any, tau: Any, change: Any, step: float, like: Any
) -> Difference | None:
    """Central difference of fourth order along a change of q, v and tau; None where the forces of an end
    are not exact, or penetrations were taken back in one of the steps and not in the other."""
    dq, dv, dtau = change
    ends = []
    for h in (step, -step, 2.0 * step, -2.0 * step):
        other = state.copy()
        other.q = model.integrate(state.q, h * dq)
        other.v = state.v + h * dv
        ends.append(sim.step(model, other, tau + h * dtau, dt=DT, options=OPTIONS))
    if any(end.solution.residual > EXACT or end.corrected != like.corrected for end in ends):
        return None

    def combined(numbers: list[Any]) -> Any:
        near, far = numbers[0] - numbers[1], numbers[2] - numbers[3]
        return (8.0 * near - far) / (12.0 * step)

    # Model.difference rounds angles below 1e-8 rad of continuous joints to zero
    by_tangent = position_maps(model, like.state.q)[2]
    q = by_tangent @ combined([end.state.q for end in ends])
    v = combined([end.state.v for end in ends])
    same = all(list(end.solution.modes) == list(like.solution.modes) for end in ends)
    far = max(np.abs(end.state.v - like.state.v).max() for end in ends)
    return Difference((q, v), same, float(far) / step)


class Compared(NamedTuple):
    error: float | None  # inf where modes change; None where no difference is known otherwise
    smooth: bool
    margin: float
    touches: bool


def compared(model: Any, state: Any, rng: np.random.Generator) -> Compared:
    """The product with a random change beside differences, the worse of next q and next v. Where a
    contact slides slowly its direction turns fast, and only a shorter difference is a good one: the
    best of those that are known counts."""
    tau = 0.1 * rng.normal(size=model.nv)
    change = rng.normal(size=(3, model.nv)) * np.array([[1e-2], [1.0], [10.0]])
    result = sim.step(model, state, tau, dt=DT, options=OPTIONS, tape=True)
    J = sim.step_derivative(result)
    found = J.jvp(dq=change[0], dv=change[1], dtau=change[2])
    all_found = [difference(model, state, tau, change, step, result) for step in STEPS]
    known = [
        near
        for far, near in itertools.pairwise(all_found)
        if far and near and largest_error(far.change, near.change) <= KNOWN
    ]
    shortest = all_found[-1]
    error: float | None = None
    if known:
        error = min(largest_error(found, each.change) for each in known)
    elif shortest and not shortest.same_modes:
        if shortest.steepest <= JUMP * np.abs(found[1]).max():
            error = np.inf
    touches = any(mode != "breaking" for mode in result.contacts.mode)
    return Compared(error, J.smooth, J.mode_margin, touches)


def check(name: str, states: int, seed: int, folder: Path) -> dict[str, Any]:
    robot = ROBOTS[name]
    model = make_model(robot, folder)
    rng = np.random.default_rng([seed, len(name)])
    worst, flagged, smooth, touching, off, unknown, wrong = 0.0, 0, 0, 0, 0, 0, 0
    for _ in range(states):
        found = compared(model, touching_state(model, robot, rng), rng)
        touching += found.touches
        smooth += found.smooth
        if found.error is None:
            unknown += 1
            continue
        off += found.error > GOAL
        if not found.smooth or found.margin < NEAR:
            flagged += 1
            continue
        worst = max(worst, found.error)
        wrong += found.error > GOAL
    return {
        "robot": name,
        "nv": model.nv,
        "states": states,
        "touching": touching,
        "smooth": smooth,
        "flagged": flagged,
        "off": off,
        "unknown": unknown,
        "worst": worst,
        "wrong": wrong,
    }


def main(argv: Sequence[str]) -> int:
    states = int(argv[0]) if argv else 1000
    seed = int(argv[1]) if len(argv) > 1 else 0
    folder = robots_folder()
    if folder is None:
        print("example-robot-data is not installed: pip install example-robot-data")
        return 2
    wrong = 0
    head = ("states", "touch", "smooth", "flagged", "off", "unknown")
    print(f"{'robot':<24}{'nv':>4}" + "".join(f"{name:>8}" for name in head) + f"{'worst':>10}")
    for name in ROBOTS:
        found = check(name, states, seed, folder)
        wrong += found["wrong"]
        print(
            f"{name:<24}{found['nv']:>4}{found['states']:>8}{found['touching']:>8}"
            f"{found['smooth']:>8}{found['flagged']:>8}{found['off']:>8}{found['unknown']:>8}{found['worst']:>10.1e}"
        )
    print(f"{wrong} states are off by more than {GOAL:g} and not flagged")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
