# SPDX-License-Identifier: BSD-2-Clause
"""Scenes from the geometry of a robot in Pinocchio: shapes, poses and which pairs count.
Pinocchio itself is not imported."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import tactum

from ._errors import InvalidInput

GROUPS = 32  #: bits of a group
LONG: dict[str, Callable[..., tactum.Shape]] = {
    "Capsule": tactum.Capsule,
    "Cylinder": tactum.Cylinder,
    "Cone": tactum.Cone,
}


def scene(geometry_model: Any, geometry_data: Any = None, *, hulls: bool = True) -> tactum.Scene:
    """Scene.from_pinocchio."""
    if not hasattr(geometry_model, "geometryObjects"):
        raise TypeError(
            f"geometry_model: got {type(geometry_model).__name__}; give a pinocchio.GeometryModel"
        )
    result = tactum.Scene()
    objects = list(geometry_model.geometryObjects)
    places = [x.placement for x in objects] if geometry_data is None else list(geometry_data.oMg)
    if len(places) != len(objects):
        raise InvalidInput(
            "geometry_data.oMg",
            f"{len(places)} poses",
            f"give the data of this model: {len(objects)} poses",
        )
    bits = group_bits(objects, geometry_model.collisionPairs)
    for item, place, (group, mask) in zip(objects, places, bits, strict=True):
        shape = shape_of(item.geometry, f"geometry {item.name!r}", hulls)
        result.add(shape, place.homogeneous, group=group, mask=mask, name=item.name)
    return result


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


def group_bits(objects: list[Any], pairs: Iterable[Any]) -> list[tuple[int, int]]:
    """Group and mask of every object, such that those pairs meet that the model lists, or may meet
    if it lists none.

    Objects that meet the same others share a bit. Where 32 bits do not tell all apart, those of one
    joint share theirs, and in the end all: then more pairs meet than are listed.
    """
    partners = partners_of(objects, pairs)
    for label in (partners.__getitem__, lambda i: objects[i].parentJoint, lambda i: 0):
        names = {
            name: k for k, name in enumerate(dict.fromkeys(label(i) for i in range(len(objects))))
        }
        if len(names) > GROUPS:
            continue
        group = [1 << names[label(i)] for i in range(len(objects))]
        masks = dict.fromkeys(group, 0)
        for i, others in enumerate(partners):
            for j in others:
                masks[group[i]] |= group[j]
        return [(g, masks[g] if partners[i] else 0) for i, g in enumerate(group)]
    raise AssertionError("one group is at most 32")


def partners_of(objects: list[Any], pairs: Iterable[Any]) -> list[frozenset[int]]:
    """For each object the ones it meets: as listed, or all of other joints where no pair is
    listed. Disabled ones meet none."""
    listed = {(int(p.first), int(p.second)) for p in pairs}
    n = len(objects)
    result: list[set[int]] = [set() for _ in range(n)]
    candidates = listed or {
        (i, j)
        for i in range(n)
        for j in range(i)
        if objects[i].parentJoint != objects[j].parentJoint
    }
    for i, j in candidates:
        if not (objects[i].disableCollision or objects[j].disableCollision):
            result[i].add(j)
            result[j].add(i)
    return [frozenset(x) for x in result]
