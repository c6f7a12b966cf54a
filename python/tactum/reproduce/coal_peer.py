# SPDX-License-Identifier: BSD-2-Clause
"""coal (HPP-FCL), in which the authors of GJK++ published their methods, on the same problems.

Iterations come from coal's GJK class: stopped on the duality gap, started from the box centers.
Times come from coal's own timer around the whole query, which in penetration has the expanding
polytope in it, as ours has.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from .problems import Problems

Array = npt.NDArray[np.float64]

# method: name of the variant, whether the support direction is normalized
VARIANTS = {
    "gjk": ("DefaultGJK", False),
    "polyak": ("PolyakAcceleration", False),
    "nesterov": ("NesterovAcceleration", False),
    "nesterov_normalized": ("NesterovAcceleration", True),
}


def is_installed() -> bool:
    """Whether there is coal to ask."""
    return importlib.util.find_spec("coal") is not None


def ask(
    problems: Problems, query: str, method: str, tolerance: float, repeats: int, max_iterations: int
) -> dict[str, Array]:
    """Iterations, and nanoseconds as the mean of the fastest 90 % of the repetitions, for each
    problem."""
    coal = importlib.import_module("coal")
    shapes = _shape(problems.a), _shape(problems.b)
    places = [coal.Transform3s(pose[:3, :3], pose[:3, 3]) for pose in problems.X_AB]
    iterations = _iterations(coal, shapes, places, query, method, tolerance, max_iterations)
    times = _times(coal, shapes, places, query, method, tolerance, repeats, max_iterations)
    return {"iterations": iterations, "nanoseconds": times}


def _iterations(
    coal: Any,
    shapes: Any,
    places: Any,
    query: str,
    method: str,
    tolerance: float,
    max_iterations: int,
) -> Array:
    variant, normalized = VARIANTS[method]
    solver = coal.GJK(max_iterations, tolerance)
    solver.gjk_variant = getattr(coal.GJKVariant, variant)
    solver.convergence_criterion = coal.GJKConvergenceCriterion.DualityGap
    solver.convergence_criterion_type = coal.GJKConvergenceCriterionType.Absolute
    if query == "collide":
        solver.setDistanceEarlyBreak(0.0)
    difference, hint, origin = coal.MinkowskiDiff(), np.zeros(2, dtype=np.int32), coal.Transform3s()
    counts = np.empty(len(places))
    for index, place in enumerate(places):
        difference.set(*shapes, origin, place, False)
        difference.normalize_support_direction = normalized
        solver.evaluate(difference, -place.getTranslation(), hint)
        counts[index] = solver.getNumIterations()
    return counts


def _times(
    coal: Any,
    shapes: Any,
    places: Any,
    query: str,
    method: str,
    tolerance: float,
    repeats: int,
    max_iterations: int,
) -> Array:
    distance = query == "distance"
    request = coal.DistanceRequest() if distance else coal.CollisionRequest()
    result = coal.DistanceResult() if distance else coal.CollisionResult()
    solve = (coal.ComputeDistance if distance else coal.ComputeCollision)(*shapes)
    request.enable_timings = True
    request.gjk_variant = getattr(coal.GJKVariant, VARIANTS[method][0])
    request.gjk_convergence_criterion = coal.GJKConvergenceCriterion.DualityGap
    request.gjk_convergence_criterion_type = coal.GJKConvergenceCriterionType.Absolute
    request.gjk_initial_guess = coal.GJKInitialGuess.BoundingVolumeGuess
    request.gjk_tolerance = tolerance
    request.gjk_max_iterations = max_iterations
    if not distance:
        request.enable_contact = False
    origin, kept = coal.Transform3s(), max(1, int(0.9 * repeats))
    times = np.empty(len(places))
    for index, place in enumerate(places):
        own = np.empty(repeats)
        for k in range(repeats):
            result.clear()
            solve(origin, place, request, result)
            own[k] = 1e3 * result.timings.user
        times[index] = np.sort(own)[:kept].mean()
    return times


@lru_cache(maxsize=256)
def _shape(shape: tactum.Shape) -> Any:
    coal = importlib.import_module("coal")
    if isinstance(shape, tactum.Ellipsoid):
        made = coal.Ellipsoid(*shape.semi_axes)
    elif isinstance(shape, tactum.Box):
        made = coal.Box(*(2.0 * shape.half_extents))
    elif isinstance(shape, tactum.Convex):
        points = coal.StdVec_Vec3s()
        for point in shape.vertices:
            points.append(point)
        made = coal.Convex.convexHull(points, True, "Qt")
    else:
        raise ValueError(f"no shape of coal for {shape!r}")
    made.computeLocalAABB()
    return made
