# SPDX-License-Identifier: BSD-2-Clause
"""Distances and collisions of many pairs on an NVIDIA GPU, on arrays that already live there.

    >>> from tactum import gpu
    >>> table = gpu.ShapeTable([tactum.Sphere(radius=0.5), hull])             # doctest: +SKIP
    >>> answer = gpu.distances((table, index_a), X_WA, (table, index_b), X_WB)  # doctest: +SKIP
    >>> answer.distance, answer.normal                                          # doctest: +SKIP

Arrays come by DLPack, so those of PyTorch, CuPy and JAX are read and written where they lie.
Results are arrays of the package that the poses came from; for packages whose arrays cannot be
written, such as JAX, they are arrays that it takes by `from_dlpack`. Calls return at once and work
in the order of their stream.

This part is compiled only where CUDA's compiler is: `available()` says whether it is there and
finds a device.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ._call_errors import explained
from ._core import Compound, Exact, Shape
from ._errors import InvalidInput
from ._gpu_array import (
    Array,
    DeviceArray,
    empty,
    is_host_pose,
    read_array,
    read_poses,
    statuses,
    stream_number,
)

__all__ = [
    "Array",
    "Counts",
    "Distances",
    "ShapeTable",
    "SignedDistances",
    "available",
    "collides",
    "distances",
    "signed_distance",
]

try:
    _gpu: Any = importlib.import_module("tactum._gpu")
except ImportError:
    _gpu = None

# name of each field: numbers a row, and their type
_FIELDS: dict[str, tuple[tuple[int, ...], str]] = {
    "status": ((), "uint8"),
    "distance": ((), "float64"),
    "normal": ((3,), "float64"),
    "point_a": ((3,), "float64"),
    "point_b": ((3,), "float64"),
    "lower": ((), "float64"),
    "upper": ((), "float64"),
    "iterations": ((), "int32"),
    "distance_jacobian": ((12,), "float64"),
    "normal_jacobian": ((3, 12), "float64"),
    "point_a_jacobian": ((3, 12), "float64"),
    "point_b_jacobian": ((3, 12), "float64"),
}
_PLAIN_FIELDS = tuple(name for name in _FIELDS if not name.endswith("_jacobian"))
_POINT_FIELDS: dict[str, tuple[tuple[int, ...], str]] = {
    "distance": ((), "float64"),
    "gradient": ((3,), "float64"),
    "status": ((), "uint8"),
    "lower": ((), "float64"),
    "upper": ((), "float64"),
}


def available() -> bool:
    """Whether queries can run on a GPU here: this part was compiled, and CUDA finds a device."""
    return _gpu is not None and _gpu.num_devices() > 0


def _module() -> Any:
    if _gpu is None:
        raise RuntimeError(
            "this tactum was built without its GPU part: install it from source with CUDA's "
            "compiler nvcc on the PATH, pip install . -C cmake.define.TACTUM_BUILD_GPU=ON"
        )
    if _gpu.num_devices() == 0:
        raise RuntimeError("CUDA finds no NVIDIA GPU on this machine")
    return _gpu


class Counts(NamedTuple):
    """How the rows of a call were proved."""

    searched_again: int  #: rows that single precision could not prove
    not_converged: int  #: rows with that status
    overlapping: int  #: of these, rows that are proved to overlap with a depth that is only bounded
    on_cpu: int = 0  #: rows that the CPU has answered, with finish_on_cpu


class ShapeTable:
    """Shapes and compounds copied to the current device, constant from then on.

    The distance of two compounds is the smallest over all pairs of parts, as on the CPU. Batches
    refer to them by index. The table holds the workspace of the calls that use it, one for
    each stream. Calls of one table and stream come one after the other, from one thread.
    """

    def __init__(self, shapes: Sequence[Shape | Compound]) -> None:
        """Copy the shapes: convex ones, hulls of at most 256 vertices, no Stp.

        Compounds have at most 64 parts.
        """
        self._table = _module().Table(list(shapes))
        self._work: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(self._table)

    def __repr__(self) -> str:
        return f"ShapeTable({len(self)} shapes on device {self.device})"

    @property
    def nbytes(self) -> int:
        """Memory on the device, in bytes."""
        return int(self._table.nbytes)

    @property
    def device(self) -> int:
        """Number of the device that holds the shapes."""
        return int(self._table.device)

    def _workspace(self, stream: int) -> Any:
        if stream not in self._work:
            self._work[stream] = _module().Workspace()
        return self._work[stream]


@dataclass(frozen=True)
class Distances:
    """Answers of N pairs, arrays on the device; a field that was not asked for is None.

    status (N,) uint8, the numbers of tactum.Status, which compare with names; distance, lower,
    upper (N,) in metres; normal (N, 3), unit, from A to B; point_a, point_b (N, 3) in metres, world
    frame; iterations (N,) int32; distance_jacobian (N, 12), by the motion [v; w] of A in its own
    frame, then of B; normal_jacobian, point_a_jacobian, point_b_jacobian (N, 3, 12), rows in world
    axes, by the same motions.
    """

    status: Any = None
    distance: Any = None
    normal: Any = None
    point_a: Any = None
    point_b: Any = None
    lower: Any = None
    upper: Any = None
    iterations: Any = None
    distance_jacobian: Any = None
    normal_jacobian: Any = None
    point_a_jacobian: Any = None
    point_b_jacobian: Any = None
    _work: Any = None
    _stream: int = 0

    def counts(self) -> Counts:
        """How the rows of the last call of this table and stream were proved. Waits for it."""
        return Counts(*self._work.counts(self._stream))


@dataclass(frozen=True)
class _Side:
    index: DeviceArray | None
    poses: DeviceArray
    one_pose: bool
    rows: int | None  # None: as many as the other side has

    def numbers(self) -> tuple[int, int, bool]:
        return (self.index.address if self.index else 0, self.poses.address, self.one_pose)


def _table_of(value: Any, field: str, kind: type = ShapeTable) -> tuple[Any, Any]:
    if isinstance(value, kind):
        value = (value, None)
    if not (isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], kind)):
        name = kind.__name__
        raise TypeError(
            f"{field}: got {type(value).__name__}; give ({name}, index), or a {name}: its first shape"
        )
    return value[0], value[1]


def _side(module: Any, index: Any, X: Any, names: tuple[str, str], device: int) -> _Side:
    poses, one_pose = read_poses(module, X, names[1], device)
    chosen = None if index is None else read_array(module, index, names[0], "int32", device)
    if chosen is not None and len(chosen.shape) != 1:
        raise InvalidInput(names[0], f"shape {chosen.shape}", "give indices of shape (N,)")
    lengths = ([] if one_pose else [poses.shape[0]]) + ([] if chosen is None else [chosen.shape[0]])
    if len(set(lengths)) > 1:
        raise InvalidInput(
            names[1], f"{lengths[0]} rows", f"give as many as there are indices, {lengths[1]}"
        )
    return _Side(chosen, poses, one_pose, lengths[0] if lengths else None)


class _Call(NamedTuple):
    module: Any
    table: Any  #: a ShapeTable, or the ImplicitSurfaces of gpu_baselines
    rows: int
    a: _Side
    b: _Side
    stream: int


def _call(a: Any, X_WA: Any, b: Any, X_WB: Any, stream: Any, kind: type = ShapeTable) -> _Call:
    module = _module()
    table, index_a = _table_of(a, "a", kind)
    other, index_b = _table_of(b, "b", kind)
    if other is not table:
        raise InvalidInput("b", "another table", "put the shapes of both sides into one table")
    device = table.device
    side_a = _side(module, index_a, X_WA, ("a[1]", "X_WA"), device)
    side_b = _side(module, index_b, X_WB, ("b[1]", "X_WB"), device)
    rows = side_a.rows if side_a.rows is not None else side_b.rows
    if side_b.rows is not None and rows != side_b.rows:
        raise InvalidInput(
            "X_WB", f"{side_b.rows} rows", f"give as many as the other side has, {rows}"
        )
    like = X_WB if is_host_pose(X_WA) else X_WA
    return _Call(
        module, table, 1 if rows is None else rows, side_a, side_b, stream_number(stream, like)
    )


def _wanted(
    fields: Sequence[str] | None, derivative: Exact | None, out: Mapping[str, Any] | None
) -> list[str]:
    if derivative is not None and not isinstance(derivative, Exact):
        raise TypeError(f"derivative: got {type(derivative).__name__}; the GPU has Exact() alone")
    if fields is None:
        wanted = list(_PLAIN_FIELDS if out is None else out)
        if derivative is not None and "distance_jacobian" not in wanted:
            wanted.append("distance_jacobian")
    else:
        wanted = list(fields)
    for name in wanted:
        if name not in _FIELDS:
            raise InvalidInput("fields", repr(name), "give names among " + ", ".join(_FIELDS))
    return wanted


def _column(
    call: _Call,
    like: Any,
    name: str,
    out: Mapping[str, Any] | None,
    forms: dict[str, tuple[tuple[int, ...], str]] = _FIELDS,
) -> tuple[Any, DeviceArray]:
    width, dtype = forms[name]
    shape = (call.rows, *width)
    given = None if out is None else out.get(name)
    is_status = name == "status"
    column = empty(call.module, like, shape, dtype, is_status) if given is None else given
    array = read_array(
        call.module, column, f"out[{name!r}]", dtype, call.table.device, writable=True
    )
    if array.shape != shape:
        raise InvalidInput(f"out[{name!r}]", f"shape {array.shape}", f"give {shape}")
    return statuses(column) if is_status else column, array


@explained
def distances(
    a: ShapeTable | tuple[ShapeTable, Any],
    X_WA: Any,
    b: ShapeTable | tuple[ShapeTable, Any],
    X_WB: Any,
    *,
    fields: Sequence[str] | None = None,
    derivative: Exact | None = None,
    tolerance: float = 1e-6,
    depth: bool = True,
    finish_on_cpu: bool = False,
    out: Mapping[str, Any] | None = None,
    stream: Any = None,
) -> Distances:
    """Signed distances of N pairs on the GPU.

    With the promise of tactum.distances: the bounds hold, and what is not proved says so.

    a, b: (table, index), index an int32 array (N,) on the GPU; or a table, for its first shape.
    Both sides use one table.
    X_WA, X_WB: float64 arrays (N, 7) or (7,) on the GPU, x, y, z, qx, qy, qz, qw; or one pose on
    the host, as anywhere in tactum (such a call waits for its end).
    fields: names of Distances that are wanted; the others are not computed. None: all but
    Jacobians.
    derivative: tactum.Exact() adds distance_jacobian; the other Jacobians are given by name, in
    fields. They are those of the returned normal and points: where a curved shape is known to 1e-6,
    ask for tolerance=1e-10. Where two features determine the normal (parallel faces) each counts by
    half, as on the CPU.
    tolerance: upper - lower <= tolerance * scale, or the status is not_converged; 64 eps to 1.
    depth: False bounds the depth of shapes whose cores overlap instead of finding it, which is
    several times faster.
    finish_on_cpu: True answers the rows that are not proved by tactum.distances on the host,
    waits for them, and counts them.
    out: arrays to write to, by name; then nothing is allocated once a batch as large was served,
    and calls can be captured in a CUDA graph.
    stream: of PyTorch or CuPy, or its address. None: the current stream of the package of the
    poses, else the default one.
    """
    wanted = _wanted(fields, derivative, out)
    call = _call(a, X_WA, b, X_WB, stream)
    like = X_WB if is_host_pose(X_WA) else X_WA
    inner = ["status"] if finish_on_cpu and "status" not in wanted else []
    columns = {name: _column(call, like, name, out) for name in [*wanted, *inner]}
    addresses = {name: array.address for name, (_, array) in columns.items()}
    work = call.table._workspace(call.stream)
    table, sides = call.table._table, (call.a.numbers(), call.b.numbers())
    call.module.distances(
        table, call.rows, *sides, float(tolerance), bool(depth), work, addresses, call.stream
    )
    if finish_on_cpu:
        call.module.finish_on_cpu(
            table, call.rows, *sides, float(tolerance), work, addresses, call.stream
        )
    return Distances(**{name: columns[name][0] for name in wanted}, _work=work, _stream=call.stream)


@dataclass(frozen=True)
class SignedDistances:
    """Answers of N points, arrays on the device; a field that was not asked for is None.

    distance, lower, upper (N,) in metres, negative inside; gradient (N, 3), unit, outward, world
    frame; status (N,) uint8, the numbers of tactum.Status, which compare with names.
    """

    distance: Any = None
    gradient: Any = None
    status: Any = None
    lower: Any = None
    upper: Any = None
    _work: Any = None
    _stream: int = 0

    def counts(self) -> Counts:
        """How the rows of the last call of this table and stream were proved. Waits for it."""
        return Counts(*self._work.counts(self._stream))


@explained
def signed_distance(
    shape: ShapeTable | tuple[ShapeTable, Any],
    X: Any,
    points: Any,
    *,
    fields: Sequence[str] = ("distance", "gradient", "status"),
    tolerance: float = 1e-6,
    out: Mapping[str, Any] | None = None,
    stream: Any = None,
) -> SignedDistances:
    """Signed distances of N points from shapes and compounds on the GPU, with their gradients.

    As tactum.signed_distance, with bounds and status as gpu.distances proves them.

    shape: (table, index), one index for each point; or a table, for its first shape.
    X: its pose, (7,) or (N, 7) on the GPU, or one on the host.
    points: float64 (N, 3) on the GPU, in the world.
    fields: names of SignedDistances that are wanted. The rest as in gpu.distances.
    """
    module = _module()
    table, index = _table_of(shape, "shape")
    side = _side(module, index, X, ("shape[1]", "X"), table.device)
    places = read_array(module, points, "points", "float64", table.device)
    if len(places.shape) != 2 or places.shape[1] != 3:
        raise InvalidInput("points", f"shape {places.shape}", "give (N, 3)")
    rows = places.shape[0]
    if side.rows is not None and side.rows != rows:
        raise InvalidInput(
            "points", f"{rows} rows", f"give as many as there are poses, {side.rows}"
        )
    for name in fields:
        if name not in _POINT_FIELDS:
            raise InvalidInput("fields", repr(name), "give names among " + ", ".join(_POINT_FIELDS))
    call = _Call(module, table, rows, side, side, stream_number(stream, points))
    columns = {name: _column(call, points, name, out, _POINT_FIELDS) for name in fields}
    work = table._workspace(call.stream)
    module.signed_distance(
        table._table,
        rows,
        side.numbers(),
        places.address,
        float(tolerance),
        True,
        work,
        {name: array.address for name, (_, array) in columns.items()},
        call.stream,
    )
    return SignedDistances(
        **{name: column for name, (column, _) in columns.items()}, _work=work, _stream=call.stream
    )


@explained
def collides(
    a: ShapeTable | tuple[ShapeTable, Any],
    X_WA: Any,
    b: ShapeTable | tuple[ShapeTable, Any],
    X_WB: Any,
    *,
    out: Any = None,
    stream: Any = None,
) -> Any:
    """Whether the shapes of each of N pairs share a point: uint8 (N,), numbers of tactum.Status that
    compare with names.

    penetrating: overlap is proved; separated: a plane separates them; touching: within 1e-10 of the
    scale; not_converged: double precision cannot decide; invalid_input: a bad pose or index.
    Arguments as for distances; out: the array to write to.
    """
    call = _call(a, X_WA, b, X_WB, stream)
    like = X_WB if is_host_pose(X_WA) else X_WA
    column, array = _column(call, like, "status", None if out is None else {"status": out})
    call.module.collides(
        call.table._table,
        call.rows,
        call.a.numbers(),
        call.b.numbers(),
        call.table._workspace(call.stream),
        array.address,
        call.stream,
    )
    return column
