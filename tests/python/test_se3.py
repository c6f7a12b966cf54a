# SPDX-License-Identifier: BSD-2-Clause
"""Small motions: exp against the matrix exponential, log against exp, the Jacobian of the
retraction against differences, and a distance by an optimizer's variables."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
import tactum
from scipy.linalg import expm
from tactum import se3

RNG = np.random.default_rng(11)
ANGLES = (0.0, 1e-12, 1e-9, 1e-6, 1e-4, 9.9e-3, 1.01e-2, 0.29, 0.31, 1.0, 2.0, 3.0, 3.14159, np.pi)


def tangents(angle: float, count: int = 5) -> npt.NDArray[np.float64]:
    d = RNG.normal(size=(count, 6))
    d[:, 3:] *= angle / np.linalg.norm(d[:, 3:], axis=1, keepdims=True)
    return d


@pytest.mark.parametrize("angle", ANGLES)
def test_exp_is_the_matrix_exponential(angle: float) -> None:
    for d in tangents(angle):
        twist = np.zeros((4, 4))
        twist[:3, :3] = [[0, -d[5], d[4]], [d[5], 0, -d[3]], [-d[4], d[3], 0]]
        twist[:3, 3] = d[:3]
        assert np.abs(se3.exp(d) - expm(twist)).max() < 1e-14


@pytest.mark.parametrize("angle", ANGLES)
def test_log_undoes_exp(angle: float) -> None:
    d = tangents(angle, 20)
    X = se3.exp(d)
    again = se3.log(X)
    assert np.abs(se3.exp(again) - X).max() < 1e-13
    if angle < 3.1:
        assert np.abs(again - d).max() < 1e-12
    assert np.linalg.norm(again[:, 3:], axis=1).max() <= np.pi + 1e-12


@pytest.mark.parametrize("angle", [a for a in ANGLES if a < 3.1])
def test_the_jacobian_of_the_retraction_is_that_of_differences(angle: float) -> None:
    X = se3.exp(RNG.normal(size=6))
    for d in tangents(angle):
        J = se3.retract_jacobian(d)
        here, step = se3.retract(X, d), 1e-5
        for column in range(6):
            h = np.zeros(6)
            h[column] = step
            moved = se3.difference(here, se3.retract(X, d + h)) - se3.difference(
                here, se3.retract(X, d - h)
            )
            assert np.abs(moved / (2 * step) - J[:, column]).max() < 2e-9
        assert np.allclose(se3.log_jacobian(se3.exp(d)) @ J, np.eye(6), atol=1e-12)


def test_leading_axes_and_bad_input() -> None:
    d = RNG.normal(size=(2, 3, 6))
    assert se3.exp(d).shape == (2, 3, 4, 4) and se3.log(se3.exp(d)).shape == (2, 3, 6)
    assert se3.retract_jacobian(d).shape == (2, 3, 6, 6)
    assert np.allclose(se3.exp(d)[1, 2], se3.exp(d[1, 2]))
    assert np.allclose(se3.retract(None, d[0, 0]), se3.exp(d[0, 0]))
    with pytest.raises(tactum.InvalidInput, match=r"tangent: got an array of shape \(5,\)"):
        se3.exp(np.zeros(5))
    with pytest.raises(tactum.InvalidInput, match=r"not finite"):
        se3.exp(np.full(6, np.nan))


def test_gradients_by_an_optimizers_variables() -> None:
    a = tactum.Ellipsoid(semi_axes=(0.3, 0.2, 0.5))
    b = tactum.Capsule(radius=0.1, half_length=0.3)
    X0, X_WB = se3.exp(RNG.normal(size=6)), tactum.pose((2.0, 0.1, 0.3))
    d = 0.5 * RNG.normal(size=6)

    def distance(at: npt.NDArray[np.float64]) -> float:
        return tactum.distance(a, se3.retract(X0, at), b, X_WB, tolerance=2e-14).distance

    r = tactum.distance_derivative(a, se3.retract(X0, d), b, X_WB)
    gradient = r.distance_jacobian[:6] @ se3.retract_jacobian(d)
    steps = 1e-6 * np.eye(6)
    differences = [(distance(d + h) - distance(d - h)) / 2e-6 for h in steps]
    assert r.smooth and np.abs(gradient - differences).max() < 1e-8


def test_the_convention_is_that_of_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    d = RNG.normal(size=6)
    assert np.allclose(pin.exp6(d).homogeneous, se3.exp(d), atol=1e-14)
    assert np.allclose(pin.Jexp6(d), se3.retract_jacobian(d), atol=1e-13)
    assert np.allclose(pin.log6(pin.exp6(d)).vector, se3.log(se3.exp(d)), atol=1e-13)
