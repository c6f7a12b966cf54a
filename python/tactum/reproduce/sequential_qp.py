# SPDX-License-Identifier: BSD-2-Clause
"""Sequential quadratic programming for a few variables and constraints: the optimizer whose
iterations an experiment counts.

Each step minimizes a quadratic model of the cost under the linearized constraints; the model takes
in the curvature that the gradients show (damped BFGS of the Lagrangian, Powell 1978), and the step
is halved until the cost with a penalty for what the constraints lack goes down. It needs gradients
that are continuous, and nothing else: that is the point.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

SUFFICIENT = 1e-4  # share of the predicted decrease that a step has to bring
MOST_HALVINGS = 30


@dataclass(frozen=True)
class View:
    """A point seen by the optimizer: cost, its gradient (n,), constraints >= 0 (m,), their
    gradients (m, n)."""

    cost: float
    gradient: Array
    constraints: Array
    jacobian: Array

    @property
    def lack(self) -> float:
        """The sum of the violations of all constraints."""
        return float(np.maximum(0.0, -self.constraints).sum())


@dataclass(frozen=True)
class Outcome:
    point: Any
    iterations: int
    evaluations: int
    converged: bool


def quadratic_step(B: Array, view: View) -> tuple[Array, Array] | None:
    """The step p that minimizes p.B p / 2 + gradient.p with constraints + jacobian p >= 0, and
    the multipliers. All sets of active constraints are tried: for a few of them only."""
    inverse, m = np.linalg.inv(B), len(view.constraints)
    allowed = -1e-9 * (1.0 + np.abs(view.constraints).max(initial=0.0))
    for active in itertools.chain.from_iterable(
        itertools.combinations(range(m), k) for k in range(m + 1)
    ):
        rows, multipliers = view.jacobian[list(active)], np.zeros(m)
        if active:
            system = rows @ inverse @ rows.T
            if np.linalg.cond(system) > 1e12:
                continue
            found = np.linalg.solve(
                system, rows @ inverse @ view.gradient - view.constraints[list(active)]
            )
            if found.min() < -1e-10:
                continue
            multipliers[list(active)] = found
        step = inverse @ (view.jacobian.T @ multipliers - view.gradient)
        if (view.constraints + view.jacobian @ step).min(initial=0.0) >= allowed:
            return step, multipliers
    return None


def with_curvature(B: Array, step: Array, change: Array) -> Array:
    """B after a step along which the gradient of the Lagrangian has changed so; it stays
    positive definite."""
    image = B @ step
    along = float(step @ image)
    if along < 1e-30:
        return B
    if step @ change < 0.2 * along:
        share = 0.8 * along / (along - step @ change)
        change = share * change + (1.0 - share) * image
    return np.asarray(
        B - np.outer(image, image) / along + np.outer(change, change) / (step @ change)
    )


def minimize(
    point: Any,
    look: Callable[[Any], View],
    move: Callable[[Any, Array], Any],
    curvature: Array,
    *,
    longest: Callable[[Array], float],
    tolerance: float,
    most_iterations: int,
) -> Outcome:
    """From the point to a minimum. look: a point seen; move: a point after a step (n,);
    curvature: (n, n), the first model; longest: the largest share of a step that may be tried.
    It has converged where the step is shorter than the tolerance and the constraints lack less
    than that."""
    view, B, penalty, evaluations = look(point), curvature, 1.0, 1
    for iteration in range(most_iterations):
        found = quadratic_step(B, view)
        if found is None:
            return Outcome(point, iteration, evaluations, converged=False)
        step, multipliers = found
        if float(np.linalg.norm(step)) < tolerance and view.lack < tolerance:
            return Outcome(point, iteration, evaluations, converged=True)
        penalty = max(penalty, 2.0 * float(multipliers.max(initial=0.0)))
        slope, share = float(view.gradient @ step) - penalty * view.lack, longest(step)
        for _ in range(MOST_HALVINGS):
            ahead = move(point, share * step)
            seen = look(ahead)
            evaluations += 1
            if (
                seen.cost + penalty * seen.lack
                <= view.cost + penalty * view.lack + SUFFICIENT * share * slope + 1e-15
            ):
                break
            share *= 0.5
        else:
            return Outcome(point, iteration, evaluations, converged=False)
        change = (
            seen.gradient
            - seen.jacobian.T @ multipliers
            - (view.gradient - view.jacobian.T @ multipliers)
        )
        B, point, view = with_curvature(B, share * step, change), ahead, seen
    return Outcome(point, most_iterations, evaluations, converged=False)
