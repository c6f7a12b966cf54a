# SPDX-License-Identifier: BSD-2-Clause
"""Whatever is passed, the interpreter survives: a value comes back, or an ordinary exception."""

from __future__ import annotations

import fractions
import functools
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tactum
from kinds import SHAPES, cube_corners


class Mischief(Exception):
    """The exception that the objects of this file raise on their own."""


class RaisingArray:
    def __array__(self, dtype: object = None, copy: object = None) -> Any:
        raise Mischief


class WrongArray:
    def __init__(self, value: object) -> None:
        self.value = value

    def __array__(self, dtype: object = None, copy: object = None) -> Any:
        return self.value


class RaisingNumber:
    def __float__(self) -> float:
        raise Mischief

    def __index__(self) -> int:
        raise Mischief


class WrongNumber:
    def __float__(self) -> Any:
        return "one"

    def __index__(self) -> Any:
        return 1.5


class Lengthy:
    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> float:
        return 1.0


class RaisingSequence:
    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> float:
        raise Mischief


class Sparse:
    """Behaves as the sparse matrices of SciPy: no length, no __array__."""

    shape = (4, 4)

    def __len__(self) -> int:
        raise TypeError("sparse array length is ambiguous")

    def __getitem__(self, index: object) -> float:
        return 0.0


def garbage() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    deep: Any = 1.0
    for _ in range(200):
        deep = [deep]
    masked = np.ma.masked_array(np.ones(3), mask=[True, False, True])
    structured = np.zeros(3, dtype=[("x", float), ("y", int)])
    released = memoryview(bytearray(16))
    released.release()
    # fmt: off
    return [
        None, True, 0, -1, 1, 10**400, -(10**400), 2**63, 0.0, -0.0, 1.0, -1.0, math.nan, math.inf, -math.inf, 1e308, 5e-324,
        1e31, 1e-31, 1j, fractions.Fraction(1, 3), "", "1", "nan", "\udcff", "x" * 10000, b"", b"12345678", bytearray(56),
        memoryview(b"abcd"), released, [], [[]], [[], []], [1, 2], [1, 2, 3], [1, 2, "3"], [None] * 3, [None] * 7, [1.0] * 4,
        [math.nan] * 3, [0] * 7, [0, 0, 0, 0, 0, 0, 1], [[1, 2], [3]], (1, 2), (None, None), ([], []), ((), ()), loop, deep,
        {}, {1: 2}, {1, 2, 3}, range(3), range(10**12), iter([1, 2, 3]), lambda: 1, object(), type, int, Ellipsis,
        NotImplemented, tactum, np.float32(1), np.float64(math.nan), np.longdouble("1e400"), np.int8(3), np.complex128(1j),
        np.bool_(True), np.datetime64("2020-01-01"), np.str_("1"), np.array(1.0), np.array([]), np.zeros((0, 3)),
        np.zeros((3, 0)), np.zeros((4, 4)), np.eye(4), -np.eye(4), np.eye(4) * math.nan, np.full((4, 4), 1e308),
        np.eye(4, dtype=complex), np.eye(4, dtype=object), np.eye(4, dtype="S1"), np.eye(4, dtype=">f8"),
        np.eye(4, dtype=np.float16), np.eye(3), np.eye(5)[1:, 1:], np.zeros((1,) * 20), np.ones(3), np.ones(3)[::-1],
        np.array([1e-320, 1, 1]), np.array([np.nan, 1, 1]), masked, structured, np.array(["2020"] * 3, dtype="M8[D]"),
        np.array([None, None, None]), np.array([1, "a", None], dtype=object), np.ones(7), np.array([0, 0, 0, 0, 0, 0, 1.0]),
        np.broadcast_to(1.0, (10**6, 10**6)), np.broadcast_to(np.ones(3), (10**9, 3)),
        np.broadcast_to(np.int32(0), (10**9, 3)), np.lib.stride_tricks.as_strided(np.ones(1), (4, 4), (0, 0)), cube_corners(),
        cube_corners().tolist(), np.random.default_rng(0).normal(size=(50, 3)), np.full((5, 3), 1e30), np.full((5, 3), 5e-324),
        np.array([[0, 1, 2]]), np.array([[0, 0, 0]] * 4), np.array([[2**31, 0, 1]]),
        np.array([[2**64 - 1, 0, 1]], dtype=np.uint64), np.random.default_rng(1).integers(-2, 9, size=(12, 3)), RaisingArray(),
        WrongArray(None), WrongArray([1, 2, 3]), WrongArray(np.eye(4)), WrongArray(np.eye(3)), RaisingNumber(), WrongNumber(),
        [WrongNumber()] * 3, [RaisingNumber()] * 3, Lengthy(3), Lengthy(7), Lengthy(2**62), Lengthy(0), RaisingSequence(),
        [RaisingSequence()] * 4, [Lengthy(2**40)] * 4, Sparse(), [Sparse()] * 4, *SHAPES.values(), tactum.Sphere,
        tactum.Status.touching, tactum.WarmStart(), tactum.WarmStart(direction_A=(math.nan, 0, 0)),
        tactum.WarmStart(direction_A=(1e308, 1e308, 1e308), vertices=(-(2**31), 2**31 - 1)), tactum.distance,
        tactum.Sphere.__new__(tactum.Sphere), tactum.WarmStart.__new__(tactum.WarmStart), tactum.InvalidInput("a", "b", "c"),
    ]
    # fmt: on


