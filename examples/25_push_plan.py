# SPDX-License-Identifier: BSD-2-Clause
"""Plan a push by iLQR of Crocoddyl: a finger that does not touch the block yet. Exact derivatives see
no block until the finger is there, smoothed ones do. All plans are judged by the simulator."""

from pathlib import Path
from typing import Any

import crocoddyl
import numpy as np
import tactum
from tactum import sim
from tactum.crocoddyl import ActionModel, Goal, SmoothedActionModel

model = sim.load_mjcf(Path(tactum.__file__).parent / "data" / "push.xml")
STEPS, DT, OPTIONS = 25, 0.04, sim.StepOptions(tolerance=1e-8, position_correction=0.2)
GIVEN = dict[str, Any](controls=np.eye(8)[:, :2], options=OPTIONS)  # forces on the finger
NOISE = dict[str, Any](samples=12, position_scale=np.r_[0.06, 0.06, np.zeros(6)], velocity_scale=0)


def plan(smooth: bool, x0: Any, target: Any, us: list[Any]) -> tuple[list[Any], float]:
    """Forces of the finger, and their cost."""

    def place(x: Any, u: Any) -> tuple[Any, Any, Any]:
        r_x = np.zeros((2, 16))
        r_x[:, 2:5] = 30.0 * tactum.pose_matrix(x[2:9])[:2, :3]
        return 30.0 * (x[2:4] - target), r_x, np.zeros((2, 0 if u is None else len(u)))

    goal = Goal(model, velocity=0.1, control=0.02)
    exact = ActionModel(model, DT, goal, **GIVEN)
    running = SmoothedActionModel(model, DT, goal, **GIVEN, **NOISE) if smooth else exact
    last = ActionModel(model, DT, place, **GIVEN)
    problem = crocoddyl.ShootingProblem(x0, [running] * STEPS, last)
    solver = crocoddyl.SolverDDP(problem)
    solver.solve(problem.rollout(us), us, 15, False)
    return list(solver.us), solver.cost


rng, arrived, costs = np.random.default_rng(0), np.zeros(2), np.zeros(2)
for _ in range(3):
    x0 = np.concatenate([model.state().q, np.zeros(8)])
    x0[:2] = 0.05 + rng.uniform(-0.02, 0.02), rng.uniform(-0.02, 0.02)
    target = np.array([0.35, 0.0]) + rng.uniform(-0.05, 0.05, size=2)
    rest = [np.zeros(2)] * STEPS
    smoothed = plan(True, x0, target, rest)[0]  # and then exact derivatives, from there
    for k, start in enumerate((rest, smoothed)):
        us, cost = plan(False, x0, target, start)
        state = model.state()
        state.q, state.v = x0[:9], x0[9:]
        forces = np.hstack([np.array(us), np.zeros((STEPS, 6))])
        end = sim.rollout(model, state, forces, DT, options=OPTIONS).q[-1, 2:4]
        arrived[k] += np.linalg.norm(end - target) < 0.02
        costs[k] += cost / 3
print(f"arrive within 2 cm, of 3: {arrived[0]:.0f} by exact, {arrived[1]:.0f} by smoothed")
print(f"mean cost: {costs[0]:.1f} by exact, {costs[1]:.1f} by smoothed")
