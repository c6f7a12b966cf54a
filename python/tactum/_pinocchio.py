# SPDX-License-Identifier: BSD-2-Clause
"""Scenes from the geometry of a robot in Pinocchio: shapes, poses and which pairs count.
Pinocchio itself is not imported."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import tactum

from ._errors import InvalidInput

LONG: dict[str, Callable[..., tactum.Shape]] = {
    "Capsule": tactum.Capsule,
    "Cylinder": tactum.Cylinder,
    "Cone": tactum.Cone,
}
UPDATE = "call pinocchio.updateGeometryPlacements(model, data, geometry_model, geometry_data, q)"


def scene(
    geometry_model: Any, geometry_data: Any = None, *, hulls: bool | None = None
) -> tactum.Scene:
    """Scene.from_pinocchio."""
    if not hasattr(geometry_model, "geometryObjects"):
        raise TypeError(
            f"geometry_model: got {type(geometry_model).__name__}; give a pinocchio.GeometryModel"
        )
    objects = list(geometry_model.geometryObjects)
    places = placements(objects, geometry_data)
    result, meshes = tactum.Scene(), []
    for item, place in zip(objects, places, strict=True):
        if type(item.geometry).__name__.startswith("BVHModel"):
            meshes.append(item.name)
        shape = shape_of(item.geometry, f"geometry {item.name!r}", hulls is not False)
        try:
            result.add(shape, place.homogeneous, name=item.name)
        except InvalidInput as error:
            if not error.field.startswith("X"):
                raise
            raise InvalidInput(
                f"geometry_data.oMg of geometry {item.name!r}", error.value, f"{UPDATE} first"
            ) from None
    pairs = sorted(pairs_of(objects, geometry_model.collisionPairs, geometry_data))
    result.set_pairs(pairs)
    if pairs and len(geometry_model.collisionPairs) == 0:
        warnings.warn(
            "the model lists no collision pairs: all links of different joints meet; "
            "geometry_model.addAllCollisionPairs() lists them, scene.set_pairs([]) forbids them",
            stacklevel=2,
        )
    if meshes and hulls is None:
        warnings.warn(
            f"meshes became their convex hulls: {', '.join(meshes)}; hulls=True accepts that, "
            "hulls=False refuses it",
            stacklevel=2,
        )
    return result


def placements(objects: list[Any], geometry_data: Any) -> list[Any]:
    """Poses of the objects in the world, or in the frames of their joints without data."""
    if geometry_data is None:
        return [x.placement for x in objects]
    if not hasattr(geometry_data, "oMg"):
        raise TypeError(
            f"geometry_data: got {type(geometry_data).__name__}; give a pinocchio.GeometryData: "
            "geometry_model.createData()"
        )
    places = list(geometry_data.oMg)
    if len(places) != len(objects):
        raise InvalidInput(
            "geometry_data.oMg",
            f"{len(places)} poses",
            f"give the data of this model: {len(objects)} poses",
        )
    return places


def shape_of(geometry: Any, field: str, hulls: bool) -> tactum.Shape:
    """The shape of coal's collision geometry. Told by the names of classes: those of Pinocchio's
    and of coal's own module are alike."""
    kind = type(geometry).__name__
    margin = geometry.getSweptSphereRadius() if hasattr(geometry, "getSweptSphereRadius") else 0.0
    match kind:
        case "Box":
            return tactum.Box(half_extents=geometry.halfSide, margin=margin)
        case "Sphere":
            return tactum.Sphere(radius=geometry.radius, margin=margin)
        case "Ellipsoid":
            return tactum.Ellipsoid(semi_axes=geometry.radii, margin=margin)
        case "Capsule" | "Cylinder" | "Cone":
            return LONG[kind](
                radius=geometry.radius, half_length=geometry.halfLength, margin=margin
            )
        case "Halfspace":
            return tactum.HalfSpace(normal=geometry.n, offset=geometry.d + margin)
        case "TriangleP":
            return tactum.Convex.from_points(
                np.array([geometry.a, geometry.b, geometry.c]), margin=margin
            )
    if kind.startswith("Convex"):
        return tactum.Convex.from_points(np.array(geometry.points()), margin=margin)
    if kind.startswith("BVHModel"):
        if not hulls:
            raise InvalidInput(
                field,
                kind,
                "a mesh need not be convex: allow hulls=True, or replace it by convex parts",
            )
        return tactum.Convex.from_points(np.array(geometry.vertices()), margin=margin)
    raise InvalidInput(field, kind, "remove it from the model: it has no shape in tactum")


def pairs_of(objects: list[Any], pairs: Any, geometry_data: Any) -> set[tuple[int, int]]:
    """The pairs of links that meet: those listed and active, or all of different joints where no
    pair is listed. Disabled objects meet none."""
    active = getattr(geometry_data, "activeCollisionPairs", None)
    listed = [(int(p.first), int(p.second)) for p in pairs]
    if active is not None and len(active) == len(listed):
        kept = {pair for pair, use in zip(listed, active, strict=True) if use}
    else:
        kept = set(listed)
    if not listed:
        n = len(objects)
        kept = {
            (i, j)
            for i in range(n)
            for j in range(i)
            if objects[i].parentJoint != objects[j].parentJoint
        }
    return {
        (min(i, j), max(i, j))
        for i, j in kept
        if not (objects[i].disableCollision or objects[j].disableCollision)
    }
