# SPDX-License-Identifier: BSD-2-Clause
"""Derivatives of charts: how tangent vectors at one position go over to another."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
STEP = 1e-3  # rad and m: of differences that are extrapolated to rounding


def chart_jacobian(function: Callable[[Array], Array], size: int) -> Array:
    """Derivative at zero of a smooth function of a tangent space. Three central differences leave an
    error of the seventh derivative times STEP^6, which is below rounding for exponentials and
    logarithms of poses."""
    columns = []
    for i in range(size):
        unit = np.zeros(size)
        unit[i] = STEP
        one, two, three = ((function(k * unit) - function(-k * unit)) / (2 * k) for k in (1, 2, 3))
        columns.append((1.5 * one - 0.6 * two + 0.1 * three) / STEP)
    return np.stack(columns, axis=1)
