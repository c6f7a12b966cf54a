# SPDX-License-Identifier: BSD-2-Clause
"""Poses in every form that the library takes, as arrays (..., 7) or (..., 4, 4) of a framework, made
by operations that it differentiates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._core import pose_matrix
from ._errors import InvalidInput

_TOP = np.eye(4, 3)
_RIGHT = np.array([0.0, 0.0, 0.0, 1.0])
_CORNER = np.diag(_RIGHT)
_AT_START = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def pose_of(
    X: Any, field: str, array: Callable[[Any, str], Any], constant: Callable[[Any, Any], Any]
) -> Any:
    """The pose as one array. None, a (3,) translation, a pair (R, t), objects with a matrix and
    lists of single poses are understood; everything else goes to `array` as it is.

    array(value, field): numbers in the framework. constant(numbers, like): numbers with the type
    and at the place of another array, or of single precision where that is None.
    """
    if X is None:
        return constant(np.eye(4), None)
    if _is_pair(X):
        return _joined(array(X[0], f"{field}[0]"), array(X[1], f"{field}[1]"), field, constant)
    numbers = array(_numbers_of(X), field)
    if tuple(numbers.shape) == (3,):
        return numbers @ constant(np.eye(3, 7), numbers) + constant(_AT_START, numbers)
    return numbers


def _is_pair(X: Any) -> bool:
    """Whether it is a rotation and a translation."""
    if not isinstance(X, (tuple, list)) or len(X) != 2:
        return False
    shape = getattr(X[0], "shape", None)
    if shape is None:
        try:
            shape = np.shape(X[0])
        except ValueError:  # lists of different lengths
            return False
    return tuple(shape[-2:]) == (3, 3)


def _has_matrix(X: Any) -> bool:
    return hasattr(type(X), "homogeneous") or hasattr(type(X), "as_matrix")


def _numbers_of(X: Any) -> Any:
    """Matrices of objects that have one, and of lists of single poses that are no numbers."""
    if _has_matrix(X):
        return X.homogeneous if hasattr(type(X), "homogeneous") else X.as_matrix()
    if isinstance(X, list) and X and (X[0] is None or _has_matrix(X[0]) or _is_pair(X[0])):
        return np.stack([pose_matrix(x) for x in X])
    return X


def _joined(R: Any, t: Any, field: str, constant: Callable[[Any, Any], Any]) -> Any:
    """(..., 4, 4) of rotations (..., 3, 3) and translations (..., 3)."""
    if tuple(t.shape[-1:]) != (3,):
        shapes = f"arrays of shape {tuple(R.shape)} and {tuple(t.shape)}"
        raise InvalidInput(field, shapes, "give (R, t): (..., 3, 3) and (..., 3)")
    turn = constant(_TOP, R) @ R @ constant(_TOP.T, R) + constant(_CORNER, R)
    moved = t @ constant(_TOP.T, t)
    return turn + moved[..., :, None] * constant(_RIGHT, t)
