#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Derivatives of steps of robots against central differences, in random states that touch.

    ./run python tools/step_derivative_check.py [STATES [SEED]]

Robots of example-robot-data fall onto the ground with random joints, turns and velocities, the
Allegro hand with a ball above it. In each state the product of the derivative with a random change
of q, v and tau is compared with central differences of the step at a tolerance of 1e-13. A state
counts where `smooth` holds and no end of the differences goes another way. Prints a line for
each robot, and fails where a state that counts is off by more than 1e-6 and is not near a border by
its `mode_margin`.
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

DT = 1e-3  # s
STEPS = (3e-5, 3e-6)  # of differences: the first loses less to rounding, the second bends less
GOAL, NEAR = 1e-6, 1e-3  # of errors; of mode_margin, below which differences may cross a border
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


def way_of(result: Any) -> tuple[Any, ...]:
    """What may not change between two steps for a difference of them to mean anything: modes, and
    whether penetrations were taken back or that was given up."""
    return (tuple(result.solution.modes), result.status, result.corrected)


def difference(model: Any, state: Any, tau: Any, change: Any, step: float, like: Any) -> Any:
    """Central difference of fourth order of the next velocity along a change of q, v and tau; None
    where an end went another way than the step `like`."""
    dq, dv, dtau = change
    ends = []
    for h in (step, -step, 2.0 * step, -2.0 * step):
        other = state.copy()
        other.q = model.integrate(state.q, h * dq)
        other.v = state.v + h * dv
        ends.append(sim.step(model, other, tau + h * dtau, dt=DT, options=OPTIONS))
    if any(way_of(end) != way_of(like) for end in ends):
        return None
    near, far = (ends[k].state.v - ends[k + 1].state.v for k in (0, 2))
    return (8.0 * near - far) / (12.0 * step)


def error_of(model: Any, state: Any, rng: np.random.Generator) -> tuple[float, bool, float]:
    """Error of the product with a random change, `smooth` and `mode_margin`; inf where the ends of the
    differences went another way. Where a contact slides slowly its direction turns fast, and only
    a shorter difference is a good one."""
    tau = 0.1 * rng.normal(size=model.nv)
    change = rng.normal(size=(3, model.nv)) * np.array([[1e-2], [1.0], [10.0]])
    result = sim.step(model, state, tau, dt=DT, options=OPTIONS, tape=True)
    J = sim.step_derivative(result)
    _, found_v = J.jvp(dq=change[0], dv=change[1], dtau=change[2])
    least = np.inf
    for step in STEPS:
        expected = difference(model, state, tau, change, step, result)
        if expected is None:
            continue
        least = min(least, float(np.abs(found_v - expected).max() / np.abs(expected).max()))
        if least <= GOAL:
            break
    return least, J.smooth, J.mode_margin


def check(name: str, states: int, seed: int, folder: Path) -> dict[str, Any]:
    robot = ROBOTS[name]
    model = make_model(robot, folder)
    rng = np.random.default_rng([seed, len(name)])
    worst, counted, smooth, touching, wrong = 0.0, 0, 0, 0, 0
    for _ in range(states):
        state = touching_state(model, robot, rng)
        error, is_smooth, margin = error_of(model, state, rng)
        modes = sim.step(model, state, dt=DT).contacts.mode
        touching += any(mode != "breaking" for mode in modes)
        smooth += is_smooth
        if not is_smooth or not np.isfinite(error):
            continue
        counted += 1
        if margin >= NEAR:
            worst = max(worst, error)
            wrong += error > GOAL
    return {
        "robot": name,
        "nv": model.nv,
        "states": states,
        "touching": touching,
        "smooth": smooth,
        "counted": counted,
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
    print(f"{'robot':<24}{'nv':>4}{'states':>8}{'touch':>8}{'smooth':>8}{'count':>8}{'worst':>10}")
    for name in ROBOTS:
        found = check(name, states, seed, folder)
        wrong += found["wrong"]
        print(
            f"{name:<24}{found['nv']:>4}{found['states']:>8}{found['touching']:>8}"
            f"{found['smooth']:>8}{found['counted']:>8}{found['worst']:>10.1e}"
        )
    print(f"{wrong} states are off by more than {GOAL:g} and not near a border")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
