# SPDX-License-Identifier: BSD-2-Clause
"""distances, ShapeTable, WarmStarts and Distances: every row against the single call,
broadcasting, out=, threads, Ctrl-C."""

from __future__ import annotations

import itertools
import math
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import tactum
from kinds import SHAPES, random_pose
from tactum import Status

Array = npt.NDArray[np.float64]

FIELDS = (
    "status",
    "distance",
    "normal",
    "point_a",
    "point_b",
    "lower",
    "upper",
    "iterations",
    "support_calls",
    "vertices_visited",
    "pose_corrected",
    "warm_start",
)
DTYPES = {
    "status": np.uint8,
    "iterations": np.int32,
    "support_calls": np.int32,
    "vertices_visited": np.int32,
    "pose_corrected": np.bool_,
}
TABLE = tactum.ShapeTable(list(SHAPES.values()))
HALF_SPACE = list(SHAPES).index("half_space")
SPHERE = tactum.Sphere(radius=0.5)
BOX = tactum.Box(half_extents=(0.3, 0.4, 0.5))


def random_poses(rng: np.random.Generator, n: int) -> Array:
    return np.array([random_pose(rng) for _ in range(n)]).reshape(n, 4, 4)


def mixed(n: int, seed: int = 0) -> tuple[Any, Array, Any, Array]:
    """N pairs of all kinds, none of two half-spaces."""
    rng = np.random.default_rng(seed)
    i, j = rng.integers(0, len(TABLE), size=(2, n)).astype(np.int32)
    j[(i == HALF_SPACE) & (j == HALF_SPACE)] = 0
    few = random_poses(rng, 200)
    return (TABLE, i), few[rng.integers(0, 200, n)], (TABLE, j), few[rng.integers(0, 200, n)]


def side(shape: Any, k: int) -> tactum.Shape:
    return TABLE[int(shape[1][k])] if isinstance(shape, tuple) else shape


def check_row(r: tactum.Distances, k: int, single: tactum.Distance) -> None:
    for name in FIELDS[:-1]:
        np.testing.assert_array_equal(getattr(r, name)[k], getattr(single, name))
    assert r.warm_start[k] == single.warm_start


def same(r: tactum.Distances, s: tactum.Distances) -> bool:
    return r.warm_start == s.warm_start and all(
        getattr(r, name).tobytes() == getattr(s, name).tobytes() for name in FIELDS[:-1]
    )


def test_every_row_is_the_single_call() -> None:
    a, X_WA, b, X_WB = mixed(500)
    r = tactum.distances(a, X_WA, b, X_WB)
    assert len(r) == 500 and r.fields == FIELDS
    for k in range(500):
        check_row(r, k, tactum.distance(side(a, k), X_WA[k], side(b, k), X_WB[k]))


def test_types_of_the_fields() -> None:
    r = tactum.distances(*mixed(7))
    for name in FIELDS[:-1]:
        array = getattr(r, name)
        assert array.dtype == DTYPES.get(name, np.float64)
        assert array.shape == ((7, 3) if name in ("normal", "point_a", "point_b") else (7,))
        assert array.flags.c_contiguous and array.flags.writeable
    assert isinstance(r.warm_start, tactum.WarmStarts) and len(r.warm_start) == 7
    assert list(r.status_names) == [Status(int(s)).name for s in r.status]
    assert (r.status == Status.penetrating).tolist() == [
        name == "penetrating" for name in r.status_names
    ]


@pytest.mark.parametrize("num_threads", [0, 2, 3, 7])
def test_many_mixed_pairs_have_the_same_bits_for_any_number_of_threads(num_threads: int) -> None:
    pairs = mixed(100_000, seed=1)
    one, many = (
        tactum.distances(*pairs, num_threads=1),
        tactum.distances(*pairs, num_threads=num_threads),
    )
    assert same(one, many)
    assert all(
        np.all(np.isfinite(getattr(one, name)))
        for name in ("distance", "normal", "point_a", "point_b", "lower", "upper")
    )
    assert not np.any(one.status == Status.invalid_input)


