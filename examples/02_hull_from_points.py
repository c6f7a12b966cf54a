# SPDX-License-Identifier: BSD-2-Clause
"""A convex shape from an array of points: duplicates and points inside are dropped."""

import numpy as np
import tactum

corners = np.array(
    [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]], dtype=float
)  # a tetrahedron, edges along the axes
inside = np.array([[0.25, 0.25, 0.25], [0.5, 0.5, 0.5]])
hull = tactum.Convex.from_points(np.vstack([corners, inside, corners]))

print(f"dimension {hull.dimension}")
print(
    f"vertices {len(hull.vertices)}, faces {len(hull.faces)}, neighbors of the first {len(hull.neighbors[0])}"
)
print(f"volume {hull.volume():.6f}")
print(f"center of mass {hull.mass_properties(density=1000.0).center_of_mass[0]:.6f}")

# a flat set of points is a shape too
square = tactum.Convex.from_points([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
print(f"dimension {square.dimension}")

# the slanted face x + y + z = 2 looks at a sphere around (2, 2, 2)
sphere = tactum.Sphere(radius=0.5)
X_WB = [2.0, 2.0, 2.0, 0.0, 0.0, 0.0, 1.0]  # x, y, z, qx, qy, qz, qw
result = tactum.distance(hull, np.eye(4), sphere, X_WB)
print(f"distance {result.distance:.6f}")
