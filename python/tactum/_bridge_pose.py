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
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import InvalidInput

Array = npt.NDArray[np.float64]

# : how far from orthonormal a matrix may be: the nearest rotation is taken, and differentiated as
# if the matrix were it
ROTATION_TOLERANCE = 1e-3

_LAST_ROW = np.array([0.0, 0.0, 0.0, 1.0])


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


def _turns(v: Array, a: Any, b: Any) -> Array:
    """(N, 3, 3): I + a K + b K K, K being the matrices of the cross product by v (3, N)."""
    x, y, z = v
    bx, by, bz = b * v
    ax, ay, az = a * v
    result = np.empty((v.shape[1], 3, 3))
    xx, yy, zz = bx * x, by * y, bz * z
    xy, yz, zx = bx * y, by * z, bz * x
    result[:, 0, 0], result[:, 0, 1], result[:, 0, 2] = 1.0 - (yy + zz), xy - az, zx + ay
    result[:, 1, 0], result[:, 1, 1], result[:, 1, 2] = xy + az, 1.0 - (zz + xx), yz - ax
    result[:, 2, 0], result[:, 2, 1], result[:, 2, 2] = zx - ay, yz + ax, 1.0 - (xx + yy)
    return result


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
        return Poses(rotations(self.given), self.given[:, :3])

    def pull_back(self, J: Array) -> Array:
        """(N, m, 7). The change of a quaternion along itself turns nothing."""
        turns = ((self.given[:, 3:] * self.inverse_norm) @ _TURNS).reshape((-1, 3, 4))
        result = np.empty((*J.shape[:2], 7))
        result[:, :, :3] = J[:, :, :3]
        np.matmul(J[:, :, 3:], turns, out=result[:, :, 3:])
        return result


def rotations(numbers: Array) -> Array:
    """(N, 3, 3) of poses (N, 7) with unit quaternions."""
    q = np.ascontiguousarray(numbers[:, 3:].T)
    return _turns(q[:3], 2.0 * q[3], 2.0)


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
        a, b, c = np.ascontiguousarray(R.transpose(2, 1, 0))  # columns
        of_axes = [
            (a * a, 1.0),
            (b * b, 1.0),
            (c * c, 1.0),
            (a * b, 0.0),
            (b * c, 0.0),
            (c * a, 0.0),
        ]
        error = np.abs(X[:, 3] - _LAST_ROW).max(axis=1, initial=0.0)
        error = error + np.max([np.abs(p.sum(axis=0) - wanted) for p, wanted in of_axes], axis=0)
        bad = (error > ROTATION_TOLERANCE) | ((_cross(a, b) * c).sum(axis=0) < 0.0)
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
    s, a2 = angle * angle, a * a
    a3 = a * a2
    sin, cos = np.sin(a), np.cos(a)
    return (
        np.where(small, 1 / 2 - s * (1 / 24 - s / 720), (1.0 - cos) / a2),
        np.where(small, 1 / 6 - s * (1 / 120 - s / 5040), (a - sin) / a3),
        np.where(small, 1 / 24 - s * (1 / 720 - s / 40320), (a2 / 2 - 1.0 + cos) / (a2 * a2)),
        np.where(small, 1 / 120 - s * (1 / 5040 - s / 362880), (a3 / 6 - a + sin) / (a2 * a3)),
    )


def _cross(a: Array, b: Array) -> Array:
    """Cross products of vectors (3, ...), whose numbers lie one after the other for all rows: a
    product of small matrices takes ten times as long."""
    result = np.empty(a.shape)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.subtract(a[j] * b[k], a[k] * b[j], out=result[i])
    return result


def exponential(tangent: Array) -> Poses:
    """exp([v; w]) of (N, 6)."""
    numbers = np.ascontiguousarray(tangent.T)
    v, w = numbers[:3], numbers[3:]
    s = (w * w).sum(axis=0)
    c1, c2, _, _ = _coefficients(np.sqrt(s))
    moved = _cross(w, v)
    # sin(a) / a = 1 - c2 a^2
    rotation = _turns(w, 1.0 - c2 * s, c1)
    return Poses(rotation, (v + c1 * moved + c2 * _cross(w, moved)).T)


def times_right_jacobian(J: Array, tangent: Array) -> Array:
    """(N, m, 6): rows by the local motion times the right Jacobian, exp(d + dd) = exp(d) exp(Jr dd)
    to first order, which is the left Jacobian at -d. A row times the matrix of a cross product is
    the cross product of the row and the vector."""
    numbers, rows = -tangent.T[:, None, :], J.transpose(2, 1, 0)
    v, w = np.ascontiguousarray(numbers[:3]), np.ascontiguousarray(numbers[3:])
    c1, c2, c3, c4 = _coefficients(np.sqrt((w * w).sum(axis=0)))
    m = J.shape[1]
    both = np.concatenate([rows[:3], rows[3:]], axis=1)
    times_w = _cross(both, w)
    times_ww = _cross(times_w, w)
    diagonal = both + c1 * times_w + c2 * times_ww
    by_v = _cross(both[:, :m], v)
    by_wv, by_wwv = _cross(times_w[:, :m], v), _cross(times_ww[:, :m], v)
    by_vw, by_wvw = _cross(by_v, w), _cross(by_wv, w)
    mixed = (
        0.5 * by_v
        + c2 * (by_wv + by_vw + by_wvw)
        + c3 * (by_wwv + _cross(by_vw, w) - 3.0 * by_wvw)
        + 0.5 * (c3 - 3.0 * c4) * _cross(by_wvw + by_wwv, w)
    )
    diagonal[:, m:] += mixed
    result = np.empty(J.shape)
    result[:, :, :3] = diagonal[:, :m].transpose(2, 1, 0)
    result[:, :, 3:] = diagonal[:, m:].transpose(2, 1, 0)
    return result


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
