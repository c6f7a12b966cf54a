# SPDX-License-Identifier: BSD-2-Clause
"""Common part of the bridges to PyTorch and JAX: a query of many rows with its Jacobians by everything
it was given, in numpy.

A `Query` is constant and hashable: shapes, settings, and which inputs there are. Its inputs are
arrays with leading axes that broadcast. An answer has ten numbers a row: distance, normal, point_a,
point_b. The Jacobian by an input of shape (..., *core) is (..., 10, *core).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _bridge_gpu
from . import _bridge_pose as pose
from ._bridge_pose import Array
from ._core import (
    Box,
    Capsule,
    Compound,
    Cone,
    Convex,
    Cylinder,
    Ellipsoid,
    Exact,
    FiniteDifference,
    Gaussian,
    Gumbel,
    HalfSpace,
    Mesh,
    Shape,
    ShapeTable,
    Sphere,
    Status,
    ZerothOrder,
    distance,
    distances,
)
from ._errors import InvalidInput

#: what a query takes as one side of a pair
Geometry = Shape | Compound | Mesh

Estimator = Exact | FiniteDifference | ZerothOrder | Gaussian | Gumbel

NUM_OUTPUTS = 10
VALUES = ("distance", "normal", "point_a", "point_b")
MOTIONS = ("xyz_xyzw", "matrix", "tangent")

#: sizes of each kind, with the number of axes they have
SIZES: dict[type[Shape], dict[str, int]] = {
    Sphere: {"radius": 0, "margin": 0},
    Ellipsoid: {"semi_axes": 1, "margin": 0},
    Box: {"half_extents": 1, "margin": 0},
    Capsule: {"radius": 0, "half_length": 0, "margin": 0},
    Cylinder: {"radius": 0, "half_length": 0, "margin": 0},
    Cone: {"radius": 0, "half_length": 0, "margin": 0},
    HalfSpace: {"offset": 0, "margin": 0},
    Convex: {"vertices": 2, "margin": 0},
}


class Input(NamedTuple):
    """One array that a query is given: of which shape, what it is, how many axes it has besides
    the leading ones."""

    side: str  #: "a" or "b"
    kind: str  #: one of MOTIONS, or the name of a size
    num_axes: int

    @property
    def field(self) -> str:
        """The name of the argument as the user gives it."""
        if self.kind == "tangent":
            return f"tangent_{self.side}"
        return (
            f"X_W{self.side.upper()}"
            if self.kind in MOTIONS
            else f"parameters_{self.side}[{self.kind!r}]"
        )

    def core(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The axes of an array of that shape that are not leading ones."""
        return tuple(shape[len(shape) - self.num_axes :])

    def lead(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The leading axes of an array of that shape."""
        return tuple(shape[: len(shape) - self.num_axes])


# ---------------------------------------------------------------------------------------- arguments
def pose_input(side: str, shape: Sequence[int]) -> Input:
    """The form of a pose whose array has that shape."""
    if len(shape) >= 1 and shape[-1] == 7:
        return Input(side, "xyz_xyzw", 1)
    if len(shape) >= 2 and tuple(shape[-2:]) == (4, 4):
        return Input(side, "matrix", 2)
    field = f"X_W{side.upper()}"
    raise InvalidInput(
        field,
        f"an array of shape {tuple(shape)}",
        "give (..., 7) x y z qx qy qz qw, or (..., 4, 4)",
    )


def tangent_input(side: str, shape: Sequence[int]) -> Input:
    """A tangent [v; w]."""
    if len(shape) < 1 or shape[-1] != 6:
        raise InvalidInput(
            f"tangent_{side}", f"an array of shape {tuple(shape)}", "give (..., 6) numbers [v; w]"
        )
    return Input(side, "tangent", 1)


def parameter_input(side: str, shape: Any, name: str, given: Sequence[int]) -> Input:
    """A size of a shape."""
    field = f"parameters_{side}"
    if not isinstance(shape, Shape):
        raise InvalidInput(
            field,
            f"sizes for a {type(shape).__name__}",
            "give one convex shape; its sizes may have leading axes",
        )
    sizes = SIZES[type(shape)]
    if name not in sizes:
        raise InvalidInput(field, repr(name), f"a {type(shape).__name__} has " + ", ".join(sizes))
    num_axes = sizes[name]
    if len(given) < num_axes or (num_axes > 0 and given[-1] != 3):
        wanted = ("()", "(3,)", "(V, 3)")[num_axes]
        raise InvalidInput(
            f"{field}[{name!r}]",
            f"an array of shape {tuple(given)}",
            f"give {wanted}, with leading axes or not",
        )
    return Input(side, name, num_axes)


@dataclass(frozen=True)
class Side:
    """One shape, or a table with an index for each row, as bytes of int32."""

    shape: Geometry | ShapeTable
    index: bytes | None = None

    @property
    def lead(self) -> tuple[int, ...]:
        """Leading axes of the index."""
        return () if self.index is None else (len(self.index) // 4,)


def make_side(value: Any, field: str) -> Side:
    """From a shape or a pair (ShapeTable, index)."""
    if isinstance(value, Geometry):
        return Side(value)
    if not (isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], ShapeTable)):
        raise TypeError(
            f"{field}: got {type(value).__name__}; give a tactum shape, Compound or Mesh, or a tuple (ShapeTable, index)"
        )
    index = np.asarray(value[1])
    if index.ndim != 1 or index.dtype.kind not in "iu":
        raise InvalidInput(
            f"{field}.index",
            f"{index.dtype} of shape {index.shape}",
            "give a one-dimensional integer array",
        )
    if index.size and not (0 <= index.min() and index.max() < len(value[0])):
        raise InvalidInput(
            f"{field}.index",
            f"{index.min()} to {index.max()}",
            f"the table has {len(value[0])} shapes",
        )
    return Side(value[0], index.astype(np.int32).tobytes())


class Settings(NamedTuple):
    """Settings of a call that do not depend on the rows."""

    estimator: Estimator
    tolerance: float
    cutoff: float
    num_threads: int
    on_gpu: bool = False  #: where there is one, and it has what is asked


# -------------------------------------------------------------------------------------------- query
@dataclass(frozen=True)
class Query:
    """Distances of pairs of shapes as a function of its inputs."""

    a: Side
    b: Side
    inputs: tuple[Input, ...]
    settings: Settings

    def lead(self, shapes: Iterable[Sequence[int]]) -> tuple[int, ...]:
        """Leading axes of the answer, for inputs of these shapes."""
        leads = [i.lead(shape) for i, shape in zip(self.inputs, shapes)]
        try:
            return np.broadcast_shapes(*leads, self.a.lead, self.b.lead)
        except ValueError:
            text = ", ".join(f"{i.field} {lead}" for i, lead in zip(self.inputs, leads))
            raise InvalidInput(
                "leading axes", text, "give axes that broadcast, as many as an index has"
            ) from None

    def solve(self, arrays: Sequence[Array], wanted: Sequence[int]) -> tuple[Array, list[Array]]:
        """Values (..., 10), and Jacobians by the inputs whose numbers are wanted."""
        lead = self.lead([x.shape for x in arrays])
        rows = _Rows(self, arrays, lead)
        values, by_motion, by_sizes = rows.query([self.inputs[k] for k in wanted])
        jacobians = []
        for k in wanted:
            i = self.inputs[k]
            J = rows.by_pose(i, by_motion) if i.kind in MOTIONS else by_sizes[i]
            jacobians.append(J.reshape((*lead, NUM_OUTPUTS, *i.core(arrays[k].shape))))
        return values.reshape((*lead, NUM_OUTPUTS)), jacobians


class _Rows:
    """The inputs of one call, one row after the other."""

    def __init__(self, query: Query, arrays: Sequence[Array], lead: tuple[int, ...]) -> None:
        self.settings = query.settings
        self.size = math.prod(lead)
        self.rows: dict[tuple[str, str], Array] = {}
        for i, x in zip(query.inputs, arrays):
            core = i.core(x.shape)
            self.rows[i.side, i.kind] = np.broadcast_to(x, lead + core).reshape((self.size, *core))
        self.poses: dict[str, tuple[pose.Poses, pose.Poses | None]] = {}
        self.matrices: dict[str, Array] = {}
        self.shapes: dict[str, tuple[list[Geometry], npt.NDArray[np.int32]]] = {}
        for side, given in (("a", query.a), ("b", query.b)):
            base, motion = self.poses[side] = self._read_pose(side)
            self.matrices[side] = (base if motion is None else base.compose(motion)).matrices()
            sizes = {
                i: x
                for i, x in zip(query.inputs, arrays)
                if i.side == side and i.kind not in MOTIONS
            }
            self.shapes[side] = _read_shapes(given, sizes, lead)

    def _read_pose(self, side: str) -> tuple[pose.Poses, pose.Poses | None]:
        """The pose given, and what it is multiplied by."""
        field = f"X_W{side.upper()}"
        if (side, "xyz_xyzw") in self.rows:
            base = pose.from_xyz_xyzw(self.rows[side, "xyz_xyzw"], field)
        else:
            base = pose.from_matrices(self.rows[side, "matrix"], field)
        tangent = self.rows.get((side, "tangent"))
        if tangent is None:
            return base, None
        pose.refuse_not_finite(f"tangent_{side}", tangent)
        return base, pose.exponential(tangent)

    def query(self, wanted: Sequence[Input]) -> tuple[Array, Array, dict[Input, Array]]:
        """Values (N, 10), Jacobian by both local tangents (N, 10, 12), and by sizes."""
        values = np.empty((self.size, NUM_OUTPUTS))
        by_motion = np.empty((self.size, NUM_OUTPUTS, 12 if wanted else 0))
        by_sizes = {
            i: np.zeros((self.size, NUM_OUTPUTS, *self.rows[i.side, i.kind].shape[1:]))
            for i in wanted
            if i.kind not in MOTIONS
        }
        for rows, a, b in self._groups(bool(by_sizes)):
            r = self._ask(rows, a, b, bool(wanted), bool(by_sizes))
            values[rows] = np.column_stack([getattr(r, name) for name in VALUES])
            if wanted:
                by_motion[rows] = _stacked(r, "jacobian")
            for i, J in by_sizes.items():
                J[rows] = self._by_size(i, r, a if i.side == "a" else b, rows).reshape(
                    (-1, *J.shape[1:])
                )
        return values, by_motion, by_sizes

    def _groups(self, one_pair_each: bool) -> Iterable[tuple[Any, Any, Any]]:
        """Rows that go into one call: all of them, or all of one pair of shapes where sizes are
        differentiated."""
        (shapes_a, ids_a), (shapes_b, ids_b) = self.shapes["a"], self.shapes["b"]
        if not one_pair_each or len(shapes_a) == len(shapes_b) == 1:
            a = shapes_a[0] if len(shapes_a) == 1 else (ShapeTable(shapes_a), ids_a)
            b = shapes_b[0] if len(shapes_b) == 1 else (ShapeTable(shapes_b), ids_b)
            yield slice(None), a, b
            return
        keys = ids_a.astype(np.int64) * len(shapes_b) + ids_b
        order = np.argsort(keys, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
            if len(rows):
                yield rows, shapes_a[ids_a[rows[0]]], shapes_b[ids_b[rows[0]]]

    def _ask(self, rows: Any, a: Any, b: Any, differentiate: bool, with_sizes: bool) -> Any:
        X_WA, X_WB = self.matrices["a"][rows], self.matrices["b"][rows]
        fields = ["status", *VALUES]
        fields += [f"{name}_jacobian" for name in VALUES] if differentiate else []
        fields += [f"{name}_parameter_jacobian" for name in VALUES] if with_sizes else []
        r: Any = None
        if self.settings.on_gpu and not with_sizes:
            r = _bridge_gpu.distances(a, X_WA, b, X_WB, fields, self.settings)
        if r is None:
            r = distances(
                a,
                X_WA,
                b,
                X_WB,
                fields=fields,
                derivative=self.settings.estimator if differentiate else None,
                parameters=with_sizes,
                tolerance=self.settings.tolerance,
                cutoff=self.settings.cutoff,
                num_threads=self.settings.num_threads,
            )
        bad = np.flatnonzero(r.status == Status.invalid_input)
        if bad.size:
            k = int(bad[0])
            distance(_shape_of(a, k), X_WA[k], _shape_of(b, k), X_WB[k])  # raises, and says why
        return r

    def _by_size(self, i: Input, r: Any, shape: Any, rows: Any) -> Array:
        """Columns of one size."""
        names = r.parameters_a if i.side == "a" else r.parameters_b
        offset = 0 if i.side == "a" else len(r.parameters_a)
        columns = [offset + k for k, name in enumerate(names) if name.partition("[")[0] == i.kind]
        J = _stacked(r, "parameter_jacobian")[:, :, columns]
        return (
            _by_given_vertices(J, shape, self.rows[i.side, i.kind][rows][0])
            if i.kind == "vertices" and len(J)
            else J
        )

    def by_pose(self, i: Input, by_motion: Array) -> Array:
        """Jacobian by the numbers of a pose or of a tangent."""
        base, motion = self.poses[i.side]
        J = by_motion[:, :, :6] if i.side == "a" else by_motion[:, :, 6:]
        if i.kind == "tangent":
            return np.asarray(J @ pose.right_jacobian(self.rows[i.side, i.kind]))
        if motion is not None:
            J = J @ pose.adjoint_of_inverse(motion)
        if i.kind == "xyz_xyzw":
            return np.asarray(J @ pose.pull_back_xyz_xyzw(self.rows[i.side, i.kind], base))
        return np.asarray(J @ pose.pull_back_matrices(base).reshape((-1, 6, 16)))


def _shape_of(side: Any, row: int) -> Geometry:
    shape: Geometry = side if isinstance(side, Geometry) else side[0][int(side[1][row])]
    return shape


def _stacked(r: Any, suffix: str) -> Array:
    """(N, 10, columns)."""
    first = getattr(r, f"distance_{suffix}")[:, None, :]
    return np.concatenate([first, *(getattr(r, f"{name}_{suffix}") for name in VALUES[1:])], axis=1)


# -------------------------------------------------------------------------------------------- sizes
def _read_shapes(
    given: Side, sizes: Mapping[Input, Array], lead: tuple[int, ...]
) -> tuple[list[Geometry], npt.NDArray[np.int32]]:
    """All shapes of a side, and which one each row has."""
    if isinstance(given.shape, ShapeTable):
        index = np.frombuffer(given.index or b"", dtype=np.int32)
        return list(given.shape), np.broadcast_to(index, lead).reshape(-1)
    if not isinstance(given.shape, Shape):  # it has no sizes
        return [given.shape], np.zeros(math.prod(lead), dtype=np.int32)
    own = np.broadcast_shapes(*(i.lead(x.shape) for i, x in sizes.items()))
    flat = {}
    for i, x in sizes.items():
        core = i.core(x.shape)
        flat[i.kind] = np.broadcast_to(x, own + core).reshape((-1, *core))
    count = math.prod(own)
    shapes: list[Geometry] = [
        resized(given.shape, {name: x[k] for name, x in flat.items()}) for k in range(count)
    ]
    return shapes, np.broadcast_to(np.arange(count, dtype=np.int32).reshape(own), lead).reshape(-1)


def resized(shape: Shape, sizes: Mapping[str, Array]) -> Shape:
    """The shape with some of its sizes replaced. Raises InvalidInput as its constructor does."""
    if not sizes:
        return shape
    new: dict[str, Any] = {name: getattr(shape, name) for name in SIZES[type(shape)]}
    new |= {name: value if np.ndim(value) else float(value) for name, value in sizes.items()}
    if isinstance(shape, Convex):
        return Convex.from_points(new["vertices"], margin=new["margin"])
    if isinstance(shape, HalfSpace):
        return HalfSpace(normal=shape.normal, **new)
    return type(shape)(**new)


def _by_given_vertices(J: Array, hull: Convex, points: Array) -> Array:
    """From the vertices of a hull to the points it was made from: those that are none of its
    vertices do nothing."""
    # adding zero leaves one of the two zeros
    place = {point.tobytes(): k for k, point in enumerate(points + 0.0)}
    result = np.zeros((*J.shape[:2], len(points), 3))
    for k, vertex in enumerate(hull.vertices + 0.0):
        result[:, :, place[vertex.tobytes()]] = J[:, :, 3 * k : 3 * k + 3]
    return result
