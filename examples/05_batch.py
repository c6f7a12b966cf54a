# SPDX-License-Identifier: BSD-2-Clause
"""Batches: thousands of pairs in one call, bad rows as statuses, the same bits for any number of
threads, points in one go."""

import numpy as np
import tactum

table = tactum.ShapeTable([tactum.Sphere(radius=0.5), tactum.Box(half_extents=(0.5, 0.5, 0.5))])
n = 10_000

# shape A at the origin, alternating; B a ball on a line along x; row 7 has a pose that is none
index = np.arange(n, dtype=np.int32) % 2
X_WB = np.tile(np.eye(4), (n, 1, 1))
X_WB[:, 0, 3] = 4.0 * np.arange(n) / n
X_WB[7, 0, 0] = 2.0
ball = tactum.Sphere(radius=0.25)

r = tactum.distances((table, index), np.eye(4), ball, X_WB, fields=("status", "distance"))
for status in (
    tactum.Status.separated,
    tactum.Status.touching,
    tactum.Status.penetrating,
    tactum.Status.invalid_input,
):
    print(f"{status}: {np.count_nonzero(r.status == status)}")
print(f"last two rows {r.distance[-2]:.4f} {r.distance[-1]:.4f}")

# memory of the caller, used again and again; other numbers of threads give the same bits
out = {"distance": np.empty(n)}
tactum.distances((table, index), np.eye(4), ball, X_WB, out=out, num_threads=2)
print(f"same bits: {np.array_equal(out['distance'], r.distance)}")

# signed distance of points, with its gradient
points = np.array([[2.0, 0.0, 0.0], [0.0, 0.4, 0.0]])
distances, gradients = tactum.signed_distance(table[1], np.eye(4), points)
for distance, gradient in zip(distances, gradients):
    print(
        f"signed distance {distance:.4f}, gradient {gradient[0]:.1f} {gradient[1]:.1f} {gradient[2]:.1f}"
    )
