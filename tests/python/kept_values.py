# SPDX-License-Identifier: BSD-2-Clause
"""Everything that users keep, save and send to other processes, and what tells two of them apart."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import tactum
from kinds import SHAPES

WITH_SIM = importlib.util.find_spec("tactum._sim") is not None
TETRAHEDRON = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def geometries() -> dict[str, Any]:
    """Everything that can be put into a scene, by name."""
    corners = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    return dict(SHAPES) | {
        "mesh": tactum.Mesh(vertices=TETRAHEDRON, triangles=corners, solid=True),
        "compound": tactum.Compound(parts=[(tactum.Sphere(radius=1.0), None)]),
        "height_field": tactum.HeightField(heights=[[0.0, 0.1], [0.2, 0.0]], spacing=0.5),
    }


def results() -> dict[str, Any]:
    """What queries of pairs, points and forces return."""
    a, b, X = SHAPES["ellipsoid"], SHAPES["box"], (0.9, 0.1, 0.0)
    Xs = np.tile(tactum.pose(xyz=X), (3, 1, 1))
    cube, below = tactum.Box(half_extents=(0.1, 0.1, 0.1)), (0.0, 0.0, -0.19)
    batch = tactum.distances(a, None, b, Xs, derivative=tactum.Exact())
    problem = tactum.ContactProblem(G=np.eye(3), g=[0.1, 0.0, -1.0], mu=0.5)
    solution = tactum.solve(problem)
    scene = tactum.Scene()
    scene.add(cube, name="ball")
    scene.add(cube, below)
    volume, mesh = SHAPES["stp"], geometries()["mesh"]
    assert isinstance(volume, tactum.Stp)
    return {
        "distance": tactum.distance(a, None, b, X),
        "mesh_distance": tactum.distance(mesh, None, b, (3.0, 0.0, 0.0)),
        "collision": tactum.collide(a, None, b, X),
        "derivative": tactum.distance_derivative(a, None, b, X),
        "distances": batch,
        "sampled": tactum.distances(a, None, b, Xs, derivative=tactum.ZerothOrder(samples=20)),
        "contact_pose": tactum.contact_pose(
            a, b, (0.1, 0.0, 0.0), (-0.1, 0.0, 0.0), start=tactum.pose(xyz=X), max_iterations=3
        ),
        "contact_poses": tactum.contact_pose(
            a, b, (0.1, 0.0, 0.0), (-0.1, 0.0, 0.0), start=Xs, max_iterations=3
        ),
        "patch": tactum.contact_patch(cube, None, cube, below),
        "patch_derivative": tactum.contact_patch_derivative(cube, None, cube, below),
        "ray": tactum.ray_cast(cube, None, (-2.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
        "rays": scene.raycast([(-2.0, 0.0, 0.0), (0.0, 5.0, 0.0)], (1.0, 0.0, 0.0)),
        "contacts": scene.contacts(margin=0.01),
        "scene_distances": scene.distances(1.0),
        "scene_derivatives": scene.distances(1.0, derivative=tactum.Exact()),
        "mesh_report": mesh.report(self_intersections=True),
        "open_mesh_report": tactum.Mesh(vertices=TETRAHEDRON, triangles=[[0, 1, 2]]).report(),
        "scene": scene,
        "problem": problem,
        "solution": solution,
        "solution_derivative": tactum.solution_derivative(problem, solution),
        "impact": tactum.time_of_impact(a, None, (3.0, 0.0, 0.0), b, (5.0, 0.0, 0.0), None),
        "mass": b.mass_properties(density=1000.0),
        "bounding_sphere": tactum.bounding_sphere(b),
        "oriented_box": tactum.oriented_box(b),
        "stp_mesh": volume.to_mesh(),
        "table": tactum.ShapeTable([a, b]),
        "estimator": tactum.Gumbel(rings=2),
        "warm_start": tactum.distance(a, None, b, X).warm_start,
    }


def simulation() -> dict[str, Any]:
    """What a user of the simulator keeps."""
    if not WITH_SIM:
        return {}
    from tactum import sim

    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.5)
    for geometry in geometries().values():
        if not isinstance(geometry, (tactum.HalfSpace, tactum.Mesh)):
            builder.add_fixed(geometry)
    builder.add_body(tactum.Sphere(radius=0.1), mass=1.0)
    model = builder.build()
    falling = sim.ModelBuilder()
    falling.add_ground(friction=0.5)
    box = tactum.Box(half_extents=(0.1, 0.1, 0.1))
    falling.add_body(box, mass=1.0, X=(0.0, 0.0, 0.1))
    on_ground = falling.build()
    result = sim.step(on_ground, on_ground.state())
    assert len(result.contacts) == 4
    return {
        "model": model,
        "state": model.state(),
        "options": sim.StepOptions(tolerance=1e-9),
        "result": result,
        "contacts": result.contacts,
        "solution": result.solution,
        "trajectory": sim.rollout(on_ground, on_ground.state(), np.zeros((3, 6)), solver="ncp_pgs"),
    }


def fingerprint(value: Any) -> Any:
    """Everything that is in a value: every number of every array."""
    if isinstance(value, np.ndarray):
        return type(value).__name__, value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [fingerprint(item) for item in value]
    if isinstance(value, dict):
        return {name: fingerprint(item) for name, item in value.items()}
    if isinstance(value, int) or not type(value).__module__.startswith("tactum"):
        return repr(value)
    own = getattr(value, "__getstate__", None)  # objects of Python 3.10 have none
    return type(value).__name__, fingerprint(vars(value) if own is None else own())
