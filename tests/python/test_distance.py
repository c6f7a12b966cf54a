# SPDX-License-Identifier: BSD-2-Clause
"""distance, collide and pair_scale: closed forms, conventions, options."""

from __future__ import annotations

import itertools
import math
import pickle
from typing import Literal

import numpy as np
import pytest
import tactum
from kinds import SHAPES, check_result, cube_corners, pose, random_pose, random_rotation
from tactum import Status

EYE = np.eye(4)
SQRT2 = math.sqrt(2.0)

# a, X_WA, b, X_WB, distance, normal (None where it is not unique)
CLOSED_FORMS = {
    "spheres apart": (
        tactum.Sphere(radius=1),
        EYE,
        tactum.Sphere(radius=0.5),
        pose((0, 0, 4)),
        2.5,
        (0, 0, 1),
    ),
    "spheres in": (
        tactum.Sphere(radius=1),
        EYE,
        tactum.Sphere(radius=0.5),
        pose((0, 1.2, 0)),
        -0.3,
        (0, 1, 0),
    ),
    "spheres concentric": (
        tactum.Sphere(radius=1),
        EYE,
        tactum.Sphere(radius=0.5),
        EYE,
        -1.5,
        None,
    ),
    "points": (
        tactum.Sphere(radius=0),
        EYE,
        tactum.Sphere(radius=0),
        pose((3, 4, 0)),
        5.0,
        (0.6, 0.8, 0),
    ),
    "margins": (
        tactum.Sphere(radius=1, margin=0.25),
        EYE,
        tactum.Box(half_extents=(1, 1, 1), margin=0.5),
        pose((4, 0, 0)),
        1.25,
        (1, 0, 0),
    ),
    "sphere box corner": (
        tactum.Box(half_extents=(1, 1, 1)),
        EYE,
        tactum.Sphere(radius=0.5),
        pose((3, 3, 1)),
        2 * SQRT2 - 0.5,
        (1 / SQRT2, 1 / SQRT2, 0),
    ),
    "sphere in box": (
        tactum.Box(half_extents=(1, 2, 3)),
        EYE,
        tactum.Sphere(radius=0.5),
        pose((0.5, 0, 0)),
        -1.0,
        (1, 0, 0),
    ),
    "boxes face": (
        tactum.Box(half_extents=(1, 1, 1)),
        EYE,
        tactum.Box(half_extents=(1, 2, 3)),
        pose((2.5, 0.3, 0.1)),
        0.5,
        (1, 0, 0),
    ),
    "boxes in": (
        tactum.Box(half_extents=(1, 1, 1)),
        EYE,
        tactum.Box(half_extents=(1, 1, 1)),
        pose((0.1, 0.2, -1.7)),
        -0.3,
        (0, 0, -1),
    ),
    "box edge": (
        tactum.Box(half_extents=(1, 1, 1)),
        EYE,
        tactum.Box(half_extents=(1, 1, 1)),
        pose((4, 0, 0), [[1 / SQRT2, -1 / SQRT2, 0], [1 / SQRT2, 1 / SQRT2, 0], [0, 0, 1]]),
        3 - SQRT2,
        (1, 0, 0),
    ),
    "capsules crossed": (
        tactum.Capsule(radius=0.2, half_length=1),
        EYE,
        tactum.Capsule(radius=0.3, half_length=1),
        pose((0, 2, 0), [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
        1.5,
        (0, 1, 0),
    ),
    "capsules in line": (
        tactum.Capsule(radius=0.2, half_length=1),
        EYE,
        tactum.Capsule(radius=0.3, half_length=1),
        pose((0, 0, 3)),
        0.5,
        (0, 0, 1),
    ),
    "sphere cylinder side": (
        tactum.Cylinder(radius=0.5, half_length=1),
        EYE,
        tactum.Sphere(radius=0.25),
        pose((0, 2, 0.3)),
        1.25,
        (0, 1, 0),
    ),
    "sphere cylinder rim": (
        tactum.Cylinder(radius=1, half_length=1),
        EYE,
        tactum.Sphere(radius=0.5),
        pose((4, 0, 5)),
        4.5,
        (0.6, 0, 0.8),
    ),
    "sphere cone apex": (
        tactum.Cone(radius=1, half_length=1),
        EYE,
        tactum.Sphere(radius=0.5),
        pose((0, 0, 3)),
        1.5,
        (0, 0, 1),
    ),
    "sphere cone base": (
        tactum.Cone(radius=1, half_length=1),
        EYE,
        tactum.Sphere(radius=0.5),
        pose((0.2, 0, -3)),
        1.5,
        (0, 0, -1),
    ),
    "ellipsoid along an axis": (
        tactum.Ellipsoid(semi_axes=(1, 2, 3)),
        EYE,
        tactum.Sphere(radius=0.5),
        pose((0, 0, 5)),
        1.5,
        (0, 0, 1),
    ),
    "ellipsoid ground": (
        tactum.Ellipsoid(semi_axes=(1, 2, 3)),
        pose((0, 0, 4)),
        tactum.HalfSpace(),
        EYE,
        1.0,
        (0, 0, -1),
    ),
    "ground sphere": (
        tactum.HalfSpace(offset=0.5),
        EYE,
        tactum.Sphere(radius=1),
        pose((7, 8, 1.2)),
        -0.3,
        (0, 0, 1),
    ),
    "hull box": (
        tactum.Convex.from_points(cube_corners()),
        EYE,
        tactum.Box(half_extents=(1, 1, 1)),
        pose((0, -3, 0.2)),
        1.0,
        (0, -1, 0),
    ),
    "polygon point": (
        tactum.Convex.from_points([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]),
        EYE,
        tactum.Sphere(radius=0),
        pose((0.3, 0.2, 2)),
        2.0,
        (0, 0, 1),
    ),
    "segments": (
        tactum.Convex.from_points([[-1, 0, 0], [1, 0, 0]]),
        EYE,
        tactum.Convex.from_points([[0, -1, 0], [0, 1, 0]]),
        pose((0, 0, 2)),
        2.0,
        (0, 0, 1),
    ),
}


@pytest.mark.parametrize("method", ["auto", "gjk"])
@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_closed_forms(name: str, method: Literal["auto", "gjk"]) -> None:
    a, X_WA, b, X_WB, expected, normal = CLOSED_FORMS[name]
    rng = np.random.default_rng(len(name))
    for X in (EYE, random_pose(rng), random_pose(rng, 100.0)):
        # the whole pair moved, and A and B exchanged
        for first, X_1, second, X_2, sign in (
            (a, X @ X_WA, b, X @ X_WB, 1.0),
            (b, X @ X_WB, a, X @ X_WA, -1.0),
        ):
            r = tactum.distance(first, X_1, second, X_2, method=method)
            check_result(r, first, X_1, second, X_2)
            assert r.distance == pytest.approx(
                expected, abs=1e-12 * tactum.pair_scale(first, X_1, second, X_2)
            )
            assert r.status == (Status.separated if expected > 0 else Status.penetrating)
            if normal is not None:
                np.testing.assert_allclose(r.normal, sign * X[:3, :3] @ normal, rtol=0, atol=1e-6)
            assert bool(tactum.collide(first, X_1, second, X_2, method=method)) == (expected < 0)


PAIRS = [pair for pair in itertools.product(SHAPES, SHAPES) if pair != ("half_space", "half_space")]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_every_pair_keeps_the_conventions(first: str, second: str) -> None:
    rng = np.random.default_rng([len(first), len(second)])
    a, b = SHAPES[first], SHAPES[second]
    for size in (0.1, 0.5, 1.0, 3.0):
        for _ in range(5):
            X_WA, X_WB = random_pose(rng, size), random_pose(rng, size)
            r = tactum.distance(a, X_WA, b, X_WB)
            check_result(r, a, X_WA, b, X_WB)
            hit = tactum.collide(a, X_WA, b, X_WB)
            if r.status == Status.separated:
                assert not hit and 0.0 < hit.lower <= r.upper
                assert hit.status == Status.separated
            elif r.status == Status.penetrating:
                assert hit and hit.lower <= 0.0


def test_touching_is_a_result() -> None:
    r = tactum.distance(
        tactum.Box(half_extents=(1, 1, 1)),
        EYE,
        tactum.Box(half_extents=(1, 1, 1)),
        pose((2, 0.25, 0.5)),
    )
    assert r.status == Status.touching and abs(r.distance) <= 64 * np.finfo(float).eps * 4
    np.testing.assert_allclose(r.normal, [1, 0, 0], atol=1e-6)
    assert tactum.collide(tactum.Sphere(radius=1), EYE, tactum.Sphere(radius=1), pose((0, 2, 0)))


def test_types_of_the_results() -> None:
    r = tactum.distance(tactum.Sphere(radius=1), EYE, tactum.Sphere(radius=1), pose((3, 0, 0)))
    for vector in (r.normal, r.point_a, r.point_b, r.warm_start.direction_A):
        assert vector.shape == (3,) and vector.dtype == np.float64
    for number in (r.distance, r.lower, r.upper):
        assert type(number) is float
    for count in (r.iterations, r.support_calls, r.vertices_visited):
        assert type(count) is int
    assert r.status is Status.separated and r.pose_corrected is False
    c = tactum.collide(tactum.Sphere(radius=1), EYE, tactum.Sphere(radius=1), pose((3, 0, 0)))
    assert c.colliding is False and bool(c) is False and c.status is Status.separated
    assert c.normal.shape == (3,) and type(c.lower) is float and type(c.iterations) is int
    for result in (r, c):
        with pytest.raises(AttributeError):
            result.status = Status.touching
        with pytest.raises(TypeError):
            type(result)()


def test_status_is_an_enum_that_prints_its_name() -> None:
    assert (
        str(Status.touching) == "touching"
        and f"{Status.touching}" == "touching"
        and f"{Status.touching:>10}" == "  touching"
    )
    assert repr(Status.touching) == "Status.touching"
    assert [s.name for s in Status] == [
        "separated",
        "touching",
        "penetrating",
        "beyond_cutoff",
        "not_converged",
        "invalid_input",
    ]
    assert Status.touching == 1 and np.array([0, 1]).tolist().index(Status.touching) == 1
    assert pickle.loads(pickle.dumps(Status.touching)) is Status.touching


def test_results_read_well() -> None:
    r = tactum.distance(tactum.Sphere(radius=1), EYE, tactum.Sphere(radius=1), pose((3, 0, 0)))
    assert repr(r) == "Distance(separated, distance=1.0, normal=(1, 0, 0))"
    assert repr(
        tactum.collide(tactum.Sphere(radius=1), EYE, tactum.Sphere(radius=1), EYE)
    ).startswith("Collision(colliding=True, status=")


def test_same_input_same_bits() -> None:
    rng = np.random.default_rng(5)
    for first, second in PAIRS:
        X_WA, X_WB = random_pose(rng), random_pose(rng)
        a, b = SHAPES[first], SHAPES[second]
        assert (
            tactum.distance(a, X_WA, b, X_WB).__getstate__()
            == tactum.distance(a, X_WA, b, X_WB).__getstate__()
        )


def test_cutoff() -> None:
    a, b, X_WB = (
        SHAPES["hull"],
        SHAPES["ellipsoid"],
        pose((10, 3, 1), random_rotation(np.random.default_rng(6))),
    )
    exact = tactum.distance(a, EYE, b, X_WB)
    assert tactum.distance(a, EYE, b, X_WB, cutoff=exact.distance + 0.1).distance == pytest.approx(
        exact.distance, abs=1e-8
    )
    far = tactum.distance(a, EYE, b, X_WB, cutoff=1.0)
    assert far.status == Status.beyond_cutoff and far.upper == math.inf
    assert 1.0 < far.distance == far.lower <= exact.upper


def test_iteration_limit_gives_valid_bounds() -> None:
    a, b, X_WB = (
        SHAPES["ellipsoid"],
        SHAPES["cone"],
        pose((1.4, 0.3, 0.2), random_rotation(np.random.default_rng(7))),
    )
    exact = tactum.distance(a, EYE, b, X_WB)
    for limit in (1, 2, 3):
        r = tactum.distance(a, EYE, b, X_WB, max_iterations=limit)
        assert r.lower <= exact.upper and exact.lower <= r.upper
        assert not math.isnan(r.distance)


def test_warm_start_and_initial_direction_do_not_change_the_answer() -> None:
    rng = np.random.default_rng(8)
    for first, second in PAIRS:
        a, b, X_WA, X_WB = SHAPES[first], SHAPES[second], random_pose(rng), random_pose(rng, 2.0)
        scale = tactum.pair_scale(a, X_WA, b, X_WB)
        cold = tactum.distance(a, X_WA, b, X_WB)
        starts = [
            cold.warm_start,
            tactum.WarmStart(),
            tactum.WarmStart(direction_A=rng.normal(size=3)),
            tactum.WarmStart(vertices=(10**6, -5)),
        ]
        for start in starts:
            warm = tactum.distance(a, X_WA, b, X_WB, warm_start=start)
            assert warm.distance == pytest.approx(cold.distance, abs=1e-9 * scale)
            assert bool(tactum.collide(a, X_WA, b, X_WB, warm_start=start)) == (cold.distance <= 0)
        for direction in (cold.normal, -cold.normal, (0, 0, 0), (1e-200, 0, 0), (1e200, 1e200, 0)):
            r = tactum.distance(a, X_WA, b, X_WB, initial_direction=direction)
            assert r.distance == pytest.approx(cold.distance, abs=1e-9 * scale)


def test_warm_start_is_a_value() -> None:
    start = tactum.WarmStart(direction_A=(0.0, 1.0, 0.0), vertices=(3, 4))
    np.testing.assert_array_equal(start.direction_A, [0.0, 1.0, 0.0])
    assert start.vertices == (3, 4)
    again = pickle.loads(pickle.dumps(start))
    assert again == start and hash(again) == hash(start) and repr(again) == repr(start)
    assert repr(start) == "WarmStart(direction_A=(0.0, 1.0, 0.0), vertices=(3, 4))"
    assert start != tactum.WarmStart() and start != 3
    with pytest.raises(AttributeError):
        start.vertices = (0, 0)


def test_warm_starts_of_hulls_carry_their_proof() -> None:
    rng = np.random.default_rng(17)
    a, b = (tactum.Convex.from_points(rng.normal(size=(60, 3))) for _ in range(2))
    for depth in (0.2, -0.3):
        X_WB = pose((3.0, 0.4, -0.2))
        for _ in range(30):
            r = tactum.distance(a, EYE, b, X_WB)
            X_WB[:3, 3] -= (r.distance + depth) * r.normal
        start = tactum.WarmStart()
        for _ in range(10):
            X_WB[:3, 3] += 1e-3 * rng.normal(size=3)
            cold, warm = (
                tactum.distance(a, EYE, b, X_WB),
                tactum.distance(a, EYE, b, X_WB, warm_start=start),
            )
            assert (
                warm.distance == pytest.approx(cold.distance, abs=1e-14)
                and warm.status is cold.status
            )
            start = warm.warm_start
            again = pickle.loads(pickle.dumps(start))
            assert again == start and hash(again) == hash(start)
            assert tactum.distance(a, EYE, b, X_WB, warm_start=again).iterations <= cold.iterations
        vertices, triangles = start.__getstate__()[3:]
        assert isinstance(vertices, tuple) and isinstance(triangles, tuple)
        assert len(vertices) >= 2 and (len(triangles) >= 12) == (depth > 0)


TETRAHEDRON = (0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3)


@pytest.mark.parametrize(
    ("vertices", "triangles"),
    [
        ((0,) * 8, TETRAHEDRON[:-3]),  # a hole
        ((0,) * 8, TETRAHEDRON[:-1]),  # no whole triangle
        ((0,) * 7, TETRAHEDRON),  # no whole pair
        ((0,) * 8, (*TETRAHEDRON[:-1], 4)),  # a vertex that is not there
        ((0,) * 8, (*TETRAHEDRON[:-1], 256)),
        ((0,) * 8, (*TETRAHEDRON[:-1], -1)),
        ((65536, *(0,) * 7), TETRAHEDRON),
        ((0,) * 66, TETRAHEDRON),  # too many
        ((0,) * 10, ()),
    ],
)
def test_warm_starts_that_never_were(vertices: tuple[int, ...], triangles: tuple[int, ...]) -> None:
    with pytest.raises(tactum.InvalidInput):
        tactum.WarmStart.__new__(tactum.WarmStart).__setstate__(
            ((0.0, 0.0, 1.0), 0, 0, vertices, triangles)
        )


def test_warm_starts_made_up_do_no_harm() -> None:
    rng = np.random.default_rng(18)
    a, b = (tactum.Convex.from_points(rng.normal(size=(30, 3))) for _ in range(2))
    for _ in range(100):
        start = tactum.WarmStart.__new__(tactum.WarmStart)
        names = tuple(int(i) for i in rng.integers(0, rng.choice([20, 65536]), size=8))
        start.__setstate__(((0.0, 0.0, 1.0), 0, 0, names, TETRAHEDRON))
        X_WB = pose(rng.normal(size=3))
        cold, warm = (
            tactum.distance(a, EYE, b, X_WB),
            tactum.distance(a, EYE, b, X_WB, warm_start=start),
        )
        assert (
            warm.distance == pytest.approx(cold.distance, abs=1e-13) and warm.status is cold.status
        )


def test_pair_scale() -> None:
    a, b = tactum.Sphere(radius=1), tactum.Box(half_extents=(3, 4, 12))
    assert tactum.pair_scale(a, EYE, b, pose((5, 0, 0))) == pytest.approx(13.0)
    assert tactum.pair_scale(a, EYE, b, pose((0, 300, 400))) == pytest.approx(500.0)


def test_two_half_spaces_are_refused() -> None:
    for query in (tactum.distance, tactum.collide, tactum.pair_scale):
        with pytest.raises(tactum.InvalidInput):
            query(tactum.HalfSpace(), EYE, tactum.HalfSpace(), pose((0, 0, 1)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("method", "epa"),
        ("method", ""),
        ("method", "\udcff"),
        ("method", "x" * 100000),
        ("tolerance", 0.0),
        ("tolerance", -1.0),
        ("tolerance", math.nan),
        ("tolerance", math.inf),
        ("tolerance", 1e-17),
        ("tolerance", 10**400),
        ("max_iterations", 0),
        ("max_iterations", -1),
        ("max_iterations", 100001),
        ("max_iterations", 2**31),
        ("max_iterations", 10**400),
        ("cutoff", -1.0),
        ("cutoff", math.nan),
        ("initial_direction", (math.nan, 0, 0)),
        ("initial_direction", (0, math.inf, 0)),
        ("initial_direction", (1, 0)),
    ],
)
def test_bad_options_are_named(name: str, value: object) -> None:
    sphere = tactum.Sphere(radius=1)
    for query in (tactum.distance, tactum.collide):
        if name == "cutoff" and query is tactum.collide:
            continue
        with pytest.raises(tactum.InvalidInput) as caught:
            query(sphere, EYE, sphere, EYE, **{name: value})
        assert caught.value.field.startswith(name) and caught.value.remedy
        assert len(str(caught.value)) < 300
    if name == "method":
        assert "'auto', 'gjk'" in caught.value.remedy


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("method", None),
        ("method", 1),
        ("tolerance", None),
        ("tolerance", "1e-10"),
        ("tolerance", 1j),
        ("tolerance", True),
        ("max_iterations", 10.0),
        ("max_iterations", None),
        ("max_iterations", True),
        ("cutoff", "far"),
        ("initial_direction", "x"),
        ("initial_direction", [None, None, None]),
        ("warm_start", 1),
        ("warm_start", (0, 0, 1)),
    ],
)
def test_options_of_the_wrong_sort_are_type_errors(name: str, value: object) -> None:
    sphere = tactum.Sphere(radius=1)
    with pytest.raises(TypeError) as caught:
        tactum.distance(sphere, EYE, sphere, EYE, **{name: value})
    assert str(caught.value).startswith(name + ": got ")


@pytest.mark.parametrize(
    "bad", [None, 1.0, "Sphere", tactum.Sphere, np.eye(4), tactum.Sphere.__new__(tactum.Sphere)]
)
@pytest.mark.filterwarnings("ignore:nanobind:RuntimeWarning")
def test_shapes_of_the_wrong_sort_are_type_errors(bad: object) -> None:
    sphere = tactum.Sphere(radius=1)
    with pytest.raises(TypeError, match=r"^a: got"):
        tactum.distance(bad, EYE, sphere, EYE)
    with pytest.raises(TypeError, match=r"^b: got"):
        tactum.collide(sphere, EYE, bad, EYE)


def test_wrong_calls_show_the_signature() -> None:
    sphere = tactum.Sphere(radius=1)
    with pytest.raises(TypeError, match="X_WB"):
        tactum.distance(sphere, EYE, sphere)
    with pytest.raises(TypeError, match="cutoff"):
        tactum.distance(sphere, EYE, sphere, EYE, cut_off=1.0)
    with pytest.raises(TypeError):
        tactum.distance(sphere, EYE, sphere, EYE, "gjk")
