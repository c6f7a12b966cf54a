#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Derivatives of steps of robots against central differences, in random states that touch.

    ./run python tools/step_derivative_check.py [STATES [SEED]]

Robots of example-robot-data fall onto the ground with random joints, turns and velocities, the
Allegro hand with a ball above it. In each state the product of the derivative with a random change
of q, v and tau is compared with central differences of the next q and v at a tolerance of 1e-13. A
state is off where a difference is another by more than 1e-6, or where an end of all differences goes
another way, so that there is none. Every state that is off must be flagged: `smooth` false, or a
`mode_margin` below 1e-3. Where forces are known too little for differences to agree with each other
the state is unknown, and counted. Prints a line for each robot, and fails where one is off and not
flagged.
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
STEPS = (1e-4, 3e-5, 3e-6)  # of differences: the first loses less to rounding, the last bends less
GOAL, NEAR = 1e-6, 1e-3  # of errors; of mode_margin, below which differences may cross a border
KNOWN, EXACT = 3e-7, 1e-11  # of two differences of second order; residual of the forces at the ends
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
    return (tuple(result.solution.modes), result.solution.residual <= EXACT, result.corrected)


def largest_error(found: Any, expected: Any) -> float:
    """Of positions and velocities, each relative to its largest entry."""
    return max(float(np.abs(x - y).max() / np.abs(y).max()) for x, y in zip(found, expected))


def difference(
    model: Any, state: Any, tau: Any, change: Any, step: float, like: Any
) -> tuple[Any, bool] | None:
    """Central difference of fourth order of the next position, as a tangent vector, and velocity along
    a change of q, v and tau, and whether the two of second order agree; None where an end went
    another way than the step `like`."""
    dq, dv, dtau = change
    ends = []
    for h in (step, -step, 2.0 * step, -2.0 * step):
        other = state.copy()
        other.q = model.integrate(state.q, h * dq)
        other.v = state.v + h * dv
        ends.append(sim.step(model, other, tau + h * dtau, dt=DT, options=OPTIONS))
    if any(way_of(end) != way_of(like) for end in ends):
        return None
    # Model.difference rounds angles below 1e-8 rad of continuous joints to zero
    by_tangent = sim.position_maps(model, like.state.q)[2]
    near, far = (
        (
            by_tangent @ (ends[k].state.q - ends[k + 1].state.q) / width,
            (ends[k].state.v - ends[k + 1].state.v) / width,
        )
        for k, width in ((0, 2.0 * step), (2, 4.0 * step))
    )
    expected = [(4.0 * x - y) / 3.0 for x, y in zip(near, far)]
    return expected, largest_error(far, near) <= KNOWN


class Compared(NamedTuple):
    error: float | None  # inf where ends went another way; None where no difference is known
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
    errors: list[float | None] = []
    for step in STEPS:
        expected = difference(model, state, tau, change, step, result)
        if expected is not None:
            errors.append(largest_error(found, expected[0]) if expected[1] else None)
    known = [error for error in errors if error is not None]
    error = min(known) if known else None if errors else np.inf
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
