# SPDX-License-Identifier: BSD-2-Clause
"""Bad input raises, and says which field, which value, and what to give instead."""

import math
from collections.abc import Callable

import numpy as np
import tactum

sphere = tactum.Sphere(radius=1.0)
ground = tactum.HalfSpace()
mirrored = np.diag([1.0, 1.0, -1.0, 1.0])
not_finite = np.eye(4)
not_finite[0, 3] = math.nan


def attempt(what: str, call: Callable[[], object]) -> None:
    try:
        call()
    except tactum.InvalidInput as error:
        print(f"{what}: field {error.field}, value {error.value}")
        print(f"    {error}")


attempt("negative size", lambda: tactum.Box(half_extents=(0.1, -0.2, 0.3)))
attempt("no points", lambda: tactum.Convex.from_points(np.empty((0, 3))))
attempt("mirrored pose", lambda: tactum.distance(sphere, mirrored, sphere, np.eye(4)))
attempt("pose with NaN", lambda: tactum.distance(sphere, np.eye(4), sphere, not_finite))
attempt("two half-spaces", lambda: tactum.distance(ground, np.eye(4), ground, np.eye(4)))

# nothing changed: the same shapes go on working
print(
    f"distance {tactum.distance(sphere, np.eye(4), ground, (np.eye(3), [0.0, 0.0, -3.0])).distance:.6f}"
)
