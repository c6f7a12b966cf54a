# SPDX-License-Identifier: BSD-2-Clause
"""The optimizer of the experiments, against optima found another way."""

from __future__ import annotations

import clarabel
import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from kinds import Array
from tactum.reproduce.experiments.stp_big_radius import turn, vector_of
from tactum.reproduce.sequential_qp import Outcome, View, minimize, quadratic_step, with_curvature


@pytest.mark.parametrize("seed", range(20))
def test_quadratic_step_is_that_of_clarabel(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    B, view = (
        root @ root.T + 0.1 * np.eye(6),
        View(0.0, rng.normal(size=6), rng.normal(size=3), rng.normal(size=(3, 6))),
    )
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    rows, cones = scipy.sparse.csc_matrix(-view.jacobian), [clarabel.NonnegativeConeT(3)]
    truth = clarabel.DefaultSolver(
        scipy.sparse.csc_matrix(np.triu(B)), view.gradient, rows, view.constraints, cones, settings
    ).solve()
    found = quadratic_step(B, view)
    assert found is not None
    np.testing.assert_allclose(found[0], truth.x, atol=1e-6)
    np.testing.assert_allclose(found[1], truth.z, atol=1e-5)


def test_constraints_that_exclude_each_other_have_no_step() -> None:
    jacobian = np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert (
        quadratic_step(np.eye(2), View(0.0, np.zeros(2), np.array([-1.0, -1.0]), jacobian)) is None
    )


def test_curvature_stays_positive() -> None:
    rng, B = np.random.default_rng(1), np.diag([0.1, 1.0, 3.0, 10.0])
    for _ in range(100):
        values = np.linalg.eigvalsh(with_curvature(B, rng.normal(size=4), rng.normal(size=4)))
        assert values.min() > 0.0
    step = np.array([0.1, 0.2, -0.1, 0.3])
    np.testing.assert_allclose(
        with_curvature(np.eye(4), step, 3.0 * step) @ step, 3.0 * step
    )  # the secant equation


def banana(x: Array) -> View:
    """Rosenbrock's valley, inside a circle and right of a line."""
    cost = (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2
    gradient = np.array(
        [-2.0 * (1.0 - x[0]) - 400.0 * x[0] * (x[1] - x[0] ** 2), 200.0 * (x[1] - x[0] ** 2)]
    )
    return View(
        cost, gradient, np.array([1.5 - x @ x, x[0] + 0.5]), np.array([-2.0 * x, [1.0, 0.0]])
    )


def solved(x: Array, most_iterations: int = 200) -> Outcome:
    return minimize(
        x,
        banana,
        lambda p, step: p + step,
        np.eye(2),
        longest=lambda step: 1.0,
        tolerance=1e-9,
        most_iterations=most_iterations,
    )


@pytest.mark.parametrize("start", [(0.0, 0.0), (-0.4, 0.9), (0.5, -0.5), (3.0, -2.0)])
def test_minimum_is_that_of_scipy(start: tuple[float, float]) -> None:
    x = np.array(start)
    found = solved(x)
    circle = {
        "type": "ineq",
        "fun": lambda p: banana(p).constraints,
        "jac": lambda p: banana(p).jacobian,
    }
    truth = scipy.optimize.minimize(
        lambda p: banana(p).cost,
        x,
        jac=lambda p: banana(p).gradient,
        constraints=circle,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.converged and found.evaluations > found.iterations
    np.testing.assert_allclose(found.point, truth.x, atol=1e-5)


def test_it_says_where_it_stopped_early() -> None:
    found = solved(np.array([0.0, 0.0]), most_iterations=2)
    assert not found.converged and found.iterations == 2


def test_turns_and_their_vectors() -> None:
    rng = np.random.default_rng(2)
    for angle in (0.0, 1e-9, 0.3, 3.0):
        w = rng.normal(size=3)
        w *= angle / np.linalg.norm(w)
        R = turn(w)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
        np.testing.assert_allclose(vector_of(R), w, atol=1e-13)
        np.testing.assert_allclose(R @ w, w, atol=1e-14)
