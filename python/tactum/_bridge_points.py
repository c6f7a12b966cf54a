# SPDX-License-Identifier: BSD-2-Clause
"""Common part of the bridges for signed_distance(): many points against one geometry, with the
derivatives by the points and by the pose, in numpy.

With g the gradient by a point p, a motion [v; w] of the origin t of the shape in the axes of the
world changes the distance by -g.v - ((p - t) x g).w: the point stays where it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from . import _bridge_pose as pose
from ._bridge import Geometry, Input, flat, read_pose
from ._bridge_pose import Array
from ._core import signed_distance
from ._errors import InvalidInput


def points_input(shape: Sequence[int]) -> Input:
    """The form of points whose array has that shape."""
    if len(shape) < 1 or shape[-1] != 3:
        raise InvalidInput("points", f"an array of shape {tuple(shape)}", "give (..., 3) numbers")
    return Input("", "points", 1)


@dataclass(frozen=True)
class PointQuery:
    """Signed distances of points as a function of a pose, of a tangent at it, and of the points."""

    values: ClassVar[tuple[str, ...]] = ("distance",)
    shape: Geometry
    inputs: tuple[Input, ...]
    num_threads: int

    def lead(self, shapes: Iterable[Sequence[int]]) -> tuple[int, ...]:
        """Leading axes of the answer, for inputs of these shapes."""
        leads = [i.lead(shape) for i, shape in zip(self.inputs, shapes)]
        try:
            return np.broadcast_shapes(*leads)
        except ValueError:
            text = ", ".join(f"{i.kind} {lead}" for i, lead in zip(self.inputs, leads))
            raise InvalidInput("leading axes", text, "give axes that broadcast") from None

    def solve(
        self, arrays: Sequence[Array], wanted: Sequence[int]
    ) -> tuple[tuple[Array], list[Array]]:
        """Distances (...), and their gradients (..., *core) by the inputs wanted."""
        lead = self.lead([x.shape for x in arrays])
        rows = {(i.side, i.kind): flat(i, x, lead) for i, x in zip(self.inputs, arrays)}
        points, given = rows["", "points"], read_pose(rows, "")
        distances, by_point = np.empty(len(points)), np.empty((len(points), 3))
        for mine, X in self._groups(arrays, lead, given.given):
            distances[mine], by_point[mine] = signed_distance(
                self.shape, X, points[mine], num_threads=self.num_threads
            )
        motion = np.empty((len(points), 1, 6))
        motion[:, 0, :3] = -by_point
        motion[:, 0, 3:] = np.cross(by_point, points - origins(given.given))
        gradients = []
        for k in wanted:
            i = self.inputs[k]
            if i.kind == "points":
                gradients.append(by_point)
            elif i.kind == "tangent" and isinstance(given, pose.Tangents):
                gradients.append(given.pull_back_tangent(motion)[:, 0])
            else:
                gradients.append(given.pull_back(motion)[:, 0])
        return (distances.reshape(lead),), [J.reshape(lead + J.shape[1:]) for J in gradients]

    def _groups(
        self, arrays: Sequence[Array], lead: tuple[int, ...], X: Array
    ) -> Iterable[tuple[Any, Array]]:
        """Rows of one pose, and that pose."""
        if len(X) == 1:
            yield slice(None), X[0]
            return
        own = np.broadcast_shapes(
            *(i.lead(x.shape) for i, x in zip(self.inputs, arrays) if i.kind != "points")
        )
        numbers = np.arange(math.prod(own)).reshape(own)
        place = np.broadcast_to(numbers, lead).reshape(-1)
        for k in range(math.prod(own)):
            mine = np.flatnonzero(place == k)
            if len(mine):
                yield mine, X[mine[0]]


def origins(X: Array) -> Array:
    """(N, 3) translations of poses in either form."""
    return X[:, :3] if X.ndim == 2 else X[:, :3, 3]
