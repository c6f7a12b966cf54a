# SPDX-License-Identifier: BSD-2-Clause
"""The rows of a bridge on the GPU, from arrays of the host: what a framework that calls back to the
host can have of it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import gpu
from ._bridge_pose import Array, rotations, to_xyz_xyzw
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


def _numbers(X: Array, size: int) -> Array:
    """(N, 7) from one or many poses, as seven numbers or as matrices."""
    core = (7,) if X.shape[-1] == 7 else (4, 4)
    rows = np.broadcast_to(X, (size, *core))
    numbers = rows if core == (7,) else to_xyz_xyzw(rows)
    result = np.array(numbers, dtype=np.float64)
    result[:, 3:] /= np.linalg.norm(result[:, 3:], axis=1, keepdims=True)
    return result


def _in_world_axes(J: Array, numbers_a: Array, numbers_b: Array) -> Array:
    """Jacobians by motions in the frames of the shapes, as those by motions in world axes."""
    result = np.empty_like(J)
    blocks = J.reshape((len(J), -1, 4, 3))
    turned = result.reshape(blocks.shape)
    for k, numbers in ((0, numbers_a), (2, numbers_b)):
        R = rotations(numbers)
        turned[:, :, k : k + 2] = np.einsum("nmkj,nij->nmki", blocks[:, :, k : k + 2], R)
    return result


def distances(
    a: Any,
    X_WA: Array,
    b: Any,
    X_WB: Array,
    fields: Sequence[str],
    settings: Settings,
    size: int,
) -> dict[str, Any] | None:
    """The fields as arrays of the host, Jacobians by motions in world axes about the origins of the
    shapes; None where the GPU has no answer to this: other estimators than Exact, a cutoff,
    `smooth`, shapes that it does not know."""
    if not isinstance(settings.estimator, Exact) or settings.cutoff != np.inf:
        return None
    if settings.smooth or size == 0:
        return None
    shapes_a, index_a = _shapes_and_index(a, size)
    shapes_b, index_b = _shapes_and_index(b, size)
    table = _table(shapes_a + shapes_b)
    if table is None:
        return None
    module = gpu._module()
    numbers_a, numbers_b = _numbers(X_WA, size), _numbers(X_WB, size)
    index_b = index_b + np.int32(len(shapes_a))
    arrays = [module.to_device(x) for x in (index_a, numbers_a, index_b, numbers_b)]
    answer = gpu.distances(
        (table, arrays[0]),
        arrays[1],
        (table, arrays[2]),
        arrays[3],
        fields=list(fields),
        tolerance=settings.tolerance,
        finish_on_cpu=True,
    )
    columns = {name: np.asarray(getattr(answer, name)) for name in fields}
    return {
        name: _in_world_axes(x, numbers_a, numbers_b) if name.endswith("_jacobian") else x
        for name, x in columns.items()
    }
