# SPDX-License-Identifier: BSD-2-Clause
"""distance_derivative from Python: shapes of arrays, frames, estimators, sizes, errors."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
import tactum
from kinds import SHAPES, Array, pose, random_rotation

FRAMES = ("local", "world", "local_world_aligned")
ESTIMATORS = [
    tactum.Exact(),
    tactum.FiniteDifference(step=1e-5),
    tactum.ZerothOrder(samples=10, scale=1e-3, seed=4),
    tactum.Gaussian(
        samples=10, scale=0.1, seed=2, variance_reduction=False, relative_to="separation"
    ),
    tactum.Gumbel(rings=2, temperature=0.1),
]


def hat(w: Array) -> Array:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def exponential(tangent: Array) -> Array:
    """exp([v; w]) by its series: independent of the library, and exact to rounding for small
    motions."""
    xi = np.zeros((4, 4))
    xi[:3, :3], xi[:3, 3] = hat(tangent[3:]), tangent[:3]
    term, total = np.eye(4), np.eye(4)
    for k in range(1, 12):
        term = term @ xi / k
        total = total + term
    return total


def moved(X: Array, tangent: Array, frame: str) -> Array:
    if frame == "local":
        return np.asarray(X @ exponential(tangent))
    if frame == "world":
        return np.asarray(exponential(tangent) @ X)
    result = X.copy()
    result[:3, 3] += tangent[:3]
    result[:3, :3] = exponential(np.r_[0.0, 0.0, 0.0, tangent[3:]])[:3, :3] @ X[:3, :3]
    return result


def answer(a: tactum.Shape, X_WA: Array, b: tactum.Shape, X_WB: Array) -> Array:
    r = tactum.distance(a, X_WA, b, X_WB, tolerance=1e-13)
    return np.concatenate([[r.distance], r.normal, r.point_a, r.point_b, r.point_b - r.point_a])


def stacked(d: Any) -> Array:
    return np.vstack(
        [
            d.distance_jacobian,
            d.normal_jacobian,
            d.point_a_jacobian,
            d.point_b_jacobian,
            d.separation_jacobian,
        ]
    )


@pytest.mark.parametrize("frame", FRAMES)
def test_agrees_with_differences(frame: Any) -> None:
    rng = np.random.default_rng(5)
    names = [n for n in SHAPES if n not in ("point", "hull_point")]
    compared = 0
    for name_a in names:
        a, b = SHAPES[name_a], SHAPES["ellipsoid"]
        X_WA, X_WB = (
            pose(rng.normal(size=3), random_rotation(rng)),
            pose(3.0 + rng.normal(size=3), random_rotation(rng)),
        )
        d = tactum.distance_derivative(a, X_WA, b, X_WB, frame=frame)
        assert d.smooth
        exact, h = stacked(d), 1e-4
        for column in range(12):
            step = np.zeros(12)
            step[column] = h
            ahead = answer(a, moved(X_WA, step[:6], frame), b, moved(X_WB, step[6:], frame))
            behind = answer(a, moved(X_WA, -step[:6], frame), b, moved(X_WB, -step[6:], frame))
            expected = (ahead - behind) / (2 * h)
            assert np.abs(expected - exact[:, column]).max() < 1e-5 * max(
                1.0, np.abs(exact).max()
            ), (name_a, column)
            compared += 1
    assert compared == 12 * len(names)


def test_forms_and_fields() -> None:
    a, b = SHAPES["hull"], SHAPES["rounded_box"]
    X = pose((2.0, 0.5, 0.3))
    for estimator in ESTIMATORS:
        d = tactum.distance_derivative(a, np.eye(4), b, X, estimator=estimator)
        assert d.distance_jacobian.shape == (12,) and d.distance_jacobian.dtype == np.float64
        for name in ("normal", "point_a", "point_b", "separation"):
            assert getattr(d, f"{name}_jacobian").shape == (3, 12)
        assert np.isfinite(stacked(d)).all()
        assert d.estimator == estimator and type(d.estimator) is type(estimator)
        assert d.value.distance == tactum.distance(a, np.eye(4), b, X).distance
        assert (d.standard_error is not None) == isinstance(
            estimator, (tactum.ZerothOrder, tactum.Gaussian)
        )
        if d.standard_error is not None:
            assert stacked(d.standard_error).min() >= 0.0
        assert d.parameters_a is None and d.distance_parameter_jacobian is None
        assert "DistanceDerivative(" in repr(d)


def test_a_known_value_is_used_and_another_refused() -> None:
    a, b, X = SHAPES["hull"], SHAPES["cylinder"], pose((2.0, 0.5, 0.3))
    value = tactum.distance(a, np.eye(4), b, X)
    assert np.array_equal(
        stacked(tactum.distance_derivative(a, np.eye(4), b, X, value=value)),
        stacked(tactum.distance_derivative(a, np.eye(4), b, X)),
    )
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.distance_derivative(a, np.eye(4), b, pose((2.1, 0.5, 0.3)), value=value)
    assert caught.value.field == "value"


def test_parallel_faces_and_symmetric_poses_are_not_smooth() -> None:
    box, ball = tactum.Box(half_extents=(0.2, 0.3, 0.4)), tactum.Sphere(radius=0.1)
    assert not tactum.distance_derivative(box, np.eye(4), box, pose((1.0, 0.0, 0.0))).smooth
    assert not tactum.distance_derivative(box, np.eye(4), ball, np.eye(4)).smooth
    assert tactum.distance_derivative(box, np.eye(4), ball, pose((1.0, 0.1, 0.1))).smooth


def test_sizes() -> None:
    cylinder, box = (
        tactum.Cylinder(radius=0.3, half_length=0.4),
        tactum.Box(half_extents=(0.2, 0.3, 0.4), margin=0.1),
    )
    X = pose((1.0, 0.3, 0.9))
    d = tactum.distance_derivative(cylinder, np.eye(4), box, X, parameters=True)
    assert d.parameters_a == ("radius", "half_length", "margin")
    assert d.parameters_b == ("half_extents[0]", "half_extents[1]", "half_extents[2]", "margin")
    assert d.distance_parameter_jacobian is not None and d.distance_parameter_jacobian.shape == (7,)
    assert d.normal_parameter_jacobian is not None and d.normal_parameter_jacobian.shape == (3, 7)

    def at(radius: float) -> float:
        return tactum.distance(
            tactum.Cylinder(radius=radius, half_length=0.4), np.eye(4), box, X
        ).distance

    assert d.distance_parameter_jacobian[0] == pytest.approx(
        (at(0.3 + 1e-5) - at(0.3 - 1e-5)) / 2e-5, abs=1e-6
    )
    assert d.distance_parameter_jacobian[2] == pytest.approx(
        -1.0
    ) and d.distance_parameter_jacobian[6] == pytest.approx(-1.0)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_estimators_are_values(estimator: Any) -> None:
    assert pickle.loads(pickle.dumps(estimator)) == estimator
    assert hash(pickle.loads(pickle.dumps(estimator))) == hash(estimator)
    names: dict[str, Any] = {
        name: getattr(tactum, name)
        for name in ("Exact", "FiniteDifference", "ZerothOrder", "Gaussian", "Gumbel")
    }
    assert eval(repr(estimator), names) == estimator
    assert estimator != object()
    if not isinstance(estimator, tactum.Exact):
        assert estimator != type(estimator)()


@pytest.mark.parametrize(
    ("estimator", "field"),
    [
        (tactum.FiniteDifference(step=-1.0), "FiniteDifference.step"),
        (tactum.ZerothOrder(samples=0), "ZerothOrder.samples"),
        (tactum.ZerothOrder(scale=math.nan), "ZerothOrder.scale"),
        (tactum.Gaussian(scale=-1e-3), "Gaussian.scale"),
        (tactum.Gaussian(samples=0), "Gaussian.samples"),
        (tactum.Gumbel(rings=0), "Gumbel.rings"),
        (tactum.Gumbel(temperature=0.0), "Gumbel.temperature"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_bad_settings_are_named(estimator: Any, field: str) -> None:
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.distance_derivative(
            SHAPES["hull"], np.eye(4), SHAPES["box"], pose((3.0, 0.0, 0.0)), estimator=estimator
        )
    assert caught.value.field == field


def test_bad_arguments_are_named() -> None:
    ball, X = SHAPES["sphere"], pose((3.0, 0.0, 0.0))

    def ask(**kwargs: Any) -> Any:
        return tactum.distance_derivative(ball, np.eye(4), ball, X, **kwargs)

    for arguments, field in (
        ({"frame": "body"}, "frame"),
        ({"estimator": tactum.Gumbel(rings=2)}, "Gumbel.rings"),
    ):
        with pytest.raises(tactum.InvalidInput) as caught:
            ask(**arguments)
        assert caught.value.field == field
    for arguments in (
        {"frame": None},
        {"estimator": "exact"},
        {"estimator": None},
        {"value": 1.0},
        {"parameters": 1},
    ):
        with pytest.raises(TypeError, match=next(iter(arguments))):
            ask(**arguments)
    with pytest.raises(tactum.InvalidInput, match="seed"):
        tactum.Gaussian(seed=-1)
    with pytest.raises(tactum.InvalidInput, match="relative_to"):
        tactum.Gumbel(relative_to="normal")  # type: ignore[arg-type]
