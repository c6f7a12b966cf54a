# SPDX-License-Identifier: BSD-2-Clause
"""distances(derivative=...): every row against the single call, fields, out=, threads, bad rows,
sizes, errors, Ctrl-C."""

from __future__ import annotations

import math
import os
import pickle
import signal
import threading
from typing import Any

import numpy as np
import pytest
import tactum
from kinds import SHAPES, Array, random_pose
from tactum import Status

JACOBIANS = (
    "distance_jacobian",
    "normal_jacobian",
    "point_a_jacobian",
    "point_b_jacobian",
    "separation_jacobian",
)
ESTIMATORS = (
    tactum.Exact(),
    tactum.FiniteDifference(step=1e-5),
    tactum.ZerothOrder(samples=6, seed=5),
    tactum.Gaussian(samples=6, scale=0.05, seed=7),
    tactum.Gumbel(rings=2),
)
POLYHEDRAL = ("box", "rounded_box", "capsule", "half_space", "hull")
FRAMES = ("local", "world", "local_world_aligned")


def pairs(n: int, names: Any = tuple(SHAPES), seed: int = 0) -> tuple[Any, Array, Any, Array]:
    """N pairs of the shapes named, none of two half-spaces."""
    rng = np.random.default_rng(seed)
    table = tactum.ShapeTable([SHAPES[name] for name in names])
    i, j = rng.integers(0, len(table), size=(2, n)).astype(np.int32)
    flat = names.index("half_space") if "half_space" in names else -1
    j[(i == flat) & (j == flat)] = 0
    X_WA, X_WB = (np.array([random_pose(rng) for _ in range(n)]) for _ in range(2))
    return (table, i), X_WA, (table, j), X_WB


def single(
    batch: tuple[Any, Array, Any, Array], k: int, **options: Any
) -> tactum.DistanceDerivative:
    (table, i), X_WA, (_, j), X_WB = batch
    return tactum.distance_derivative(
        table[int(i[k])], X_WA[k], table[int(j[k])], X_WB[k], **options
    )


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("frame", FRAMES)
def test_every_row_is_the_single_call(estimator: Any, frame: Any) -> None:
    batch = pairs(40, POLYHEDRAL if isinstance(estimator, tactum.Gumbel) else tuple(SHAPES), seed=1)
    r = tactum.distances(*batch, derivative=estimator, frame=frame)
    sampled = isinstance(estimator, (tactum.ZerothOrder, tactum.Gaussian))
    assert ("standard_error" in r.fields) == sampled
    for k in range(40):
        d = single(batch, k, estimator=estimator, frame=frame)
        assert r.distance[k] == d.value.distance and r.smooth[k] == d.smooth
        for name in JACOBIANS:
            np.testing.assert_array_equal(getattr(r, name)[k], getattr(d, name))
            if sampled:
                np.testing.assert_array_equal(
                    getattr(r.standard_error, name)[k], getattr(d.standard_error, name)
                )


def test_forms_of_the_fields() -> None:
    r = tactum.distances(*pairs(5), derivative=tactum.Gaussian())
    assert r.smooth.shape == (5,) and r.smooth.dtype == np.bool_
    assert r.distance_jacobian.shape == (5, 12)
    for name in JACOBIANS[1:]:
        assert getattr(r, name).shape == getattr(r.standard_error, name).shape == (5, 3, 12)
    assert r.standard_error.fields == JACOBIANS and "standard_error" in repr(r)
    assert r.parameters_a is None and r.parameters_b is None
    again = pickle.loads(pickle.dumps(r))
    assert again.fields == r.fields
    np.testing.assert_array_equal(again.normal_jacobian, r.normal_jacobian)
    np.testing.assert_array_equal(
        again.standard_error.point_b_jacobian, r.standard_error.point_b_jacobian
    )


def test_fields_choose_what_is_written() -> None:
    batch = pairs(30, seed=2)
    everything = tactum.distances(*batch, derivative=tactum.Gaussian(seed=3))
    for fields in (
        ("distance_jacobian",),
        ("distance", "distance_jacobian"),
        ("smooth",),
        ("point_a_jacobian", "standard_error"),
    ):
        r = tactum.distances(*batch, derivative=tactum.Gaussian(seed=3), fields=fields)
        assert set(r.fields) == set(fields)
        for name in fields:
            if name == "standard_error":
                assert r.standard_error.fields == ("point_a_jacobian",)
                np.testing.assert_array_equal(
                    r.standard_error.point_a_jacobian, everything.standard_error.point_a_jacobian
                )
            else:
                np.testing.assert_array_equal(getattr(r, name), getattr(everything, name))
        with pytest.raises(AttributeError, match="normal_jacobian"):
            _ = r.normal_jacobian


