# SPDX-License-Identifier: BSD-2-Clause
"""Design a shape through the simulator: how high must a rocking egg be, so that it swings with a
period of 0.7 s? Newton on rollouts and their derivative by the shape; a formula stands beside it."""

import numpy as np
import tactum
from scipy.optimize import brentq
from tactum import sim

WIDTH, DENSITY, PERIOD, TILT, DT = 0.1, 500.0, 0.7, 0.1, 1e-3  # m, kg/m^3, s, rad, s
STEPS = round(0.5 * PERIOD / DT)
OPTIONS = sim.StepOptions(tolerance=1e-10, position_correction=1.0, slop=0.0)


def turning_speed(height: float) -> tuple[float, float]:
    """Angular velocity after half a period, rad/s: 0 where the egg turns back then. And its slope."""
    egg = tactum.Ellipsoid(semi_axes=(WIDTH, WIDTH, height))
    builder = sim.ModelBuilder()
    builder.add_ground(friction=5.0)
    builder.add_body(egg, density=DENSITY, X=tactum.pose(xyz=(0.0, 0.0, height)))
    model = builder.build()
    state = model.state()
    state.q = model.integrate(state.q, [0.0, 0.0, 0.0, 0.0, TILT, 0.0])
    # on the ground: the lowest point of the egg as it is tilted
    state.q[2] -= float(egg.aabb(tactum.pose_matrix(state.q))[0][2])
    motion = sim.rollout(model, state, np.zeros((STEPS, model.nv)), DT, options=OPTIONS)
    # a higher egg has another surface, another inertia, and a center that starts higher
    sizes = sim.shape_parameters(model)
    higher = np.array([float(size == (1, "semi_axes[2]")) for size in sizes])
    mass, growth = DENSITY * egg.volume(), DENSITY * egg.volume() / height
    across = 0.2 * (growth * (WIDTH**2 + height**2) + mass * 2.0 * height)
    heavier = [growth, 0.0, 0.0, 0.0, across, 0.0, across, 0.0, 0.0, 0.4 * growth * WIDTH**2]
    up = tactum.pose_matrix(state.q)[2, :3] * height * np.cos(TILT) ** 2 / state.q[2]
    changes = {"shape": higher, "inertia": np.concatenate([np.zeros(10), heavier])}
    tangent = sim.rollout_derivative(
        model, motion, np.append(up, np.zeros(3)), mode="forward", dparameters=changes
    )
    return float(motion.v[-1, 4]), float(tangent.dv[-1, 4])


def swing(height: float) -> float:
    """Period of small swings: gravity against rolling about the point of contact."""
    lever = WIDTH**2 / height - height  # radius of curvature over the center
    inertia = 0.2 * (WIDTH**2 + height**2) + height**2  # of 1 kg, about that point
    return float(2.0 * np.pi * np.sqrt(inertia / (9.81 * lever)))


height = 0.8 * WIDTH
for _ in range(6):
    speed, slope = turning_speed(height)
    height -= speed / slope
formula = brentq(lambda h: swing(h) - PERIOD, 0.2 * WIDTH, 0.99 * WIDTH)
ahead, behind = (turning_speed(height + step)[0] for step in (1e-5, -1e-5))
print(f"turns back at half a period: {abs(turning_speed(height)[0]) < 1e-6} rad/s")
print(f"height {1000.0 * height:.1f} mm, by the formula {1000.0 * formula:.1f} mm")
print(f"slope as by differences: {abs((ahead - behind) / 2e-5 / slope - 1.0) < 1e-3}")
