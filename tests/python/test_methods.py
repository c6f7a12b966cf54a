# SPDX-License-Identifier: BSD-2-Clause
"""The methods of the GJK++ paper from Python: same answers under every name, counters, starts,
refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tactum

METHODS: list[Any] = [
    "gjk",
    "polyak",
    "polyak_normalized",
    "nesterov",
    "nesterov_normalized",
    "frank_wolfe",
    "frank_wolfe_open_loop",
    "frank_wolfe_polyak",
    "frank_wolfe_nesterov",
    "nesmino",
]
SHAPES = [
    tactum.Sphere(radius=0.3),
    tactum.Ellipsoid(semi_axes=(0.1, 0.3, 0.2)),
    tactum.Box(half_extents=(0.1, 0.2, 0.3)),
    tactum.Capsule(radius=0.1, half_length=0.3),
    tactum.Cone(radius=0.2, half_length=0.3),
]


def pose(rng: np.random.Generator, reach: float) -> Any:
    rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    rotation[:, 0] *= np.linalg.det(rotation)
    return rotation, rng.uniform(-reach, reach, 3)


@pytest.mark.parametrize("method", METHODS)
def test_same_answer_as_auto(method: Any) -> None:
    rng = np.random.default_rng(1)
    for a in SHAPES:
        for b in SHAPES:
            X_WA, X_WB = pose(rng, 0.1), pose(rng, 0.6)
            usual = tactum.distance(a, X_WA, b, X_WB)
            r = tactum.distance(a, X_WA, b, X_WB, method=method)
            scale = tactum.pair_scale(a, X_WA, b, X_WB)
            assert r.distance == pytest.approx(usual.distance, abs=2e-12 * scale)
            assert r.status == usual.status
            assert r.upper - r.lower <= 1e-10 * scale
            assert r.iterations <= 128
            hit = tactum.collide(a, X_WA, b, X_WB, method=method)
            assert bool(hit) == (usual.distance <= 0)


@pytest.mark.parametrize("method", METHODS)
def test_batches_take_every_method(method: Any) -> None:
    rng = np.random.default_rng(2)
    box = SHAPES[2]
    X_WB = np.tile(np.eye(4), (20, 1, 1))
    X_WB[:, :3, 3] = rng.uniform(-1, 1, (20, 3))
    rows = tactum.distances(box, np.eye(4), box, X_WB, method=method)
    for i in range(20):
        single = tactum.distance(box, np.eye(4), box, X_WB[i], method=method)
        assert rows.distance[i] == single.distance
        assert rows.iterations[i] == single.iterations


def test_counts_of_the_search() -> None:
    rng = np.random.default_rng(3)
    hulls = [tactum.Convex.from_points(rng.normal(size=(300, 3))) for _ in range(2)]
    X_WB = np.eye(4)
    X_WB[:3, 3] = (8.0, 1.0, 0.5)
    for method in METHODS[:5]:
        r = tactum.distance(hulls[0], np.eye(4), hulls[1], X_WB, method=method, tolerance=1e-8)
        assert 2 <= r.iterations <= r.support_calls <= r.iterations + 1
        assert r.vertices_visited > 2 * r.support_calls
    one = tactum.distance(hulls[0], np.eye(4), hulls[1], X_WB, method="nesterov", max_iterations=1)
    assert one.iterations == 1 and one.distance == pytest.approx(r.distance, abs=1e-12)


def test_nesmino_needs_a_projection() -> None:
    hull = tactum.Convex.from_points(np.random.default_rng(4).normal(size=(20, 3)))
    for query in (tactum.distance, tactum.collide):
        with pytest.raises(ValueError, match="nesmino") as caught:
            query(hull, np.eye(4), SHAPES[0], np.eye(4), method="nesmino")
        assert isinstance(caught.value, tactum.InvalidInput) and caught.value.field == "method"
    rows = tactum.distances(hull, np.eye(4), SHAPES[0], np.eye(4)[None], method="nesmino")
    assert rows.status[0] == tactum.Status.invalid_input


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.distance(SHAPES[0], np.eye(4), SHAPES[0], np.eye(4), method="newton")  # type: ignore[arg-type]
    assert all(f"'{name}'" in caught.value.remedy for name in ["auto", *METHODS])


@pytest.mark.parametrize("method", ["polyak", "polyak_normalized", "nesterov_normalized"])
def test_weights_of_the_momentum_change_the_search_and_not_the_answer(method: Any) -> None:
    rng = np.random.default_rng(3)
    a = tactum.Ellipsoid(semi_axes=(0.1, 0.3, 0.2))
    counts: dict[str, list[int]] = {"chosen": [], "printed": [], "authors": []}
    for _ in range(20):
        X_WA, X_WB = pose(rng, 0.1), pose(rng, 0.8)
        usual = tactum.distance(a, X_WA, a, X_WB)
        for weight, own in counts.items():
            more: Any = {"method": method, "momentum_weight": weight}
            found = tactum.distance(a, X_WA, a, X_WB, **more)
            assert found.distance == pytest.approx(usual.distance, abs=1e-11)
            assert bool(tactum.collide(a, X_WA, a, X_WB, **more)) == (usual.distance <= 0)
            own.append(found.iterations)
    assert counts["printed"] != counts["authors"]
    assert counts["chosen"] == counts["authors" if "polyak" in method else "printed"]


def test_refuses_unknown_weights() -> None:
    ball, wrong = tactum.Sphere(radius=1.0), "heavy"
    with pytest.raises(tactum.InvalidInput, match=r"momentum_weight.*'printed'"):
        tactum.distance(ball, np.eye(4), ball, np.eye(4), momentum_weight=wrong)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="momentum_weight"):
        tactum.collide(ball, np.eye(4), ball, np.eye(4), momentum_weight=1)  # type: ignore[call-overload]
