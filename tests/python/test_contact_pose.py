# SPDX-License-Identifier: BSD-2-Clause
"""contact_pose: one problem and many, what it promises, and what it says of bad input."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import tactum
from tactum._core import contact_pose_size
from tactum.reproduce._timing import time_derivatives
from tactum.reproduce.contact_problems import make_problems, polyhedral_ellipsoid

RNG = np.random.default_rng(11)
A, B = polyhedral_ellipsoid(RNG, 0.1, 0.3), polyhedral_ellipsoid(RNG, 0.1, 0.3)
PROBLEMS = make_problems(A, B, RNG, 40)
BALL = tactum.Sphere(radius=0.5)
START = (np.eye(3), np.array([2.0, 0.3, 0.1]))


def cost_at(X: Any, target_a: Any, target_b: Any) -> float:
    r = tactum.distance(A, np.eye(4), B, X)
    parts = (
        r.point_a - target_a,
        r.point_b - X[:3, :3] @ target_b - X[:3, 3],
        r.point_a - r.point_b,
    )
    return 0.5 * sum(float(part @ part) for part in parts)


def test_two_balls_touch_where_they_should() -> None:
    found = tactum.contact_pose(BALL, BALL, (0.0, 0.5, 0.0), (0.0, 0.0, 0.5), start=START)
    assert found.status == tactum.ContactPoseStatus.converged and str(found.status) == "converged"
    np.testing.assert_allclose(found.pose[:3, 3], [0.0, 1.0, 0.0], atol=1e-10)
    np.testing.assert_allclose(found.pose[:3, :3] @ [0.0, 0.0, 1.0], [0.0, -1.0, 0.0], atol=1e-10)
    assert (
        found.history.shape == (51,) and found.history[0] > 1.0 and found.history[-1] == found.cost
    )
    assert (
        isinstance(found.cost, float)
        and isinstance(found.queries, int)
        and found.queries > found.iterations > 0
    )
    assert "converged" in repr(found)


def test_rows_are_single_problems() -> None:
    many = tactum.contact_pose(A, B, PROBLEMS.target_a, PROBLEMS.target_b, start=PROBLEMS.start)
    same = tactum.contact_pose(
        A, B, PROBLEMS.target_a, PROBLEMS.target_b, start=PROBLEMS.start, num_threads=1
    )
    np.testing.assert_array_equal(many.pose, same.pose)
    assert (
        many.pose.shape == (40, 4, 4)
        and many.history.shape == (40, 51)
        and "40 problems" in repr(many)
    )
    for k in range(0, 40, 7):
        one = tactum.contact_pose(
            A, B, PROBLEMS.target_a[k], PROBLEMS.target_b[k], start=PROBLEMS.start[k]
        )
        np.testing.assert_array_equal(one.pose, many.pose[k])
        assert (one.cost, int(one.status), one.iterations, one.queries) == (
            many.cost[k],
            many.status[k],
            many.iterations[k],
            many.queries[k],
        )
        assert one.cost == pytest.approx(
            cost_at(one.pose, PROBLEMS.target_a[k], PROBLEMS.target_b[k]), abs=1e-12
        )
        total = sum(float(v @ v) for v in (one.residual_a, one.residual_b, one.separation))
        assert one.cost == pytest.approx(0.5 * total, rel=1e-9, abs=1e-30)
    assert np.mean(many.status == tactum.ContactPoseStatus.converged) > 0.9
    assert np.all(np.diff(many.history, axis=1) <= 0.0)


def test_what_has_no_leading_axis_counts_for_all() -> None:
    table = tactum.ShapeTable([A, B])
    starts = np.stack([tactum.pose_xyz_xyzw(X) for X in PROBLEMS.start[:5]])
    many = tactum.contact_pose(
        (table, [0] * 5),
        (table, [1] * 5),
        PROBLEMS.target_a[0],
        PROBLEMS.target_b[:5],
        start=starts,
    )
    for k in range(5):
        one = tactum.contact_pose(A, B, PROBLEMS.target_a[0], PROBLEMS.target_b[k], start=starts[k])
        np.testing.assert_allclose(one.cost, many.cost[k], rtol=1e-6, atol=1e-20)
    row = tactum.contact_pose(
        A, B, PROBLEMS.target_a[:1], PROBLEMS.target_b[0], start=PROBLEMS.start[0]
    )
    assert row.pose.shape == (1, 4, 4)


@pytest.mark.parametrize(
    "estimator",
    [
        tactum.Exact(),
        tactum.FiniteDifference(),
        tactum.ZerothOrder(samples=8),
        tactum.Gaussian(),
        tactum.Gumbel(),
    ],
)
def test_every_estimator_goes_down(estimator: Any) -> None:
    found = tactum.contact_pose(
        A,
        B,
        PROBLEMS.target_a,
        PROBLEMS.target_b,
        start=PROBLEMS.start,
        estimator=estimator,
        max_iterations=10,
    )
    assert (
        np.all(found.cost < found.history[:, 0])
        and np.all(np.isfinite(found.pose))
        and np.all(found.iterations <= 10)
    )


def test_bad_rows_are_statuses() -> None:
    targets = PROBLEMS.target_a[:4].copy()
    targets[2, 1] = np.nan
    found = tactum.contact_pose(A, B, targets, PROBLEMS.target_b[:4], start=PROBLEMS.start[:4])
    assert [status == tactum.ContactPoseStatus.invalid_input for status in found.status] == [
        False,
        False,
        True,
        False,
    ]
    assert np.all(np.isfinite(found.history))


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"target_a": (0.0, float("nan"), 0.0)}, tactum.InvalidInput, "target_a"),
        ({"target_b": (0.0, 1.0)}, tactum.InvalidInput, "target_b"),
        ({"target_b": np.zeros((2, 2, 3))}, tactum.InvalidInput, "target_b"),
        ({"target_a": "point"}, TypeError, "target_a"),
        (
            {"target_a": np.zeros((3, 3)), "target_b": np.zeros((2, 3))},
            tactum.InvalidInput,
            "target_b",
        ),
        ({"start": 2.0 * np.eye(4)}, tactum.InvalidInput, "start"),
        ({"start": np.zeros(5)}, tactum.InvalidInput, "start"),
        ({"estimator": "exact"}, TypeError, "estimator"),
        ({"estimator": tactum.Gumbel()}, tactum.InvalidInput, "estimator"),
        ({"estimator": tactum.Gaussian(samples=0)}, tactum.InvalidInput, "Gaussian.samples"),
        ({"max_iterations": -1}, tactum.InvalidInput, "max_iterations"),
        ({"max_iterations": 1.5}, TypeError, "max_iterations"),
        ({"tolerance": -1.0}, tactum.InvalidInput, "tolerance"),
        ({"damping": 0.0}, tactum.InvalidInput, "damping"),
        ({"a": "ball"}, TypeError, "a"),
        ({"a": tactum.HalfSpace(), "b": tactum.HalfSpace()}, tactum.InvalidInput, "half"),
        (
            {"start": np.tile(np.eye(4), (2, 1, 1)), "num_threads": -1},
            tactum.InvalidInput,
            "num_threads",
        ),
    ],
)
def test_bad_input_names_the_argument(
    changes: dict[str, Any], error: type[Exception], said: str
) -> None:
    arguments: dict[str, Any] = {
        "a": BALL,
        "b": BALL,
        "target_a": (0.0, 0.5, 0.0),
        "target_b": (0.0, 0.0, 0.5),
        "start": START,
    } | changes
    with pytest.raises(error, match=said):
        tactum.contact_pose(
            arguments.pop("a"),
            arguments.pop("b"),
            arguments.pop("target_a"),
            arguments.pop("target_b"),
            **arguments,
        )


def test_results_are_pickled_and_the_size_is_that_of_the_shapes() -> None:
    found = tactum.contact_pose(
        BALL, BALL, (0.0, 0.5, 0.0), (0.0, 0.0, 0.5), start=START, max_iterations=3
    )
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.pose, found.pose)
    assert again.status == found.status
    assert contact_pose_size(BALL, tactum.HalfSpace()) == 0.5
    assert contact_pose_size(A, B) == pytest.approx(
        sum(np.linalg.norm(h.vertices, axis=1).max() for h in (A, B))
    )


def test_time_derivatives() -> None:
    times = time_derivatives(A, np.eye(4), B, PROBLEMS.start, estimator=tactum.Gumbel(), repeats=2)
    assert times.shape == (40, 2) and np.all(times > 0.0)
    with pytest.raises(tactum.InvalidInput, match="repeats"):
        time_derivatives(A, np.eye(4), B, PROBLEMS.start, estimator=tactum.Exact(), repeats=0)
    with pytest.raises(TypeError, match="estimator"):
        time_derivatives(A, np.eye(4), B, PROBLEMS.start, estimator="exact")  # type: ignore[arg-type]
