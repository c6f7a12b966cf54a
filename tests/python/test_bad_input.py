# SPDX-License-Identifier: BSD-2-Clause
"""Bad sizes and points: InvalidInput by field, value and remedy; TypeError for what is no number
at all."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tactum
from kinds import cube_corners

BAD_SIZES = [-1.0, math.nan, math.inf, -math.inf, 1e31, 10**400]
NOT_NUMBERS = [None, "1", b"1", 1j, True, [], [1.0, 2.0], {}, object(), np.zeros(3)]

# kind, good arguments, the scalar sizes that must be positive
KINDS: list[tuple[Callable[..., tactum.Shape], dict[str, Any]]] = [
    (tactum.Sphere, {"radius": 1.0}),
    (tactum.Capsule, {"radius": 1.0, "half_length": 1.0}),
    (tactum.Cylinder, {"radius": 1.0, "half_length": 1.0}),
    (tactum.Cone, {"radius": 1.0, "half_length": 1.0}),
    (tactum.Ellipsoid, {"semi_axes": (1.0, 1.0, 1.0)}),
    (tactum.Box, {"half_extents": (1.0, 1.0, 1.0)}),
    (tactum.HalfSpace, {"normal": (0.0, 0.0, 1.0), "offset": 0.0}),
]
CASES = [(kind, good | {"margin": 0.0}, name) for kind, good in KINDS for name in [*good, "margin"]]
IDS = [f"{kind.__name__}.{name}" for kind, _, name in CASES]
ZERO_ALLOWED = {"Sphere.radius", "Capsule.half_length", "HalfSpace.offset"}


@pytest.mark.parametrize(("kind", "good", "name"), CASES, ids=IDS)
def test_bad_values_are_named(
    kind: Callable[..., tactum.Shape], good: dict[str, Any], name: str
) -> None:
    field = f"{kind.__name__}.{name}"
    vector = isinstance(good[name], tuple)
    allowed = {"offset": [-1.0], "normal": [-1.0, 1e31]}.get(
        name, []
    )  # a normal may have any length
    values = [v for v in BAD_SIZES if v not in allowed]
    if name != "margin" and name != "normal" and field not in ZERO_ALLOWED:
        values.append(0.0)
    for value in values:
        if vector and value == 10**400:
            continue  # an array of dtype object: a TypeError
        with pytest.raises(tactum.InvalidInput) as caught:
            kind(**(good | {name: (1.0, value, 1.0) if vector else value}))
        error = caught.value
        assert error.field.startswith(field)
        assert error.value and error.remedy
        assert str(error) == f"{error.field}: got {error.value}; {error.remedy}"
    if vector:
        for wrong in (
            [1.0, 1.0],
            np.ones((3, 1)),
            np.ones(4),
            [],
            [[1.0, 1.0, 1.0]],
            np.ones((3, 0)),
        ):
            with pytest.raises(tactum.InvalidInput) as caught:
                kind(**(good | {name: wrong}))
            assert caught.value.field == field


@pytest.mark.parametrize(("kind", "good", "name"), CASES, ids=IDS)
def test_what_is_no_number_is_a_type_error(
    kind: Callable[..., tactum.Shape], good: dict[str, Any], name: str
) -> None:
    vector = isinstance(good[name], tuple)
    for value in [v for v in NOT_NUMBERS if not (vector and isinstance(v, (list, np.ndarray)))]:
        with pytest.raises(TypeError) as caught:
            kind(**(good | {name: value}))
        assert str(caught.value).startswith(f"{kind.__name__}.{name}: got ")
    if vector:
        for wrong in (
            ["a", "b", "c"],
            [1j, 0, 0],
            [None, None, None],
            [10**400, 1, 1],
            np.ones(3, dtype=bool),
        ):
            with pytest.raises(TypeError):
                kind(**(good | {name: wrong}))


def test_zero_is_allowed_where_it_means_something() -> None:
    assert tactum.Sphere(radius=0.0).volume() == 0.0
    assert tactum.Capsule(radius=1.0, half_length=0.0).volume() == pytest.approx(4 / 3 * math.pi)
    with pytest.raises(tactum.InvalidInput):
        tactum.HalfSpace(normal=(0, 0, 0))


@pytest.mark.parametrize(
    "points",
    [
        [],
        np.empty((0, 3)),
        np.zeros((3,)),
        np.zeros((4, 2)),
        np.zeros((2, 4, 3)),
        [[0, 0, 0], [math.nan, 0, 0]],
        [[0, 0, 0], [math.inf, 0, 0]],
        [[0, 0, 0], [1e31, 0, 0]],
        [[0, 0, 0], [0, 0]],
        range(10**12),
        [range(10**12)],
        np.broadcast_to(np.zeros(3), (10**9, 3)),
        np.broadcast_to(np.zeros(1, dtype=np.float32), (10**12, 3)),
    ],
)
def test_bad_points(points: Any) -> None:
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.Convex.from_points(points)
    assert caught.value.field.startswith("Convex.points")


def test_the_bad_point_is_named() -> None:
    points = cube_corners()
    points[5, 1] = math.nan
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.Convex.from_points(points)
    assert "5" in caught.value.field and "nan" in caught.value.value


@pytest.mark.parametrize("density", [0.0, -1.0, math.nan, math.inf])
def test_bad_density(density: float) -> None:
    with pytest.raises(tactum.InvalidInput, match="density"):
        tactum.Sphere(radius=1.0).mass_properties(density)
    with pytest.raises(tactum.InvalidInput):
        tactum.HalfSpace().mass_properties(1.0)


def test_the_exception_is_a_value_error_and_can_be_pickled() -> None:
    with pytest.raises(ValueError) as caught:
        tactum.Sphere(radius=-1.0)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is tactum.InvalidInput and str(again) == str(caught.value)
    assert (again.field, again.value, again.remedy) == (
        caught.value.field,
        caught.value.value,
        caught.value.remedy,
    )


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    for call in (
        lambda: tactum.Sphere(radius=-1.0),
        lambda: tactum.Convex.from_points([]),
        lambda: tactum.Convex.from_points([[0, 0, math.nan]]),
    ):
        with pytest.raises(tactum.InvalidInput):
            call()
    tactum.Convex.from_points(np.random.default_rng(0).normal(size=(100, 3)) * [1.0, 1e-12, 1e-15])
    assert capfd.readouterr() == ("", "")
