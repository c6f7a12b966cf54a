# SPDX-License-Identifier: BSD-2-Clause
"""Distances of STP volumes, judged from points and radii alone.

With alpha = R - r let C be the intersection of the balls of radius alpha about the points. The
volume is the intersection of the balls B(c, R), c in C, each shrunk by r and grown again, so that

    h(n) = R + min over c in C of n.c,        x is in the volume with r = 0  <=>  max over c in C of |c - x| <= alpha.

Both extrema are taken by brute force: over the stationary points on every sphere, every circle of
two spheres and every corner of three, those outside of C left out. A distance is right if its
normal attains it (lower bound) and its points, moved inwards by the swept radii, lie in the two
cores (upper bound).
"""

from __future__ import annotations

import itertools

import clarabel
import numpy as np
import pytest
import scipy.sparse
import tactum
from kinds import Array, pose, random_pose, random_rotation

SLACK = 1e-12  # of a metre; the volumes are about one metre wide


def unit(v: Array) -> Array:
    """Rows made unit vectors; zero rows stay."""
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=1), 1e-300)[:, None])


class BallPolyhedron:
    """C: points at most alpha from every given point."""

    def __init__(self, points: Array, alpha: float) -> None:
        self.points, self.alpha = points, alpha
        pairs = np.array(list(itertools.combinations(range(len(points)), 2)), dtype=int).reshape(
            -1, 2
        )
        first, second = points[pairs[:, 0]], points[pairs[:, 1]]
        length = np.linalg.norm(second - first, axis=1)
        self.middles, self.axes = 0.5 * (first + second), (second - first) / length[:, None]
        self.radii = np.sqrt(alpha**2 - 0.25 * length**2)
        corners = [
            self._corners(*points[list(triple)])
            for triple in itertools.combinations(range(len(points)), 3)
        ]
        self.corners = self.kept(np.concatenate([*corners, np.empty((0, 3))]))

    def _corners(self, a: Array, b: Array, c: Array) -> Array:
        u, v = b - a, c - a
        w = np.cross(u, v)
        squared = w @ w
        if squared < 1e-24 * (u @ u) * (v @ v):
            return np.empty((0, 3))
        offset = (np.cross(w, u) * (v @ v) + np.cross(v, w) * (u @ u)) / (2.0 * squared)
        height = self.alpha**2 - offset @ offset
        if height < 0.0:
            return np.empty((0, 3))
        step = np.sqrt(height / squared) * w
        return np.array([a + offset + step, a + offset - step])

    def kept(self, candidates: Array) -> Array:
        far = np.linalg.norm(candidates[:, None] - self.points[None], axis=2).max(
            axis=1, initial=0.0
        )
        return candidates[far <= self.alpha * (1.0 + 1e-12)]

    def candidates(self, direction_from: Array) -> Array:
        """Extreme points of the circles and spheres, for one vector a feature: the way to go,
        from circles first."""
        on_circle, on_sphere = (
            direction_from[: len(self.middles)],
            direction_from[len(self.middles) :],
        )
        across = on_circle - np.sum(on_circle * self.axes, axis=1)[:, None] * self.axes
        circles = self.middles + self.radii[:, None] * unit(across)
        spheres = self.points + self.alpha * unit(on_sphere)
        return np.concatenate([self.corners, self.kept(np.concatenate([circles, spheres]))])

    def lowest(self, n: Array) -> float:
        """min over C of n.c"""
        ways = np.tile(-n, (len(self.middles) + len(self.points), 1))
        return float((self.candidates(ways) @ n).min())

    def farthest(self, x: Array) -> float:
        """max over C of |c - x|"""
        ways = np.concatenate([self.middles, self.points]) - x
        # from one of the points itself all of its sphere is as far as any
        return float(np.linalg.norm(self.candidates(ways) - x, axis=1).max(initial=0.0))


class StpTruth:
    """One volume: the shape asked, and what is known of it from its definition."""

    def __init__(self, points: Array, small_radius: float, big_radius: float) -> None:
        self.shape = tactum.Stp.from_points(
            points, small_radius=small_radius, big_radius=big_radius
        )
        self.swept, self.alpha = small_radius, big_radius - small_radius
        self.centers = BallPolyhedron(points, self.alpha)

    def height(self, u: Array) -> float:
        return self.alpha + self.swept + self.centers.lowest(u)

    def excess(self, x: Array) -> float:
        """A lower bound of the distance of x from the core; not positive inside."""
        return self.centers.farthest(x) - self.alpha


