# SPDX-License-Identifier: BSD-2-Clause
"""Contact forces against what is not tactum: a conic solver (Clarabel), the enumeration of modes
with root finding, closed forms."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import clarabel
import numpy as np
import pytest
import tactum
from kinds import Array
from scipy import optimize, sparse

SOLVERS: dict[str, list[Any]] = {
    "lcp": ["lcp_pgs", "lcp_staggered"],
    "ccp": ["ccp_pgs", "ccp_newton", "ccp_admm"],
    "raisim": ["raisim"],
    "ncp": ["ncp_pgs", "ncp_staggered", "ncp_admm", "raisim_desaxce"],
}
EXACT: dict[str, Any] = {"tolerance": 1e-10, "max_iterations": 20000, "polish": True}


def bodies_problem(
    rng: np.random.Generator, contacts: int, bodies: int, R: float = 0.0
) -> tactum.ContactProblem:
    """Contacts at random places of bodies of some 1 kg and 0.3 m, towards each other or the
    ground."""
    J = np.zeros((3 * contacts, 6 * bodies))
    for c in range(contacts):
        first, second = c % bodies, int(rng.integers(bodies + 1))
        frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        for body, sign in ((first, 1.0), (second, -1.0)):
            if body < bodies and (sign > 0 or body != first):
                x, y, z = rng.uniform(-0.15, 0.15, 3)
                J[3 * c : 3 * c + 3, 6 * body : 6 * body + 6] += (
                    sign * frame @ np.hstack([np.eye(3), [[0, z, -y], [-z, 0, x], [y, -x, 0]]])
                )
    inertia = np.concatenate([[m] * 3 + [0.015 * m] * 3 for m in rng.uniform(0.5, 2.0, bodies)])
    motion = rng.normal(scale=8.0, size=6 * bodies)
    away = (J[2::3] @ motion > 0) & (rng.uniform(size=contacts) < 0.8)
    J[np.repeat(away, 3)] *= -1.0  # most approach; g stays what a motion of the bodies can make
    g = J @ motion
    return tactum.ContactProblem(G=J / inertia @ J.T, g=g, mu=rng.uniform(0.1, 0.9, contacts), R=R)


def box_problem(velocity: float, mu: float, R: float = 0.0) -> tactum.ContactProblem:
    """A cube of 1 kg and 0.2 m on the four corners of a face, at some speed along x; a step of
    10 ms."""
    corners = [(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    J = np.vstack(
        [np.hstack([np.eye(3), [[0, z, -y], [-z, 0, x], [y, -x, 0]]]) for x, y, z in corners]
    )
    inverse = np.array([1.0] * 3 + [150.0] * 3)
    motion = np.array([velocity / 1e-2, 0.0, -9.81, 0.0, 0.0, 0.0])
    return tactum.ContactProblem(G=J * inverse @ J.T, g=J @ motion, mu=mu, R=R)


def system(problem: tactum.ContactProblem) -> tuple[Array, Array, Array]:
    """G + R, g, mu."""
    return problem.G + np.diag(problem.R), problem.g, problem.mu


# ----------------------------------------------------------------------------------- a conic solver
def conic_minimum(P: Array, q: Array, rows: Array, limits: Array, cones: Sequence[Any]) -> Array:
    """min 1/2 x.P x + q.x with limits - rows x in the cones."""
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.equilibrate_enable, settings.static_regularization_constant = (
        False,
        False,
        1e-13,
    )
    for tolerance in (1e-13, 1e-12, 1e-11, 1e-10, 1e-9):  # the least that it can prove
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        solver = clarabel.DefaultSolver(
            sparse.csc_matrix(np.triu(P)), q, sparse.csc_matrix(rows), limits, list(cones), settings
        )
        solution = solver.solve()
        if solution.status == clarabel.SolverStatus.Solved:
            return np.array(solution.x)
    pytest.fail("Clarabel does not solve it")


def cones_minimum(problem: tactum.ContactProblem) -> Array:
    """The convex model: min 1/2 f.(G + R) f + g.f over (mu f_N, f_T) in second-order cones."""
    A, g, mu = system(problem)
    rows = np.zeros_like(A)
    for c, m in enumerate(mu):
        rows[3 * c, 3 * c + 2], rows[3 * c + 1, 3 * c], rows[3 * c + 2, 3 * c + 1] = -m, -1.0, -1.0
    return conic_minimum(A, g, rows, np.zeros(len(g)), [clarabel.SecondOrderConeT(3)] * len(mu))


def normal_minimum(problem: tactum.ContactProblem, force: Array) -> Array:
    """First half of Alg. 6: normal forces >= 0 with the tangential ones given."""
    A, g, mu = system(problem)
    n, t = normal_and_tangent_rows(len(mu))
    found = conic_minimum(
        A[np.ix_(n, n)],
        g[n] + A[np.ix_(n, t)] @ force[t],
        -np.eye(len(mu)),
        np.zeros(len(mu)),
        [clarabel.NonnegativeConeT(len(mu))],
    )
    return np.asarray(found)


def tangential_minimum(problem: tactum.ContactProblem, force: Array, facets: Array | None) -> Array:
    """Second half: tangential forces in discs, or polygons, of radius mu f_N with the normal
    ones given."""
    A, g, mu = system(problem)
    n, t = normal_and_tangent_rows(len(mu))
    radii = mu * force[n]
    q = g[t] + A[np.ix_(t, n)] @ force[n]
    if facets is None:
        rows, limits = np.zeros((3 * len(mu), len(t))), np.zeros(3 * len(mu))
        for c, radius in enumerate(radii):
            limits[3 * c] = radius
            rows[3 * c + 1, 2 * c] = rows[3 * c + 2, 2 * c + 1] = -1.0
        return conic_minimum(
            A[np.ix_(t, t)], q, rows, limits, [clarabel.SecondOrderConeT(3)] * len(mu)
        )
    rows = np.kron(np.eye(len(mu)), facets)
    return conic_minimum(
        A[np.ix_(t, t)],
        q,
        rows,
        np.repeat(radii, len(facets)),
        [clarabel.NonnegativeConeT(len(rows))],
    )


def normal_and_tangent_rows(contacts: int) -> tuple[list[int], list[int]]:
    rows = range(3 * contacts)
    return [r for r in rows if r % 3 == 2], [r for r in rows if r % 3 != 2]


def polygon(facets: int, angle: float) -> Array:
    """Outward unit normals of the sides."""
    angles = angle + 2 * np.pi * np.arange(facets) / facets
    return np.column_stack([np.cos(angles), np.sin(angles)])


def corners_of(sides: Array) -> Array:
    """Vertices of the polygon of unit inner radius with these normals."""
    return np.array(
        [
            np.linalg.solve(np.array([one, other]), [1.0, 1.0])
            for one, other in zip(sides, np.roll(sides, -1, axis=0))
        ]
    )


def scale(problem: tactum.ContactProblem) -> float:
    return float(np.abs(problem.g).max())


@pytest.mark.parametrize("R", [0.0, 0.05])
def test_the_convex_model_against_a_conic_solver(R: float) -> None:
    rng = np.random.default_rng(1)
    problems = [bodies_problem(rng, contacts, 2, R) for contacts in (1, 2, 4, 8, 12) * 2]
    problems += [box_problem(velocity, 0.4, R) for velocity in (0.0, 0.02, 0.5)]
    for problem in problems:
        A, g, _ = system(problem)
        expected = cones_minimum(problem)
        for solver in SOLVERS["ccp"]:
            force = tactum.solve(problem, solver, **EXACT).force
            # the velocity is unique; an interior point method knows it to the root of its gap, and
            # no better minimum
            np.testing.assert_allclose(
                A @ force, A @ expected, rtol=0, atol=3e-6 * scale(problem), err_msg=solver
            )
            above = force @ (0.5 * A @ force + g) - expected @ (0.5 * A @ expected + g)
            assert above <= 1e-12 * scale(problem) * (1 + np.abs(expected).sum()), solver
            if R > 0:
                np.testing.assert_allclose(
                    force,
                    expected,
                    rtol=0,
                    atol=1e-5 * (1 + np.abs(expected).max()),
                    err_msg=solver,
                )


def test_every_kind_of_row_against_a_conic_solver() -> None:
    rng = np.random.default_rng(6)
    kinds = ["friction", "frictionless", "limit", "box", "bilateral", "friction", "box"]
    for case in range(6):
        whole = bodies_problem(rng, 4, 3, 0.02)
        A, g = system(whole)[0][:11, :11], whole.g[:11]
        bounds = np.sort(rng.uniform(-1.0, 1.0, (2, 2)), axis=1)
        mu = np.array([0.3, 0.7]) if case % 2 else np.zeros(2)
        problem = tactum.ContactProblem(G=A, g=g, mu=mu, kinds=kinds, bounds=bounds)
        # friction: (mu f_N, f_T) in cones and, for mu = 0, f_N >= 0; then f >= 0 twice, and both
        # boxes
        eye = np.eye(11)
        cones = [-np.vstack([m * eye[r + 2], eye[r], eye[r + 1]]) for m, r in zip(mu, (0, 7))]
        rows = np.vstack([*cones, -eye[[2, 9, 3, 4]], eye[[5, 10]], -eye[[5, 10]]])
        limits = np.concatenate([np.zeros(10), bounds[:, 1], -bounds[:, 0]])
        shapes = [
            clarabel.SecondOrderConeT(3),
            clarabel.SecondOrderConeT(3),
            clarabel.NonnegativeConeT(8),
        ]
        expected = conic_minimum(A, g, rows, limits, shapes)
        # without friction all models are one
        for solver in SOLVERS["ccp"] if case % 2 else itertools.chain(*SOLVERS.values()):
            force = tactum.solve(problem, solver, **EXACT).force
            np.testing.assert_allclose(
                force, expected, rtol=0, atol=3e-6 * (1 + np.abs(expected).max()), err_msg=solver
            )


@pytest.mark.parametrize(
    ("model", "facets", "angle"), [("ncp", 0, 0.0), ("lcp", 4, 0.0), ("lcp", 7, 0.3)]
)
def test_both_halves_of_staggered_solutions(model: str, facets: int, angle: float) -> None:
    rng = np.random.default_rng(2)
    more = {"facets": facets, "facet_angle": angle} if model == "lcp" else {}
    sides = polygon(facets, angle) if model == "lcp" else None
    moving = 0
    for contacts in (1, 2, 3, 5) * 2:
        problem = bodies_problem(rng, contacts, 3, 0.01)
        n, t = normal_and_tangent_rows(contacts)
        # the whole alternation by the other solver, from zero
        force = np.zeros(3 * contacts)
        for _ in range(60):
            before = force.copy()
            force[n] = np.maximum(normal_minimum(problem, force), 0.0)
            force[t] = tangential_minimum(problem, force, sides)
            if np.abs(force - before).max() <= 1e-8 * (1 + np.abs(force).max()):
                break
        else:
            pytest.fail("the alternation does not end")
        moving += bool(np.abs(problem.velocity(force)[t]).max() > 1e-3)
        for solver in SOLVERS[model]:
            found = tactum.solve(problem, solver, **EXACT, **more)
            np.testing.assert_allclose(
                found.force, force, rtol=0, atol=1e-4 * (1 + np.abs(force).max()), err_msg=solver
            )
            # and one round of it stays where our solution is
            np.testing.assert_allclose(
                normal_minimum(problem, found.force),
                found.force[n],
                rtol=0,
                atol=1e-6 * (1 + np.abs(force).max()),
            )
            halves = tangential_minimum(problem, found.force, sides)
            np.testing.assert_allclose(
                halves, found.force[t], rtol=0, atol=1e-5 * (1 + np.abs(force).max())
            )
    assert moving >= 4


# ----------------------------------------------------------------------------- enumeration of modes
class Pieces:
    """Forces of given modes and angles of sliding are the solution of a linear system; the angles
    are roots of what it leaves.

    A sliding contact pushes with f = f_N (-mu u, 1), u at its angle. Equations of the normal: s_N =
    0, of the ccp s_N = mu u.s_T. Left to the angle: s_T parallel to u, and in the raisim model to
    mu (u - mu G_TN / G_NN).
    """

    def __init__(self, problem: tactum.ContactProblem, model: str, modes: Sequence[str]) -> None:
        self.A, self.g, self.mu = system(problem)
        self.model, self.modes = model, modes
        self.sliding = [c for c, mode in enumerate(modes) if mode == "slide"]

    def force(self, angles: Sequence[float]) -> Array:
        columns, rows = [], []
        turn = dict(zip(self.sliding, angles))
        for c, mode in enumerate(self.modes):
            for k in range(3) if mode == "stick" else ():
                unit = np.eye(3)[k]
                columns.append(self.place(c, unit))
                rows.append(self.place(c, unit))
            if mode == "slide":
                u = np.array([np.cos(turn[c]), np.sin(turn[c])])
                columns.append(self.place(c, [*(-self.mu[c] * u), 1.0]))
                rows.append(
                    self.place(c, [*(-self.mu[c] * u if self.model == "ccp" else 0 * u), 1.0])
                )
        if not columns:
            return np.zeros(len(self.g))
        C, B = np.array(columns).T, np.array(rows)
        return np.asarray(C @ np.linalg.lstsq(B @ self.A @ C, -B @ self.g, rcond=None)[0])

    def place(self, contact: int, values: Any) -> Array:
        whole = np.zeros(len(self.g))
        whole[3 * contact : 3 * contact + 3] = values
        return whole

    def direction(self, c: int, angle: float) -> Array:
        u = np.array([np.cos(angle), np.sin(angle)])
        if self.model == "raisim":
            u = u - self.mu[c] * self.A[3 * c : 3 * c + 2, 3 * c + 2] / self.A[3 * c + 2, 3 * c + 2]
        return u

    def across(self, angles: Sequence[float]) -> Array:
        """For each sliding contact, the part of its velocity across the direction that it should
        have."""
        s = (self.A @ self.force(angles) + self.g).reshape(-1, 3)
        out = []
        for c, angle in zip(self.sliding, angles):
            d = self.direction(c, angle)
            out.append(d[0] * s[c, 1] - d[1] * s[c, 0])
        return np.array(out)

    def roots(self) -> Iterator[Array]:
        if not self.sliding:
            yield np.empty(0)
        elif len(self.sliding) == 1:
            grid = np.linspace(0.0, 2 * np.pi, 73)
            values = [float(self.across([a])[0]) for a in grid]
            for k in np.flatnonzero(np.signbit(values[:-1]) != np.signbit(values[1:])):
                yield np.array(
                    [
                        optimize.brentq(
                            lambda a: float(self.across([a])[0]), grid[k], grid[k + 1], xtol=1e-14
                        )
                    ]
                )
        else:
            for start in itertools.product(
                np.arange(0.2, 2 * np.pi, np.pi / 4), repeat=len(self.sliding)
            ):
                found = optimize.root(self.across, start, tol=1e-13)
                if np.abs(self.across(found.x)).max() < 1e-9 * np.abs(self.g).max():
                    yield found.x

    def is_solution(self, angles: Array) -> bool:
        """The inequalities."""
        f = self.force(angles).reshape(-1, 3)
        s = (self.A @ f.ravel() + self.g).reshape(-1, 3)
        small_f, small_s = 1e-9 * (1 + np.abs(f).max()), 1e-9 * np.abs(self.g).max()
        turn = dict(zip(self.sliding, angles))
        for c, mode in enumerate(self.modes):
            if mode == "break" and (
                s[c, 2] < -small_s
                if self.model != "ccp"
                else s[c, 2] < self.mu[c] * np.hypot(*s[c, :2]) - small_s
            ):
                return False
            if mode == "stick" and (
                np.abs(s[c]).max() > small_s or np.hypot(*f[c, :2]) > self.mu[c] * f[c, 2] + small_f
            ):
                return False
            if mode == "slide" and (
                f[c, 2] < -small_f or self.direction(c, turn[c]) @ s[c, :2] < -small_s
            ):
                return False
        return True


def every_solution(problem: tactum.ContactProblem, model: str) -> list[Array]:
    found: list[Array] = []
    for modes in itertools.product(("break", "stick", "slide"), repeat=len(problem.mu)):
        pieces = Pieces(problem, model, modes)
        for angles in pieces.roots():
            if not pieces.is_solution(angles):
                continue
            force = pieces.force(angles)
            if all(
                np.abs(force - other).max() > 1e-6 * (1 + np.abs(force).max()) for other in found
            ):
                found.append(force)
    return found


@pytest.mark.parametrize("model", ["ncp", "ccp", "raisim"])
def test_enumeration_of_modes(model: str) -> None:
    rng = np.random.default_rng(3)
    seen: set[str] = set()
    for case in range(12):
        problem = bodies_problem(rng, 1 + case % 2, 1 + case % 3, 0.02 * (case % 2))
        known = every_solution(problem, model)
        assert len(known) >= 1, "nothing solves it"
        assert len(known) == 1 or model != "ccp"
        for solver in SOLVERS[model]:
            solution = tactum.solve(problem, solver, **EXACT)
            nearest = min(np.abs(solution.force - force).max() for force in known)
            assert nearest <= 1e-8 * (1 + np.abs(solution.force).max()), (case, solver)
            seen |= {str(mode) for mode in solution.modes}
    assert seen == {"breaking", "sticking", "sliding"}


def test_enumeration_of_the_sides_and_corners_of_the_polygon() -> None:
    rng = np.random.default_rng(4)
    for case in range(6):
        problem = bodies_problem(rng, 1 + case % 2, 2, 0.02 * (case % 2))
        facets, angle = 4 + case % 3, 0.2 * case
        known = every_polygon_solution(problem, polygon(facets, angle))
        assert known
        for solver in SOLVERS["lcp"]:
            force = tactum.solve(problem, solver, facets=facets, facet_angle=angle, **EXACT).force
            assert min(np.abs(force - other).max() for other in known) <= 1e-8 * (
                1 + np.abs(force).max()
            ), (case, solver)


def every_polygon_solution(problem: tactum.ContactProblem, sides: Array) -> list[Array]:
    """Break, stick, slide along each side, or push from each corner: one linear system each."""
    A, g, mu = system(problem)
    count = len(sides)
    corners = corners_of(sides)
    choices = ["break", "stick", *((kind, k) for kind in ("side", "corner") for k in range(count))]
    found = []
    for modes in itertools.product(choices, repeat=len(mu)):
        # F_f f + F_s s = 0, row by row
        by_force, by_velocity = np.zeros_like(A), np.zeros_like(A)
        for c, mode in enumerate(modes):
            own = slice(3 * c, 3 * c + 3)
            if mode == "break":
                by_force[own, own] = np.eye(3)
            elif mode == "stick":
                by_velocity[own, own] = np.eye(3)
            else:
                kind, k = mode
                by_velocity[3 * c + 2, 3 * c + 2] = 1.0
                if kind == "corner":
                    by_force[3 * c : 3 * c + 2, own] = np.column_stack(
                        [np.eye(2), -mu[c] * corners[k]]
                    )
                else:
                    by_force[3 * c, own] = [*sides[k], -mu[c]]
                    by_velocity[3 * c + 1, 3 * c : 3 * c + 2] = [-sides[k][1], sides[k][0]]
        matrix = by_force + by_velocity @ A
        if np.linalg.cond(matrix) > 1e12:
            continue
        f = np.linalg.solve(matrix, -by_velocity @ g)
        if polygon_inequalities_hold(
            f.reshape(-1, 3), (A @ f + g).reshape(-1, 3), mu, sides, modes
        ):
            found.append(f)
    return found


def polygon_inequalities_hold(f: Array, s: Array, mu: Array, sides: Array, modes: Any) -> bool:
    small_f, small_s = 1e-9 * (1 + np.abs(f).max()), 1e-9 * (1 + np.abs(s).max())
    for c, mode in enumerate(modes):
        if (
            f[c, 2] < -small_f
            or s[c, 2] < -small_s
            or (sides @ f[c, :2]).max() > mu[c] * f[c, 2] + small_f
        ):
            return False
        # friction does the most that it can against the velocity
        if mode not in ("break", "stick"):
            most = mu[c] * f[c, 2] * max(float(-s[c, :2] @ corner) for corner in corners_of(sides))
            if -s[c, :2] @ f[c, :2] < most - 1e-8 * (1 + abs(most)):
                return False
    return True


# ------------------------------------------------------------------------------- models and solvers
@pytest.mark.parametrize("model", ["lcp", "ccp", "ncp"])
def test_solvers_of_one_model_agree(model: str) -> None:
    rng = np.random.default_rng(5)
    regular = [
        bodies_problem(rng, contacts, 3, R)
        for contacts in (2, 4, 6)
        for R in (0.0, 0.05)
        for _ in range(3)
    ]
    singular = (
        [bodies_problem(rng, 12, 2), box_problem(0.5, 0.4), box_problem(0.0, 0.4)]
        if model == "ccp"
        else []
    )
    for problem in regular + singular:
        solutions = [
            tactum.solve(problem, solver, tolerance=1e-10, max_iterations=20000)
            for solver in SOLVERS[model]
        ]
        unique = np.linalg.cond(problem.G + np.diag(problem.R)) < 1e10
        for solution in solutions:
            assert solution.status == tactum.ContactStatus.converged, repr(solution)
            np.testing.assert_allclose(
                solution.velocity, solutions[0].velocity, rtol=0, atol=1e-8 * scale(problem)
            )
            if unique:
                largest = np.abs(solutions[0].force).max()
                np.testing.assert_allclose(
                    solution.force, solutions[0].force, rtol=0, atol=1e-8 * (1 + largest)
                )


def test_where_all_stick_the_models_are_one() -> None:
    problem = box_problem(0.0, 0.4, R=1e-3)
    pushed = tactum.ContactProblem(G=problem.G, g=problem.g + [2.0, 1.0, 0.0] * 4, mu=0.4, R=1e-3)
    for one in (problem, pushed):
        forces = [
            tactum.solve(one, solver, **EXACT) for group in SOLVERS.values() for solver in group
        ]
        for solution in forces:
            assert {str(mode) for mode in solution.modes} == {"sticking"}
            np.testing.assert_allclose(solution.force, forces[0].force, rtol=0, atol=1e-8)


def test_where_it_slides_the_convex_model_lifts_off_as_predicted() -> None:
    # one block that slides at v: ncp leaves v - mu g dt along x and nothing up; ccp takes a step up
    # of mu times what is left
    for velocity, mu in itertools.product((0.3, 1.0), (0.2, 0.8)):
        problem = box_problem(velocity, mu, R=1e-9)
        pull = velocity / 1e-2
        for group in ("ncp", "ccp"):
            # the cube does not turn over: friction 0.1 m below its center shifts the normal forces,
            # not their sum
            for solver in SOLVERS[group]:
                s = tactum.solve(problem, solver, **EXACT)
                forces, velocities = s.force.reshape(-1, 3).sum(axis=0), s.velocity.reshape(-1, 3)
                sliding = [c for c, mode in enumerate(s.modes) if str(mode) == "sliding"]
                assert sliding
                speeds = np.hypot(velocities[sliding, 0], velocities[sliding, 1])
                np.testing.assert_allclose(
                    velocities[sliding, 2],
                    mu * speeds if group == "ccp" else 0.0,
                    rtol=0,
                    atol=1e-8 * pull,
                )
                assert forces[0] == pytest.approx(-mu * forces[2], rel=1e-9)
                assert s.signorini == pytest.approx(
                    (mu * speeds * s.force.reshape(-1, 3)[sliding, 2]).max()
                    if group == "ccp"
                    else 0.0,
                    abs=1e-6,
                )


@pytest.mark.parametrize("mu", [0.1, 0.6])
def test_one_sliding_contact_in_closed_form(mu: float) -> None:
    # G = 1/m: f_N of the ncp is -m g_N; of the ccp m (mu |g_T| - g_N) / (1 + mu^2), with s_N = mu
    # |s_T|
    mass, g = 2.0, np.array([3.0, -4.0, -2.0])
    problem = tactum.ContactProblem(G=np.eye(3) / mass, g=g, mu=mu)
    u, speed = g[:2] / 5.0, 5.0
    normal = {
        "ncp": -mass * g[2],
        "raisim": -mass * g[2],
        "ccp": mass * (mu * speed - g[2]) / (1 + mu**2),
    }
    for model, expected in normal.items():
        for solver in SOLVERS[model]:
            s = tactum.solve(problem, solver, **EXACT)
            np.testing.assert_allclose(s.force, [*(-mu * expected * u), expected], rtol=1e-9)
            left = speed - mu * expected / mass
            np.testing.assert_allclose(
                s.velocity, [*(left * u), mu * left if model == "ccp" else 0.0], rtol=0, atol=1e-9
            )
