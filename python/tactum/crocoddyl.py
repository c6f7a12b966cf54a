# SPDX-License-Identifier: BSD-2-Clause
"""Steps of the simulator as action models of Crocoddyl, with exact derivatives through contact.

    >>> import crocoddyl, numpy as np, tactum                                  # doctest: +SKIP
    >>> from tactum import sim
    >>> from tactum.crocoddyl import ActionModel, Goal
    >>> running = ActionModel(model, 0.01, Goal(model, control=1e-3))
    >>> last = ActionModel(model, 0.01, Goal(model, q=wanted, position=100.0))
    >>> problem = crocoddyl.ShootingProblem(x0, [running] * 50, last)
    >>> crocoddyl.SolverFDDP(problem).solve()

The state is (q, v), with the tangent vectors of the model: difference(q0, q1), then v1 - v0. So is
the derivative: Fx and Fu are the Jacobians of `sim.step_derivative`. Costs are half a sum of squares,
with the Hessian of Gauss and Newton.

This part needs Crocoddyl and Pinocchio: `pip install tactum[crocoddyl]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import sim
from ._chart import Array, chart_jacobian
from ._errors import InvalidInput

try:
    import crocoddyl
except ImportError as error:  # pragma: no cover: the tests are skipped then
    raise ImportError(
        f"tactum.crocoddyl needs Crocoddyl: pip install 'tactum[crocoddyl]' brings it ({error})"
    ) from error

__all__ = ["ActionModel", "Goal", "SmoothedActionModel", "State"]

# residual, its Jacobians by the tangent of the state (m, 2 nv) and by the control (m, nu), from a
# state (nq + nv,) and a control (nu,) or None at the end
Residual = Callable[[Array, Array | None], tuple[Array, Array, Array]]


class State(crocoddyl.StateAbstract):
    """The states of a model: x = (q, v)."""

    def __init__(self, model: sim.Model) -> None:
        super().__init__(model.nq + model.nv, 2 * model.nv)
        self.model = model

    def split(self, x: npt.ArrayLike) -> tuple[Array, Array]:
        """Position (nq,) and velocity (nv,) of a state."""
        x = np.asarray(x, dtype=float)
        return x[: self.model.nq], x[self.model.nq :]

    def zero(self) -> Array:
        state = self.model.state()
        return np.concatenate((state.q, np.zeros(self.model.nv)))

    def rand(self) -> Array:
        change = np.random.default_rng().uniform(-1.0, 1.0, size=self.ndx)
        return self.integrate(self.zero(), change)

    def diff(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        (q0, v0), (q1, v1) = self.split(x0), self.split(x1)
        return np.concatenate((self.model.difference(q0, q1), v1 - v0))

    def integrate(self, x: npt.ArrayLike, dx: npt.ArrayLike) -> Array:
        q, v = self.split(x)
        change = np.asarray(dx, dtype=float)
        moved = self.model.integrate(q, change[: self.model.nv])
        return np.concatenate((moved, v + change[self.model.nv :]))

    def Jdiff(self, x0: npt.ArrayLike, x1: npt.ArrayLike, firstsecond: Any = None) -> Any:
        """Derivatives of diff(x0, x1), by a tangent vector at x0, at x1, or both."""
        first, second = crocoddyl.Jcomponent.first, crocoddyl.Jcomponent.second
        made = []
        if firstsecond != second:
            made.append(chart_jacobian(lambda d: self.diff(self.integrate(x0, d), x1), self.ndx))
        if firstsecond != first:
            made.append(chart_jacobian(lambda d: self.diff(x0, self.integrate(x1, d)), self.ndx))
        return made if len(made) == 2 else made[0]

    def Jintegrate(self, x: npt.ArrayLike, dx: npt.ArrayLike, firstsecond: Any = None) -> Any:
        """Derivatives of integrate(x, dx), by a tangent vector at x, by dx, or both."""
        first, second = crocoddyl.Jcomponent.first, crocoddyl.Jcomponent.second
        end, change = self.integrate(x, dx), np.asarray(dx, dtype=float)
        made = []
        if firstsecond != second:
            made.append(
                chart_jacobian(
                    lambda d: self.diff(end, self.integrate(self.integrate(x, d), change)), self.ndx
                )
            )
        if firstsecond != first:
            made.append(
                chart_jacobian(lambda d: self.diff(end, self.integrate(x, change + d)), self.ndx)
            )
        return made if len(made) == 2 else made[0]


class Goal:
    """Residual that is zero at a position, a velocity and no control, each with its weight.

    position, velocity, control: factors of the residual, one number or one for each entry, of
    difference(q, x's q), of v's difference, and of the control; 0 leaves the part out.
    """

    def __init__(
        self,
        model: sim.Model,
        *,
        q: npt.ArrayLike | None = None,
        v: npt.ArrayLike | None = None,
        position: npt.ArrayLike = 0.0,
        velocity: npt.ArrayLike = 0.0,
        control: npt.ArrayLike = 0.0,
    ) -> None:
        self.state = State(model)
        start = model.state()
        self.x = np.concatenate(
            (
                start.q if q is None else np.asarray(q, dtype=float),
                np.zeros(model.nv) if v is None else np.asarray(v, dtype=float),
            )
        )
        weights = [np.broadcast_to(w, (model.nv,)) for w in (position, velocity)]
        self.state_weights = np.concatenate(weights).astype(float)
        self.control_weights = np.asarray(control, dtype=float)

    def __call__(self, x: Array, u: Array | None) -> tuple[Array, Array, Array]:
        nu = 0 if u is None else len(u)
        kept = np.flatnonzero(self.state_weights)
        weights = self.state_weights[kept, None]
        jacobian = self.state.Jdiff(self.x, x, crocoddyl.Jcomponent.second)[kept]
        r_x = np.vstack((weights * jacobian, np.zeros((nu, self.state.ndx))))
        scale = np.broadcast_to(self.control_weights, (nu,))
        r_u = np.vstack((np.zeros((len(kept), nu)), np.diag(scale)))
        own = weights[:, 0] * self.state.diff(self.x, x)[kept]
        return np.concatenate((own, scale * (np.zeros(0) if u is None else u))), r_x, r_u


class ActionModel(crocoddyl.ActionModelAbstract):
    """One step of dt seconds, and a cost of half the sum of squares of `residual`.

    controls: (nv, nu) matrix that makes generalized forces of the control; the identity where it is
    None. options: those of the step; a derivative is as exact as its tolerance.
    """

    def __init__(
        self,
        model: sim.Model,
        dt: float,
        residual: Residual,
        *,
        controls: npt.ArrayLike | None = None,
        options: sim.StepOptions | None = None,
    ) -> None:
        B = np.eye(model.nv) if controls is None else np.asarray(controls, dtype=float)
        if B.ndim != 2 or B.shape[0] != model.nv:
            raise InvalidInput("controls", str(B.shape), f"give a matrix with {model.nv} rows")
        if not (np.isfinite(dt) and dt > 0.0):
            raise InvalidInput("dt", str(dt), "give a positive number of seconds")
        super().__init__(State(model), B.shape[1], 0)
        self.model, self.dt, self.residual, self.B = model, float(dt), residual, B
        self.options = sim.StepOptions(tolerance=1e-10) if options is None else options

    def _step(self, x: Array, u: Array, tape: bool) -> sim.StepResult:
        state = self.model.state()
        state.q, state.v = self.state.split(x)
        return sim.step(self.model, state, self.B @ u, dt=self.dt, options=self.options, tape=tape)

    def calc(self, data: Any, x: Array, u: Array | None = None) -> None:
        data.cost = 0.5 * float(np.sum(self.residual(x, u)[0] ** 2))
        if u is None:
            data.xnext = np.array(x)
        else:
            after = self._step(x, u, False).state
            data.xnext = np.concatenate((after.q, after.v))

    def calcDiff(self, data: Any, x: Array, u: Array | None = None) -> None:
        r, r_x, r_u = self.residual(x, u)
        data.Lx, data.Lxx = r_x.T @ r, r_x.T @ r_x
        if u is None:
            return
        data.Lu, data.Luu, data.Lxu = r_u.T @ r, r_u.T @ r_u, r_x.T @ r_u
        J = self._derivative(x, u)
        data.Fx = np.block([[J.dq_dq, J.dq_dv], [J.dv_dq, J.dv_dv]])
        data.Fu = np.vstack((J.dq_dtau, J.dv_dtau)) @ self.B

    def _derivative(self, x: Array, u: Array) -> sim.StepDerivative | sim.SmoothedDerivative:
        return sim.step_derivative(self._step(x, u, True))


class SmoothedActionModel(ActionModel):
    """The same step with the derivatives of its mean over noise, which see contacts that are near by.

    samples, position_scale, velocity_scale, force_scale, order, seed: as for
    sim.smoothed_derivative(). Costs keep their own derivatives. What a solver finds with it is a
    start for the same problem with exact ones.
    """

    def __init__(
        self,
        model: sim.Model,
        dt: float,
        residual: Residual,
        *,
        controls: npt.ArrayLike | None = None,
        options: sim.StepOptions | None = None,
        **smoothing: Any,
    ) -> None:
        super().__init__(model, dt, residual, controls=controls, options=options)
        self.smoothing = smoothing

    def _derivative(self, x: Array, u: Array) -> sim.StepDerivative | sim.SmoothedDerivative:
        state = self.model.state()
        state.q, state.v = self.state.split(x)
        return sim.smoothed_derivative(
            self.model, state, self.B @ u, self.dt, options=self.options, **self.smoothing
        )