# every way to give a side: how many rows it has (None: no leading axis)
SEVEN = tactum.pose_xyz_xyzw(random_pose(np.random.default_rng(5)))
MANY = random_poses(np.random.default_rng(6), 4)
POSES: dict[str, tuple[Any, int | None]] = {
    "(4, 4)": (MANY[0], None),
    "(7,)": (SEVEN, None),
    "(R, t)": ((MANY[1, :3, :3], MANY[1, :3, 3]), None),
    "(1, 4, 4)": (MANY[2:3], 1),
    "(4, 4, 4)": (MANY, 4),
    "list": ([X.tolist() for X in MANY], 4),
    "(4, 7)": (np.array([tactum.pose_xyz_xyzw(X) for X in MANY]), 4),
    "strided": (np.repeat(MANY, 2, axis=0)[::2], 4),
    "fortran": (np.asfortranarray(MANY), 4),
    "big endian": (MANY.astype(">f8"), 4),
    "integers": (np.array([np.eye(4, dtype=np.int64)] * 4), 4),
    "(0, 4, 4)": (np.empty((0, 4, 4)), 0),
    "(0, 7)": (np.empty((0, 7)), 0),
}
SIDES: dict[str, tuple[Any, int | None]] = {
    "shape": (BOX, None),
    "one": ((TABLE, [3]), 1),
    "many": ((TABLE, np.array([3, 1, 4, 1], dtype=np.int32)), 4),
    "none": ((TABLE, np.array([], dtype=np.int32)), 0),
}


def row(pose: Any, rows: int | None, k: int) -> Any:
    return pose if rows is None else pose[0 if rows == 1 else k]


@pytest.mark.parametrize("shape", SIDES)
@pytest.mark.parametrize(
    ("first", "second"), list(itertools.product(POSES, ["(4, 4)", "(4, 7)", "(1, 4, 4)"]))
)
def test_broadcasting(first: str, second: str, shape: str) -> None:
    (X_WA, rows_a), (X_WB, rows_b), (a, rows_s) = POSES[first], POSES[second], SIDES[shape]
    lengths = {rows for rows in (rows_a, rows_b, rows_s) if rows not in (None, 1)}
    if len(lengths) > 1:
        with pytest.raises(tactum.InvalidInput):
            tactum.distances(a, X_WA, SPHERE, X_WB)
        return
    n = lengths.pop() if lengths else 1
    r = tactum.distances(a, X_WA, SPHERE, X_WB)
    assert len(r) == n and r.normal.shape == (n, 3)
    for k in range(n or 0):
        solid = side(a, 0 if rows_s == 1 else k)
        check_row(r, k, tactum.distance(solid, row(X_WA, rows_a, k), SPHERE, row(X_WB, rows_b, k)))


def test_index_of_any_integer_dtype() -> None:
    rng = np.random.default_rng(3)
    X = random_poses(rng, 5)
    expected = tactum.distances(
        (TABLE, np.array([0, 1, 2, 3, 4], dtype=np.int32)), X, BOX, np.eye(4)
    )
    for index in (
        [0, 1, 2, 3, 4],
        np.arange(5),
        np.arange(5, dtype=np.uint8),
        np.arange(10, dtype=np.int32)[::2] // 2,
    ):
        assert same(tactum.distances((TABLE, index), X, BOX, np.eye(4)), expected)


def test_fields_choose_what_is_written() -> None:
    pairs = mixed(50, seed=4)
    everything = tactum.distances(*pairs)
    for fields in (("distance",), ("upper", "status"), ["normal"], FIELDS, ()):
        r = tactum.distances(*pairs, fields=fields)
        assert set(r.fields) == set(fields)
        for name in FIELDS:
            if name not in fields:
                assert not hasattr(r, name)
                with pytest.raises(AttributeError, match="fields"):
                    getattr(r, name)
            elif name == "warm_start":
                assert r.warm_start == everything.warm_start
            else:
                np.testing.assert_array_equal(getattr(r, name), getattr(everything, name))


def test_options_reach_every_row() -> None:
    a, X_WA, b, X_WB = mixed(60, seed=5)
    options: list[dict[str, Any]] = [
        {"method": "gjk", "tolerance": 1e-6},
        {"cutoff": 0.1},
        {"max_iterations": 1},
    ]
    for option in options:
        r = tactum.distances(a, X_WA, b, X_WB, **option)
        for k in range(60):
            check_row(r, k, tactum.distance(side(a, k), X_WA[k], side(b, k), X_WB[k], **option))


