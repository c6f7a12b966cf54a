# SPDX-License-Identifier: BSD-2-Clause
"""Design a shape through the simulator: how high must a rocking egg be, so that it swings with a
period of 0.7 s? Newton on rollouts, and the formula for small swings beside it."""

import numpy as np
import tactum
from scipy.optimize import brentq
from tactum import sim

WIDTH, PERIOD, TILT, DT = 0.1, 0.7, 0.1, 1e-3  # m, s, rad, s
STEPS = round(0.5 * PERIOD / DT)
OPTIONS = sim.StepOptions(tolerance=1e-10, position_correction=1.0, slop=0.0)


def turning_speed(height: float) -> float:
    """Angular velocity after half a period, rad/s: 0 where the egg turns back then."""
    egg = tactum.Ellipsoid(semi_axes=(WIDTH, WIDTH, height))
    builder = sim.ModelBuilder()
    builder.add_ground(friction=5.0)
    builder.add_body(egg, density=500.0, X=tactum.pose(xyz=(0.0, 0.0, height)))
    model = builder.build()
    state = model.state()
    state.q = model.integrate(state.q, [0.0, 0.0, 0.0, 0.0, TILT, 0.0])
    # on the ground: the lowest point of the egg as it is tilted
    state.q[2] -= float(egg.aabb(tactum.pose_matrix(state.q))[0][2])
    end = sim.rollout(model, state, np.zeros((STEPS, model.nv)), DT, options=OPTIONS).state
    return float(end.v[4])


def swing(height: float) -> float:
    """Period of small swings: gravity against rolling about the point of contact."""
    lever = WIDTH**2 / height - height  # radius of curvature over the center
    inertia = 0.2 * (WIDTH**2 + height**2) + height**2  # of 1 kg, about that point
    return float(2.0 * np.pi * np.sqrt(inertia / (9.81 * lever)))


height, step = 0.8 * WIDTH, 1e-4
for _ in range(8):
    slope = (turning_speed(height + step) - turning_speed(height - step)) / (2.0 * step)
    height -= turning_speed(height) / slope
formula = brentq(lambda h: swing(h) - PERIOD, 0.2 * WIDTH, 0.99 * WIDTH)
print(f"turns back at half a period: {abs(turning_speed(height)) < 1e-6} rad/s")
print(f"height {1000.0 * height:.1f} mm, by the formula {1000.0 * formula:.1f} mm")
