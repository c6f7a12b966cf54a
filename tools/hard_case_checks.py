# SPDX-License-Identifier: BSD-2-Clause
"""The expectations of the collected hard cases, translated from their prose into checks that a
program can make.

distance D TOL              |signed distance - D| <= TOL distance_at_least D         signed distance
>= D status S                    separated, touching, penetrating, or not_separated (touching or
penetrating) normal X Y Z TOL            every component of the normal (from A to B) within TOL
normal_component I V TOL    one component of the normal point_a_in L(3) U(3) TOL    the witness
point on A lies in the box [L, U], widened by TOL; also point_b_in and midpoint_in witness TOL
the witness points lie in their shapes within TOL (every query has 64 eps scale anyway) separates
moving B by 1.01 depth along the normal separates the shapes, by 0.99 depth does not

Every query also has the checks that need no words: status, bounds, truth, p_b - p_a = d n, witness
points inside their shapes.
"""

EPS = 2.0**-52
SQRT_EPS = 2.0**-26
INF = 1e9


def fcl_witness(*sizes):
    return [f"witness {10 * EPS * max([1.0] + [s / 2 for s in sizes])!r}"]


CHECKS = {
    "fcl-boxbox-regression1": fcl_witness(1.845),
    "fcl-boxbox-regression2": fcl_witness(0.48),
    "fcl-boxbox-regression3": fcl_witness(0.49),
    "fcl-boxbox-regression5": fcl_witness(0.6),
    "fcl-boxbox-regression6": [*fcl_witness(0.4943), "distance 0.0 1e-10"],
    "fcl-398-as-reported": ["status touching"],
    "fcl-398-as-in-fcl-test": ["status penetrating"],
    "fcl-391-cylinder-sphere": ["status penetrating"],
    "fcl-293-nan-witness": ["status separated"],
    "fcl-pr42-boxbox": ["distance -5.0 1e-12", "normal 1 0 0 1e-12"],
    "mujoco-SphereSphereDist": [
        "distance 1.0 1e-15",
        "point_a_in -0.5 0 0 -0.5 0 0 1e-15",
        "point_b_in 0.5 0 0 0.5 0 0 1e-15",
    ],
    "mujoco-SphereSphereNoDist": ["status separated"],
    "mujoco-SphereSphereIntersect": [
        "distance -2.0 1e-6",
        "normal 1 0 0 1e-6",
        "midpoint_in 1 0 0 1 0 0 1e-6",
    ],
    "mujoco-BoxBoxDepth": ["distance -1.0 1e-6", "normal 1 0 0 1e-6"],
    "mujoco-BoxBoxDepth2": ["distance -0.033401579411886845 1e-6", "normal 0 0 1 1e-6"],
    "mujoco-BoxBoxDepth3": ["distance -0.003066 1e-6", "normal 0 0 -1 1e-6"],
    "mujoco-BoxBoxSize05": ["status penetrating"],
    "mujoco-BoxBoxSize05b": [
        "status penetrating",
        "normal 0 0 1 1e-5",
        "normal_component 2 1.0 1e-6",
    ],
    "mujoco-BoxBoxSize05c": [
        "status penetrating",
        "normal 0 0 1 1e-5",
        "normal_component 2 1.0 1e-6",
    ],
    "mujoco-BoxBoxTouching": ["status touching"],
    "mujoco-BoxBoxMultiCCD": [
        "distance -0.1 1e-6",
        "normal 0 0 -1 1e-6",
        "midpoint_in -1 -1 0.95 1 1 0.95 1e-6",
    ],
    "mujoco-BoxBoxMultiCCD2": [
        "distance -0.1 1e-6",
        "normal 0 0 -1 1e-6",
        "midpoint_in 8.5 8.5 0.95 10 10 0.95 1e-6",
    ],
    "mujoco-BoxBoxMultiCCD4": ["distance -0.00060425119242707459 1e-6", "normal 0 0 -1 1e-6"],
    "mujoco-BoxBoxMultiCCD7": ["status penetrating"],
    "mujoco-BoxBoxMultiCCD8": ["status penetrating"],
    "mujoco-BoxBoxMultiCCD9": ["status penetrating"],
    "mujoco-BoxBoxMultiCCD10": ["status penetrating"],
    "mujoco-BoxBoxMultiCCD11": ["status penetrating"],
    "mujoco-BoxBoxMultiCCD12": ["status penetrating"],
    "mujoco-BoxBoxMultiCCD13": ["status penetrating", "normal 0 0 1 1e-6"],
    "mujoco-BoxBoxMultiCCD14": ["status penetrating"],
    "mujoco-BoxEdge2": ["status penetrating"],
    "mujoco-BoxEdgeEdge": ["status penetrating"],
    "mujoco-EllipsoidEllipsoid": ["distance 0.7542 1e-4"],
    "mujoco-EllipsoidEllipsoidSlowConvergence": ["status not_separated"],
    "mujoco-EllipsoidEllipsoidIntersect": ["distance -14.245732934582151 1e-6"],
    "mujoco-CapsuleCapsule": ["distance 0.4711 1e-4"],
    "mujoco-BoxEdgeFlipped": [
        "status penetrating",
        "point_a_in 1.907368 -0.052973 0.7 1.907368 -0.052973 0.78 1e-6",
        "point_b_in 1.3 -0.052973 0.7 1.3 -0.052973 0.78 1e-6",
    ],
    "mjwarp-1527-six-vertex-mesh": ["status penetrating"],
    "mjwarp-1430-large-plate-25": ["status touching", "normal 0 0 1 1e-6"],
    "mjwarp-1430-large-plate-100": ["status touching", "normal 0 0 1 1e-6"],
    "libccd-25": [
        "distance -0.1 1e-6",
        "normal 0 0 1 1e-6",
        "midpoint_in -1 -1 0.95 1 1 0.95 1e-6",
    ],
    "opengjk-3-flat-polygons": ["status not_separated", "distance 0.0 1e-14"],
    "coal-351-sphere-cylinder": ["status penetrating"],
    "coal-gjk-triangles-0": ["status separated", "distance 0.0011415189219456667 1e-7"],
    "ncollide-157-cylinder-cuboid": ["status not_separated"],
    "parry-34-ball-cuboid-2d": ["status penetrating", "distance -1.0 1e-14"],
    "parry-378-capsule-cuboid-2d": ["status touching", "point_b_in 0 -0.75 0 0 -0.75 0 1e-6"],
    "parry-205-capsule-polygon-2d": ["status penetrating"],
    "parry-246-253-triangle-vertex-on-edge": [
        f"point_a_in -2.349647 1 {-INF} -2.349647 1 {INF} 1e-3"
    ],
    "parry-180-cast-segment-cuboid-2d/start": ["status separated"],
    "parry-180-cast-segment-cuboid-2d/before": ["status separated"],
    "parry-180-cast-segment-cuboid-2d/after": ["status penetrating"],
    "parry-107-ball-cuboid-cast-2d": ["status penetrating", "distance -0.0032 1e-6"],
    "ncollide-123-denormal-velocity": ["status separated"],
    "ncollide-141-still-objects/start": ["status separated", "distance 0.1 1e-15"],
    "ncollide-141-still-objects/up": ["status separated", "distance 1.1 1e-15"],
    "ncollide-141-still-objects/impact": ["status touching"],
    "ncollide-141-still-objects/past": ["status penetrating", "distance -0.1 1e-15"],
    "jolt-long-capsule-embedded-box/centre_of_mass": ["status penetrating", "separates"],
    "jolt-long-capsule-embedded-box/as_written": ["status separated"],
    "jolt-small-triangle-large-box": ["status separated"],
    "jolt-parallel-triangle-capsule-1": [
        "status penetrating",
        "distance -0.08033405042 1e-6",
        "normal_component 1 0.0 1e-6",
    ],
    "jolt-parallel-triangle-capsule-3": [
        "status separated",
        "distance 0.0199989 1e-6",
        "normal -0.9238795 0 0.3826835 1e-6",
    ],
    "jolt-1008-triangle-cylinder": ["distance_at_least -1e-4", "normal_component 2 1.0 4e-3"],
    "jolt-886-sphere-cast-degenerate-triangle": ["status separated"],
    "jolt-epa-coincident-spheres": ["status penetrating", "distance -4.0 1e-14"],
    "jolt-epa-near-coincident-spheres": ["status penetrating", "distance -3.7 1e-14"],
    "bepu-101-capsule-triangle": ["status penetrating", "normal 0 -1 0 1e-5", "distance -0.1 1e-5"],
    "box2d-short-edge-2d": ["status separated", "distance 0.005 1e-6", "normal 1 0 0 1e-6"],
}

