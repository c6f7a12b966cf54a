# SPDX-License-Identifier: BSD-2-Clause
"""From the contacts of a scene to forces: a box on a slope against the hand calculation, free bodies
against a robot's Jacobians of the same motion, tangents, materials."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
import tactum

G = 9.81
DT = 1e-3
BOX = tactum.Box(half_extents=(0.2, 0.15, 0.1))


def slope_scene(angle: float, friction: float) -> tuple[tactum.Scene, npt.NDArray[np.float64]]:
    """A box that lies on a half-space tilted about y."""
    normal = np.array([np.sin(angle), 0.0, np.cos(angle)])
    turned = tactum.pose(0.1 * normal, rotation_vector=(0.0, angle, 0.0))
    scene = tactum.Scene()
    scene.add(tactum.HalfSpace(normal=normal), static=True, friction=friction, name="slope")
    scene.add(BOX, turned, friction=friction, name="box")
    return scene, turned


@pytest.mark.parametrize("degrees", [0.0, 20.0, 35.0, 45.0])
def test_a_box_on_a_slope_is_the_hand_calculation(degrees: float) -> None:
    angle, mu = np.radians(degrees), 0.6
    scene, X = slope_scene(angle, mu)
    properties = BOX.mass_properties(1000.0)
    contacts = scene.contacts(margin=1e-6)
    assert len(contacts) == 4 and np.all(contacts.friction == mu)
    problem = tactum.ContactProblem.from_contacts(
        contacts, bodies={1: (properties, X)}, time_step=DT
    )
    solution = tactum.solve(problem, tolerance=1e-10)
    assert solution.status == "converged"
    total = contacts.world_forces(solution.force).sum(axis=0)  # on the box: it is B
    weight = properties.mass * G
    normal = np.array([np.sin(angle), 0.0, np.cos(angle)])
    down = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    assert total @ normal == pytest.approx(weight * np.cos(angle), rel=1e-6)
    pull = min(weight * np.sin(angle), mu * weight * np.cos(angle))
    assert -(total @ down) == pytest.approx(pull, rel=1e-6, abs=1e-6 * weight)
    assert set(solution.modes) == {
        tactum.ContactMode.sliding if np.tan(angle) > mu else tactum.ContactMode.sticking
    }


def test_tangents_make_right_handed_frames_that_turn_with_the_normal() -> None:
    scene = tactum.Scene()
    scene.add(tactum.Sphere(radius=1.0))
    ball = scene.add(tactum.Sphere(radius=1.0))
    rng = np.random.default_rng(4)
    last = None
    for step in range(200):
        direction = (
            rng.normal(size=3)
            if step < 100
            else np.array([np.cos(step / 1e3), np.sin(step / 1e3), 0.2])
        )
        scene.set_pose(ball, 1.9 * direction / np.linalg.norm(direction))
        contacts = scene.contacts()
        frame = np.vstack([contacts.tangents[0], contacts.normal])
        assert np.abs(frame @ frame.T - np.eye(3)).max() < 1e-14
        assert np.linalg.det(frame) == pytest.approx(1.0)
        if step > 100:
            assert last is not None and np.abs(frame - last).max() < 0.01
        last = frame


def test_jacobians_of_a_robot_give_the_problem_of_the_free_body() -> None:
    scene, X = slope_scene(0.3, 0.5)
    properties = BOX.mass_properties(1000.0)
    contacts = scene.contacts(margin=1e-6)
    velocity = np.array([0.1, -0.2, 0.05, 0.3, 0.2, -0.1])
    free = tactum.ContactProblem.from_contacts(
        contacts, bodies={1: (properties, X, velocity)}, time_step=DT, restitution=0.2
    )
    # the same body as a robot in other coordinates: its spin in its own axes
    R, p = X[:3, :3], X[:3, 3]
    hat = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    w = R.T @ velocity[3:]
    zero = np.zeros((3, 3))
    robot = tactum.ContactProblem.from_contacts(
        contacts,
        jacobians={1: np.block([[np.eye(3), hat @ R], [zero, R]])},
        mass_matrix=np.block([[properties.mass * np.eye(3), zero], [zero, properties.inertia]]),
        velocity=np.concatenate([velocity[:3], w]),
        force=np.concatenate([[0, 0, -G * properties.mass], -np.cross(w, properties.inertia @ w)]),
        time_step=DT,
        restitution=0.2,
    )
    assert np.allclose(free.G, robot.G, rtol=1e-12, atol=1e-12)
    assert np.allclose(free.g, robot.g, rtol=1e-12, atol=1e-12)


@pytest.mark.pinocchio
def test_a_robot_of_pinocchio_stands_on_the_ground() -> None:
    import pinocchio as pin

    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    properties = BOX.mass_properties(1000.0)
    model.appendBodyToJoint(
        joint, pin.Inertia(properties.mass, np.zeros(3), properties.inertia), pin.SE3.Identity()
    )
    data = model.createData()
    q = pin.neutral(model)
    q[2] = 0.1
    pin.computeJointJacobians(model, data, q)
    scene = tactum.Scene()
    ground = scene.add(tactum.HalfSpace(), static=True)
    body = scene.add(BOX, data.oMi[joint])
    contacts = scene.contacts(margin=1e-6)
    v = np.zeros(model.nv)
    problem = tactum.ContactProblem.from_contacts(
        contacts,
        jacobians={body: pin.getJointJacobian(model, data, joint, pin.WORLD)},
        mass_matrix=pin.crba(model, data, q),
        force=-pin.nle(model, data, q, v),
        velocity=v,
        time_step=DT,
    )
    total = contacts.world_forces(tactum.solve(problem).force).sum(axis=0)
    assert np.allclose(total, [0, 0, properties.mass * G], atol=1e-5 * properties.mass)
    assert ground == 0


def test_compliance_and_materials_reach_the_problem() -> None:
    scene, X = slope_scene(0.0, 0.5)
    scene.set_material(0, friction=0.9, restitution=0.3, compliance=1e-6)
    scene.set_material(1, friction=0.4, compliance=2e-6)
    contacts = scene.contacts(margin=1e-6)
    assert np.allclose(contacts.friction, 0.6) and np.all(contacts.restitution == 0.3)
    problem = tactum.ContactProblem.from_contacts(
        contacts, bodies={1: (BOX.mass_properties(1000.0), X)}, time_step=DT
    )
    assert np.allclose(problem.mu, 0.6) and np.allclose(problem.R, 3e-6 / DT**2)


def test_bad_arguments_are_named() -> None:
    scene, X = slope_scene(0.0, 0.5)
    contacts = scene.contacts(margin=1e-6)
    make = tactum.ContactProblem.from_contacts
    with pytest.raises(TypeError, match=r"give either bodies=.*or jacobians="):
        make(contacts, time_step=DT)
    with pytest.raises(TypeError, match=r"contacts: got Scene; give what Scene.contacts"):
        make(scene, time_step=DT, bodies={})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"bodies\[1\]: got MassProperties"):
        make(contacts, time_step=DT, bodies={1: BOX.mass_properties(1.0)})
    with pytest.raises(
        tactum.InvalidInput, match=r"jacobians\[1\]: got an array of shape \(3, 6\)"
    ):
        make(contacts, time_step=DT, jacobians={1: np.zeros((3, 6))}, mass_matrix=np.eye(6))
    with pytest.raises(tactum.InvalidInput, match=r"force: got an array of shape \(3,\)"):
        contacts.world_forces(np.zeros(3))
    with pytest.raises(tactum.InvalidInput, match=r"friction: got an array of shape \(2,\)"):
        make(contacts, time_step=DT, bodies={1: (BOX.mass_properties(1.0), X)}, friction=[1, 2])
    body = {1: (BOX.mass_properties(1.0), X)}
    upper = np.triu(np.ones((6, 6))) + 5 * np.eye(6)
    for field, change in {
        "mass_matrix belongs to jacobians=": {"bodies": body, "mass_matrix": np.eye(6)},
        "bodies: got list": {"bodies": [1]},
        r"bodies\[1\]\[2\]: got an array of shape \(3,\)": {"bodies": {1: (*body[1], np.zeros(3))}},
        r"gravity: got an array of shape \(\)": {"bodies": body, "gravity": 9.81},
        "friction: got str": {"bodies": body, "friction": "high"},
        "mass_matrix: got a matrix that is not symmetric": {"mass_matrix": upper},
        "mass_matrix: got a matrix that is not positive definite": {"mass_matrix": -np.eye(6)},
        r"mass_matrix: got an array of shape \(3, 6\)": {"mass_matrix": np.eye(6)[:3]},
        r"velocity: got an array of shape \(5,\)": {
            "mass_matrix": np.eye(6),
            "velocity": np.zeros(5),
        },
        "force: got numbers that are not finite": {
            "mass_matrix": np.eye(6),
            "force": np.full(6, np.nan),
        },
    }.items():
        given = change if "bodies" in change else change | {"jacobians": {1: np.zeros((6, 6))}}
        with pytest.raises((TypeError, tactum.InvalidInput), match=field):
            make(contacts, time_step=DT, **given)


def test_ids_of_no_object_are_refused() -> None:
    """A force on an object that is not there would be lost, and the body that was meant would not
    move."""
    scene, X = slope_scene(0.0, 0.5)
    contacts, body = scene.contacts(margin=1e-6), (BOX.mass_properties(1000.0), X)
    assert contacts.ids.tolist() == [0, 1]
    make = tactum.ContactProblem.from_contacts
    for wrong in (7, -1, np.int64(2)):
        with pytest.raises(
            tactum.InvalidInput, match=rf"bodies\[{wrong}\]: got an id of no object"
        ):
            make(contacts, bodies={1: body, wrong: body}, time_step=DT)
        with pytest.raises(tactum.InvalidInput, match=rf"jacobians\[{wrong}\]: got an id of no"):
            make(contacts, jacobians={wrong: np.eye(6)}, mass_matrix=np.eye(6), time_step=DT)
    for key in ("box", 1.0, None, True):
        with pytest.raises(TypeError, match=r"bodies: got the key .*; give ids of objects"):
            make(contacts, bodies={key: body}, time_step=DT)  # type: ignore[dict-item]
    free = scene.add(BOX, (5.0, 0.0, 5.0))  # it touches nothing, and may move all the same
    problem = make(scene.contacts(margin=1e-6), bodies={1: body, free: body}, time_step=DT)
    assert len(problem.kinds) == 4
