# SPDX-License-Identifier: BSD-2-Clause
"""tactum.jax: values against tactum.distances, derivatives against differences, jit, vmap,
float32, errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tactum
import tactum.jax
from bridge_cases import (
    BALL,
    CYLINDER,
    EGG,
    ELLIPSOID,
    SIZE_CASES,
    STONE,
    Placement,
    Rigid,
    box_on_four_corners,
    contact_parts,
    forms_of_one_pose,
    matrices,
    poses,
    size_pose,
)
from jax.test_util import check_grads
from kinds import SHAPES
from tactum import _bridge

EYE = np.eye(4)


@pytest.fixture(autouse=True)
def _double_precision() -> Iterator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def check(f: Any, *arguments: Any) -> None:
    """Both modes against differences."""
    check_grads(
        lambda *x: tuple(f(*x))[:4],  # the rest cannot be differentiated
        tuple(jnp.asarray(x) for x in arguments),
        order=1,
        modes=("fwd", "rev"),
        atol=1e-6,
        rtol=1e-6,
        eps=1e-5,
    )


def test_values_are_those_of_the_library() -> None:
    X_WA, X_WB = poses(5, 1), poses(5, 2, shift=0.5)
    expected = tactum.distances(ELLIPSOID, X_WA, CYLINDER, X_WB)
    r = tactum.jax.distances(ELLIPSOID, X_WA, CYLINDER, X_WB)
    for name in ("distance", "normal", "point_a", "point_b"):
        np.testing.assert_allclose(getattr(r, name), getattr(expected, name), rtol=0, atol=1e-14)
    one = tactum.jax.distance(ELLIPSOID, X_WA[3], CYLINDER, matrices(X_WB)[3])
    assert one.distance.shape == () and one.normal.shape == (3,)
    np.testing.assert_allclose(one.point_b, expected.point_b[3], rtol=0, atol=1e-14)
    assert tactum.jax.distances(BALL, EYE, BALL, X_WB[0]).distance.shape == (1,)


def test_no_rows() -> None:
    f = lambda X, r: tactum.jax.distances(
        BALL, EYE, BALL, X, parameters_a={"radius": r}
    ).normal.sum()
    by_pose, by_radius = jax.grad(f, argnums=(0, 1))(jnp.empty((0, 7)), 0.2)
    assert by_pose.shape == (0, 7) and by_radius == 0.0


@pytest.mark.parametrize("length", [1.0, 1.7])
def test_poses(length: float) -> None:
    check(
        lambda X_WA, X_WB: tactum.jax.distances(ELLIPSOID, X_WA, CYLINDER, X_WB),
        poses(3, 1, length=length),
        poses(3, 2, shift=0.4, length=length),
    )


def test_poses_in_penetration() -> None:
    X_WA, X_WB = poses(3, 1), poses(3, 2, shift=0.2)
    assert np.all(tactum.distances(EGG, X_WA, STONE, X_WB).distance < 0.0)
    check(lambda X_WA, X_WB: tactum.jax.distances(EGG, X_WA, STONE, X_WB), X_WA, X_WB)


def test_matrices() -> None:
    X_WA, X_WB = matrices(poses(2, 3)), matrices(poses(2, 4, shift=0.4))
    # the last row is constant
    check(
        lambda A, B: tactum.jax.distances(
            ELLIPSOID,
            jnp.asarray(X_WA).at[:, :3].set(A),
            CYLINDER,
            jnp.asarray(X_WB).at[:, :3].set(B),
        ),
        X_WA[:, :3],
        X_WB[:, :3],
    )


def test_poses_in_every_form() -> None:
    X = matrices(poses(1, 3, shift=0.6))[0]
    R, t = X[:3, :3], X[:3, 3]
    expected = tactum.distance(ELLIPSOID, None, CYLINDER, X).distance
    for form in forms_of_one_pose(X):
        one = tactum.jax.distance(ELLIPSOID, None, CYLINDER, form).distance
        assert float(one) == pytest.approx(expected, abs=1e-14)
    moved = tactum.jax.distance(ELLIPSOID, None, CYLINDER, t).distance
    assert float(moved) == tactum.distance(ELLIPSOID, None, CYLINDER, t).distance
    for many in ([None, (R, t)], [Placement(EYE), Rigid(X)], [EYE, X]):
        rows = tactum.jax.distances(CYLINDER, (5, 0, 0), ELLIPSOID, many).distance
        np.testing.assert_allclose(
            np.asarray(rows),
            tactum.distances(CYLINDER, (5, 0, 0), ELLIPSOID, many).distance,
            atol=1e-14,
        )
    point = [1.0, 2.0, 3.0]
    assert float(tactum.jax.signed_distance(EGG, t, point)) == pytest.approx(
        float(tactum.signed_distance(EGG, t, [point])[0][0]), abs=1e-14
    )
    check(lambda t: tactum.jax.distance(ELLIPSOID, None, CYLINDER, t), t)
    f = jax.jit(lambda t: tactum.jax.distance(ELLIPSOID, None, CYLINDER, (R, t)).distance)
    gradient = tactum.distance_derivative(
        ELLIPSOID, None, CYLINDER, X, frame="local_world_aligned"
    ).distance_jacobian[6:9]
    np.testing.assert_allclose(jax.grad(f)(jnp.asarray(t)), gradient, atol=1e-12)


@pytest.mark.parametrize("size", [0.0, 1e-4, 1.0, 4.0])
def test_tangents_and_the_poses_they_move(size: float) -> None:
    rng = np.random.default_rng(6)
    check(
        lambda X_WA, xi_a, xi_b: tactum.jax.distances(
            ELLIPSOID,
            X_WA,
            CYLINDER,
            matrices(poses(1, 7, shift=0.9))[0],
            tangent_a=xi_a,
            tangent_b=xi_b,
        ),
        poses(3, 8),
        size * rng.normal(size=(3, 6)) * [0.1, 0.1, 0.1, 1.0, 1.0, 1.0],
        size * rng.normal(size=6) * [0.1, 0.1, 0.1, 1.0, 1.0, 1.0],
    )


def test_a_tangent_of_zero_has_the_jacobian_of_the_library() -> None:
    X_WA, X_WB = poses(1, 9)[0], poses(1, 10, shift=0.4)[0]
    f = lambda xi_a, xi_b: (
        tactum.jax.distance(ELLIPSOID, X_WA, CYLINDER, X_WB, tangent_a=xi_a, tangent_b=xi_b).normal
    )
    by_a, by_b = jax.jacobian(f, argnums=(0, 1))(jnp.zeros(6), jnp.zeros(6))
    expected = tactum.distance_derivative(ELLIPSOID, X_WA, CYLINDER, X_WB).normal_jacobian
    np.testing.assert_allclose(np.hstack([by_a, by_b]), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", SIZE_CASES)
def test_sizes(name: str) -> None:
    shape, sizes = SIZE_CASES[name]
    X_WB = size_pose(name)

    def f(*values: Any) -> Any:
        # each kind on one side: what differs between the sides is the same for all
        given = dict(zip(sizes, values))
        if len(name) % 2:
            return tactum.jax.distance(shape, EYE, ELLIPSOID, X_WB, parameters_a=given)
        return tactum.jax.distance(ELLIPSOID, X_WB, shape, EYE, parameters_b=given)

    check(f, *sizes.values())


def test_sizes_of_each_row() -> None:
    radii, X = np.array([0.1, 0.2, 0.3]), poses(3, 11, shift=0.6)
    f = lambda radius, X_WB: tactum.jax.distances(
        BALL, EYE, CYLINDER, X_WB, parameters_a={"radius": radius}
    )
    r = f(radii, X)
    for k in range(3):
        expected = tactum.distance(tactum.Sphere(radius=radii[k]), EYE, CYLINDER, X[k]).distance
        np.testing.assert_allclose(r.distance[k], expected, rtol=0, atol=1e-14)
    check(f, radii, X)


def test_jit_and_vmap() -> None:
    X_WA, X_WB = jnp.asarray(poses(4, 12)), jnp.asarray(poses(3, 13, shift=0.5))

    def gap(A: Any, B: Any) -> Any:
        return tactum.jax.distance(ELLIPSOID, A, CYLINDER, B).distance

    grid = jax.jit(
        jax.vmap(jax.vmap(jax.value_and_grad(gap), in_axes=(None, 0)), in_axes=(0, None))
    )
    values, gradients = grid(X_WA, X_WB)
    assert values.shape == (4, 3) and gradients.shape == (4, 3, 7)
    for i, j in ((0, 0), (3, 2)):
        value, gradient = jax.value_and_grad(gap)(X_WA[i], X_WB[j])
        np.testing.assert_allclose(values[i, j], value, rtol=0, atol=1e-15)
        np.testing.assert_allclose(gradients[i, j], gradient, rtol=0, atol=1e-14)
    # rows inside, batches outside
    rows = jax.vmap(lambda A: tactum.jax.distances(ELLIPSOID, A, CYLINDER, X_WB).normal)(X_WA)
    assert rows.shape == (4, 3, 3)
    check(jax.jit(lambda A, B: tactum.jax.distances(ELLIPSOID, A, CYLINDER, B)), X_WA[:3], X_WB)
    by_size = jax.vmap(
        jax.grad(
            lambda r: (
                tactum.jax.distance(
                    BALL, EYE, CYLINDER, X_WB[0], parameters_a={"radius": r}
                ).distance
            )
        )
    )
    np.testing.assert_allclose(by_size(jnp.array([0.1, 0.2])), -1.0, rtol=1e-12)


def test_tables_and_estimators() -> None:
    table = tactum.ShapeTable([SHAPES["box"], SHAPES["hull"]])
    X = poses(4, 14, shift=1.0)
    index = np.array([0, 1, 1, 0])
    estimator = tactum.Gumbel(rings=2, temperature=0.1)

    def f(xi: Any) -> Any:
        return tactum.jax.distances(
            (table, index), EYE, SHAPES["box"], X, tangent_b=xi, estimator=estimator
        ).normal

    J = jax.jacobian(f)(jnp.zeros(6))
    for k in range(4):
        d = tactum.distance_derivative(
            table[int(index[k])], EYE, SHAPES["box"], X[k], estimator=estimator
        )
        np.testing.assert_allclose(J[k], d.normal_jacobian[:, 6:], rtol=0, atol=1e-12)


def test_single_precision_goes_in_and_comes_out() -> None:
    jax.config.update("jax_enable_x64", False)
    X = jnp.asarray(poses(3, 15, shift=0.5))
    assert X.dtype == jnp.float32
    r = tactum.jax.distances(ELLIPSOID, EYE, CYLINDER, X)
    gradient = jax.grad(lambda X: tactum.jax.distances(ELLIPSOID, EYE, CYLINDER, X).distance.sum())(
        X
    )
    assert r.distance.dtype == r.point_b.dtype == gradient.dtype == jnp.float32
    expected = tactum.distances(ELLIPSOID, EYE, CYLINDER, poses(3, 15, shift=0.5)).distance
    np.testing.assert_allclose(r.distance, expected, rtol=0, atol=1e-6)


def test_second_derivatives_raise() -> None:
    f = lambda X: tactum.jax.distance(ELLIPSOID, X, CYLINDER, EYE).distance
    X = jnp.asarray(poses(1, 16, shift=0.5)[0])
    for second in (jax.hessian(f), jax.grad(lambda X: jax.grad(f)(X).sum())):
        with pytest.raises(NotImplementedError, match=r"tactum\.jax.*second"):
            second(X)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("X_WA", {"X_WA": np.zeros(6)}),
        ("X_WA", {"X_WA": np.zeros(7)}),
        ("X_WB", {"X_WB": 2.0 * EYE}),
        ("X_WB", {"X_WB": np.full(7, np.nan)}),
        ("tangent_a", {"tangent_a": np.zeros(7)}),
        ("parameters_a", {"parameters_a": {"depth": 1.0}}),
        ("parameters_b['half_extents']", {"parameters_b": {"half_extents": np.ones(2)}}),
        ("Sphere.radius", {"parameters_a": {"radius": -1.0}}),
        ("Gaussian.scale", {"estimator": tactum.Gaussian(scale=-1.0)}),
        ("leading axes", {"X_WA": poses(2, 0), "X_WB": poses(3, 0)}),
    ],
)
def test_bad_values_are_named(field: str, change: dict[str, Any]) -> None:
    call: dict[str, Any] = {
        "a": BALL,
        "X_WA": EYE,
        "b": SHAPES["box"],
        "X_WB": poses(1, 17, shift=1.0)[0],
    } | change
    tangent = jnp.asarray(call.pop("tangent_a", np.zeros(6)))
    # JAX may wrap what is raised inside of a callback; the message stays
    with pytest.raises(Exception) as caught:
        jax.grad(lambda xi: tactum.jax.distance(**call, tangent_a=xi).distance.sum())(tangent)
    assert f"{field}: got" in str(caught.value) or f"{field}[0]: got" in str(caught.value)


def test_objects_of_the_wrong_sort_are_type_errors() -> None:
    table = (tactum.ShapeTable([BALL]), [0])
    for call in (
        lambda: tactum.jax.distance(table, EYE, BALL, EYE),  # type: ignore[arg-type]
        lambda: tactum.jax.distances(None, EYE, BALL, EYE),  # type: ignore[arg-type]
        lambda: tactum.jax.distance(BALL, EYE + 0j, BALL, EYE),
    ):
        with pytest.raises(TypeError):
            call()


def test_jit_differentiates_only_what_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    ask = _bridge.distances
    monkeypatch.setattr(
        _bridge,
        "distances",
        lambda *a, **k: asked.append([*k.get("fields", ()), *k.get("out", ())]) or ask(*a, **k),
    )
    X = jnp.asarray(poses(3, 15, shift=0.5))
    f = lambda X: tactum.jax.distances(ELLIPSOID, EYE, CYLINDER, X)
    jax.jit(jax.grad(lambda X: f(X).distance.sum()))(X).block_until_ready()
    jacobians = [[x for x in fields if x.endswith("jacobian")] for fields in asked]
    assert jacobians == [["distance_jacobian"]]
    jax.jit(jax.grad(lambda X: f(X).normal.sum()))(X).block_until_ready()
    assert sum("normal_jacobian" in fields for fields in asked) == 1


def test_status_and_smooth_mask_rows() -> None:
    X = np.tile(np.eye(4), (2, 1, 1))
    X[0, :3, 3] = 2.0, 0.1, 0.2
    expected = tactum.distances(BALL, EYE, SHAPES["box"], X, derivative=tactum.Exact())

    def total(X: Any) -> Any:
        r = tactum.jax.distances(BALL, EYE, SHAPES["box"], X, smooth=True)
        good = r.smooth & (r.status == "separated") & (r.status != tactum.Status.touching)
        return jnp.where(good, r.distance, 0.0).sum(), (r.status, r.smooth)

    gradient, (status, smooth) = jax.jit(jax.grad(total, has_aux=True))(jnp.asarray(X))
    np.testing.assert_array_equal(np.asarray(status), np.asarray(expected.status))
    with pytest.raises(tactum.InvalidInput, match=r"status: got 'seperated'; give one of"):
        status == "seperated"  # noqa: B015
    np.testing.assert_array_equal(smooth, expected.smooth)
    assert status.codes.dtype == jnp.uint8 and bool(smooth[0]) and not bool(smooth[1])
    assert np.abs(gradient[0]).max() > 0.5 and not np.any(gradient[1])
    assert tactum.jax.distances(BALL, EYE, BALL, X).smooth is None


@pytest.mark.parametrize("form", ["xyz_xyzw", "matrix", "tangent"])
def test_signed_distance(form: str) -> None:
    X = poses(1, 21, length=1.3)[0]
    points = np.random.default_rng(22).normal(scale=0.3, size=(6, 3))
    if form == "tangent":
        start = np.array([0.1, -0.2, 0.05, 0.3, 0.4, -0.6])
        f = lambda x, p: tactum.jax.signed_distance(EGG, X, p, tangent=x)
    else:
        start = X if form == "xyz_xyzw" else matrices(poses(1, 21))[0]
        f = lambda x, p: tactum.jax.signed_distance(EGG, x, p)
    check_grads(f, (start, points), order=1, atol=1e-6, rtol=1e-6, eps=1e-5)
    np.testing.assert_allclose(
        jax.jit(f)(start, points), jax.vmap(lambda p: f(start, p))(points), rtol=0, atol=1e-15
    )


# ----------------------------------------------------------------------------------- contact forces
@pytest.mark.parametrize("solver", ["lcp_pgs", "ccp_newton", "raisim", "ncp_admm"])
def test_forces(solver: str) -> None:
    parts = contact_parts(len(solver))
    f = lambda *x: tactum.jax.solve(*x, solver=solver, regularization=0.05, max_iterations=5000)
    check(lambda *x: f(*x)[:2], *parts)
    G, g, mu, R = parts
    problem = tactum.ContactProblem(G=G, g=g, mu=mu, R=R)
    expected = tactum.solve(problem, solver, regularization=0.05, max_iterations=5000, polish=True)  # type: ignore[arg-type]
    r = f(*parts)
    np.testing.assert_array_equal(r.force, expected.force)
    np.testing.assert_allclose(r.velocity, expected.velocity, rtol=0, atol=1e-12)
    assert r.residual == expected.residual


def test_forces_under_jit_and_vmap() -> None:
    G, g, mu, R = (jnp.asarray(x) for x in contact_parts(3, contacts=2, lead=(3,)))
    loss = lambda G, g, mu, R: (tactum.jax.solve(G, g, mu, R).force ** 2).sum()
    rows = jax.jit(jax.vmap(jax.value_and_grad(loss, argnums=(0, 1, 2, 3))))
    values, gradients = rows(G, g, mu, R)
    # all in one call, and one row after the other
    whole = jax.grad(loss, argnums=(0, 1, 2, 3))(G, g, mu, R)
    for one, together in zip(gradients, whole, strict=True):
        np.testing.assert_allclose(one, together, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(values.sum(), loss(G, g, mu, R), rtol=1e-12)
    mixed = jax.vmap(jax.jacfwd(lambda mu: tactum.jax.solve(G[0], g[0], mu, 0.05).force))(
        jnp.array([0.3, 0.5])
    )
    assert mixed.shape == (2, 6) and np.all(np.isfinite(mixed))
    with pytest.raises(NotImplementedError, match=r"tactum\.jax.*second"):
        jax.hessian(lambda g: loss(G[0], g, mu[0], R[0]))(g[0])


def test_single_precision_of_forces_that_are_not_unique() -> None:
    jax.config.update("jax_enable_x64", False)
    G, g = box_on_four_corners(1.0)
    f = lambda g: tactum.jax.solve(G, g, 0.5, regularization=1e-2)
    r, J = f(jnp.asarray(g)), jax.jacobian(lambda g: f(g).force)(jnp.asarray(g))
    assert r.force.dtype == r.velocity.dtype == J.dtype == jnp.float32
    expected = tactum.solve(tactum.ContactProblem(G=G, g=g, mu=0.5), regularization=1e-2).force
    np.testing.assert_allclose(r.force, expected, rtol=0, atol=1e-4)


def test_bad_contact_problems_are_named() -> None:
    f = lambda mu: tactum.jax.solve(jnp.eye(3), jnp.zeros(3), mu).force.sum()
    with pytest.raises(Exception, match=r"ContactProblem\.mu\[0\]: got -1"):
        jax.grad(f)(-1.0)
    with pytest.raises(tactum.InvalidInput, match="mu: got an array of shape"):
        f(jnp.ones(2))


# -------------------------------------------------------------------------------------------- steps
def test_steps() -> None:
    sim = pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.5)
    shape = tactum.Ellipsoid(semi_axes=(0.1, 0.06, 0.14))
    builder.add_body(shape, mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.1399]))
    model = builder.build()
    options = sim.StepOptions(tolerance=1e-13, max_iterations=20000)
    q = jnp.asarray(model.integrate(model.state().q, [0, 0, 0, 0.02, -0.03, 0.4]))
    v, tau = jnp.array([1.0, 0.2, -0.5, 0.5, 2.0, -1.0]), jnp.zeros(6)

    def run(q: Any, v: Any, tau: Any) -> Any:
        return tactum.jax.step(model, q, v, tau, options=options)

    expected = sim.step(model, state_of(model, q, v), np.zeros(6), options=options).state
    np.testing.assert_allclose(jax.jit(run)(q, v, tau).v, expected.v, atol=1e-12)
    # relative to the largest entries, which are those of v by q
    check_grads(lambda *x: run(*x).q, (q, v, tau), 1, eps=1e-6, atol=1e-5, rtol=1e-5)
    check_grads(lambda *x: 1e-3 * run(*x).v, (q, v, tau), 1, eps=1e-6, atol=1e-5, rtol=1e-5)
    rows = v + 0.1 * jnp.arange(3.0)[:, None]
    together, mapped = run(q, rows, tau).v, jax.vmap(lambda v: run(q, v, tau).v)(rows)
    assert together.shape == (3, 6)
    np.testing.assert_allclose(mapped, together, atol=1e-12)
    with pytest.raises(tactum.InvalidInput, match="give"):
        run(q, q, tau)


def state_of(model: Any, q: Any, v: Any) -> Any:
    state = model.state()
    state.q, state.v = np.asarray(q), np.asarray(v)
    return state
