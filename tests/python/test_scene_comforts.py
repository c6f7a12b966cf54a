# SPDX-License-Identifier: BSD-2-Clause
"""Scenes as a user handles them: pairs by name, many objects at once, iteration, one distance, the
derivative of all, results that travel between processes, poses in every form."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import tactum
from tactum import se3

BALL = tactum.Sphere(radius=0.1)
RNG = np.random.default_rng(21)


def met(scene: tactum.Scene) -> list[list[int]]:
    return scene.pairs().tolist()


def test_pairs_are_forbidden_allowed_and_listed() -> None:
    scene = tactum.Scene()
    ids = scene.add_many(BALL, np.stack([np.eye(4)] * 4))
    assert ids.tolist() == [0, 1, 2, 3] and len(met(scene)) == 6
    scene.forbid(0, 1)
    assert [0, 1] not in met(scene) and not scene.may_meet(1, 0)
    scene.allow(1, 0)
    assert [0, 1] in met(scene)
    scene.set_pairs([(3, 0), (1, 2)])
    assert met(scene) == [[0, 3], [1, 2]]
    later = scene.add(BALL)
    assert [[i, later] for i in range(4)] == [p for p in met(scene) if later in p]
    scene.set_mask(later, 0)
    assert all(later not in p for p in met(scene))
    scene.set_mask(later, 0b10)
    scene.set_group(0, 0b10)
    assert [p for p in met(scene) if later in p] == [[0, later]]
    scene.set_pairs(np.empty((0, 2), dtype=int))
    assert met(scene) == []
    for same in (copy.copy(scene), pickle.loads(pickle.dumps(scene))):
        same.add(BALL)
        scene.add(BALL)
        assert met(same) == met(scene)
        scene.remove(5)
    with pytest.raises(tactum.InvalidInput, match=r"id_b: got 9; give the id of an object"):
        scene.forbid(0, 9)
    with pytest.raises(tactum.InvalidInput, match=r"pairs\[1\]: got 2 twice"):
        scene.set_pairs([(0, 1), (2, 2)])
    with pytest.raises(tactum.InvalidInput, match=r"pairs: got an array of shape \(2, 3\)"):
        scene.set_pairs(np.zeros((2, 3), dtype=int))


def test_static_objects_margins_and_materials() -> None:
    scene = tactum.Scene()
    for _ in range(2):
        scene.add(BALL, static=True, margin=0.25, friction=0.3, restitution=0.1, compliance=1e-5)
    assert met(scene) == [] and scene.is_static(1) and scene.margin(1) == 0.25
    assert scene.material(0) == (0.3, 0.1, 1e-5)
    moving = scene.add(BALL, (0.4, 0, 0))
    assert scene.distances().pairs.tolist() == [[0, moving], [1, moving]]
    assert scene.contacts().distance == pytest.approx([0.2, 0.2])
    with pytest.raises(tactum.InvalidInput, match=r"restitution: got 2; give a number from 0 to 1"):
        scene.add(BALL, restitution=2.0)
    with pytest.raises(TypeError, match=r"static: got int; give True or False"):
        scene.add(BALL, static=1)  # type: ignore[arg-type]


def test_many_at_once_and_what_is_there() -> None:
    scene = tactum.Scene()
    X = np.stack([tactum.pose(t) for t in RNG.normal(size=(3, 3))])
    shapes = [BALL, tactum.Box(half_extents=(0.1, 0.1, 0.1)), BALL]
    ids = scene.add_many(shapes, X, names=["a", "b", "c"], group=2)
    assert scene.names == ["a", "b", "c"] and list(scene) == [0, 1, 2] == ids.tolist()
    assert np.array_equal(scene.poses, X) and scene.group(2) == 2
    assert scene.shape(1) == shapes[1]
    with pytest.raises(
        tactum.InvalidInput, match=r"shapes: got 3 items; give one, or one for each"
    ):
        scene.add_many(shapes, X[:2])
    assert len(scene) == 3
    R = np.stack([np.eye(3)] * 2)
    assert len(scene.add_many(BALL, (R, np.zeros((2, 3))))) == 2
    assert len(scene.add_many(BALL, [None, (np.eye(3), np.ones(3)), np.eye(4)])) == 3
    wide = scene.add_many(
        BALL, X, margin=0.25, friction=0.3, restitution=0.1, compliance=1e-5, static=True
    )
    assert all(scene.margin(i) == 0.25 and scene.is_static(i) for i in wide.tolist())
    assert all(scene.material(i) == (0.3, 0.1, 1e-5) for i in wide.tolist())
    with pytest.raises(tactum.InvalidInput, match=r"margin: got -1"):
        scene.add_many(BALL, X, margin=-1.0)
    assert len(scene) == 11


def test_one_distance_and_one_answer() -> None:
    scene = tactum.Scene()
    a = scene.add(BALL)
    b = scene.add(BALL, (1.0, 0, 0))
    scene.forbid(a, b)
    assert scene.distance(a, b).distance == pytest.approx(0.8)
    assert not scene.collides()
    c = scene.add(BALL, (0.15, 0, 0))
    assert scene.collides()
    found = scene.distances(margin=10.0)
    row = found[0]
    assert isinstance(row, tactum.Distance) and row.distance == found.distance[0]
    assert np.array_equal(row.normal, found.normal[0]) and row.status == found.status[0]
    assert found[-1].distance == found.distance[-1]
    with pytest.raises(IndexError):
        found[len(found)]
    assert c == 2


def compound() -> tactum.Compound:
    return tactum.Compound(
        parts=[
            (tactum.Box(half_extents=(0.1, 0.2, 0.3)), tactum.pose((0.3, 0.1, 0.0))),
            (tactum.Cylinder(radius=0.1, half_length=0.2), tactum.pose((-0.3, 0.0, 0.2))),
        ]
    )


@pytest.mark.parametrize("frame", ["local", "world", "local_world_aligned"])
def test_derivatives_of_all_pairs_are_those_of_differences(frame: Any) -> None:
    scene = tactum.Scene()
    shapes = [tactum.Ellipsoid(semi_axes=(0.2, 0.3, 0.4)), compound(), BALL]
    for k, shape in enumerate(shapes):
        scene.add(shape, se3.exp([1.5 * k, 0.2, -0.1 * k, *RNG.normal(size=3)]))
    found = scene.distances(10.0, derivative=tactum.Exact(), frame=frame, tolerance=2e-14)
    assert len(found) == 3 and found.smooth.all()
    assert found.distance_jacobian.shape == (3, 12) and found.normal_jacobian.shape == (3, 3, 12)
    start, step = scene.poses, 1e-6

    def moved(X: Any, d: Any) -> Any:
        if frame == "local":
            return X @ se3.exp(d)
        if frame == "world":
            return se3.exp(d) @ X
        result = np.array(X)
        result[:3, :3] = se3.exp([0, 0, 0, *d[3:]])[:3, :3] @ X[:3, :3]
        result[:3, 3] += d[:3]
        return result

    for row, (a, b) in enumerate(found.pairs):
        for column in range(12):
            values = []
            for sign in (1.0, -1.0):
                d = np.zeros(6)
                d[column % 6] = sign * step
                which = int(a if column < 6 else b)
                scene.set_pose(which, moved(start[which], d))
                r = scene.distance(int(a), int(b), tolerance=2e-14)
                values.append([r.distance, *r.normal, *r.point_a])
                scene.set_pose(which, start[which])
            difference = (np.array(values[0]) - np.array(values[1])) / (2 * step)
            assert abs(difference[0] - found.distance_jacobian[row, column]) < 1e-7
            assert np.abs(difference[1:4] - found.normal_jacobian[row, :, column]).max() < 1e-5
            assert np.abs(difference[4:] - found.point_a_jacobian[row, :, column]).max() < 1e-5
    with pytest.raises(AttributeError, match=r"was not asked for; call distances\(derivative="):
        scene.distances(10.0).distance_jacobian  # noqa: B018


def test_derivatives_are_the_same_for_any_number_of_threads() -> None:
    scene = tactum.Scene()
    shapes = [tactum.Ellipsoid(semi_axes=(0.2, 0.3, 0.4)), compound(), BALL]
    for k in range(45):
        scene.add(shapes[k % 3], se3.exp([0.3 * k, 0.2, 0.0, *RNG.normal(size=3)]))
    first = scene.distances(10.0)
    found = [
        copy.copy(scene).distances(10.0, derivative=tactum.Exact(), num_threads=n)
        for n in (1, 2, 5)
    ]
    assert len(first) == len(found[0]) > 800
    for name in ("distance", "normal", "point_a", "point_b"):
        expected = getattr(found[0], f"{name}_jacobian")
        assert np.abs(expected).max() > 0.0
        for other in found[1:]:
            assert np.array_equal(getattr(other, f"{name}_jacobian"), expected)
    assert all(np.array_equal(other.smooth, found[0].smooth) for other in found)
    a, b = found[0].pairs[-1]
    alone = tactum.distance_derivative(
        scene.shape(int(a)), scene.pose(int(a)), scene.shape(int(b)), scene.pose(int(b))
    )
    assert np.allclose(alone.distance_jacobian, found[0].distance_jacobian[-1], atol=1e-8)


def results() -> dict[str, Any]:
    scene = tactum.Scene()
    scene.add(BALL)
    scene.add(BALL, (0.1, 0, 0))
    problem = tactum.ContactProblem(G=np.eye(3), g=[0.1, 0.0, -1.0], mu=0.5)
    solution = tactum.solve(problem)
    derivative = tactum.solution_derivative(problem, solution)
    return {
        "SceneDistances": scene.distances(derivative=tactum.Exact()),
        "plain SceneDistances": scene.distances(),
        "Contacts": scene.contacts(),
        "RayHits": scene.raycast([[1.0, 0, 0]], [[-1.0, 0, 0]]),
        "ContactSolution": solution,
        "SolutionDerivative": derivative,
        "SolutionGradient": derivative.vjp([1.0, 2.0, 3.0]),
        "DelassusGradient": derivative.vjp([1.0, 2.0, 3.0]).d_G,
        "StpMesh": tactum.Stp.from_points(np.eye(3), small_radius=0.1, big_radius=3.0).to_mesh(4),
    }


def fields(value: Any) -> dict[str, Any]:
    """Everything that the properties of a result say."""
    shown = {}
    for name in dir(type(value)):
        if name.startswith("_") or callable(getattr(type(value), name)):
            continue
        try:
            shown[name] = getattr(value, name)
        except AttributeError:
            shown[name] = "not asked for"
    return shown


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(np.asarray(a), np.asarray(b))
    if type(a).__module__ == "tactum._core" and not isinstance(a, int):
        theirs = fields(b)
        return all(same(value, theirs[name]) for name, value in fields(a).items())
    return bool(a == b)


@pytest.mark.parametrize("name", results())
def test_every_result_is_pickled_and_copied(name: str) -> None:
    value = results()[name]
    assert fields(value)
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert type(again) is type(value) and same(value, again)


def test_a_damaged_pickle_is_refused() -> None:
    contacts = results()["Contacts"]
    state = contacts.__getstate__()
    empty = contacts.__class__.__new__(contacts.__class__)
    with pytest.raises(tactum.InvalidInput, match="unpickle what was pickled"):
        empty.__setstate__(state[:-1])
    with pytest.raises(tactum.InvalidInput, match="unpickle what was pickled"):
        empty.__setstate__((np.zeros((2, 7)), *state[1:]))


def test_jacobians_of_a_pickle_are_checked_and_read_only() -> None:
    found = results()["SceneDistances"]
    again = pickle.loads(pickle.dumps(found))
    for name in ("distance_jacobian", "point_b_jacobian", "smooth"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(again, name)[0] = 7.0
    columns, jacobians = found.__getstate__()
    wrong = [
        ("jacobians", 3),
        ("jacobians", {}),
        ("distance_jacobian", np.zeros((1, 11))),
        ("distance_jacobian", np.zeros((5, 12))),
        ("distance_jacobian", None),
        ("smooth", np.zeros(1)),
    ]
    for name, value in wrong:
        damaged = value if name == "jacobians" else {**jacobians, name: value}
        with pytest.raises((tactum.InvalidInput, TypeError), match="unpickle what was pickled"):
            tactum.SceneDistances.__new__(tactum.SceneDistances).__setstate__((columns, damaged))
    status = [c.dtype == np.uint8 for c in columns].index(True)
    damaged_columns = (*columns[:status], np.array([200], np.uint8), *columns[status + 1 :])
    with pytest.raises(tactum.InvalidInput, match="a status that does not exist"):
        tactum.SceneDistances.__new__(tactum.SceneDistances).__setstate__((damaged_columns, None))


def test_poses_in_every_form_are_one_pose() -> None:
    from scipy.spatial.transform import Rotation

    box = tactum.Box(half_extents=(0.1, 0.2, 0.3))
    t = np.array([1.0, 2.0, 0.5])
    turn = Rotation.from_rotvec([0.3, -0.2, 0.5])
    X = tactum.pose(t, rotation=turn)
    x, y, z, w = turn.as_quat()
    named = [
        tactum.pose(t, quat_xyzw=(x, y, z, w)),
        tactum.pose(t, quat_wxyz=(w, x, y, z)),
        tactum.pose(t, rotation=turn.as_matrix()),
        tactum.pose(t, rotation_vector=(0.3, -0.2, 0.5)),
        tactum.pose(xyz=t, quat_wxyz=(w, x, y, z)),
    ]
    assert all(np.allclose(other, X, atol=1e-15) for other in named)
    assert np.array_equal(tactum.pose(), np.eye(4))
    expected = tactum.distance(BALL, np.eye(4), box, X).distance

    class Placement:
        homogeneous = X

    class Rigid:
        def as_matrix(self) -> Any:
            return X

    for form in (X, (turn.as_matrix(), t), Placement(), Rigid(), X.tolist()):
        assert tactum.distance(BALL, None, box, form).distance == pytest.approx(expected, abs=1e-15)
    moved = tactum.distance(BALL, t, box, None).distance
    assert moved == tactum.distance(BALL, tactum.pose(t), box, np.eye(4)).distance
    many = np.stack([X, np.eye(4), tactum.pose(t)])
    rows = tactum.distances(BALL, None, box, many).distance
    for batch in (
        (many[:, :3, :3], many[:, :3, 3]),
        [X, np.eye(4), tactum.pose(t)],
        [(m[:3, :3], m[:3, 3]) for m in many],
        [Placement(), None, t],
        type("Many", (), {"as_matrix": lambda self: many})(),
    ):
        assert np.allclose(tactum.distances(BALL, None, box, batch).distance, rows, atol=1e-15)
    assert tactum.distances(BALL, t, box, None).distance.shape == (1,)
    for bad in ((1.0, 2.0), np.zeros((3, 3)), "eye", (np.eye(3), np.zeros((2, 4)))):
        with pytest.raises((tactum.InvalidInput, TypeError), match=r"X_WB"):
            tactum.distances(BALL, None, box, bad)
    with pytest.raises(tactum.InvalidInput, match=r"quat_wxyz and rotation; give the rotation"):
        tactum.pose(quat_wxyz=(1, 0, 0, 0), rotation=np.eye(3))


def test_scipys_rigid_transform_is_a_pose() -> None:
    transform = pytest.importorskip("scipy.spatial.transform")
    if not hasattr(transform, "RigidTransform"):
        pytest.skip("SciPy is older than 1.16")
    X = se3.exp(RNG.normal(size=(4, 6)))
    rigid = transform.RigidTransform.from_matrix(X)
    assert np.allclose(tactum.pose_matrix(rigid[0]), X[0], atol=1e-14)
    box = tactum.Box(half_extents=(0.1, 0.2, 0.3))
    ours = tactum.distances(BALL, None, box, X).distance
    assert np.allclose(tactum.distances(BALL, None, box, rigid).distance, ours, atol=1e-14)


@pytest.mark.pinocchio
def test_pinocchios_se3_is_a_pose() -> None:
    import pinocchio as pin

    X = pin.SE3.Random()
    assert np.array_equal(tactum.pose_matrix(X), X.homogeneous)
    assert len(tactum.distances(BALL, None, BALL, [X, pin.SE3.Identity()])) == 2
