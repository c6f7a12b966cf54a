# SPDX-License-Identifier: BSD-2-Clause
"""The part of tactum.torch for tensors on a GPU, run on the CPU with the stand-in of gpu_stand_in: its
poses, its chain rule and its errors, against tactum.torch itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tactum
from gpu_stand_in import SHAPES, StandIn, random_poses
from tactum import gpu

torch = pytest.importorskip("torch")
import tactum.torch as bridge  # noqa: E402
from tactum import _torch_gpu  # noqa: E402
from tactum._bridge import Settings  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:FutureWarning")

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(gpu, "_gpu", StandIn)
    _torch_gpu._table.cache_clear()
    yield
    _torch_gpu._table.cache_clear()


def settings(**changes: Any) -> Settings:
    return Settings(tactum.Exact(), 1e-10, math.inf, 0)._replace(**changes)


def both(a: Any, X_WA: Any, b: Any, X_WB: Any, **more: Any) -> tuple[Any, Any]:
    """The ten numbers of each row by the part for the GPU, and by tactum.torch."""
    given = bridge._inputs("a", a, X_WA, more.get("tangent_a"), None) | bridge._inputs(
        "b", b, X_WB, more.get("tangent_b"), None
    )
    found, status = _torch_gpu.ask(a, b, given, settings(), CPU)
    r = (bridge.distances if isinstance(a, tuple) else bridge.distance)(a, X_WA, b, X_WB, **more)
    expected = torch.cat([r.distance[..., None], r.normal, r.point_a, r.point_b], dim=-1)
    assert torch.equal(status, r.status.codes)
    return found, expected


def numbers_of(form: str, X: np.ndarray) -> torch.Tensor:
    matrices = np.stack([tactum.pose_matrix(x) for x in X])
    return torch.from_numpy(matrices if form == "matrix" else X)


@pytest.mark.parametrize("form", ["xyz_xyzw", "matrix", "tangent"])
def test_values_and_gradients_are_those_of_the_cpu(form: str) -> None:
    random = np.random.default_rng(1)
    index = random.integers(0, 4, (2, 30))
    table = tactum.ShapeTable(SHAPES)
    X_WA, X_WB = (
        numbers_of(form, random_poses(30, k, 0.9)).requires_grad_(form != "tangent") for k in (2, 3)
    )
    tangents = {}
    if form == "tangent":
        motions = random.normal(size=(2, 30, 6)) * 0.3
        motions[:, :3] = 0.0  # the exponential has its derivative there too
        a, b = (torch.from_numpy(x).requires_grad_() for x in motions)
        tangents = {"tangent_a": a, "tangent_b": b}
    leaves = [*tangents.values()] or [X_WA, X_WB]
    found, expected = both((table, index[0]), X_WA, (table, index[1]), X_WB, **tangents)
    torch.testing.assert_close(found, expected, rtol=0.0, atol=1e-11)
    weights = torch.from_numpy(random.normal(size=(30, 10)))
    ours = torch.autograd.grad((weights * found).sum(), leaves)
    theirs = torch.autograd.grad((weights * expected).sum(), leaves)
    for one, other in zip(ours, theirs):
        torch.testing.assert_close(one, other, rtol=1e-7, atol=1e-8)


def test_forward_mode_and_leading_axes() -> None:
    X_WA = torch.from_numpy(random_poses(6, 4, 1.0)).reshape(3, 2, 7)
    X_WB = torch.from_numpy(random_poses(2, 5, 1.0))
    change = torch.from_numpy(np.random.default_rng(6).normal(size=(3, 2, 7)))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(X_WA, change)
        found, expected = both(SHAPES[3], dual, SHAPES[1], X_WB)
        assert found.shape == (3, 2, 10)
        ours, theirs = (torch.autograd.forward_ad.unpack_dual(x).tangent for x in (found, expected))
        torch.testing.assert_close(ours, theirs, rtol=1e-7, atol=1e-8)


def test_vmap_and_jacobians_of_torch_func() -> None:
    X_WA = torch.from_numpy(random_poses(5, 7, 1.0))
    X_WB = torch.from_numpy(random_poses(1, 8, 1.0)[0])

    def ours(X: torch.Tensor) -> torch.Tensor:
        given = bridge._inputs("a", SHAPES[3], X, None, None) | bridge._inputs(
            "b", SHAPES[2], X_WB, None, None
        )
        return _torch_gpu.ask(SHAPES[3], SHAPES[2], given, settings(), CPU)[0]

    def theirs(X: torch.Tensor) -> torch.Tensor:
        r = bridge.distance(SHAPES[3], X, SHAPES[2], X_WB)
        return torch.cat([r.distance[..., None], r.normal, r.point_a, r.point_b], dim=-1)

    torch.testing.assert_close(torch.vmap(ours)(X_WA), theirs(X_WA), rtol=0.0, atol=1e-11)
    for transform in (torch.func.jacrev, torch.func.jacfwd):
        found, expected = (torch.vmap(transform(f))(X_WA) for f in (ours, theirs))
        torch.testing.assert_close(found, expected, rtol=1e-7, atol=1e-8)


def test_a_second_derivative_is_refused() -> None:
    X = torch.from_numpy(random_poses(1, 9, 1.0)[0]).requires_grad_()
    found, _ = both(SHAPES[0], X, SHAPES[1], torch.eye(4, dtype=torch.float64))
    (first,) = torch.autograd.grad(found[0], X, create_graph=True)
    with pytest.raises(NotImplementedError, match="once"):
        first.sum().backward()


def test_quaternions_of_all_rotations() -> None:
    X = random_poses(200, 10, 1.0)
    X[:4, 3:] = np.eye(4)
    matrices = torch.from_numpy(np.stack([tactum.pose_matrix(x)[:3, :3] for x in X]))
    found = _torch_gpu._quaternion(matrices).numpy()
    same = np.abs(np.sum(found * X[:, 3:], axis=1))
    np.testing.assert_allclose(same, 1.0, atol=1e-14)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"estimator": tactum.FiniteDifference()}, "estimator.*FiniteDifference.*cpu"),
        ({"cutoff": 1.0}, "cutoff.*cpu"),
        ({"smooth": True}, "smooth.*cpu"),
    ],
)
def test_settings_that_only_the_cpu_has_are_refused(change: dict[str, Any], text: str) -> None:
    X = torch.from_numpy(random_poses(1, 11, 1.0)[0])
    given = bridge._inputs("a", SHAPES[0], X, None, None) | bridge._inputs(
        "b", SHAPES[1], X, None, None
    )
    with pytest.raises(tactum.InvalidInput, match=text):
        _torch_gpu.ask(SHAPES[0], SHAPES[1], given, settings(**change), CPU)


def test_bad_input_is_named() -> None:
    good = torch.from_numpy(random_poses(2, 12, 1.0))

    def ask(a: Any, X: torch.Tensor, b: Any, **more: Any) -> Any:
        given = bridge._inputs("a", a, X, None, more.get("sizes")) | bridge._inputs(
            "b", b, good, None, None
        )
        return _torch_gpu.ask(a, b, given, settings(), CPU)

    bad = good.clone()
    bad[1, 0] = math.nan
    with pytest.raises(tactum.InvalidInput, match=r"X_WA\[1\].*finite"):
        ask(SHAPES[0], bad, SHAPES[1])
    with pytest.raises(tactum.InvalidInput, match="no pose"):
        ask(SHAPES[0], 2.0 * torch.eye(4, dtype=torch.float64), SHAPES[1])
    with pytest.raises(tactum.InvalidInput, match=r"radius.*cpu"):
        ask(SHAPES[0], good, SHAPES[1], sizes={"radius": torch.tensor(0.2)})
    table = tactum.ShapeTable(SHAPES)
    with pytest.raises(tactum.InvalidInput, match="4 shapes"):
        ask((table, [0, 4]), good, SHAPES[1])
    with pytest.raises(tactum.InvalidInput, match="leading axes"):
        ask((table, [0, 1, 2]), good, SHAPES[1])