def test_out_is_written_in_place() -> None:
    batch = pairs(25, seed=3)
    expected = tactum.distances(*batch, derivative=tactum.ZerothOrder(samples=4))
    out: dict[str, Any] = {
        "smooth": np.zeros(25, dtype=bool),
        "normal_jacobian": np.zeros((25, 3, 12)),
        "standard_error": {"distance_jacobian": np.zeros((25, 12))},
    }
    r = tactum.distances(*batch, derivative=tactum.ZerothOrder(samples=4), out=out)
    assert r.normal_jacobian is out["normal_jacobian"] and r.smooth is out["smooth"]
    assert r.standard_error.distance_jacobian is out["standard_error"]["distance_jacobian"]
    np.testing.assert_array_equal(out["normal_jacobian"], expected.normal_jacobian)
    np.testing.assert_array_equal(
        out["standard_error"]["distance_jacobian"], expected.standard_error.distance_jacobian
    )
    again = tactum.distances(*batch, derivative=tactum.ZerothOrder(samples=4), out=r)
    assert (
        again.normal_jacobian is out["normal_jacobian"] and again.standard_error is r.standard_error
    )


@pytest.mark.parametrize("num_threads", [0, 3])
def test_same_bits_for_any_number_of_threads(num_threads: int) -> None:
    batch = pairs(3000, seed=4)
    one = tactum.distances(*batch, derivative=tactum.Gaussian(samples=4), num_threads=1)
    many = tactum.distances(*batch, derivative=tactum.Gaussian(samples=4), num_threads=num_threads)
    for name in JACOBIANS:
        assert getattr(one, name).tobytes() == getattr(many, name).tobytes()


def test_bad_rows_are_zeros_and_not_smooth() -> None:
    a, X_WA, b, X_WB = pairs(20, seed=5)
    X_WA[3, 0, 0], X_WB[7, 2, 3] = math.nan, math.inf
    r = tactum.distances(a, X_WA, b, X_WB, derivative=tactum.Gaussian(samples=4))
    assert np.flatnonzero(r.status == Status.invalid_input).tolist() == [3, 7]
    assert not r.smooth[[3, 7]].any()
    for name in JACOBIANS:
        for arrays in (r, r.standard_error):
            assert not getattr(arrays, name)[[3, 7]].any()
            assert np.isfinite(getattr(arrays, name)).all()


def test_what_is_not_proved_is_flagged() -> None:
    # in the plane where both ways out are the same, rounding keeps the bounds from being as narrow
    # as asked for
    X = np.tile(np.eye(4), (300, 1, 1))
    X[:, :2, 3] = np.random.default_rng(6).uniform(-0.2, 0.2, size=(300, 2))
    ellipsoid, point = tactum.Ellipsoid(semi_axes=(0.5, 0.9, 0.3)), tactum.Sphere(radius=0.0)
    r = tactum.distances(
        ellipsoid, np.eye(4), point, X, derivative=tactum.Exact(), tolerance=1.43e-14
    )
    unproved = r.status == Status.not_converged
    assert unproved.any() and not r.smooth[unproved].any()
    for name in JACOBIANS:
        assert np.isfinite(getattr(r, name)).all()


