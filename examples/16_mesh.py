# SPDX-License-Identifier: BSD-2-Clause
"""Meshes: a ring of triangles, its report, its hull, and what fits through it."""

import tempfile
from pathlib import Path

import numpy as np
import tactum

# a ring with a square section of 2 cm around a hole of 8 cm, and its corners of every 15 degrees
profile = np.array([(0.04, -0.01), (0.06, -0.01), (0.06, 0.01), (0.04, 0.01)])
count = 24
angles = 2 * np.pi * np.arange(count) / count
vertices = [(r * np.cos(a), r * np.sin(a), z) for a in angles for r, z in profile]
triangles = []
for i in range(count):
    for k in range(4):
        a, b = 4 * i + k, 4 * i + (k + 1) % 4
        c, d = (a + 4) % (4 * count), (b + 4) % (4 * count)
        triangles += [(a, c, d), (a, d, b)]
ring = tactum.Mesh(vertices=vertices, triangles=triangles, solid=True)

report = ring.report(self_intersections=True)
print(f"closed {report.closed}, {report.num_self_intersections} self-intersections")
print(f"volume {1e6 * report.volume:.2f} cm^3")

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "ring.ply"
    ring.save(path)
    print(f"the same from its file: {tactum.Mesh.from_file(path, solid=True) == ring}")

peg, X = tactum.Capsule(radius=0.03, half_length=0.1), np.eye(4)
gap = tactum.distance(ring, np.eye(4), peg, X)
print(f"a peg in the hole has {1000 * gap.distance:.3f} mm to the ring")
print(f"the hull of the ring denies it: {bool(tactum.collide(ring.convex_hull(), None, peg, X))}")

hit = tactum.ray_cast(ring, np.eye(4), (0.05, 0.0, 1.0), (0.0, 0.0, -1.0))
print(f"a ray from above meets the ring after {hit.distance:.2f} m")
distances, _ = tactum.signed_distance(ring, np.eye(4), [(0.05, 0.0, 0.0), (0.0, 0.0, 0.0)])
print(f"inside the ring {1000 * distances[0]:.2f} mm, in the hole {1000 * distances[1]:.2f} mm")
