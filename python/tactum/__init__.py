# SPDX-License-Identifier: BSD-2-Clause
"""Exact, certified contact between convex shapes.

    >>> import numpy as np, tactum
    >>> ball, box = tactum.Sphere(radius=1.0), tactum.Box(half_extents=(1.0, 1.0, 1.0))
    >>> X_WA, X_WB = np.eye(4), np.eye(4)
    >>> X_WB[:3, 3] = [3.0, 0.0, 0.0]
    >>> tactum.distance(ball, X_WA, box, X_WB).distance
    1.0

Conventions: SI units, right-handed frames. A pose X_WA is the pose of A in the world W, given as a
(4, 4) matrix, as (7,) numbers x, y, z, qx, qy, qz, qw, as a pair (R, t), as a (3,) translation, or
as None for the identity; pose() makes one from named parts. The signed distance is
positive apart and minus the depth in penetration; the normal points from A to B; point_b - point_a
= distance * normal.
"""

import copyreg as _copyreg
from typing import Any as _Any

from . import _call_errors
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
    ContactWarmStart,
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
    HeightField,
    Impact,
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
    self_intersections,
    signed_distance,
    solution_derivative,
    solve,
    solve_many,
    swept_box,
    time_of_impact,
    winding_number,
)
from ._decompose import Decomposition, DecompositionReport, decompose, load_parts
from ._errors import InvalidInput
from ._patch_parameters import (
    ContactPatchParameterDerivative,
    contact_patch_parameter_derivative,
)
from ._pose import PoseLike, pose

_call_errors.wrap_all(globals())

raycast = ray_cast


def _reduce_function(function: _Any) -> _Any:
    # by name, so that process pools take tactum.distance like any Python function
    return function.__qualname__


_copyreg.pickle(type(distance), _reduce_function)


#: What users look for under another name, or in another package.
_HINTS = {
    "Plane": "HalfSpace(normal=, offset=): the solid below a plane",
    "Halfspace": "HalfSpace",
    "ConvexHull": "Convex.from_points(points)",
    "Hull": "Convex.from_points(points)",
    "Polytope": "Convex.from_points(points)",
    "load_mesh": "Mesh.from_file(path)",
    "TriangleMesh": "Mesh(vertices=, triangles=) or Mesh.from_file(path)",
    "BVHModel": "Mesh(vertices=, triangles=) or Mesh.from_file(path)",
    "Cuboid": "Box(half_extents=)",
    "Ball": "Sphere(radius=)",
    "Union": "Compound(parts=)",
    "exp": "se3.exp",
    "log": "se3.log",
    "SE3": "pose(xyz, quat_wxyz=), a (4, 4) array; se3 has exp, log and retract",
    "Transform": "pose(xyz, quat_wxyz=), a (4, 4) array",
    "Transform3s": "pose(xyz, quat_wxyz=), a (4, 4) array",
    "gjk": "distance(..., method='gjk')",
}
_MODULES = {
    *("plot", "se3", "torch", "jax", "gpu", "reproduce", "sweep", "view"),
    *("sim", "neural", "envs", "crocoddyl"),
}


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        import importlib

        return importlib.import_module(f"tactum.{name}")
    if name in _HINTS:
        raise AttributeError(f"module 'tactum' has no attribute {name!r}; use {_HINTS[name]}")
    import difflib

    near = difflib.get_close_matches(name, __all__, n=1, cutoff=0.75)
    hint = f"; did you mean {near[0]!r}?" if near and not name.startswith("_") else ""
    raise AttributeError(f"module 'tactum' has no attribute {name!r}{hint}")


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
    "ContactPatchParameterDerivative",
    "ContactPose",
    "ContactPoseStatus",
    "ContactProblem",
    "ContactSolution",
    "ContactStatus",
    "ContactWarmStart",
    "Contacts",
    "Convex",
    "Cylinder",
    "Decomposition",
    "DecompositionReport",
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
    "HeightField",
    "Impact",
    "InvalidInput",
    "MassProperties",
    "Mesh",
    "MeshReport",
    "OrientedBox",
    "PoseLike",
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
    "contact_patch_parameter_derivative",
    "contact_patches",
    "contact_pose",
    "contact_residual",
    "decompose",
    "distance",
    "distance_derivative",
    "distances",
    "load_parts",
    "oriented_box",
    "pair_scale",
    "pose",
    "pose_matrix",
    "pose_xyz_xyzw",
    "quat_wxyz_from_xyzw",
    "quat_xyzw_from_wxyz",
    "ray_cast",
    "raycast",
    "self_intersections",
    "signed_distance",
    "solution_derivative",
    "solve",
    "solve_many",
    "swept_box",
    "time_of_impact",
    "winding_number",
]