for dim, offsets in (
    ("0.01", "-1e-15 -1e-16"),
    ("0.25", "-1e-15 -1e-16 0 2.5e-16"),
    ("0.5", "-1e-15 -2.5e-16 -1e-16 0 2.5e-16 1e-15"),
    ("10", "-1e-15 -2.5e-16 1e-16"),
    ("1000", "-1e-15 -1e-16 1e-16 2.5e-16"),
):
    for offset in offsets.split():
        nominal = float(offset) * max(1.0, float(dim))
        status = "touching" if abs(nominal) < 64 * EPS * float(dim) else "penetrating"
        CHECKS[f"fcl-493-tilted-kissing-dim{dim}-d{offset}"] = [
            f"status {status}",
            f"distance {nominal!r} {SQRT_EPS!r}",
        ]
for angle in range(0, 421, 60):
    CHECKS[f"jolt-671-box-hull-flipped-normal-{angle}"] = [
        "status separated",
        "distance 0.0005 1e-9",
        "normal 0 -1 0 1e-6",
    ]

# first search directions that broke the original
START = {"libccd-25": (1.0, 0.0, 0.0)}

NOTES = {
    "mujoco-EllipsoidEllipsoidIntersect": (
        "the source asks for a margin of 15 between the two; here each ellipsoid has margin 7.5"
    ),
    "mujoco-BoxBoxTouching": "the source finds no contact at distance zero; here that is the status touching",
    "mujoco-BoxEdgeFlipped": "the witness points may lie anywhere along the vertical edge of A",
    "libccd-25": "the contact is a square of points; the source names its middle",
    "coal-gjk-asserts-sphere-mesh-z64-y151": "the meshes become convex hulls; six translations",
    "coal-gjk-asserts-sphere-mesh-z98-y47": "the meshes become convex hulls; six translations",
    "coal-gjk-asserts-sphere-mesh-z355-y48": "the meshes become convex hulls; six translations",
    "coal-gjk-asserts-sphere-mesh-z89-y145": "the meshes become convex hulls; six translations",
    "parry-34-ball-cuboid-2d": "planar case: a sphere and a box of half thickness 2",
    "parry-378-capsule-cuboid-2d": "planar case: a capsule and a box of half thickness 2",
    "parry-205-capsule-polygon-2d": "planar case: a capsule and a prism of half thickness 64",
    "parry-180-cast-segment-cuboid-2d": (
        "planar cast: a flat rectangle and a box of half thickness 4; static queries at the start, 1e-3 "
        "before and 1e-3 after the impact"
    ),
    "parry-107-ball-cuboid-cast-2d": (
        "planar cast: a sphere and a box of half thickness 256, at the start; the printed positions already overlap"
    ),
    "box2d-short-edge-2d": "planar case: a hull of half thickness 0.5 and a point (a sphere of radius 0)",
    "ncollide-123-denormal-velocity": "cast with a denormal velocity: the static query at the start",
    "ncollide-141-still-objects": "cast: static queries at the start, 1 up, at the impact and past it",
    "ncollide-181-size-ratio-2d": (
        "run by the test itself: boxes of half thickness 20, 200000 steps, each against two-dimensional separating axes"
    ),
    "parry-70-capsule-cuboid-sweep": "run by the test itself: 200 steps against the half-space y <= 0",
    "bullet-262-hull": "run by the test itself: the hull is built and checked, and each input point is queried against it",
    "coal-351-sphere-cylinder": "the reporter expected separation, from imagination; the closed form says 0.061 of penetration",
    "jolt-long-capsule-embedded-box": (
        "the source's poses are those of the centers of mass, so the local translations drop out of its "
        "query; the second query applies them as written"
    ),
    "jolt-886-sphere-cast-degenerate-triangle": "cast: one static query with the capsule that the sphere sweeps",
    "jolt-1008-triangle-cylinder": (
        "convex radius as margin. The shapes are 1.76e-4 apart at the edge of the triangle, 4.6 degrees off "
        "z; the source snaps the axis to the triangle's normal because that edge is inactive"
    ),
    "jolt-parallel-triangle-capsule-1": "the nearest edge leans by 7e-8 rad, so the depth of the source holds within 1e-6",
    "bepu-101-capsule-triangle": "the source's normal points from the triangle to the capsule",
    "mjwarp-1527-six-vertex-mesh": "mesh as its convex hull",
}
