#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Turns the collected public hard cases (JSON) into the line-based file that the regression test
reads.

Usage: import_hard_cases.py INPUT.json OUTPUT.txt          (needs mpmath and numpy)

Every case keeps its source, what failed there and what was expected, word by word. Shapes become
those of the library, poses become rotations that are orthonormal in double precision, prose becomes
checks, and the signed distance of every query is computed anew in 60-digit arithmetic from the
doubles that are written. tests/data/README.md describes the format and the choices.
"""

import json
import math
import sys

from hard_case_checks import CHECKS, NOTES, START
from hard_case_truth import (
    ONE,
    ZERO,
    Cylinder,
    Ellipsoid,
    Polytope,
    Pose,
    add,
    apply,
    cross,
    cylinder_polytope_truth,
    ellipsoid_truth,
    mul,
    norm,
    polytope_truth,
    sphere_cylinder_truth,
    sub,
    unit,
    vec,
)
from mpmath import matrix, mpf

IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
Z_TO_Y = [
    [1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.0, -1.0, 0.0],
]  # turns the library's axis z into an axis y
KEEP_AS_PRINTED = 1e-15  # largest |R^T R - I| of a rotation that is written as it was printed

# half thickness in z of the planar cases: large enough that z never decides, small enough not to
# spoil the scale of the pair
THICKNESS = {
    "parry-34-ball-cuboid-2d": 2.0,
    "parry-378-capsule-cuboid-2d": 2.0,
    "parry-205-capsule-polygon-2d": 64.0,
    "parry-180-cast-segment-cuboid-2d": 4.0,
    "parry-107-ball-cuboid-cast-2d": 256.0,
    "box2d-short-edge-2d": 0.5,
}
PROGRAMS = ("ncollide-181-size-ratio-2d", "parry-70-capsule-cuboid-sweep", "bullet-262-hull")


def number(x):
    return repr(float(x))


def numbers(values):
    return " ".join(number(v) for v in values)


class Shape:
    """A library shape: kind, sizes, the pose of its frame in the frame of the case, and a
    margin."""

    def __init__(self, kind, sizes, local=(IDENTITY, (0.0, 0.0, 0.0)), margin=0.0):
        self.kind, self.sizes, self.local, self.margin = kind, sizes, local, margin

    def line(self):
        text = (
            f"{self.kind} {numbers(self.sizes)}"
            if self.kind != "uv_sphere"
            else f"uv_sphere {self.sizes[0]!r} {self.sizes[1]} {self.sizes[2]}"
        )
        return text + (f" margin {number(self.margin)}" if self.margin else "")


def hull(points):
    return Shape("hull", [c for p in points for c in p])


def flat_points(points, thickness):
    return [(p[0], p[1], z) for p in points for z in (-thickness, thickness)]


def capsule_between(a, b, radius):
    """A capsule given by its end points: the rotation takes z to b - a by the shortest turn."""
    a, b = vec(a), vec(b)
    d = unit(sub(b, a))
    axis, c = cross((ZERO, ZERO, ONE), d), d[2]
    k = 1 / (1 + c)
    rows = [
        [
            c + k * axis[0] * axis[0],
            k * axis[0] * axis[1] - axis[2],
            k * axis[0] * axis[2] + axis[1],
        ],
        [
            k * axis[1] * axis[0] + axis[2],
            c + k * axis[1] * axis[1],
            k * axis[1] * axis[2] - axis[0],
        ],
        [
            k * axis[2] * axis[0] - axis[1],
            k * axis[2] * axis[1] + axis[0],
            c + k * axis[2] * axis[2],
        ],
    ]
    return Shape("capsule", [radius, float(norm(sub(b, a)) / 2)], (rows, mul(add(a, b), ONE / 2)))


def read_shape(case, name):
    s, thickness, kind = case[name], THICKNESS.get(case["id"]), case[name]["type"]
    turn = Z_TO_Y if s.get("axis") == "y" else IDENTITY
    if "local_pose" in s:
        rotation, translation = read_pose(s["local_pose"])
        local = (
            [
                [sum(rotation[i][k] * mpf(turn[k][j]) for k in range(3)) for j in range(3)]
                for i in range(3)
            ],
            translation,
        )
    else:
        local = (turn, (0.0, 0.0, 0.0))
    half = {"full_side_lengths": 0.5, "half_extents": 1.0}
    margin = 7.5 if case["id"] == "mujoco-EllipsoidEllipsoidIntersect" else 0.0
    if kind in ("sphere", "ball2d"):
        return Shape("sphere", [s["radius"]])
    if kind == "point2d":
        return Shape("sphere", [0.0])
    if kind == "ellipsoid":
        return Shape("ellipsoid", s["radii"], margin=margin)
    if kind == "box":
        return Shape("box", [x * half[s["size_convention"]] for x in s["size"]], local)
    if kind == "cuboid2d":
        return Shape("box", [*s["half_extents"], thickness or 20.0])
    if kind == "capsule" and "a" in s:
        return capsule_between(s["a"], s["b"], s["radius"])
    if kind == "capsule":
        return Shape("capsule", [s["radius"], s["half_height_of_cylinder"]], local)
    if kind == "capsule2d":
        half_length = s["half_height"] if "half_height" in s else (s["b"][1] - s["a"][1]) / 2
        return Shape("capsule", [s["radius"], half_length], (Z_TO_Y, (0.0, 0.0, 0.0)))
    if kind == "cylinder":
        half_length, rounding = (
            s["half_height"] if "half_height" in s else s["length"] / 2,
            s.get("convex_radius", 0.0),
        )
        return Shape("cylinder", [s["radius"] - rounding, half_length - rounding], local, rounding)
    if kind in ("triangle", "convex_hull"):
        return hull(s["vertices"])
    if kind in ("convex_polygon2d", "segment2d"):
        return hull(flat_points(s.get("vertices") or [s["a"], s["b"]], thickness))
    if kind == "uv_sphere_triangle_mesh":
        return Shape("uv_sphere", [s["radius"], s["polar_steps"], s["azimuth_steps"]])
    raise ValueError(f"{case['id']}: unknown shape {kind}")


def quaternion_rows(q):
    w, x, y, z = vec(q)
    s = w * w + x * x + y * y + z * z
    return [
        [1 - 2 * (y * y + z * z) / s, 2 * (x * y - z * w) / s, 2 * (x * z + y * w) / s],
        [2 * (x * y + z * w) / s, 1 - 2 * (x * x + z * z) / s, 2 * (y * z - x * w) / s],
        [2 * (x * z - y * w) / s, 2 * (y * z + x * w) / s, 1 - 2 * (x * x + y * y) / s],
    ]


def read_pose(pose):
    """Rotation rows and translation in 60 digits, as printed (quaternions normalised)."""
    form = pose["format"]
    if form == "matrix4x4_row_major":
        m = vec(pose["m"])
        return [list(m[0:3]), list(m[4:7]), list(m[8:11])], (m[3], m[7], m[11])
    if form == "translation_quaternion":
        return quaternion_rows(pose["quaternion"]), vec(pose["translation"])
    if form == "translation2d":
        return IDENTITY, vec([*pose["translation"], 0.0])
    raise ValueError(f"unknown pose {form}")


def orthonormality_error(rows):
    return max(
        abs(sum(mpf(rows[k][i]) * mpf(rows[k][j]) for k in range(3)) - (i == j))
        for i in range(3)
        for j in range(3)
    )


def nearest_rotation(rows):
    """The orthogonal factor of the polar decomposition, by Newton's iteration."""
    r = matrix([[mpf(x) for x in row] for row in rows])
    for _ in range(60):
        r = (r + (r**-1).T) / 2
    return [[r[i, j] for j in range(3)] for i in range(3)]


