# SPDX-License-Identifier: BSD-2-Clause
"""Contact problems along motions of the survey's three robots: Solo-12 and Talos, which a force
pushes about, and an Allegro hand into which a ball falls.

The simulator makes the motion; the problems are made from it with Pinocchio, in impulses and
velocities of steps of 1 ms. Joints hold their first posture by springs and dampers. The models are
those of example-robot-data.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tactum

from .experiment import is_installed
from .survey import GRAVITY, STEP, Array, has_simulator

FRICTION = 0.9
BALL_MASS, BALL_RADIUS = 0.5, 0.05  # kg, m
LEGS = {f"{end}{side}": (1.0 if end == "F" else -1.0) for end in "FH" for side in "LR"}
SOLO = {f"{leg}_HFE": 0.8 * sign for leg, sign in LEGS.items()} | {
    f"{leg}_KFE": -1.6 * sign for leg, sign in LEGS.items()
}
TALOS = {
    f"leg_{side}_{joint}_joint": angle
    for side in ("left", "right")
    for joint, angle in ((3, -0.4), (4, 0.8), (5, -0.4))
}

HAND = {f"joint_{finger + bone}.0": 1.0 for finger in (0, 4, 8) for bone in (1, 2, 3)}


@dataclass(frozen=True)
class Robot:
    """A file of example-robot-data, its posture, and what happens to it."""

    path: str
    free: bool
    posture: dict[str, float]
    push: float  # N, amplitude of the force along each axis
    stiffness: float  # N m / rad; the damping is a twentieth of it
    ball: bool = False


ROBOTS = {
    "Solo-12": Robot("solo_description/robots/solo12.urdf", True, SOLO, 12.0, 10.0),
    "Talos": Robot("talos_data/robots/talos_reduced.urdf", True, TALOS, 75.0, 1000.0),
    "Allegro hand": Robot(
        "allegro_hand_description/urdf/allegro_right_hand.urdf", False, HAND, 0.0, 5.0, ball=True
    ),
}


@dataclass(frozen=True)
class Snapshot:
    """G, g and friction of a step, what its contacts belong to, and the state before it."""

    G: Array
    g: Array
    mu: Array
    pairs: tuple[tuple[int, int], ...]
    q: Array
    v: Array
    tau: Array

    def problem(self) -> tactum.ContactProblem:
        return tactum.ContactProblem(G=self.G, g=self.g, mu=self.mu)


@dataclass(frozen=True)
class RobotMotion:
    """The contact problems of all steps of a motion that have contacts."""

    robot: Robot
    model: Any  # pinocchio.Model
    up: Array  # away from the ground
    height: float  # m, of the ground along it
    snapshots: list[Snapshot]


def folder() -> Path | None:
    """Where example-robot-data keeps its models, if it is installed."""
    if not has_simulator() or not is_installed("pinocchio"):
        return None
    import pinocchio as pin

    for parent in Path(pin.__file__).parents:
        if (parent / "share" / "example-robot-data" / "robots").is_dir():
            return parent / "share"
    return None


def load(robot: Robot) -> tuple[Any, Any, Array]:
    """Pinocchio's model and shapes, and the posture to start from."""
    import coal
    import pinocchio as pin

    share = folder()
    assert share is not None
    path = str(share / "example-robot-data" / "robots" / robot.path)
    root = (pin.JointModelFreeFlyer(),) if robot.free else ()
    model = pin.buildModelFromUrdf(path, *root)
    shapes = pin.buildGeomFromUrdf(
        model, path, pin.GeometryType.COLLISION, package_dirs=[str(share)]
    )
    if robot.ball:
        ball = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "ball")
        inertia = pin.Inertia.FromSphere(BALL_MASS, BALL_RADIUS)
        model.appendBodyToJoint(ball, inertia, pin.SE3.Identity())
        shape = pin.GeometryObject("ball", ball, pin.SE3.Identity(), coal.Sphere(BALL_RADIUS))
        number = shapes.addGeometryObject(shape)
        for other in range(number):
            shapes.addCollisionPair(pin.CollisionPair(other, number))
    q = pin.neutral(model)
    for joint, angle in robot.posture.items():
        q[model.joints[model.getJointId(joint)].idx_q] = angle
    if robot.ball:
        # the palm faces along x, up
        model.gravity.linear = np.array([-GRAVITY, 0.0, 0.0])
        q[-7:-4] = 0.12, 0.0, -0.02
    return model, shapes, q


