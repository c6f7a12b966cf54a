# SPDX-License-Identifier: BSD-2-Clause
"""PyTorch: move a brick out of a heap of stones by gradient descent, then find the largest ball
between two walls."""

import numpy as np
import tactum
import tactum.torch
import torch

torch.set_default_dtype(torch.float64)

# a brick among stones: the sum of the depths is the loss, a tangent of the pose is what is
# optimized
rng = np.random.default_rng(0)
brick = tactum.Box(half_extents=(0.3, 0.2, 0.1), margin=0.01)
stone = tactum.Ellipsoid(semi_axes=(0.25, 0.2, 0.15))
X_WS = torch.eye(4).repeat(6, 1, 1)
X_WS[:, :3, 3] = torch.tensor(rng.uniform(-0.4, 0.4, size=(6, 3)))
tangent = torch.zeros(6, requires_grad=True)
optimizer = torch.optim.SGD([tangent], lr=0.1)
start = 0.0
for step in range(200):
    gap = tactum.torch.distances(brick, torch.eye(4), stone, X_WS, tangent_a=tangent).distance
    loss = torch.relu(0.01 - gap).sum()
    start = loss.item() if step == 0 else start
    if loss == 0.0:
        break
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss at the start above 0.1: {start > 0.1}, at the end {loss.item():.1f}")
print(f"stones that touch the brick: {int((gap <= 0.0).sum())}")

# the largest ball between two walls that are 1 m apart: its radius is a parameter, and grows until
# it touches both
ball = tactum.Sphere(radius=0.1)
floor, ceiling = tactum.HalfSpace(), tactum.HalfSpace(normal=(0.0, 0.0, -1.0), offset=-1.0)
z, radius = torch.tensor(0.3, requires_grad=True), torch.tensor(0.1, requires_grad=True)
optimizer = torch.optim.SGD([z, radius], lr=0.005)
for _ in range(400):
    X_WB = torch.stack([z * 0.0, z * 0.0, z, z * 0.0, z * 0.0, z * 0.0, z * 0.0 + 1.0])
    gaps = [
        tactum.torch.distance(
            wall, torch.eye(4), ball, X_WB, parameters_b={"radius": radius}
        ).distance
        for wall in (floor, ceiling)
    ]
    loss = -radius + 10.0 * torch.relu(-torch.stack(gaps)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"height {z.item():.1f}, radius {radius.item():.1f}")
