# SPDX-License-Identifier: BSD-2-Clause
"""Plan a push by iLQR of Crocoddyl: a finger that does not touch the block yet. Exact derivatives see
no block until the finger is there, smoothed ones do. All plans are judged by the simulator."""

from pathlib import Path
from typing import Any

import crocoddyl
import numpy as np
import tactum
from tactum import sim
from tactum.crocoddyl import ActionModel, Goal

model = sim.load_mjcf(Path(tactum.__file__).parent / "data" / "push.xml")
OPTIONS = sim.StepOptions(tolerance=1e-8, position_correction=0.2)
STEPS, DT, SAMPLES, NOISE = 25, 0.04, 8, 0.06


class Smoothed(ActionModel):
    """Derivatives of the mean of next states over noise in the place of the finger."""

    def calcDiff(self, data: Any, x: Any, u: Any = None) -> None:
        super().calcDiff(data, x, u)
        if u is None:
            return
        state = self.model.state()
        state.q, state.v = self.state.split(x)
        scale = np.r_[NOISE, NOISE, np.zeros(6)]
        J = sim.smoothed_derivative(
            self.model, state, self.B @ u, DT, samples=SAMPLES, position_scale=scale,
            velocity_scale=0.0, options=OPTIONS,
        )
        data.Fx = np.block([[J.dq_dq, J.dq_dv], [J.dv_dq, J.dv_dv]])
        data.Fu = np.vstack((J.dq_dtau, J.dv_dtau)) @ self.B


def plan(kind: Any, x0: Any, target: Any, us: list[Any]) -> tuple[list[Any], float]:
    """Forces of the finger, and their cost."""

    def place(x: Any, u: Any) -> tuple[Any, Any, Any]:
        r_x = np.zeros((2, 16))
        r_x[:, 2:5] = 30.0 * tactum.pose_matrix(x[2:9])[:2, :3]
        return 30.0 * (x[2:4] - target), r_x, np.zeros((2, 0 if u is None else len(u)))

    rest: dict[str, Any] = {"controls": np.eye(8)[:, :2], "options": OPTIONS}
    running = kind(model, DT, Goal(model, velocity=0.1, control=0.02), **rest)
    problem = crocoddyl.ShootingProblem(x0, [running] * STEPS, ActionModel(model, DT, place, **rest))
    solver = crocoddyl.SolverDDP(problem)
    solver.solve(problem.rollout(us), us, 20, False)
    return list(solver.us), solver.cost


def moved(x0: Any, us: list[Any]) -> Any:
    """Where the block is after these forces."""
    state = model.state()
    state.q, state.v = x0[:9], x0[9:]
    forces = np.hstack([np.array(us), np.zeros((STEPS, 6))])
    return sim.rollout(model, state, forces, DT, options=OPTIONS).q[-1, 2:4]


rng, arrived, costs = np.random.default_rng(0), {"exact": 0, "smoothed": 0}, dict[str, list[float]]()
for _ in range(4):
    x0 = np.concatenate([model.state().q, np.zeros(8)])
    x0[:2] = 0.05 + rng.uniform(-0.02, 0.02), rng.uniform(-0.02, 0.02)
    target = np.array([0.35, 0.0]) + rng.uniform(-0.05, 0.05, size=2)
    rest = [np.zeros(2)] * STEPS
    begun, _ = plan(Smoothed, x0, target, rest)  # then exact derivatives, from where those end
    for name, start in (("exact", rest), ("smoothed", begun)):
        us, cost = plan(ActionModel, x0, target, start)
        miss = np.linalg.norm(moved(x0, us) - target)
        print(name, miss, cost)
        arrived[name] += miss < 0.02
        costs.setdefault(name, []).append(cost)
print(arrived, costs)
