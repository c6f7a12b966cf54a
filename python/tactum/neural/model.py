# SPDX-License-Identifier: BSD-2-Clause
"""The collision network in PyTorch: what is trained, and what the C++ inference is tested against.

Two stages. The *encoder* turns a cloud of surface points with normals into a code: a grid of cells,
each with a feature. The *predictor* takes two codes and the pose of B in A, averages the features of
the cells of each object that can touch the other, and returns a logit of collision and a signed
distance. Lengths are metres; the network sees them divided by UNIT.

Symmetries by construction: only the relative pose enters, so a common motion changes nothing, and
both orders of the objects are computed with the same weights and added, so a swap changes nothing.
Some features are vectors: those of B are turned into the frame of A before they are used.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

UNIT = 0.1  #: m, the length that is 1 inside the network
GROWTH = 0.01  #: m, added to the bounding box of the points on every side
NODES = 12  #: nodes of the distance field along an axis
FAR = (
    1e-4  #: what the sum of weights is compared with: where all are smaller, features fade to zero
)


@dataclass(frozen=True)
class NetworkSize:
    """Everything that decides the shapes of the weights."""

    cells: int = 6  #: cells of the grid along an axis (M)
    width: int = 128  #: features of a point (H)
    channels: int = 64  #: channels of the convolutions
    features: int = 64  #: features of a cell (F)
    vectors: int = 16  #: how many triples of these are vectors, half of them in each half
    hidden: int = 128  #: width of the predictor
    points: int = 1500  #: points of an object (K)
    crop: str = "field"  #: cells that count: "field", "box", or "global" for one feature per object

    def as_text(self) -> dict[str, str]:
        """For the header of a file of weights."""
        return {name: str(value) for name, value in asdict(self).items()}

    @staticmethod
    def from_text(text: dict[str, str]) -> NetworkSize:
        """The inverse of as_text()."""
        known = {name: type(value) for name, value in asdict(NetworkSize()).items()}
        return NetworkSize(**{name: kind(text[name]) for name, kind in known.items()})


class Codes(NamedTuple):
    """Codes of n objects with m = cells^3 cells each."""

    features: torch.Tensor  #: (n, m, features)
    occupied: torch.Tensor  #: (n, m) 1 where a cell has points, else 0
    centers: torch.Tensor  #: (n, m, 3) mean of the points of each cell, from the origin, m
    origin: torch.Tensor  #: (n, 3) center of the bounding box, in the frame of the object, m
    extents: torch.Tensor  #: (n, 3) half sizes of the grown bounding box, m
    half: torch.Tensor  #: (n,) half the side of the grid, m
    field: torch.Tensor  #: (n, NODES^3) signed distance at the nodes, about, m


def turned(R: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """R v for rotations (..., 3, 3) and vectors (..., 3), in full precision whatever the settings
    of matrix products are: poses do not bear half precision."""
    return R[..., 0] * v[..., :1] + R[..., 1] * v[..., 1:2] + R[..., 2] * v[..., 2:]


class Dense(nn.Sequential):
    """A dense layer, ReLU and LayerNorm."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(nn.Linear(inputs, outputs), nn.ReLU(), nn.LayerNorm(outputs))


class GridLayer(nn.Module):
    """A 3^3 convolution, ReLU, and LayerNorm over the channels of each cell."""

    def __init__(self, inputs: int, outputs: int, mode: str) -> None:
        super().__init__()
        if mode == "grow":
            self.conv: nn.Module = nn.ConvTranspose3d(inputs, outputs, 3)
        else:
            self.conv = nn.Conv3d(inputs, outputs, 3, padding=1 if mode == "same" else 0)
        self.norm = nn.LayerNorm(outputs)

    def forward(self, grid: torch.Tensor) -> torch.Tensor:
        grid = F.relu(self.conv(grid))
        return self.norm(grid.movedim(1, -1)).movedim(-1, 1)


