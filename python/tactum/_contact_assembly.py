# SPDX-License-Identifier: BSD-2-Clause
"""From the contacts of a scene to a contact problem, and from its forces back to the world.

Every contact has three rows: the velocity of B relative to A at the middle of the two points, along
the two tangents and the normal. A body moves by a twist [v; w] of its world frame, v being the
velocity of the point at the origin of the world, so that one Jacobian serves free bodies and
robots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from ._errors import InvalidInput

Array = npt.NDArray[np.float64]


def cross_matrices(p: Array) -> Array:
    """(K, 3, 3) matrices of the cross products p x."""
    result = np.zeros((*p.shape[:-1], 3, 3))
    x, y, z = np.moveaxis(p, -1, 0)
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -z, y, -x
    result[..., 1, 0], result[..., 2, 0], result[..., 2, 1] = z, -y, x
    return result


def frames(contacts: tactum.Contacts) -> Array:
    """(K, 3, 3): rows tangent, tangent, normal."""
    return np.concatenate([contacts.tangents, contacts.normal[:, None, :]], axis=1)


def world_forces(contacts: tactum.Contacts, force: npt.ArrayLike) -> Array:
    """Contacts.world_forces."""
    rows = numbers(force, (3 * len(contacts),), "force")
    return np.asarray(np.einsum("kij,ki->kj", frames(contacts), rows.reshape(-1, 3)))


def contact_jacobian(
    contacts: tactum.Contacts, jacobians: Mapping[int, npt.ArrayLike], num_velocities: int
) -> Array:
    """(3 K, nv) Jacobian of the rows, from world Jacobians (6, nv) of the objects that move."""
    middle = 0.5 * (contacts.point_a + contacts.point_b)
    # velocity of a point p of a body: v + w x p = [I, -p x] [v; w]
    axes = frames(contacts)
    rows = np.concatenate([axes, -axes @ cross_matrices(middle)], axis=2)
    J = np.zeros((len(contacts), 3, num_velocities))
    for side, sign in ((0, -1.0), (1, 1.0)):
        for name, given in jacobians.items():
            here = contacts.pair[:, side] == name
            if here.any():
                J[here] += sign * rows[here] @ np.asarray(given, dtype=float)
    return J.reshape(3 * len(contacts), num_velocities)


def numbers(value: Any, shape: tuple[int, ...], field: str) -> Array:
    """The finite numbers of an argument of that shape."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        wanted = f"{shape} numbers" if shape else "a number"
        raise TypeError(f"{field}: got {type(value).__name__}; give {wanted}") from None
    if array.shape != shape:
        raise InvalidInput(field, f"an array of shape {array.shape}", f"give {shape}")
    if not np.isfinite(array).all():
        raise InvalidInput(field, "numbers that are not finite", "give finite ones")
    return array


