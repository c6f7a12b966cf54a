# SPDX-License-Identifier: BSD-2-Clause
"""Time of impact: when two moving bodies meet, with a proof that they do not meet before."""

import numpy as np
import tactum


def at(x: float, y: float, z: float) -> np.ndarray:
    X = np.eye(4)
    X[:3, 3] = [x, y, z]
    return X


# a bullet and a sheet of 20 micrometres: at no pose that one would sample do they overlap
sheet = tactum.Box(half_extents=(1e-5, 1.0, 1.0))
bullet = tactum.Sphere(radius=0.005)
here = np.eye(4)
impact = tactum.time_of_impact(sheet, here, here, bullet, at(-300, 0, 0), at(300, 0, 0))
print(f"bullet: {impact.status} at {impact.time:.9f}, lower <= time {impact.lower <= impact.time}")
print(f"the interval is narrower than 1e-12: {impact.upper - impact.lower < 1e-12}")

# a bar that turns by 0.6 of half a turn towards a post, and one that ends 1 cm before it
bar = tactum.Box(half_extents=(1.0, 0.05, 0.05))
post = tactum.Cylinder(radius=0.05, half_length=0.5)
angle = 0.6 * np.pi
turned = np.eye(4)
turned[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
impact = tactum.time_of_impact(bar, here, turned, post, at(0, 0.8, 0), at(0, 0.8, 0))
print(f"bar: {impact.status} at {impact.time:.9f}")
near = tactum.time_of_impact(bar, here, turned, post, at(0, 0.8, 0), at(0, 0.8, 0), distance=0.01)
print(f"within 1 cm: at {near.time:.9f}")

# beside the bar there is nothing to meet
never = tactum.time_of_impact(bar, here, turned, post, at(0, 1.2, 0), at(0, 1.2, 0))
print(f"farther out: {never.status}, time {never.time}")