def restore(kind: type[Any], state: Any) -> None:
    kind.__new__(kind).__setstate__(state)


def calls() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any], dict[str, Any]]]:
    """Name, function, good positional arguments, good keyword arguments."""
    sphere, box = SHAPES["sphere"], SHAPES["box"]
    hull = tactum.Convex.from_points(cube_corners())
    yield "Sphere", tactum.Sphere, {}, {"radius": 1.0, "margin": 0.0}
    yield "Ellipsoid", tactum.Ellipsoid, {}, {"semi_axes": (1, 2, 3), "margin": 0.0}
    yield "Box", tactum.Box, {}, {"half_extents": (1, 2, 3), "margin": 0.0}
    for kind in (tactum.Capsule, tactum.Cylinder, tactum.Cone):
        yield kind.__name__, kind, {}, {"radius": 1.0, "half_length": 1.0, "margin": 0.0}
    yield "HalfSpace", tactum.HalfSpace, {}, {"normal": (0, 0, 1), "offset": 0.0, "margin": 0.0}
    yield "from_points", tactum.Convex.from_points, {"points": cube_corners()}, {"margin": 0.0}
    yield (
        "Convex",
        tactum.Convex,
        {},
        {"vertices": hull.vertices, "faces": hull.faces, "margin": 0.0},
    )
    yield "WarmStart", tactum.WarmStart, {}, {"direction_A": (0, 0, 1), "vertices": (0, 0)}
    pair = {"a": hull, "X_WA": np.eye(4), "b": box, "X_WB": np.eye(4)}
    options = {
        "method": "auto",
        "tolerance": 1e-10,
        "max_iterations": 128,
        "initial_direction": None,
        "warm_start": None,
    }
    yield "distance", tactum.distance, pair, options | {"cutoff": math.inf}
    yield "collide", tactum.collide, pair, options
    yield "pair_scale", tactum.pair_scale, pair, {}
    yield "support", sphere.support, {"direction": (0, 0, 1)}, {}
    yield "aabb", hull.aabb, {"X": None}, {}
    yield "mass_properties", hull.mass_properties, {"density": 1.0}, {}
    yield "pose_matrix", tactum.pose_matrix, {"X": np.eye(4)}, {}
    yield "pose_xyz_xyzw", tactum.pose_xyz_xyzw, {"X": np.eye(4)}, {}
    yield "quat_xyzw_from_wxyz", tactum.quat_xyzw_from_wxyz, {"quat_wxyz": (1, 0, 0, 0)}, {}
    yield "quat_wxyz_from_xyzw", tactum.quat_wxyz_from_xyzw, {"quat_xyzw": (0, 0, 0, 1)}, {}
    for name, shape in SHAPES.items():
        yield (
            f"{name}.__setstate__",
            functools.partial(restore, type(shape)),
            {"state": shape.__getstate__()},
            {},
        )
    result, hit = (
        tactum.distance(sphere, np.eye(4), box, np.eye(4)),
        tactum.collide(sphere, np.eye(4), box, np.eye(4)),
    )
    for value in (result, hit, result.warm_start, hull.mass_properties(1.0)):
        name = type(value).__name__
        yield (
            f"{name}.__setstate__",
            functools.partial(restore, type(value)),
            {"state": value.__getstate__()},
            {},
        )


