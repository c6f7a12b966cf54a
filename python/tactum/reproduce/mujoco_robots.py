# SPDX-License-Identifier: BSD-2-Clause
"""MuJoCo's solvers of contact forces on robots, in states of a motion that our simulator made.

MuJoCo reads the same file of the robot, finds its own contacts in the same state and solves its own
problem there: every contact has the compliance that MuJoCo's defaults give it, and cones are
elliptic. Limits, damping and friction of joints are switched off, and links do not touch each other,
so that only contacts with the ground and with the ball have forces.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import numpy as np

import tactum

from .measure import fastest
from .robot_motions import BALL_MASS, BALL_RADIUS, FRICTION, Robot, Snapshot, folder
from .survey import STEP, Array

SOLVERS = ("PGS", "CG", "Newton")
NEAR = 1e-4  # m: contacts farther apart are not in MuJoCo's problem
LINKS, OTHERS = 1, 2  # bits of what may touch
MOST_ITERATIONS = 1 << 10


def urdf_text(path: Path) -> str:
    """A file of example-robot-data, with the paths of its meshes written out."""
    robots = path.parents[2]
    text = re.sub(
        r'filename="package://[^"]*?/robots/([^"]+)"',
        lambda found: f'filename="{robots / found.group(1)}"',
        path.read_text(encoding="utf-8"),
    )
    settings = (
        '<mujoco><compiler balanceinertia="true" discardvisual="true" strippath="false"/></mujoco>'
    )
    return re.sub(r"(<robot[^>]*>)", rf"\1{settings}", text, count=1)


def robot_model(robot: Robot, up: Array, height: float) -> Any:
    """mujoco.MjModel of a robot on a plane with this normal at this height."""
    import mujoco

    share = folder()
    assert share is not None
    spec = mujoco.MjSpec.from_string(
        urdf_text(share / "example-robot-data" / "robots" / robot.path)
    )
    for body in spec.worldbody.bodies if robot.free else ():
        body.add_freejoint(name="root_joint")
    for geom in spec.geoms:
        geom.contype, geom.conaffinity = LINKS, OTHERS
    if robot.ball:
        ball = spec.worldbody.add_body(name="ball")
        ball.add_freejoint(name="ball")
        sphere = ball.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[BALL_RADIUS, 0, 0], mass=BALL_MASS
        )
        sphere.contype, sphere.conaffinity = OTHERS, LINKS | OTHERS
    turn = np.zeros(4)
    mujoco.mju_quatZ2Vec(turn, up)
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    ground = spec.worldbody.add_geom(type=plane, size=[20.0, 20.0, 1.0], pos=height * up, quat=turn)
    ground.contype, ground.conaffinity = OTHERS, LINKS
    for geom in spec.geoms:
        geom.condim, geom.friction[0], geom.margin = 3, FRICTION, NEAR
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.gravity = -9.81 * up
    spec.option.tolerance = 0.0
    off = mujoco.mjtDisableBit
    spec.option.disableflags = (
        off.mjDSBL_LIMIT | off.mjDSBL_FRICTIONLOSS | off.mjDSBL_ISLAND | off.mjDSBL_ACTUATION
    )
    model = spec.compile()
    model.dof_damping[:] = 0.0
    return model


class Peer:
    """A robot in MuJoCo. theirs: its pinocchio.Model, whose states it is given."""

    def __init__(self, robot: Robot, theirs: Any, up: Array, height: float) -> None:
        import mujoco

        self.mujoco, self.theirs = mujoco, theirs
        self.model = robot_model(robot, up, height)
        if self.model.nv != theirs.nv:
            raise ValueError(f"MuJoCo sees {self.model.nv} motions and Pinocchio {theirs.nv}")
        self.data = mujoco.MjData(self.model)
        self.problem: Any = None
        self.last: dict[str, Array] = {}

    def set_state(self, shot: Snapshot) -> None:
        """The state of a snapshot, its contacts and its problem in impulses and velocities."""
        data, mujoco = self.data, self.mujoco
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = self.mapped(shot)
        self.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        mujoco.mj_forward(self.model, data)
        order = [
            row
            for contact in data.contact
            if contact.efc_address >= 0
            for row in (contact.efc_address + 1, contact.efc_address + 2, contact.efc_address)
        ]
        self.order = order
        if not order:
            self.problem = None
            return
        J = np.array(data.efc_J).reshape(data.nefc, -1)[order]
        g = STEP * (J @ data.qacc_smooth - data.efc_aref[order])
        self.problem = tactum.ContactProblem.from_operator(
            J=J,
            factor=np.linalg.cholesky(self.mass_matrix()),
            g=g,
            mu=FRICTION,
            R=np.array(data.efc_R)[order],
        )
        self.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_AUTO

    def mass_matrix(self) -> Array:
        """In the order of MuJoCo's motions."""
        M = np.zeros((self.model.nv, self.model.nv))
        self.mujoco.mj_fullM(self.model, self.data, M)
        return M

    def mapped(self, shot: Snapshot) -> tuple[Array, Array, Array]:
        """Position, velocity and torque of a snapshot in MuJoCo's order: quaternions begin with w,
        and a free body's linear velocity and force are those in the axes of the world."""
        q, v, tau = np.zeros(self.model.nq), np.zeros(self.model.nv), np.zeros(self.model.nv)
        for joint, name in zip(self.theirs.joints[1:], list(self.theirs.names)[1:], strict=True):
            number = self.model.joint(name).id
            to_q, to_v = self.model.jnt_qposadr[number], self.model.jnt_dofadr[number]
            at_q, at_v = joint.idx_q, joint.idx_v
            if joint.nq == 1:
                q[to_q], v[to_v], tau[to_v] = shot.q[at_q], shot.v[at_v], shot.tau[at_v]
                continue
            place = shot.q[at_q : at_q + 7]
            turn = tactum.pose_matrix(place)[:3, :3]
            q[to_q : to_q + 7] = *place[:3], place[6], *place[3:6]
            for to, given in ((v, shot.v), (tau, shot.tau)):
                to[to_v : to_v + 6] = given[at_v : at_v + 6]
                to[to_v : to_v + 3] = turn @ given[at_v : at_v + 3]
        return q, v, tau

    def solve(self, solver: str, start: str, iterations: int) -> float:
        """Seconds of a solve with so many iterations."""
        model, data = self.model, self.data
        off = int(self.mujoco.mjtDisableBit.mjDSBL_WARMSTART)
        model.opt.iterations = iterations
        cold = start == "cold" or solver not in self.last
        model.opt.disableflags = (
            model.opt.disableflags | off if cold else (model.opt.disableflags & ~off)
        )
        data.qacc_warmstart[:] = 0.0 if cold else self.last[solver]
        begin = time.perf_counter()
        self.mujoco.mj_fwdConstraint(model, data)
        return time.perf_counter() - begin

    def residual(self) -> float:
        """Of the convex model, in N s, m/s and their products."""
        impulse = STEP * np.array(self.data.efc_force)[self.order]
        return tactum.contact_residual(self.problem, impulse, model="ccp")

    def time_solve(
        self, solver: str, start: str, tolerance: float, repeats: int
    ) -> tuple[float, float]:
        """Seconds with the fewest iterations whose residual is below the tolerance, and whether there
        are any."""
        if self.problem is None:
            return 0.0, 1.0
        self.model.opt.solver, self.model.opt.iterations = SOLVERS.index(solver), 1
        self.mujoco.mj_forward(self.model, self.data)  # makes what this solver works on
        fewest, most = 0, 1
        while most <= MOST_ITERATIONS and not self.reaches(solver, start, most, tolerance):
            fewest, most = most, 2 * most
        solved = most <= MOST_ITERATIONS
        while solved and most - fewest > 1:
            middle = (fewest + most) // 2
            if self.reaches(solver, start, middle, tolerance):
                most = middle
            else:
                fewest = middle
        times = [self.solve(solver, start, most) for _ in range(repeats)]
        return float(fastest(np.array([times]))[0]), float(solved)

    def reaches(self, solver: str, start: str, iterations: int, tolerance: float) -> bool:
        """Whether so many iterations are enough."""
        self.solve(solver, start, iterations)
        return self.residual() <= tolerance

    def keep(self, solver: str) -> None:
        """Remembers the last solution as the start of the next one."""
        self.last[solver] = np.array(self.data.qacc)
