# SPDX-License-Identifier: BSD-2-Clause
"""tactum.torch: values against tactum.distances, derivatives against differences, torch.func,
float32, errors. Needs --bridges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tactum
import tactum.torch
import torch
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
from kinds import SHAPES
from tactum import _bridge

# what torch.func loads uses what torch has deprecated
pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:FutureWarning"),
]

EYE = np.eye(4)


def tensor(value: Any, requires_grad: bool = True) -> Any:
    return torch.tensor(value, dtype=torch.float64, requires_grad=requires_grad)


def check(f: Any, *arguments: Any) -> None:
    """Both modes against differences."""
    tensors = tuple(tensor(x) for x in arguments)
    four = lambda *x: tuple(f(*x))[:4]  # the rest cannot be differentiated
    assert torch.autograd.gradcheck(four, tensors, atol=1e-6, rtol=1e-6)


def test_values_are_those_of_the_library() -> None:
    X_WA, X_WB = poses(5, 1), poses(5, 2, shift=0.5)
    expected = tactum.distances(ELLIPSOID, X_WA, CYLINDER, X_WB)
    r = tactum.torch.distances(ELLIPSOID, tensor(X_WA), CYLINDER, X_WB)
    for name in ("distance", "normal", "point_a", "point_b"):
        np.testing.assert_allclose(
            getattr(r, name).detach().numpy(), getattr(expected, name), rtol=0, atol=1e-14
        )
    one = tactum.torch.distance(ELLIPSOID, X_WA[3], CYLINDER, matrices(X_WB)[3])
    assert one.distance.shape == () and one.normal.shape == (3,) and not one.distance.requires_grad
    np.testing.assert_allclose(one.point_b.numpy(), expected.point_b[3], rtol=0, atol=1e-14)
    assert tactum.torch.distances(BALL, EYE, BALL, X_WB[0]).distance.shape == (1,)


def test_no_rows() -> None:
    X, radius = tensor(np.empty((0, 7))), tensor(0.2)
    r = tactum.torch.distances(BALL, EYE, BALL, X, parameters_a={"radius": radius})
    (r.distance.sum() + r.normal.sum()).backward()
    assert r.normal.shape == (0, 3) and X.grad.shape == (0, 7) and radius.grad == 0.0


@pytest.mark.parametrize("length", [1.0, 1.7])
def test_poses(length: float) -> None:
    check(
        lambda X_WA, X_WB: tactum.torch.distances(ELLIPSOID, X_WA, CYLINDER, X_WB),
        poses(3, 1, length=length),
        poses(3, 2, shift=0.4, length=length),
    )


def test_poses_in_penetration() -> None:
    X_WA, X_WB = poses(3, 1), poses(3, 2, shift=0.2)
    assert np.all(tactum.distances(EGG, X_WA, STONE, X_WB).distance < 0.0)
    check(lambda X_WA, X_WB: tactum.torch.distances(EGG, X_WA, STONE, X_WB), X_WA, X_WB)


def test_matrices() -> None:
    X_WA, X_WB = matrices(poses(2, 3)), matrices(poses(2, 4, shift=0.4))
    check(lambda A, B: tactum.torch.distances(ELLIPSOID, A, CYLINDER, B), X_WA, X_WB)


def test_poses_in_every_form() -> None:
    X = matrices(poses(1, 3, shift=0.6))[0]
    R, t = X[:3, :3], X[:3, 3]
    expected = tactum.distance(ELLIPSOID, None, CYLINDER, X).distance
    for form in forms_of_one_pose(X):
        one = tactum.torch.distance(ELLIPSOID, None, CYLINDER, form).distance
        assert float(one) == pytest.approx(expected, abs=1e-14)
    moved = tactum.torch.distance(ELLIPSOID, None, CYLINDER, t).distance
    assert float(moved) == tactum.distance(ELLIPSOID, None, CYLINDER, t).distance
    for many in ([None, (R, t)], [Placement(EYE), Rigid(X)], [EYE, X]):
        rows = tactum.torch.distances(CYLINDER, (5, 0, 0), ELLIPSOID, many).distance
        np.testing.assert_allclose(
            np.asarray(rows),
            tactum.distances(CYLINDER, (5, 0, 0), ELLIPSOID, many).distance,
            atol=1e-14,
        )
    point = [1.0, 2.0, 3.0]
    assert float(tactum.torch.signed_distance(EGG, t, point)) == pytest.approx(
        float(tactum.signed_distance(EGG, t, [point])[0][0]), abs=1e-14
    )
    check(lambda t: tactum.torch.distance(ELLIPSOID, None, CYLINDER, t), t)
    f = lambda R, t: tactum.torch.distances(ELLIPSOID, None, CYLINDER, (R, t))
    check(f, np.stack([R, R.T]), t + np.array([[0.0, 0.0, 0.1], [0.0, 0.2, 0.0]]))
    single = tactum.torch.distance(ELLIPSOID, None, CYLINDER, torch.tensor(t).float())
    assert single.distance.dtype == torch.float32
    with pytest.raises(tactum.InvalidInput, match=r"X_WA: got arrays of shape \(3, 3\) and \(2,\)"):
        tactum.torch.distance(BALL, (R, t[:2]), BALL, None)
    with pytest.raises(tactum.InvalidInput, match=r"^X: got an array of shape \(6,\)"):
        tactum.torch.signed_distance(EGG, np.zeros(6), point)
    with pytest.raises(tactum.InvalidInput, match=r"^tangent: got an array of shape \(7,\)"):
        tactum.torch.signed_distance(EGG, None, point, tangent=np.zeros(7))


@pytest.mark.parametrize("size", [0.0, 1e-4, 1.0, 4.0])
def test_tangents_and_the_poses_they_move(size: float) -> None:
    rng = np.random.default_rng(6)
    check(
        lambda X_WA, xi_a, xi_b: tactum.torch.distances(
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


@pytest.mark.parametrize("name", SIZE_CASES)
def test_sizes(name: str) -> None:
    shape, sizes = SIZE_CASES[name]
    X_WB = size_pose(name)
    check(
        lambda *x: tactum.torch.distance(
            shape, EYE, ELLIPSOID, X_WB, parameters_a=dict(zip(sizes, x))
        ),
        *sizes.values(),
    )
    check(
        lambda *x: tactum.torch.distance(
            ELLIPSOID, X_WB, shape, EYE, parameters_b=dict(zip(sizes, x))
        ),
        *sizes.values(),
    )


def test_sizes_of_each_row() -> None:
    hull = SIZE_CASES["convex"].shape
    assert isinstance(hull, tactum.Convex)
    # a point inside is no vertex, and has no gradient
    points = np.concatenate([hull.vertices, [[0.0, 0.0, 0.0]]])
    X = poses(2, 11, shift=0.7)
    stretched = np.array([points, 1.2 * points])
    f = lambda V, X_WB: tactum.torch.distances(
        hull, EYE, CYLINDER, X_WB, parameters_a={"vertices": V}
    )
    check(f, stretched, X)
    V = tensor(stretched)
    f(V, X).distance.sum().backward()
    assert not V.grad[:, -1].any() and V.grad.abs().sum(dim=(1, 2)).min() > 0.5


def test_functional_transforms() -> None:
    X_WA, X_WB = tensor(poses(4, 12), False), tensor(poses(3, 13, shift=0.5), False)

    def normal(A: Any, B: Any) -> Any:
        return tactum.torch.distance(ELLIPSOID, A, CYLINDER, B).normal

    grid = torch.func.vmap(
        torch.func.vmap(torch.func.jacrev(normal), in_dims=(None, 0)), in_dims=(0, None)
    )(X_WA, X_WB)
    assert grid.shape == (4, 3, 3, 7)
    one = torch.func.jacfwd(normal)(X_WA[3], X_WB[2])
    torch.testing.assert_close(grid[3, 2], one, rtol=0, atol=1e-14)
    expected = torch.autograd.functional.jacobian(lambda A: normal(A, X_WB[2]), X_WA[3])
    torch.testing.assert_close(one, expected, rtol=0, atol=1e-14)


def test_forward_mode() -> None:
    X_WA, X_WB = tensor(poses(1, 1)[0], False), poses(1, 2, shift=0.4)[0]
    motion = tensor(np.random.default_rng(3).normal(size=7), False)
    f = lambda A: tactum.torch.distance(ELLIPSOID, A, CYLINDER, X_WB).point_b
    with torch.autograd.forward_ad.dual_level():
        dual = f(torch.autograd.forward_ad.make_dual(X_WA, motion))
        forward = torch.autograd.forward_ad.unpack_dual(dual).tangent
    backward = torch.autograd.functional.jacobian(f, X_WA) @ motion
    torch.testing.assert_close(forward, backward, rtol=0, atol=1e-14)


def test_tables_and_estimators() -> None:
    table = tactum.ShapeTable([SHAPES["box"], SHAPES["hull"]])
    X, index = poses(4, 14, shift=1.0), np.array([0, 1, 1, 0])
    estimator = tactum.Gumbel(rings=2, temperature=0.1)

    def f(xi: Any) -> Any:
        return tactum.torch.distances(
            (table, index), EYE, SHAPES["box"], X, tangent_b=xi, estimator=estimator
        ).normal

    J = torch.autograd.functional.jacobian(f, torch.zeros(6, dtype=torch.float64))
    for k in range(4):
        d = tactum.distance_derivative(
            table[int(index[k])], EYE, SHAPES["box"], X[k], estimator=estimator
        )
        np.testing.assert_allclose(J[k].numpy(), d.normal_jacobian[:, 6:], rtol=0, atol=1e-12)


def unions() -> dict[str, Any]:
    """A union of two parts, and a cube of triangles."""
    balls = [
        (tactum.Sphere(radius=0.2), tactum.pose((-0.3, 0.0, 0.0))),
        (tactum.Ellipsoid(semi_axes=(0.1, 0.2, 0.15)), tactum.pose((0.3, 0.1, 0.0))),
    ]
    cube = tactum.Box(half_extents=(0.3, 0.3, 0.3)).to_mesh()
    solid = tactum.Mesh(vertices=cube.vertices, triangles=cube.triangles, solid=True)
    return {"compound": tactum.Compound(parts=balls), "mesh": solid}


@pytest.mark.parametrize("name", ["compound", "mesh"])
def test_unions_have_the_values_and_the_derivatives_of_the_library(name: str) -> None:
    union, X = unions()[name], tactum.pose((0.9, 0.2, 0.1), rotation_vector=(0.1, 0.3, -0.2))
    turned = tactum.pose((0.1, 0.2, -0.8), rotation_vector=(0.3, 0.2, 0.1))
    many = np.stack([X, tactum.pose((-0.2, 0.9, 0.1), rotation_vector=(0, 0.2, 0.4)), turned])
    exact = {"tolerance": 2e-14}
    expected = tactum.distances(union, EYE, ELLIPSOID, many, derivative=tactum.Exact(), **exact)
    r = tactum.torch.distances(union, EYE, ELLIPSOID, tensor(many), **exact)
    for field in ("distance", "normal", "point_a", "point_b"):
        np.testing.assert_allclose(
            getattr(r, field).detach().numpy(), getattr(expected, field), rtol=0, atol=1e-9
        )
    np.testing.assert_allclose(r.distance.detach().numpy(), expected.distance, rtol=0, atol=1e-14)
    d = tensor(np.zeros((3, 6)))
    moved = tactum.torch.distances(union, EYE, ELLIPSOID, many, tangent_b=d, **exact).distance
    moved.sum().backward()
    np.testing.assert_allclose(d.grad.numpy(), expected.distance_jacobian[:, 6:], atol=1e-7)
    check(
        lambda x: tactum.torch.distances(union, EYE, ELLIPSOID, many, tangent_b=x, **exact),
        np.zeros((3, 6)),
    )
    points = np.array([[0.9, 0.1, 0.2], [-0.8, 0.3, 0.1]])
    far = tactum.torch.signed_distance(union, X, tensor(points))
    np.testing.assert_allclose(
        far.detach().numpy(), tactum.signed_distance(union, X, points)[0], atol=1e-14
    )


def test_only_what_requires_a_gradient_has_one() -> None:
    X_WA, X_WB = tensor(poses(2, 15)), tensor(poses(2, 16, shift=0.5), False)
    r = tactum.torch.distances(ELLIPSOID, X_WA, CYLINDER, X_WB)
    (r.distance.sum() + r.point_a.sum()).backward()
    assert X_WA.grad is not None and X_WB.grad is None
    with torch.no_grad():
        assert not tactum.torch.distances(ELLIPSOID, X_WA, CYLINDER, X_WB).normal.requires_grad


def test_single_precision_goes_in_and_comes_out() -> None:
    X = torch.tensor(poses(3, 15, shift=0.5), dtype=torch.float32, requires_grad=True)
    r = tactum.torch.distances(ELLIPSOID, torch.eye(4), CYLINDER, X)
    r.distance.sum().backward()
    assert r.distance.dtype == r.point_b.dtype == X.grad.dtype == torch.float32
    expected = tactum.distances(ELLIPSOID, EYE, CYLINDER, poses(3, 15, shift=0.5)).distance
    np.testing.assert_allclose(r.distance.detach().numpy(), expected, rtol=0, atol=1e-6)


def test_second_derivatives_raise() -> None:
    X = tensor(poses(1, 16, shift=0.5)[0])
    f = lambda X: tactum.torch.distance(ELLIPSOID, X, CYLINDER, EYE).distance
    for loss in (f, lambda X: f(X) ** 2, lambda X: f(X) + (X**2).sum()):
        (gradient,) = torch.autograd.grad(loss(X), X, create_graph=True)
        with pytest.raises(NotImplementedError, match=r"tactum\.torch.*second"):
            gradient.sum().backward()
    for outer in (torch.func.jacfwd, torch.func.jacrev):
        for inner in (torch.func.jacfwd, torch.func.jacrev):
            with pytest.raises(NotImplementedError, match=r"tactum\.torch.*second"):
                outer(inner(f))(X.detach())


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("X_WA", {"X_WA": np.zeros(6)}),
        ("X_WA", {"X_WA": np.zeros(7)}),
        ("X_WB", {"X_WB": 2.0 * EYE}),
        ("X_WB[1]", {"X_WB": np.array([EYE, EYE * np.nan])}),
        ("tangent_a", {"tangent_a": np.zeros(7)}),
        ("parameters_a", {"parameters_a": {"depth": 1.0}}),
        ("parameters_b['half_extents']", {"parameters_b": {"half_extents": np.ones(2)}}),
        ("Sphere.radius", {"parameters_a": {"radius": -1.0}}),
        ("leading axes", {"X_WA": poses(2, 0), "X_WB": poses(3, 0)}),
        ("X_WA", {"X_WA": torch.zeros(7, device="meta")}),
    ],
)
def test_bad_values_are_named(field: str, change: dict[str, Any]) -> None:
    call: dict[str, Any] = {
        "a": BALL,
        "X_WA": EYE,
        "b": SHAPES["box"],
        "X_WB": poses(1, 17, shift=1.0)[0],
    } | change
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.torch.distance(**call)
    assert caught.value.field == field and caught.value.remedy


def test_objects_of_the_wrong_sort_are_type_errors() -> None:
    table = (tactum.ShapeTable([BALL]), [0])
    for call in (
        lambda: tactum.torch.distance(table, EYE, BALL, EYE),  # type: ignore[arg-type]
        lambda: tactum.torch.distances(None, EYE, BALL, EYE),  # type: ignore[arg-type]
        lambda: tactum.torch.distance(BALL, torch.eye(4, dtype=torch.int64), BALL, EYE),
    ):
        with pytest.raises(TypeError):
            call()


def test_only_what_is_used_is_differentiated(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    ask = _bridge.distances
    monkeypatch.setattr(
        _bridge,
        "distances",
        lambda *a, **k: asked.append([*k.get("fields", ()), *k.get("out", ())]) or ask(*a, **k),
    )
    X = tensor(poses(3, 15, shift=0.5))
    r = tactum.torch.distances(ELLIPSOID, EYE, CYLINDER, X)
    r.distance.sum().backward(retain_graph=True)
    jacobians = [[f for f in fields if f.endswith("jacobian")] for fields in asked]
    assert jacobians == [["distance_jacobian"]]  # one call, from which the gradient follows
    r.normal.sum().backward()
    assert [f for f in asked[1] if f.endswith("jacobian")] == ["normal_jacobian"]
    with torch.no_grad():
        tactum.torch.distances(ELLIPSOID, EYE, CYLINDER, X)
    assert not any(f.endswith("jacobian") for f in asked[2])


def test_status_and_smooth_mask_rows() -> None:
    box = SHAPES["box"]
    assert isinstance(box, tactum.Box)
    X = np.tile(np.eye(4), (3, 1, 1))
    X[0, :3, 3] = 2.0, 0.1, 0.2  # next to a face: smooth
    X[1, :3, 3] = 0.0  # in the middle: two faces are as near
    X[2, :3, 3] = 0.0, 0.0, float(box.half_extents[2])
    expected = tactum.distances(BALL, EYE, box, X, derivative=tactum.Exact())
    r = tactum.torch.distances(BALL, EYE, box, tensor(X), smooth=True)
    assert r.status.codes.dtype == torch.uint8 and r.smooth.dtype == torch.bool
    np.testing.assert_array_equal(np.asarray(r.status), np.asarray(expected.status))
    np.testing.assert_array_equal(r.smooth.numpy(), expected.smooth)
    assert bool(r.smooth[0]) and not bool(r.smooth[1])
    for apart in (tactum.Status.separated, "separated", int(tactum.Status.separated)):
        assert (r.status == apart).tolist() == [True, False, False]
        assert (r.status != apart).tolist() == [False, True, True]
    with pytest.raises(tactum.InvalidInput, match=r"status: got 'seperated'; give one of"):
        r.status == "seperated"  # noqa: B015
    every = torch.func.vmap(lambda X: tactum.torch.distance(BALL, EYE, box, X))(tensor(X, False))
    assert (every.status == r.status).all() and len(every.status) == 3
    assert tactum.torch.distances(BALL, EYE, box, X).smooth is None
    one = tactum.torch.distance(BALL, EYE, box, X[0], smooth=True)
    assert one.status.codes.shape == one.smooth.shape == ()


@pytest.mark.parametrize("form", ["xyz_xyzw", "matrix", "tangent"])
def test_signed_distance(form: str) -> None:
    X = poses(1, 21, length=1.3)[0]
    points = np.random.default_rng(22).normal(scale=0.3, size=(6, 3))
    if form == "tangent":
        d = np.array([0.1, -0.2, 0.05, 0.3, 0.4, -0.6])
        f = lambda x, p: tactum.torch.signed_distance(EGG, X, p, tangent=x)
        start = d
    else:
        f = lambda x, p: tactum.torch.signed_distance(EGG, x, p)
        start = X if form == "xyz_xyzw" else matrices(poses(1, 21))[0]
    assert torch.autograd.gradcheck(f, (tensor(start), tensor(points)), atol=1e-6, rtol=1e-6)
    if form == "matrix":
        expected, gradient = tactum.signed_distance(EGG, start, points)
        p = tensor(points)
        found = tactum.torch.signed_distance(EGG, start, p)
        found.sum().backward()
        np.testing.assert_array_equal(found.detach().numpy(), expected)
        np.testing.assert_array_equal(p.grad.numpy(), gradient)
        # a pose for each point, and transformations of torch.func
        each = tactum.torch.signed_distance(EGG, np.tile(start, (6, 1, 1)), points)
        np.testing.assert_array_equal(each.numpy(), expected)
        grid = torch.func.vmap(lambda p: tactum.torch.signed_distance(EGG, start, p))(
            tensor(points, False)
        )
        np.testing.assert_array_equal(grid.numpy(), expected)
    with pytest.raises(tactum.InvalidInput, match=r"points: got an array of shape \(2,\)"):
        tactum.torch.signed_distance(EGG, EYE, np.zeros(2))
    with pytest.raises(TypeError, match=r"shape: got int"):
        tactum.torch.signed_distance(3, EYE, np.zeros(3))  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------- contact forces
SOLVERS = [
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


def test_forces_are_those_of_the_library() -> None:
    parts = contact_parts(1, lead=(3,))
    r = tactum.torch.solve(*parts)
    problems = [
        tactum.ContactProblem(G=G, g=g, mu=mu, R=R) for G, g, mu, R in zip(*parts, strict=True)
    ]
    for k, expected in enumerate(tactum.solve_many(problems, polish=True)):
        np.testing.assert_array_equal(r.force[k].numpy(), expected.force)
        np.testing.assert_allclose(r.velocity[k].numpy(), expected.velocity, rtol=0, atol=1e-12)
        assert r.residual[k].item() == expected.residual
    kinds, G = ["friction", "bilateral", "limit", "box"], 2.0 * np.eye(6)
    r = tactum.torch.solve(
        G, [0.0, 0.0, -2.0, 3.0, -3.0, 3.0], 0.5, kinds=kinds, bounds=[[-1.0, 1.0]]
    )
    np.testing.assert_allclose(r.force.numpy(), [0.0, 0.0, 1.0, -1.5, 1.5, -1.0], rtol=0, atol=1e-9)
    assert tactum.torch.solve(np.zeros((0, 3, 3)), np.zeros((0, 3)), 0.5).force.shape == (0, 3)


@pytest.mark.parametrize("solver", SOLVERS)
def test_forces(solver: str) -> None:
    more: dict[str, Any] = {
        "solver": solver,
        "regularization": 0.05 if "pgs" in solver else 0.0,
        "max_iterations": 5000,
    }
    tensors = tuple(tensor(x) for x in contact_parts(len(solver), contacts=2))
    f = lambda *x: tuple(tactum.torch.solve(*x, **more)[:2])
    assert torch.autograd.gradcheck(
        f, tensors, atol=1e-6, rtol=1e-6, check_forward_ad=True, check_batched_grad=True
    )


def test_forces_of_other_kinds_broadcast() -> None:
    kinds, bounds = (
        ["limit", "friction", "box", "bilateral", "frictionless", "friction"],
        [[-0.2, 0.2]],
    )
    G, g, _, R = contact_parts(7, contacts=4)
    f = lambda G, g, mu, R: (
        tactum.torch.solve(
            G[None, :10, :10], g[:, :10], mu, R[:10], kinds=kinds, bounds=bounds
        ).force
    )
    arguments = tuple(tensor(x) for x in (G, np.array([g, 1.3 * g]), np.array([0.4, 0.6]), R))
    assert torch.autograd.gradcheck(f, arguments, atol=1e-6, rtol=1e-6)
    one = tensor(0.5)
    forces = tactum.torch.solve(G, g, one, tensor(0.05, False)).force
    by_one = torch.autograd.grad(forces.sum(), one)[0]
    each = tensor(np.full(4, 0.5))
    by_each = torch.autograd.grad(
        tactum.torch.solve(G, g, each, np.full(12, 0.05)).force.sum(), each
    )[0]
    torch.testing.assert_close(by_one, by_each.sum())


def test_forces_that_are_not_unique() -> None:
    G, g = box_on_four_corners(3.0)
    force = tensor(g, False)
    J = torch.autograd.functional.jacobian(lambda g: tactum.torch.solve(G, g, 0.5).force, force)
    # it sticks: what the forces do to the box cancels what moves it
    np.testing.assert_allclose(G @ J.numpy() @ G, -G, rtol=0, atol=1e-8 * np.abs(G).max())


def test_functional_transforms_of_forces() -> None:
    G, g, mu, R = (tensor(x, False) for x in contact_parts(3, lead=(2,)))
    f = lambda g, mu: tactum.torch.solve(G[0], g, mu, R[0]).force
    grid = torch.func.vmap(
        torch.func.vmap(torch.func.jacrev(f, argnums=(0, 1)), in_dims=(None, 0)), in_dims=(0, None)
    )(g, mu)
    assert grid[0].shape == (2, 2, 9, 9) and grid[1].shape == (2, 2, 9, 3)
    one = torch.func.jacfwd(f, argnums=(0, 1))(g[1], mu[0])
    for whole, alone in zip(grid, one, strict=True):
        torch.testing.assert_close(whole[1, 0], alone, rtol=1e-10, atol=1e-12)
    problem = tactum.ContactProblem(
        G=G[0].numpy(), g=g[1].numpy(), mu=mu[0].numpy(), R=R[0].numpy()
    )
    expected = tactum.solution_derivative(problem, tactum.solve(problem, polish=True))
    np.testing.assert_allclose(one[0].numpy(), expected.force_wrt_g, rtol=1e-10, atol=1e-12)
    for outer in (torch.func.jacfwd, torch.func.jacrev):
        with pytest.raises(NotImplementedError, match=r"tactum\.torch.*second"):
            outer(torch.func.jacrev(lambda g: f(g, mu[0])))(g[0])


def test_single_precision_of_forces() -> None:
    G, g = box_on_four_corners(1.0)
    values = torch.tensor(g, dtype=torch.float32, requires_grad=True)
    r = tactum.torch.solve(
        torch.tensor(G, dtype=torch.float32), values, torch.tensor(0.5), regularization=1e-2
    )
    r.force.sum().backward()
    assert r.force.dtype == r.velocity.dtype == values.grad.dtype == torch.float32
    expected = tactum.solve(tactum.ContactProblem(G=G, g=g, mu=0.5), regularization=1e-2).force
    np.testing.assert_allclose(r.force.detach().numpy(), expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("G", {"G": np.eye(2)}),
        (
            "ContactProblem.G[1, 0]",
            {"G": np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])},
        ),
        ("g", {"g": 1.0}),
        ("g", {"g": np.zeros(4), "G": np.eye(4)}),
        ("g", {"kinds": ["friction", "limit"]}),
        ("kinds", {"kinds": ["friction", "spring"]}),
        ("mu", {"mu": np.ones(2)}),
        ("R", {"R": np.ones(2)}),
        ("ContactProblem.mu[0]", {"mu": -1.0}),
        ("row 1, ContactProblem.g[2]", {"g": np.array([[0.0, 0.0, 0.0], [0.0, 0.0, np.nan]])}),
        ("leading axes", {"g": np.zeros((2, 3)), "mu": np.ones((3, 1))}),
        ("solver", {"solver": "pgs"}),
    ],
)
def test_bad_contact_problems_are_named(field: str, change: dict[str, Any]) -> None:
    call: dict[str, Any] = {"G": np.eye(3), "g": np.zeros(3), "mu": 0.5} | change
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.torch.solve(**call)
    assert caught.value.field == field and caught.value.remedy


# -------------------------------------------------------------------------------------------- steps
def sliding_ellipsoid() -> tuple[Any, Any, Any]:
    sim = pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.5)
    shape = tactum.Ellipsoid(semi_axes=(0.1, 0.06, 0.14))
    builder.add_body(shape, mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.1399]))
    model = builder.build()
    q = model.integrate(model.state().q, [0, 0, 0, 0.02, -0.03, 0.4])
    v = np.array([1.0, 0.2, -0.5, 0.5, 2.0, -1.0])
    options = sim.StepOptions(tolerance=1e-13, max_iterations=20000)
    return model, options, (torch.tensor(q), torch.tensor(v), torch.zeros(6, dtype=torch.float64))


def test_steps() -> None:
    model, options, given = sliding_ellipsoid()
    inputs = [x.requires_grad_() for x in given]

    def run(*arguments: Any) -> Any:
        return tuple(tactum.torch.step(model, *arguments, 1e-3, options=options))

    assert torch.autograd.gradcheck(run, inputs, eps=1e-7, atol=1e-4, rtol=1e-5)
    q, v = run(*inputs)
    assert (q.shape, v.shape) == ((7,), (6,))


def test_steps_in_rows_and_functional_transforms() -> None:
    model, options, (q, v, tau) = sliding_ellipsoid()
    rows = v + 0.1 * torch.arange(3, dtype=torch.float64)[:, None]
    together = tactum.torch.step(model, q, rows, tau, options=options)
    assert together.q.shape == (3, 7)

    def speed(v: Any) -> Any:
        return tactum.torch.step(model, q, v, tau, options=options).v

    mapped = torch.func.vmap(speed)(rows)
    assert torch.allclose(mapped, together.v, atol=1e-12)
    backward, forward = torch.func.jacrev(speed)(v), torch.func.jacfwd(speed)(v)
    assert torch.allclose(backward, forward, atol=1e-10)
    with pytest.raises(tactum.InvalidInput, match="give"):
        tactum.torch.step(model, q, q, tau)
    with pytest.raises(TypeError, match="model"):
        tactum.torch.step(None, q, v, tau)
