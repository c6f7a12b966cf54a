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
    if isinstance(X, tuple) and len(X) == 2:
        R = X[0].as_matrix() if hasattr(X[0], "as_matrix") else X[0]
        if np.ndim(R) in (2, 3) and np.ndim(X[1]) in (1, 2) and np.ndim(R) + np.ndim(X[1]) > 3:
            count = len(R) if np.ndim(R) == 3 else len(X[1])
            return list(
                zip(
                    np.broadcast_to(R, (count, 3, 3)),
                    np.broadcast_to(X[1], (count, 3)),
                    strict=True,
                )
            )
    if not hasattr(X, "__iter__") or isinstance(X, (str, bytes)):
        raise TypeError(
            f"X: got {type(X).__name__}; give (N, 4, 4) or (N, 7) poses, or a list of poses"
        )
    return list(X)
