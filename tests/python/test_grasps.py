# SPDX-License-Identifier: BSD-2-Clause
"""The test of force closure, on grasps of a ball of which one knows whether they hold."""

from __future__ import annotations

import numpy as np
import pytest
import tactum
from tactum import se3
from tactum.reproduce.grasps import balance, holds

BALL, TIP = tactum.Sphere(radius=0.05), tactum.Sphere(radius=0.01)


def contacts(directions: list[list[float]]) -> list[tactum.Distance]:
    units = [np.array(d) / np.linalg.norm(d) for d in directions]
    return [tactum.distance(BALL, None, TIP, 0.06 * unit) for unit in units]


TETRAHEDRON = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]
TRIANGLE = [[1.0, 0.0, 0.0], [-0.5, 0.75**0.5, 0.0], [-0.5, -(0.75**0.5), 0.0]]


@pytest.mark.parametrize(
    ("directions", "friction", "held"),
    [
        (TETRAHEDRON, 0.8, True),
        (TRIANGLE, 0.8, True),
        # without friction a ball turns between the fingers
        (TETRAHEDRON, 0.01, False),
        # from one side they push it away
        ([[1.0, 0.1, 0.0], [1.0, -0.1, 0.1], [1.0, 0.0, -0.1]], 0.8, False),
        # two points leave the turn about the line between them
        ([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], 0.8, False),
    ],
)
def test_grasps_of_a_ball(directions: list[list[float]], friction: float, held: bool) -> None:
    assert holds(contacts(directions), 0.05, friction) is held


def test_the_gradient_of_balance_is_that_of_differences() -> None:
    egg = tactum.Ellipsoid(semi_axes=(0.05, 0.04, 0.06))
    fingers = [tactum.pose(xyz=0.08 * np.array(d) / np.linalg.norm(d)) for d in TETRAHEDRON[:3]]
    moves = [np.eye(6)] * len(fingers)

    def total(step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        poses = [X @ se3.exp(step) for X in fingers]
        found = [tactum.distance_derivative(egg, None, TIP, X) for X in poses]
        return balance(found, moves, 0.05)

    value, rows = total(np.zeros(6))
    assert np.abs(value).max() > 1e-3
    for k, step in enumerate(1e-6 * np.eye(6)):
        change = (total(step)[0] - total(-step)[0]) / 2e-6
        assert np.allclose(change, rows[:, k], atol=1e-6 * np.abs(rows).max())