class SolidTruth:
    """A box, as six planes and eight corners."""

    def __init__(self, half_extents: Array, margin: float) -> None:
        self.shape = tactum.Box(half_extents=half_extents, margin=margin)
        self.half_extents, self.swept = half_extents, margin

    def height(self, u: Array) -> float:
        return float(np.abs(u) @ self.half_extents) + self.swept

    def excess(self, x: Array) -> float:
        return float((np.abs(x) - self.half_extents).max())


class EllipsoidTruth:
    def __init__(self, semi_axes: Array) -> None:
        self.shape = tactum.Ellipsoid(semi_axes=semi_axes)
        self.semi_axes, self.swept = semi_axes, 0.0

    def height(self, u: Array) -> float:
        return float(np.linalg.norm(self.semi_axes * u))

    def excess(self, x: Array) -> float:
        return float(np.linalg.norm(x / self.semi_axes) - 1.0) * self.semi_axes.max()


class SegmentTruth:
    """A sphere or a capsule."""

    def __init__(self, radius: float, half_length: float) -> None:
        self.shape: tactum.Shape = (
            tactum.Capsule(radius=radius, half_length=half_length)
            if half_length
            else tactum.Sphere(radius=radius)
        )
        self.swept, self.half_length = radius, half_length

    def height(self, u: Array) -> float:
        return self.half_length * abs(u[2]) + self.swept

    def excess(self, x: Array) -> float:
        return float(
            np.linalg.norm(x - [0.0, 0.0, np.clip(x[2], -self.half_length, self.half_length)])
        )


