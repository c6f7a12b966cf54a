# SPDX-License-Identifier: BSD-2-Clause
"""Reach a point without touching anything: an arm of capsules, a box in the way, exact gradients of
all distances, and an optimizer that knows nothing of geometry."""

import numpy as np
import numpy.typing as npt
import tactum
from scipy.optimize import minimize

Array = npt.NDArray[np.float64]

LENGTHS, GOAL, GAP = (0.4, 0.35, 0.25), np.array([0.55, 0.0, 0.1]), 0.02  # m
links = [tactum.Capsule(radius=0.04, half_length=0.5 * length) for length in LENGTHS]
box, X_WB = tactum.Box(half_extents=(0.08, 0.2, 0.19)), tactum.pose(xyz=(0.3, 0.0, 0.1))


def arm(q: Array) -> tuple[Array, Array, Array, Array]:
    """Poses of the links, their Jacobians [v; w] by the three turns about y, the tip and its
    own."""
    poses, jacobians = np.tile(np.eye(4), (3, 1, 1)), np.zeros((3, 6, 3))
    joints, at = np.zeros((3, 3)), np.zeros(3)
    for k, angle in enumerate(np.cumsum(q)):
        s, c = np.sin(angle), np.cos(angle)
        poses[k, :3, :3] = [[c, 0, s], [0, 1, 0], [-s, 0, c]]
        joints[k] = at
        poses[k, :3, 3] = at + 0.5 * LENGTHS[k] * poses[k, :3, 2]
        at = at + LENGTHS[k] * poses[k, :3, 2]
        for j in range(k + 1):
            arms = np.cross([0.0, 1.0, 0.0], poses[k, :3, 3] - joints[j])
            jacobians[k, :3, j] = poses[k, :3, :3].T @ arms
            jacobians[k, 4, j] = 1.0
    return poses, jacobians, at, np.cross([0.0, 1.0, 0.0], at - joints).T


def gaps(q: Array) -> tuple[Array, Array]:
    """Distances of all links to the box, and their gradients by q."""
    poses, jacobians, _, _ = arm(q)
    found = tactum.distances(
        (tactum.ShapeTable(links), np.arange(3)), poses, box, X_WB, derivative=tactum.Exact()
    )
    rows = np.einsum("ki,kij->kj", found.distance_jacobian[:, :6], jacobians)
    return np.asarray(found.distance), np.asarray(rows)


result = minimize(
    lambda q: float(q @ q),  # little bending
    np.array([0.2, 0.8, 1.0]),
    jac=lambda q: 2.0 * q,
    method="SLSQP",
    constraints=[
        dict(type="eq", fun=lambda q: (arm(q)[2] - GOAL)[::2], jac=lambda q: arm(q)[3][::2]),
        dict(type="ineq", fun=lambda q: gaps(q)[0] - GAP, jac=lambda q: gaps(q)[1]),
    ],
    options={"ftol": 1e-12, "maxiter": 200},
)
error = np.linalg.norm(arm(result.x)[2] - GOAL)
print(f"reached: {error < 1e-6}, nearest link {1000 * gaps(result.x)[0].min():.2f} mm from the box")
