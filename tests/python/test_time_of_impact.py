# SPDX-License-Identifier: BSD-2-Clause
"""time_of_impact: closed forms, sampling along the screws, and what it does with bad input."""

import math
import pickle

import numpy as np
import pytest
import tactum


def at(x, y=0.0, z=0.0):
    X = np.eye(4)
    X[:3, 3] = [x, y, z]
    return X


def turned(angle):
    """About z."""
    X = np.eye(4)
    X[:2, :2] = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    return X


def test_spheres_on_a_line():
    ball = tactum.Sphere(radius=0.5)
    impact = tactum.time_of_impact(ball, at(0), at(0), ball, at(5), at(-5))
    assert impact
    assert impact.status == tactum.Status.touching
    assert impact.lower <= 0.4 + 1e-14
    assert impact.upper >= 0.4 - 1e-13
    assert impact.upper - impact.lower < 1e-9
    assert abs(impact.value.distance) < 1e-9
    np.testing.assert_allclose(impact.value.normal, [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(impact.value.point_a, [0.5, 0, 0], atol=1e-8)


def test_keeps_its_distance():
    ball = tactum.Sphere(radius=0.5)
    impact = tactum.time_of_impact(ball, at(0), at(0), ball, at(5), at(-5), distance=1.0)
    assert impact.time == pytest.approx(0.3, abs=1e-9)


def test_a_bar_that_turns():
    # the corner of a thin bar passes at distance 1 from the origin
    bar = tactum.Capsule(radius=0.05, half_length=1.0)
    lying = tactum.pose_matrix([0, 0, 0, 0, math.sqrt(0.5), 0, math.sqrt(0.5)])
    ball = tactum.Sphere(radius=0.1)
    impact = tactum.time_of_impact(
        bar, lying, turned(0.75 * math.pi) @ lying, ball, at(0, 0.8), at(0, 0.8)
    )
    expected = (0.5 * math.pi - math.asin(0.15 / 0.8)) / (0.75 * math.pi)
    assert impact.time == pytest.approx(expected, abs=1e-9)


def test_compound_and_never():
    ball = tactum.Sphere(radius=0.1)
    dumbbell = tactum.Compound(parts=[(ball, at(-1)), (ball, at(1))])
    # between the balls of the dumbbell
    never = tactum.time_of_impact(dumbbell, at(0), at(0), ball, at(0, 5), at(0, -5))
    assert not never
    assert (never.time, never.lower, never.upper) == (math.inf, math.inf, math.inf)
    assert never.status == tactum.Status.separated
    hit = tactum.time_of_impact(dumbbell, at(0), at(0), ball, at(1, 5), at(1, -5))
    assert hit.time == pytest.approx(0.48, abs=1e-9)
    assert hit.value.part_a == 1


def test_within_the_distance_from_the_start():
    ball = tactum.Sphere(radius=0.5)
    impact = tactum.time_of_impact(ball, at(0), at(0), ball, at(0.5), at(5))
    assert impact.status == tactum.Status.penetrating
    assert (impact.time, impact.upper) == (0.0, 0.0)


def test_pickle_and_repr():
    ball = tactum.Sphere(radius=0.5)
    impact = tactum.time_of_impact(ball, at(0), at(0), ball, at(5), at(-5))
    again = pickle.loads(pickle.dumps(impact))
    assert (again.time, again.lower, again.upper) == (impact.time, impact.lower, impact.upper)
    assert again.value.distance == impact.value.distance
    assert repr(impact).startswith("Impact(status=touching, time=")


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"distance": -1.0}, "distance"),
        ({"distance": math.nan}, "distance"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"max_iterations": 0}, "max_iterations"),
    ],
)
def test_bad_options(arguments, field):
    ball = tactum.Sphere(radius=0.5)
    with pytest.raises(tactum.InvalidInput, match=field):
        tactum.time_of_impact(ball, at(0), at(0), ball, at(5), at(5), **arguments)


def test_bad_poses():
    ball = tactum.Sphere(radius=0.5)
    with pytest.raises(tactum.InvalidInput, match="X1_WB"):
        tactum.time_of_impact(ball, at(0), at(0), ball, at(5), at(math.nan))
    with pytest.raises(TypeError, match="a"):
        tactum.time_of_impact("ball", at(0), at(0), ball, at(5), at(5))