CALLS = {name: rest for name, *rest in calls()}
# InvalidInput is a ValueError; OverflowError is Python's own, of len()
ALLOWED = (TypeError, ValueError, OverflowError, Mischief)

pytestmark = [pytest.mark.filterwarnings("ignore")]


def attempt(
    function: Callable[..., Any], positional: dict[str, Any], keywords: dict[str, Any]
) -> None:
    try:
        value = function(*positional.values(), **keywords)
    except ALLOWED as error:
        assert "bad_cast" not in str(error)
        return
    # an answer must be one: finite, and no NaN anywhere
    if isinstance(value, tactum.Distance):
        assert (
            not math.isnan(value.distance)
            and not math.isnan(value.lower)
            and not math.isnan(value.upper)
        )
        assert (
            np.isfinite(value.normal).all()
            and np.isfinite(value.point_a).all()
            and np.isfinite(value.point_b).all()
        )
    elif isinstance(value, tactum.Shape):
        assert repr(value) and value == value and value.nbytes > 0


@pytest.mark.parametrize("name", CALLS)
def test_one_argument_replaced_by_garbage(name: str) -> None:
    function, positional, keywords = CALLS[name]
    for key in [*positional, *keywords]:
        for item in garbage():
            attempt(
                function,
                {k: item if k == key else v for k, v in positional.items()},
                {k: item if k == key else v for k, v in keywords.items()},
            )


@pytest.mark.parametrize("name", CALLS)
def test_several_arguments_replaced_by_garbage(name: str) -> None:
    function, positional, keywords = CALLS[name]
    chance = random.Random(name)
    for _ in range(300):
        items = garbage()
        mixed = {
            k: chance.choice(items) if chance.random() < 0.5 else v
            for k, v in (positional | keywords).items()
        }
        attempt(function, {k: mixed[k] for k in positional}, {k: mixed[k] for k in keywords})


@pytest.mark.parametrize("name", [name for name in CALLS if "setstate" in name])
def test_one_item_of_a_pickle_replaced_by_garbage(name: str) -> None:
    function, positional, _ = CALLS[name]
    state = positional["state"]
    for index in range(len(state)):
        for item in garbage():
            attempt(function, {"state": (*state[:index], item, *state[index + 1 :])}, {})


def test_random_bytes_as_numbers() -> None:
    rng = np.random.default_rng(7)
    sphere, box = SHAPES["sphere"], SHAPES["box"]
    for _ in range(2000):
        numbers = rng.bytes(128)
        attempt(
            tactum.distance,
            {
                "a": sphere,
                "X_WA": np.eye(4),
                "b": box,
                "X_WB": np.frombuffer(numbers).reshape(4, 4),
            },
            {},
        )
        attempt(tactum.Box, {}, {"half_extents": np.frombuffer(numbers)[:3]})
        attempt(
            tactum.Convex.from_points, {"points": np.frombuffer(numbers)[:15].reshape(5, 3)}, {}
        )
