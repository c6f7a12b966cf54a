# SPDX-License-Identifier: BSD-2-Clause
"""Postures: the robot's Jacobians, the optimizer against another solver and closed forms, and what
a posture satisfies."""

from __future__ import annotations

from typing import Any

import clarabel
import numpy as np
import pytest
import scipy.sparse
import tactum
from tactum.reproduce import elastic_sqp, posture_report, postures, scenarios, talos
from tactum.reproduce.humanoid import humanoid, rounded_box
from tactum.reproduce.posture_robot import PARTS

STEP = 1e-6


def test_jacobians_are_those_of_differences() -> None:
    robot = humanoid()
    q = np.random.default_rng(0).uniform(robot.lower, robot.upper)
    X_W, jacobians = robot.poses(q)
    center_rows = robot.center_of_mass(X_W, jacobians)[1]
    for k in range(robot.size):
        change = STEP * np.eye(robot.size)[k]
        ahead, behind = robot.poses(q + change), robot.poses(q - change)
        twist = np.linalg.inv(X_W) @ (ahead[0] - behind[0]) / (2 * STEP)
        found = np.stack(
            [*twist[:, :3, 3].T, twist[:, 2, 1], twist[:, 0, 2], twist[:, 1, 0]], axis=1
        )
        assert np.allclose(found, jacobians[:, :, k], atol=1e-8)
        moved = robot.center_of_mass(*ahead)[0] - robot.center_of_mass(*behind)[0]
        assert np.allclose(moved / (2 * STEP), center_rows[:, k], atol=1e-8)


def test_the_robot_is_a_robot() -> None:
    robot = humanoid()
    assert robot.size == 34 and len(robot.bodies) == 15 and len(robot.self_pairs()) == 91
    X_W, jacobians = robot.poses(robot.zero())
    lowest = min(
        float((points @ X[:3, :3].T + X[:3, 3])[:, 2].min())
        for points, X in zip(robot.points, X_W, strict=True)
    )
    assert lowest == pytest.approx(0.0, abs=1e-12)
    assert abs(robot.center_of_mass(X_W, jacobians)[0][1]) < 1e-12, "left and right are equal"
    assert 50 <= len(rounded_box(np.zeros(3), np.ones(3))) <= 800


@pytest.fixture(scope="module")
def giant() -> Any:
    """Talos, where its model is installed."""
    if not talos.is_available():
        pytest.skip("pip install pin example-robot-data")
    return talos.talos()


@pytest.mark.pinocchio
def test_talos_is_that_of_pinocchio(giant: Any) -> None:
    import pinocchio

    assert giant.size == 36 and len(giant.self_pairs()) == 91 and 1.0 < giant.scale < 1.25
    assert all(50 <= len(giant.points[giant.index[name]]) <= 1000 for name in PARTS)
    q = np.random.default_rng(0).uniform(giant.lower, giant.upper)
    X_W, jacobians = giant.poses(q)
    center, rows = giant.center_of_mass(X_W, jacobians)
    other = giant.model.createData()
    assert np.allclose(rows, pinocchio.jacobianCenterOfMass(giant.model, other, q), atol=1e-12)
    assert np.allclose(center, other.com[0], atol=1e-12)
    X_W = giant.poses(giant.zero())[0]
    feet = [giant.points[k] @ X_W[k, 2, :3] + X_W[k, 2, 3] for k in range(len(X_W))]
    assert min(z.min() for z in feet) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.pinocchio
def test_talos_finds_a_posture(giant: Any) -> None:
    problem = postures.Problem(scenarios.fitted(scenarios.car(), giant), "stp", robot=giant)
    found = postures.solve(problem, postures.start_of(problem, np.random.default_rng(0), 0.0))
    assert found.lack < 1e-5 and found.clearance > -1e-4
    view = problem.look(found.q)
    for k in range(0, giant.size, 5):
        change = STEP * np.eye(giant.size)[k]
        ahead, behind = problem.look(found.q + change), problem.look(found.q - change)
        moved = (ahead.above - behind.above) / (2 * STEP)
        assert np.allclose(moved, view.above_rows[:, k], atol=1e-5)


