# SPDX-License-Identifier: BSD-2-Clause
"""Contact patches: the area where faces meet, as points with their own distances and with ids
that last from step to step."""

import numpy as np
import tactum

table = tactum.Box(half_extents=(1.0, 1.0, 0.5))
box = tactum.Box(half_extents=(0.2, 0.3, 0.1))
X_WA, X_WB = np.eye(4), np.eye(4)
X_WB[:3, 3] = [0.9, 0.2, 0.599]

# a box that hangs over the edge of a table: the overlap of both faces, 1 mm deep
patch = tactum.contact_patch(table, X_WA, box, X_WB)
print(f"{len(patch)} points, depth {-patch.distances.min():.6f}")
for point, name in zip(patch.points_a, patch.feature_ids, strict=True):
    print(f"({point[0]:.3f}, {point[1]:.3f}, {point[2]:.3f}) feature {name:016x}")

# a little later the box has moved, and the ids are the same: forces of the last step are a good
# start for this one
X_WB[0, 3] += 0.01
later = tactum.contact_patch(table, X_WA, box, X_WB)
print(f"same features: {set(later.feature_ids) == set(patch.feature_ids)}")

# a can standing on the ground: at most four points of its rim
can = tactum.Cylinder(radius=0.3, half_length=0.5)
X_WB[:3, 3] = [0.0, 0.0, 0.5]
standing = tactum.contact_patch(tactum.HalfSpace(), X_WA, can, X_WB, max_points=4)
print(f"a can stands on {len(standing)} points")

# how the gaps of a box inside the table's face change when it turns about x: linear in y, and
# unique
X_WB[:3, 3] = [0.1, 0.2, 0.6]
d = tactum.contact_patch_derivative(table, X_WA, box, X_WB, frame="local_world_aligned")
print(
    f"smooth {d.smooth}, gaps by turning",
    " ".join(f"{x:.3f}" for x in sorted(d.distances_jacobian[:, 9])),
)
