# SPDX-License-Identifier: BSD-2-Clause
"""The rows of a bridge on the GPU, from arrays of the host: what a framework that calls back to the
host can have of it."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import gpu
from ._bridge_pose import Array, to_xyz_xyzw
from ._core import Exact, ShapeTable
from ._errors import InvalidInput

if TYPE_CHECKING:
    from ._bridge import Settings


@functools.lru_cache(maxsize=16)
def _table(shapes: tuple[Any, ...]) -> gpu.ShapeTable | None:
    """None where the GPU does not know one of the shapes."""
    try:
        return gpu.ShapeTable(list(shapes))
    except InvalidInput:
        return None


def _shapes_and_index(side: Any, size: int) -> tuple[tuple[Any, ...], npt.NDArray[np.int32]]:
    if isinstance(side, tuple) and isinstance(side[0], ShapeTable):
        return tuple(side[0]), np.ascontiguousarray(side[1], dtype=np.int32)
    return (side,), np.zeros(size, dtype=np.int32)


def distances(
    a: Any, X_WA: Array, b: Any, X_WB: Array, fields: list[str], settings: Settings
) -> Any:
    """The fields as arrays of the host, of N rows of rigid matrices (N, 4, 4); None where the GPU
    has no answer to this: other estimators than Exact, a cutoff, shapes that it does not know."""
    if not isinstance(settings.estimator, Exact) or settings.cutoff != np.inf or not len(X_WA):
        return None
    shapes_a, index_a = _shapes_and_index(a, len(X_WA))
    shapes_b, index_b = _shapes_and_index(b, len(X_WB))
    table = _table(shapes_a + shapes_b)
    if table is None:
        return None
    module = gpu._module()
    index_b = index_b + np.int32(len(shapes_a))
    arrays = [module.to_device(x) for x in (index_a, to_xyz_xyzw(X_WA), index_b, to_xyz_xyzw(X_WB))]
    answer = gpu.distances(
        (table, arrays[0]),
        arrays[1],
        (table, arrays[2]),
        arrays[3],
        fields=fields,
        tolerance=settings.tolerance,
        finish_on_cpu=True,
    )
    return SimpleNamespace(**{name: np.asarray(getattr(answer, name)) for name in fields})