def world_pose(pose, local):
    """Pose of the library's shape in the world as doubles, and the error of the rotation as it
    was printed."""
    rotation, translation = pose
    rows = [
        [sum(mpf(rotation[i][k]) * mpf(local[0][k][j]) for k in range(3)) for j in range(3)]
        for i in range(3)
    ]
    shifted = add(apply([vec(r) for r in rotation], vec(local[1])), translation)
    error = orthonormality_error([[float(x) for x in row] for row in rows])
    if error > KEEP_AS_PRINTED:
        rows = nearest_rotation(rows)
    return ([[float(x) for x in row] for row in rows], [float(x) for x in shifted]), error


def core_points(shape, pose):
    """World points of a polytope core, or None for a smooth shape; and the radius around it."""
    s = shape.sizes
    if shape.kind == "sphere":
        local, radius = [(0, 0, 0)], s[0]
    elif shape.kind == "capsule":
        local, radius = [(0, 0, -mpf(s[1])), (0, 0, mpf(s[1]))], s[0]
    elif shape.kind == "box":
        local, radius = (
            [
                (x * mpf(s[0]), y * mpf(s[1]), z * mpf(s[2]))
                for x in (-1, 1)
                for y in (-1, 1)
                for z in (-1, 1)
            ],
            0.0,
        )
    elif shape.kind == "hull":
        local, radius = [s[i : i + 3] for i in range(0, len(s), 3)], 0.0
    else:
        return None, mpf(shape.margin)
    return [Pose(*pose).point(vec(p)) for p in local], mpf(radius) + mpf(shape.margin)


