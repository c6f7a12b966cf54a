# SPDX-License-Identifier: BSD-2-Clause
"""Warm start: give the end of the last query to the next one. The answer is the same, the work
is less."""

import math

import numpy as np
import tactum

# a ball of 2000 points (Fibonacci spiral) that turns and drifts past an ellipsoid
k = np.arange(2000) + 0.5
z = 1.0 - 2.0 * k / 2000
angle = math.pi * (1.0 + math.sqrt(5.0)) * k
ball = tactum.Convex.from_points(
    np.column_stack([np.sqrt(1.0 - z**2) * np.cos(angle), np.sqrt(1.0 - z**2) * np.sin(angle), z])
)
ellipsoid = tactum.Ellipsoid(semi_axes=(0.5, 0.3, 0.2))

X_WA, X_WB = np.eye(4), np.eye(4)
warm_start = None
cold_work = warm_work = 0
largest_difference = 0.0
for step in range(100):
    t = 0.01 * step
    X_WA[:3, :3] = [
        [math.cos(t), -math.sin(t), 0.0],
        [math.sin(t), math.cos(t), 0.0],
        [0.0, 0.0, 1.0],
    ]
    X_WB[:3, 3] = [2.0, t, 0.5 - t]
    cold = tactum.distance(ball, X_WA, ellipsoid, X_WB)
    warm = tactum.distance(ball, X_WA, ellipsoid, X_WB, warm_start=warm_start)
    warm_start = warm.warm_start
    cold_work += cold.support_calls
    warm_work += warm.support_calls
    largest_difference = max(largest_difference, abs(warm.distance - cold.distance))

print(f"same answers: {largest_difference <= 1e-9}")
print(f"less work: {warm_work < cold_work}")
print(f"last distance {warm.distance:.6f}")