# --------------------------------------------------------------------------------------------- out=
def arrays(n: int, fields: tuple[str, ...] = FIELDS) -> dict[str, Any]:
    made: dict[str, Any] = {
        name: np.full(
            (n, 3) if name in ("normal", "point_a", "point_b") else (n,),
            1,
            DTYPES.get(name, np.float64),
        )
        for name in fields
        if name != "warm_start"
    }
    return made | ({"warm_start": tactum.WarmStarts(n)} if "warm_start" in fields else {})


def test_out_is_written_in_place() -> None:
    pairs = mixed(80, seed=6)
    expected = tactum.distances(*pairs)
    out = arrays(80)
    r = tactum.distances(*pairs, out=out)
    assert same(r, expected)
    for name, array in out.items():
        assert getattr(r, name) is array
    # an earlier result can be used again, also as its own warm start
    again = tactum.distances(*pairs, out=r, warm_start=r.warm_start)
    assert again.distance is r.distance
    np.testing.assert_allclose(again.distance, expected.distance, atol=1e-9)
    few = arrays(80, ("lower", "status"))
    assert tactum.distances(*pairs, out=few, fields=("status", "lower")).fields == (
        "status",
        "lower",
    )
    np.testing.assert_array_equal(few["lower"], expected.lower)
    # rows of a larger array
    large = np.zeros((3, 80))
    tactum.distances(*pairs, out={"distance": large[1]})
    np.testing.assert_array_equal(large[1], expected.distance)
    assert not large[[0, 2]].any()


def broken_outputs() -> dict[str, dict[str, Any]]:
    read_only = np.zeros(10)
    read_only.flags.writeable = False
    shared = np.zeros((11, 3))
    pad = np.zeros(10 * 8 + 1, dtype=np.uint8)
    return {
        "length": {"distance": np.zeros(9)},
        "shape": {"distance": np.zeros((10, 1))},
        "columns": {"normal": np.zeros((10, 4))},
        "transposed": {"normal": np.zeros((3, 10)).T},
        "dtype": {"distance": np.zeros(10, dtype=np.float32)},
        "integer dtype": {"iterations": np.zeros(10, dtype=np.int64)},
        "byte order": {"distance": np.zeros(10, dtype=">f8")},
        "strided": {"distance": np.zeros(20)[::2]},
        "read-only": {"distance": read_only},
        "unaligned": {"distance": pad[1:].view(np.float64)},
        "shared": {"point_a": shared[:10], "point_b": shared[1:]},
        "the same": {"lower": (same_array := np.zeros(10)), "upper": same_array},
        "unknown field": {"depth": np.zeros(10)},
        "warm starts": {"warm_start": tactum.WarmStarts(9)},
    }


@pytest.mark.parametrize("what", broken_outputs())
def test_bad_outputs_are_refused_before_anything_is_written(what: str) -> None:
    out = {"status": np.full(10, 77, dtype=np.uint8)} | broken_outputs()[what]
    before = {name: array.copy() for name, array in out.items() if isinstance(array, np.ndarray)}
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.distances(*mixed(10), out=out)
    assert caught.value.field.startswith("out") and caught.value.remedy
    for name, array in before.items():
        np.testing.assert_array_equal(out[name], array)


def test_outputs_over_inputs_are_refused() -> None:
    X_WA, index = random_poses(np.random.default_rng(0), 10), np.zeros(12, dtype=np.int32)
    before = X_WA.copy()
    with pytest.raises(tactum.InvalidInput, match="input"):
        tactum.distances(BOX, X_WA, BOX, np.eye(4), out={"distance": X_WA.reshape(-1)[:10]})
    with pytest.raises(tactum.InvalidInput, match="input"):
        tactum.distances((TABLE, index[:10]), X_WA, BOX, np.eye(4), out={"iterations": index[2:]})
    np.testing.assert_array_equal(X_WA, before)
    assert not index.any()


