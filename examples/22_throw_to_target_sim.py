# SPDX-License-Identifier: BSD-2-Clause
"""Throw a cube so that it is at a given pose after a bounce: Gauss-Newton on exact derivatives."""

import numpy as np
import numpy.typing as npt
import tactum
from tactum import sim

builder = sim.ModelBuilder()
builder.add_ground(friction=0.5, restitution=0.4)
builder.add_body(tactum.Box(half_extents=(0.1, 0.1, 0.1)), mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.4]))
model = builder.build()
dt, steps = 5e-3, 70
options = sim.StepOptions(tolerance=1e-12, max_iterations=5000)


def throw(velocity: npt.ArrayLike) -> sim.Trajectory:
    state = model.state()
    state.v[:] = velocity
    return sim.rollout(model, state, np.zeros((steps, model.nv)), dt, options=options)


target = throw([1.0, 0.3, 0.5, 1.0, 2.0, -1.0]).q[-1]  # a pose that can be reached
velocity = np.array([1.02, 0.32, 0.48, 0.95, 2.05, -1.05])

for _ in range(20):
    trajectory = throw(velocity)
    error = model.difference(target, trajectory.q[-1])
    if np.linalg.norm(error) < 1e-10:
        break
    # columns of the Jacobian of the last pose, forward through all steps
    jacobian = np.column_stack(
        [
            sim.rollout_derivative(model, trajectory, dv=column, mode="forward").dq[-1]
            for column in np.eye(model.nv)
        ]
    )
    velocity = velocity - np.linalg.solve(jacobian, error)

print(f"hit the pose to 1e-10: {np.linalg.norm(error) < 1e-10}")
print("velocity", *(f"{number:.6f}" for number in velocity))
