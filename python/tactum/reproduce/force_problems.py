# SPDX-License-Identifier: BSD-2-Clause
"""Contact problems that show what a contact model or solver does not do: a point that slides, boxes
on four corners, random bodies.

Unknowns are forces in N; velocities are divided by the time step, so that they are accelerations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

import tactum

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

GRAVITY = 9.81  # m/s^2
SIDE = 0.2  # of the cubes, m


def point_rows(arm: npt.ArrayLike) -> Array:
    """Velocity (3, 6) of a point at an arm from the center of a body that moves by (v, w)."""
    x, y, z = np.asarray(arm, dtype=float)
    return np.hstack([np.eye(3), [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]])


def inverse_inertia(mass: float) -> Array:
    """The inverse mass matrix of a cube, as the six entries of its diagonal."""
    return np.array([1.0 / mass] * 3 + [6.0 / (mass * SIDE**2)] * 3)


def make_problem(
    J: Array, inverse: Array, motion: Array, mu: float | Array, R: float = 0.0
) -> tactum.ContactProblem:
    """From the Jacobian, the diagonal of the inverse mass matrix, and the motion without contact
    forces."""
    return tactum.ContactProblem(G=J * inverse @ J.T, g=J @ motion, mu=mu, R=R)


def sliding_point(angle: float, mu: float = 0.5) -> tactum.ContactProblem:
    """A cube of 1 kg that lands on one corner region off its center, and slides at an angle from
    the first axis."""
    motion = np.array([30.0 * np.cos(angle), 30.0 * np.sin(angle), -3.0 * GRAVITY, 0.0, 0.0, 0.0])
    return make_problem(point_rows((0.1, 0.05, -0.1)), inverse_inertia(1.0), motion, mu)


def cubes(
    masses: Sequence[float], mu: float, push: Sequence[float] = (0.0, 0.0)
) -> tactum.ContactProblem:
    """Cubes on top of each other, four contacts each; the lowest is on the ground and is pushed
    (N/kg)."""
    bodies = len(masses)
    J, motion = np.zeros((12 * bodies, 6 * bodies)), np.zeros(6 * bodies)
    motion[2::6] = -GRAVITY
    motion[:2] += push
    for body in range(bodies):
        for corner, (x, y) in enumerate(((0.1, 0.1), (-0.1, 0.1), (0.1, -0.1), (-0.1, -0.1))):
            own = slice(12 * body + 3 * corner, 12 * body + 3 * corner + 3)
            J[own, 6 * body : 6 * body + 6] = point_rows((x, y, -0.1))
            if body > 0:
                J[own, 6 * body - 6 : 6 * body] = -point_rows((x, y, 0.1))
    return make_problem(J, np.concatenate([inverse_inertia(mass) for mass in masses]), motion, mu)


def random_bodies(
    rng: Rng, contacts: int, bodies: int, mu: tuple[float, float], R: float
) -> tactum.ContactProblem:
    """Contacts at random places and in random frames of cubes of some 1 kg, each against another
    one or the ground."""
    J = np.zeros((3 * contacts, 6 * bodies))
    for contact in range(contacts):
        first, second = contact % bodies, int(rng.integers(bodies))
        frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        own = slice(3 * contact, 3 * contact + 3)
        J[own, 6 * first : 6 * first + 6] += frame @ point_rows(rng.uniform(-0.15, 0.15, 3))
        if second != first:
            J[own, 6 * second : 6 * second + 6] -= frame @ point_rows(rng.uniform(-0.15, 0.15, 3))
    inverse = np.concatenate([inverse_inertia(mass) for mass in rng.uniform(0.5, 2.0, bodies)])
    return make_problem(
        J, inverse, rng.normal(scale=8.0, size=6 * bodies), rng.uniform(*mu, contacts), R
    )