class HullTruth:
    def __init__(self, points: Array, margin: float) -> None:
        self.shape = tactum.Convex.from_points(points, margin=margin)
        self.points, self.swept = points, margin
        faces = self.shape.faces
        corners = np.asarray(self.shape.vertices)[faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        self.normals = normals / np.linalg.norm(normals, axis=1)[:, None]
        self.offsets = (self.points @ self.normals.T).max(axis=0)

    def height(self, u: Array) -> float:
        return float((self.points @ u).max()) + self.swept

    def excess(self, x: Array) -> float:
        return float((self.normals @ x - self.offsets).max())


Truth = StpTruth | SolidTruth | EllipsoidTruth | SegmentTruth | HullTruth


def random_stp(rng: np.random.Generator, big_radius: float | None = None) -> StpTruth:
    count = int(rng.integers(1, 13))
    points = 0.3 * rng.normal(size=(count, 3))
    points /= max(1.0, 2.0 * np.linalg.norm(points, axis=1).max())
    return StpTruth(
        points,
        10.0 ** rng.uniform(-3.0, -1.0),
        big_radius or float(rng.choice([1.2, 3.0, 10.0, 100.0])),
    )


def random_other(rng: np.random.Generator, kind: str) -> Truth:
    if kind == "stp":
        return random_stp(rng)
    if kind == "box":
        return SolidTruth(rng.uniform(0.1, 0.5, size=3), float(rng.choice([0.0, 0.05])))
    if kind == "ellipsoid":
        return EllipsoidTruth(rng.uniform(0.1, 0.5, size=3))
    if kind == "hull":
        return HullTruth(0.3 * rng.normal(size=(12, 3)), float(rng.choice([0.0, 0.02])))
    return SegmentTruth(rng.uniform(0.05, 0.3), 0.4 if kind == "capsule" else 0.0)


def in_frame(X: Array, x: Array) -> Array:
    return np.asarray(X[:3, :3].T @ (x - X[:3, 3]))


def check(a: Truth, X_WA: Array, b: Truth, X_WB: Array) -> tactum.Distance:
    """Both bounds of one query, for cores that are apart."""
    found = tactum.distance(a.shape, X_WA, b.shape, X_WB, tolerance=1e-12)
    assert found.status in (
        tactum.Status.separated,
        tactum.Status.touching,
        tactum.Status.penetrating,
    )
    n = np.asarray(found.normal)
    separation = (
        n @ (X_WB[:3, 3] - X_WA[:3, 3])
        - a.height(X_WA[:3, :3].T @ n)
        - b.height(X_WB[:3, :3].T @ -n)
    )
    assert abs(separation - found.distance) <= SLACK * scale(a, b)
    core_a = in_frame(X_WA, np.asarray(found.point_a) - a.swept * n)
    core_b = in_frame(X_WB, np.asarray(found.point_b) + b.swept * n)
    assert a.excess(core_a) <= SLACK * scale(a, b) and b.excess(core_b) <= SLACK * scale(a, b)
    np.testing.assert_allclose(
        np.asarray(found.point_b) - found.point_a, found.distance * n, atol=SLACK * scale(a, b)
    )
    assert found.lower <= separation + SLACK * scale(
        a, b
    ) and found.upper >= separation - SLACK * scale(a, b)
    return found


def scale(a: Truth, b: Truth) -> float:
    """Brute force on spheres of radius alpha rounds to alpha."""
    return max(1.0, *(truth.alpha for truth in (a, b) if isinstance(truth, StpTruth)))


@pytest.mark.parametrize("kind", ["stp", "box", "ellipsoid", "hull", "capsule", "sphere"])
def test_both_bounds_hold_by_brute_force(kind: str) -> None:
    rng = np.random.default_rng([9, len(kind)])
    apart = 0
    for _ in range(25):
        a, b = random_stp(rng), random_other(rng, kind)
        X_WA, direction = random_pose(rng), rng.normal(size=3)
        X_WB = pose(
            X_WA[:3, 3] + (1.5 + rng.uniform(0.0, 1.0)) * direction / np.linalg.norm(direction),
            random_rotation(rng),
        )
        if rng.integers(2):
            a, b, X_WA, X_WB = b, a, X_WB, X_WA
        found = check(a, X_WA, b, X_WB)
        apart += found.distance > 0.0
        # moved together until the swept radii overlap and the cores do not: no search for a depth
        # is needed there
        depth = 0.9 * (a.swept + b.swept)
        X_near = X_WB.copy()
        X_near[:3, 3] -= (found.distance + depth) * np.asarray(found.normal)
        near = check(a, X_WA, b, X_near)
        assert near.distance == pytest.approx(-depth, abs=1e-11) and np.allclose(
            near.normal, found.normal, atol=1e-6
        )
    assert apart > 10


def test_the_distance_is_that_of_the_farthest_centers() -> None:
    """d = max over c in C_A, c' in C_B of |c - c'| - R_A - R_B: no pair of points of C_A and C_B
    is farther apart."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        a, b = random_stp(rng, 3.0), random_stp(rng, 3.0)
        X_WA, X_WB = pose(), pose((2.5, 0.3, -0.2), random_rotation(rng))
        found = tactum.distance(a.shape, X_WA, b.shape, X_WB, tolerance=1e-12)
        # attained at the center that supports A; no other of many is farther from C_B
        n = np.asarray(found.normal)
        others = [
            a.centers.candidates(
                np.tile(rng.normal(size=3), (len(a.centers.middles) + len(a.centers.points), 1))
            )
            for _ in range(20)
        ]
        starts = np.concatenate([[np.asarray(found.point_a) - (a.alpha + a.swept) * n], *others])
        farthest = max(b.centers.farthest(in_frame(X_WB, start)) for start in starts)
        assert farthest - a.alpha - a.swept - b.alpha - b.swept == pytest.approx(
            found.distance, abs=1e-11
        )


def support_by_cone_program(points: Array, alpha: float, n: Array) -> float:
    """min n.c subject to |c - p_k| <= alpha, by an interior-point method."""
    count = len(points)
    rows = np.zeros((4 * count, 3))
    for k in range(count):
        rows[4 * k + 1 : 4 * k + 4] = -np.eye(3)
    offsets = np.concatenate([np.concatenate([[alpha], -p]) for p in points])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solver = clarabel.DefaultSolver(
        scipy.sparse.csc_matrix((3, 3)),
        n,
        scipy.sparse.csc_matrix(rows),
        offsets,
        [clarabel.SecondOrderConeT(4)] * count,
        settings,
    )
    return float(solver.solve().obj_val)


def test_supports_agree_with_a_cone_program() -> None:
    rng = np.random.default_rng(12)
    for count, big_radius in ((4, 1.2), (30, 2.0), (60, 10.0)):
        points = rng.normal(size=(count, 3))
        points *= 0.5 / np.linalg.norm(points, axis=1).max()
        stp = tactum.Stp.from_points(points, small_radius=0.02, big_radius=big_radius)
        for _ in range(5):
            n = rng.normal(size=3)
            n /= np.linalg.norm(n)
            expected = big_radius + support_by_cone_program(points, big_radius - 0.02, n)
            assert stp.support(n) @ n == pytest.approx(expected, abs=1e-7)
