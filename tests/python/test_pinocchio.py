# SPDX-License-Identifier: BSD-2-Clause
"""Scene.from_pinocchio: shapes and distances against Pinocchio's own, pairs against those that
the model lists."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tactum


class Place:
    """The attribute of a pinocchio.SE3 that is read."""

    def __init__(self, matrix: np.ndarray[Any, Any]) -> None:
        self.matrix = matrix

    @property
    def homogeneous(self) -> np.ndarray[Any, Any]:
        return self.matrix


IDENTITY = Place(np.eye(4))


def ball(name: str, joint: int, disabled: bool = False) -> Any:
    """The attributes of a geometry object of Pinocchio."""
    sphere = type("Sphere", (), {"radius": 0.1})()
    return SimpleNamespace(
        name=name, geometry=sphere, parentJoint=joint, placement=IDENTITY, disableCollision=disabled
    )


def model(objects: list[Any], pairs: list[tuple[int, int]]) -> Any:
    return SimpleNamespace(
        geometryObjects=objects,
        collisionPairs=[SimpleNamespace(first=i, second=j) for i, j in pairs],
        ngeoms=len(objects),
    )


def met(scene: tactum.Scene) -> set[tuple[int, int]]:
    return {(int(i), int(j)) for i, j in scene.pairs()}


def test_listed_pairs_are_the_pairs() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        n = int(rng.integers(2, 25))
        pairs = [(i, j) for j in range(n) for i in range(j) if rng.random() < 0.4] or [(0, 1)]
        assert met(
            tactum.Scene.from_pinocchio(model([ball(f"b{i}", i) for i in range(n)], pairs))
        ) == set(pairs)


def test_without_pairs_all_of_different_joints_meet() -> None:
    robot = model([ball("a", 1), ball("b", 1), ball("c", 2), ball("d", 3, disabled=True)], [])
    with pytest.warns(
        UserWarning, match=r"lists no collision pairs: all links of different joints"
    ):
        scene = tactum.Scene.from_pinocchio(robot)
    assert met(scene) == {(0, 2), (1, 2)}
    assert [scene.name(i) for i in scene.ids] == ["a", "b", "c", "d"]


def test_any_number_of_kinds_of_partners_is_kept_exactly() -> None:
    objects = [ball(f"b{i}", i) for i in range(60)]
    pairs = [(i, j) for j in range(60) for i in range(j) if (i * j + i + j) % 3 != 0]
    assert met(tactum.Scene.from_pinocchio(model(objects, pairs))) == set(pairs)


def test_what_is_added_later_meets_every_link() -> None:
    scene = tactum.Scene.from_pinocchio(
        model([ball("a", 1), ball("b", 2), ball("c", 3, disabled=True)], [(0, 1)])
    )
    obstacle = scene.add(tactum.Sphere(radius=5.0))
    assert met(scene) == {(0, 1), (0, obstacle), (1, obstacle), (2, obstacle)}


def test_deactivated_pairs_do_not_meet() -> None:
    robot = model([ball("a", 1), ball("b", 2), ball("c", 3)], [(0, 1), (2, 1), (0, 2)])
    data = SimpleNamespace(oMg=[IDENTITY] * 3, activeCollisionPairs=[True, False, True])
    assert met(tactum.Scene.from_pinocchio(robot, data)) == {(0, 1), (0, 2)}


def test_hulls_of_meshes_are_named() -> None:
    corners = np.vstack([np.zeros(3), np.eye(3)])
    mesh = ball("torso", 1)
    mesh.geometry = type("BVHModelOBBRSS", (), {"vertices": lambda self: corners})()
    robot = model([mesh, ball("b", 2)], [(0, 1)])
    with pytest.warns(UserWarning, match=r"became their convex hulls: torso; hulls=True"):
        tactum.Scene.from_pinocchio(robot)
    assert len(tactum.Scene.from_pinocchio(robot, hulls=True)) == 2


def test_update_moves_the_links_and_names_a_bad_one() -> None:
    robot = model([ball("hip", 1), ball("knee", 2)], [(0, 1)])
    scene = tactum.Scene.from_pinocchio(robot)
    ball_id = scene.add(tactum.Sphere(radius=0.1))
    X = np.eye(4)
    X[:3, 3] = 1.0, 2.0, 3.0
    moved = Place(X)
    scene.update(SimpleNamespace(oMg=[IDENTITY, moved]))
    assert np.array_equal(scene.pose(1), X) and np.array_equal(scene.pose(ball_id), np.eye(4))
    garbage = Place(np.diag([0.0, 0.0, 0.0, 1.0]))
    with pytest.raises(tactum.InvalidInput, match=r"'knee'.*updateGeometryPlacements"):
        scene.update(SimpleNamespace(oMg=[IDENTITY, garbage]))
    with pytest.raises(tactum.InvalidInput, match=r"'knee'.*updateGeometryPlacements"):
        tactum.Scene.from_pinocchio(robot, SimpleNamespace(oMg=[IDENTITY, garbage]))
    with pytest.raises(TypeError, match=r"geometry_data: got int; give a pinocchio.GeometryData"):
        scene.update(3)
    with pytest.raises(TypeError, match=r"geometry_data: got int; give a pinocchio.GeometryData"):
        tactum.Scene.from_pinocchio(robot, 3)


def shifted(x: float) -> Place:
    """A pose that is the identity but for its place."""
    X = np.eye(4)
    X[0, 3] = x
    return Place(X)


def places(*x: float) -> Any:
    """The attribute of a pinocchio.GeometryData that is read."""
    return SimpleNamespace(oMg=[shifted(each) for each in x])


def test_update_takes_one_pose_for_each_link_and_leaves_the_rest_alone() -> None:
    scene = tactum.Scene.from_pinocchio(model([ball("hip", 1), ball("knee", 2)], [(0, 1)]))
    obstacle = scene.add(tactum.Sphere(radius=0.1), name="obstacle")
    for count in (0, 1, 3, 9):  # with 3 the obstacle would be moved
        with pytest.raises(tactum.InvalidInput, match=rf"oMg: got {count} poses; .*: 2 poses"):
            scene.update(places(*[1.0] * count))
    assert np.array_equal(scene.poses, [np.eye(4)] * 3)
    scene.remove(0)
    reused = scene.add(tactum.Sphere(radius=0.2), name="another obstacle")
    assert reused == 0
    for same in (scene, copy.copy(scene), copy.deepcopy(scene), pickle.loads(pickle.dumps(scene))):
        same.update(places(5.0, 6.0))
        assert same.poses[:, 0, 3].tolist() == [0.0, 6.0, 0.0], "the link that is left moves alone"
    with pytest.raises(tactum.InvalidInput, match=r"oMg\[1\] of geometry 'knee'"):
        scene.update(SimpleNamespace(oMg=[IDENTITY, Place(np.diag([0.0, 0.0, 0.0, 1.0]))]))
    assert np.array_equal(scene.pose(obstacle), np.eye(4))


def test_update_is_for_scenes_of_models() -> None:
    scene = tactum.Scene()
    scene.add(tactum.Sphere(radius=0.1))
    with pytest.raises(tactum.InvalidInput, match=r"scene: got a scene without links of a model"):
        scene.update(places(1.0))
    made = tactum.Scene.from_pinocchio(model([ball("hip", 1)], []))
    text, meshes, _ = made.__getstate__()
    for links in ((7,), (0, 0), (-2,)):
        with pytest.raises(tactum.InvalidInput, match=r"state: got"):
            tactum.Scene.__new__(tactum.Scene).__setstate__((text, meshes, links))


def test_bad_input_is_named() -> None:
    with pytest.raises(TypeError, match=r"geometry_model: got int"):
        tactum.Scene.from_pinocchio(3)
    with pytest.raises(tactum.InvalidInput, match=r"oMg: got 0 poses"):
        tactum.Scene.from_pinocchio(model([ball("a", 1)], []), SimpleNamespace(oMg=[]))
    odd = ball("odd", 1)
    odd.geometry = type("OcTree", (), {})()
    with pytest.raises(tactum.InvalidInput, match=r"geometry 'odd': got OcTree"):
        tactum.Scene.from_pinocchio(model([odd], []))
    odd.geometry = type("BVHModelOBBRSS", (), {})()
    with pytest.raises(tactum.InvalidInput, match=r"hulls=True"):
        tactum.Scene.from_pinocchio(model([odd], []), hulls=False)


@pytest.mark.pinocchio
def test_a_humanoid_has_the_distances_of_pinocchio() -> None:
    import pinocchio as pin  # type: ignore[import-not-found, unused-ignore]

    robot = pin.buildSampleModelHumanoid()
    geometry = pin.buildSampleGeometryModelHumanoid(robot)
    geometry.addAllCollisionPairs()
    data, geometry_data = robot.createData(), geometry.createData()
    rng = np.random.default_rng(6)
    for k in range(10):
        q = pin.integrate(robot, pin.neutral(robot), rng.uniform(-1.0, 1.0, robot.nv))
        pin.updateGeometryPlacements(robot, data, geometry, geometry_data, q)
        if k == 0:
            scene = tactum.Scene.from_pinocchio(geometry, geometry_data)
        scene.update(geometry_data)
        placed = np.array([place.homogeneous for place in geometry_data.oMg])
        assert np.allclose(scene.poses, placed, rtol=0, atol=1e-14)
        distances = scene.distances(margin=10.0)
        ours = {
            (int(i), int(j)): d
            for (i, j), d in zip(distances.pairs, distances.distance, strict=True)
        }
        pin.computeDistances(geometry, geometry_data)
        assert len(ours) == len(geometry.collisionPairs)
        for pair, result in zip(
            geometry.collisionPairs, geometry_data.distanceResults, strict=True
        ):
            assert ours[
                min(pair.first, pair.second), max(pair.first, pair.second)
            ] == pytest.approx(result.min_distance, abs=1e-12)


@pytest.mark.pinocchio
def test_every_shape_of_coal() -> None:
    import coal  # type: ignore[import-not-found, unused-ignore]
    import pinocchio as pin  # type: ignore[import-not-found, unused-ignore]

    corners = np.random.default_rng(7).normal(size=(20, 3))
    points = coal.StdVec_Vec3s()
    for corner in corners:
        points.append(corner)
    mesh = coal.BVHModelOBBRSS()
    mesh.beginModel(4, 4)
    for i, j, k in ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)):
        mesh.addTriangle(corners[i], corners[j], corners[k])
    mesh.endModel()
    tilted = np.array([0.0, 0.6, 0.8])
    swept = coal.Box(0.2, 0.4, 0.6)
    swept.setSweptSphereRadius(0.05)
    cases = [
        (swept, tactum.Box(half_extents=[0.1, 0.2, 0.3], margin=0.05)),
        (coal.Sphere(0.3), tactum.Sphere(radius=0.3)),
        (coal.Ellipsoid(0.1, 0.2, 0.3), tactum.Ellipsoid(semi_axes=[0.1, 0.2, 0.3])),
        (coal.Capsule(0.1, 0.6), tactum.Capsule(radius=0.1, half_length=0.3)),
        (coal.Cylinder(0.1, 0.6), tactum.Cylinder(radius=0.1, half_length=0.3)),
        (coal.Cone(0.1, 0.6), tactum.Cone(radius=0.1, half_length=0.3)),
        (coal.Halfspace(tilted, 0.25), tactum.HalfSpace(normal=tilted, offset=0.25)),
        (coal.TriangleP(*corners[:3]), tactum.Convex.from_points(corners[:3])),
        (coal.Convex.convexHull(points, False, ""), tactum.Convex.from_points(corners)),
        (mesh, tactum.Convex.from_points(corners[:4])),
    ]
    geometry = pin.GeometryModel()
    place = pin.SE3.Random()
    for k, (shape, _) in enumerate(cases):
        geometry.addGeometryObject(pin.GeometryObject(f"shape {k}", k, k, place, shape))
    geometry.addAllCollisionPairs()
    scene = tactum.Scene.from_pinocchio(geometry, hulls=True)
    for k, (shape, expected) in enumerate(cases):
        assert np.allclose(scene.pose(k), place.homogeneous, atol=1e-15)
        probe = tactum.Sphere(radius=0.01)
        for center in np.random.default_rng(k).normal(scale=2.0, size=(5, 3)):
            X = np.eye(4)
            X[:3, 3] = center
            ours = tactum.distance(scene.shape(k), np.eye(4), probe, X).distance
            assert ours == pytest.approx(
                tactum.distance(expected, np.eye(4), probe, X).distance, abs=1e-12
            )
            if ours > 0.0 and not isinstance(
                shape, coal.TriangleP
            ):  # beside coal, which has no triangles for spheres and a tolerance of 1e-6
                result, there = coal.DistanceResult(), coal.Transform3s(np.eye(3), center)
                coal.distance(
                    shape,
                    coal.Transform3s(),
                    coal.Sphere(0.01),
                    there,
                    coal.DistanceRequest(),
                    result,
                )
                assert ours == pytest.approx(result.min_distance, abs=1e-4)


@pytest.mark.pinocchio
def test_forgotten_placements_of_fresh_data() -> None:
    """Placements that were never computed: Pinocchio leaves them as it made them, and nothing is
    moved by them in silence."""
    import pinocchio as pin  # type: ignore[import-not-found, unused-ignore]

    robot = pin.buildSampleModelHumanoid()
    geometry = pin.buildSampleGeometryModelHumanoid(robot)
    geometry.addAllCollisionPairs()
    data, geometry_data = robot.createData(), geometry.createData()
    pin.updateGeometryPlacements(robot, data, geometry, geometry_data, pin.neutral(robot))
    scene = tactum.Scene.from_pinocchio(geometry, geometry_data)
    before, fresh = scene.poses, geometry.createData()
    for call in (
        lambda: scene.update(fresh),
        lambda: tactum.Scene.from_pinocchio(geometry, geometry.createData()),
    ):
        with pytest.raises(tactum.InvalidInput, match=r"of geometry '.*updateGeometryPlacements"):
            call()
    assert np.array_equal(scene.poses, before)


@pytest.mark.pinocchio
def test_gradients_by_joints_are_those_of_differences() -> None:
    """The recipe of the guide: world Jacobians of distances times those of the links."""
    import pinocchio as pin  # type: ignore[import-not-found, unused-ignore]

    robot = pin.buildSampleModelHumanoid()
    geometry = pin.buildSampleGeometryModelHumanoid(robot)
    geometry.addAllCollisionPairs()
    data, geometry_data = robot.createData(), geometry.createData()
    q = pin.integrate(robot, pin.neutral(robot), np.random.default_rng(8).normal(0, 0.2, robot.nv))

    def place(q: Any) -> None:
        pin.updateGeometryPlacements(robot, data, geometry, geometry_data, q)

    place(q)
    scene = tactum.Scene.from_pinocchio(geometry, geometry_data)
    wall = scene.add(tactum.Box(half_extents=(0.1, 2.0, 2.0)), (1.3, 0.0, 0.0))
    near = scene.distances(1.0, derivative=tactum.Exact(), frame="world", tolerance=2e-14)
    pin.computeJointJacobians(robot, data, q)

    def link(i: int) -> Any:
        if i == wall:
            return np.zeros((6, robot.nv))
        joint = geometry.geometryObjects[i].parentJoint
        return pin.getJointJacobian(robot, data, joint, pin.WORLD)

    rows = [
        (a, b, row[:6] @ link(a) + row[6:] @ link(b), value)
        for (a, b), row, value, smooth in zip(
            near.pairs.tolist(), near.distance_jacobian, near.distance, near.smooth, strict=True
        )
        if smooth and abs(value) > 1e-3
    ]
    assert len(rows) > 20 and any(wall in (a, b) for a, b, _, _ in rows)
    step, checked = 1e-6, 0
    for k in range(robot.nv):
        ahead, behind = [], []
        for sign, values in ((1.0, ahead), (-1.0, behind)):
            place(pin.integrate(robot, q, sign * step * np.eye(robot.nv)[k]))
            scene.update(geometry_data)
            values += [scene.distance(a, b, tolerance=2e-14).distance for a, b, _, _ in rows]
        for (a, b, gradient, _), plus, minus in zip(rows, ahead, behind, strict=True):
            assert gradient[k] == pytest.approx((plus - minus) / (2 * step), abs=2e-6), (a, b, k)
            checked += abs(gradient[k]) > 1e-3
    assert checked > 100
