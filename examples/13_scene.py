# SPDX-License-Identifier: BSD-2-Clause
"""Scenes: a table and things on it, close pairs, contact points, moves, rays, files."""

import numpy as np
import tactum


def at(x: float, y: float, z: float) -> np.ndarray:
    X = np.eye(4)
    X[:3, 3] = x, y, z
    return X


leg, top = tactum.Box(half_extents=(0.03, 0.03, 0.4)), tactum.Box(half_extents=(0.6, 0.4, 0.02))
corners = [(x, y) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
table = tactum.Compound(parts=[(top, at(0, 0, 0.82)), *((leg, at(x, y, 0.4)) for x, y in corners)])

scene = tactum.Scene()
scene.add(tactum.HalfSpace(), name="ground")
scene.add(table, name="table")
ball = scene.add(tactum.Sphere(radius=0.1), at(0.2, 0.0, 0.94), name="ball")
scene.add(tactum.Box(half_extents=(0.1, 0.1, 0.1)), at(-0.2, 0.0, 0.94), name="box")

contacts = scene.contacts(margin=1e-6)
for k, (a, b) in enumerate(contacts.pairs):
    print(
        f"{scene.name(a)} and {scene.name(b)}: {contacts.offsets[k + 1] - contacts.offsets[k]} points"
    )

# the ball rises; only what is within the margin is told
scene.set_pose(ball, at(0.2, 0.0, 1.0))
near = scene.distances(margin=0.1)
for (a, b), distance in zip(near.pairs, near.distance):
    print(f"{scene.name(a)} to {scene.name(b)}: {abs(distance):.3f} m")

hits = scene.raycast(
    [[0.2, 0.0, 3.0], [0.0, 0.0, 3.0], [3.0, 0.0, 0.2]],
    [[0.0, 0.0, -1.0], [0.0, 0.0, -1.0], [0.0, 0.0, 1.0]],
)
for number, distance in zip(hits.id, hits.distance):
    print(f"{scene.name(number)} after {distance:.2f} m" if number >= 0 else "nothing")

again = tactum.Scene.from_text(scene.to_text())
print(f"objects in the copy: {len(again)}")
