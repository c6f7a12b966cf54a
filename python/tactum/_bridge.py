# SPDX-License-Identifier: BSD-2-Clause
"""Common part of the bridges to PyTorch and JAX: a query of many rows with its Jacobians by everything
it was given, in numpy.

A `Query` is constant and hashable: shapes, settings, and which inputs there are. Its inputs are
arrays with leading axes that broadcast. Two questions are asked of it: the values with the gradient
of the distance, which costs little beyond the distance itself, and the Jacobians of normal and
witness points, which cost as much again and are asked for by whoever differentiates them. The
Jacobian of m numbers by an input of shape (..., *core) is (..., m, *core).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple

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

#: what can be differentiated, with its numbers in a row
VALUES = {"distance": 1, "normal": 3, "point_a": 3, "point_b": 3}
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

    side: str  #: "a" or "b", or "" for a shape alone
    kind: str  #: one of MOTIONS, or the name of a size
    num_axes: int

    @property
    def field(self) -> str:
        """The name of the argument as the user gives it."""
        if self.kind == "tangent":
            return tangent_field(self.side)
        if self.kind in MOTIONS:
            return pose_field(self.side)
        return f"parameters_{self.side}[{self.kind!r}]"

    def core(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The axes of an array of that shape that are not leading ones."""
        return tuple(shape[len(shape) - self.num_axes :])

    def lead(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The leading axes of an array of that shape."""
        return tuple(shape[: len(shape) - self.num_axes])


# ---------------------------------------------------------------------------------------- arguments
def pose_field(side: str) -> str:
    """The argument that is the pose of a side."""
    return f"X_W{side.upper()}" if side else "X"


def tangent_field(side: str) -> str:
    """The argument that is the tangent of a side."""
    return f"tangent_{side}" if side else "tangent"


def pose_input(side: str, shape: Sequence[int]) -> Input:
    """The form of a pose whose array has that shape."""
    if len(shape) >= 1 and shape[-1] == 7:
        return Input(side, "xyz_xyzw", 1)
    if len(shape) >= 2 and tuple(shape[-2:]) == (4, 4):
        return Input(side, "matrix", 2)
    raise InvalidInput(
        pose_field(side),
        f"an array of shape {tuple(shape)}",
        "give (..., 7) x y z qx qy qz qw, (..., 4, 4), (R, t), a (3,) translation, or None",
    )


def tangent_input(side: str, shape: Sequence[int]) -> Input:
    """A tangent [v; w]."""
    if len(shape) < 1 or shape[-1] != 6:
        raise InvalidInput(
            tangent_field(side),
            f"an array of shape {tuple(shape)}",
            "give (..., 6) numbers [v; w]",
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


def numbers_of(value: Any, field: str) -> Array:
    """An argument that is no array of a framework, as a new array."""
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"{field}: got {type(value).__name__}; give an array of real numbers"
        ) from None


def checked_estimator(value: Any) -> Estimator:
    """The estimator of a call."""
    if not isinstance(value, Estimator):
        raise TypeError(
            f"estimator: got {type(value).__name__}; give Exact(), FiniteDifference(), "
            "ZerothOrder(), Gaussian() or Gumbel()"
        )
    return value


class Settings(NamedTuple):
    """Settings of a call that do not depend on the rows."""

    estimator: Estimator
    tolerance: float
    cutoff: float
    num_threads: int
    smooth: bool = False
    on_gpu: bool = False  #: where there is one, and it has what is asked


class Answer(NamedTuple):
    """Values of all rows, with leading axes."""

    distance: Array
    normal: Array
    point_a: Array
    point_b: Array
    status: npt.NDArray[np.uint8]
    smooth: npt.NDArray[np.bool_] | None = None


# -------------------------------------------------------------------------------------------- query
@dataclass(frozen=True)
class Query:
    """Distances of pairs of shapes as a function of its inputs."""

    #: what can be differentiated: the first by solve(), the others by jacobians()
    values: ClassVar[tuple[str, ...]] = tuple(VALUES)

    a: Side
    b: Side
    inputs: tuple[Input, ...]
    settings: Settings

    def lead(self, shapes: Iterable[Sequence[int]]) -> tuple[int, ...]:
        """Leading axes of the answer, for inputs of these shapes."""
        leads = [i.lead(shape) for i, shape in zip(self.inputs, shapes)]
        if self.a.index is self.b.index is None and len(set(leads)) == 1:
            return leads[0]
        try:
            return np.broadcast_shapes(*leads, self.a.lead, self.b.lead)
        except ValueError:
            text = ", ".join(f"{i.field} {lead}" for i, lead in zip(self.inputs, leads))
            raise InvalidInput(
                "leading axes", text, "give axes that broadcast, as many as an index has"
            ) from None

    def solve(self, arrays: Sequence[Array], wanted: Sequence[int]) -> tuple[Answer, list[Array]]:
        """Values, and the gradients (..., *core) of the distance by the inputs whose numbers are
        wanted."""
        lead = self.lead([x.shape for x in arrays])
        rows = _Rows(self, arrays, lead)
        answer, gradients = rows.ask(("distance",), [self.inputs[k] for k in wanted])
        columns: list[Any] = [x.reshape(lead + x.shape[1:]) for x in answer if x is not None]
        return Answer(*columns), [J.reshape(lead + J.shape[2:]) for J in gradients]

    def jacobians(
        self, arrays: Sequence[Array], wanted: Sequence[int], names: Sequence[str]
    ) -> list[Array]:
        """Jacobians (..., m, *core) of these values, one under the other, by the inputs wanted."""
        lead = self.lead([x.shape for x in arrays])
        rows = _Rows(self, arrays, lead)
        _, jacobians = rows.ask(names, [self.inputs[k] for k in wanted])
        return [J.reshape(lead + J.shape[1:]) for J in jacobians]

    def pull_back(
        self,
        arrays: Sequence[Array],
        wanted: Sequence[int],
        names: Sequence[str],
        cotangents: Array,
    ) -> list[Array]:
        """Rows (..., m) times the Jacobians of these values, by the inputs wanted: (..., *core).
        Where there is one row for each pair they are multiplied first, which saves the memory of the
        Jacobians."""
        lead = self.lead([x.shape for x in arrays])
        inputs = [self.inputs[k] for k in wanted]
        if cotangents.shape[:-1] == lead and all(i.kind in MOTIONS for i in inputs):
            own = cotangents.reshape((math.prod(lead), cotangents.shape[-1]))
            products = _Rows(self, arrays, lead).pull_back(names, inputs, own)
            return [J.reshape(lead + J.shape[1:]) for J in products]
        result = []
        for J in self.jacobians(arrays, wanted, names):
            core = J.shape[len(lead) + 1 :]
            matrix = J.reshape((*lead, J.shape[len(lead)], math.prod(core)))
            product = (cotangents[..., None, :] @ matrix)[..., 0, :]
            result.append(product.reshape(product.shape[:-1] + core))
        return result


#: columns of an answer: axes besides that of the rows, and the type of a number
COLUMNS: dict[str, tuple[tuple[int, ...], Any]] = {
    "distance": ((), np.float64),
    "normal": ((3,), np.float64),
    "point_a": ((3,), np.float64),
    "point_b": ((3,), np.float64),
    "status": ((), np.uint8),
    "smooth": ((), np.bool_),
    "distance_jacobian": ((12,), np.float64),
    "normal_jacobian": ((3, 12), np.float64),
    "point_a_jacobian": ((3, 12), np.float64),
    "point_b_jacobian": ((3, 12), np.float64),
}
_ANSWER = ("distance", "normal", "point_a", "point_b", "status")
_INVALID = bytes([int(Status.invalid_input)])
_ALL = slice(None)


class _Group(NamedTuple):
    """Rows that went into one call, its shapes and the columns of its answer."""

    rows: Any
    a: Any
    b: Any
    columns: Mapping[str, Any]


class _Rows:
    """The inputs of one call, one row after the other."""

    def __init__(self, query: Query, arrays: Sequence[Array], lead: tuple[int, ...]) -> None:
        self.settings = query.settings
        self.size = math.prod(lead)
        self.rows: dict[tuple[str, str], Array] = {}
        for i, x in zip(query.inputs, arrays):
            self.rows[i.side, i.kind] = flat(i, x, lead)
        self.poses: dict[str, pose.Given] = {}
        self.shapes: dict[
            str, tuple[Sequence[Geometry] | ShapeTable, npt.NDArray[np.int32] | None]
        ] = {}
        for side, given in (("a", query.a), ("b", query.b)):
            self.poses[side] = read_pose(self.rows, side)
            sizes = {
                i: x
                for i, x in zip(query.inputs, arrays)
                if i.side == side and i.kind not in MOTIONS
            }
            self.shapes[side] = _read_shapes(given, sizes, lead)

    def ask(self, names: Sequence[str], wanted: Sequence[Input]) -> tuple[Answer, list[Array]]:
        """Values, and the Jacobians (N, m, *core) of those with these names by the inputs wanted."""
        if self.size == 0:
            return self._nothing(names, wanted)
        sizes = any(i.kind not in MOTIONS for i in wanted)
        fields = [*_ANSWER, "smooth"] if self.settings.smooth else list(_ANSWER)
        of_answer = len(fields)
        if wanted:
            fields += [f"{name}_jacobian" for name in names]
        groups = [
            _Group(rows, a, b, self._call(rows, a, b, fields, names if sizes else ()))
            for rows, a, b in self._groups(sizes)
        ]
        answer = Answer(*(self._gathered(groups, itemgetter(name)) for name in fields[:of_answer]))
        if not wanted:
            return answer, []
        by_motion = self._gathered(groups, lambda columns: _stacked(columns, names, "jacobian"))
        jacobians = [
            self._by_pose(i, by_motion) if i.kind in MOTIONS else self._by_size(i, groups, names)
            for i in wanted
        ]
        return answer, jacobians

    def pull_back(
        self, names: Sequence[str], wanted: Sequence[Input], cotangents: Array
    ) -> list[Array]:
        """Rows (N, m) times the Jacobians of these values by poses and tangents."""
        if self.size == 0:
            return [J[:, 0] for J in self._nothing(("distance",), wanted)[1]]
        ((rows, a, b),) = self._groups(False)
        fields = [*_ANSWER, *(f"{name}_jacobian" for name in names)]
        columns = self._call(rows, a, b, fields, ())
        total, place = np.zeros((self.size, 1, 12)), 0
        for name in names:
            m = VALUES[name]
            J = columns[f"{name}_jacobian"].reshape((self.size, m, 12))
            total += cotangents[:, None, place : place + m] @ J
            place += m
        return [self._by_pose(i, total)[:, 0] for i in wanted]

    def _groups(self, one_pair_each: bool) -> Iterable[tuple[Any, Any, Any]]:
        """Rows that go into one call: all of them, or all of one pair of shapes where sizes are
        differentiated."""
        (shapes_a, ids_a), (shapes_b, ids_b) = self.shapes["a"], self.shapes["b"]
        if not one_pair_each or len(shapes_a) == len(shapes_b) == 1:
            yield _ALL, _side_of(shapes_a, ids_a), _side_of(shapes_b, ids_b)
            return
        zeros = np.zeros(self.size, dtype=np.int32)
        ids_a, ids_b = (zeros if ids is None else ids for ids in (ids_a, ids_b))
        keys = ids_a.astype(np.int64) * len(shapes_b) + ids_b
        order = np.argsort(keys, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1):
            if len(rows):
                yield rows, shapes_a[ids_a[rows[0]]], shapes_b[ids_b[rows[0]]]

    def _call(
        self, rows: Any, a: Any, b: Any, fields: Sequence[str], by_size: Sequence[str]
    ) -> Mapping[str, Any]:
        """Columns of the answer for these rows; those by sizes of the values in `by_size` too."""
        X_WA, X_WB = self._given("a", rows), self._given("b", rows)
        settings = self.settings
        ask = partial(
            distances,
            a,
            X_WA,
            b,
            X_WB,
            derivative=settings.estimator if len(fields) > len(_ANSWER) else None,
            frame="local_world_aligned",
            tolerance=settings.tolerance,
            cutoff=settings.cutoff,
            num_threads=settings.num_threads,
        )
        columns: dict[str, Any]
        if by_size:
            every = [*fields, *(f"{name}_parameter_jacobian" for name in by_size)]
            r = ask(fields=every, parameters=True)
            # copies: what a result has is read-only, which PyTorch does not take
            columns = {name: np.array(getattr(r, name)) for name in every}
            columns |= {"parameters_a": r.parameters_a, "parameters_b": r.parameters_b}
        else:
            columns = {n: np.empty((self.size, *COLUMNS[n][0]), COLUMNS[n][1]) for n in fields}
            if not self._asked_gpu(a, X_WA, b, X_WB, columns):
                ask(out=columns)
        bad = columns["status"].tobytes().find(_INVALID)
        if bad >= 0:
            X_WA = X_WA if len(self.poses["a"].given) == 1 else X_WA[bad]
            X_WB = X_WB if len(self.poses["b"].given) == 1 else X_WB[bad]
            distance(_shape_of(a, bad), X_WA, _shape_of(b, bad), X_WB)  # raises, and says why
        return columns

    def _asked_gpu(self, a: Any, X_WA: Array, b: Any, X_WB: Array, columns: dict[str, Any]) -> bool:
        """Fills the columns on the GPU, where the rows belong there and it has what is asked."""
        if not self.settings.on_gpu:
            return False
        found = _bridge_gpu.distances(a, X_WA, b, X_WB, list(columns), self.settings, self.size)
        columns.update(found or {})
        return found is not None

    def _given(self, side: str, rows: Any) -> Array:
        """Poses for the library: one for all rows, or one for each."""
        given = self.poses[side].given
        if len(given) == 1:
            return np.asarray(given[0])
        return given if rows is _ALL else np.asarray(given[rows])

    def _gathered(self, groups: Sequence[_Group], column: Callable[[Any], Any]) -> Any:
        """A column of the answer for all rows."""
        if groups[0].rows is _ALL:
            return column(groups[0].columns)
        return self._scattered(groups, [column(group.columns) for group in groups])

    def _scattered(self, groups: Sequence[_Group], parts: Sequence[Any]) -> Any:
        """The parts of all groups, each at its rows."""
        if groups[0].rows is _ALL:
            return parts[0]
        result = np.empty((self.size, *parts[0].shape[1:]), parts[0].dtype)
        for group, part in zip(groups, parts):
            result[group.rows] = part
        return result

    def _nothing(self, names: Sequence[str], wanted: Sequence[Input]) -> tuple[Answer, list[Array]]:
        """The answer for no rows."""
        fields = [*_ANSWER, "smooth"] if self.settings.smooth else _ANSWER
        columns: list[Any] = [np.empty((0, *COLUMNS[n][0]), COLUMNS[n][1]) for n in fields]
        m = sum(VALUES[name] for name in names)
        jacobians = [np.empty((0, m, *self.rows[i.side, i.kind].shape[1:])) for i in wanted]
        return Answer(*columns), jacobians

    def _by_size(self, i: Input, groups: Sequence[_Group], names: Sequence[str]) -> Array:
        """Jacobian by one size of a shape."""
        return np.asarray(
            self._scattered(groups, [self._by_size_of(i, group, names) for group in groups])
        )

    def _by_size_of(self, i: Input, group: _Group, names: Sequence[str]) -> Array:
        """Columns of one size in the answer of one pair of shapes."""
        own, others = group.columns[f"parameters_{i.side}"], group.columns["parameters_a"]
        offset = 0 if i.side == "a" else len(others)
        columns = [offset + k for k, name in enumerate(own) if name.partition("[")[0] == i.kind]
        J = _stacked(group.columns, names, "parameter_jacobian")[:, :, columns]
        given = self.rows[i.side, i.kind]
        if i.kind == "vertices":
            shape = group.a if i.side == "a" else group.b
            J = _by_given_vertices(J, shape, given[group.rows][0])
        return J.reshape((*J.shape[:2], *given.shape[1:]))

    def _by_pose(self, i: Input, by_motion: Array) -> Array:
        """Jacobian by the numbers of a pose or of a tangent."""
        J = by_motion[:, :, :6] if i.side == "a" else by_motion[:, :, 6:]
        given = self.poses[i.side]
        if i.kind == "tangent" and isinstance(given, pose.Tangents):
            return given.pull_back_tangent(J)
        return given.pull_back(J)


def flat(i: Input, x: Array, lead: tuple[int, ...]) -> Array:
    """(N, *core), or (1, *core) where it is one pose for all rows."""
    core, own = i.core(x.shape), i.lead(x.shape)
    if own != lead and (i.kind not in MOTIONS or math.prod(own) != 1):
        x = np.broadcast_to(x, lead + core)
    return x if x.ndim == 1 + len(core) else x.reshape((-1, *core))


def read_pose(rows: Mapping[tuple[str, str], Array], side: str) -> pose.Given:
    """The pose of a side: in one of its forms, and multiplied by a tangent where there is one."""
    numbers = rows.get((side, "xyz_xyzw"))
    base: pose.Quaternions | pose.Matrices
    if numbers is not None:
        base = pose.Quaternions(numbers, pose_field(side))
    else:
        base = pose.Matrices(rows[side, "matrix"], pose_field(side))
    tangent = rows.get((side, "tangent"))
    return base if tangent is None else pose.Tangents(base, tangent, tangent_field(side))


def _side_of(shapes: Sequence[Geometry] | ShapeTable, ids: npt.NDArray[np.int32] | None) -> Any:
    """One side as the library takes it."""
    if ids is None:
        return shapes[0]
    return (shapes if isinstance(shapes, ShapeTable) else ShapeTable(shapes), ids)


def _shape_of(side: Any, row: int) -> Geometry:
    shape: Geometry = side if isinstance(side, Geometry) else side[0][int(side[1][row])]
    return shape


def _stacked(columns: Mapping[str, Any], names: Sequence[str], suffix: str) -> Array:
    """(N, m, columns): the Jacobians of these values, one under the other."""
    parts = [columns[f"{name}_{suffix}"] for name in names]
    parts = [part[:, None, :] if part.ndim == 2 else part for part in parts]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


# -------------------------------------------------------------------------------------------- sizes
def _read_shapes(
    given: Side, sizes: Mapping[Input, Array], lead: tuple[int, ...]
) -> tuple[Sequence[Geometry] | ShapeTable, npt.NDArray[np.int32] | None]:
    """All shapes of a side, and which one each row has: None where there is one."""
    if isinstance(given.shape, ShapeTable):
        index = np.frombuffer(given.index or b"", dtype=np.int32)
        return given.shape, np.broadcast_to(index, lead).reshape(-1)
    if not sizes:
        return [given.shape], None
    assert isinstance(given.shape, Shape), "parameter_input() lets shapes alone have sizes"
    own = np.broadcast_shapes(*(i.lead(x.shape) for i, x in sizes.items()))
    flat = {}
    for i, x in sizes.items():
        core = i.core(x.shape)
        flat[i.kind] = np.broadcast_to(x, own + core).reshape((-1, *core))
    count = math.prod(own)
    shapes: list[Geometry] = [
        resized(given.shape, {name: x[k] for name, x in flat.items()}) for k in range(count)
    ]
    if count == 1:
        return shapes, None
    return shapes, np.broadcast_to(np.arange(count, dtype=np.int32).reshape(own), lead).reshape(-1)


def resized(shape: Shape, sizes: Mapping[str, Array]) -> Shape:
    """The shape with some of its sizes replaced. Raises InvalidInput as its constructor does."""
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
