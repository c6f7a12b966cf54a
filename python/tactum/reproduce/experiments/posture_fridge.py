# SPDX-License-Identifier: BSD-2-Clause
"""Strictly convex hulls (STP volumes), Fig. 18: a humanoid takes a can out of a fridge with its
left hand, both feet on the floor.

The paper minimizes eq. 13 under tasks, joint limits, stability and collisions by FSQP, for HRP-2,
whose model is not public. Here a humanoid of its size (humanoid.py), and Talos (talos.py) where
Pinocchio and example-robot-data are installed, in a place after the paper's pictures (scenarios.py)
that is as large as the robot. The optimizers are those of elastic_sqp.py, steps in a box and steps
that are halved. At full size: the zero posture of the paper and others with joints turned by 0.3 rad
at random, 24 starts (6 for Talos), for volumes with R = 10 m and 100 m and for plain hulls that are
kept apart by the same margins, and once without collisions.
"""

from __future__ import annotations

from ..posture_report import Published, make_experiment

# iterations, pairs with the environment, calls of the distance, seconds, seconds without collisions
EXPERIMENT = make_experiment("fridge", "Fig. 18", Published(74, 33, 11675, 0.469, 0.032))
