# SPDX-License-Identifier: BSD-2-Clause
"""contact_pose: the relative pose that brings two given surface points into contact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._call_errors import explained
from ._pose import PoseLike

FloatArray = npt.NDArray[np.float64]
Side = _core.Shape | tuple[_core.ShapeTable, npt.ArrayLike]
Estimator = _core.Exact | _core.FiniteDifference | _core.ZerothOrder | _core.Gaussian | _core.Gumbel


@dataclass(frozen=True, eq=False)
class ContactPose:
    """Answer of contact_pose(). For N problems every field has a leading axis of length N.

    pose: (4, 4), the pose X_AB of B in the frame of A.
    cost: in square metres, 1/2 |p_A - target_a|^2 + 1/2 |p_B - target_b|^2 + 1/2 |p_A - p_B|^2 with
    the witness points p_A and p_B.
    history: the cost at the start and after each iteration, (max_iterations + 1,); the last one is
    repeated to the end.
    residual_a: point_a - target_a in the frame of A, (3,) in metres. residual_b: point_b - target_b
    in the frame of B.
    separation: point_b - point_a in the frame of A, (3,) in metres.
    status: a ContactPoseStatus, or an array of its numbers that compares with names: converged,
    max_iterations, stalled; for one problem of many also invalid_input.
    iterations: Jacobians that were computed. queries: poses at which the cost was computed, those
    inside estimators not counted.
    """

    pose: FloatArray
    cost: Any
    history: FloatArray
    residual_a: FloatArray
    residual_b: FloatArray
    separation: FloatArray
    status: Any
    iterations: Any
    queries: Any

    def __repr__(self) -> str:
        if self.pose.ndim == 3:
            return f"ContactPose({len(self.pose)} problems)"
        return f"ContactPose(cost={self.cost!r}, status={self.status}, iterations={self.iterations}, queries={self.queries})"


ContactPose.__init__.__doc__ = "Made by contact_pose(): one value or array for each field."


@explained
def contact_pose(
    a: Side,
    b: Side,
    target_a: npt.ArrayLike,
    target_b: npt.ArrayLike,
    *,
    start: PoseLike,
    estimator: Estimator | None = None,
    max_iterations: int = 50,
    tolerance: float = 1e-24,
    damping: float = 1e-5,
    num_threads: int = 0,
) -> ContactPose:
    """The pose of B in the frame of A for which two given points are the witness points of the pair
    and coincide.

    a, b: convex shapes; for many problems also tuples (ShapeTable, index) with one index for each.
    target_a, target_b: points on the surfaces, in metres, each in the frame of its own shape: (3,),
    or (N, 3) for N problems. Points off the surfaces are allowed: the cost then has no zero.
    start: the pose X_AB to begin with, (4, 4), (7,) xyz_xyzw or (R, t); (N, 4, 4) or (N, 7) for N
    problems. What has no leading axis, or one of length 1, counts for all. A turn about the final
    normal stays as the start has it.
    estimator: what the Jacobian of the witness points comes from. None: the exact derivative with
    adaptive smoothing, which is the best.
    max_iterations: Jacobians at most. tolerance: of the cost, relative to the squared sum of the
    bounding radii.
    damping: of the steps, relative to the largest diagonal entry of J'J; from 1e-12 to 1.
    num_threads: at most that many; 0: all cores. The answer has the same bits for any number, and
    for problems given in several calls.

    Gauss and Newton's method with backtracking on the cost of ContactPose. It goes down and stops
    where it cannot: `status` and `cost` tell a contact from a local minimum, and another start may
    do better. Raises InvalidInput (a ValueError) that names the argument, TypeError on objects of
    the wrong sort; among many problems a bad one has the status invalid_input. The GIL is released;
    Ctrl-C ends the call.
    """
    single = (
        not isinstance(a, tuple)
        and not isinstance(b, tuple)
        and not _is_many(start)
        and _ndim(target_a) < 2
        and _ndim(target_b) < 2
    )
    columns = _core.solve_contact_poses(
        a,
        b,
        target_a,
        target_b,
        start,
        estimator,
        max_iterations,
        tolerance,
        damping,
        num_threads,
        single,
    )
    if not single:
        return ContactPose(*columns)
    pose, cost, history, residual_a, residual_b, separation, status, iterations, queries = (
        column[0] for column in columns
    )
    return ContactPose(
        pose,
        float(cost),
        history,
        residual_a,
        residual_b,
        separation,
        status,
        int(iterations),
        int(queries),
    )


def _ndim(value: Any) -> int:
    try:
        return np.ndim(value)
    except ValueError:  # rows of different lengths: refused later, with the name of the argument
        return 0


def _is_many(start: Any) -> bool:
    if isinstance(start, tuple) and len(start) == 2:
        return False
    ndim = _ndim(start)
    return ndim > 2 or (ndim == 2 and np.shape(start)[-1] == 7)
