# SPDX-License-Identifier: BSD-2-Clause
"""Poses as the bridges take them, and how the numbers that describe a pose move it.

A pose is (x, y, z, qx, qy, qz, qw), a (4, 4) matrix, or one of these times exp([v; w]). The library
differentiates by the motion [v; w] of the origin of a shape in the axes of the world; here that is
carried on to the numbers given: each `pull_back` takes a Jacobian (N, m, 6) by the motion to one by
the numbers. There are few calls of numpy for all rows together, because a call takes a microsecond
where there is one row alone.

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

_EYE = np.eye(3)


def _cross_matrices() -> Array:
    """(3, 9): w @ it is the matrix of the cross product by w, row after row."""
    result = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        result[k, i, j], result[k, j, i] = -1.0, 1.0
    return result.reshape(3, 9)


def _turns_of_quaternions() -> Array:
    """(4, 12): u @ it is the matrix (3, 4) from a change of the unit quaternion u to the turn in the
    world, row after row. The turn is 2 vec(dq conj(u)) = 2 (u_w dv + u_v x dv - dw u_v)."""
    result = np.zeros((4, 3, 4))
    result[3, range(3), range(3)] = 2.0
    result[range(3), range(3), 3] = -2.0
    result[:3, :, :3] += 2.0 * _CROSS.reshape(3, 3, 3)
    return result.reshape(4, 12)


_CROSS = _cross_matrices()
_TURNS = _turns_of_quaternions()


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
    """(..., 3) vectors as (..., 3, 3) matrices of the cross product."""
    return np.asarray((v @ _CROSS).reshape((*v.shape, 3)))


def refuse(field: str, bad: npt.NDArray[np.bool_], value: str, remedy: str) -> None:
    """InvalidInput that names the first bad row."""
    if bad.any():
        raise InvalidInput(
            f"{field}[{int(np.argmax(bad))}]" if len(bad) > 1 else field, value, remedy
        )


def refuse_not_finite(field: str, numbers: Array) -> None:
    """InvalidInput for rows that are not finite."""
    finite = np.isfinite(numbers)
    if not finite.all():
        bad = ~finite.reshape((len(numbers), math.prod(numbers.shape[1:]))).all(axis=1)
        refuse(field, np.asarray(bad), "numbers that are not finite", "give finite ones")


# -------------------------------------------------------------------------------------- quaternions
class Quaternions:
    """(N, 7) numbers; the quaternion is normalized, whatever its length."""

    def __init__(self, numbers: Array, field: str) -> None:
        q = numbers[:, 3:]
        norm = np.sqrt(np.einsum("ij,ij->i", q, q))
        # an infinite number and one that is none are both seen in the sum
        if not (
            math.isfinite(np.add.reduce(numbers, axis=None))
            and np.minimum.reduce(norm, initial=1.0) >= 1e-6
        ):
            refuse_not_finite(field, numbers)
            no_length = "a quaternion of length zero"
            refuse(field, norm < 1e-6, no_length, "give x, y, z, qx, qy, qz, qw")
        self.inverse_norm = 1.0 / norm[:, None]
        #: (N, 7): what the library takes
        self.given = numbers.copy()
        self.given[:, 3:] *= self.inverse_norm

    def poses(self) -> Poses:
        """Rotations and translations."""
        K, w = hat(self.given[:, 3:6]), self.given[:, 6, None, None]
        return Poses(_EYE + 2.0 * (w * K + K @ K), self.given[:, :3])

    def pull_back(self, J: Array) -> Array:
        """(N, m, 7). The change of a quaternion along itself turns nothing."""
        turns = ((self.given[:, 3:] * self.inverse_norm) @ _TURNS).reshape((-1, 3, 4))
        result = np.empty((*J.shape[:2], 7))
        result[:, :, :3] = J[:, :, :3]
        np.matmul(J[:, :, 3:], turns, out=result[:, :, 3:])
        return result


def rotations(numbers: Array) -> Array:
    """(N, 3, 3) of poses (N, 7) with unit quaternions."""
    K, w = hat(numbers[:, 3:6]), numbers[:, 6][:, None, None]
    return np.asarray(np.eye(3) + 2.0 * (w * K + K @ K))


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
class Matrices:
    """(N, 4, 4) numbers; the nearest rotation is taken."""

    def __init__(self, X: Array, field: str) -> None:
        refuse_not_finite(field, X)
        R = X[:, :3, :3]
        error = np.abs(R.transpose(0, 2, 1) @ R - _EYE).max(axis=(1, 2)) + np.abs(
            X[:, 3] - (0.0, 0.0, 0.0, 1.0)
        ).max(axis=1)
        bad = (error > ROTATION_TOLERANCE) | (np.linalg.det(R) < 0.0)
        refuse(
            field,
            bad,
            "a matrix that is no pose",
            "give a rotation, a translation and a last row 0, 0, 0, 1",
        )
        #: (N, 4, 4): what the library takes
        self.given = X
        off = error > 1e-13
        if off.any():
            U, _, V = np.linalg.svd(R[off])
            self.given = X.copy()
            self.given[off, :3, :3] = U @ V
            self.given[off, 3] = 0.0, 0.0, 0.0, 1.0

    def poses(self) -> Poses:
        """Rotations and translations."""
        return Poses(self.given[:, :3, :3], self.given[:, :3, 3])

    def pull_back(self, J: Array) -> Array:
        """(N, m, 4, 4). The nearest rotation turns by the skew part of dR R'."""
        result = np.zeros((*J.shape[:2], 4, 4))
        result[:, :, :3, :3] = hat(0.5 * J[:, :, 3:]) @ self.given[:, None, :3, :3]
        result[:, :, :3, 3] = J[:, :, :3]
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
    left = _EYE + c1 * K + c2 * K @ K
    # sin(a) / a = 1 - c2 a^2
    rotation = _EYE + (1.0 - c2 * angle**2) * K + c1 * K @ K
    return Poses(rotation, (left @ tangent[:, :3, None])[:, :, 0])


