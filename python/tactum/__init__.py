# SPDX-License-Identifier: BSD-2-Clause
"""Exact, certified contact between convex shapes.

    >>> import numpy as np, tactum
    >>> ball, box = tactum.Sphere(radius=1.0), tactum.Box(half_extents=(1.0, 1.0, 1.0))
    >>> X_WA, X_WB = np.eye(4), np.eye(4)
    >>> X_WB[:3, 3] = [3.0, 0.0, 0.0]
    >>> tactum.distance(ball, X_WA, box, X_WB).distance
    1.0

Conventions: SI units, right-handed frames. A pose X_WA is the pose of A in the world W, given as a
(4, 4) matrix, as (7,) numbers x, y, z, qx, qy, qz, qw, or as a pair (R, t). The signed distance is
positive apart and minus the depth in penetration; the normal points from A to B; point_b - point_a
= distance * normal.
"""

import copyreg as _copyreg
from typing import Any as _Any

from ._contact_pose import ContactPose, contact_pose
from ._core import (
    BoundingSphere,
    Box,
    Capsule,
    Collision,
    Compound,
    Cone,
    ContactKind,
    ContactMode,
    ContactPatch,
    ContactPatchDerivative,
    ContactPoseStatus,
    ContactProblem,
    Contacts,
    ContactSolution,
    ContactStatus,
    Convex,
    Cylinder,
    DelassusGradient,
    Distance,
    DistanceDerivative,
    DistanceJacobians,
    Distances,
    DynamicTree,
    Ellipsoid,
    Exact,
    FiniteDifference,
    Gaussian,
    GeometryDistance,
    Gumbel,
    HalfSpace,
    MassProperties,
    Mesh,
    MeshReport,
    OrientedBox,
    RayHit,
    RayHits,
    Scene,
    SceneDistances,
    Shape,
    ShapeTable,
    SolutionDerivative,
    SolutionGradient,
    Sphere,
    Status,
    Stp,
    StpMesh,
    SweepAndPrune,
    SweptBox,
    WarmStart,
    WarmStarts,
    ZerothOrder,
    bounding_sphere,
    build_info,
    collide,
    contact_compliance,
    contact_free_velocity,
    contact_patch,
    contact_patch_derivative,
    contact_patches,
    contact_residual,
    distance,
    distance_derivative,
    distances,
    oriented_box,
    pair_scale,
    pose_matrix,
    pose_xyz_xyzw,
    quat_wxyz_from_xyzw,
    quat_xyzw_from_wxyz,
    ray_cast,
    signed_distance,
    solution_derivative,
    solve,
    solve_many,
    swept_box,
    winding_number,
)
from ._errors import InvalidInput


def _reduce_function(function: _Any) -> _Any:
    # by name, so that process pools take tactum.distance like any Python function; other modules'
    # functions stay as they were
    if getattr(function, "__module__", None) == distance.__module__:
        return function.__name__
    return object.__reduce_ex__(function, 4)


_copyreg.pickle(type(distance), _reduce_function)

__version__: str = build_info()["version"]

__all__ = [
    "BoundingSphere",
    "Box",
    "Capsule",
    "Collision",
    "Compound",
    "Cone",
    "ContactKind",
    "ContactMode",
    "ContactPatch",
    "ContactPatchDerivative",
    "ContactPose",
    "ContactPoseStatus",
    "ContactProblem",
    "ContactSolution",
    "ContactStatus",
    "Contacts",
    "Convex",
    "Cylinder",
    "DelassusGradient",
    "Distance",
    "DistanceDerivative",
    "DistanceJacobians",
    "Distances",
    "DynamicTree",
    "Ellipsoid",
    "Exact",
    "FiniteDifference",
    "Gaussian",
    "GeometryDistance",
    "Gumbel",
    "HalfSpace",
    "InvalidInput",
    "MassProperties",
    "Mesh",
    "MeshReport",
    "OrientedBox",
    "RayHit",
    "RayHits",
    "Scene",
    "SceneDistances",
    "Shape",
    "ShapeTable",
    "SolutionDerivative",
    "SolutionGradient",
    "Sphere",
    "Status",
    "Stp",
    "StpMesh",
    "SweepAndPrune",
    "SweptBox",
    "WarmStart",
    "WarmStarts",
    "ZerothOrder",
    "bounding_sphere",
    "build_info",
    "collide",
    "contact_compliance",
    "contact_free_velocity",
    "contact_patch",
    "contact_patch_derivative",
    "contact_patches",
    "contact_pose",
    "contact_residual",
    "distance",
    "distance_derivative",
    "distances",
    "oriented_box",
    "pair_scale",
    "pose_matrix",
    "pose_xyz_xyzw",
    "quat_wxyz_from_xyzw",
    "quat_xyzw_from_wxyz",
    "ray_cast",
    "signed_distance",
    "solution_derivative",
    "solve",
    "solve_many",
    "swept_box",
    "winding_number",
]
