# SPDX-License-Identifier: BSD-2-Clause
"""Broad phase: which of many moving shapes may touch, and what a ray meets first."""

import numpy as np
import tactum

# a row of a thousand capsules along x, each turned a little more than the last, and a box for each
capsule = tactum.Capsule(radius=0.1, half_length=0.5)


def boxes_at(time: float) -> tuple[np.ndarray, np.ndarray]:
    corners = []
    for i in range(1000):
        c, s = np.cos(0.01 * i + time), np.sin(0.01 * i + time)
        turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        corners.append(capsule.aabb((turn, [0.4 * i, 0.0, 0.0])))
    return np.array([lower for lower, _ in corners]), np.array([upper for _, upper in corners])


tree = tactum.DynamicTree()
ids = tree.insert(*boxes_at(0.0))
ground = tree.insert(
    [-np.inf, -np.inf, -np.inf], [np.inf, np.inf, -0.55]
)  # a half-space has an unbounded box
print(f"{tree}: {len(tree.pairs())} pairs")

# everything moves; the tree follows
tree.update(ids, *boxes_at(1.0))
pairs = tree.pairs()
print(
    f"after a turn: {len(pairs)} pairs, {np.count_nonzero(pairs[:, 1] == ground)} of them with the ground"
)

# the exact distance is asked for these pairs only; here, what a ray along x meets
hit, distances = tree.raycast(origin=[-3.0, 0.0, 0.0], direction=[1.0, 0.0, 0.0], max_distance=4.0)
print(f"ray: boxes {hit.tolist()}, the first at {distances[0]:.3f} m")

# volumes that fit closer than boxes along the axes
swept, ball = tactum.swept_box(capsule), tactum.bounding_sphere(capsule)
print(
    f"capsule {capsule.volume():.4f} m^3, swept box {swept.volume():.4f} m^3, sphere {ball.volume():.4f} m^3"
)
