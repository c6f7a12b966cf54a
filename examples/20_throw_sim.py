# SPDX-License-Identifier: BSD-2-Clause
"""Throw a box: it flies, hits the ground, slides, and comes to rest."""

import numpy as np
import tactum
from tactum import sim

builder = sim.ModelBuilder()
builder.add_ground(friction=0.4)
builder.add_body(
    tactum.Box(half_extents=(0.1, 0.05, 0.15)), mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.5])
)
model = builder.build()

state = model.state()
state.v[:] = [1.5, 0.0, 1.0, 0.0, 4.0, 1.0]  # m/s and rad/s, in the axes of the box

trajectory = sim.rollout(model, state, np.zeros((2000, model.nv)), dt=1e-3)
x, y, z = trajectory.q[-1, :3]
print(f"came to rest at {x:.3f} {y:.3f} {z:.3f}")

result = sim.step(model, trajectory.state, dt=1e-3)
weight = result.contacts.force[:, 2].sum()
print(f"{len(result.contacts)} contact points carry {weight:.3f} N")
