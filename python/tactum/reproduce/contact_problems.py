# SPDX-License-Identifier: BSD-2-Clause
"""Contact-pose problems, eq. (30) of the paper on differentiable collision detection, and the
estimators of its tables.

The paper says: polyhedral ellipsoids of 12 vertices, target points on the surfaces, 50 iterations.
Open are the sizes, how targets and starts are drawn, and how steps are damped; the arguments here
name each choice. Costs are divided by the squared size of the pair, the sum of both bounding radii.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

import tactum

from .._core import contact_pose_size
from .problems import Rng, random_directions, random_rotations
from .report import Row, make_row

Array = npt.NDArray[np.float64]
Key = TypeVar("Key", bound=Hashable)
Estimator = (
    tactum.Exact | tactum.FiniteDifference | tactum.ZerothOrder | tactum.Gaussian | tactum.Gumbel
)

ITERATIONS = 50
TABLE_DAMPING = 1e-4  # of Table I; elsewhere that of the library
OURS = "ours"
# of the squared size: above it the witness points are a thousandth of the pair away from the
# targets
SOLVED = 1e-6
ROUNDING = 1e-28  # of the squared size: costs below are zero but for rounding
# the five columns of Table I, in the paper's own form: no variance reduction, scales that act on
# the separation vector
COLUMNS: dict[str, Estimator | None] = {
    "finite differences, 1e-6": tactum.FiniteDifference(step=1e-6),
    "finite differences, 1e-3": tactum.FiniteDifference(step=1e-3),
    "zeroth order": tactum.ZerothOrder(samples=50, scale=1e-2, variance_reduction=False),
    "Gaussian": tactum.Gaussian(
        samples=20, scale=1e-3, variance_reduction=False, relative_to="separation"
    ),
    "Gumbel": tactum.Gumbel(rings=1, temperature=1e-4, relative_to="separation"),
    OURS: None,
}
COLORS = dict(
    zip(COLUMNS, ("#8f98a3", "#5b6673", "#2e8b57", "#b4560e", "#8a5fa8", "#1f4e8c"), strict=True)
)

_GOLDEN = 0.5 * (1.0 + np.sqrt(5.0))
ICOSAHEDRON = np.array(
    [
        v
        for s in (-1.0, 1.0)
        for t in (-_GOLDEN, _GOLDEN)
        for v in ((0.0, s, t), (s, t, 0.0), (t, 0.0, s))
    ]
) / np.sqrt(1.0 + _GOLDEN**2)


@dataclass(frozen=True)
class ContactProblems:
    """Problems of one pair: targets (N, 3) in the frames of the shapes, starts (N, 4, 4)."""

    a: tactum.Shape
    b: tactum.Shape
    target_a: Array
    target_b: Array
    start: Array

    @property
    def size(self) -> float:
        """Sum of both bounding radii."""
        return contact_pose_size(self.a, self.b)


def polyhedral_ellipsoid(rng: Rng, smallest: float, largest: float) -> tactum.Convex:
    """An icosahedron, twelve vertices, with semi-axes uniform between two lengths."""
    return tactum.Convex.from_points(ICOSAHEDRON * rng.uniform(smallest, largest, size=3))


def random_starts(
    a: tactum.Shape, b: tactum.Shape, rng: Rng, count: int, distance: float = 1.0
) -> Array:
    """Random rotations, centers `distance` times the size of the pair apart."""
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = random_rotations(rng, count)
    poses[:, :3, 3] = distance * contact_pose_size(a, b) * random_directions(rng, count)
    return poses


def surface_points(hull: tactum.Convex, rng: Rng, count: int) -> Array:
    """Uniform by area, (N, 3)."""
    corners = np.asarray(hull.vertices)[np.asarray(hull.faces)]
    areas = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    faces = rng.choice(len(areas), count, p=areas / areas.sum())
    return np.asarray(
        np.einsum("ni,nij->nj", rng.dirichlet((1.0, 1.0, 1.0), count), corners[faces])
    )


def targets(
    a: tactum.Convex, b: tactum.Convex, rng: Rng, count: int, kind: str
) -> tuple[Array, Array]:
    """Points on both surfaces: "support" points of random directions, "vertices" all alike,
    points of the "surface" uniform by area, or the "witness" points of a random pose."""
    if kind == "support":
        first, second = (
            np.array([hull.support(u) for u in random_directions(rng, count)]) for hull in (a, b)
        )
    elif kind == "vertices":
        first, second = (
            np.asarray(hull.vertices)[rng.integers(len(hull.vertices), size=count)]
            for hull in (a, b)
        )
    elif kind == "surface":
        first, second = (surface_points(hull, rng, count) for hull in (a, b))
    elif kind == "witness":
        poses = random_starts(a, b, rng, count)
        found = tactum.distances(
            a, np.eye(4), b, poses, fields=("point_a", "point_b"), num_threads=1
        )
        first = found.point_a
        second = np.einsum("nji,nj->ni", poses[:, :3, :3], found.point_b - poses[:, :3, 3])
    else:
        raise ValueError(f"kind: got {kind!r}; give support, vertices, surface or witness")
    return first, second


def make_problems(
    a: tactum.Convex,
    b: tactum.Convex,
    rng: Rng,
    count: int,
    kind: str = "support",
    distance: float = 1.0,
) -> ContactProblems:
    """Random targets and starts of one pair."""
    target_a, target_b = targets(a, b, rng, count, kind)
    return ContactProblems(a, b, target_a, target_b, random_starts(a, b, rng, count, distance))


def solve(problems: ContactProblems, estimator: Estimator | None, damping: float = 1e-5) -> Array:
    """The cost at the start and after each iteration over the squared size, (N, ITERATIONS + 1).
    It never stops early."""
    return solve_with_poses(problems, estimator, damping)[0]


def solve_with_poses(
    problems: ContactProblems, estimator: Estimator | None, damping: float = 1e-5
) -> tuple[Array, Array]:
    """What solve() returns, and the last poses (N, 4, 4)."""
    p = problems
    found = tactum.contact_pose(
        p.a,
        p.b,
        p.target_a,
        p.target_b,
        start=p.start,
        estimator=estimator,
        max_iterations=ITERATIONS,
        tolerance=0.0,
        damping=damping,
    )
    return np.asarray(found.history / p.size**2), found.pose


# other witness points of two faces, or of a face and an edge, that lie along each other
OTHER_WITNESSES = ("center of the contact", "best corner of the contact")


def cost_of_points(problems: ContactProblems, k: int, X: Array, point_a: Array, b: Array) -> float:
    """Eq. (30) of problem k with these witness points, both in the frame of A."""
    on_b = (b - X[:3, 3]) @ X[:3, :3]
    parts = (point_a - problems.target_a[k], on_b - problems.target_b[k], point_a - b)
    return 0.5 * float(sum(part @ part for part in parts)) / problems.size**2


def costs_of_other_witnesses(problems: ContactProblems, poses: Array) -> dict[str, Array]:
    """The costs at some poses if the query gave another witness point wherever it has a choice: by
    the names of OTHER_WITNESSES."""
    found: dict[str, list[float]] = {name: [] for name in OTHER_WITNESSES}
    for k, X in enumerate(poses):
        patch = tactum.contact_patch(problems.a, np.eye(4), problems.b, X, max_angle=1e-6)
        a, b = np.asarray(patch.points_a), np.asarray(patch.points_b)
        corners = [cost_of_points(problems, k, X, *pair) for pair in zip(a, b, strict=True)]
        center = cost_of_points(problems, k, X, a.mean(axis=0), b.mean(axis=0))
        for name, cost in zip(OTHER_WITNESSES, (center, min(corners)), strict=True):
            found[name].append(cost)
    return {name: np.array(costs) for name, costs in found.items()}


def quantiles(costs: Array) -> dict[str, float]:
    """D1, Q1, median, Q3 and D9."""
    names = ("D1", "Q1", "median", "Q3", "D9")
    return dict(
        zip(names, (float(x) for x in np.quantile(costs, (0.1, 0.25, 0.5, 0.75, 0.9))), strict=True)
    )


def ratio(above: float, below: float) -> float:
    """The ratio of two costs, where a cost below rounding counts as rounding."""
    return max(above, ROUNDING) / max(below, ROUNDING)


def ours_row(name: str, ours: float, best: float) -> Row:
    """Our cost over the best other one. Where both are below rounding there is nothing to judge."""
    judged = {"goal": 1.0} if max(ours, best) > ROUNDING else {"note": "both solved to rounding"}
    return make_row(name, "ours / best other", "1", ratio(ours, best), relation="<=", **judged)


def merge(parts: Sequence[dict[Key, Array]]) -> dict[Key, Array]:
    """The problems of all parts, in their order."""
    return {
        key: np.concatenate([part[key] for part in parts if key in part])
        for key in dict.fromkeys(k for p in parts for k in p)
    }