def test_a_place_grows_with_the_robot() -> None:
    small, robot = scenarios.fridge(), humanoid()
    same = scenarios.fitted(small, robot)
    assert same.near == small.near and same.support == small.support
    for (_, X), (shape, Y) in zip(small.obstacles.values(), same.obstacles.values(), strict=True):
        assert np.array_equal(X, Y) and isinstance(shape, tactum.Shape)
    for shape, _ in small.obstacles.values():
        assert scenarios.scaled_shape(shape, 2.0).volume() == pytest.approx(8.0 * shape.volume())


def clarabel_answer(B: np.ndarray, g: np.ndarray, C: np.ndarray, b: np.ndarray) -> np.ndarray:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solver = clarabel.DefaultSolver(
        scipy.sparse.csc_matrix(np.triu(B)),
        g,
        scipy.sparse.csc_matrix(-C),
        -b,
        [clarabel.NonnegativeConeT(len(b))],
        settings,
    )
    return np.array(solver.solve().x)


@pytest.mark.parametrize("seed", range(12))
def test_quadratic_programs_are_solved(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 30)), int(rng.integers(1, 90))
    root = rng.normal(size=(n, n))
    B = root @ root.T + 0.1 * np.eye(n)
    g, C = rng.normal(size=n), rng.normal(size=(m, n))
    b = C @ rng.normal(size=n) - rng.exponential(0.3, size=m) * (rng.random(m) < 0.7)
    if seed % 3 == 0:  # rows that depend on each other
        C, b = np.concatenate([C, 2.0 * C[: m // 2]]), np.concatenate([b, 2.0 * b[: m // 2]])
    x, multipliers = elastic_sqp.quadratic_program(B, g, C, b)
    assert np.allclose(x, clarabel_answer(B, g, C, b), atol=1e-6)
    slack = C @ x - b
    assert slack.min() > -1e-9 and multipliers.min() >= 0.0
    assert np.abs(multipliers * slack).max() < 1e-7
    assert np.allclose(B @ x + g, C.T @ multipliers, atol=1e-8)


def circle(at: np.ndarray) -> elastic_sqp.View:
    """The point of the unit circle nearest to (2, 1), above y = 0.8."""
    away = at - [2.0, 1.0]
    return elastic_sqp.View(
        float(away @ away),
        2.0 * away,
        np.array([at @ at - 1.0]),
        2.0 * at[None],
        np.array([at[1] - 0.8]),
        np.array([[0.0, 1.0]]),
    )


@pytest.mark.parametrize("optimizer", [elastic_sqp.minimize, elastic_sqp.search])
@pytest.mark.parametrize("start", [(3.0, -2.0), (-0.5, 0.1), (0.01, 0.0), (0.6, 0.8)])
def test_the_optimizer_finds_a_known_point(start: tuple[float, float], optimizer: Any) -> None:
    bounds = np.full(2, 5.0)
    found = optimizer(circle, np.array(start), -bounds, bounds, np.eye(2))
    assert found.converged and np.allclose(found.point, [0.6, 0.8], atol=1e-6)
    assert found.iterations < 60


@pytest.mark.parametrize("optimizer", [elastic_sqp.minimize, elastic_sqp.search])
def test_what_cannot_be_is_not_called_found(optimizer: Any) -> None:
    def look(at: np.ndarray) -> elastic_sqp.View:
        # x >= 1 and x <= -1
        rows = np.array([[1.0, 0.0], [-1.0, 0.0]])
        nothing = np.zeros(0), np.zeros((0, 2))
        return elastic_sqp.View(float(at @ at), 2.0 * at, *nothing, rows @ at - 1.0, rows)

    bounds = np.full(2, 5.0)
    found = optimizer(look, np.array([2.0, 2.0]), -bounds, bounds, np.eye(2))
    assert not found.converged and found.view.worst >= 1.0 - 1e-9


@pytest.mark.parametrize("optimizer", [elastic_sqp.minimize, elastic_sqp.search])
def test_a_stall_is_not_called_found(optimizer: Any) -> None:
    def look(at: np.ndarray) -> elastic_sqp.View:
        # the gradient points uphill, as that of a hull does behind an edge: no step helps
        nothing = np.zeros(0), np.zeros((0, 2))
        return elastic_sqp.View(-float(at.sum()), np.ones(2), *nothing, *nothing)

    bounds = np.full(2, 5.0)
    found = optimizer(look, np.array([2.0, 2.0]), -bounds, bounds, np.eye(2))
    assert found.view.worst == 0.0 and np.array_equal(found.point, [2.0, 2.0])
    assert not found.converged and found.iterations < 100


def posture(converged: bool, iterations: int, moved: float) -> postures.Posture:
    nothing = np.zeros(0)
    return postures.Posture(nothing, converged, iterations, 1, 1.0, 0.0, 0.0, 0.0, moved)


def test_medians_are_of_starts_that_arrive() -> None:
    ours = [posture(True, 10, 1.0), posture(True, 20, 2.0), posture(False, 400, 9.0)]
    hulls = [posture(False, 4, 9.0), posture(True, 30, 3.0), posture(True, 7, 1.0)]
    never = [posture(False, 5, 1.0), posture(False, 6, 1.0)]
    results = [
        (label, k, one)
        for label, found in (
            (posture_report.OURS, ours),
            (posture_report.HULL, hulls),
            (posture_report.FLAT, never),
        )
        for k, one in enumerate(found)
    ]
    made = posture_report.start_rows(results)
    rows = {(row["case"], row["quantity"]): row["ours"] for row in made}
    assert rows[posture_report.OURS, "starts that arrive"] == pytest.approx(2 / 3)
    assert rows[posture_report.OURS, "iterations where it arrives, median"] == 15.0
    assert rows[posture_report.OURS, "way where it arrives, median"] == 1.5
    assert rows[posture_report.HULL, "iterations where it arrives, median"] == 18.5
    assert rows[posture_report.FLAT, "starts that arrive"] == 0.0
    assert rows[posture_report.FLAT, "starts that end without a violation"] == 1.0
    assert rows[posture_report.FLAT, "iterations where it arrives, median"] is None
    # only the second start arrives with both
    assert rows["hull / R = 10 m", "iterations where both arrive, median"] == 1.5
    assert rows["hull - R = 10 m", "starts that arrive"] == pytest.approx(0.0)


def test_a_posture_does_what_it_should() -> None:
    problem = postures.Problem(scenarios.car(), "stp")
    found = postures.solve(problem, postures.start_of(problem, np.random.default_rng(0), 0.0))
    robot, q = problem.robot, found.q
    assert found.converged and (q >= robot.lower).all() and (q <= robot.upper).all()
    X_W, jacobians = robot.poses(q)
    for body, local, target in problem.scenario.targets:
        X = X_W[robot.index[body]]
        assert np.allclose(X[:3, :3] @ local + X[:3, 3], target, atol=1e-5)
    for body in problem.scenario.flat:
        assert np.allclose(X_W[robot.index[body], :3, :3], np.eye(3), atol=1e-5)
    x, y, _ = robot.center_of_mass(X_W, jacobians)[0]
    x0, x1, y0, y1 = problem.scenario.support
    assert x0 - 1e-5 <= x <= x1 + 1e-5 and y0 - 1e-5 <= y <= y1 + 1e-5
    assert (problem.clearances(q) - problem.margins).min() > -1e-4


def test_gradients_of_constraints_are_those_of_differences() -> None:
    problem = postures.Problem(scenarios.at_work(), "stp")
    rng = np.random.default_rng(2)
    q = postures.start_of(problem, rng, 0.2)
    q[3:6] = rng.uniform(-0.3, 0.3, size=3)
    view = problem.look(q)
    for k in rng.choice(problem.robot.size, 10, replace=False):
        change = STEP * np.eye(problem.robot.size)[k]
        ahead, behind = problem.look(q + change), problem.look(q - change)
        for name in ("equal", "above"):
            found = (getattr(ahead, name) - getattr(behind, name)) / (2 * STEP)
            assert np.allclose(found, getattr(view, f"{name}_rows")[:, k], atol=1e-5), name
        assert (ahead.cost - behind.cost) / (2 * STEP) == pytest.approx(view.gradient[k], abs=1e-6)