class Encoder(nn.Module):
    """Points with normals to codes."""

    def __init__(self, size: NetworkSize) -> None:
        super().__init__()
        self.size = size
        H, C = size.width, size.channels
        self.point1, self.point2, self.point3 = nn.Linear(9, H), nn.Linear(H, H), nn.Linear(H, H)
        self.down1 = GridLayer(H + 7, C, "shrink")
        self.down2, self.down3 = GridLayer(C, C, "same"), GridLayer(C, C, "same")
        self.up3, self.up2 = GridLayer(C, C, "same"), GridLayer(2 * C, C, "same")
        self.up1 = GridLayer(2 * C, C, "grow")
        self.cell = nn.Linear(2 * C + H + 7, size.features)

    def forward(self, points: torch.Tensor, normals: torch.Tensor) -> Codes:
        """points, normals: (n, k, 3) in the frames of the objects."""
        n, M, H = len(points), self.size.cells, self.size.width
        lower, upper = points.amin(1), points.amax(1)
        origin, extents = 0.5 * (lower + upper), 0.5 * (upper - lower) + GROWTH
        half = extents.amax(1)
        points = points - origin[:, None]
        cell = (2.0 * half / M)[:, None, None]
        place = points / cell + 0.5 * M
        index = place.floor().clamp(0, M - 1)
        inside = 2.0 * (place - index) - 1.0
        flat = (index[..., 0] * M + index[..., 1]) * M + index[..., 2]

        h1 = F.relu(self.point1(torch.cat([points / UNIT, inside, normals], dim=-1)))
        h3 = self.point3(F.relu(self.point2(h1))) + h1
        slots = flat.long()[..., None].expand(-1, -1, H)
        floor = torch.full((n, M**3, H), -1e4, dtype=h3.dtype, device=h3.device)
        largest = floor.scatter_reduce(1, slots, h3, "amax")
        occupied = (largest[..., 0] > -5e3).to(points.dtype)
        largest = largest * occupied[..., None].to(h3.dtype)
        middles = (self.grid(M, points) * cell).expand(n, -1, -1)
        spread = (extents / UNIT)[:, None].expand(-1, M**3, -1)
        inputs = torch.cat([occupied[..., None], largest, middles / UNIT, spread], dim=-1)
        features = self.convolve(inputs.movedim(1, -1).reshape(n, H + 7, M, M, M))
        centers = torch.zeros_like(middles).scatter_reduce(
            1, slots[..., :1].expand(-1, -1, 3), points, "mean", include_self=False
        )
        field = half[:, None]
        if self.size.crop == "field":
            with torch.no_grad():
                field = distance_field(points, normals, half)
        return Codes(features.to(points.dtype), occupied, centers, origin, extents, half, field)

    def grid(self, cells: int, like: torch.Tensor) -> torch.Tensor:
        """(1, cells^3, 3) centers of cells of size 1 around the origin."""
        axis = torch.arange(cells, dtype=like.dtype, device=like.device) - 0.5 * (cells - 1)
        return torch.stack(torch.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(1, -1, 3)

    def convolve(self, grid: torch.Tensor) -> torch.Tensor:
        """(n, H + 7, M, M, M) to (n, M^3, features)."""
        down1 = self.down1(grid)
        down2 = self.down2(down1)
        down3 = self.down3(down2)
        whole = down3.mean((2, 3, 4), keepdim=True)
        up3 = self.up3(down3)
        up2 = self.up2(torch.cat([up3, down2], 1))
        up1 = self.up1(torch.cat([up2, down1], 1))
        M = self.size.cells
        joined = torch.cat([up1, whole.expand(-1, -1, M, M, M), grid.to(up1.dtype)], 1)
        return self.cell(joined.flatten(2).movedim(1, -1))


def distance_field(points: torch.Tensor, normals: torch.Tensor, half: torch.Tensor) -> torch.Tensor:
    """(n, NODES^3) distance of each node of the grid from the nearest point, negative where the
    normal of that point says that the node is inside. Nodes span the cube of the cells."""
    axis = torch.linspace(-1.0, 1.0, NODES, dtype=points.dtype, device=points.device)
    nodes = torch.stack(torch.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(1, -1, 3)
    nodes = nodes * half[:, None, None]
    squares: Any = 0.0
    for k in range(3):
        squares = squares + (nodes[..., k, None] - points[:, None, :, k]).square()
    nearest = squares.argmin(-1)[..., None].expand(-1, -1, 3)
    away = nodes - points.gather(1, nearest)
    side = (away * normals.gather(1, nearest)).sum(-1)
    length = away.square().sum(-1).sqrt()
    return torch.where(side < 0.0, -length, length)


def sample_field(codes: Codes, places: torch.Tensor) -> torch.Tensor:
    """Values of the fields at (n, q, 3) places, from the centers of the objects: between the nodes
    by smooth steps, so that the gradient is continuous; outside the cube the value at its surface
    plus the distance from there."""
    half = codes.half[:, None, None]
    inside = torch.clamp(places, -half, half)
    outside = ((places - inside).square().sum(-1) + 1e-12).sqrt() - 1e-6
    scaled = (inside / half + 1.0) * (0.5 * (NODES - 1))
    low = scaled.detach().floor().clamp(0, NODES - 2)
    step = scaled - low
    step = step * step * (3.0 - 2.0 * step)
    base = ((low[..., 0] * NODES + low[..., 1]) * NODES + low[..., 2]).long()
    value: Any = 0.0
    for corner in range(8):
        bits = (corner >> 2 & 1, corner >> 1 & 1, corner & 1)
        weight: Any = 1.0
        for axis, bit in enumerate(bits):
            weight = weight * (step[..., axis] if bit else 1.0 - step[..., axis])
        offset = (bits[0] * NODES + bits[1]) * NODES + bits[2]
        value = value + weight * codes.field.gather(1, base + offset)
    return value + outside


def cell_weights(
    size: NetworkSize,
    occupied: torch.Tensor,
    cell: torch.Tensor,
    limit: torch.Tensor,
    places: torch.Tensor,
    gap: torch.Tensor | None,
) -> torch.Tensor:
    """(..., 2, m) how much each cell of an object counts, for the two halves of the features.

    places: (..., m, 3) centers of the cells in the frame of the other object, limit: (..., 1, 3)
    the half sizes of its bounding box; gap: (..., m) its field there, for the crop "field". cell:
    (..., 1) the size of the cells.
    """
    if size.crop == "field":
        assert gap is not None
        wide = torch.sigmoid((1.2 * cell - gap) / (0.25 * cell))
        near = torch.sigmoid((0.4 * cell - gap) / (0.2 * cell))
        return torch.stack([occupied * wide, occupied * near], -2)
    weight = occupied.expand(places.shape[:-1])
    if size.crop == "box":
        reach = limit + (0.5 * 3**0.5) * cell[..., None]
        sharp = 1.0 / (0.1 * cell[..., None])
        inside = torch.sigmoid((reach - places) * sharp) * torch.sigmoid((reach + places) * sharp)
        weight = weight * inside.prod(-1)
    return torch.stack([weight, weight], -2)


class Summary(NamedTuple):
    """What one object contributes to a prediction: averages over its cells by two weights."""

    average: torch.Tensor  #: (n, features) of the features
    center: torch.Tensor  #: (n, 2, 3) of the centers, m
    gap: torch.Tensor  #: (n, 2) of the distances from the other object, m
    mass: torch.Tensor  #: (n, 2) sums of the weights
    extents: torch.Tensor  #: (n, 3) half sizes of the object, m


class Predictor(nn.Module):
    """Two summaries and a relative pose to a logit and a signed distance."""

    def __init__(self, size: NetworkSize) -> None:
        super().__init__()
        self.size = size
        P = size.hidden
        self.first = Dense(2 * size.features + 38, P)
        self.second, self.third = Dense(P, P), Dense(P, P)
        self.joint = Dense(P, P)
        self.out = nn.Linear(P, 2)

    def turned_features(self, average: torch.Tensor, R: torch.Tensor) -> torch.Tensor:
        """Features whose vectors, the first ones of each half, are turned by the rotations R."""
        count = 3 * (self.size.vectors // 2)
        halves = []
        for half in average.chunk(2, -1):
            vectors = turned(R[:, None], half[:, :count].reshape(len(half), -1, 3))
            halves += [vectors.flatten(1), half[:, count:]]
        return torch.cat(halves, 1)

    def view(self, own: Summary, other: Summary, R: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        """What one object sees of the other, whose pose in its frame is R, t."""
        lengths = [
            own.extents,
            other.extents,
            t,
            own.center.flatten(1),
            turned(R[:, None], other.center).flatten(1),
            own.gap,
            other.gap,
        ]
        x = torch.cat(
            [
                own.average,
                self.turned_features(other.average, R),
                torch.cat(lengths, 1) / UNIT,
                R.flatten(1),
                torch.log1p(own.mass),
                torch.log1p(other.mass),
            ],
            1,
        )
        h: torch.Tensor = self.first(x)
        h = h + self.second(h)
        return h + self.third(h)

    def forward(self, a: Summary, b: Summary, R: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        """(n, 2) logit of collision and signed distance in units; R, t: pose of the center frame of
        B in that of A."""
        back = R.transpose(1, 2)
        h = self.view(a, b, R, t) + self.view(b, a, back, -turned(back, t))
        out: torch.Tensor = self.out(self.joint(h))
        return out


def summarize(codes: Codes, weights: torch.Tensor, gap: torch.Tensor) -> Summary:
    """Averages of n codes under the weights (n, q, 2, m) of q poses each; gap: (n, q, m). Rows of
    the result are n q."""
    mass = weights.sum(-1)
    scale = 1.0 / (mass + FAR)
    first, second = codes.features.chunk(2, -1)
    averages = [(weights[:, :, i] @ part) for i, part in enumerate((first, second))]
    average = torch.cat([part * scale[..., i, None] for i, part in enumerate(averages)], -1)
    n, q, _, m = weights.shape
    center = (weights.reshape(n, 2 * q, m) @ codes.centers).reshape(n, q, 2, 3) * scale[..., None]
    distance = (weights * gap[:, :, None]).sum(-1) * scale
    extents = codes.extents[:, None].expand(-1, q, -1)
    return Summary(*(x.flatten(0, 1) for x in (average, center, distance, mass, extents)))


class Network(nn.Module):
    """Encoder and predictor."""

    def __init__(self, size: NetworkSize | None = None) -> None:
        super().__init__()
        self.size = size or NetworkSize()
        self.encoder, self.predictor = Encoder(self.size), Predictor(self.size)

    def relative(
        self, origin_a: torch.Tensor, origin_b: torch.Tensor, R: torch.Tensor, t: torch.Tensor
    ) -> torch.Tensor:
        """Translation of the center of B from the center of A, in the frame of A."""
        return t + turned(R, origin_b) - origin_a

    def summaries(
        self, a: Codes, b: Codes, R: torch.Tensor, t: torch.Tensor
    ) -> tuple[Summary, Summary]:
        """What the cells that can touch say of both objects; t: between their centers."""
        seen_a = turned(R.transpose(1, 2)[:, None], a.centers - t[:, None])
        seen_b = turned(R[:, None], b.centers) + t[:, None]
        found = []
        for own, other, places in ((a, b, seen_a), (b, a, seen_b)):
            weights, gap = self._weights(own, other, places[:, None])
            found.append(summarize(own, weights, gap))
        return found[0], found[1]

    def pairs(self, a: Codes, b: Codes, R: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        """(n, 2) logits and distances of n pairs of codes, one by one; R (n, 3, 3), t (n, 3): poses
        of the frames of B in those of A. Differentiable by R and t."""
        t = self.relative(a.origin, b.origin, R, t)
        out: torch.Tensor = self.predictor(*self.summaries(a, b, R, t), R, t)
        return out

    def tiled(self, codes: Codes, R: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        """(k, k, r, 2) for every object of the first half of 2 k codes with every object of the
        second half, r poses each: R (k, k, r, 3, 3), t (k, k, r, 3). The same numbers as pairs(),
        by products of large matrices; weights of cells are constants for the derivative."""
        k, r = R.shape[0], R.shape[2]
        a, b = Codes(*(c[:k] for c in codes)), Codes(*(c[k:] for c in codes))
        t = self.relative(a.origin[:, None, None], b.origin[None, :, None], R, t)
        with torch.no_grad():
            back = R.transpose(3, 4)[..., None, :, :]
            seen_a = turned(back, a.centers[:, None, None] - t[..., None, :])
            seen_b = turned(R[..., None, :, :], b.centers[None, :, None]) + t[..., None, :]
            # the places of A are in the frames of B, whose fields they are asked of
            weights_a, gap_a = self._weights(a, b, seen_a.transpose(0, 1).flatten(1, 2), k)
            weights_b, gap_b = self._weights(b, a, seen_b.flatten(1, 2), k)
            swap = lambda x: x.unflatten(1, (k, r)).transpose(0, 1).flatten(1, 2)
            weights_a, gap_a, weights_b, gap_b = map(swap, (weights_a, gap_a, weights_b, gap_b))
        summary_a, summary_b = summarize(a, weights_a, gap_a), summarize(b, weights_b, gap_b)
        # rows of B's summary are by B, then A
        by_a = lambda x: x.unflatten(0, (k, k, r)).transpose(0, 1).flatten(0, 2)
        summary_b = Summary(*map(by_a, summary_b))
        out = self.predictor(summary_a, summary_b, R.flatten(0, 2), t.flatten(0, 2))
        return out.unflatten(0, (k, k, r))

    def _weights(
        self, own: Codes, other: Codes, places: torch.Tensor, repeats: int = 1
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Weights (n, q, 2, m) and distances (n, q, m) of the cells of `own` at `places` (n, q, m,
        3) in the frames of n other objects. With repeats, the q poses of each are those of as many
        own objects, equally many; else own and other objects are paired one by one."""
        n, q, m, _ = places.shape

        def each(x: torch.Tensor) -> torch.Tensor:
            return x[:, None] if repeats == 1 else x.repeat_interleave(q // repeats, 0)[None]

        gap = torch.zeros(n, q, m, dtype=places.dtype, device=places.device)
        if self.size.crop == "field":
            gap = sample_field(other, places.flatten(1, 2)).unflatten(1, (q, m))
        weights = cell_weights(
            self.size,
            each(own.occupied),
            each((2.0 * own.half / self.size.cells)[:, None]),
            (other.extents - GROWTH)[:, None, None],
            places,
            gap,
        )
        return weights, gap
