# SPDX-License-Identifier: BSD-2-Clause
"""Contact poses: bring a given point of one shape to a given point of another, one problem and
many."""

import numpy as np
import tactum

cube = tactum.Box(half_extents=(0.1, 0.1, 0.1))
plate = tactum.Cylinder(radius=0.3, half_length=0.02)
corner, rim = (0.1, 0.1, 0.1), (0.3, 0.0, 0.02)
start = np.eye(4)
start[:3, 3] = [0.1, 0.3, 0.6]

# the pose of the cube in the frame of the plate that makes its corner touch the rim of the plate
found = tactum.contact_pose(plate, cube, rim, corner, start=start)
print(f"{found.status}: cost below 1e-24 is {found.cost < 1e-24}")
touch = tactum.distance(plate, np.eye(4), cube, found.pose)
print(f"distance below 1e-12 is {abs(touch.distance) < 1e-12}")
print(
    f"corner is at the rim: {np.allclose(found.pose[:3, :3] @ corner + found.pose[:3, 3], rim, atol=1e-11)}"
)

# the exact derivative alone: a corner has no curvature, so nothing says where to turn
exact = tactum.contact_pose(plate, cube, rim, corner, start=start, estimator=tactum.Exact())
print(f"converged without smoothing: {exact.status == tactum.ContactPoseStatus.converged}")

# all eight corners at once, on all cores; the answer of each has the bits of the single call
corners = np.array([(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])
many = tactum.contact_pose(plate, cube, rim, corners, start=start)
print(
    f"corners brought to the rim: {np.count_nonzero(many.status == tactum.ContactPoseStatus.converged)} of {len(corners)}"
)
print(f"the last is the one from above: {np.array_equal(many.pose[-1], found.pose)}")