def truth_of(a, pose_a, b, pose_b):
    points_a, radius_a = core_points(a, pose_a)
    points_b, radius_b = core_points(b, pose_b)
    radius = radius_a + radius_b
    if points_a and points_b:
        return polytope_truth(Polytope(points_a), Polytope(points_b), radius)
    if a.kind == "ellipsoid" and b.kind == "ellipsoid":
        return ellipsoid_truth(
            Ellipsoid(a.sizes, Pose(*pose_a)), Ellipsoid(b.sizes, Pose(*pose_b)), radius
        )
    if a.kind == "sphere" and b.kind == "cylinder":
        return sphere_cylinder_truth(points_a[0], radius, Cylinder(*b.sizes, Pose(*pose_b)))
    if a.kind == "cylinder" and points_b:
        return cylinder_polytope_truth(
            Cylinder(*a.sizes, Pose(*pose_a)), Polytope(points_b), radius
        )
    if b.kind == "cylinder":
        result = truth_of(b, pose_b, a, pose_a)
        result.normal = None if result.normal is None else mul(result.normal, -ONE)
        return result
    raise ValueError(f"no oracle for {a.kind} and {b.kind}")


def scale_of(a, pose_a, b, pose_b):
    def reach(shape):
        points, radius = core_points(shape, (IDENTITY, (0, 0, 0)))
        if points:
            return float(max(norm(p) for p in points) + radius)
        if shape.kind == "uv_sphere":
            return shape.sizes[0]
        return (
            math.hypot(*shape.sizes) if shape.kind == "cylinder" else max(shape.sizes)
        ) + shape.margin

    return max(reach(a), reach(b), math.dist(pose_a[1], pose_b[1]))


def moved(pose, offset):
    return pose[0], add(pose[1], vec(offset))


def queries_of(case, a, b):
    """(label, pose_a, pose_b) of every static query a case stands for, before the shapes' own
    frames are applied."""
    identifier, pose_a, pose_b = case["id"], read_pose(case["pose_a"]), read_pose(case["pose_b"])
    if case.get("family") == "coal-gjk-asserts":
        return [
            (label, pose_a, (pose_b[0], vec(t)))
            for label, t in (
                ("+z", (0, 0, 1)),
                ("-z", (0, 0, -1)),
                ("+y", (0, 1, 0)),
                ("-y", (0, -1, 0)),
                ("+x", (1, 0, 0)),
                ("-x", (-1, 0, 0)),
            )
        ]
    if identifier == "ncollide-141-still-objects":
        return [
            ("start", pose_a, pose_b),
            ("up", moved(pose_a, (0, 1, 0)), pose_b),
            ("impact", moved(pose_a, (0, -0.1, 0)), pose_b),
            ("past", moved(pose_a, (0, -0.2, 0)), pose_b),
        ]
    if identifier == "parry-180-cast-segment-cuboid-2d":
        velocity = (*case["pose_b"]["velocity"], 0.0)
        impact = (54.00709 - 3.0) / 0.999966
        return [
            ("start", pose_a, pose_b),
            ("before", pose_a, moved(pose_b, mul(vec(velocity), mpf(impact - 1e-3)))),
            ("after", pose_a, moved(pose_b, mul(vec(velocity), mpf(impact + 1e-3)))),
        ]
    if identifier == "jolt-long-capsule-embedded-box":  # undo the local translations: see its note

        def centered(pose, shape):
            return moved(pose, mul(apply([vec(r) for r in pose[0]], vec(shape.local[1])), -ONE))

        return [
            ("centre_of_mass", centered(pose_a, a), centered(pose_b, b)),
            ("as_written", pose_a, pose_b),
        ]
    return [("", pose_a, pose_b)]


def uv_sphere_truths(case, a, b, queries):
    from uv_sphere_truth import UvSphere, uv_sphere_truth

    rotation = [[float(x) for x in row] for row in queries[0][2][0]]
    return uv_sphere_truth(
        UvSphere(*a.sizes),
        UvSphere(*b.sizes),
        rotation,
        [[float(x) for x in q[2][1]] for q in queries],
    )


