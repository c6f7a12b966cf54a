# SPDX-License-Identifier: BSD-2-Clause
"""A humanoid of the size of HRP-2 for the posture experiments: 28 joints, 15 bodies of 98 points
each, with positions, Jacobians and center of mass in plain numpy.

The robot of the paper is not public. This one is modelled by us after its published proportions:
1.5 m tall, legs and arms of six joints, two joints in the chest and two in the neck. The base moves
by three slides and three turns, so that all 34 coordinates are plain numbers.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .posture_robot import PostureRobot

Array = npt.NDArray[np.float64]

X, Y, Z = np.eye(3)


@dataclass(frozen=True)
class Joint:
    """A slide or a turn about an axis, at an offset in the frame before it."""

    name: str
    parent: int
    offset: Array
    axis: Array
    lower: float
    upper: float
    slides: bool = False


@dataclass(frozen=True)
class Body:
    """Points of a rounded box behind a joint, with its mass in kg."""

    name: str
    joint: int
    center: Array
    half: Array
    mass: float


def rounded_box(center: Array, half: Array) -> Array:
    """Points on abs(x/a)^10 + abs(y/b)^10 + abs(z/c)^10 = 1, five by five on each side: nearly flat
    sides, as a robot has."""
    line = np.linspace(-1.0, 1.0, 5)
    u, v = (grid.ravel() for grid in np.meshgrid(line, line))
    cube = np.concatenate(
        [
            np.roll(np.stack([np.full_like(u, side), u, v], axis=1), k, axis=1)
            for side in (-1.0, 1.0)
            for k in range(3)
        ]
    )
    cube = np.unique(np.round(cube, 9), axis=0)
    return np.asarray(center + half * cube / ((cube**10).sum(axis=1, keepdims=True) ** 0.1))


class _Maker:
    def __init__(self) -> None:
        self.joints: list[Joint] = []
        self.bodies: list[Body] = []

    def turn(
        self,
        name: str,
        parent: int,
        offset: tuple[float, float, float],
        axis: Array,
        low: float,
        high: float,
    ) -> int:
        low, high = np.radians([low, high])
        self.joints.append(Joint(name, parent, np.array(offset), axis, float(low), float(high)))
        return len(self.joints) - 1

    def body(
        self,
        name: str,
        joint: int,
        center: tuple[float, float, float],
        half: tuple[float, float, float],
        mass: float,
    ) -> None:
        self.bodies.append(Body(name, joint, np.array(center), np.array(half), mass))

    def leg(self, side: str, sign: float, waist: int) -> None:
        y = 0.085 * sign
        at = self.turn(f"{side}_hip_yaw", waist, (0.0, y, -0.07), Z, -38.0, 38.0)
        at = self.turn(f"{side}_hip_roll", at, (0, 0, 0), X, *sorted((-20.0 * sign, 35.0 * sign)))
        at = self.turn(f"{side}_hip_pitch", at, (0, 0, 0), Y, -125.0, 42.0)
        self.body(f"{side}_thigh", at, (0.01, 0.0, -0.16), (0.065, 0.06, 0.13), 6.0)
        at = self.turn(f"{side}_knee", at, (0, 0, -0.3), Y, 0.0, 150.0)
        self.body(f"{side}_shin", at, (0.0, 0.0, -0.15), (0.055, 0.05, 0.13), 4.0)
        at = self.turn(f"{side}_ankle_pitch", at, (0, 0, -0.3), Y, -75.0, 42.0)
        at = self.turn(f"{side}_ankle_roll", at, (0, 0, 0), X, -35.0, 35.0)
        self.body(f"{side}_foot", at, (0.03, 0.0, -0.06), (0.115, 0.06, 0.03), 1.5)

    def arm(self, side: str, sign: float, chest: int) -> None:
        at = self.turn(f"{side}_shoulder_pitch", chest, (0, 0.25 * sign, 0.25), Y, -180.0, 60.0)
        low, high = sorted((-10.0 * sign, 95.0 * sign))
        at = self.turn(f"{side}_shoulder_roll", at, (0, 0, 0), X, low, high)
        at = self.turn(f"{side}_shoulder_yaw", at, (0, 0, 0), Z, -92.0, 92.0)
        self.body(f"{side}_upper_arm", at, (0.0, 0.0, -0.125), (0.045, 0.045, 0.11), 2.5)
        at = self.turn(f"{side}_elbow", at, (0, 0, -0.25), Y, -137.0, 2.0)
        self.body(f"{side}_forearm", at, (0.0, 0.0, -0.12), (0.04, 0.04, 0.11), 2.0)
        at = self.turn(f"{side}_wrist_yaw", at, (0, 0, -0.25), Z, -92.0, 92.0)
        at = self.turn(f"{side}_wrist_pitch", at, (0, 0, 0), Y, -55.0, 95.0)
        self.body(f"{side}_hand", at, (0.0, 0.0, -0.07), (0.035, 0.045, 0.06), 0.8)


class Humanoid(PostureRobot):
    """The robot: bodies in `bodies`, joints in `joints`; the first six move the base."""

    sole = np.array([0.0, 0.0, -0.09])
    palm = np.array([0.0, 0.0, -0.15])
    scale = 1.0

    def __init__(self) -> None:
        make = _Maker()
        for k, axis in enumerate((X, Y, Z)):
            make.joints.append(
                Joint(f"base_{'xyz'[k]}", k - 1, np.zeros(3), axis, -2.0, 2.0, slides=True)
            )
        for name, axis, limit in (("yaw", Z, 90.0), ("pitch", Y, 60.0), ("roll", X, 60.0)):
            make.turn(f"base_{name}", len(make.joints) - 1, (0, 0, 0), axis, -limit, limit)
        waist = 5
        make.body("waist", waist, (0.0, 0.0, 0.0), (0.1, 0.15, 0.075), 9.0)
        make.leg("right", -1.0, waist)
        make.leg("left", 1.0, waist)
        at = make.turn("chest_yaw", waist, (0.0, 0.0, 0.16), Z, -45.0, 45.0)
        chest = make.turn("chest_pitch", at, (0, 0, 0), Y, -5.0, 60.0)
        make.body("chest", chest, (0.0, 0.0, 0.17), (0.12, 0.17, 0.15), 14.0)
        at = make.turn("neck_yaw", chest, (0.0, 0.0, 0.4), Z, -45.0, 45.0)
        at = make.turn("neck_pitch", at, (0, 0, 0), Y, -30.0, 45.0)
        make.body("head", at, (0.02, 0.0, 0.09), (0.08, 0.075, 0.08), 3.0)
        make.arm("right", -1.0, chest)
        make.arm("left", 1.0, chest)
        self.joints, self.bodies = make.joints, make.bodies
        super().__init__(
            [body.name for body in self.bodies],
            [rounded_box(body.center, body.half) for body in self.bodies],
            np.array([body.mass for body in self.bodies]),
            np.array([body.center for body in self.bodies]),
            np.array([joint.lower for joint in self.joints]),
            np.array([joint.upper for joint in self.joints]),
        )
        self._ends = [body.joint for body in self.bodies]
        self._slides = np.array([joint.slides for joint in self.joints])
        self._moves = np.zeros((len(self.bodies), len(self.joints)), dtype=bool)
        for k, body in enumerate(self.bodies):
            at = body.joint
            while at >= 0:
                self._moves[k, at] = True
                at = self.joints[at].parent

    def zero(self) -> Array:
        """All joints at 0, feet on the plane z = 0."""
        q = np.zeros(self.size)
        q[2] = 0.07 + 0.3 + 0.3 + 0.09
        return q

    def poses(self, q: Array) -> tuple[Array, Array]:
        """Poses (15, 4, 4) of the bodies, and their Jacobians (15, 6, 34): [v; w] in body axes."""
        frames = np.empty((self.size, 4, 4))
        axes, origins = np.empty((self.size, 3)), np.empty((self.size, 3))
        for k, (joint, value) in enumerate(zip(self.joints, q, strict=True)):
            before = np.eye(4) if joint.parent < 0 else frames[joint.parent]
            here = before.copy()
            here[:3, 3] += before[:3, :3] @ joint.offset
            axes[k] = here[:3, :3] @ joint.axis
            if joint.slides:
                here[:3, 3] += value * axes[k]
            else:
                here[:3, :3] = here[:3, :3] @ turn_about(joint.axis, value)
            origins[k] = here[:3, 3]
            frames[k] = here
        X_W = frames[self._ends]
        arms = X_W[:, None, :3, 3] - origins[None]
        linear = np.where(self._slides[:, None], axes, np.cross(axes[None], arms))
        angular = np.where(self._slides[:, None], 0.0, axes)
        columns = np.concatenate(
            [
                np.einsum("bij,bki->bkj", X_W[:, :3, :3], linear),
                np.einsum("bij,ki->bkj", X_W[:, :3, :3], angular),
            ],
            axis=2,
        )
        columns[~self._moves] = 0.0
        return X_W, np.transpose(columns, (0, 2, 1))


def turn_about(axis: Array, angle: float) -> Array:
    """Rotation about a coordinate axis."""
    s, c = np.sin(angle), np.cos(angle)
    if axis[0]:
        return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    if axis[1]:
        return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


@functools.cache
def humanoid() -> Humanoid:
    """The one robot of all experiments."""
    return Humanoid()