def entries(value: Any, field: str, contacts: tactum.Contacts) -> Mapping[int, Any]:
    """The dict of an argument, whose keys are ids of objects of the scene of the contacts."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{field}: got {type(value).__name__}; give a dict by the ids of objects")
    known = set(contacts.ids.tolist())
    for name in value:
        if isinstance(name, bool) or not isinstance(name, (int, np.integer)):
            raise TypeError(f"{field}: got the key {name!r}; give ids of objects of the scene")
        if int(name) not in known:
            raise InvalidInput(
                f"{field}[{name}]", "an id of no object", "give ids of objects of the scene"
            )
    return value


def cholesky(mass_matrix: Any) -> Array:
    """The lower factor of the mass matrix."""
    size = len(mass_matrix) if np.ndim(mass_matrix) > 0 else 0
    M = numbers(mass_matrix, (size, size), "mass_matrix")
    if np.abs(M - M.T).max(initial=0.0) > 1e-9 * np.abs(M).max(initial=0.0):
        raise InvalidInput(
            "mass_matrix", "a matrix that is not symmetric", "give both of its triangles"
        )
    try:
        return np.asarray(np.linalg.cholesky(M)) if size else M
    except np.linalg.LinAlgError:
        raise InvalidInput(
            "mass_matrix",
            "a matrix that is not positive definite",
            "give the inertia of all joints",
        ) from None


def free_bodies(
    bodies: Mapping[int, Any], gravity: npt.ArrayLike
) -> tuple[dict[int, Array], Array, Array, Array]:
    """World Jacobians, mass matrix, velocities and forces of free bodies, in the coordinates [v of
    the center of mass; w], world axes."""
    nv = 6 * len(bodies)
    M, velocity, force = np.zeros((nv, nv)), np.zeros(nv), np.zeros(nv)
    g = numbers(gravity, (3,), "gravity")
    jacobians = {}
    for i, (name, given) in enumerate(bodies.items()):
        if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
            raise TypeError(
                f"bodies[{name}]: got {type(given).__name__}; give (mass_properties, X_WB) or "
                "(mass_properties, X_WB, velocity)"
            )
        properties, X = given[0], tactum.pose_matrix(given[1])
        if not isinstance(properties, tactum.MassProperties):
            raise TypeError(
                f"bodies[{name}][0]: got {type(properties).__name__}; give what "
                "shape.mass_properties(density) returns"
            )
        at = slice(6 * i, 6 * i + 6)
        center = X[:3, :3] @ properties.center_of_mass + X[:3, 3]
        inertia = X[:3, :3] @ properties.inertia @ X[:3, :3].T
        M[at, at][:3, :3] = properties.mass * np.eye(3)
        M[at, at][3:, 3:] = inertia
        if len(given) == 3:
            velocity[at] = numbers(given[2], (6,), f"bodies[{name}][2]")
        spin = velocity[at][3:]
        force[at] = [*(properties.mass * g), *(-np.cross(spin, inertia @ spin))]
        # the twist of the world frame: v at the origin is v of the center + center x w
        jacobian = np.zeros((6, nv))
        jacobian[:, at] = np.eye(6)
        jacobian[:3, at.start + 3 : at.stop] = cross_matrices(center)
        jacobians[int(name)] = jacobian
    return jacobians, M, velocity, force


def per_contact(value: Any, otherwise: Array, field: str) -> Array:
    """One number for each contact: those given, or those of the scene."""
    if value is None:
        return np.asarray(otherwise)
    shape = np.shape(value)
    if shape not in ((), otherwise.shape):
        raise InvalidInput(
            field,
            f"an array of shape {shape}",
            f"give one number, or one for each of the {len(otherwise)} contacts",
        )
    array = numbers(value, shape, field)
    return np.broadcast_to(array, otherwise.shape).astype(float)


def from_contacts(
    contacts: tactum.Contacts,
    *,
    time_step: float,
    bodies: Mapping[int, Any] | None = None,
    gravity: npt.ArrayLike = (0.0, 0.0, -9.81),
    jacobians: Mapping[int, Any] | None = None,
    mass_matrix: npt.ArrayLike | None = None,
    velocity: npt.ArrayLike | None = None,
    force: npt.ArrayLike | None = None,
    friction: float | npt.ArrayLike | None = None,
    restitution: float | npt.ArrayLike | None = None,
    compliance: float | npt.ArrayLike | None = None,
    position_gain: float = 0.0,
) -> tactum.ContactProblem:
    """ContactProblem.from_contacts."""
    if not isinstance(contacts, tactum.Contacts):
        raise TypeError(
            f"contacts: got {type(contacts).__name__}; give what Scene.contacts() returns"
        )
    if (bodies is None) == (jacobians is None):
        raise TypeError(
            "from_contacts: give either bodies=, for free bodies, or jacobians= and mass_matrix=, "
            "for a robot"
        )
    of_robot = {"mass_matrix": mass_matrix, "velocity": velocity, "force": force}
    if bodies is not None:
        for name, value in of_robot.items():
            if value is not None:
                raise TypeError(
                    f"from_contacts: {name} belongs to jacobians=; bodies= has masses and velocities"
                )
        moving, M, v, f = free_bodies(entries(bodies, "bodies", contacts), gravity)
        factor = cholesky(M)
    else:
        if mass_matrix is None:
            raise TypeError("from_contacts: mass_matrix is missing; give (nv, nv) with jacobians=")
        factor = cholesky(mass_matrix)
        nv = len(factor)
        moving = {
            int(name): numbers(given, (6, nv), f"jacobians[{name}]")
            for name, given in entries(jacobians, "jacobians", contacts).items()
        }
        v = np.zeros(nv) if velocity is None else numbers(velocity, (nv,), "velocity")
        f = np.zeros(nv) if force is None else numbers(force, (nv,), "force")
    seconds = float(numbers(time_step, (), "time_step"))
    J = contact_jacobian(contacts, moving, len(factor))
    free = v + seconds * np.linalg.solve(factor.T, np.linalg.solve(factor, f))
    g = tactum.contact_free_velocity(
        free_velocity=J @ free,
        velocity=J @ v,
        separation=contacts.distance,
        restitution=per_contact(restitution, contacts.restitution, "restitution"),
        time_step=seconds,
        position_gain=position_gain,
    )
    soft = per_contact(compliance, contacts.compliance, "compliance")
    return tactum.ContactProblem.from_operator(
        J=J,
        factor=factor,
        g=g,
        mu=per_contact(friction, contacts.friction, "friction"),
        R=tactum.contact_compliance(np.repeat(soft, 3), time_step=seconds),
    )
