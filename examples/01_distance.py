# SPDX-License-Identifier: BSD-2-Clause
"""Distance between a box and a capsule: the number, where it is, and how far it can be wrong."""

import numpy as np
import tactum

box = tactum.Box(half_extents=(0.1, 0.2, 0.3))
capsule = tactum.Capsule(radius=0.05, half_length=0.2)

X_WA = np.eye(4)  # pose of the box in the world
X_WB = np.eye(4)  # pose of the capsule: half a metre up x, its axis turned from z to y
X_WB[:3, :3] = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
X_WB[:3, 3] = [0.5, 0.1, 0.0]

result = tactum.distance(box, X_WA, capsule, X_WB)
print(f"status {result.status}")
print(f"distance {result.distance:.6f}")
print(f"normal x {result.normal[0]:.6f}")
print(f"surface of A at x {result.point_a[0]:.6f}, of B at x {result.point_b[0]:.6f}")
print(f"proved within 1e-10: {result.upper - result.lower <= 1e-10}")

# push the capsule in: the distance turns negative and says how deep
X_WB[:3, 3] = [0.12, 0.1, 0.0]
result = tactum.distance(box, X_WA, capsule, X_WB)
print(f"status {result.status}")
print(f"distance {result.distance:.6f}")