def times_right_jacobian(J: Array, tangent: Array) -> Array:
    """(N, m, 6): rows by the local motion times the right Jacobian, exp(d + dd) = exp(d) exp(Jr dd)
    to first order, which is the left Jacobian at -d. Rows go through the products of matrices one
    after the other: the matrices themselves would take most of the time."""
    W, V = hat(-tangent[:, 3:]), hat(-tangent[:, :3])
    c1, c2, c3, c4 = _coefficients(np.linalg.norm(tangent[:, 3:], axis=1)[:, None, None])
    m = J.shape[1]
    both = np.concatenate([J[:, :, :3], J[:, :, 3:]], axis=1)
    w = both @ W
    ww = w @ W
    diagonal = both + c1 * w + c2 * ww
    v, wv, wwv = J[:, :, :3] @ V, w[:, :m] @ V, ww[:, :m] @ V
    vw, wvw = v @ W, wv @ W
    mixed = (
        0.5 * v
        + c2 * (wv + vw + wvw)
        + c3 * (wwv + vw @ W - 3.0 * wvw)
        + 0.5 * (c3 - 3.0 * c4) * (wvw @ W + wwv @ W)
    )
    return np.concatenate([diagonal[:, :m], diagonal[:, m:] + mixed], axis=2)


class Tangents:
    """Poses X exp([v; w]) of base poses X, in any of the two forms, and (N, 6) tangents."""

    def __init__(self, base: Quaternions | Matrices, tangent: Array, field: str) -> None:
        refuse_not_finite(field, tangent)
        self.base, self.tangent = base, tangent
        self.start = base.poses()
        self.end = self.start.compose(exponential(tangent))
        #: (N, 4, 4): what the library takes
        self.given = self.end.matrices()

    def pull_back(self, J: Array) -> Array:
        """(N, m, 7) or (N, m, 4, 4), by the numbers of the base: the origin of the end turns about
        that of the start."""
        arm = hat(self.end.translation - self.start.translation)
        at_start = J.copy()
        at_start[:, :, 3:] -= J[:, :, :3] @ arm
        return self.base.pull_back(at_start)

    def pull_back_tangent(self, J: Array) -> Array:
        """(N, m, 6), by the tangent."""
        local = np.empty(J.shape)
        local[:, :, :3] = J[:, :, :3] @ self.end.rotation
        local[:, :, 3:] = J[:, :, 3:] @ self.end.rotation
        return times_right_jacobian(local, self.tangent)


Given = Quaternions | Matrices | Tangents
