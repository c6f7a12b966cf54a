# SPDX-License-Identifier: BSD-2-Clause
"""The two checks on a GPU that learned collision detection is compared with (Son and Kim 2023).

Nothing that they say is proved: they are here to be compared with, and tactum.gpu.collides is what
to use. Arrays, poses and streams are those of tactum.gpu.

    >>> from tactum import gpu_baselines
    >>> hits = gpu_baselines.uniform_flow_collides(                            # doctest: +SKIP
    ...     (table, index_a), X_WA, (table, index_b), X_WB, iterations=8)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import gpu
from ._core import Mesh
from ._gpu_array import DeviceArray, is_host_pose

__all__ = ["ImplicitSurfaces", "implicit_surface_distances", "uniform_flow_collides"]


def uniform_flow_collides(
    a: gpu.ShapeTable | tuple[gpu.ShapeTable, Any],
    X_WA: Any,
    b: gpu.ShapeTable | tuple[gpu.ShapeTable, Any],
    X_WB: Any,
    *,
    iterations: int = 8,
    out: Any = None,
    stream: Any = None,
) -> Any:
    """Whether the objects of each of N pairs seem to overlap: uint8 (N,), 1 or 0; 0 for bad rows.

    GJK in uniform computational flow (there UCF-GJK): all pairs of parts, padded to the largest
    object, with as many iterations each, from 1 to 64, in single precision. The table holds
    compounds of hulls and boxes alone, else InvalidInput is raised. The other arguments are those
    of tactum.gpu.collides; out: the array to write to.
    """
    call = gpu._call(a, X_WA, b, X_WB, stream)
    column, array = _column(call, X_WB if is_host_pose(X_WA) else X_WA, "uint8", out)
    call.module.uniform_flow_collides(
        call.table._table,
        call.rows,
        call.a.numbers(),
        call.b.numbers(),
        int(iterations),
        array.address,
        call.stream,
    )
    return column


class ImplicitSurfaces:
    """Meshes as points of their surfaces and grids of signed distances, on the current device."""

    def __init__(
        self, meshes: Sequence[Mesh], *, num_points: int = 1500, resolution: int = 64
    ) -> None:
        """Build the grids on all cores of the host and copy them.

        num_points: sampled on each surface, 1 to 1,000,000. resolution: nodes of a grid along its
        longest side, 4 to 512; it reaches a tenth of that side beyond its mesh. Raises InvalidInput
        for an empty list, for a mesh without an inside and for numbers out of range.
        """
        module = gpu._module()
        self._surfaces = module.ImplicitSurfaces(list(meshes), int(num_points), int(resolution))

    def __len__(self) -> int:
        return len(self._surfaces)

    def __repr__(self) -> str:
        return f"ImplicitSurfaces({len(self)} meshes on device {self.device})"

    @property
    def nbytes(self) -> int:
        """Memory on the device, in bytes."""
        return int(self._surfaces.nbytes)

    @property
    def device(self) -> int:
        """Number of the device that holds the grids."""
        return int(self._surfaces.device)


def implicit_surface_distances(
    a: ImplicitSurfaces | tuple[ImplicitSurfaces, Any],
    X_WA: Any,
    b: ImplicitSurfaces | tuple[ImplicitSurfaces, Any],
    X_WB: Any,
    *,
    out: Any = None,
    stream: Any = None,
) -> Any:
    """The smallest signed distance of the points of A from B, float32 (N,) in metres.

    Implicit surface collision detection (there IS-CD): not positive where the meshes seem to
    overlap, infinity for bad rows. What lies between the points is missed, so the order of A and B
    matters. a, b: (surfaces, index), index an int32 array (N,) on the GPU; or surfaces, for the
    first mesh. The other arguments are those of tactum.gpu.collides; out: the array to write to.
    """
    call = gpu._call(a, X_WA, b, X_WB, stream, ImplicitSurfaces)
    column, array = _column(call, X_WB if is_host_pose(X_WA) else X_WA, "float32", out)
    call.module.implicit_surface_distances(
        call.table._surfaces,
        call.rows,
        call.a.numbers(),
        call.b.numbers(),
        array.address,
        call.stream,
    )
    return column


def _column(call: gpu._Call, like: Any, dtype: str, out: Any) -> tuple[Any, DeviceArray]:
    given = None if out is None else {"out": out}
    return gpu._column(call, like, "out", given, {"out": ((), dtype)})
