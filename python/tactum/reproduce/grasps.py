# SPDX-License-Identifier: BSD-2-Clause
"""How balanced the contacts of fingers are, with its gradient, and whether they hold an object: force
closure by the contact solver."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

import tactum

Array = npt.NDArray[np.float64]

SOFTNESS = 1e-2  #: compliance of a finger, m/s for each N of a body of 1 kg
PUSH = 0.1  #: force, and torque over the size of the object, relative to the squeeze of a finger
YIELDING = 0.5  #: of the speed that a push gives a free body, what a held one may have


def balance(
    contacts: Sequence[tactum.DistanceDerivative], moves: Sequence[Array], size: float
) -> tuple[Array, Array]:
    """Sum (6,) of unit forces and torques of fingers on an object, and its Jacobian (6, n).

    contacts: of the object, as A, with each finger. moves: Jacobians (6, n) of the fingers, [v; w] in
    their own axes. size: half the diagonal of the object, m.
    """
    total, rows = np.zeros(6), np.zeros((6, moves[0].shape[1]))
    for one, move in zip(contacts, moves, strict=True):
        p, n = one.value.point_a / size, one.value.normal
        d_n = one.normal_jacobian[:, 6:] @ move
        d_p = one.point_a_jacobian[:, 6:] @ move / size
        total += np.concatenate([n, np.cross(p, n)])
        rows += np.vstack([d_n, np.cross(p, d_n, axis=0) + np.cross(d_p, n, axis=0)])
    return total, rows


def holds(contacts: Sequence[tactum.Distance], size: float, friction: float) -> bool:
    """Whether soft fingers that squeeze with 1 N stick to an object under small pushes in all twelve
    directions, and keep it where it is.

    contacts: distances of the object, as A, to each finger. size: half the diagonal of the object, m.
    """
    normals = [-np.asarray(one.normal) for one in contacts]
    frames = [np.vstack([np.linalg.svd(n[None])[2][1:], n]) for n in normals]
    arms = [np.cross(one.point_a / size, frame) for one, frame in zip(contacts, frames)]
    J = np.hstack([np.vstack(frames), np.vstack(arms)])
    squeeze = np.tile([0.0, 0.0, SOFTNESS], len(contacts))

    def forces(push: Array) -> tuple[Array, bool]:
        """Of the fingers, and whether all stick; the body has 1 kg, its push acts for 1 s."""
        g, R = J @ push - squeeze, np.full(len(squeeze), SOFTNESS)
        problem = tactum.ContactProblem(G=J @ J.T, g=g, mu=friction, R=R)
        found = tactum.solve(problem, tolerance=1e-10)
        return found.force, set(found.modes) == {tactum.ContactMode.sticking}

    rest, sticks = forces(np.zeros(6))
    for push in PUSH * np.vstack([np.eye(6), -np.eye(6)]):
        pushed, sticks_too = forces(push)
        speed = push + J.T @ (pushed - rest)
        if not (sticks and sticks_too and np.linalg.norm(speed) < YIELDING * PUSH):
            return False
    return True
