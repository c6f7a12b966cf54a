# SPDX-License-Identifier: BSD-2-Clause
"""Compounds in Python: queries against their parts, values, pickles, bad input; rays."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
import tactum


def at(*translation: float) -> np.ndarray:
    X = np.eye(4)
    X[:3, 3] = translation
    return X


@pytest.fixture
def dumbbell() -> tactum.Compound:
    ball, bar = tactum.Sphere(radius=0.3), tactum.Cylinder(radius=0.1, half_length=1.0)
    return tactum.Compound(parts=[(ball, at(0, 0, -1)), (bar, at(0, 0, 0)), (ball, at(0, 0, 1))])


def test_distance_is_that_of_the_nearest_part(dumbbell: tactum.Compound) -> None:
    box = tactum.Box(half_extents=(0.2, 0.2, 0.2))
    for X in (at(2, 0, 1), at(0.35, 0, 0), at(0.1, 0, 0), at(0, 3, -1)):
        single = [tactum.distance(shape, X_CP, box, X).distance for shape, X_CP in dumbbell.parts]
        r = tactum.distance(dumbbell, np.eye(4), box, X)
        assert r.distance == pytest.approx(min(single), abs=1e-12)
        assert r.part_a == int(np.argmin(single)) and r.part_b == 0
        assert r.lower <= r.distance <= r.upper
        np.testing.assert_allclose(r.point_b - r.point_a, r.distance * r.normal, atol=1e-12)
        assert bool(tactum.collide(dumbbell, np.eye(4), box, X)) == (r.distance <= 0)
        assert tactum.distance(box, X, dumbbell, np.eye(4)).distance == pytest.approx(
            r.distance, abs=1e-12
        )
    assert (
        tactum.distance(dumbbell, np.eye(4), dumbbell, at(5, 0, 0), cutoff=1.0).status
        == tactum.Status.beyond_cutoff
    )


def test_patches_of_all_parts(dumbbell: tactum.Compound) -> None:
    ground = tactum.HalfSpace()
    lying = at(0, 0, 0.3) @ tactum.pose_matrix([0, 0, 0, 0, math.sqrt(0.5), 0, math.sqrt(0.5)])
    patches = tactum.contact_patches(dumbbell, lying, ground, np.eye(4), cutoff=1e-6)
    assert [(a, b) for a, b, _ in patches] == [(0, 0), (2, 0)]
    assert all(len(patch.distances) == 1 for _, _, patch in patches)


def test_value(dumbbell: tactum.Compound) -> None:
    again = tactum.Compound(parts=dumbbell.parts)
    assert again == dumbbell and hash(again) == hash(dumbbell)
    assert pickle.loads(pickle.dumps(dumbbell)) == dumbbell
    assert copy.copy(dumbbell) is dumbbell and copy.deepcopy(dumbbell) is dumbbell
    assert len(dumbbell) == 3 and repr(dumbbell) == "Compound(3 parts)"
    nested = tactum.Compound(
        parts=[(dumbbell, at(1, 0, 0)), (tactum.Sphere(radius=1.0), at(0, 0, 0))]
    )
    assert len(nested) == 4
    np.testing.assert_allclose(nested.parts[0][1], at(1, 0, -1))
    lower, upper = dumbbell.aabb()
    np.testing.assert_allclose(lower, [-0.3, -0.3, -1.3])
    np.testing.assert_allclose(upper, [0.3, 0.3, 1.3])
    np.testing.assert_allclose(dumbbell.support([0, 0, 2]), [0, 0, 1.3])
    mass = dumbbell.mass_properties(10.0)
    assert mass.mass == pytest.approx(10.0 * dumbbell.volume())
    assert dumbbell.nbytes > 0


@pytest.mark.parametrize(
    ("parts", "error", "field"),
    [
        ([], tactum.InvalidInput, "Compound.parts"),
        (3, TypeError, "Compound.parts"),
        ([tactum.Sphere(radius=1.0)], TypeError, "Compound.parts[0]"),
        ([("ball", np.eye(4))], TypeError, "Compound.parts[0][0]"),
        (
            [(tactum.Sphere(radius=1.0), np.full((4, 4), np.nan))],
            tactum.InvalidInput,
            "Compound.parts[0][1]",
        ),
        ([(tactum.HalfSpace(), np.eye(4))], tactum.InvalidInput, "Compound.parts[0]"),
    ],
)
def test_bad_parts_are_named(parts: object, error: type[Exception], field: str) -> None:
    with pytest.raises(error) as caught:
        tactum.Compound(parts=parts)  # type: ignore[arg-type]
    assert str(caught.value).startswith(field)


def test_rays(dumbbell: tactum.Compound) -> None:
    hit = tactum.ray_cast(dumbbell, np.eye(4), [5, 0, 1], [-1, 0, 0])
    assert hit and hit.distance == pytest.approx(4.7, abs=1e-10)
    np.testing.assert_allclose(hit.normal, [1, 0, 0], atol=1e-9)
    assert pickle.loads(pickle.dumps(hit)).distance == hit.distance
    assert not tactum.ray_cast(tactum.Sphere(radius=1.0), np.eye(4), [5, 0, 0], [1, 0, 0])
    assert not tactum.ray_cast(dumbbell, np.eye(4), [5, 0, 1], [-1, 0, 0], max_distance=4.0)
    with pytest.raises(tactum.InvalidInput, match="direction"):
        tactum.ray_cast(dumbbell, np.eye(4), [5, 0, 1], [0, 0, 0])


def test_compounds_are_refused_where_only_convex_shapes_fit(dumbbell: tactum.Compound) -> None:
    with pytest.raises(TypeError, match="a: got"):
        tactum.contact_pose(
            dumbbell,  # type: ignore[arg-type]
            tactum.Sphere(radius=1.0),
            (0, 0, 1),
            (0, 0, 1),
            start=np.eye(4),
        )
    with pytest.raises(TypeError, match="b: got"):
        tactum.distance(dumbbell, np.eye(4), "ball", np.eye(4))  # type: ignore[arg-type]
