# SPDX-License-Identifier: BSD-2-Clause
"""Poses as the bridges take them, and how the numbers that describe a pose move it.

A pose is (x, y, z, qx, qy, qz, qw), a (4, 4) matrix, or one of these times exp([v; w]). The library
differentiates by the local tangent X exp(d); here that is carried on to the numbers given: a
Jacobian by the tangent times `pull_back_...` is one by them. N rows at once.

Sources: Sola, Deray, Atchuthan 2021, eq. 145 (exp), 179 and 180 (its Jacobian); Barfoot 2017,
section 7.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ._errors import InvalidInput

Array = npt.NDArray[np.float64]

# : how far from orthonormal a matrix may be: the nearest rotation is taken, and differentiated as
# if the matrix were it
ROTATION_TOLERANCE = 1e-3


@dataclass
class Poses:
    """N poses: rotations (N, 3, 3) and translations (N, 3)."""

    rotation: Array
    translation: Array

    def matrices(self) -> Array:
        """(N, 4, 4)."""
        X = np.zeros((len(self.rotation), 4, 4))
        X[:, :3, :3], X[:, :3, 3], X[:, 3, 3] = self.rotation, self.translation, 1.0
        return X

    def compose(self, other: Poses) -> Poses:
        """X_AC = X_AB X_BC."""
        moved = (self.rotation @ other.translation[:, :, None])[:, :, 0]
        return Poses(self.rotation @ other.rotation, moved + self.translation)


def hat(v: Array) -> Array:
    """(N, 3) vectors as (N, 3, 3) matrices of the cross product."""
    result = np.zeros((len(v), 3, 3))
    result[:, 2, 1], result[:, 0, 2], result[:, 1, 0] = v[:, 0], v[:, 1], v[:, 2]
    return result - result.transpose(0, 2, 1)


def refuse(field: str, bad: npt.NDArray[np.bool_], value: str, remedy: str) -> None:
    """InvalidInput that names the first bad row."""
    if bad.any():
        raise InvalidInput(
            f"{field}[{int(np.argmax(bad))}]" if len(bad) > 1 else field, value, remedy
        )


def refuse_not_finite(field: str, numbers: Array) -> None:
    """InvalidInput for rows that are not finite."""
    bad = ~np.isfinite(numbers.reshape((len(numbers), math.prod(numbers.shape[1:])))).all(axis=1)
    refuse(field, np.asarray(bad), "numbers that are not finite", "give finite ones")


# -------------------------------------------------------------------------------------- quaternions
def from_xyz_xyzw(numbers: Array, field: str) -> Poses:
    """(N, 7): the quaternion is normalized, whatever its length."""
    refuse_not_finite(field, numbers)
    norm = np.linalg.norm(numbers[:, 3:], axis=1)
    refuse(field, norm < 1e-6, "a quaternion of length zero", "give x, y, z, qx, qy, qz, qw")
    unit = numbers[:, 3:] / np.maximum(norm, 1e-6)[:, None]
    K, w = hat(unit[:, :3]), unit[:, 3][:, None, None]
    return Poses(np.eye(3) + 2.0 * (w * K + K @ K), numbers[:, :3])


def pull_back_xyz_xyzw(numbers: Array, poses: Poses) -> Array:
    """(N, 6, 7): the local tangent of dX. With q = |q| u, the turn is 2 vec(conj(u) dq) / |q|:
    zero along u."""
    squared = (numbers[:, 3:] ** 2).sum(axis=1)[:, None]
    v, w = numbers[:, 3:6], numbers[:, 6][:, None, None]
    result = np.zeros((len(numbers), 6, 7))
    result[:, :3, :3] = poses.rotation.transpose(0, 2, 1)
    result[:, 3:, 3:6] = 2.0 * (w * np.eye(3) - hat(v)) / squared[:, :, None]
    result[:, 3:, 6] = -2.0 * v / squared
    return result


def to_xyz_xyzw(X: Array) -> Array:
    """(N, 7) of rigid matrices (N, 4, 4): the largest of four forms, which does not cancel
    (Shepperd 1978)."""
    R = X[:, :3, :3]
    diagonal = R[:, [0, 1, 2], [0, 1, 2]]
    trace = diagonal.sum(axis=1)
    forms = np.empty((len(X), 4, 4))
    forms[:, :3, :3] = R + R.transpose(0, 2, 1)
    forms[:, [0, 1, 2], [0, 1, 2]] = 1.0 + 2.0 * diagonal - trace[:, None]
    turn = R[:, [2, 0, 1], [1, 2, 0]] - R[:, [1, 2, 0], [2, 0, 1]]
    forms[:, :3, 3] = forms[:, 3, :3] = turn
    forms[:, 3, 3] = 1.0 + trace
    best = forms[:, range(4), range(4)].argmax(axis=1)
    chosen = forms[np.arange(len(X)), best]
    unit = chosen / np.linalg.norm(chosen, axis=1, keepdims=True)
    return np.concatenate([X[:, :3, 3], unit], axis=1)


# ----------------------------------------------------------------------------------------- matrices
def from_matrices(X: Array, field: str) -> Poses:
    """(N, 4, 4): the nearest rotation is taken."""
    refuse_not_finite(field, X)
    R = X[:, :3, :3].copy()
    error = np.abs(R.transpose(0, 2, 1) @ R - np.eye(3)).max(axis=(1, 2)) + np.abs(
        X[:, 3] - [0.0, 0.0, 0.0, 1.0]
    ).max(axis=1)
    bad = (error > ROTATION_TOLERANCE) | (np.linalg.det(R) < 0.0)
    refuse(
        field,
        bad,
        "a matrix that is no pose",
        "give a rotation, a translation and a last row 0, 0, 0, 1",
    )
    off = error > 1e-13
    if off.any():
        U, _, V = np.linalg.svd(R[off])
        R[off] = U @ V
    return Poses(R, X[:, :3, 3])


def pull_back_matrices(poses: Poses) -> Array:
    """(N, 6, 4, 4): the local tangent of dX. The nearest rotation turns by the skew part of R'
    dR."""
    R = poses.rotation
    result = np.zeros((len(R), 6, 4, 4))
    result[:, :3, :3, 3] = R.transpose(0, 2, 1)
    for i, generator in enumerate(hat(np.eye(3))):
        result[:, 3 + i, :3, :3] = 0.5 * (R @ generator)
    return result


# ----------------------------------------------------------------------------------------- tangents
def _coefficients(angle: Array) -> tuple[Array, Array, Array, Array]:
    """(1 - cos a) / a^2, (a - sin a) / a^3, (a^2 / 2 - 1 + cos a) / a^4, (a^3 / 6 - a + sin a) /
    a^5; by series where they cancel."""
    small = angle < 1e-2
    a = np.where(small, 1.0, angle)
    s = angle**2
    sin, cos = np.sin(a), np.cos(a)
    return (
        np.where(small, 1 / 2 - s / 24 + s**2 / 720, (1.0 - cos) / a**2),
        np.where(small, 1 / 6 - s / 120 + s**2 / 5040, (a - sin) / a**3),
        np.where(small, 1 / 24 - s / 720 + s**2 / 40320, (a**2 / 2 - 1.0 + cos) / a**4),
        np.where(small, 1 / 120 - s / 5040 + s**2 / 362880, (a**3 / 6 - a + sin) / a**5),
    )


def exponential(tangent: Array) -> Poses:
    """exp([v; w]) of (N, 6)."""
    K = hat(tangent[:, 3:])
    angle = np.linalg.norm(tangent[:, 3:], axis=1)[:, None, None]
    c1, c2, _, _ = _coefficients(angle)
    left = np.eye(3) + c1 * K + c2 * K @ K
    # sin(a) / a = 1 - c2 a^2
    rotation = np.eye(3) + (1.0 - c2 * angle**2) * K + c1 * K @ K
    return Poses(rotation, (left @ tangent[:, :3, None])[:, :, 0])


def right_jacobian(tangent: Array) -> Array:
    """(N, 6, 6): exp(d + dd) = exp(d) exp(J dd), to first order. The left Jacobian at -d."""
    W, V = hat(-tangent[:, 3:]), hat(-tangent[:, :3])
    c1, c2, c3, c4 = _coefficients(np.linalg.norm(tangent[:, 3:], axis=1)[:, None, None])
    WV, VW = W @ V, V @ W
    WVW = WV @ W
    mixed = (
        0.5 * V
        + c2 * (WV + VW + WVW)
        + c3 * (W @ WV + VW @ W - 3.0 * WVW)
        + 0.5 * (c3 - 3.0 * c4) * (WVW @ W + W @ WVW)
    )
    result = np.zeros((len(tangent), 6, 6))
    result[:, :3, :3] = result[:, 3:, 3:] = np.eye(3) + c1 * W + c2 * W @ W
    result[:, :3, 3:] = mixed
    return result


def adjoint_of_inverse(poses: Poses) -> Array:
    """(N, 6, 6): exp(d) X = X exp(Ad(X^-1) d)."""
    turned = poses.rotation.transpose(0, 2, 1)
    result = np.zeros((len(turned), 6, 6))
    result[:, :3, :3] = result[:, 3:, 3:] = turned
    result[:, :3, 3:] = -turned @ hat(poses.translation)
    return result
