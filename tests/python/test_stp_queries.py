# SPDX-License-Identifier: BSD-2-Clause
"""STP volumes in every query of the package: each answer beside the one of plain distance()."""

from __future__ import annotations

import numpy as np
import pytest
import tactum
from kinds import SHAPES, pose, random_pose, random_rotation

POINTS = np.random.default_rng(3).normal(size=(20, 3)) * [0.3, 0.2, 0.1]
VOLUME = tactum.Stp.from_points(POINTS, small_radius=0.02, big_radius=5.0)


@pytest.mark.parametrize("name", SHAPES)
def test_collide_and_batches_say_what_distance_says(name: str) -> None:
    rng = np.random.default_rng(7)
    X_WA, X_WB = (np.array([random_pose(rng, 0.6) for _ in range(40)]) for _ in range(2))
    batch = tactum.distances(VOLUME, X_WA, SHAPES[name], X_WB)
    for k in range(40):
        found = tactum.distance(VOLUME, X_WA[k], SHAPES[name], X_WB[k])
        assert found.status != tactum.Status.not_converged
        assert batch.distance[k] == found.distance and np.array_equal(batch.normal[k], found.normal)
        hit = tactum.collide(VOLUME, X_WA[k], SHAPES[name], X_WB[k])
        assert hit.colliding == (found.distance <= 0.0) or abs(found.distance) < 1e-12


def test_points_and_rays() -> None:
    rng = np.random.default_rng(8)
    X = random_pose(rng)
    points = X[:3, 3] + rng.normal(size=(50, 3))
    distances = tactum.signed_distance(VOLUME, X, points)[0]
    for point, found in zip(points, distances, strict=True):
        assert found == pytest.approx(
            tactum.distance(VOLUME, X, tactum.Sphere(radius=0.0), pose(point)).distance, abs=1e-12
        )
    hits = 0
    for _ in range(20):
        origin = X[:3, 3] + 2.0 * rng.normal(size=3)
        way = X[:3, 3] + 0.1 * rng.normal(size=3) - origin
        way /= np.linalg.norm(way)
        hit = tactum.ray_cast(VOLUME, X, origin, way)
        if not hit.hit:
            continue
        hits += 1
        # the point of the hit lies on the surface, and nothing before it does
        assert tactum.signed_distance(VOLUME, X, [origin + hit.distance * way])[0][
            0
        ] == pytest.approx(0.0, abs=1e-8)
        before = origin + np.linspace(0.0, 0.999, 50)[:, None] * hit.distance * way
        assert np.all(tactum.signed_distance(VOLUME, X, before)[0] > 0.0)
    assert hits > 10


def test_a_scene_finds_contacts_of_volumes() -> None:
    rng = np.random.default_rng(9)
    scene, shapes, poses = tactum.Scene(), [], []
    for _ in range(12):
        shapes.append(
            tactum.Stp.from_points(
                0.2 * rng.normal(size=(10, 3)), small_radius=0.01, big_radius=4.0
            )
        )
        poses.append(random_pose(rng, 0.3))
        scene.add(shapes[-1], poses[-1])
    close = sum(
        tactum.distance(shapes[i], poses[i], shapes[j], poses[j]).distance <= 0.05
        for i in range(12)
        for j in range(i + 1, 12)
    )
    assert len(scene.contacts(margin=0.05).pairs) == close > 5


@pytest.mark.parametrize(
    "estimator",
    [
        tactum.Exact(),
        tactum.FiniteDifference(),
        tactum.ZerothOrder(samples=400, scale=1e-3),
        tactum.Gaussian(samples=200),
    ],
)
def test_estimators_agree_with_the_exact_derivative(estimator: object) -> None:
    rng = np.random.default_rng(10)
    X_WA, X_WB = random_pose(rng, 0.1), pose((0.9, 0.1, 0.2), random_rotation(rng))
    exact = tactum.distance_derivative(VOLUME, X_WA, VOLUME, X_WB)
    found = tactum.distance_derivative(VOLUME, X_WA, VOLUME, X_WB, estimator=estimator)
    assert exact.smooth
    error = np.abs(found.distance_jacobian - exact.distance_jacobian)
    sampled = found.standard_error.distance_jacobian if found.standard_error else np.zeros(12)
    assert np.all(error <= 6.0 * sampled + 1e-6)
    assert np.all(np.isfinite(found.normal_jacobian)) and np.all(
        np.isfinite(found.point_a_jacobian)
    )


def test_gumbel_says_that_it_does_not_apply() -> None:
    with pytest.raises(tactum.InvalidInput, match=r"Gumbel|estimator"):
        tactum.distance_derivative(
            VOLUME, np.eye(4), VOLUME, pose((2.0, 0.0, 0.0)), estimator=tactum.Gumbel()
        )
