# SPDX-License-Identifier: BSD-2-Clause
"""Real robots: the pairs of a scene are those of Pinocchio, whatever is added meets every link, and
distances are those of Pinocchio on the same hulls. The models are those of example-robot-data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tactum

pytestmark = pytest.mark.pinocchio

ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "panda_spheres": "panda_description/urdf/panda_collision.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "g1": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "z1": "z1_description/urdf/z1.urdf",
    "go2": "go2_description/urdf/go2.urdf",
}
SRDF = {
    "panda": "panda_description/srdf/panda.srdf",
    "ur5": "ur_description/srdf/ur5.srdf",
    "solo12": "solo_description/srdf/solo.srdf",
    "talos": "talos_data/srdf/talos.srdf",
    "z1": "z1_description/srdf/z1.srdf",
    "go2": "go2_description/srdf/go2.srdf",
}


def folder() -> Path:
    """Where example-robot-data keeps its models; it belongs to the packages of --bridges."""
    import pinocchio as pin

    for parent in Path(pin.__file__).parents:
        share = parent / "share" / "example-robot-data" / "robots"
        if share.is_dir():
            return share
    pytest.skip("example-robot-data is not installed: pip install example-robot-data")


def load(name: str) -> tuple[Any, Any, Any, Any]:
    """Model and geometry, with the pairs that the SRDF leaves, or all; and their data in the
    neutral pose."""
    import pinocchio as pin

    root = folder()
    path = root / ROBOTS[name]
    if not path.is_file():
        found = sorted(root.rglob(path.name))
        assert found, f"{path.name} is not in {root}"
        path = found[0]
    model = pin.buildModelFromUrdf(str(path))
    geometry = pin.buildGeomFromUrdf(
        model, str(path), pin.GeometryType.COLLISION, package_dirs=[str(root.parent.parent)]
    )
    geometry.addAllCollisionPairs()
    if name in SRDF and (root / SRDF[name]).is_file():
        pin.removeCollisionPairs(model, geometry, str(root / SRDF[name]))
    data, geometry_data = model.createData(), geometry.createData()
    pin.updateGeometryPlacements(model, data, geometry, geometry_data, pin.neutral(model))
    return model, geometry, data, geometry_data


@pytest.mark.parametrize("name", ROBOTS)
def test_pairs_are_those_listed_and_an_enclosing_ball_meets_all(name: str) -> None:
    _, geometry, _, geometry_data = load(name)
    listed = {(min(p.first, p.second), max(p.first, p.second)) for p in geometry.collisionPairs}
    if len(listed) > 3:  # as a user leaves out a pair
        geometry_data.deactivateCollisionPair(1)
        left_out = geometry.collisionPairs[1]
        listed -= {(min(left_out.first, left_out.second), max(left_out.first, left_out.second))}
    scene = tactum.Scene.from_pinocchio(geometry, geometry_data, hulls=True)
    found = {(int(i), int(j)) for i, j in scene.pairs(margin=100.0)}
    assert found == listed
    assert len(scene) == geometry.ngeoms > 5
    around = scene.add(tactum.Sphere(radius=50.0), name="around")
    touched = {int(i) for i, j in scene.distances().pairs if j == around}
    assert touched == set(range(geometry.ngeoms))


@pytest.mark.parametrize("name", ["panda", "ur5", "solo12"])
def test_distances_are_those_of_pinocchio_on_the_same_hulls(name: str) -> None:
    import coal  # type: ignore[import-not-found, unused-ignore]
    import pinocchio as pin

    model, geometry, data, _ = load(name)
    for item in geometry.geometryObjects:
        if isinstance(item.geometry, coal.BVHModelBase):
            item.geometry.buildConvexHull(False, "Qt")
            item.geometry = item.geometry.convex
    geometry_data = geometry.createData()
    pin.updateGeometryPlacements(model, data, geometry, geometry_data, pin.neutral(model))
    scene = tactum.Scene.from_pinocchio(geometry, geometry_data)
    rng = np.random.default_rng(3)
    for _ in range(3):
        q = pin.integrate(model, pin.neutral(model), rng.uniform(-1.0, 1.0, model.nv))
        pin.updateGeometryPlacements(model, data, geometry, geometry_data, q)
        pin.computeDistances(geometry, geometry_data)
        scene.update(geometry_data)
        ours = scene.distances(margin=100.0)
        found = {(int(i), int(j)): d for (i, j), d in zip(ours.pairs, ours.distance, strict=True)}
        assert len(found) == len(geometry.collisionPairs)
        for pair, theirs in zip(
            geometry.collisionPairs, geometry_data.distanceResults, strict=True
        ):
            key = (min(pair.first, pair.second), max(pair.first, pair.second))
            if theirs.min_distance > 0.0:
                assert found[key] == pytest.approx(theirs.min_distance, abs=1e-5)
            else:
                assert found[key] <= 1e-6
