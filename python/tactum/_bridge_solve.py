# SPDX-License-Identifier: BSD-2-Clause
"""Common part of the bridges to PyTorch and JAX for contact forces: many problems of one form with the
derivatives of their forces, in numpy.

A `ContactQuery` is constant and hashable: kinds of blocks, bounds, settings. Its inputs are the
arrays G, g, mu, R with leading axes that broadcast. With G made symmetric and f the force,

    df = by_g (dg + dG f + e * f) + by_mu dmu + by_block p,   e = dR + regularization diag(dG)

where p are the entries xz, yz, zz of the diagonal blocks of dG + diag(e), which only the direction
of sliding of raisim reads. The bridges compute that product, and its transpose, with their own
arrays: `change` and `gradient` use what both have.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ._bridge_pose import Array
from ._core import ContactKind, ContactProblem, ContactSolution, solution_derivative, solve_many
from ._errors import InvalidInput

NAMES = ("G", "g", "mu", "R")
NUM_AXES = (2, 1, 1, 1)  # besides the leading ones
ASYMMETRY = 1e-4  # of the largest entry: what differences and float32 may do to G
ROUNDING = 1e-5  # of the largest eigenvalue: how far below zero float32 may take one


class SolveSettings(NamedTuple):
    """Settings of a call that do not depend on the rows."""

    solver: Any
    tolerance: float
    max_iterations: int
    over_relaxation: float
    regularization: float
    facets: int
    facet_angle: float
    polish: bool
    num_threads: int


@dataclass(frozen=True)
class ContactQuery:
    """Contact forces as a function of G, g, mu and R."""

    rows: int
    kinds: tuple[int, ...]
    bounds: tuple[tuple[float, float], ...] | None
    num_mu: int
    settings: SolveSettings

    @cached_property
    def friction(self) -> tuple[tuple[int, int, int], ...]:
        """Place in mu, number and first row of every friction block."""
        found: list[tuple[int, int, int]] = []
        row = 0
        for block, kind in enumerate(self.kinds):
            is_friction = kind == ContactKind.friction
            if is_friction:
                found.append((block if self.num_mu == len(self.kinds) else len(found), block, row))
            row += 3 if is_friction else 1
        return tuple(found)

    @cached_property
    def entries(self) -> tuple[list[int], list[int]]:
        """Rows and columns of the entries of diagonal blocks that the direction of raisim reads."""
        if self.settings.solver != "raisim":
            return [], []
        first = [row for _, _, row in self.friction]
        return [row + k for row in first for k in range(3)], [
            row + 2 for row in first for _ in range(3)
        ]

    def lead(self, shapes: Iterable[Sequence[int]]) -> tuple[int, ...]:
        """Leading axes of the answer, for inputs of these shapes."""
        leads = [tuple(shape[: len(shape) - axes]) for shape, axes in zip(shapes, NUM_AXES)]
        try:
            return np.broadcast_shapes(*leads)
        except ValueError:
            text = ", ".join(f"{name} {lead}" for name, lead in zip(NAMES, leads))
            raise InvalidInput("leading axes", text, "give axes that broadcast") from None

    def sizes(self, differentiate: bool) -> tuple[tuple[int, ...], ...]:
        """Axes of the parts of an answer besides the leading ones."""
        n, columns = self.rows, len(self.entries[0])
        return ((n,), (), (n, n), (n, self.num_mu), (n, columns)) if differentiate else ((n,), ())

    def solve(self, arrays: Sequence[Array], differentiate: bool) -> tuple[Array, ...]:
        """Forces (..., n) and residuals (...); where they are wanted by_g (..., n, n), by_mu
        (..., n, as mu was given) and by_block (..., n, 3 blocks; no columns but for raisim)."""
        lead = self.lead([x.shape for x in arrays])
        count = math.prod(lead)
        flat = []
        for x, axes in zip(arrays, NUM_AXES):
            core = x.shape[x.ndim - axes :]
            flat.append(np.broadcast_to(x, lead + core).reshape((count, *core)))
        problems = [self._problem(k, count, *(x[k] for x in flat)) for k in range(count)]
        solutions = solve_many(problems, **self.settings._asdict())
        answers = [self._answer(*pair, differentiate) for pair in zip(problems, solutions)]
        parts = []
        for k, core in enumerate(self.sizes(differentiate)):
            parts.append(
                np.array([answer[k] for answer in answers], dtype=np.float64).reshape(lead + core)
            )
        return tuple(parts)

    def _problem(
        self, row: int, count: int, G: Array, g: Array, mu: Array, R: Array
    ) -> ContactProblem:
        try:
            return ContactProblem(
                G=_symmetric(G), g=g, mu=mu, R=R, kinds=self.kinds, bounds=self.bounds
            )
        except InvalidInput as error:
            if count == 1:
                raise
            raise InvalidInput(f"row {row}, {error.field}", error.value, error.remedy) from None

    def _answer(
        self, problem: ContactProblem, solution: ContactSolution, differentiate: bool
    ) -> tuple[Any, ...]:
        if not differentiate:
            return solution.force, solution.residual
        derivative, force = solution_derivative(problem, solution), solution.force
        by_g = derivative.force_wrt_g
        by_mu, by_every_mu = np.zeros((self.rows, self.num_mu)), derivative.force_wrt_mu
        for place, block, _ in self.friction:
            by_mu[:, place] = by_every_mu[:, block]
        by_block = np.zeros((self.rows, len(self.entries[0])))
        for column, (i, j) in enumerate(zip(*self.entries)):
            d_G = np.zeros((self.rows, self.rows))
            d_G[i, j] = d_G[j, i] = 1.0
            # what the product with the force leaves, without the shift that regularization makes of
            # an entry of the diagonal
            shift = self.settings.regularization * np.diagonal(d_G)
            own = derivative.jvp(d_G=d_G) - by_g @ (d_G @ force + shift * force)
            by_block[:, column] = own / (1.0 + (self.settings.regularization if i == j else 0.0))
        return force, solution.residual, by_g, by_mu, by_block


def _symmetric(G: Array) -> Array:
    """G with what differences or rounding did to its symmetry taken away. More than that is an
    error, which ContactProblem names."""
    gap, largest = np.abs(G - G.T), np.abs(G).max(initial=0.0)
    if not gap.max(initial=0.0) <= ASYMMETRY * largest:
        return G
    return np.asarray(0.5 * (G + G.T))


def semidefinite(G: Array) -> Array:
    """Symmetric matrices (..., n, n) that came in float32, with eigenvalues that rounding made
    negative set to zero."""
    if not np.all(np.isfinite(G)) or G.shape[-1] == 0:
        return G
    values, vectors = np.linalg.eigh(0.5 * (G + np.swapaxes(G, -1, -2)))
    wrong = (values < 0.0) & (values > -ROUNDING * values[..., -1:])
    return np.asarray(
        G - (vectors * np.where(wrong, values, 0.0)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    )


# ---------------------------------------------------------------------------------------- arguments
def make_query(
    shapes: Sequence[Sequence[int]], kinds: Any, bounds: Any, settings: SolveSettings
) -> ContactQuery:
    """The query of inputs G, g, mu, R of these shapes."""
    (shape_G, shape_g, shape_mu, shape_R) = (tuple(shape) for shape in shapes)
    if not shape_g:
        raise InvalidInput("g", "a number", "give (..., n)")
    rows = shape_g[-1]
    if shape_G[-2:] != (rows, rows):
        raise InvalidInput(
            "G", f"an array of shape {shape_G}", f"give (..., {rows}, {rows}), as g has {rows} rows"
        )
    if shape_R[-1:] != (rows,):
        raise InvalidInput("R", f"an array of shape {shape_R}", f"give a number or (..., {rows})")
    if kinds is None and rows % 3 != 0:
        raise InvalidInput("g", f"{rows} rows", "give a multiple of 3, or the kinds of the blocks")
    numbers = (
        tuple(int(_kind(kind)) for kind in kinds)
        if kinds is not None
        else (int(ContactKind.friction),) * (rows // 3)
    )
    count = sum(3 if kind == ContactKind.friction else 1 for kind in numbers)
    if count != rows:
        raise InvalidInput("g", f"{rows} rows", f"give {count}, as the kinds have")
    friction = numbers.count(int(ContactKind.friction))
    if shape_mu[-1:] not in ((len(numbers),), (friction,)):
        raise InvalidInput(
            "mu",
            f"an array of shape {shape_mu}",
            f"give a number, (..., {len(numbers)}) or (..., {friction})",
        )
    pairs = (
        None
        if bounds is None
        else tuple((float(low), float(high)) for low, high in np.asarray(bounds, dtype=np.float64))
    )
    return ContactQuery(rows, numbers, pairs, shape_mu[-1], settings)


def _kind(kind: Any) -> ContactKind:
    if isinstance(kind, str):
        if kind not in ContactKind.__members__:
            raise InvalidInput("kinds", repr(kind), "give " + ", ".join(ContactKind.__members__))
        return ContactKind[kind]
    return ContactKind(int(kind))


def friction_count(rows: int, kinds: Any) -> int:
    """The number of friction coefficients that one given number is used for."""
    return (
        rows // 3 if kinds is None else sum(_kind(kind) == ContactKind.friction for kind in kinds)
    )


# ----------------------------------------------------------------------------------------- products
def _times(matrix: Any, vector: Any) -> Any:
    return (matrix @ vector[..., None])[..., 0]


def _times_transposed(vector: Any, matrix: Any) -> Any:
    return (vector[..., None, :] @ matrix)[..., 0, :]


def _sum(terms: Sequence[Any]) -> Any:
    return terms[0] if len(terms) == 1 else terms[0] + _sum(terms[1:])


def change(query: ContactQuery, answer: Sequence[Any], motions: Sequence[Any]) -> Any:
    """df of changes of G, g, mu, R, of which some may be None, but not all."""
    force, _, by_g, by_mu, by_block = answer
    d_G, d_g, d_mu, d_R = motions
    rows, columns = query.entries
    inner: list[Any] = [] if d_g is None else [d_g]
    shift: list[Any] = [] if d_R is None else [d_R]
    total: list[Any] = [] if d_mu is None else [_times(by_mu, d_mu)]
    if d_G is not None:
        every = list(range(query.rows))
        d_G = 0.5 * (d_G + d_G.swapaxes(-1, -2))
        inner.append(_times(d_G, force))
        shift.append(query.settings.regularization * d_G[..., every, every])
        if rows:
            total.append(_times(by_block, d_G[..., rows, columns]))
    if shift:
        inner.append(_sum(shift) * force)
        if rows:
            total.append(_times(by_block[..., 2::3], _sum(shift)[..., columns[::3]]))
    if inner:
        total.append(_times(by_g, _sum(inner)))
    return _sum(total)


def gradient(
    query: ContactQuery, answer: Sequence[Any], d_force: Any, eye: Any
) -> tuple[Any, Any, Any, Any]:
    """The transpose of change: gradients by G, g, mu, R from that by the force. eye: the
    identity (n, n) of the library."""
    force, _, by_g, by_mu, by_block = answer
    d_g = _times_transposed(d_force, by_g)
    d_R = d_g * force
    d_G = 0.5 * (d_g[..., :, None] * force[..., None, :] + force[..., :, None] * d_g[..., None, :])
    rows, columns = query.entries
    if rows:
        weights = _times_transposed(d_force, by_block)
        left, right = eye[rows], eye[columns]
        for one, other in ((left, right), (right, left)):
            d_G = d_G + 0.5 * (one.T * weights[..., None, :]) @ other
        d_R = d_R + _times(right[::3].T, weights[..., 2::3])
    if query.settings.regularization:
        d_G = d_G + query.settings.regularization * d_R[..., None, :] * eye
    return d_G, d_g, _times_transposed(d_force, by_mu), d_R
