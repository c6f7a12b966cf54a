# SPDX-License-Identifier: BSD-2-Clause
"""Height fields: against the height of a plane and in a scene."""

import math
import pickle

import numpy as np
import pytest
import tactum


def at(x, y, z):
    X = np.eye(4)
    X[:3, 3] = [x, y, z]
    return X


def slope():
    x = np.linspace(-1.0, 1.0, 21)
    return tactum.HeightField(heights=np.tile(0.5 * x[:, None], (1, 11)), spacing=0.1)


def test_a_ball_above_a_slope():
    field = slope()
    normal = np.array([-0.5, 0.0, 1.0]) / math.hypot(0.5, 1.0)
    for x, y in [(0.0, 0.0), (0.333, -0.21), (-0.5, 0.3)]:
        center = np.array([x, y, 0.5 * x]) + 0.25 * normal
        found = tactum.distance(field, np.eye(4), tactum.Sphere(radius=0.2), at(*center))
        assert found.distance == pytest.approx(0.05, abs=1e-12)
        np.testing.assert_allclose(found.normal, normal, atol=1e-9)
        deep = tactum.distance(field, np.eye(4), tactum.Sphere(radius=0.26), at(*center))
        assert deep.distance == pytest.approx(-0.01, abs=1e-9)
        assert tactum.collide(field, np.eye(4), tactum.Sphere(radius=0.26), at(*center))


def test_in_a_scene():
    scene = tactum.Scene()
    ground = scene.add(tactum.HeightField(heights=np.zeros((21, 21)), spacing=0.1), np.eye(4))
    box = scene.add(tactum.Box(half_extents=(0.2, 0.1, 0.1)), at(0.03, 0.02, 0.0999))
    scene.add(tactum.Sphere(radius=0.1), at(0.5, 0.5, 0.5))
    contacts = scene.contacts(margin=0.0)
    assert len(contacts.distance) >= 4
    np.testing.assert_allclose(contacts.distance, -1e-4, atol=1e-9)
    np.testing.assert_allclose(np.abs(contacts.normal[:, 2]), 1.0, atol=1e-9)
    assert [sorted(pair) for pair in scene.pairs()] == [sorted((ground, box))]
    hits = scene.raycast([(-0.7, 0.3, 2.0)], [(0.0, 0.0, -1.0)])
    assert hits.distance[0] == pytest.approx(2.0)


def test_values():
    field = slope()
    assert field.heights.shape == (21, 11)
    assert field.spacing == (0.1, 0.1)
    assert field.base < -0.5
    assert isinstance(field, tactum.Compound)
    again = pickle.loads(pickle.dumps(field))
    assert again == field
    assert type(again) is tactum.HeightField
    np.testing.assert_array_equal(again.heights, field.heights)
    scene = tactum.Scene()
    scene.add(field, np.eye(4))
    for kept in (scene, pickle.loads(pickle.dumps(scene))):
        assert type(kept.shape(0)) is tactum.HeightField
        np.testing.assert_array_equal(kept.shape(0).heights, field.heights)
    assert repr(field) == "HeightField(heights=(21, 11), spacing=(0.1, 0.1))"
    assert len(tactum.HeightField(heights=np.zeros((5, 9)), spacing=(0.1, 0.2), base=-1.0)) == 4


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"heights": np.zeros(5), "spacing": 0.1}, "heights"),
        ({"heights": np.zeros((1, 5)), "spacing": 0.1}, "heights"),
        ({"heights": [[0, 0], [0, math.nan]], "spacing": 0.1}, r"heights\[1, 1\]"),
        ({"heights": np.zeros((2, 2)), "spacing": 0.0}, r"spacing\[0\]"),
        ({"heights": np.zeros((2, 2)), "spacing": (1, 2, 3)}, "spacing"),
        ({"heights": np.zeros((2, 2)), "spacing": 1.0, "base": 0.0}, "base"),
    ],
)
def test_bad_input(arguments, field):
    with pytest.raises(tactum.InvalidInput, match=field):
        tactum.HeightField(**arguments)