@pytest.mark.parametrize(
    "out",
    [
        1,
        [np.zeros(10)],
        np.zeros(10),
        "distance",
        {"distance": [0.0] * 10},
        {1: np.zeros(10)},
        {"warm_start": 3},
    ],
)
def test_outputs_of_the_wrong_sort_are_type_errors(out: Any) -> None:
    with pytest.raises(TypeError, match=r"^out"):
        tactum.distances(*mixed(10), out=out)


def test_fields_and_out_must_agree() -> None:
    with pytest.raises(tactum.InvalidInput):
        tactum.distances(*mixed(3), fields=("lower",), out=arrays(3, ("upper",)))


# ------------------------------------------------------------------------------------------- errors
def test_bad_rows_are_statuses() -> None:
    a, X_WA, b, X_WB = mixed(60, seed=8)
    good = tactum.distances(a, X_WA, b, X_WB)
    bad = X_WA.copy()
    bad[0, 0, 0] = math.nan
    bad[10, 0, 3] = math.inf
    bad[20, :3, :3] *= 2.0
    bad[30, :3, 0] *= -1.0
    bad[40, 3, 0] = 1.0
    a[1][50] = b[1][50] = HALF_SPACE
    for num_threads in (1, 2):
        r = tactum.distances(a, bad, b, X_WB, num_threads=num_threads)
        invalid = np.flatnonzero(r.status == Status.invalid_input)
        assert invalid.tolist() == [0, 10, 20, 30, 40, 50]
        assert not r.distance[invalid].any() and not r.point_a[invalid].any()
        assert np.all(r.lower[invalid] == -math.inf) and np.all(r.upper[invalid] == math.inf)
        for name in FIELDS[:-1]:
            assert not np.any(np.isnan(getattr(r, name)))
        rest = np.setdiff1d(np.arange(60), invalid)
        np.testing.assert_array_equal(r.distance[rest], good.distance[rest])
    assert "6 invalid_input" in repr(r)
    quaternions = np.array([tactum.pose_xyz_xyzw(X) for X in X_WB])
    quaternions[7, 3:] = 0.0
    quaternions[8, 3] = math.nan
    assert np.flatnonzero(
        tactum.distances(BOX, np.eye(4), BOX, quaternions).status == Status.invalid_input
    ).tolist() == [7, 8]


def test_corrected_poses() -> None:
    X = random_poses(np.random.default_rng(9), 6)
    X[::2, :3, :3] *= 1.0 + 1e-8
    r = tactum.distances(BOX, X, SPHERE, np.eye(4))
    assert r.pose_corrected.tolist() == [True, False] * 3
    check_row(r, 2, tactum.distance(BOX, X[2], SPHERE, np.eye(4)))
    seven = tactum.pose_xyz_xyzw(X[1]) * (1.0 + 1e-8)
    check_row(
        tactum.distances(BOX, seven, SPHERE, np.eye(4)),
        0,
        tactum.distance(BOX, seven, SPHERE, np.eye(4)),
    )


BAD_VALUES: list[tuple[str, dict[str, Any]]] = [
    ("X_WA", {"X_WA": np.zeros((3, 3))}),
    ("X_WA", {"X_WA": np.zeros((2, 3, 4, 4))}),
    ("X_WA", {"X_WA": np.zeros((5, 6))}),
    ("X_WB", {"X_WB": np.zeros((3, 4, 4))}),
    ("X_WB", {"X_WB": [[1.0, 2.0], [3.0]]}),
    ("a.index", {"a": (TABLE, np.zeros((2, 2), dtype=np.int32))}),
    ("a.index", {"a": (TABLE, [0, 1, 2, -1])}),
    ("a.index", {"a": (TABLE, np.array([0, 1, 2, len(TABLE)], dtype=np.int32))}),
    ("a.index", {"a": (TABLE, [0, 1, 2, 2**40])}),
    ("X_WA", {"a": (TABLE, [0, 1])}),
    ("index", {"a": (TABLE, [99])}),
    ("fields", {"fields": ("depth",)}),
    ("fields", {"fields": ("distance", "distance")}),
    ("fields", {"fields": ("\udcff",)}),
    ("method", {"method": "epa"}),
    ("tolerance", {"tolerance": 0.0}),
    ("max_iterations", {"max_iterations": 0}),
    ("cutoff", {"cutoff": math.nan}),
    ("num_threads", {"num_threads": -1}),
    ("num_threads", {"num_threads": 10**6}),
    ("warm_start", {"warm_start": tactum.WarmStarts(3)}),
]


