# SPDX-License-Identifier: BSD-2-Clause
"""Close a loop: two boxes hang from the ceiling by ball joints and hold a bar between them."""

import numpy as np
import tactum
from tactum import sim

builder = sim.ModelBuilder()
rod = tactum.Box(half_extents=(0.02, 0.02, 0.25))
bar = tactum.Box(half_extents=(0.25, 0.02, 0.02))
left = builder.add_body(rod, mass=1.0, X=(np.eye(3), [-0.25, 0.0, -0.25]), name="left")
right = builder.add_body(rod, mass=1.0, X=(np.eye(3), [0.25, 0.0, -0.25]), name="right")
middle = builder.add_body(bar, mass=1.0, X=(np.eye(3), [0.0, 0.0, -0.5]), name="middle")
for body in (left, right):
    builder.add_connection(body, 0, (0.0, 0.0, 0.25))  # to the world
    builder.add_connection(body, middle, (0.0, 0.0, -0.25))
for a, b in ((0, 2), (1, 2)):  # the bar overlaps the rods
    builder.forbid(a, b)
model = builder.build()

state = model.state()
state.v[[0, 6, 12]] = [0.3, 0.3, 0.6]  # a push along x
for body in (0, 1):
    state.v[6 * body + 4] = -1.2  # rad/s about y
trajectory = sim.rollout(model, state, np.zeros((1000, model.nv)), dt=1e-3)
result = sim.step(model, trajectory.state, dt=1e-3)
height = trajectory.q[:, 16]
print(f"the bar swings between {height.min():.3f} and {height.max():.3f} m")
print(f"both rods pull at the ceiling: {result.closure_force.shape[0]} closures hold")
