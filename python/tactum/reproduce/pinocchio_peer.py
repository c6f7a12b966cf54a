# SPDX-License-Identifier: BSD-2-Clause
"""Pinocchio's solvers of contact forces on a problem of ours, by their own clocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from .measure import fastest
from .survey import Array


def time_solve(
    kind: str, G: Array, g: Array, mu: Array, tolerance: float, max_iterations: int, repeats: int
) -> tuple[float, Array]:
    """Seconds of a cold solve, the mean of the fastest 90 %, and the impulses. kind: "PGS" or "ADMM".
    The solver stops by its own criterion, with the tolerance as absolute."""
    import pinocchio as pin

    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
    constraints, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for friction in mu:
        # where a contact is does not matter: the solvers read its cone alone
        contact = pin.PointContactConstraintModel(
            model, 0, pin.SE3.Identity(), 1, pin.SE3.Identity()
        )
        contact.setFriction(float(friction))
        constraints.append(pin.ConstraintModel(contact))
        datas.append(constraints[len(constraints) - 1].createData())
    settings: Any = getattr(pin, f"{kind}SolverSettings")()
    settings.measure_timings = True
    settings.solve_ncp = True
    settings.max_iterations = max_iterations
    for name in ("feasibility", "complementarity"):
        setattr(settings, f"absolute_{name}_tol", tolerance)
        setattr(settings, f"relative_{name}_tol", 0.0)
    delassus = pin.DelassusOperatorDense(G)
    seconds = []
    impulse = np.zeros(len(g))
    for _ in range(repeats):
        solver: Any = getattr(pin, f"{kind}ConstraintSolver")(len(g))
        result: Any = getattr(pin, f"{kind}SolverResult")()
        solver.solve(delassus, g, constraints, datas, settings, result)
        seconds.append(1e-6 * float(solver.getElapsedTime()))
        impulse = np.array(result.retrieveConstraintImpulses())
    return float(fastest(np.array([seconds]))[0]), impulse
