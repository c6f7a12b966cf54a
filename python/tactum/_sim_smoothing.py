# SPDX-License-Identifier: BSD-2-Clause
"""Smoothing of a step: the derivative of the mean of next states over Gaussian noise, or of a step
with relaxed complementarity.

With noise z ~ N(0, 1) of scales s, the smoothed step is F(x, u) = E[f(x + s z)]. Its derivative is

    zeroth order   E[(f(x + s z) - f(x - s z)) z^T] / (2 s)     from steps alone
    first order    E[f'(x + s z)]                               from exact derivatives

They agree where f is continuous. Where it jumps, the first order misses what the jump adds.

Relaxed complementarity needs no samples: contact forces obey f . s = m v^2 / dt in place of 0.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ._chart import Array, chart_jacobian
from ._errors import InvalidInput
from ._sim import Model, State, StepOptions, step, step_derivative


class SmoothedDerivative(NamedTuple):
    """Derivatives of the mean of the next position and velocity, (nv, nv) each, in the tangent space
    of the step without noise. `standard_error` (2 nv, 3 nv) is that of each number over the samples, with
    rows by position and velocity and columns by q, v and tau. Of order "relaxed" there are no samples,
    the errors are zero, and the tangent space is that of the relaxed step."""

    dq_dq: Array
    dq_dv: Array
    dq_dtau: Array
    dv_dq: Array
    dv_dv: Array
    dv_dtau: Array
    standard_error: Array
    order: int | Literal["relaxed"]
    samples: int


class _Noise:
    """The step of a state with noise, as a function of the noise."""

    def __init__(self, model: Model, state: State, tau: Array, scales: Array, rest: Any) -> None:
        self.model, self.state, self.tau, self.scales, self.rest = model, state, tau, scales, rest
        self.base = step(model, state, tau, **rest).state

    def moved(self, noise: Array) -> tuple[State, Array]:
        nv = self.model.nv
        change = self.scales * noise
        other = self.state.copy()
        other.q = self.model.integrate(self.state.q, change[:nv])
        other.v = self.state.v + change[nv : 2 * nv]
        return other, self.tau + change[2 * nv :]

    def tangent(self, q: Array) -> Array:
        out: Array = self.model.difference(self.base.q, q)
        return out

    def value(self, noise: Array) -> Array:
        """Next position and velocity, from those without noise."""
        other, force = self.moved(noise)
        after = step(self.model, other, force, **self.rest).state
        return np.concatenate((self.tangent(after.q), after.v - self.base.v))

    def jacobian(self, noise: Array) -> Array:
        """Derivative of `value` by the state and the forces to which the noise is added."""
        model, nv = self.model, self.model.nv
        other, force = self.moved(noise)
        result = step(model, other, force, tape=True, **self.rest)
        J = step_derivative(result)
        rows = np.hstack((J.dq_dq, J.dq_dv, J.dq_dtau)), np.hstack((J.dv_dq, J.dv_dv, J.dv_dtau))
        after = chart_jacobian(lambda d: self.tangent(model.integrate(result.state.q, d)), nv)
        whole = np.vstack((after @ rows[0], rows[1]))
        if np.any(self.scales[:nv] != 0.0):
            # noise is added after the change of position, in its own axes
            change = (self.scales * noise)[:nv]
            before = chart_jacobian(
                lambda d: model.difference(
                    other.q, model.integrate(model.integrate(self.state.q, d), change)
                ),
                nv,
            )
            whole[:, :nv] = whole[:, :nv] @ before
        return whole


def _scale(value: npt.ArrayLike, nv: int, field: str) -> Array:
    given = np.asarray(value, dtype=float)
    if given.shape not in ((), (nv,)) or not np.all(np.isfinite(given)) or np.any(given < 0.0):
        raise InvalidInput(field, str(value), f"give a number >= 0, or {nv} of them")
    return np.broadcast_to(given, (nv,)).astype(float)


def _relaxed(
    model: Model,
    state: State,
    tau: npt.ArrayLike | None,
    dt: float,
    velocity_scale: npt.ArrayLike,
    solver: str,
    options: StepOptions | None,
) -> SmoothedDerivative:
    """The derivative of a step with relaxed complementarity."""
    scale = np.asarray(velocity_scale, dtype=float)
    if scale.shape != () or not np.isfinite(scale) or scale <= 0.0:
        raise InvalidInput("velocity_scale", str(velocity_scale), "give one number > 0 in m/s")
    result = step(model, state, tau, dt=dt, solver=solver, options=options, tape=True)
    J = step_derivative(result, relaxation=float(scale))
    error = np.zeros((2 * model.nv, 3 * model.nv))
    blocks = (J.dq_dq, J.dq_dv, J.dq_dtau, J.dv_dq, J.dv_dv, J.dv_dtau)
    return SmoothedDerivative(*blocks, error, "relaxed", 0)


def smoothed_derivative(
    model: Model,
    state: State,
    tau: npt.ArrayLike | None = None,
    dt: float = 1e-3,
    *,
    order: int | Literal["relaxed"] = 1,
    samples: int = 50,
    position_scale: npt.ArrayLike = 0.0,
    velocity_scale: npt.ArrayLike = 1e-2,
    force_scale: npt.ArrayLike = 0.0,
    seed: int = 0,
    solver: str = "ncp_admm",
    options: StepOptions | None = None,
) -> SmoothedDerivative:
    """Derivative of a step, smoothed by Gaussian noise in what goes in, or by relaxed complementarity.

    order: 0 takes 2 `samples` steps, 1 takes `samples` exact derivatives; "relaxed" takes one step
    whose contact forces f and velocities s obey f . s = m velocity_scale^2 / dt, with one number as
    velocity_scale, and reads neither samples nor the other scales. position_scale (m, rad),
    velocity_scale (m/s, rad/s), force_scale (N, N m): standard deviations, one number or nv of them;
    the zeroth order knows nothing of entries with scale 0, whose columns are zero. Noise comes in
    opposite pairs from `seed`. Raises InvalidInput for a bad order, samples or scale.
    """
    if order == "relaxed":
        return _relaxed(model, state, tau, dt, velocity_scale, solver, options)
    if order not in (0, 1):
        raise InvalidInput("order", str(order), "give 0, 1 or 'relaxed'")
    if samples < 2 or samples % 2:
        raise InvalidInput("samples", str(samples), "give an even number of at least 2")
    nv = model.nv
    scales = np.concatenate(
        (
            _scale(position_scale, nv, "position_scale"),
            _scale(velocity_scale, nv, "velocity_scale"),
            _scale(force_scale, nv, "force_scale"),
        )
    )
    if not np.any(scales > 0.0):
        raise InvalidInput("scales", "0", "give at least one that is positive")
    forces = np.zeros(nv) if tau is None else np.asarray(tau, dtype=float)
    rest = {"dt": dt, "solver": solver, "options": options}
    noisy = _Noise(model, state, forces, scales, rest)
    inverse = np.divide(1.0, scales, out=np.zeros_like(scales), where=scales > 0.0)
    rng = np.random.default_rng(seed)
    found = np.empty((samples // (2 if order else 1), 2 * nv, 3 * nv))
    for k in range(len(found)):
        noise = rng.normal(size=3 * nv)
        if order == 1:
            found[k] = 0.5 * (noisy.jacobian(noise) + noisy.jacobian(-noise))
        else:
            found[k] = np.outer(noisy.value(noise) - noisy.value(-noise), 0.5 * noise * inverse)
    mean = found.mean(axis=0)
    spread = found.std(axis=0) / np.sqrt(len(found))
    q, v = mean[:nv], mean[nv:]
    return SmoothedDerivative(
        q[:, :nv],
        q[:, nv : 2 * nv],
        q[:, 2 * nv :],
        v[:, :nv],
        v[:, nv : 2 * nv],
        v[:, 2 * nv :],
        spread,
        order,
        samples,
    )
