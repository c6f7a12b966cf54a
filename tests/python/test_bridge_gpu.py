# SPDX-License-Identifier: BSD-2-Clause
"""Rows of a bridge on the GPU, with the stand-in of gpu_stand_in."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tactum
from gpu_stand_in import SHAPES, StandIn, random_poses
from tactum import _bridge_gpu, gpu
from tactum._bridge import Settings
from tactum._bridge_pose import to_xyz_xyzw

SETTINGS = Settings(tactum.Exact(), 1e-10, math.inf, 0, on_gpu=True)  # as tactum.jax makes them


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(gpu, "_gpu", StandIn)
    _bridge_gpu._table.cache_clear()
    yield
    _bridge_gpu._table.cache_clear()


def matrices(seed: int, size: int = 20) -> np.ndarray:
    return np.stack([tactum.pose_matrix(x) for x in random_poses(size, seed, 0.8)])


def test_quaternions_of_all_rotations() -> None:
    X = random_poses(200, 1, 1.0)
    X[:4, 3:] = np.eye(4)
    found = to_xyz_xyzw(np.stack([tactum.pose_matrix(x) for x in X]))
    np.testing.assert_allclose(np.abs(np.sum(found[:, 3:] * X[:, 3:], axis=1)), 1.0, atol=1e-14)
    np.testing.assert_array_equal(found[:, :3], X[:, :3])


def test_rows_are_those_of_the_library() -> None:
    X_WA, X_WB = matrices(2), matrices(3)
    index = np.random.default_rng(4).integers(0, 4, 20)
    table = tactum.ShapeTable(SHAPES)
    names = ["status", "distance", "point_b_jacobian"]
    found = _bridge_gpu.distances((table, index), X_WA, SHAPES[1], X_WB, names, SETTINGS, 20)
    expected = tactum.distances(
        (table, index),
        X_WA,
        SHAPES[1],
        X_WB,
        derivative=tactum.Exact(),
        frame="local_world_aligned",
        fields=names,
    )
    assert found is not None
    np.testing.assert_allclose(found["distance"], expected.distance, atol=1e-12)
    np.testing.assert_allclose(found["point_b_jacobian"], expected.point_b_jacobian, atol=1e-7)
    one = _bridge_gpu.distances(SHAPES[0], X_WA[0], SHAPES[1], X_WB, names, SETTINGS, 20)
    same = tactum.distances(SHAPES[0], X_WA[0], SHAPES[1], X_WB)
    assert one is not None
    np.testing.assert_allclose(one["distance"], same.distance, atol=1e-12)


def test_what_the_gpu_does_not_know_is_left_to_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    X = matrices(5)

    def ask(settings: Settings) -> Any:
        return _bridge_gpu.distances(SHAPES[0], X, SHAPES[1], X, ["distance"], settings, 20)

    assert ask(SETTINGS) is not None
    assert ask(SETTINGS._replace(estimator=tactum.Gaussian())) is None
    assert ask(SETTINGS._replace(cutoff=1.0)) is None

    def refuse(shapes: list[Any]) -> None:
        raise tactum.InvalidInput("shapes[0]", "a mesh", "give its convex hull")

    _bridge_gpu._table.cache_clear()
    monkeypatch.setattr(StandIn, "Table", refuse)
    assert ask(SETTINGS) is None


def test_jax_asks_the_gpu_where_its_arrays_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    jax = pytest.importorskip("jax")
    import tactum.jax as bridge

    asked = []
    monkeypatch.setattr(bridge, "_is_on_gpu", lambda arrays: True)
    whole = _bridge_gpu.distances

    def watched(*arguments: Any) -> Any:
        asked.append(arguments[4])
        return whole(*arguments)

    monkeypatch.setattr(_bridge_gpu, "distances", watched)
    X_WA, X_WB = random_poses(5, 6, 1.0), random_poses(5, 7, 1.0)
    with jax.enable_x64(True):

        def total(X: Any) -> Any:
            return bridge.distances(SHAPES[3], X, SHAPES[1], X_WB).distance.sum()

        found = np.asarray(jax.jit(jax.grad(total))(X_WA))
    answer = tactum.distances(SHAPES[3], X_WA, SHAPES[1], X_WB)
    np.testing.assert_allclose(found[:, :3], -np.asarray(answer.normal), atol=1e-9)
    assert asked and "distance_jacobian" in asked[-1]


def test_arrays_of_jax_on_the_cpu_stay_there() -> None:
    jax = pytest.importorskip("jax")
    import tactum.jax as bridge

    assert not bridge._is_on_gpu([jax.device_put(np.zeros(7), jax.devices("cpu")[0])])
