# SPDX-License-Identifier: BSD-2-Clause
"""Steps in a contact mode that is wanted, and Jacobians of a step from steps alone.

A body touches a fixed ellipsoid, so that normals move with it; or a box rests on its face. Of a step
counts the next velocity, as a function of a change of position and velocity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from .problems import random_rotations

Array = npt.NDArray[np.float64]
Step = Callable[[Array], Array]
HULL = np.array(
    [
        (0.09, 0.0, -0.05),
        (-0.05, 0.08, -0.06),
        (-0.06, -0.07, -0.04),
        (0.03, 0.05, 0.07),
        (-0.04, 0.02, 0.09),
        (0.05, -0.06, 0.05),
    ]
)
SHAPES: dict[str, Any] = {
    "ellipsoid": tactum.Ellipsoid(semi_axes=(0.1, 0.06, 0.08)),
    "capsule": tactum.Capsule(radius=0.05, half_length=0.08),
    "box": tactum.Box(half_extents=(0.08, 0.06, 0.05)),
    "hull": tactum.Convex.from_points(HULL),
    "STP volume": tactum.Stp.from_points(HULL, small_radius=0.01, big_radius=1.0),
}
DOME = (0.3, 0.25, 0.2)
# friction, restitution, normal and largest tangential velocity in m/s before the step
MODES = {
    "sticking": (1.0, 0.0, -0.5, 0.1),
    "sliding": (0.2, 0.0, -0.3, 1.0),
    "impact": (0.4, 0.6, -1.0, 0.5),
    "breaking": (0.5, 0.0, 0.5, 0.5),
}
RIGID = "four points, rigid"
RESTS = {RIGID: 0.0, "four points, compliant": 1e-5}  # m/N
DT, GAP = 1e-3, 1e-4  # s, m


def differences(step: Step, size: int, h: float) -> Array:
    """Central differences, one column for each entry of the input."""
    columns = [(step(h * unit) - step(-h * unit)) / (2.0 * h) for unit in np.eye(size)]
    return np.stack(columns, axis=1)


def error(found: Array, expected: Array) -> float:
    """The larger error of both halves, by position and by velocity."""
    halves = np.split(found - expected, 2, axis=1), np.split(expected, 2, axis=1)
    return max(
        float(np.abs(off).max() / max(np.abs(true).max(), 1e-3)) for off, true in zip(*halves)
    )


def extrapolated(step: Step, size: int, first: float, levels: int) -> tuple[Array, float]:
    """Central differences at steps that shrink by 3, combined so that the even powers of the step
    cancel, and how far the best two answers are apart, over the largest entry."""
    before: list[Array] = []
    best, least = np.zeros((size // 2, size)), np.inf
    for level in range(levels):
        now = [differences(step, size, first / 3.0**level)]
        for k, old in enumerate(before):
            power = 9.0 ** (k + 1)
            now.append((power * now[k] - old) / (power - 1.0))
            apart = max(error(now[k + 1], now[k]), error(now[k + 1], old))
            if apart < least:
                best, least = now[k + 1], apart
        before = now
    return best, least


def zeroth_order(step: Step, size: int, rng: np.random.Generator) -> Array:
    """Gradient of the mean over Gaussian noise, from pairs of opposite samples, half of them with noise
    in the position and half in the velocity."""
    half = size // 2
    halves = []
    for scale, place in ((1e-5, 0), (1e-2, 1)):  # m and rad, m/s and rad/s
        total: Array = np.zeros((half, half))
        for _ in range(half):
            noise = rng.normal(size=half)
            change = np.zeros(size)
            change[half * place : half * (place + 1)] = scale * noise
            total += np.outer(step(change) - step(-change), noise / scale) / (2 * half)
        halves.append(total)
    return np.hstack(halves)


def touching_state(
    shape: Any, mode: str, gap: float, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Pose of the body at a gap from the dome, and its twist in the world about its center."""
    _, _, normal_speed, tangential = MODES[mode]
    X = np.eye(4)
    X[:3, :3] = random_rotations(rng, 1)[0]
    direction = rng.normal(size=3)
    direction[2] = abs(direction[2]) + 0.5
    X[:3, 3] = 0.5 * direction / np.linalg.norm(direction)
    value = tactum.distance(tactum.Ellipsoid(semi_axes=DOME), np.eye(4), shape, X)
    X[:3, 3] += (gap - value.distance) * value.normal
    slide = rng.normal(size=3)
    slide -= slide @ value.normal * value.normal
    slide *= tangential * rng.uniform(0.2, 1.0) / np.linalg.norm(slide)
    angular = rng.normal(size=3)
    at_point = normal_speed * rng.uniform(0.8, 1.2) * value.normal + slide
    arm = value.point_b + (gap - value.distance) * value.normal - X[:3, 3]
    return X, at_point - np.cross(angular, arm), angular


def step_model(shape: str, mode: str) -> Any:
    from tactum import sim

    builder = sim.ModelBuilder()
    if mode in RESTS:
        builder.add_ground(friction=0.7, compliance=RESTS[mode])
        builder.add_body(SHAPES[shape], mass=1.0)
        return builder.build()
    friction, restitution = MODES[mode][:2]
    surface: dict[str, Any] = {"friction": friction, "restitution": restitution}
    builder.add_fixed(tactum.Ellipsoid(semi_axes=DOME), **surface)
    builder.add_body(SHAPES[shape], mass=1.0, **surface)
    return builder.build()


def step_state(model: Any, shape: str, mode: str, rng: np.random.Generator) -> Any:
    state = model.state()
    if mode in RESTS:
        half = SHAPES[shape].half_extents[2]
        state.q = np.array([0.0, 0.0, half + GAP * rng.uniform(0.2, 0.5), 0.0, 0.0, 0.0, 1.0])
        state.q = model.integrate(state.q, 1e-4 * rng.normal(size=6) * (0, 0, 0, 1, 1, 1))
        slide, turn = 0.01 * rng.normal(size=2), 0.02 * rng.normal()
        state.v = np.array([*slide, -0.2, 0.0, 0.0, turn])
        return state
    X, linear, angular = touching_state(SHAPES[shape], mode, GAP, rng)
    state.q = tactum.pose_xyz_xyzw(X)
    state.v = np.concatenate((X[:3, :3].T @ linear, X[:3, :3].T @ angular))
    return state
