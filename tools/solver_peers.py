# SPDX-License-Identifier: BSD-2-Clause
"""The solvers that `compare_solver.py` runs on one contact problem: tactum, Pinocchio, Clarabel and
MuJoCo, each as a function from a number of iterations, or a tolerance, to a Run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from make_contact_problems import Problem


@dataclass
class Run:
    """One solve: seconds, residual, and how many iterations it was allowed."""

    seconds: float
    residual: float
    iterations: int = 0


# a solver that may make so many iterations
Solver = Callable[[int], Run]


def to_residual(solver: Solver, target: float, limit: float) -> Run | None:
    """The fewest iterations that reach the residual: doubled until they do, then halved between. None where the time is up before."""
    low, high, iterations = 0, None, 1
    while high is None:
        run = solver(iterations)
        if run.residual <= target:
            high = run
        elif run.seconds > limit or iterations > 1 << 22:
            return None
        else:
            low, iterations = iterations, 2 * iterations
    while high.iterations - low > max(1, high.iterations // 20):
        run = solver((low + high.iterations) // 2)
        if run.residual <= target:
            high = run
        else:
            low = run.iterations
    return high


def curve(solver: Solver, limit: float, target: float) -> list[Run]:
    """Residual against time, for a picture: iterations in steps of about 1.4."""
    runs: list[Run] = []
    iterations = 1.0
    while not runs or (
        runs[-1].seconds < limit and runs[-1].residual > 1e-4 * target and len(runs) < 48
    ):
        runs.append(solver(int(iterations)))
        iterations = max(iterations + 1, 1.4 * iterations)
    return runs


# -------------------------------------------------------------------------------------- the solvers
def ours(
    tactum: Any, problem: Any, name: str, model: str, as_printed: bool = False
) -> Callable[..., Run]:
    """Our solver of that name, or the survey's algorithm of that name as it is printed."""
    from tactum.reproduce._timing import time_solves

    def solve(iterations: int, tolerance: float = 0.0, repeats: int = 1) -> Run:
        times, solution = time_solves(
            problem,
            name,
            tolerance=tolerance,
            max_iterations=iterations,
            repeats=repeats,
            as_printed=as_printed,
        )
        residual = tactum.contact_residual(problem, solution.force, model=model)
        return Run(1e-9 * float(times.min()), residual, iterations)

    return solve


def pinocchio_solvers(
    problem: Problem, G: np.ndarray, judge: Callable[[np.ndarray], float]
) -> dict[str, Solver]:
    """PGS, and ADMM with either form of the Delassus matrix; none of them stops before its iterations are spent."""
    import pinocchio
    import scipy.sparse

    model = pinocchio.Model()
    model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "body")
    constraints, datas = pinocchio.StdVec_ConstraintModel(), pinocchio.StdVec_ConstraintData()
    for mu in problem.mu:
        # where the contact is does not matter: the solvers read its cone alone
        contact = pinocchio.PointContactConstraintModel(
            model, 0, pinocchio.SE3.Identity(), 1, pinocchio.SE3.Identity()
        )
        contact.setFriction(float(mu))
        constraints.append(pinocchio.ConstraintModel(contact))
        datas.append(constraints[len(constraints) - 1].createData())

    def make(kind: str, delassus: Any) -> Solver:
        solver = getattr(pinocchio, f"{kind}ConstraintSolver")(len(problem.g))
        settings = getattr(pinocchio, f"{kind}SolverSettings")()
        settings.measure_timings = True
        settings.solve_ncp = True
        for name in ("feasibility", "complementarity"):
            setattr(settings, f"absolute_{name}_tol", 0.0)
            setattr(settings, f"relative_{name}_tol", 0.0)

        def solve(iterations: int) -> Run:
            result = getattr(pinocchio, f"{kind}SolverResult")()
            settings.max_iterations = iterations
            solver.solve(delassus, problem.g, constraints, datas, settings, result)
            force = np.array(result.retrieveConstraintImpulses())
            residual = judge(force) if np.isfinite(force).all() else float("inf")
            return Run(1e-6 * solver.getElapsedTime(), residual, iterations)

        return solve

    dense = pinocchio.DelassusOperatorDense(G)
    sparse = pinocchio.DelassusOperatorSparse(scipy.sparse.csc_matrix(G))
    return {
        "PGS": make("PGS", dense),
        "ADMM": make("ADMM", dense),
        "ADMM, sparse": make("ADMM", sparse),
    }


