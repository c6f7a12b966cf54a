# SPDX-License-Identifier: BSD-2-Clause
"""Close an Allegro hand around real objects: Gauss-Newton on where its four tips touch, through all
joints. The contact solver says what holds. Of the hand, only the tips are looked at."""

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import tactum
from tactum.reproduce import grasps, ycb

DATA = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
FILE = DATA / "allegro_hand_description/urdf/allegro_right_hand.urdf"
hand = pin.buildModelFromXML(FILE.read_text(), pin.JointModelFreeFlyer())
data, TIP = hand.createData(), tactum.Sphere(radius=0.012)  # as in its collision model
TIPS = [hand.getFrameId(f"link_{k}.0_tip") for k in (3, 7, 11, 15)]
LOW, HIGH = hand.lowerPositionLimit[7:], hand.upperPositionLimit[7:]
BENT = 0.35 * LOW + 0.65 * HIGH
SMOOTHED, EXACT = tactum.Gaussian(samples=20, scale=0.3), tactum.Exact()


def touched(thing: tactum.Convex, q: Any, estimator: Any) -> tuple[list[Any], list[Any]]:
    """Distances to the tips with derivatives, and the Jacobians (6, 22) of the tips."""
    pin.computeJointJacobians(hand, data, q)
    pin.updateFramePlacements(hand, data)
    poses, ask = [data.oMf[tip].homogeneous for tip in TIPS], tactum.distance_derivative
    moves = [pin.getFrameJacobian(hand, data, tip, pin.ReferenceFrame.LOCAL) for tip in TIPS]
    return [ask(thing, None, TIP, X, estimator=estimator) for X in poses], moves


def is_held(thing: tactum.Convex, seed: int, estimator: Any) -> bool:
    """Half bent around a random side: gaps in cm, the sum of forces, and joints near bent go to 0."""
    size = float(np.linalg.norm(np.ptp(thing.vertices, axis=0))) / 2
    side = pin.Quaternion(np.random.default_rng(seed).normal(size=4)).normalized()
    q = np.concatenate([side * np.array([-0.08, 0.0, -0.05]), side.coeffs(), BENT])
    for _ in range(40):
        found, moves = touched(thing, q, estimator)
        wrench, rows = grasps.balance(found, moves, size)
        gaps = 100.0 * np.array([one.value.distance for one in found])
        slopes = [100.0 * one.distance_jacobian[6:] @ J for one, J in zip(found, moves)]
        J = np.vstack([slopes, rows, np.hstack([np.zeros((16, 6)), 0.1 * np.eye(16)])])
        pull = J.T @ np.concatenate([gaps, wrench, 0.1 * (q[7:] - BENT)])
        step = -np.linalg.solve(J.T @ J + 0.1 * np.eye(22), pull)
        q = pin.integrate(hand, q, step / max(1.0, np.abs(step).max() / 0.2))
        q[7:] = np.clip(q[7:], LOW, HIGH)
    values = [one.value for one in touched(thing, q, EXACT)[0]]
    return max(abs(v.distance) for v in values) < 1e-3 and grasps.holds(values, size, 0.8)


things = [ycb.hull(name) for name in ycb.object_names()]
things = [thing for thing in things if np.ptp(thing.vertices, axis=0).max() < 0.1][::6]
tries = [(thing, seed) for thing in things for seed in range(3)]
exact, smoothed = (sum(is_held(*one, how) for one in tries) for how in (EXACT, SMOOTHED))
print(f"more than half of {len(tries)} grasps hold: {2 * smoothed > len(tries)}")
print(f"fewer by exact gradients: {exact < smoothed}")
