# SPDX-License-Identifier: BSD-2-Clause
"""Sequential quadratic programming for tens of variables and hundreds of constraints.

A step minimizes a quadratic model of the cost plus a penalty times the largest violation that the
linearized constraints are left with, inside a box, so that it exists wherever the optimizer is. The
quadratic programs are solved by the dual method of Goldfarb and Idnani (1983), which ends after
finitely many exchanges. The model takes in the curvature that the gradients show (damped BFGS of
the Lagrangian, Powell 1978).

What a step is worth is the sum of cost and penalty. minimize() keeps steps in a box that grows and
shrinks by how well the model foretells the truth; search() halves a step until it is worth something,
as FSQP does, which needs gradients that are continuous.

Both have converged where the quadratic step is no longer than the tolerance and nothing is violated.
Both have not where steps have to be made that short because no longer one helps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

SLACK_CURVATURE = 1.0  #: of the penalty, so that the quadratic program has one solution
MOST_PENALTY = 1e5
MOST_EXCHANGES = 2000
SMALLEST, LARGEST = 1e-9, 0.5  #: of the box, in the unit of the variables
SUFFICIENT = 1e-4  #: share of the foretold gain that a step has to bring
MOST_HALVINGS = 30


@dataclass(frozen=True)
class View:
    """A point as the optimizer sees it: cost, equations = 0, inequalities >= 0, and Jacobians."""

    cost: float
    gradient: Array
    equal: Array
    equal_rows: Array
    above: Array
    above_rows: Array

    @property
    def worst(self) -> float:
        """Largest violation."""
        return float(max(np.abs(self.equal).max(initial=0.0), -self.above.min(initial=0.0)))


@dataclass(frozen=True)
class Outcome:
    """Where it ended. moved: sum of the lengths of all steps that were taken."""

    point: Array
    view: View
    iterations: int
    converged: bool
    moved: float


def quadratic_program(B: Array, g: Array, C: Array, b: Array) -> tuple[Array, Array]:
    """The x that minimizes x.B x / 2 + g.x with C x >= b, and the multipliers of the rows of C. B
    is positive definite, and some x satisfies the constraints."""
    inverse = np.linalg.inv(B)
    x, across = -inverse @ g, C @ inverse
    multipliers, active = np.zeros(len(C)), list[int]()
    tolerance = 1e-11 * (1.0 + np.abs(b) + np.abs(C) @ np.abs(x))
    for _ in range(MOST_EXCHANGES):
        slack = C @ x - b
        slack[active] = 0.0
        worst = int(np.argmin(slack + tolerance))
        if slack[worst] >= -tolerance[worst]:
            break
        while True:
            rates, direction = np.zeros(0), across[worst]
            if active:
                system = across[active] @ C[active].T
                rates = np.linalg.solve(system, across[active] @ C[worst])
                direction = direction - rates @ across[active]
            gain = float(direction @ C[worst])
            shrinking = np.flatnonzero(rates > 1e-14)
            ends = multipliers[active][shrinking] / rates[shrinking]
            partial = float(ends.min(initial=np.inf))
            full = (
                (b[worst] - C[worst] @ x) / gain
                if gain > 1e-13 * across[worst] @ C[worst]
                else np.inf
            )
            length = min(partial, full)
            if not np.isfinite(length):
                return x, multipliers  # no x satisfies this row: rounding
            if np.isfinite(full):
                x = x + length * direction
            multipliers[active] -= length * rates
            multipliers[worst] += length
            if length == full:
                active.append(worst)
                break
            leaving = active[int(shrinking[int(np.argmin(ends))])]
            multipliers[leaving] = 0.0
            active.remove(leaving)
    return x, multipliers


def quadratic_step(
    B: Array, view: View, low: Array, high: Array, penalty: float
) -> tuple[Array, float, Array, Array]:
    """The step between low and high, the largest violation that is left of the linearized
    constraints, and the multipliers of equations and inequalities."""
    n, equations = len(low), len(view.equal)
    # inequalities that no step of this size can reach are left out
    reach = np.abs(view.above_rows) @ np.maximum(np.abs(low), np.abs(high))
    chosen = np.flatnonzero(view.above < reach + 1e-9)
    soft = np.concatenate([view.equal_rows, -view.equal_rows, view.above_rows[chosen]])
    values = np.concatenate([view.equal, -view.equal, view.above[chosen]])
    # the last variable is the violation
    rows = np.zeros((len(soft) + 2 * n + 1, n + 1))
    rows[: len(soft), :n], rows[: len(soft), n] = soft, 1.0
    rows[len(soft) : len(soft) + n, :n] = np.eye(n)
    rows[len(soft) + n : -1, :n] = -np.eye(n)
    rows[-1, n] = 1.0
    needed = np.concatenate([-values, low, -high, [0.0]])
    model = np.zeros((n + 1, n + 1))
    model[:n, :n], model[n, n] = B, SLACK_CURVATURE
    found, force = quadratic_program(model, np.append(view.gradient, penalty), rows, needed)
    multipliers = np.zeros(len(view.above))
    multipliers[chosen] = force[2 * equations : len(soft)]
    return (
        np.clip(found[:n], low, high),
        max(float(found[n]), 0.0),
        force[:equations] - force[equations : 2 * equations],
        multipliers,
    )


def updated(B: Array, step: Array, change: Array) -> Array:
    """Damped BFGS."""
    along = B @ step
    curvature = float(step @ along)
    if curvature <= 1e-16:
        return B
    share = float(step @ change)
    if share < 0.2 * curvature:
        theta = 0.8 * curvature / (curvature - share)
        change = theta * change + (1.0 - theta) * along
        share = 0.2 * curvature
    return np.asarray(B - np.outer(along, along) / curvature + np.outer(change, change) / share)


def gain(before: View, after: View, penalty: float) -> float:
    """How much better a point is than another, in the sum of cost and penalty."""
    return before.cost - after.cost + penalty * (before.worst - after.worst)


def curved(B: Array, step: Array, before: View, after: View, forces: tuple[Array, Array]) -> Array:
    """The model after a step, from the gradients of the Lagrangian at both ends."""
    on_equal, on_above = forces
    ends = [
        view.gradient - view.equal_rows.T @ on_equal - view.above_rows.T @ on_above
        for view in (before, after)
    ]
    return updated(B, step, ends[1] - ends[0])


@dataclass(frozen=True)
class Proposal:
    """The quadratic step from a point, and what the model says of it.

    low, high: the box of the step. foretold: how much better its end is by the model, in the sum of
    cost and penalty. penalty: the one for the next step. is_last: the step is not worth taking.
    """

    step: Array
    forces: tuple[Array, Array]
    low: Array
    high: Array
    foretold: float
    penalty: float
    is_last: bool


def propose(
    B: Array,
    at: Array,
    view: View,
    bounds: tuple[Array, Array],
    box: float,
    penalty: float,
    tolerance: float,
) -> Proposal:
    """The next step from a point, between the bounds of the variables and no longer than the box."""
    low, high = np.maximum(bounds[0] - at, -box), np.minimum(bounds[1] - at, box)
    step, left, on_equal, on_above = quadratic_step(B, view, low, high, penalty)
    model = float(view.gradient @ step + 0.5 * step @ B @ step)
    foretold = penalty * (view.worst - left) - model
    if left > 0.5 * view.worst and left > tolerance:
        penalty = min(10.0 * penalty, MOST_PENALTY)  # the cost holds the violation back
    size = float(np.abs(step).max())
    # a step that a shrunken box cuts off says nothing of the point
    is_whole = size < 0.999 * box or box >= LARGEST
    is_last = is_whole and (size < tolerance or (foretold < 1e-9 and view.worst < tolerance))
    return Proposal(step, (on_equal, on_above), low, high, foretold, penalty, is_last)


def search(
    look: Callable[[Array], View],
    start: Array,
    lower: Array,
    upper: Array,
    B: Array,
    *,
    tolerance: float = 1e-6,
    most: int = 400,
    penalty: float = 10.0,
) -> Outcome:
    """From a start by steps that are halved until they are worth something. It ends where a step is
    no longer than the tolerance, which is an answer, or where no length of a step helps."""
    at, moved = np.clip(start, lower, upper), 0.0
    view = look(at)
    for iteration in range(1, most + 1):
        proposal = propose(B, at, view, (lower, upper), LARGEST, penalty, tolerance)
        step, penalty = proposal.step, proposal.penalty
        if proposal.is_last:
            return Outcome(at, view, iteration, view.worst < 10.0 * tolerance, moved)
        for halvings in range(MOST_HALVINGS):
            share = 0.5**halvings
            there = look(at + share * step)
            if gain(view, there, penalty) > SUFFICIENT * share * proposal.foretold:
                break
        else:
            return Outcome(at, view, iteration, False, moved)
        B = curved(B, share * step, view, there, proposal.forces)
        at, view, moved = at + share * step, there, moved + share * float(np.linalg.norm(step))
    return Outcome(at, view, most, False, moved)


def minimize(
    look: Callable[[Array], View],
    start: Array,
    lower: Array,
    upper: Array,
    B: Array,
    *,
    tolerance: float = 1e-6,
    most: int = 400,
    penalty: float = 10.0,
    box: float = 0.3,
) -> Outcome:
    """From a start to a point whose quadratic step is no longer than the tolerance, which is an
    answer, or to one where no step helps, however small its box.

    look: cost and constraints at a point. lower, upper: bounds of the variables. B: the first model
    of the curvature. An iteration is one quadratic step, taken or not.
    """
    at, view, moved = np.clip(start, lower, upper), look(np.clip(start, lower, upper)), 0.0
    for iteration in range(1, most + 1):
        proposal = propose(B, at, view, (lower, upper), box, penalty, tolerance)
        step, penalty = proposal.step, proposal.penalty
        foretold, size = proposal.foretold, float(np.abs(step).max())
        if proposal.is_last:
            return Outcome(at, view, iteration, view.worst < 10.0 * tolerance, moved)
        there = look(at + step)
        ratio = gain(view, there, penalty) / max(foretold, 1e-300)
        if ratio < 0.1:
            # constraints bend: once more with what they are there (second-order correction)
            bent = replace(
                view,
                equal=there.equal - view.equal_rows @ step,
                above=there.above - view.above_rows @ step,
            )
            other = quadratic_step(B, bent, proposal.low, proposal.high, penalty)[0]
            again = look(at + other)
            if gain(view, again, penalty) > gain(view, there, penalty):
                step, there = other, again
                ratio = gain(view, there, penalty) / max(foretold, 1e-300)
        if ratio > 1e-4:
            B = curved(B, step, view, there, proposal.forces)
            at, view, moved = at + step, there, moved + float(np.linalg.norm(step))
        if ratio > 0.7:
            box = min(2.0 * box, LARGEST)
        elif ratio < 0.25:
            box = 0.5 * min(box, size)
        if box < SMALLEST:
            break
    return Outcome(at, view, iteration, False, moved)
