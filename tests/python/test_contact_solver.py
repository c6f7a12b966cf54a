# SPDX-License-Identifier: BSD-2-Clause
"""Contact forces from Python: problems, all solvers, derivatives, batches, errors; the convex model against a solver written here."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import tactum
from kinds import Array

SOLVERS: list[Any] = [
    "lcp_pgs",
    "lcp_staggered",
    "ccp_pgs",
    "ccp_newton",
    "ccp_admm",
    "raisim",
    "raisim_desaxce",
    "ncp_pgs",
    "ncp_staggered",
    "ncp_admm",
]


def random_scene(
    rng: np.random.Generator, contacts: int, motions: int
) -> tuple[Array, Array, Array]:
    """J, the Cholesky factor of M, and mu."""
    J = rng.normal(size=(3 * contacts, motions))
    root = rng.normal(size=(motions, motions))
    factor: Array = np.linalg.cholesky(root @ root.T + np.eye(motions)).astype(float)
    return J, factor, rng.uniform(0.2, 0.9, contacts)


def random_problem(
    rng: np.random.Generator, contacts: int = 4, R: float = 0.05
) -> tactum.ContactProblem:
    J, factor, mu = random_scene(rng, contacts, 3 * contacts)
    W = np.linalg.solve(factor, J.T)
    return tactum.ContactProblem(G=W.T @ W, g=rng.normal(size=3 * contacts), mu=mu, R=R)


def project(force: Array, mu: Array) -> Array:
    """Nearest point of the product of friction cones."""
    out = force.reshape(-1, 3).copy()
    for row, m in zip(out, mu, strict=True):
        tangent = np.hypot(row[0], row[1])
        if tangent <= m * row[2]:
            continue
        if m * tangent <= -row[2]:
            row[:] = 0
        else:
            normal = (m * tangent + row[2]) / (1 + m * m)
            row[:] = [*(m * normal * row[:2] / tangent), normal]
    return out.ravel()


def convex_solution(problem: tactum.ContactProblem) -> Array:
    """min 1/2 f.(G + R) f + g.f over the cones by accelerated projected gradients (Beck and Teboulle 2009) with restarts."""
    A = problem.G + np.diag(problem.R)
    step = 1 / np.linalg.eigvalsh(A)[-1]
    force = moving = np.zeros(problem.rows)
    weight = 1.0
    for _ in range(20000):
        following = project(moving - step * (A @ moving + problem.g), problem.mu)
        if (moving - following) @ (following - force) > 0:
            weight, moving = 1.0, force
            continue
        heavier = (1 + np.sqrt(1 + 4 * weight**2)) / 2
        moving = following + (weight - 1) / heavier * (following - force)
        if np.abs(following - force).max() < 1e-15:
            break
        force, weight = following, heavier
    return force


def test_one_contact_in_closed_form() -> None:
    problem = tactum.ContactProblem(G=np.eye(3) / 2, g=[3.0, 0.0, -1.0], mu=0.5)
    for solver in (
        "ncp_pgs",
        "ncp_admm",
        "ncp_staggered",
        "raisim",
        "raisim_desaxce",
        "lcp_pgs",
        "lcp_staggered",
    ):
        solution = tactum.solve(problem, solver, tolerance=1e-11)
        assert solution.status == tactum.ContactStatus.converged
        np.testing.assert_allclose(solution.force, [-1.0, 0.0, 2.0], atol=1e-9)
        np.testing.assert_allclose(solution.velocity, [2.5, 0.0, 0.0], atol=1e-9)
        assert solution.modes == (tactum.ContactMode.sliding,)
        assert str(solution.modes[0]) == "sliding"
        assert solution.ncp_residual <= 1e-9
    for solver in SOLVERS[2:5]:
        solution = tactum.solve(problem, solver, tolerance=1e-11)
        np.testing.assert_allclose(solution.force, [-2.0, 0.0, 4.0], atol=1e-8)
        assert solution.signorini == pytest.approx(4.0)


def test_convex_model_against_accelerated_gradients() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        problem = random_problem(rng)
        expected = convex_solution(problem)
        for solver in ("ccp_pgs", "ccp_newton", "ccp_admm"):
            force = tactum.solve(
                problem, solver, tolerance=1e-12, max_iterations=20000, polish=True
            ).force
            np.testing.assert_allclose(
                force, expected, atol=1e-8 * (1 + np.abs(expected).max()), err_msg=solver
            )


def test_operator_never_forms_g_and_agrees() -> None:
    rng = np.random.default_rng(2)
    J, factor, mu = random_scene(rng, 5, 8)
    g = J @ rng.normal(size=8)
    thin = tactum.ContactProblem.from_operator(J=J, factor=factor, g=g, mu=mu, R=0.1)
    W = np.linalg.solve(factor, J.T)
    dense = tactum.ContactProblem(G=W.T @ W, g=g, mu=mu, R=0.1)
    assert thin.is_operator
    np.testing.assert_allclose(thin.G, dense.G, atol=1e-12)
    for solver in SOLVERS:
        one, other = (
            tactum.solve(p, solver, tolerance=1e-8, max_iterations=10000, polish=True).force
            for p in (thin, dense)
        )
        np.testing.assert_allclose(one, other, atol=1e-7 * (1 + np.abs(one).max()), err_msg=solver)


def test_residual_is_the_evaluators_and_the_evaluator_is_right() -> None:
    rng = np.random.default_rng(3)
    problem = random_problem(rng)
    solution = tactum.solve(problem, "ncp_pgs", tolerance=1e-4)
    force, mu = solution.force, problem.mu
    velocity = (problem.G + np.diag(problem.R)) @ force + problem.g
    np.testing.assert_allclose(solution.velocity, velocity, atol=1e-12)
    shifted = velocity.reshape(-1, 3).copy()
    shifted[:, 2] += mu * np.hypot(shifted[:, 0], shifted[:, 1])
    primal = np.linalg.norm((force - project(force, mu)).reshape(-1, 3), axis=1).max()
    dual = np.linalg.norm(project(-shifted.ravel(), mu).reshape(-1, 3), axis=1).max()
    power = np.abs((force.reshape(-1, 3) * shifted).sum(axis=1)).max()
    assert solution.residual == pytest.approx(max(primal, dual, power), rel=1e-9)
    assert solution.residual == pytest.approx(tactum.contact_residual(problem, force), rel=1e-12)
    assert (solution.primal, solution.dual, solution.complementarity) == pytest.approx(
        (primal, dual, power), rel=1e-9, abs=1e-15
    )


def test_kinds_by_name_number_and_array() -> None:
    terms: dict[str, Any] = {
        "G": 2 * np.eye(7),
        "g": [0.0, 0.0, -2.0, 3.0, -3.0, 3.0, -3.0],
        "mu": 0.5,
        "bounds": [[-1.0, 1.0]],
    }
    names = ["friction", "bilateral", "limit", "box", "frictionless"]
    for kinds in (
        names,
        [0, 4, 2, 3, 1],
        np.array([0, 4, 2, 3, 1], dtype=np.uint8),
        [getattr(tactum.ContactKind, n) for n in names],
    ):
        problem = tactum.ContactProblem(kinds=kinds, **terms)
        assert problem.kinds.tolist() == [0, 4, 2, 3, 1]
        solution = tactum.solve(problem)
        np.testing.assert_allclose(solution.force, [0.0, 0.0, 1.0, -1.5, 1.5, -1.0, 1.5], atol=1e-7)
        assert solution.islands == 5


@pytest.mark.parametrize("solver", SOLVERS)
def test_derivative_against_central_differences(solver: Any) -> None:
    rng = np.random.default_rng(4)
    judged = 0
    for _ in range(10):
        problem = random_problem(rng)
        options: dict[str, Any] = {"max_iterations": 3000, "polish": True}
        solution = tactum.solve(problem, solver, **options)
        derivative = tactum.solution_derivative(problem, solution)
        if not derivative.smooth or solution.mode_margin.min() < 1e-3:
            continue
        judged += 1
        d_g, d_mu, d_R = rng.normal(size=12), 0.1 * rng.normal(size=4), 0.01 * rng.normal(size=12)
        root = rng.normal(size=(12, 12))
        d_G = 0.1 * (root + root.T)
        change = derivative.jvp(d_g=d_g, d_mu=d_mu, d_R=d_R, d_G=d_G)
        forces = []
        for step in (1e-6, -1e-6):
            moved = tactum.ContactProblem(
                G=problem.G + step * d_G,
                g=problem.g + step * d_g,
                mu=problem.mu + step * d_mu,
                R=problem.R + step * d_R,
            )
            forces.append(
                tactum.solve(
                    moved,
                    solver,
                    warm_start=solution,
                    tolerance=0.0,
                    **(options | {"max_iterations": 3}),
                ).force
            )
        np.testing.assert_allclose(
            change, (forces[0] - forces[1]) / 2e-6, atol=1e-5 * (1 + np.abs(change).max())
        )
        # the same number from the other side
        weight = rng.normal(size=12)
        gradient = derivative.vjp(weight)
        total = (
            gradient.d_g @ d_g
            + gradient.d_mu @ d_mu
            + gradient.d_R @ d_R
            + (gradient.d_G.dense() * d_G).sum()
        )
        assert total == pytest.approx(weight @ change, rel=1e-8, abs=1e-10)
        by_parts = (
            derivative.force_wrt_g @ d_g
            + derivative.force_wrt_mu @ d_mu
            + derivative.force_wrt_R @ d_R
        )
        np.testing.assert_allclose(
            by_parts,
            derivative.jvp(d_g=d_g, d_mu=d_mu, d_R=d_R),
            atol=1e-9 * (1 + np.abs(change).max()),
        )
    assert judged >= 4


def test_many_on_threads_has_the_bits_of_one() -> None:
    rng = np.random.default_rng(5)
    problems = [random_problem(rng, contacts) for contacts in (1, 2, 5, 3) * 10]
    alone = [tactum.solve(problem) for problem in problems]
    for num_threads in (1, 2, 4):
        for one, other in zip(
            alone, tactum.solve_many(problems, num_threads=num_threads), strict=True
        ):
            np.testing.assert_array_equal(one.force, other.force)
            assert one.iterations == other.iterations
    again = tactum.solve_many(problems, warm_starts=alone)
    assert all(
        warm.iterations == 0
        for warm, cold in zip(again, alone, strict=True)
        if str(cold.status) == "converged"
    )


def test_options_history_and_internal_force() -> None:
    corners = np.array([[x, y, -0.1] for x in (-0.1, 0.1) for y in (-0.1, 0.1)])
    rows = [np.hstack([np.eye(3), [[0, z, -y], [-z, 0, x], [y, -x, 0]]]) for x, y, z in corners]
    J, motion = np.vstack(rows), np.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0])
    factor = np.diag(np.sqrt([1, 1, 1, 0.04 / 6, 0.04 / 6, 0.04 / 6]))
    problem = tactum.ContactProblem.from_operator(J=J, factor=factor, g=J @ motion, mu=0.5)
    solution = tactum.solve(problem, history=True)
    assert len(solution.history) == solution.iterations > 0
    assert solution.history[-1] <= 1e-8
    assert solution.internal_force < 1e-7
    assert tactum.solve(problem, "ncp_pgs").internal_force > 0.1
    assert solution.force[2::3].sum() == pytest.approx(9.81)
    assert tactum.solution_derivative(problem, solution).rule == "minimum_norm"
    regularized = tactum.solve(problem, regularization=1e-3)
    assert tactum.solution_derivative(problem, regularized).rule == "regularized"
    assert tactum.solve(problem, warm_start=solution.force).iterations <= solution.iterations


def test_as_printed_returns_the_last_iterate_of_the_listing() -> None:
    # Alg. 1 and Alg. 5 on a point mass: one pass is the closed form
    problem = tactum.ContactProblem(G=0.5 * np.eye(3), g=[1.8, 2.4, -1.0], mu=[0.5])
    once = tactum.solve(problem, "ncp_pgs", as_printed=True, max_iterations=1, tolerance=0.0)
    assert np.allclose(once.force, [-0.6, -0.8, 2.0], rtol=0, atol=1e-15)
    square = tactum.solve(problem, "lcp_pgs", as_printed=True, max_iterations=1, tolerance=0.0)
    assert np.allclose(square.force, [-1.0, -1.0, 2.0], rtol=0, atol=1e-15)
    stack = tactum.solve(
        tactum.ContactProblem(G=[[1.0, 0.9], [0.9, 1.0]], g=[-1.0, -1.0], kinds=["limit", "limit"]),
        "ncp_pgs",
        as_printed=True,
        history=True,
        max_iterations=7,
        tolerance=0.0,
    )
    f = np.zeros(2)
    for _ in range(7):
        f[0] = max(0.0, 1.0 - 0.9 * f[1])
        f[1] = max(0.0, 1.0 - 0.9 * f[0])
    assert np.allclose(stack.force, f, rtol=0, atol=1e-14) and len(stack.history) == 7
    many = tactum.solve_many([problem], "ncp_pgs", as_printed=True, max_iterations=1)
    assert np.array_equal(many[0].force, once.force)


def test_as_printed_refuses_what_the_survey_does_not_list() -> None:
    problem = tactum.ContactProblem(G=np.eye(3), g=[0.0, 0.0, -1.0], mu=[0.5])
    for solver in ("ccp_newton", "raisim_desaxce"):
        with pytest.raises(tactum.InvalidInput, match="as_printed"):
            tactum.solve(problem, solver, as_printed=True)
    with pytest.raises(tactum.InvalidInput, match="polish"):
        tactum.solve(problem, "ncp_pgs", as_printed=True, polish=True)
    with pytest.raises(TypeError, match="as_printed"):
        tactum.solve(problem, "ncp_pgs", as_printed=1)


def test_free_velocity_and_compliance() -> None:
    g = tactum.contact_free_velocity(
        free_velocity=[0.1, 0.0, -1.0],
        velocity=[0.1, 0.0, -2.0],
        restitution=0.5,
        separation=-0.001,
        time_step=0.01,
    )
    np.testing.assert_allclose(g, [10.0, 0.0, (-1.0 - 0.1 - 1.0) / 0.01])
    np.testing.assert_allclose(tactum.contact_compliance([1e-4], time_step=0.01), [1.0])


def test_problems_are_pickled_and_printed() -> None:
    rng = np.random.default_rng(6)
    J, factor, mu = random_scene(rng, 2, 4)
    for problem in (
        random_problem(rng),
        tactum.ContactProblem.from_operator(J=J, factor=factor, g=np.ones(6), mu=mu),
    ):
        again = pickle.loads(pickle.dumps(problem))
        assert repr(again) == repr(problem)
        np.testing.assert_array_equal(again.g, problem.g)
        np.testing.assert_allclose(again.G, problem.G, rtol=1e-15)
    assert repr(tactum.solve(problem)).startswith("ContactSolution(solver='ncp_admm', status=")


SOLUTION_FIELDS = (
    "force velocity status solver modes mode_margin history internal_force iterations islands residual primal dual "
    "complementarity ncp_residual signorini coulomb dissipation regularization polished"
).split()


def test_solutions_are_pickled_with_all_they_say() -> None:
    rng = np.random.default_rng(8)
    J, factor, mu = random_scene(rng, 2, 4)
    thin = tactum.ContactProblem.from_operator(J=J, factor=factor, g=rng.normal(size=6), mu=mu)
    kinds = tactum.ContactProblem(
        G=np.eye(4),
        g=[-1.0, 1.0, 5.0, -5.0],
        kinds=["limit", "bilateral", "box", "box"],
        bounds=[[-1, np.inf]] * 2,
    )
    empty = tactum.ContactProblem(G=np.zeros((0, 0)), g=np.zeros(0), mu=0.5)
    options: dict[str, Any] = {
        "history": True,
        "polish": True,
        "regularization": 0.01,
        "facets": 6,
        "facet_angle": 0.1,
    }
    for problem in (random_problem(rng), thin, kinds, empty):
        for solver in ("ncp_admm", "lcp_pgs", "raisim"):
            solution = tactum.solve(problem, solver, **options)
            for again in (
                pickle.loads(pickle.dumps(solution)),
                copy.copy(solution),
                copy.deepcopy(solution),
            ):
                for name in SOLUTION_FIELDS:
                    np.testing.assert_array_equal(
                        getattr(again, name), getattr(solution, name), err_msg=name
                    )
                assert repr(again) == repr(solution)
                # what is not shown: what a warm start and a derivative read
                few: dict[str, Any] = {"tolerance": 0.0, "max_iterations": 3}
                warm, other = (
                    tactum.solve(problem, solver, warm_start=s, **few) for s in (solution, again)
                )
                np.testing.assert_array_equal(warm.force, other.force)
                by, same = (
                    tactum.solution_derivative(problem, s).force_wrt_g for s in (solution, again)
                )
                np.testing.assert_array_equal(by, same)


def test_a_pickle_that_was_tampered_with_is_refused() -> None:
    solution = tactum.solve(tactum.ContactProblem(G=np.eye(3), g=[1, 0, -2], mu=0.3))
    state = list(solution.__getstate__())
    changes: list[tuple[int, Any]] = [
        (0, None),
        (1, np.zeros(2)),
        (1, [0.0, np.nan, 0.0]),
        (4, 9),
        (5, -1),
        (8, (1.0,)),
        (9, (7,)),
        (9, ()),
        (10, np.zeros(4)),
        (12, 2),
    ]
    for place, value in changes:
        changed = tuple([*state[:place], value, *state[place + 1 :]])
        with pytest.raises((tactum.InvalidInput, TypeError)):
            tactum.ContactSolution.__new__(tactum.ContactSolution).__setstate__(changed)


def test_a_small_step_is_no_solution() -> None:
    n = 100  # point masses of 1 kg with 1000 kg on top, one step of 1 ms
    J = np.kron(np.eye(n) - np.eye(n, k=-1), np.eye(3))
    inverse_mass = np.ones(3 * n)
    inverse_mass[-3:] = 1e-3
    problem = tactum.ContactProblem(
        G=(J * inverse_mass) @ J.T, g=J @ np.tile([0, 0, -9.81e-3], n), mu=0.5
    )
    for solver in ("ncp_pgs", "raisim", "ccp_pgs", "lcp_pgs"):
        solution = tactum.solve(problem, solver, relative_tolerance=1e-3, max_iterations=100000)
        assert solution.residual > 1e-8
        assert solution.status == tactum.ContactStatus.stalled
        assert str(solution.status) == "stalled"
        assert not tactum.solution_derivative(problem, solution).smooth
        (same,) = tactum.solve_many(
            [problem], solver, relative_tolerance=1e-3, max_iterations=100000
        )
        assert same.status == tactum.ContactStatus.stalled
    assert tactum.solve(problem, tolerance=1e-10).force[-1] == pytest.approx(9.81, rel=1e-5)
    assert (
        tactum.solve(problem, "ncp_pgs", max_iterations=10).status
        == tactum.ContactStatus.max_iterations
    )


def test_the_solution_of_another_problem_is_refused() -> None:
    mine = tactum.ContactProblem(G=5 * np.eye(3), g=[-9, 3, -1], mu=0.9)
    other = tactum.ContactProblem(G=np.eye(3), g=[1, 0, -2], mu=0.3)
    for solver in SOLVERS:
        with pytest.raises(tactum.InvalidInput) as caught:
            tactum.solution_derivative(mine, tactum.solve(other, solver))
        assert caught.value.field.startswith("solution.")
        assert "in this problem" in caught.value.value
        assert "solve()" in caught.value.remedy
        assert tactum.solution_derivative(other, tactum.solve(other, solver)).smooth


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"mu": -0.5}, "ContactProblem.mu[0]"),
        ({"mu": [0.5, 0.5]}, "ContactProblem.mu"),
        ({"g": [0.0, np.nan, 0.0]}, "ContactProblem.g[1]"),
        ({"R": [0.0, -1.0, 0.0]}, "ContactProblem.R[1]"),
        ({"G": np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]])}, "ContactProblem.G[1, 0]"),
        ({"G": -np.eye(3)}, "ContactProblem.G[0, 0]"),
        ({"G": np.zeros((3, 2))}, "ContactProblem.G"),
        ({"kinds": ["friction", "spring"]}, "ContactProblem.kinds[1]"),
        ({"kinds": [7]}, "ContactProblem.kinds[0]"),
        ({"bounds": [[1.0]]}, "ContactProblem.bounds"),
    ],
)
def test_bad_problems_are_named(change: dict[str, Any], field: str) -> None:
    good: dict[str, Any] = {"G": np.eye(3), "g": np.zeros(3), "mu": 0.5}
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.ContactProblem(**(good | change))
    assert caught.value.field == field


def test_bad_options_are_named() -> None:
    problem = tactum.ContactProblem(G=np.eye(3), g=np.zeros(3), mu=0.5)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"tolerance": -1.0}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"facets": 1}, "facets"),
    ]
    for options, field in cases:
        with pytest.raises(tactum.InvalidInput) as caught:
            tactum.solve(problem, **options)
        assert caught.value.field == field
    with pytest.raises(tactum.InvalidInput, match="solver: got 'pgs'; give one of 'lcp_pgs'"):
        tactum.solve(problem, "pgs")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="problem: got None; give a tactum"):
        tactum.solve(None)  # type: ignore[arg-type]
    with pytest.raises(tactum.InvalidInput, match="warm_start"):
        tactum.solve(problem, warm_start=np.zeros(6))
