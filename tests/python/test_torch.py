# SPDX-License-Identifier: BSD-2-Clause
"""tactum.torch: values against tactum.distances, derivatives against differences, torch.func, float32, errors. Needs --bridges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tactum
import tactum.torch
import torch
from bridge_cases import BALL, CYLINDER, EGG, ELLIPSOID, SIZE_CASES, STONE, matrices, poses, size_pose
from kinds import SHAPES

# what torch.func loads uses what torch has deprecated
pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:FutureWarning")]

EYE = np.eye(4)


def tensor(value: Any, requires_grad: bool = True) -> Any:
    return torch.tensor(value, dtype=torch.float64, requires_grad=requires_grad)


def check(f: Any, *arguments: Any) -> None:
    """Both modes against differences."""
    tensors = tuple(tensor(x) for x in arguments)
    assert torch.autograd.gradcheck(lambda *x: tuple(f(*x)), tensors, atol=1e-6, rtol=1e-6)


def test_values_are_those_of_the_library() -> None:
    X_WA, X_WB = poses(5, 1), poses(5, 2, shift=0.5)
    expected = tactum.distances(ELLIPSOID, X_WA, CYLINDER, X_WB)
    r = tactum.torch.distances(ELLIPSOID, tensor(X_WA), CYLINDER, X_WB)
    for name in ("distance", "normal", "point_a", "point_b"):
        np.testing.assert_allclose(getattr(r, name).detach().numpy(), getattr(expected, name), rtol=0, atol=1e-14)
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


@pytest.mark.parametrize("size", [0.0, 1e-4, 1.0, 4.0])
def test_tangents_and_the_poses_they_move(size: float) -> None:
    rng = np.random.default_rng(6)
    check(
        lambda X_WA, xi_a, xi_b: tactum.torch.distances(
            ELLIPSOID, X_WA, CYLINDER, matrices(poses(1, 7, shift=0.9))[0], tangent_a=xi_a, tangent_b=xi_b
        ),
        poses(3, 8),
        size * rng.normal(size=(3, 6)) * [0.1, 0.1, 0.1, 1.0, 1.0, 1.0],
        size * rng.normal(size=6) * [0.1, 0.1, 0.1, 1.0, 1.0, 1.0],
    )


@pytest.mark.parametrize("name", SIZE_CASES)
def test_sizes(name: str) -> None:
    shape, sizes = SIZE_CASES[name]
    X_WB = size_pose(name)
    check(lambda *x: tactum.torch.distance(shape, EYE, ELLIPSOID, X_WB, parameters_a=dict(zip(sizes, x))), *sizes.values())
    check(lambda *x: tactum.torch.distance(ELLIPSOID, X_WB, shape, EYE, parameters_b=dict(zip(sizes, x))), *sizes.values())


def test_sizes_of_each_row() -> None:
    hull = SIZE_CASES["convex"].shape
    assert isinstance(hull, tactum.Convex)
    # a point inside is no vertex, and has no gradient
    points = np.concatenate([hull.vertices, [[0.0, 0.0, 0.0]]])
    X = poses(2, 11, shift=0.7)
    stretched = np.array([points, 1.2 * points])
    f = lambda V, X_WB: tactum.torch.distances(hull, EYE, CYLINDER, X_WB, parameters_a={"vertices": V})
    check(f, stretched, X)
    V = tensor(stretched)
    f(V, X).distance.sum().backward()
    assert not V.grad[:, -1].any() and V.grad.abs().sum(dim=(1, 2)).min() > 0.5


def test_functional_transforms() -> None:
    X_WA, X_WB = tensor(poses(4, 12), False), tensor(poses(3, 13, shift=0.5), False)

    def normal(A: Any, B: Any) -> Any:
        return tactum.torch.distance(ELLIPSOID, A, CYLINDER, B).normal

    grid = torch.func.vmap(torch.func.vmap(torch.func.jacrev(normal), in_dims=(None, 0)), in_dims=(0, None))(X_WA, X_WB)
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
        return tactum.torch.distances((table, index), EYE, SHAPES["box"], X, tangent_b=xi, estimator=estimator).normal

    J = torch.autograd.functional.jacobian(f, torch.zeros(6, dtype=torch.float64))
    for k in range(4):
        d = tactum.distance_derivative(table[int(index[k])], EYE, SHAPES["box"], X[k], estimator=estimator)
        np.testing.assert_allclose(J[k].numpy(), d.normal_jacobian[:, 6:], rtol=0, atol=1e-12)


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
    call: dict[str, Any] = {"a": BALL, "X_WA": EYE, "b": SHAPES["box"], "X_WB": poses(1, 17, shift=1.0)[0]} | change
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
