# SPDX-License-Identifier: BSD-2-Clause
"""Training examples from contact records, made on the device of the network.

A step takes two disjoint sets of k objects and r records of each of their k^2 pairs. So only 2 k
objects are encoded, and averages over cells are products of large matrices.

Every example is new. Each object is turned by its own random rotation, all are mirrored or not, and
scaled by a common factor: the label stays. B slides to a new offset along the normal where the
distance is known, or the probed pose is moved by less than its proved margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from .labels import SLIDE, ContactRecords, held_back
from .objects import ObjectSet

POOL = 4096  #: surface points of an object to choose from
SCALE_SPREAD = 0.3  #: standard deviation of the logarithm of the common scale


class Clouds(NamedTuple):
    """Surface points and normals, (n, k, 3) each, in the frames of the objects."""

    points: torch.Tensor
    normals: torch.Tensor


class Examples(NamedTuple):
    """One step: clouds of 2 k objects, r poses for each pair of an object of the first half with
    one of the second."""

    clouds: Clouds  #: (2 k, points, 3)
    R: torch.Tensor  #: (k, k, r, 3, 3) of B in A
    t: torch.Tensor  #: (k, k, r, 3)
    colliding: torch.Tensor  #: (k, k, r) 1 or 0
    distance: torch.Tensor  #: (k, k, r) signed, m; where it is not known, NaN
    counts: torch.Tensor  #: (k, k, r) 0 for pairs that are held back, else 1


def clouds_of(objects: ObjectSet, points: int, seed: int = 0) -> Clouds:
    """Clouds of all objects."""
    samples = [objects.mesh(i).sample(points, seed=seed) for i in range(len(objects))]
    arrays = [np.stack(column).astype(np.float32) for column in zip(*samples)]
    return Clouds(torch.from_numpy(arrays[0]), torch.from_numpy(arrays[1]))


def matrices(q: torch.Tensor) -> torch.Tensor:
    """(..., 3, 3) rotations of quaternions (..., 4) xyzw of any length but zero."""
    x, y, z, w = (q / q.norm(dim=-1, keepdim=True)).unbind(-1)
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
        2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return torch.stack(rows, -1).reshape(*q.shape[:-1], 3, 3)


@dataclass
class ExampleSource:
    """Draws examples. All randomness comes from one generator of the device."""

    clouds: Clouds  #: pools of all objects
    pair_row: torch.Tensor  #: (n, n) row of a pair a < b in the records, -1: none or held back
    records: dict[str, torch.Tensor]
    members: torch.Tensor  #: objects to draw from
    group: int  #: k
    repeats: int  #: r
    points: int
    generator: torch.Generator

    @staticmethod
    def make(
        clouds: Clouds,
        contacts: ContactRecords,
        members: npt.NDArray[np.int64],
        *,
        group: int,
        repeats: int,
        points: int,
        seed: int,
        device: torch.device,
    ) -> ExampleSource:
        """From the records of all pairs of `members`; held-back pairs do not count."""
        n = len(clouds.points)
        rows = np.full((n, n), -1, dtype=np.int64)
        train = np.flatnonzero(~held_back(contacts.pairs))
        rows[contacts.pairs[train, 0], contacts.pairs[train, 1]] = train
        names = ("rotation", "translation", "normal", "reach", "probe", "margin")
        generator = torch.Generator(device=device)
        generator.manual_seed(seed)
        return ExampleSource(
            Clouds(*(c.to(device) for c in clouds)),
            torch.from_numpy(rows).to(device),
            {name: torch.from_numpy(getattr(contacts, name)).to(device) for name in names},
            torch.from_numpy(np.asarray(members)).to(device),
            min(group, len(members) // 2),
            repeats,
            points,
            generator,
        )

    def _uniform(self, *shape: int) -> torch.Tensor:
        return torch.rand(*shape, generator=self.generator, device=self.members.device)

    def _normal(self, *shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=self.generator, device=self.members.device)

    def draw(self) -> Examples:
        """The examples of one step."""
        k, r = self.group, self.repeats
        order = self._uniform(len(self.members)).argsort()[: 2 * k]
        objects = self.members[order]
        a = objects[:k, None].expand(k, k)
        b = objects[None, k:].expand(k, k)
        row = self.pair_row[torch.minimum(a, b), torch.maximum(a, b)]
        R, t, colliding, distance = self._poses(row.clamp(min=0))
        swapped = (a > b)[..., None]
        t = torch.where(swapped[..., None], -(R.transpose(3, 4) @ t[..., None])[..., 0], t)
        R = torch.where(swapped[..., None, None], R.transpose(3, 4), R)

        scale = torch.exp(SCALE_SPREAD * self._normal(1))
        mirror = torch.where(self._uniform(1) < 0.5, -1.0, 1.0)
        turn = matrices(self._normal(2 * k, 4)) * mirror
        points = self._turned_clouds(objects, turn, scale)
        R = turn[:k, None, None] @ R @ turn[None, k:, None].transpose(3, 4)
        t = scale * (turn[:k, None, None] @ t[..., None])[..., 0]
        counts = (row >= 0).to(t.dtype)[..., None].expand(k, k, r)
        return Examples(points, R, t, colliding, scale * distance, counts)

    def _turned_clouds(
        self, objects: torch.Tensor, turn: torch.Tensor, scale: torch.Tensor
    ) -> Clouds:
        pool = self.clouds.points.shape[1]
        chosen = (self._uniform(len(objects), self.points) * pool).long().clamp(max=pool - 1)
        chosen = chosen[..., None].expand(-1, -1, 3)
        back = turn.transpose(1, 2)
        return Clouds(
            scale * (self.clouds.points[objects].gather(1, chosen) @ back),
            self.clouds.normals[objects].gather(1, chosen) @ back,
        )

    def _poses(
        self, row: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Poses of B in A, a < b, r for each pair, with their labels."""
        shape = (*row.shape, self.repeats)
        count = self.records["reach"].shape[1]
        column = (self._uniform(*shape) * count).long().clamp(max=count - 1)
        picked = {name: table[row[..., None], column] for name, table in self.records.items()}
        reach, probe, margin = picked["reach"], picked["probe"], picked["margin"]

        # apart: a new offset, mostly near contact, at times anywhere
        anywhere = self._uniform(*shape) < 0.1
        offset = torch.where(
            anywhere, self._uniform(*shape) * reach, (SLIDE * self._normal(*shape)).abs()
        )
        offset = torch.minimum(offset, reach)
        apart = (self._uniform(*shape) < 0.5) & (offset > 0.0)
        # at the probe: a shift within the proved margin
        shift = self._normal(*shape, 3)
        shift = shift / shift.norm(dim=-1, keepdim=True).clamp(min=1e-6)
        shift = shift * (0.9 * margin.abs() * self._uniform(*shape).pow(1 / 3))[..., None]

        moved = picked["normal"] * torch.where(apart, offset, probe)[..., None]
        t = picked["translation"] + moved + torch.where(apart[..., None], 0.0, shift)
        colliding = (~apart & (margin > 0.0)).to(t.dtype)
        unknown = torch.full_like(offset, float("nan"))
        # a slide by p into an object makes a depth of p or a little less
        slid = (reach > 0.0) & (margin > 0.0)
        distance = torch.where(apart, offset, torch.where(slid, probe, unknown))
        return matrices(picked["rotation"]), t, colliding, distance