def pose_line(pose):
    return numbers([x for row in pose[0] for x in row]) + "  " + numbers(pose[1])


def write_query(out, case, a, b, label, pose_a, pose_b, errors, truth):
    scale = scale_of(a, pose_a, b, pose_b)
    print(f"query {label or 'static'}", file=out)
    print(f"pose_a {pose_line(pose_a)}", file=out)
    print(f"pose_b {pose_line(pose_b)}", file=out)
    if case["id"] in START:
        print(f"start {numbers(START[case['id']])}", file=out)
    for name, error in zip("ab", errors):
        if error > KEEP_AS_PRINTED:
            print(f"projected {name} printed off by {float(error):.1e}", file=out)
    print(f"truth {number(truth.signed)}", file=out)
    print(f"method {truth.method}", file=out)
    if truth.normal is not None:
        print(f"normal {numbers(truth.normal)}", file=out)
    published = case.get("truth", {}).get("signed_distance")
    if published is not None and label in ("", "start"):
        slack = abs(float(truth.signed) - published)
        projected = any(error > KEEP_AS_PRINTED for error in errors) or any(
            case[p].get("quaternion", [1.0])[0] != 1.0 for p in ("pose_a", "pose_b")
        )
        if slack > 8 * 2.2e-16 * scale and not projected:
            raise ValueError(
                f"{case['id']}: published {published!r}, computed {number(truth.signed)}"
            )
        print(f"published {number(published)} slack {slack:.1e}", file=out)
    for check in CHECKS.get(
        case["id"] + (f"/{label}" if label else ""), CHECKS.get(case["id"], [])
    ):
        print(f"check {check}", file=out)


def swept_sphere(case):
    """The cast of a sphere is one static query: the capsule it sweeps."""
    start = vec(case["pose_a"]["translation"])
    return capsule_between(
        start,
        add(start, vec((-0.0988006592, 5.96046448e-08, 0.000732421875))),
        case["shape_a"]["radius"],
    )


def write_case(out, case):
    print(f"\ncase {case['id']}", file=out)
    for key in (
        "source_url",
        "test_url",
        "related",
        "kind",
        "family",
        "precision",
        "failure",
        "expectation",
        "note",
        "rotation",
    ):
        if key in case:
            print(f"{key} {case[key]}", file=out)
    if case["id"] in NOTES:
        print(f"import_note {NOTES[case['id']]}", file=out)
    if case["id"] in PROGRAMS:
        print("program", file=out)
        for name in ("shape_a", "shape_b"):
            if case[name]:
                print(f"{name} {read_shape(case, name).line()}", file=out)
        return 0
    a, b = read_shape(case, "shape_a"), read_shape(case, "shape_b")
    queries = queries_of(case, a, b)
    if case["id"] == "jolt-886-sphere-cast-degenerate-triangle":
        a, queries = swept_sphere(case), [("", (IDENTITY, (0.0, 0.0, 0.0)), queries[0][2])]
    print(f"shape_a {a.line()}", file=out)
    print(f"shape_b {b.line()}", file=out)
    truths = (
        uv_sphere_truths(case, a, b, queries) if a.kind == "uv_sphere" else [None] * len(queries)
    )
    for (label, raw_a, raw_b), truth in zip(queries, truths):
        (pose_a, error_a), (pose_b, error_b) = (
            world_pose(raw_a, a.local),
            world_pose(raw_b, b.local),
        )
        write_query(
            out,
            case,
            a,
            b,
            label,
            pose_a,
            pose_b,
            (error_a, error_b),
            truth or truth_of(a, pose_a, b, pose_b),
        )
    return len(queries)


def main(source, target):
    with open(source, encoding="utf-8") as file:
        data = json.load(file)
    with open(target, "w", encoding="utf-8") as out:
        print(
            "# Public hard collision cases for the regression test. Written by tools/import_hard_cases.py; see README.md.",
            file=out,
        )
        total = 0
        for index, case in enumerate(data["cases"]):
            total += write_case(out, case)
            print(
                f"\r{index + 1}/{len(data['cases'])} cases, {total} queries",
                end="",
                file=sys.stderr,
            )
        for family in data["families"]:
            print(f"\nfamily {family['id']}", file=out)
            for key in ("description", "expectation"):
                print(f"{key} {family[key]}", file=out)
            print(f"parameters {json.dumps(family['parameters'])}", file=out)
    print(file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