def clarabel_run(problem: Problem, judge: Callable[[np.ndarray], float], tolerance: float) -> Run:
    """min 1/2 |w|^2 + g.f with w = L^-1 J' f and every f in its cone."""
    import clarabel
    import scipy.sparse as sp

    W = sp.csc_matrix(np.linalg.solve(np.linalg.cholesky(problem.M), problem.J.T))
    motions, rows = W.shape
    P = sp.block_diag([sp.csc_matrix((rows, rows)), sp.identity(motions)], format="csc")
    # rows of a second-order cone: the bound first
    order = np.arange(rows).reshape(-1, 3)[:, [2, 0, 1]].ravel()
    scale = np.column_stack(
        [problem.mu, np.ones_like(problem.mu), np.ones_like(problem.mu)]
    ).ravel()
    cone = sp.csc_matrix((-scale, (np.arange(rows), order)), shape=(rows, rows))
    A = sp.bmat([[W, -sp.identity(motions)], [cone, None]], format="csc")
    cones = [clarabel.ZeroConeT(motions)] + [clarabel.SecondOrderConeT(3)] * (rows // 3)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
        setattr(settings, name, tolerance)
    b, q = np.zeros(motions + rows), np.concatenate([problem.g, np.zeros(motions)])
    solution = clarabel.DefaultSolver(P, q, A, b, cones, settings).solve()
    return Run(solution.solve_time, judge(np.array(solution.x)[:rows]), solution.iterations)


class MujocoScene:
    """The scene of a problem in MuJoCo, and its contact forces."""

    SOLVERS: Mapping[str, int] = {"PGS": 0, "CG": 1, "Newton": 2}

    def __init__(self, tactum: Any, problem: Problem) -> None:
        import mujoco
        from make_contact_problems import contact_rows

        self.mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(problem.mjcf)
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_WARMSTART
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND
        self.state = problem.state
        self.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        data = self._forward("Newton")
        J, mu = contact_rows(data)
        self.order = [
            row
            for c in data.contact
            for row in (c.efc_address + 1, c.efc_address + 2, c.efc_address)
        ]
        self.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_AUTO
        g, R = (J @ data.qacc_smooth - data.efc_aref[self.order]), np.array(data.efc_R)[self.order]
        self.problem = tactum.ContactProblem.from_operator(
            J=J, factor=np.linalg.cholesky(problem.M), g=g, mu=mu, R=R
        )
        self.judge = lambda force: tactum.contact_residual(self.problem, force, model="ccp")

    def _forward(self, solver: str) -> Any:
        self.model.opt.solver = self.SOLVERS[solver]
        data = self.mujoco.MjData(self.model)
        data.qpos[:], data.qvel[:] = np.split(self.state, [self.model.nq])
        self.mujoco.mj_forward(self.model, data)
        return data

    def solver(self, name: str) -> Callable[[], Run]:
        data = self._forward(name)

        def solve() -> Run:
            self.model.opt.solver = self.SOLVERS[name]
            start = time.perf_counter()
            self.mujoco.mj_fwdConstraint(self.model, data)
            seconds = time.perf_counter() - start
            return Run(
                seconds, self.judge(np.array(data.efc_force)[self.order]), int(data.solver_niter[0])
            )

        return solve


# ---------------------------------------------------------------------------------------- measuring
