# SPDX-License-Identifier: BSD-2-Clause
"""What the posture experiments ask of a robot: bodies of points on a tree of joints, whose
coordinates are plain numbers, the first six of which move the base."""

from __future__ import annotations

import abc

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

MARGIN = 0.01  #: m, of the paper
SIDES = ("left", "right")
#: bodies of every robot, between which collisions are looked for
PARTS = (
    "waist",
    "chest",
    "head",
    *(
        f"{side}_{part}"
        for side in SIDES
        for part in ("thigh", "shin", "foot", "upper_arm", "forearm", "hand")
    ),
)
#: neighbors on the tree, which may always touch
NEIGHBORS = {frozenset(("waist", "chest")), frozenset(("chest", "head"))} | {
    frozenset(pair)
    for side in SIDES
    for pair in (
        (f"{side}_thigh", f"{side}_shin"),
        (f"{side}_shin", f"{side}_foot"),
        (f"{side}_upper_arm", f"{side}_forearm"),
        (f"{side}_forearm", f"{side}_hand"),
        ("waist", f"{side}_thigh"),
        ("chest", f"{side}_upper_arm"),
    )
}


class PostureRobot(abc.ABC):
    """Bodies by number and name.

    points: of each body, in its frame. lower, upper: of the coordinates. sole, palm: points of a
    foot and of a hand in their frames, below the ankle and where it holds. scale: its size beside
    that of HRP-2. margins: of each body, m; a centimetre, as in the paper, where nothing else is said.
    """

    sole: Array
    palm: Array
    scale: float

    def __init__(
        self,
        names: list[str],
        points: list[Array],
        masses: Array,
        centers: Array,
        lower: Array,
        upper: Array,
    ) -> None:
        self.names, self.points, self.lower, self.upper = names, points, lower, upper
        self.index = {name: k for k, name in enumerate(names)}
        self.margins = np.full(len(names), MARGIN)
        self._masses, self._centers = masses, centers

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return len(self.lower)

    @abc.abstractmethod
    def zero(self) -> Array:
        """All joints at 0, or at the limit next to it, and the feet on the plane z = 0."""

    @abc.abstractmethod
    def poses(self, q: Array) -> tuple[Array, Array]:
        """Poses (B, 4, 4) of the bodies, and their Jacobians (B, 6, size): [v; w] in body axes."""

    def point(self, body: int, local: Array, X_W: Array, jacobians: Array) -> tuple[Array, Array]:
        """Where a point of a body is in the world, and its Jacobian (3, size)."""
        R, J = X_W[body, :3, :3], jacobians[body]
        return R @ local + X_W[body, :3, 3], R @ (J[:3] + np.cross(J[3:], local, axis=0))

    def center_of_mass(self, X_W: Array, jacobians: Array) -> tuple[Array, Array]:
        """In the world, and its Jacobian (3, size)."""
        found = [self.point(k, c, X_W, jacobians) for k, c in enumerate(self._centers)]
        shares = self._masses / self._masses.sum()
        return (
            np.einsum("b,bi->i", shares, np.array([p for p, _ in found])),
            np.einsum("b,bij->ij", shares, np.array([J for _, J in found])),
        )

    def self_pairs(self) -> list[tuple[int, int]]:
        """Pairs of bodies that are no neighbors and can meet."""
        parts = sorted(self.index[name] for name in PARTS)
        return [
            (a, b)
            for i, a in enumerate(parts)
            for b in parts[i + 1 :]
            if frozenset((self.names[a], self.names[b])) not in NEIGHBORS
        ]
