# SPDX-License-Identifier: BSD-2-Clause
"""tactum.reproduce._timing.time_queries: the counters are those of the queries it times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tactum
from kinds import cube_corners
from tactum.reproduce._timing import time_queries

BALL = tactum.Ellipsoid(semi_axes=(0.1, 0.2, 0.3))
HULL = tactum.Convex.from_points(0.2 * np.random.default_rng(5).normal(size=(60, 3)))


def poses(count: int = 6) -> Any:
    made = np.tile(np.eye(4), (count, 1, 1))
    made[:, :3, 3] = np.linspace([0.1, 0.02, 0.01], [1.5, 0.4, -0.3], count)
    return made


@pytest.mark.parametrize("method", ["auto", "gjk", "polyak", "nesterov"])
def test_counters_are_those_of_the_query(method: Any) -> None:
    directions = np.ascontiguousarray(poses()[:, :3, 3])
    found = time_queries(
        BALL,
        np.eye(4),
        HULL,
        poses(),
        method=method,
        repeats=3,
        initial_direction=directions,
        tolerance=1e-8,
    )
    assert found["nanoseconds"].shape == (6, 3) and np.all(found["nanoseconds"] >= 0)
    for row, (X, direction) in enumerate(zip(poses(), directions, strict=True)):
        one = tactum.distance(
            BALL, np.eye(4), HULL, X, method=method, tolerance=1e-8, initial_direction=direction
        )
        assert found["distance"][row] == one.distance
        assert found["status"][row] == int(one.status)
        counts = (
            found["iterations"][row],
            found["support_calls"][row],
            found["vertices_visited"][row],
        )
        assert counts == (one.iterations, one.support_calls, one.vertices_visited)


def test_collide() -> None:
    found = time_queries(BALL, np.eye(4), HULL, poses(), query="collide", method="gjk")
    for row, X in enumerate(poses()):
        one = tactum.collide(BALL, np.eye(4), HULL, X, method="gjk")
        assert (found["status"][row], found["iterations"][row]) == (int(one.status), one.iterations)


def test_a_search_counts_as_the_whole_query() -> None:
    for method in ("gjk", "polyak", "nesterov_normalized"):
        whole, search = (
            time_queries(HULL, np.eye(4), HULL, poses(), query=query, method=method)
            for query in ("distance", "search")
        )
        for name in ("iterations", "support_calls", "vertices_visited"):
            np.testing.assert_array_equal(whole[name], search[name])


def test_a_gap_in_square_metres_does_not_grow_with_the_scale() -> None:
    # a cube and a ball at 1 mm, once more with everything 100 times as large: relative tolerances
    # count the same
    small, large = (
        tactum.Ellipsoid(semi_axes=np.array([0.1, 0.2, 0.3]) * size) for size in (1.0, 100.0)
    )
    X = np.eye(4)
    X[:3, 3] = [0.25, 0.3, 0.35]
    far = X.copy()
    far[:3, 3] *= 100.0

    def iterations(shape: tactum.Shape, pose: Any, gap: bool) -> float:
        found = time_queries(
            shape, np.eye(4), shape, pose, method="gjk", tolerance=1e-8, tolerance_is_gap=gap
        )
        return float(found["iterations"][0])

    assert iterations(small, X, False) == iterations(large, far, False)
    assert iterations(small, X, True) < iterations(large, far, True)


def test_tables_of_shapes() -> None:
    table = tactum.ShapeTable([BALL, HULL, tactum.Convex.from_points(cube_corners())])
    index = np.array([0, 1, 2, 0, 1, 2], dtype=np.int32)
    found = time_queries((table, index), np.eye(4), HULL, poses())
    for row, X in enumerate(poses()):
        assert (
            found["distance"][row]
            == tactum.distance(table[int(index[row])], np.eye(4), HULL, X).distance
        )


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"query": "touch"}, "query"),
        ({"method": "epa"}, "method"),
        ({"repeats": 0}, "repeats"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"initial_direction": np.ones((2, 3))}, "initial_direction"),
        ({"query": "search", "method": "auto"}, "method"),
        ({"query": "search", "method": "gjk", "a": tactum.HalfSpace()}, "HalfSpace"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], field: str) -> None:
    given: dict[str, Any] = {"a": BALL, "X_WA": np.eye(4), "b": HULL, "X_WB": poses()} | arguments
    with pytest.raises(tactum.InvalidInput, match=field):
        time_queries(**given)
