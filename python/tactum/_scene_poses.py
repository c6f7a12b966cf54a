# SPDX-License-Identifier: BSD-2-Clause
"""Poses of many objects, in every form that a batch takes, as a list of single poses."""

from __future__ import annotations

from typing import Any

import numpy as np


def matrices(X: Any) -> list[Any]:
    """One pose for each object: the items of a list, the rows of an array, or of a pair (R, t) of
    arrays."""
    if hasattr(X, "as_matrix"):
        X = X.as_matrix()
    if isinstance(X, tuple) and len(X) == 2 and np.ndim(X[0]) == 3:
        return list(zip(np.asarray(X[0]), np.broadcast_to(X[1], (len(X[0]), 3)), strict=True))
    return list(X)
