# SPDX-License-Identifier: BSD-2-Clause
"""Common part of the bridges to PyTorch and JAX for steps of the simulator: many states of one model
with the Jacobians of the next ones, in numpy.

A `StepQuery` is constant and hashable: model, time step, settings. Its inputs are the arrays q, v, tau
with leading axes that broadcast. Derivatives are by the numbers of q: where these are a quaternion,
by the numbers of one that is normalized first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._bridge_pose import Array
from ._errors import InvalidInput

NAMES = ("q", "v", "tau")


@dataclass(frozen=True)
class StepQuery:
    """The next position and velocity as a function of q, v and tau."""

    model: Any
    nq: int
    nv: int
    dt: float
    solver: str
    options: Any

    @property
    def parts(self) -> list[int]:
        """Numbers of the three inputs."""
        return [self.nq, self.nv, self.nv]

    def lead(self, shapes: Iterable[Sequence[int]]) -> tuple[int, ...]:
        """Leading axes of the answer, for inputs of these shapes."""
        leads = [tuple(shape[:-1]) for shape in shapes]
        try:
            return np.broadcast_shapes(*leads)
        except ValueError:
            text = ", ".join(f"{name} {lead}" for name, lead in zip(NAMES, leads))
            raise InvalidInput("leading axes", text, "give axes that broadcast") from None

    def sizes(self, differentiate: bool) -> tuple[tuple[int, ...], ...]:
        """Axes of the parts of an answer besides the leading ones."""
        rows = self.nq + self.nv
        return ((rows,), (rows, self.nq + 2 * self.nv)) if differentiate else ((rows,),)

    def solve(self, arrays: Sequence[Array], differentiate: bool) -> tuple[Array, ...]:
        """Next states (..., nq + nv) and, where it is wanted, their Jacobian by (q, v, tau)."""
        lead = self.lead([x.shape for x in arrays])
        count = math.prod(lead)
        flat = [
            np.broadcast_to(x, (*lead, size)).reshape((count, size))
            for x, size in zip(arrays, self.parts)
        ]
        sizes = self.sizes(differentiate)
        out = [np.empty((count, *core)) for core in sizes]
        for k in range(count):
            q, v, tau = (x[k] for x in flat)
            for part, value in zip(out, self._row(q, v, tau, differentiate)):
                part[k] = value
        return tuple(part.reshape(lead + core) for part, core in zip(out, sizes))

    def _row(self, q: Array, v: Array, tau: Array, differentiate: bool) -> tuple[Array, ...]:
        from . import sim
        from ._sim import position_maps

        state = self.model.state()
        state.q, _, tangent_by_numbers = position_maps(self.model, q)
        state.v = v
        result = sim.step(
            self.model,
            state,
            tau,
            self.dt,
            solver=self.solver,
            options=self.options,
            tape=differentiate,
        )
        values = np.concatenate([result.state.q, result.state.v])
        if not differentiate:
            return (values,)
        J = sim.step_derivative(result)
        numbers = position_maps(self.model, result.state.q)[1]
        return values, np.block(
            [
                [numbers @ J.dq_dq @ tangent_by_numbers, numbers @ J.dq_dv, numbers @ J.dq_dtau],
                [J.dv_dq @ tangent_by_numbers, J.dv_dv, J.dv_dtau],
            ]
        )


def make_query(
    model: Any, shapes: Sequence[Sequence[int]], dt: float, solver: str, options: Any
) -> StepQuery:
    """The query of inputs q, v, tau of these shapes."""
    from . import sim

    if not isinstance(model, sim.Model):
        raise TypeError(f"model: got {type(model).__name__}; give a tactum.sim.Model")
    query = StepQuery(model, model.nq, model.nv, float(dt), solver, options)
    for name, shape, size in zip(NAMES, shapes, query.parts):
        if tuple(shape[-1:]) != (size,):
            raise InvalidInput(name, f"an array of shape {tuple(shape)}", f"give (..., {size})")
    return query
