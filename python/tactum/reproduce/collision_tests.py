# SPDX-License-Identifier: BSD-2-Clause
"""Test sets of the collision network: point clouds of real objects and labeled poses of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..neural import CollisionNetwork, ObjectCode

Array = npt.NDArray[np.float64]
_FILE = Path(__file__).resolve().parent.parent / "data" / "collision_tests.npz"
_STEPS = 32767
GROUPS = ("known", "unknown", "ycb")


@dataclass(frozen=True)
class CollisionTests:
    """Poses of pairs of objects with their signed distances."""

    pairs: npt.NDArray[np.int16]  #: (n, 2)
    poses: Array  #: (n, 7) of B in A
    distance: Array  #: (n,) in metres; in penetration minus a bound of the depth
    normal: Array  #: (n, 3) in A

    def truth(self) -> npt.NDArray[np.bool_]:
        """Whether each pair collides."""
        return np.asarray(self.distance < 0.0)


def load_tests(group: str, kind: str, objects: int = 30) -> CollisionTests:
    """A test set: "known", "unknown" or "ycb"; "uniform" or "slide"; with the pairs of the first
    objects of the group alone."""
    with np.load(_FILE, allow_pickle=False) as file:
        pairs = file[f"{group}.{kind}.pairs"]
        first = 30 * GROUPS.index(group)
        rows = np.all(pairs < first + objects, axis=1)
        found = {
            name: file[f"{group}.{kind}.{name}"][rows]
            for name in ("pairs", "poses", "distance", "normal")
        }
    poses = found["poses"].astype(np.float64)
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    return CollisionTests(
        found["pairs"],
        poses,
        found["distance"].astype(np.float64),
        found["normal"].astype(np.float64),
    )


@cache
def load_network() -> CollisionNetwork:
    """The network of the package."""
    return CollisionNetwork.load()


@cache
def encode(index: int, scale: float) -> ObjectCode:
    """Code of one object of the file, scaled."""
    with np.load(_FILE, allow_pickle=False) as file:
        size, points, normals = file["size"][index], file["points"][index], file["normals"][index]
    return load_network().encode_points(
        points.astype(np.float64) * (scale * float(size) / _STEPS),
        normals.astype(np.float64) / _STEPS,
    )


def predict(tests: CollisionTests, codes: dict[int, ObjectCode], scale: float = 1.0) -> Array:
    """Logits of all rows, for objects and translations that are so much larger."""
    network = load_network()
    poses = tests.poses.copy()
    poses[:, :3] *= scale
    logits = np.empty(len(poses))
    order = np.lexsort((tests.pairs[:, 1], tests.pairs[:, 0]))
    starts = np.flatnonzero(np.any(np.diff(tests.pairs[order], axis=0) != 0, axis=1)) + 1
    for rows in np.split(order, starts):
        a, b = (int(index) for index in tests.pairs[rows[0]])
        logits[rows] = network.logits(codes[a], codes[b], poses[rows])
    return logits
