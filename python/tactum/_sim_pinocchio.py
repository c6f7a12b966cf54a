# SPDX-License-Identifier: BSD-2-Clause
"""Robots from models that Pinocchio holds in Python. Only public attributes are read, so that any
build of Pinocchio does; Pinocchio itself is not imported."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tactum

from ._errors import InvalidInput
from ._pinocchio import pairs_of, shape_of

AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
NO_AXIS = (0.0, 0.0, 1.0)
KINDS = {
    "JointModelFreeFlyer": "free",
    "JointModelSpherical": "spherical",
    "JointModelPlanar": "planar",
    "JointModelRevoluteUnaligned": "revolute",
    "JointModelRevoluteUnboundedUnaligned": "continuous",
    "JointModelPrismaticUnaligned": "prismatic",
} | {
    f"JointModel{letters}{axis}": kind
    for letters, kind in (("R", "revolute"), ("RUB", "continuous"), ("P", "prismatic"))
    for axis in AXES
}


def robot_data(
    model: Any, geometry_model: Any, hulls: bool
) -> tuple[list[dict[str, Any]], list[tuple[Any, ...]], list[tuple[int, int]]]:
    """Joints, geometries and pairs that never meet, as tactum._sim.add_robot_data takes them."""
    if not hasattr(model, "joints") or not hasattr(model, "jointPlacements"):
        raise TypeError(f"model: got {type(model).__name__}; give a pinocchio.Model")
    if geometry_model is not None and not hasattr(geometry_model, "geometryObjects"):
        raise TypeError(
            f"geometry_model: got {type(geometry_model).__name__}; give a pinocchio.GeometryModel, "
            "or None"
        )
    joints = [joint_data(model, index) for index in range(1, model.njoints)]
    if geometry_model is None:
        return joints, [], []
    objects = list(geometry_model.geometryObjects)
    geometries = [
        (
            shape_or_mesh(item.geometry, f"geometry {item.name!r}", hulls),
            int(item.parentJoint) - 1,
            item.placement.homogeneous,
            item.name,
        )
        for item in objects
    ]
    meet = pairs_of(objects, geometry_model.collisionPairs, None)
    count = len(objects)
    forbidden = [(i, j) for i in range(count) for j in range(i + 1, count) if (i, j) not in meet]
    return joints, geometries, forbidden


def shape_or_mesh(geometry: Any, field: str, hulls: bool) -> Any:
    """The shape of a collision geometry; a mesh is its hull, or itself."""
    if hulls or not type(geometry).__name__.startswith("BVHModel"):
        return shape_of(geometry, field, True)
    triangles = [tuple(geometry.tri_indices(i)) for i in range(geometry.num_tris)]
    return tactum.Mesh(vertices=np.array(geometry.vertices()), triangles=np.array(triangles))


def joint_data(model: Any, index: int) -> dict[str, Any]:
    """One joint of a model with what it carries."""
    joint, name = model.joints[index], model.names[index]
    short = joint.shortname()
    if short not in KINDS:
        raise InvalidInput(
            f"joint {name!r}",
            short,
            "use free, spherical, planar, revolute and prismatic joints; replace a composite by "
            "single ones",
        )
    kind = KINDS[short]
    velocities = slice(joint.idx_v, joint.idx_v + joint.nv)
    inertia = model.inertias[index]
    has_range = joint.nq == 1
    return {
        "name": name,
        "parent": int(model.parents[index]) - 1,
        "kind": kind,
        "axis": axis_of(joint, short),
        "X": model.jointPlacements[index].homogeneous,
        "mass": float(inertia.mass),
        "center": inertia.lever,
        "inertia": inertia.inertia,
        "lower": bound(model.lowerPositionLimit[joint.idx_q]) if has_range else -math.inf,
        "upper": bound(model.upperPositionLimit[joint.idx_q]) if has_range else math.inf,
        "effort_limit": limit(model.upperEffortLimit[velocities]),
        "velocity_limit": limit(model.upperVelocityLimit[velocities]),
        "damping": same(model.damping[velocities], name, "damping"),
        "dry_friction": same(model.upperDryFrictionLimit[velocities], name, "friction"),
        "armature": same(model.armature[velocities], name, "armature"),
    }


def axis_of(joint: Any, short: str) -> Any:
    """Axis of a joint that has one."""
    if short.endswith("Unaligned"):
        return joint.extract().axis
    return AXES.get(short[-1], NO_AXIS)


def bound(value: float) -> float:
    """A limit of a position; Pinocchio writes the largest number where there is none."""
    return math.copysign(math.inf, value) if abs(value) > 1e300 else float(value)


def limit(values: Any) -> float:
    """The smallest of the limits of a joint; those of 0 were not set."""
    smallest = min((float(value) for value in values if value > 0.0), default=math.inf)
    return math.inf if smallest > 1e300 else smallest


def same(values: Any, joint: str, field: str) -> float:
    """The one value that all velocities of a joint have."""
    if np.ptp(values) != 0.0:
        raise InvalidInput(
            f"joint {joint!r}, {field}", str(list(values)), "give all its velocities the same"
        )
    return float(values[0])