def lowest(model: Any, shapes: Any, q: Array) -> float:
    """Height of the lowest point of all shapes, m."""
    import pinocchio as pin

    data, places = model.createData(), shapes.createData()
    pin.updateGeometryPlacements(model, data, shapes, places, q)
    least = np.inf
    for shape, place in zip(shapes.geometryObjects, places.oMg, strict=True):
        box = shape.geometry
        box.computeLocalAABB()
        corners = box.aabb_local
        low, high = np.asarray(corners.min_).ravel(), np.asarray(corners.max_).ravel()
        for k in range(8):
            corner = np.where([k & 1, k & 2, k & 4], high, low)
            least = min(least, float((place.rotation @ corner + place.translation)[2]))
    return least


def contact_rows(normal: Array) -> Array:
    """Tangent, tangent, normal, as rows. They turn little where the normal turns little, so that
    the forces of one step are a start for the next."""
    away = np.eye(3)[0 if abs(normal[0]) < 0.9 else 1]
    first = away - (away @ normal) * normal
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(normal, first), normal])


def contact_jacobian(model: Any, data: Any, parents: list[int], q: Array, contacts: Any) -> Array:
    """(3 n, nv): velocities of the contacts in the axes of contact_rows, of B against A. parents:
    joint of each geometry of the simulator."""
    import pinocchio as pin

    pin.computeJointJacobians(model, data, q)
    rows = []
    for point, normal, pair in zip(contacts.point, contacts.normal, contacts.geometry, strict=True):
        frame = contact_rows(normal)
        total = np.zeros((3, model.nv))
        for geometry, sign in zip(pair, (-1.0, 1.0), strict=True):
            joint = parents[geometry]
            if joint == 0:
                continue
            J = pin.getJointJacobian(model, data, joint, pin.ReferenceFrame.WORLD)
            total += sign * frame @ (J[:3] - pin.skew(point) @ J[3:])
        rows.append(total)
    return np.concatenate(rows)


def snapshot(
    model: Any, data: Any, parents: list[int], q: Array, v: Array, tau: Array, contacts: Any
) -> Snapshot:
    """The contact problem of a step from a state. parents: joint of each geometry of the simulator."""
    import pinocchio as pin

    pin.computeAllTerms(model, data, q, v)
    M = np.triu(data.M) + np.triu(data.M, 1).T
    free = v + STEP * np.linalg.solve(M, tau - data.nle)
    J = contact_jacobian(model, data, parents, q, contacts)
    gap = np.zeros(len(J))
    gap[2::3] = np.maximum(contacts.distance, 0.0) / STEP
    G = J @ np.linalg.solve(M, J.T)
    pairs = tuple((int(a), int(b)) for a, b in contacts.geometry)
    mu = np.full(len(pairs), FRICTION)
    return Snapshot(0.5 * (G + G.T), J @ free + gap, mu, pairs, q, v, tau)


def motion(name: str, steps: int) -> RobotMotion:
    """So many steps of a robot."""
    import pinocchio as pin

    from tactum import sim

    robot = ROBOTS[name]
    theirs, shapes, q = load(robot)
    builder = sim.ModelBuilder(gravity=theirs.gravity.linear)
    height = -0.3 if not robot.free else lowest(theirs, shapes, q)
    up = -theirs.gravity.linear / np.linalg.norm(theirs.gravity.linear)
    builder.add_ground(friction=FRICTION, normal=up, offset=height)
    model = sim.from_pinocchio(theirs, shapes, q=q, friction=FRICTION, builder=builder)
    parents = [0, *(shape.parentJoint for shape in shapes.geometryObjects)]
    state, data = model.state(), theirs.createData()
    start = state.q.copy()
    actuated = np.ones(model.nv, dtype=bool)
    actuated[: 6 if robot.free else 0] = False
    if robot.ball:
        actuated[-6:] = False
    found = []
    for step in range(steps):
        time = step * STEP
        away = pin.difference(theirs, state.q, start)
        tau = np.where(actuated, robot.stiffness * (away - 0.05 * state.v), 0.0)
        if robot.free:
            rotation = tactum.pose_matrix(state.q[:7])[:3, :3]
            tau[:3] = rotation.T @ (robot.push * np.sin(2.0 * time + np.arange(3.0)))
        result = sim.step(model, state, tau, STEP)
        if len(result.contacts) > 0:
            found.append(snapshot(theirs, data, parents, state.q, state.v, tau, result.contacts))
        state = result.state
    return RobotMotion(robot, theirs, up, height, found)
