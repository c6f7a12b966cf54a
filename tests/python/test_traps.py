# SPDX-License-Identifier: BSD-2-Clause
"""What a new user tries first: comparisons with names, truth of a result, writing to a property,
wrong keywords. None of it may be wrong in silence, and every message is one line that names what
was meant."""

from __future__ import annotations

import inspect
import pickle
import pydoc
from typing import Any

import numpy as np
import pytest
import tactum

BALL = tactum.Sphere(radius=1.0)
BOX = tactum.Box(half_extents=(0.1, 0.2, 0.3))
FAR = np.array([[1, 0, 0, 3.0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def free_contact(normal_velocity: float = -1.0) -> tactum.ContactProblem:
    return tactum.ContactProblem(G=np.eye(3), g=[0.0, 0.0, normal_velocity], mu=0.5)


def test_statuses_compare_with_names_and_refuse_others() -> None:
    apart = tactum.distance(BALL, None, BOX, FAR)
    assert apart.status == "separated" and apart.status != "penetrating"
    assert "separated" == apart.status
    assert apart.status == tactum.Status.separated == 0
    assert {tactum.Status.separated: 1}[apart.status] == 1
    with pytest.raises(tactum.InvalidInput, match=r"status: got 'seperated'; give one of"):
        bool(apart.status == "seperated")
    with pytest.raises(tactum.InvalidInput, match=r"give one of 'separated' 'touching'"):
        bool(apart.status != "colliding")
    solution = tactum.solve(free_contact())
    assert solution.status == "converged" and solution.modes[0] == "sticking"
    assert solution.modes == ("sticking",)
    with pytest.raises(tactum.InvalidInput, match=r"mode: got 'stick'"):
        bool(solution.modes[0] == "stick")
    assert free_contact().kinds[0] == "friction"
    assert not (apart.status == None) and apart.status != 3.5  # noqa: E711


def test_arrays_of_statuses_compare_with_names() -> None:
    near = np.eye(4)
    found = tactum.distances(BALL, None, BOX, np.stack([FAR, near]))
    assert (found.status == "separated").tolist() == [True, False]
    assert (found.status != "separated").tolist() == [False, True]
    assert (found.status == tactum.Status.penetrating).tolist() == [False, True]
    assert (found.status == np.array(["separated", "penetrating"])).all()
    assert found.status[1] == "penetrating" and [str(s) for s in found.status] == [
        "separated",
        "penetrating",
    ]
    assert found.status.dtype == np.uint8 and type(found.status + 0) is np.ndarray
    assert type(found.status == 0) is np.ndarray
    with pytest.raises(tactum.InvalidInput, match=r"status: got 'colliding'"):
        found.status == "colliding"  # noqa: B015
    again = pickle.loads(pickle.dumps(found))
    assert (again.status == found.status).all()
    scene = tactum.Scene()
    scene.add(BALL)
    scene.add(BOX)
    assert (scene.distances().status == "penetrating").all()


def test_names_are_found_in_sets_and_in_functions_of_numpy() -> None:
    apart = tactum.distance(BALL, None, BOX, FAR)
    assert apart.status in {"separated", "touching"} and {"separated": 1}[apart.status] == 1  # type: ignore[index]
    found = tactum.distances(BALL, None, BOX, np.stack([FAR, np.eye(4)]))
    assert np.isin(found.status, ["penetrating", "touching"]).tolist() == [False, True]
    assert np.array_equal(found.status, ["separated", "penetrating"])
    twice = np.concatenate([found.status, found.status])
    assert (twice == "separated").tolist() == [True, False] * 2
    solution = tactum.solve(free_contact())
    assert (solution.modes == "sticking").tolist() == [True]
    assert (solution.modes != "sticking").tolist() == [False]
    with pytest.raises(tactum.InvalidInput, match=r"mode: got 'stick'"):
        solution.modes == "stick"  # noqa: B015
    assert isinstance(solution.modes, tuple) and pickle.loads(pickle.dumps(solution.modes)) == (
        "sticking",
    )


def test_modes_compare_with_lists_and_arrays() -> None:
    modes = tactum.solve(free_contact()).modes
    assert modes == ["sticking"] and not modes != ["sticking"]
    assert modes != ["sliding"] and modes != ["sticking", "sticking"] and modes != []
    for names in (np.array(["sticking"]), np.array(["sticking"], dtype=object)):
        assert (modes == names).tolist() == [True] and (modes != names).tolist() == [False]
        assert (names == modes).tolist() == [True] and (names != modes).tolist() == [False]
    assert (modes == tactum.ContactMode.sliding).tolist() == [False]
    for wrong in (["stick"], ("stick",), np.array(["stick"])):
        with pytest.raises(tactum.InvalidInput, match=r"mode: got 'stick'"):
            modes == wrong  # noqa: B015
    with pytest.raises(tactum.InvalidInput, match=r"comparison: got an array of shape \(3,\)"):
        modes == np.array(["sticking"] * 3)  # noqa: B015
    assert modes != None and modes != 3.5  # noqa: E711


def test_statuses_of_many_contact_poses_compare_with_names() -> None:
    start = np.stack([tactum.pose((0.5, 0.1, 0.0))] * 3)
    start[1, 0, 0] = np.nan
    found = tactum.contact_pose(BALL, BOX, (1.0, 0, 0), (-0.1, 0, 0), start=start)
    assert (found.status == "converged").tolist() == [True, False, True]
    assert (found.status == "invalid_input").tolist() == [False, True, False]
    assert (found.status != "converged").tolist() == [False, True, False]
    assert found.status[1] == "invalid_input" and found.status.dtype == np.uint8
    with pytest.raises(tactum.InvalidInput, match=r"status: got 'done'; give one of 'converged'"):
        found.status == "done"  # noqa: B015
    again = pickle.loads(pickle.dumps(found))
    assert (again.status == "converged").tolist() == [True, False, True]
    one = tactum.contact_pose(BALL, BOX, (1.0, 0, 0), (-0.1, 0, 0), start=None)
    assert one.status in set(tactum.ContactPoseStatus) and one.pose.shape == (4, 4)


def test_a_result_is_neither_true_nor_false() -> None:
    result = tactum.distance(BALL, None, BOX, FAR)
    with pytest.raises(TypeError, match=r"Distance: a result is neither true nor false; .*collide"):
        bool(result)
    with pytest.raises(TypeError, match=r"DistanceDerivative"):
        bool(tactum.distance_derivative(BALL, None, BOX, FAR))
    assert not tactum.collide(BALL, None, BOX, FAR)


def handed_out() -> dict[str, Any]:
    """Arrays that properties hand out, by name."""
    hull = tactum.Convex.from_points(np.vstack([np.zeros(3), np.eye(3)]))
    result = tactum.distance(BALL, None, BOX, FAR)
    derivative = tactum.distance_derivative(BALL, None, BOX, FAR)
    problem = free_contact()
    solution = tactum.solve(problem)
    scene = tactum.Scene()
    scene.add(BALL)
    scene.add(BOX)
    contacts = scene.contacts()
    return {
        "Box.half_extents": BOX.half_extents,
        "Ellipsoid.semi_axes": tactum.Ellipsoid(semi_axes=(1, 2, 3)).semi_axes,
        "HalfSpace.normal": tactum.HalfSpace().normal,
        "Convex.vertices": hull.vertices,
        "Convex.faces": hull.faces,
        "MassProperties.inertia": BOX.mass_properties(1.0).inertia,
        "MassProperties.center_of_mass": BOX.mass_properties(1.0).center_of_mass,
        "Distance.normal": result.normal,
        "Distance.point_a": result.point_a,
        "Collision.normal": tactum.collide(BALL, None, BOX, FAR).normal,
        "DistanceDerivative.distance_jacobian": derivative.distance_jacobian,
        "DistanceDerivative.point_a_jacobian": derivative.point_a_jacobian,
        "ContactProblem.G": problem.G,
        "ContactProblem.g": problem.g,
        "ContactSolution.force": solution.force,
        "ContactSolution.history": tactum.solve(problem, history=True).history,
        "ContactPatch.feature_ids": tactum.contact_patch(BALL, None, BOX, None).feature_ids,
        "ContactPatchDerivative.normal_jacobian": tactum.contact_patch_derivative(
            BALL, None, BOX, None
        ).normal_jacobian,
        "HeightField.heights": tactum.HeightField(heights=np.zeros((3, 3)), spacing=1.0).heights,
        "Contacts.normal": contacts.normal,
        "Contacts.tangents": contacts.tangents,
        "Scene.poses": scene.poses,
        "SceneDistances.distance": scene.distances().distance,
    }


@pytest.mark.parametrize("name", handed_out())
def test_what_a_property_hands_out_is_read_only(name: str) -> None:
    array = handed_out()[name]
    with pytest.raises(ValueError, match="read-only"):
        array[(0,) * array.ndim] = 7.0


def test_what_a_method_returns_is_the_callers() -> None:
    BOX.support((1, 1, 1))[0] = 7.0
    tactum.pose_matrix(None)[0, 3] = 7.0


def test_an_infeasible_problem_says_so() -> None:
    stuck = tactum.ContactProblem(G=np.zeros((3, 3)), g=[0.0, 0.0, -1.0], mu=1.0)
    for solver in ("ncp_admm", "ccp_newton", "lcp_pgs"):
        assert tactum.solve(stuck, solver).status == "infeasible"
        assert [s.status for s in tactum.solve_many([stuck] * 2, solver)] == ["infeasible"] * 2
    exact = tactum.solve(
        tactum.ContactProblem(G=2 * np.eye(3), g=[0.1, 0.3, -1.0], mu=0.3), tolerance=0.0
    )
    assert exact.status in ("converged", "stalled")


def message(call: Any) -> str:
    with pytest.raises(TypeError) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text and len(text) < 200, text
    return text


def test_wrong_arguments_are_named_in_one_line() -> None:
    scene = tactum.Scene()
    cases = {
        "distance: there is no argument 'tol'; did you mean 'tolerance'?": lambda: tactum.distance(
            BALL, None, BOX, FAR, tol=1e-6
        ),  # type: ignore[call-overload]
        "distance: b and X_WB are missing": lambda: tactum.distance(BALL, None),  # type: ignore[call-overload]
        "distance: got 5 arguments without a name; it takes a, X_WA, b, X_WB; method and what "
        "follows are keywords": lambda: tactum.distance(BALL, None, BOX, FAR, "gjk"),  # type: ignore[call-overload]
        "Box: there is no argument 'half_extent'; did you mean 'half_extents'?": lambda: tactum.Box(
            half_extent=(1, 1, 1)
        ),  # type: ignore[call-arg]
        "Box: sizes are keywords; write Box(half_extents=...)": lambda: tactum.Box((1, 1, 1)),  # type: ignore[misc]
        "Sphere: sizes are keywords; write Sphere(radius=...)": lambda: tactum.Sphere(1),  # type: ignore[misc]
        "Sphere: radius is missing": lambda: tactum.Sphere(),  # type: ignore[call-arg]
        "Capsule: radius and half_length are missing": lambda: tactum.Capsule(),  # type: ignore[call-arg]
        "HalfSpace: there is no argument 'd'; did you mean 'offset'?": lambda: tactum.HalfSpace(
            d=1.0
        ),  # type: ignore[call-arg]
        "contacts: there is no argument 'cutoff'; did you mean 'margin'?": lambda: scene.contacts(
            cutoff=0.1
        ),  # type: ignore[call-arg]
        "add: shape is missing": lambda: scene.add(),  # type: ignore[call-arg]
        "solve: there is no argument 'max_iter'; did you mean 'max_iterations'?": lambda: (
            tactum.solve(free_contact(), max_iter=3)  # type: ignore[call-arg]
        ),
    }
    for text, call in cases.items():
        assert message(call).startswith(text)


def test_constructors_name_a_wrong_argument_in_one_line() -> None:
    points, triangle = np.eye(3), [[0, 1, 2]]
    cases = {
        "ZerothOrder: there is no argument 'sample'; did you mean 'samples'?": lambda: (
            tactum.ZerothOrder(sample=3)  # type: ignore[call-arg]
        ),
        "FiniteDifference: arguments are keywords; write FiniteDifference(step=...)": lambda: (
            tactum.FiniteDifference(1e-3)  # type: ignore[misc]
        ),
        "Gumbel: there is no argument 'ring'; did you mean 'rings'?": lambda: tactum.Gumbel(ring=1),  # type: ignore[call-arg]
        "Gaussian: there is no argument": lambda: tactum.Gaussian(sigma=1),  # type: ignore[call-arg]
        "Convex: arguments are keywords; write Convex(vertices=..., faces=...)": lambda: (
            tactum.Convex(points)  # type: ignore[misc, call-arg]
        ),
        "Mesh: there is no argument 'faces'; did you mean 'triangles'?": lambda: tactum.Mesh(
            vertices=points,
            faces=triangle,  # type: ignore[call-arg]
        ),
        "Mesh: triangles is missing": lambda: tactum.Mesh(vertices=points),  # type: ignore[call-arg]
        "HeightField: spacing is missing": lambda: tactum.HeightField(heights=points),  # type: ignore[call-arg]
        "Compound: parts is missing": lambda: tactum.Compound(),  # type: ignore[call-arg]
        "ShapeTable: got 2 arguments without a name; it takes shapes": lambda: tactum.ShapeTable(
            [BALL],
            [BOX],  # type: ignore[call-arg]
        ),
        "ContactProblem: there is no argument 'b'": lambda: tactum.ContactProblem(
            G=points,
            b=[0, 0, 1],  # type: ignore[call-arg]
        ),
    }
    for text, call in cases.items():
        assert message(call).startswith(text), message(call)
    assert tactum.Compound([(BOX, None)]) == tactum.Compound(parts=[(BOX, None)])
    with pytest.raises(tactum.InvalidInput, match=r"mu: got none; give 1, one for each friction"):
        tactum.ContactProblem(G=points, g=[0, 0, -1])
    with pytest.raises(TypeError, match=r"points: got Mesh; give its vertices"):
        tactum.Convex.from_points(BOX.to_mesh())
    with pytest.raises(TypeError, match=r"^derivative: got str"):
        tactum.Scene().distances(derivative="exact")  # type: ignore[arg-type]


def test_functions_in_python_name_a_wrong_argument_too() -> None:
    cases = {
        "pose: there is no argument 'quat'; did you mean 'quat_wxyz'?": lambda: tactum.pose(
            quat=(1, 0, 0, 0)  # type: ignore[call-arg]
        ),
        "contact_pose: start is missing": lambda: tactum.contact_pose(
            BALL, BOX, (0, 0, 1), (1, 0, 0)
        ),  # type: ignore[call-arg]
        "decompose: there is no argument 'max_part'; did you mean 'max_parts'?": lambda: (
            tactum.decompose(BOX.to_mesh(), max_part=3)  # type: ignore[call-arg]
        ),
        "pair: b and X_WB are missing": lambda: tactum.plot.pair(BALL, None),  # type: ignore[attr-defined]
        "retract: there is no argument 'd'; it takes X, tangent": lambda: tactum.se3.retract(
            np.eye(4), d=np.zeros(6)
        ),
        "exp: tangent is missing": lambda: tactum.se3.exp(),
        "distances: there is no argument 'tol'; did you mean 'tolerance'?": lambda: (
            tactum.gpu.distances(None, None, None, None, tol=1e-3)
        ),
    }
    for text, call in cases.items():
        assert message(call).startswith(text), message(call)
    assert list(inspect.signature(tactum.pose).parameters)[:2] == ["xyz", "quat_wxyz"]


def test_numbers_are_the_shortest_that_read_back() -> None:
    with pytest.raises(tactum.InvalidInput, match=r"got -0\.1;"):
        tactum.Box(half_extents=(0.1, -0.1, 0.1))
    with pytest.raises(tactum.InvalidInput, match=r"^margin: got -1;"):
        tactum.Scene().contacts(margin=-1)
    turned = tactum.pose((3.1, 1.0 / 3.0, 0.7), rotation_vector=(0.1, 0.2, 0.3))
    cube = tactum.Box(half_extents=(1 / 3, 1 / 7, 1 / 9))
    for value in (
        tactum.distance(BALL, None, cube, turned),
        tactum.collide(BALL, None, cube, turned),
        cube.mass_properties(1 / 3),
        tactum.distances(BALL, None, cube, np.stack([turned] * 1000), derivative=tactum.Exact()),
    ):
        assert len(repr(value)) <= 100 and "\n" not in repr(value)


def test_other_names_lead_to_ours() -> None:
    for name, hint in {
        "Plane": "HalfSpace",
        "Halfspace": "HalfSpace",
        "load_mesh": "Mesh.from_file",
        "Spere": "did you mean 'Sphere'",
        "distnce": "did you mean 'distance'",
    }.items():
        with pytest.raises(AttributeError, match=hint):
            getattr(tactum, name)
    with pytest.raises(AttributeError, match=r"has no attribute 'zebra'$"):
        tactum.zebra  # noqa: B018


def test_help_opens_with_the_sentence() -> None:
    assert (tactum.distance.__doc__ or "").startswith("Signed distance between two")
    assert (tactum.Scene.add.__doc__ or "").startswith("Adds an object")
    shown = pydoc.plain(pydoc.render_doc(tactum.distance))
    assert shown.index("Signed distance") < 1500 and shown.count("def distance(") == 0
    signature = inspect.signature(tactum.distance)
    assert list(signature.parameters)[:4] == ["a", "X_WA", "b", "X_WB"]
    assert signature.parameters["tolerance"].default == 1e-10


def test_functions_go_through_pickle_and_bind() -> None:
    assert pickle.loads(pickle.dumps(tactum.distance)) is tactum.distance
    support = BOX.support
    assert np.allclose(support((1, 1, 1)), (0.1, 0.2, 0.3))
    assert next(map(BOX.support, [(1, 1, 1)])).shape == (3,)


def test_single_and_batch_have_the_same_field_names() -> None:
    one = tactum.distance_derivative(BALL, None, BOX, FAR)
    many = tactum.distances(BALL, None, BOX, FAR[None], derivative=tactum.Exact())
    for field in ("distance", "normal", "point_a", "point_b", "lower", "upper", "status"):
        assert np.all(getattr(one, field) == getattr(many, field)[0]), field
    assert tactum.raycast is tactum.ray_cast
