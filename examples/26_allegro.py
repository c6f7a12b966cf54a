# SPDX-License-Identifier: BSD-2-Clause
"""Close an Allegro hand around real objects: Gauss-Newton on where its four tips touch, with smoothed
gradients of contact points and normals through all joints. The contact solver says what holds."""

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import tactum
from tactum.reproduce import ycb

DATA = next(Path(pin.__file__).parents[3].glob("**/share/example-robot-data/robots"))
FILE = DATA / "allegro_hand_description/urdf/allegro_right_hand.urdf"
hand = pin.buildModelFromXML(FILE.read_text(), pin.JointModelFreeFlyer())
data, TIP = hand.createData(), tactum.Sphere(radius=0.012)  # the tips of its collision model
TIPS = [hand.getFrameId(f"link_{k}.0_tip") for k in (3, 7, 11, 15)]
BENT = 0.35 * hand.lowerPositionLimit[7:] + 0.65 * hand.upperPositionLimit[7:]
SMOOTH = tactum.Gaussian(samples=20, scale=0.3)


def touched(thing: tactum.Convex, q: Any, estimator: Any) -> tuple[list[Any], list[Any]]:
    """Distances of the tips with derivatives, and the Jacobians (6, 22) of the tips."""
    pin.computeJointJacobians(hand, data, q)
    pin.updateFramePlacements(hand, data)
    poses = [data.oMf[tip].homogeneous for tip in TIPS]
    moves = [pin.getFrameJacobian(hand, data, tip, pin.ReferenceFrame.LOCAL) for tip in TIPS]
    ask = tactum.distance_derivative
    return [ask(thing, None, TIP, X, estimator=estimator) for X in poses], moves


def residual(thing: tactum.Convex, q: Any, size: float) -> tuple[Any, Any]:
    """Gaps in cm, sum of unit forces and torques, and how far joints are from bent: with Jacobian."""
    found, moves = touched(thing, q, SMOOTH)
    wrench, wrench_rows, gaps, gap_rows = np.zeros(6), np.zeros((6, 22)), [], []
    for one, J in zip(found, moves, strict=True):
        p, n = one.value.point_a / size, one.value.normal
        d_n, d_p = one.normal_jacobian[:, 6:] @ J, one.point_a_jacobian[:, 6:] @ J / size
        wrench += np.concatenate([n, np.cross(p, n)])
        wrench_rows += np.vstack([d_n, np.cross(p, d_n, axis=0) + np.cross(d_p, n, axis=0)])
        gaps.append(100.0 * one.value.distance)
        gap_rows.append(100.0 * one.distance_jacobian[6:] @ J)
    bent = np.hstack([np.zeros((16, 6)), 0.1 * np.eye(16)])
    value = np.concatenate([gaps, wrench, 0.1 * (q[7:] - BENT)])
    return value, np.vstack([gap_rows, wrench_rows, bent])


def close(thing: tactum.Convex, seed: int, steps: int) -> Any:
    """From a random side of the object, the palm towards it, fingers half bent."""
    size = float(np.linalg.norm(np.ptp(thing.vertices, axis=0))) / 2
    turn = pin.SE3(pin.Quaternion(np.random.default_rng(seed).normal(size=4)).normalized(), np.zeros(3))
    q = np.concatenate([pin.SE3ToXYZQUAT(turn * pin.SE3(np.eye(3), np.array([-0.08, 0.0, -0.05]))), BENT])
    for _ in range(steps):
        value, J = residual(thing, q, size)
        step = -np.linalg.solve(J.T @ J + 0.1 * np.eye(22), J.T @ value)
        q = pin.integrate(hand, q, step / max(1.0, np.abs(step).max() / 0.2))
        q[7:] = np.clip(q[7:], hand.lowerPositionLimit[7:], hand.upperPositionLimit[7:])
    return q, size