@pytest.mark.parametrize(("field", "change"), BAD_VALUES)
def test_bad_values_are_named(field: str, change: dict[str, Any]) -> None:
    call: dict[str, Any] = {
        "a": (TABLE, [0, 1, 2, 3]),
        "X_WA": MANY,
        "b": BOX,
        "X_WB": np.eye(4),
    } | change
    out = {"distance": np.full(4, 77.0)}
    call |= {} if "fields" in change else {"out": out}
    with pytest.raises(tactum.InvalidInput) as caught:
        tactum.distances(**call)
    assert (
        caught.value.field.startswith(field)
        and caught.value.remedy
        and len(str(caught.value)) < 400
    )
    assert np.all(out["distance"] == 77.0)


BAD_TYPES: list[tuple[str, dict[str, Any]]] = [
    ("a", {"a": None}),
    ("a", {"a": TABLE}),
    ("a", {"a": (TABLE,)}),
    ("a", {"a": (BOX, [0])}),
    ("a", {"a": (None, [0])}),
    ("a.index", {"a": (TABLE, [0.0, 1.0, 2.0, 3.0])}),
    ("a.index", {"a": (TABLE, np.zeros(4, dtype=bool))}),
    ("a.index", {"a": (TABLE, None)}),
    ("X_WA", {"X_WA": "identity"}),
    ("X_WA", {"X_WA": np.eye(4, dtype=complex)}),
    ("fields", {"fields": "distance"}),
    ("fields", {"fields": (1,)}),
    ("warm_start", {"warm_start": tactum.WarmStart()}),
    ("warm_start", {"warm_start": np.zeros((4, 3))}),
    ("num_threads", {"num_threads": 1.0}),
    ("num_threads", {"num_threads": None}),
]


@pytest.mark.parametrize(("field", "change"), BAD_TYPES)
def test_objects_of_the_wrong_sort_are_type_errors(field: str, change: dict[str, Any]) -> None:
    call: dict[str, Any] = {
        "a": (TABLE, [0, 1, 2, 3]),
        "X_WA": MANY,
        "b": BOX,
        "X_WB": np.eye(4),
    } | change
    with pytest.raises(TypeError) as caught:
        tactum.distances(**call)
    assert str(caught.value).startswith(field + ": got ")


# ------------------------------------------------------------------------------------------- values
def test_warm_starts() -> None:
    a, X_WA, b, X_WB = mixed(40, seed=10)
    cold = tactum.distances(a, X_WA, b, X_WB)
    starts = cold.warm_start
    warm = tactum.distances(a, X_WA, b, X_WB, warm_start=starts)
    for k in range(40):
        check_row(
            warm, k, tactum.distance(side(a, k), X_WA[k], side(b, k), X_WB[k], warm_start=starts[k])
        )
    assert len(starts) == 40 and len(list(starts)) == 40 and starts[-1] == starts[39]
    assert starts[:3] == tactum.WarmStarts([starts[0], starts[1], starts[2]])
    mask = np.arange(40) % 4 == 0
    assert len(starts[mask]) == 10 and starts[mask][1] == starts[4]
    assert starts[np.array([5, 2])] == tactum.WarmStarts([starts[5], starts[2]])
    assert (
        starts != starts[:3]
        and starts != 3
        and tactum.WarmStarts(2) == tactum.WarmStarts([tactum.WarmStart()] * 2)
    )
    assert pickle.loads(pickle.dumps(starts)) == starts
    assert repr(starts) == "WarmStarts(40)" and starts.nbytes >= 40 * 32
    with pytest.raises(IndexError):
        starts[40]
    for bad in (None, -1, "3", [1]):
        with pytest.raises((TypeError, ValueError), match="WarmStarts"):
            tactum.WarmStarts(bad)  # type: ignore[arg-type]


