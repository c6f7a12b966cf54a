# SPDX-License-Identifier: BSD-2-Clause
"""Contact forces: a box that is pushed along the ground, under three contact models, and how the
forces react to friction."""

import numpy as np
import tactum

# a cube of 1 kg and side 0.2 m on its four corners; rows of J: x, y and z (normal) of each corner
half, gravity, step = 0.1, 9.81, 0.01
rows = []
for x, y in ((-half, -half), (half, -half), (-half, half), (half, half)):
    z = -half
    rows += [[1, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x], [0, 0, 1, y, -x, 0]]
J = np.array(rows)
inertia = 4 * half * half / 6
factor = np.diag(np.sqrt([1, 1, 1, inertia, inertia, inertia]))

# it moves at 1 m/s along x and falls: what the corners would do in one step without contact
motion = np.array([1, 0, -gravity * step, 0, 0, 0])
g = tactum.contact_free_velocity(free_velocity=J @ motion, time_step=step)
problem = tactum.ContactProblem.from_operator(J=J, factor=factor, g=g, mu=0.5)

# forces over all corners: Coulomb opposes the motion with half the weight; the convex model lifts
# the cube
for solver in ("ncp_admm", "ccp_newton", "lcp_pgs"):
    solution = tactum.solve(problem, solver, tolerance=1e-10, polish=True)
    friction, normal = solution.force[0::3].sum(), solution.force[2::3].sum()
    lift = abs(solution.velocity[2]) * step
    print(
        f"{solver:<10} {solution.status!s}, friction {friction:.3f} N, normal {normal:.3f} N, lifts off at {lift:.3f} m/s"
    )

# the force is not unique with four corners; a little compliance makes it so, and differentiable
solution = tactum.solve(problem, regularization=1e-6, polish=True)
derivative = tactum.solution_derivative(problem, solution)
print(
    f"first corner {solution.modes[0]!s}, derivative {derivative.rule}, smooth {derivative.smooth}"
)
print(f"friction by mu {derivative.force_wrt_mu[0::3].sum():.3f} N")
