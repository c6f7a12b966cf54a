# SPDX-License-Identifier: BSD-2-Clause
"""Model predictive control of a trotting Solo-12; its optimal control problems are Crocoddyl's.

As in the controller that the contact survey used (Leziart et al., 2021) the forces of the feet come
from a model of one rigid body with forces at its standing feet, and joint torques make these forces
and move the swinging feet. The model is linear along the wanted motion, so that each node is an
ActionModelLQR. Forces are sums of the edges of a pyramid inside the friction cone with weights that
are not negative: bounds, which SolverBoxFDDP takes. The controller knows the friction of the ground,
and neither the simulator nor the terrain; it measures the state of the robot.

Gait      A period: FL and HR swing, all stand, FR and HL swing, all stand.
Feet      A foot swings from where it stood to below its hip, ahead by half of the way of a stance,
          and as high as it stood before.
State     x = (center of mass, roll pitch yaw, their velocities), in axes of the world.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .survey import GRAVITY, Array

NODE, NODES = 0.02, 20  # s, of the horizon
SOLVE_EVERY = 0.005  # s
SWING, STAND = 0.16, 0.04  # s
HALF, PERIOD = SWING + STAND, 2 * (SWING + STAND)
CLEARANCE = 0.06  # m: how high a swinging foot is lifted
FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
PAIRS = (("FL_FOOT", "HR_FOOT"), ("FR_FOOT", "HL_FOOT"))
MAX_TORQUE = 3.0  # N m
# weights of the squares of the deviations of the state
STATE_WEIGHTS = np.array([0.0, 20.0, 400.0, 60.0, 60.0, 20.0, 10.0, 10.0, 2.0, 0.2, 0.2, 0.2])
FORCE_WEIGHT = 2e-3  # of the edges of the pyramids
MAX_FORCE = 30.0  # N, of an edge of the pyramid
FOOT_STIFFNESS, FOOT_DAMPING = 250.0, 6.0  # N/m, N s/m
STEP_GAIN = 0.05  # s: steps farther out where the body is faster than wanted


def swinging(time: float) -> tuple[tuple[str, ...], float]:
    """The feet in the air, and the share of their swing that is over."""
    half, place = divmod(time % PERIOD, HALF)
    return (PAIRS[min(int(half), 1)], place / SWING) if place < SWING else ((), 0.0)


def roll_pitch_yaw(rotation: Array) -> Array:
    """Of R = Rz(yaw) Ry(pitch) Rx(roll)."""
    roll = np.arctan2(rotation[2, 1], rotation[2, 2])
    pitch = np.arctan2(-rotation[2, 0], np.hypot(rotation[2, 1], rotation[2, 2]))
    return np.array([roll, pitch, np.arctan2(rotation[1, 0], rotation[0, 0])])


def cross_matrix(r: Array) -> Array:
    """r x f as a matrix times f."""
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


class TrotController:
    """Joint torques that make a robot trot along x. model: pinocchio.Model with a free base; q: where
    it stands at the time 0; speed: m/s, reached within a period; friction: what it counts on."""

    def __init__(self, model: Any, q: Array, speed: float, friction: float) -> None:
        import pinocchio as pin

        self.pin, self.model, self.data = pin, model, model.createData()
        self.speed = speed
        self.frames = {foot: model.getFrameId(foot) for foot in FEET}
        slope = friction / np.sqrt(2.0)
        signs = ((1, 1), (1, -1), (-1, 1), (-1, -1))
        self.edges = np.array([[slope * x, slope * y, 1.0] for x, y in signs]).T
        self.measure(q, np.zeros(model.nv))
        self.stood = dict(self.feet)
        self.offset = {foot: place[:2] - self.center[:2] for foot, place in self.feet.items()}
        self.height = self.center[2] - float(np.mean([p[2] for p in self.feet.values()]))
        self.forces: dict[str, Array] = {}
        self.next_solve = 0.0

    def measure(self, q: Array, v: Array) -> None:
        """What a state of the robot tells."""
        pin, model, data = self.pin, self.model, self.data
        pin.computeAllTerms(model, data, q, v)
        pin.updateFramePlacements(model, data)
        pin.ccrba(model, data, q, v)
        self.center, self.velocity = data.com[0].copy(), data.vcom[0].copy()
        rotation = data.oMi[1].rotation
        spin = rotation @ v[3:6]
        attitude = roll_pitch_yaw(rotation)
        self.x = np.concatenate((self.center, attitude, self.velocity, spin))
        self.inertia, self.mass = data.Ig.inertia.copy(), data.Ig.mass
        self.feet = {foot: data.oMf[k].translation.copy() for foot, k in self.frames.items()}

    def wanted_speed(self, time: float) -> float:
        """It grows over the first period."""
        return self.speed * min(time / PERIOD, 1.0)

    def landing(self, foot: str, wait: float, time: float) -> Array:
        """Where a foot is to land after a while, m."""
        ahead = self.wanted_speed(time + wait)
        stance = PERIOD - SWING
        drift = self.velocity[:2] - np.array([ahead, 0.0])
        place = self.center[:2] + self.offset[foot] + STEP_GAIN * drift
        place[0] += ahead * (wait + 0.5 * stance)
        place[1] += self.velocity[1] * wait
        return np.append(place, self.stood[foot][2])

    def standing(self, later: float, time: float) -> dict[str, Array]:
        """The feet that stand after a while, and where they will."""
        lifted, _ = swinging(time + later)
        now, share = swinging(time)
        found = {}
        for foot in FEET:
            if foot in lifted:
                continue
            # a foot that is in the air now, or will have been, stands where it is to land
            wait = (1.0 - share) * SWING if foot in now else self.next_landing(foot, time)
            lands = foot in now or wait <= later
            found[foot] = self.landing(foot, wait, time) if lands else self.stood[foot]
        return found

    def next_landing(self, foot: str, time: float) -> float:
        """Seconds until a standing foot has swung and stands again."""
        begins = 0.0 if foot in PAIRS[0] else HALF
        return (begins - time) % PERIOD + SWING

    def node(self, later: float, time: float) -> tuple[Any, tuple[str, ...]]:
        """The action model of a node, and its standing feet."""
        import crocoddyl

        feet = self.standing(later, time)
        A, f = np.eye(12), np.zeros(12)
        yaw = self.x[5]
        turn = np.array(
            [[np.cos(yaw), np.sin(yaw), 0], [-np.sin(yaw), np.cos(yaw), 0], [0, 0, 1.0]]
        )
        A[0:3, 6:9], A[3:6, 9:12] = NODE * np.eye(3), NODE * turn
        center = self.center + np.array([self.wanted_speed(time + later) * later, 0.0, 0.0])
        inverse = np.linalg.inv(self.inertia)
        B = np.zeros((12, 4 * len(feet)))
        for k, place in enumerate(feet.values()):
            own = slice(4 * k, 4 * k + 4)
            B[6:9, own] = NODE / self.mass * self.edges
            B[9:12, own] = NODE * inverse @ cross_matrix(place - center) @ self.edges
        B[0:3], B[3:6] = NODE * B[6:9], NODE * turn @ B[9:12]
        f[8], f[2] = -NODE * GRAVITY, -NODE * NODE * GRAVITY
        count = 4 * len(feet)
        R = np.diag(np.full(count, FORCE_WEIGHT))
        q = -STATE_WEIGHTS * self.wanted(time + later)
        cross, none = np.zeros((12, count)), np.zeros(count)
        made = crocoddyl.ActionModelLQR(A, B, np.diag(STATE_WEIGHTS), R, cross, f, q, none)
        made.u_lb, made.u_ub = none, np.full(count, MAX_FORCE)
        return made, tuple(feet)

    def wanted(self, time: float) -> Array:
        """The state to follow."""
        ground = float(np.mean([place[2] for place in self.stood.values()]))
        x = np.zeros(12)
        x[2], x[6] = ground + self.height, self.wanted_speed(time)
        return x

    def solve(self, time: float) -> None:
        """The forces of the standing feet for the next milliseconds."""
        import crocoddyl

        made = [self.node((k + 0.5) * NODE, time) for k in range(NODES)]
        problem = crocoddyl.ShootingProblem(self.x, [m for m, _ in made], made[-1][0])
        problem.nthreads = 1  # a node costs less than handing it to a thread
        solver = crocoddyl.SolverBoxFDDP(problem)
        weight = self.mass * GRAVITY
        controls = [np.full(m.nu, weight / m.nu) for m, _ in made]
        solver.solve(problem.rollout(controls), controls, 10, False)
        first = np.asarray(solver.us[0])
        self.forces = {
            foot: self.edges @ first[4 * k : 4 * k + 4] for k, foot in enumerate(made[0][1])
        }

    def torque(self, time: float, q: Array, v: Array) -> Array:
        """(nv - 6,) N m, of the joints, at a time in s and a state."""
        self.measure(q, v)
        lifted, share = swinging(time)
        for foot in FEET:
            if foot not in lifted:
                self.stood[foot] = self.feet[foot]
        if time >= self.next_solve - 1e-9:
            self.solve(time)
            self.next_solve = time + SOLVE_EVERY
        tau = self.data.nle[6:].copy()
        for foot in FEET:
            J = self.pin.getFrameJacobian(
                self.model, self.data, self.frames[foot], self.pin.LOCAL_WORLD_ALIGNED
            )[:3]
            if foot in lifted:
                tau += J[:, 6:].T @ self.swing_force(foot, share, time, J @ v)
            elif foot in self.forces:
                tau -= J[:, 6:].T @ self.forces[foot]
        return np.asarray(np.clip(tau, -MAX_TORQUE, MAX_TORQUE))

    def swing_force(self, foot: str, share: float, time: float, velocity: Array) -> Array:
        """N: pulls a swinging foot along its path."""
        start, end = self.stood[foot], self.landing(foot, (1.0 - share) * SWING, time)
        smooth, rate = share * share * (3.0 - 2.0 * share), 6.0 * share * (1.0 - share) / SWING
        place, speed = start + smooth * (end - start), rate * (end - start)
        place[2] += CLEARANCE * np.sin(np.pi * share)
        speed[2] += CLEARANCE * np.pi / SWING * np.cos(np.pi * share)
        pull = FOOT_STIFFNESS * (place - self.feet[foot]) + FOOT_DAMPING * (speed - velocity)
        return np.asarray(pull)
