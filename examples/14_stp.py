# SPDX-License-Identifier: BSD-2-Clause
"""A strictly convex volume around points: the normal is continuous, so the distance has a
gradient everywhere."""

import numpy as np
import tactum

corners = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)])
stp = tactum.Stp.from_points(corners, small_radius=0.01, big_radius=5.0)
print(stp)
print(f"patches: {stp.num_points} small spheres, {stp.num_edges} tori, {stp.num_faces} big spheres")

# how far it stands off from the box: the small radius at the corners, a little more over the faces
corner, top = corners[-1], stp.support([0.0, 0.0, 1.0])
print(
    f"off a corner {np.linalg.norm(stp.support(corner) - corner):.4f} m, above the middle of a face {top[2] - 0.3:.4f} m"
)

# the farthest point along a direction glides where that of a box jumps from corner to corner
for tilt in (0.005, 0.010, 0.015):
    print(f"tilt {tilt:.3f}: farthest point at x = {stp.support([tilt, 0.0, 1.0])[0]:.4f} m")

# a big radius that is too small is refused, with the smallest one that works
try:
    tactum.Stp.from_points(corners, small_radius=0.01, big_radius=0.25)
except tactum.InvalidInput as error:
    print(error)

mesh = stp.to_mesh(4)
print(
    f"mesh: {len(mesh.triangles)} triangles, {np.count_nonzero(mesh.patches == 2)} of them on big spheres"
)
