# SPDX-License-Identifier: BSD-2-Clause
"""The trot of mpc-flat and mpc-bumpy: its measure of the ncp, its ground, its gait, its controller."""

from __future__ import annotations

import importlib.util
from typing import Any, cast

import numpy as np
import pytest
import tactum
from tactum.reproduce import trot, trot_controller
from tactum.reproduce.force_problems import sliding_point


def nearest_in_cone(radius: float, height: float, a: float, b: float) -> float:
    """Distance from the cone by a dense scan of its border and of its apex."""
    ray = np.linspace(0.0, 4.0, 400001)[:, None] * np.array([b, a]) / np.hypot(a, b)
    if a * radius <= b * height:
        return 0.0
    return float(np.hypot(radius - ray[:, 0], height - ray[:, 1]).min())


def test_distance_from_a_cone() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        radius, height = abs(rng.normal()), rng.normal()
        a, b = rng.uniform(0.1, 1.0, size=2)
        found = trot.cone_distance(radius, height, a, b)
        assert found == pytest.approx(nearest_in_cone(radius, height, a, b), abs=1e-8)


def test_the_violation_is_zero_at_a_solution_and_that_of_the_ccp_is_not() -> None:
    problem = sliding_point(0.3)
    for solver, small in (("ncp_admm", True), ("ccp_admm", False)):
        solution = tactum.solve(problem, cast(Any, solver), tolerance=1e-12, polish=True)
        args = solution.force.reshape(-1, 3), solution.velocity.reshape(-1, 3)
        found = trot.ncp_violation(*args, np.full(len(args[0]), problem.mu[0]))
        assert (found < 1e-9) is small
    pulling = trot.ncp_violation(np.array([[0, 0, -1.0]]), np.zeros((1, 3)), np.array([0.5]))
    assert pulling == 1.0


def test_ground_of_the_bumpy_trot() -> None:
    heights = trot.bumpy_heights(3)
    assert np.ptp(heights) <= trot.ROUGHNESS and np.ptp(heights) > 0.8 * trot.ROUGHNESS
    x = np.arange(trot.REACH[0][0], trot.REACH[0][1] + 0.5 * trot.CELL, trot.CELL)
    assert np.all(heights[x <= trot.LEVEL] == 0.0) and len(x) == len(heights)
    assert np.array_equal(heights, trot.bumpy_heights(3))
    assert not np.array_equal(heights, trot.bumpy_heights(4))


def test_gait() -> None:
    times = np.arange(0.0, 2 * trot_controller.PERIOD, 1e-3) + 5e-4
    lifted = [trot_controller.swinging(time) for time in times]
    counts = {foot: np.mean([foot in feet for feet, _ in lifted]) for foot in trot_controller.FEET}
    share = trot_controller.SWING / trot_controller.PERIOD
    assert all(count == pytest.approx(share, abs=1e-2) for count in counts.values())
    assert all(feet in ((), *trot_controller.PAIRS) for feet, _ in lifted)
    assert all(0.0 <= place < 1.0 for _, place in lifted)


def test_roll_pitch_and_yaw() -> None:
    rng = np.random.default_rng(1)
    for roll, pitch, yaw in rng.uniform(-1.2, 1.2, size=(20, 3)):
        cx, sx, cy, sy, cz, sz = (f(x) for x in (roll, pitch, yaw) for f in (np.cos, np.sin))
        x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
        y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
        z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
        assert trot_controller.roll_pitch_yaw(z @ y @ x) == pytest.approx([roll, pitch, yaw])
    r, f = rng.normal(size=(2, 3))
    assert trot_controller.cross_matrix(r) @ f == pytest.approx(np.cross(r, f))


@pytest.mark.skipif(not trot.is_possible(), reason="Crocoddyl and robots are optional")
def test_forces_of_the_controller_carry_the_robot_and_lie_in_their_cones() -> None:
    assert importlib.util.find_spec("crocoddyl") is not None
    _, theirs, _, q = trot.solo(0.9, None)
    controller = trot_controller.TrotController(theirs, q, trot.SPEED, 0.9)
    controller.solve(0.17)  # all feet stand
    total = np.sum(list(controller.forces.values()), axis=0)
    weight = controller.mass * 9.81
    assert set(controller.forces) == set(trot_controller.FEET)
    # two feet swing most of the time: with all four down the robot pushes itself up
    assert total[2] == pytest.approx(weight, rel=0.5)
    for force in controller.forces.values():
        assert np.hypot(force[0], force[1]) <= 0.9 * force[2] + 1e-9
