# SPDX-License-Identifier: BSD-2-Clause
"""The collision network on an NVIDIA GPU: one fused kernel from poses to logits.

Needs the GPU part of the package and PyTorch, whose tensors go in and come out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from .. import gpu
from .._core import ObjectCode
from .._errors import InvalidInput
from . import CollisionNetwork
from .model import Codes

TILE = 64  #: rows of one pair that the kernel takes at a time


class Tiles(NamedTuple):
    """Rows of a batch in the order of their pairs, cut into tiles."""

    order: torch.Tensor  #: (n,) which row stands at each place
    table: torch.Tensor  #: (tiles, 4) int32: object a, object b, first place, number of rows


def tiles_of(index_a: torch.Tensor, index_b: torch.Tensor) -> Tiles:
    """Sorts rows by their pair of objects (n,), (n,). Worth keeping while the pairs stay."""
    if index_a.shape != index_b.shape or index_a.ndim != 1:
        shapes = f"shapes {tuple(index_a.shape)} and {tuple(index_b.shape)}"
        raise InvalidInput("index_a, index_b", shapes, "give one index a row for each")
    a, b = index_a.long(), index_b.long()
    key, order = torch.sort((a << 32) | b, stable=True)
    pairs, counts = torch.unique_consecutive(key, return_counts=True)
    tiles = (counts + TILE - 1) // TILE
    first_of_pair = torch.cumsum(counts, 0) - counts
    pair = torch.repeat_interleave(torch.arange(len(pairs), device=a.device), tiles)
    within = torch.arange(len(pair), device=a.device) - (torch.cumsum(tiles, 0) - tiles)[pair]
    first = first_of_pair[pair] + TILE * within
    count = torch.clamp(counts[pair] - TILE * within, max=TILE)
    columns = (pairs[pair] >> 32, pairs[pair] & 0xFFFFFFFF, first, count)
    return Tiles(order, torch.stack(columns, 1).to(torch.int32).contiguous())


class DeviceNetwork:
    """A network and the codes of some objects on the current GPU.

    Logits are those of CollisionNetwork to half precision. Rows are fast where many of a batch show
    the same pair of objects, because 64 rows of one pair share what is read about it.
    """

    def __init__(self, network: CollisionNetwork, codes: Sequence[ObjectCode]) -> None:
        """Raises InvalidInput for a network whose sizes the kernel does not have: features and
        width are to be 64 and 64, 64 and 128, or 96 and 192, with 16 vectors."""
        self._module: Any = gpu._module()
        self._codes = self._module.CollisionCodes(network._core, list(codes))

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def nbytes(self) -> int:
        """Memory on the device."""
        return int(self._codes.nbytes)

    def predict(
        self,
        index_a: torch.Tensor,
        index_b: torch.Tensor,
        R: torch.Tensor,
        t: torch.Tensor,
        tiles: Tiles | None = None,
    ) -> torch.Tensor:
        """(n, 2) logits and estimated signed distances (m). R (n, 3, 3), t (n, 3): poses of the
        objects index_b in the frames of the objects index_a, all on the GPU. NaN where an index or
        a pose is none."""
        tiles = tiles_of(index_a, index_b) if tiles is None else tiles
        poses = torch.cat([R.reshape(-1, 9), t], 1).float()[tiles.order].contiguous()
        found = torch.full((len(poses), 2), float("nan"), device=poses.device)
        self.predict_tiles(tiles.table, poses, found)
        return torch.empty_like(found).index_copy_(0, tiles.order, found)

    def predict_tiles(self, table: torch.Tensor, poses: torch.Tensor, out: torch.Tensor) -> None:
        """The kernel alone: tiles as of tiles_of(), poses (n, 12) and results (n, 2) in its order,
        contiguous single precision."""
        for name, value, columns in (("poses", poses, 12), ("out", out, 2)):
            fits = value.is_cuda and value.is_contiguous() and value.dtype == torch.float32
            if not fits or value.shape != (len(poses), columns):
                raise InvalidInput(name, f"{tuple(value.shape)}", f"give (n, {columns}) on the GPU")
        stream = torch.cuda.current_stream().cuda_stream
        self._module.collision_logits(
            self._codes,
            table.data_ptr(),
            len(table),
            poses.data_ptr(),
            len(poses),
            out.data_ptr(),
            stream,
        )


def codes_of(codes: Codes, cells: int) -> list[ObjectCode]:
    """Codes that the encoder of PyTorch made, as those of CollisionNetwork.encode(); cells: of the
    grid along an axis."""
    found = []
    for i in range(len(codes.half)):
        filled = codes.occupied[i] > 0.5
        half = float(codes.half[i])
        arrays = (codes.features[i][filled], codes.centers[i][filled])
        vectors = (codes.origin[i], codes.extents[i])
        code = ObjectCode.__new__(ObjectCode)
        state: tuple[Any, ...] = (
            *(array.double().cpu().numpy() for array in (*arrays, *vectors)),
            half,
            2.0 * half / cells,
            codes.field[i][None].double().cpu().numpy(),
        )
        code.__setstate__(state)
        found.append(code)
    return found
