# SPDX-License-Identifier: BSD-2-Clause
"""Derivatives: how distance and normal move with a shape, where they are not unique, and what
smoothing adds."""

import numpy as np
import tactum

ellipsoid = tactum.Ellipsoid(semi_axes=(0.3, 0.2, 0.1))
ball = tactum.Sphere(radius=0.1)
X_WA, X_WB = np.eye(4), np.eye(4)
X_WB[:3, 3] = [0.4, 0.3, 0.2]

# columns: linear and angular motion of A, then of B; here in world axes at the origin of each shape
d = tactum.distance_derivative(ellipsoid, X_WA, ball, X_WB, frame="local_world_aligned")
print(f"distance {d.value.distance:.6f}, smooth {d.smooth}")
print(f"distance by moving B along x {d.distance_jacobian[6]:.6f}")
print(f"normal x by moving B along x {d.normal_jacobian[0, 6]:.6f}")

# the same by moving B and asking again
moved = X_WB.copy()
moved[0, 3] += 1e-6
change = tactum.distance(ellipsoid, X_WA, ball, moved).distance - d.value.distance
print(f"difference quotient agrees: {abs(change / 1e-6 - d.distance_jacobian[6]) < 1e-5}")

# two parallel faces: any pair of opposite points is nearest, so there is no one derivative
box = tactum.Box(half_extents=(0.2, 0.2, 0.2))
X_WB[:3, 3] = [0.0, 0.0, 1.0]
print(f"parallel faces smooth: {tactum.distance_derivative(box, X_WA, box, X_WB).smooth}")

# two corners: their exact normal ignores how a box turns about its corner, a smoothed one does not
X_WB[:3, 3] = [1.0, 0.9, 0.8]
exact = tactum.distance_derivative(box, X_WA, box, X_WB)
soft = tactum.distance_derivative(
    box, X_WA, box, X_WB, estimator=tactum.Gumbel(rings=2, temperature=0.1)
)
print(f"normal by turning B: exact {np.linalg.norm(exact.normal_jacobian[:, 9:]):.4f}", end=", ")
print(f"smoothed {np.linalg.norm(soft.normal_jacobian[:, 9:]):.4f}")
