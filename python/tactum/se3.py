# SPDX-License-Identifier: BSD-2-Clause
"""Small motions of poses: exp, log, retraction and its Jacobian, in the convention of the library.

A tangent is d = [v; w], linear first, of the right perturbation X exp(d): the frame "local" of all
Jacobians of this package, and of Pinocchio. All functions take leading axes: tangents (..., 6),
poses (..., 4, 4).

    X = tactum.se3.retract(X0, d)                    # the pose that an optimizer tries
    r = tactum.distance_derivative(a, X, b, X_WB)
    gradient = r.distance_jacobian[:6] @ tactum.se3.retract_jacobian(d)   # by d
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._call_errors import explained

__all__ = ["difference", "exp", "log", "log_jacobian", "retract", "retract_jacobian"]

Array = npt.NDArray[np.float64]

SMALL = 1e-2  #: rad: below, series are more accurate than the closed forms


def _hat(w: Array) -> Array:
    result = np.zeros((*w.shape[:-1], 3, 3))
    x, y, z = np.moveaxis(w, -1, 0)
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -z, y, -x
    result[..., 1, 0], result[..., 2, 0], result[..., 2, 1] = z, -y, x
    return result


def _tangents(d: npt.ArrayLike, name: str = "tangent") -> Array:
    from ._errors import InvalidInput

    array = np.asarray(d, dtype=float)
    if array.shape[-1:] != (6,):
        raise InvalidInput(name, f"an array of shape {array.shape}", "give (..., 6): [v; w]")
    if not np.isfinite(array).all():
        raise InvalidInput(name, "numbers that are not finite", "give finite numbers")
    return array


def _poses(X: npt.ArrayLike, name: str = "X") -> Array:
    from . import pose_matrix
    from ._errors import InvalidInput

    if not isinstance(X, np.ndarray) or X.ndim < 3:
        return np.asarray(pose_matrix(X))
    if X.shape[-2:] != (4, 4) or not np.isfinite(X).all():
        raise InvalidInput(name, f"an array of shape {X.shape}", "give finite (..., 4, 4) poses")
    return np.asarray(X, dtype=float)


def _coefficients(angle: Array) -> tuple[Array, Array, Array, Array, Array]:
    """sin t / t, (1 - cos t) / t^2, (t - sin t) / t^3, and the two of the mixed block,
    (t^2 + 2 cos t - 2) / (2 t^4) and (2 t - 3 sin t + t cos t) / (2 t^5)."""
    t2 = angle * angle
    t = np.where(angle < SMALL, 1.0, angle)
    s, c = np.sin(t), np.cos(t)
    small = angle < SMALL
    a = np.where(small, 1 - t2 / 6 + t2**2 / 120 - t2**3 / 5040, s / t)
    b = np.where(small, 0.5 - t2 / 24 + t2**2 / 720 - t2**3 / 40320, (1 - c) / t**2)
    e = np.where(small, 1 / 6 - t2 / 120 + t2**2 / 5040 - t2**3 / 362880, (t - s) / t**3)
    p = np.where(
        angle < 0.3,
        1 / 24 - t2 / 720 + t2**2 / 40320 - t2**3 / 3628800 + t2**4 / 479001600,
        (t**2 + 2 * c - 2) / (2 * t**4),
    )
    q = np.where(
        angle < 0.3,
        1 / 120 - t2 / 2520 + t2**2 / 120960 - t2**3 / 9979200 + t2**4 / 1245404160,
        (2 * t - 3 * s + t * c) / (2 * t**5),
    )
    return a, b, e, p, q


def _block(x: Array) -> Array:
    return x[..., None, None]


@explained
def exp(tangent: npt.ArrayLike) -> Array:
    """The pose (..., 4, 4) that a motion [v; w] (..., 6) leads to, from the identity."""
    d = _tangents(tangent)
    v, w = d[..., :3], d[..., 3:]
    W = _hat(w)
    W2 = W @ W
    a, b, e, _, _ = _coefficients(np.linalg.norm(w, axis=-1))
    X = np.zeros((*d.shape[:-1], 4, 4))
    X[..., :3, :3] = np.eye(3) + _block(a) * W + _block(b) * W2
    V = np.eye(3) + _block(b) * W + _block(e) * W2
    X[..., :3, 3] = np.einsum("...ij,...j->...i", V, v)
    X[..., 3, 3] = 1.0
    return X


def _log_rotation(R: Array) -> Array:
    """Rotation vectors of length at most pi, by the quaternion, which is well behaved near pi."""
    m = np.stack(
        [
            1 + R[..., 0, 0] - R[..., 1, 1] - R[..., 2, 2],
            1 - R[..., 0, 0] + R[..., 1, 1] - R[..., 2, 2],
            1 - R[..., 0, 0] - R[..., 1, 1] + R[..., 2, 2],
            1 + R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2],
        ],
        axis=-1,
    )
    # four formulas for the quaternion, each divided by another component: take the largest
    s01, s02, s12 = (R[..., i, j] + R[..., j, i] for i, j in ((0, 1), (0, 2), (1, 2)))
    d0, d1, d2 = (R[..., j, i] - R[..., i, j] for i, j in ((1, 2), (2, 0), (0, 1)))
    rows = np.stack(
        [
            np.stack([m[..., 0], s01, s02, d0], -1),
            np.stack([s01, m[..., 1], s12, d1], -1),
            np.stack([s02, s12, m[..., 2], d2], -1),
            np.stack([d0, d1, d2, m[..., 3]], -1),
        ],
        axis=-2,
    )
    best = np.argmax(m, axis=-1)
    q = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    q = np.where(q[..., 3:] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., :3], axis=-1)
    angle = 2 * np.arctan2(sine, q[..., 3])
    factor = np.where(
        sine < 1e-8, 2.0 / np.maximum(q[..., 3], 0.5), angle / np.maximum(sine, 1e-300)
    )
    return np.asarray(factor[..., None] * q[..., :3])


@explained
def log(X: npt.ArrayLike) -> Array:
    """The motion [v; w] (..., 6) with exp(log(X)) = X; the angle is at most pi."""
    poses = _poses(X)
    w = _log_rotation(poses[..., :3, :3])
    v = np.linalg.solve(_left_rotation(w), poses[..., :3, 3, None])[..., 0]
    return np.concatenate([v, w], axis=-1)


def _left_rotation(w: Array) -> Array:
    W = _hat(w)
    _, b, e, _, _ = _coefficients(np.linalg.norm(w, axis=-1))
    return np.asarray(np.eye(3) + _block(b) * W + _block(e) * W @ W)


@explained
def retract(X: npt.ArrayLike, tangent: npt.ArrayLike) -> Array:
    """X exp(tangent): the pose after a motion in the axes of the moving frame."""
    return np.asarray(_poses(X) @ exp(tangent))


@explained
def difference(X0: npt.ArrayLike, X1: npt.ArrayLike) -> Array:
    """The motion that leads from X0 to X1: retract(X0, difference(X0, X1)) = X1."""
    first, second = _poses(X0, "X0"), _poses(X1, "X1")
    inverse = np.zeros_like(first)
    inverse[..., :3, :3] = np.swapaxes(first[..., :3, :3], -1, -2)
    inverse[..., :3, 3] = -np.einsum("...ji,...j->...i", first[..., :3, :3], first[..., :3, 3])
    inverse[..., 3, 3] = 1.0
    return log(inverse @ second)


@explained
def retract_jacobian(tangent: npt.ArrayLike) -> Array:
    """(..., 6, 6) Jacobian of retract(X, d) by d, in the local frame of the result: multiply a
    Jacobian of this package from the right by it to have the derivative by d.

    retract(X, d + h) = retract(retract(X, d), retract_jacobian(d) h), to first order in h.
    """
    # the right Jacobian of SE(3) at d is the left one at -d; its mixed block is in T. Barfoot,
    # State Estimation for Robotics, 2017, equation 7.86
    d = -_tangents(tangent)
    V, W = _hat(d[..., :3]), _hat(d[..., 3:])
    _, _, e, p, q = _coefficients(np.linalg.norm(d[..., 3:], axis=-1))
    WV, VW = W @ V, V @ W
    WVW = WV @ W
    mixed = (
        0.5 * V
        + _block(e) * (WV + VW + WVW)
        + _block(p) * (W @ WV + VW @ W - 3 * WVW)
        + _block(q) * (WVW @ W + W @ WVW)
    )
    result = np.zeros((*d.shape[:-1], 6, 6))
    turn = _left_rotation(d[..., 3:])
    result[..., :3, :3] = turn
    result[..., 3:, 3:] = turn
    result[..., :3, 3:] = mixed
    return result


@explained
def log_jacobian(X: npt.ArrayLike) -> Array:
    """(..., 6, 6) Jacobian of log(X) by a local motion of X: the inverse of retract_jacobian."""
    return np.asarray(np.linalg.inv(retract_jacobian(log(X))), dtype=np.float64)