def test_shape_table() -> None:
    assert len(TABLE) == len(SHAPES)
    for k, shape in enumerate(SHAPES.values()):
        assert TABLE[k] == shape and type(TABLE[k]) is type(shape)
    assert TABLE[-1] == TABLE[len(TABLE) - 1]
    assert list(TABLE) == list(SHAPES.values())
    again = pickle.loads(pickle.dumps(TABLE))
    assert (
        again == TABLE
        and hash(again) == hash(TABLE)
        and again != tactum.ShapeTable([BOX])
        and TABLE != 3
    )
    assert repr(tactum.ShapeTable((BOX, SPHERE))) == "ShapeTable(2 shapes)"
    hull = SHAPES["hull"]
    assert tactum.ShapeTable([hull] * 100).nbytes < 100 * hull.nbytes
    with pytest.raises(IndexError):
        TABLE[len(TABLE)]
    for bad in (None, BOX, [1], [BOX, None], "shapes"):
        with pytest.raises(TypeError, match="ShapeTable"):
            tactum.ShapeTable(bad)  # type: ignore[arg-type]


def test_results_are_values() -> None:
    r = tactum.distances(*mixed(20, seed=11))
    assert same(pickle.loads(pickle.dumps(r)), r)
    few = pickle.loads(pickle.dumps(tactum.distances(*mixed(20, seed=11), fields=("distance",))))
    assert few.fields == ("distance",) and len(few) == 20
    assert repr(r).startswith("Distances(20 pairs, ") and "separated" in repr(r)
    with pytest.raises(AttributeError):
        r.distance = r.lower  # type: ignore[misc]
    with pytest.raises(TypeError):
        tactum.Distances()


# --------------------------------------------------------------------------------- threads, signals
def test_ctrl_c_ends_the_call() -> None:
    code = """
import numpy as np, tactum, os, signal, threading, time
n = 2_000_000
ball = tactum.Convex.from_points(np.random.default_rng(0).normal(size=(500, 3)))
X = np.tile(np.eye(4), (n, 1, 1))
X[:, :3, 3] = np.random.default_rng(1).normal(size=(n, 3))
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    while True:
        tactum.distances(ball, np.eye(4), ball, X, fields=("distance",))
        print("too quick to be interrupted")
except KeyboardInterrupt:
    print("interrupted")
# and the next call works
print(len(tactum.distances(ball, np.eye(4), ball, X[:1000])))
"""
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.split()[-2:] == ["interrupted", "1000"]
    assert "too quick" not in shown.stdout


def test_a_signal_handler_may_call_again() -> None:
    pairs = mixed(300_000, seed=12)
    expected = tactum.distances(*pairs)
    inner: list[tactum.Distances] = []
    previous = signal.signal(
        signal.SIGUSR1, lambda *_: inner.append(tactum.distances(*mixed(2000, seed=13)))
    )
    try:
        for _ in range(20):
            timer = threading.Timer(0.01, lambda: os.kill(os.getpid(), signal.SIGUSR1))
            timer.start()
            assert same(tactum.distances(*pairs), expected)
            timer.join()
            if inner:
                break
    finally:
        signal.signal(signal.SIGUSR1, previous)
    assert inner and same(inner[0], tactum.distances(*mixed(2000, seed=13)))


def test_calls_from_many_threads() -> None:
    pairs = mixed(20_000, seed=14)
    expected = tactum.distances(*pairs, num_threads=1)
    results: list[bool] = []
    threads = [
        threading.Thread(
            target=lambda: results.append(same(tactum.distances(*pairs, num_threads=2), expected))
        )
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 6


def test_the_gil_is_released() -> None:
    pairs = mixed(200_000, seed=15)
    done: list[tactum.Distances] = []
    thread = threading.Thread(target=lambda: done.append(tactum.distances(*pairs)))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    try:
        thread.start()
        went_on_early = not done
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    assert went_on_early and done


def child_job(seed: int) -> bytes:
    return tactum.distances(*mixed(20_000, seed=seed), num_threads=2).distance.tobytes()


@pytest.mark.filterwarnings(
    "ignore:.*fork.*:DeprecationWarning", "ignore:.*fork.*:RuntimeWarning"
)  # the second: of JAX
def test_forked_processes() -> None:
    # the parent has threads that wait; its children do not
    expected = [child_job(seed) for seed in (16, 17)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(child_job, (16, 17)).get(timeout=60) == expected
    assert child_job(16) == expected[0]