def test_sizes() -> None:
    rng = np.random.default_rng(7)
    capsule, hull = SHAPES["capsule"], SHAPES["hull"]
    X = np.array([random_pose(rng) for _ in range(15)])
    r = tactum.distances(capsule, np.eye(4), hull, X, derivative=tactum.Exact(), parameters=True)
    assert r.parameters_a == ("radius", "half_length", "margin")
    assert r.parameters_b is not None and len(r.parameters_b) == 25
    assert r.distance_parameter_jacobian.shape == (
        15,
        28,
    ) and r.normal_parameter_jacobian.shape == (15, 3, 28)
    for k in range(15):
        d = tactum.distance_derivative(capsule, np.eye(4), hull, X[k], parameters=True)
        assert r.smooth[k] == d.smooth
        for name in ("distance", "normal", "point_a", "point_b", "separation"):
            field = f"{name}_parameter_jacobian"
            np.testing.assert_array_equal(getattr(r, field)[k], getattr(d, field))
    again = pickle.loads(pickle.dumps(r))
    assert again.parameters_b == r.parameters_b
    np.testing.assert_array_equal(again.point_b_parameter_jacobian, r.point_b_parameter_jacobian)
    # shapes of one kind, one for each row
    balls = tactum.ShapeTable([tactum.Sphere(radius=0.1 * k) for k in range(1, 16)])
    r = tactum.distances(
        (balls, np.arange(15)), np.eye(4), capsule, X, derivative=tactum.Exact(), parameters=True
    )
    np.testing.assert_allclose(r.distance_parameter_jacobian[:, :2], -1.0, rtol=1e-12)


#: sizes at which a shape degenerates, or that can only grow
SPECIAL = (
    (tactum.Sphere, {"radius": 0.0}),
    (tactum.Ellipsoid, {"semi_axes": (0.3, 0.3, 0.3)}),
    (tactum.Ellipsoid, {"semi_axes": (0.3, 0.3, 0.2)}),
    (tactum.Box, {"half_extents": (0.3, 0.3, 0.3)}),
    (tactum.Capsule, {"radius": 0.3, "half_length": 0.0}),
    (tactum.Capsule, {"radius": 0.3, "half_length": 0.3}),
    (tactum.Cylinder, {"radius": 0.3, "half_length": 0.3}),
    (tactum.Cone, {"radius": 0.3, "half_length": 0.3}),
    (tactum.HalfSpace, {"normal": (0.0, 0.6, 0.8), "offset": 0.0}),
)


def grown(kind: Any, sizes: dict[str, Any], name: str, step: float) -> tactum.Shape:
    field, _, index = name.partition("[")
    if not index:
        return kind(**(sizes | {field: sizes.get(field, 0.0) + step}))
    values = list(sizes[field])
    values[int(index[:-1])] += step
    return kind(**(sizes | {field: tuple(values)}))


@pytest.mark.parametrize(
    ("kind", "sizes"), SPECIAL, ids=lambda x: x.__name__ if isinstance(x, type) else str(x)
)
def test_special_sizes_against_what_growing_makes(kind: Any, sizes: dict[str, Any]) -> None:
    rng = np.random.default_rng(9)
    shape, step = kind(**sizes), 1e-5
    for other in ("ellipsoid", "rounded_box", "stp"):
        X = np.array([random_pose(rng, size) for size in (0.2, 1.0) for _ in range(20)])
        r = tactum.distances(
            shape, np.eye(4), SHAPES[other], X, derivative=tactum.Exact(), parameters=True
        )
        assert r.parameters_a is not None and r.parameters_a[-1] == "margin"
        for name in ("distance", "normal", "point_a", "point_b", "separation"):
            assert np.isfinite(getattr(r, f"{name}_parameter_jacobian")).all()
        for k, name in enumerate(r.parameters_a):
            values = [
                tactum.distances(
                    grown(kind, sizes, name, h), np.eye(4), SHAPES[other], X, tolerance=1e-13
                ).distance
                for h in (0.0, step, 2 * step)
            ]
            forward = (4 * (values[1] - values[0]) - (values[2] - values[0])) / (2 * step)
            error = np.abs(r.distance_parameter_jacobian[:, k] - forward)[r.smooth]
            assert len(error) > 20 and error.max() < 1e-4, name
        for k in range(0, 40, 8):
            one = tactum.distance_derivative(shape, np.eye(4), SHAPES[other], X[k], parameters=True)
            np.testing.assert_array_equal(
                one.distance_parameter_jacobian, r.distance_parameter_jacobian[k]
            )


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_results_are_pickled(estimator: Any) -> None:
    d = tactum.distance_derivative(
        SHAPES["hull"],
        np.eye(4),
        SHAPES["box"],
        random_pose(np.random.default_rng(8)),
        estimator=estimator,
        parameters=True,
    )
    again = pickle.loads(pickle.dumps(d))
    assert (
        again.smooth == d.smooth
        and again.estimator == d.estimator
        and again.value.distance == d.value.distance
    )
    assert again.parameters_a == d.parameters_a and again.parameters_b == d.parameters_b
    for name in JACOBIANS:
        np.testing.assert_array_equal(getattr(again, name), getattr(d, name))
        sizes = name.replace("_jacobian", "_parameter_jacobian")
        np.testing.assert_array_equal(getattr(again, sizes), getattr(d, sizes))
        assert (again.standard_error is None) == (d.standard_error is None)
        if d.standard_error is not None:
            np.testing.assert_array_equal(
                getattr(again.standard_error, name), getattr(d.standard_error, name)
            )
    for broken in (
        (),
        (1, 2, 3, 4, 5, 6),
        (d.value, np.zeros((3, 12)), 1, d.estimator, None, None),
    ):
        with pytest.raises((TypeError, ValueError), match="state"):
            tactum.DistanceDerivative.__new__(tactum.DistanceDerivative).__setstate__(broken)


BAD_VALUES: list[tuple[str, dict[str, Any]]] = [
    ("fields", {"fields": ("normal_jacobian",)}),
    ("fields", {"fields": ("standard_error",), "derivative": tactum.Exact()}),
    ("fields", {"fields": ("standard_error",), "derivative": tactum.Gaussian(samples=1)}),
    ("fields", {"fields": ("distance_parameter_jacobian",), "derivative": tactum.Exact()}),
    ("out", {"out": {"smooth": np.zeros(4, dtype=bool)}}),
    (
        "out.normal_jacobian",
        {"out": {"normal_jacobian": np.zeros((4, 36))}, "derivative": tactum.Exact()},
    ),
    (
        "out.standard_error",
        {"out": {"standard_error": {"distance": np.zeros(4)}}, "derivative": tactum.Gaussian()},
    ),
    (
        "out.standard_error.distance",
        {
            "out": {"standard_error": {"distance_jacobian": np.zeros(4)}},
            "derivative": tactum.Gaussian(),
        },
    ),
    ("derivative", {"parameters": True}),
    ("frame", {"frame": "body", "derivative": tactum.Exact()}),
    ("Gumbel.rings", {"derivative": tactum.Gumbel()}),
    ("Gaussian.scale", {"derivative": tactum.Gaussian(scale=-1.0)}),
    ("ZerothOrder.samples", {"derivative": tactum.ZerothOrder(samples=0)}),
    ("FiniteDifference.step", {"derivative": tactum.FiniteDifference(step=0.0)}),
    (
        "a.index",
        {
            "derivative": tactum.Exact(),
            "parameters": True,
            "fields": ("distance_parameter_jacobian",),
        },
    ),
]


@pytest.mark.parametrize(("field", "change"), BAD_VALUES)
def test_bad_values_are_named(field: str, change: dict[str, Any]) -> None:
    a, X_WA, b, X_WB = pairs(4, ("sphere", "box"), seed=10)
    a[1][:] = [0, 1, 0, 1]
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.distances(a, X_WA, b, X_WB, **change)
    assert (
        caught.value.field.startswith(field)
        and caught.value.remedy
        and len(str(caught.value)) < 500
    )


@pytest.mark.parametrize(
    "change", [{"derivative": "exact"}, {"derivative": True}, {"frame": None}, {"parameters": 1}]
)
def test_objects_of_the_wrong_sort_are_type_errors(change: dict[str, Any]) -> None:
    with pytest.raises(TypeError) as caught:
        tactum.distances(*pairs(4), **change)
    assert str(caught.value).startswith(next(iter(change)) + ": got ")


def test_outputs_share_no_memory() -> None:
    memory = np.zeros((10, 3, 12))
    with pytest.raises(tactum.InvalidInput, match="memory"):
        tactum.distances(
            *pairs(10),
            derivative=tactum.Gaussian(),
            out={"normal_jacobian": memory, "standard_error": {"normal_jacobian": memory}},
        )


def test_ctrl_c_ends_the_call() -> None:
    batch = pairs(2000, ("hull", "cone"), seed=11)
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    previous = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a job in the background ignores it
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            for _ in range(100):  # some minutes, were it not ended
                tactum.distances(*batch, derivative=tactum.ZerothOrder(samples=2000))
        timer.join()
    finally:
        signal.signal(signal.SIGINT, previous)
