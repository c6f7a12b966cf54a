# SPDX-License-Identifier: BSD-2-Clause
"""Places for the postures: a fridge, a car and a ladder, modelled by us after the pictures of the
paper on STP volumes (Figs 18 to 20). The robot faces x, its left is y; lengths are in metres, for a
robot of the size of HRP-2. For another one, a place and what is to be done there are larger."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import tactum

from .humanoid import Humanoid
from .posture_robot import PostureRobot
from .postures import Scenario

Array = npt.NDArray[np.float64]

SOLE, PALM = Humanoid.sole, Humanoid.palm
Obstacles = dict[str, tuple[tactum.Shape, Array]]


def at(x: float, y: float, z: float, turn: float = 0.0, axis: int = 2) -> Array:
    """A pose; turn: in degrees about a coordinate axis."""
    X = np.eye(4)
    s, c = np.sin(np.radians(turn)), np.cos(np.radians(turn))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    X[i, i], X[i, j], X[j, i], X[j, j] = c, -s, s, c
    X[:3, 3] = x, y, z
    return X


def plate(x: float, y: float, z: float) -> tactum.Box:
    """A box of full sizes."""
    return tactum.Box(half_extents=(0.5 * x, 0.5 * y, 0.5 * z))


def fridge() -> Scenario:
    """Take a can out of a fridge with the left hand, both feet on the floor; 33 pairs."""
    obstacles: Obstacles = {
        "upper_door": (plate(0.5, 0.04, 0.8), at(0.17, 0.34, 1.2)),
        "lower_door": (plate(0.5, 0.04, 0.6), at(0.31, 0.27, 0.42, 35.0)),
        "left_panel": (plate(0.5, 0.04, 1.5), at(0.68, 0.4, 0.8)),
        "lower_shelf": (plate(0.45, 0.7, 0.02), at(0.66, 0.05, 0.86)),
        "upper_shelf": (plate(0.45, 0.7, 0.02), at(0.66, 0.05, 1.13)),
        "carafe": (tactum.Cylinder(radius=0.05, half_length=0.12), at(0.41, 0.13, 0.99)),
        "clementine": (tactum.Sphere(radius=0.035), at(0.52, 0.2, 0.905)),
        "other_clementine": (tactum.Sphere(radius=0.035), at(0.5, 0.28, 0.905)),
    }
    arm = ("left_upper_arm", "left_forearm", "left_hand")
    near = [(body, o) for o in obstacles for body in arm]
    near += [("chest", "upper_door"), ("head", "upper_door"), ("chest", "carafe")]
    near += [(f"left_{part}", "lower_door") for part in ("thigh", "shin", "foot")]
    near += [("head", "upper_shelf"), ("chest", "lower_shelf"), ("waist", "lower_shelf")]
    return Scenario(
        "fridge",
        [
            ("left_foot", SOLE, np.array([0.0, 0.1, 0.0])),
            ("right_foot", SOLE, np.array([0.0, -0.1, 0.0])),
            ("left_hand", PALM, np.array([0.64, 0.2, 0.97])),
        ],
        ["left_foot", "right_foot"],
        (-0.06, 0.12, -0.12, 0.12),
        obstacles,
        near,
    )


def car() -> Scenario:
    """Put the right foot on the floor of a car, standing on the left one outside it; 28 pairs."""
    obstacles: Obstacles = {
        "sill": (plate(1.4, 0.08, 0.34), at(0.1, -0.31, 0.17)),
        "seat": (plate(0.45, 0.45, 0.24), at(-0.42, -0.58, 0.5)),
        "backrest": (plate(0.12, 0.45, 0.6), at(-0.68, -0.58, 0.85, 12.0, 1)),
        "dashboard": (plate(0.3, 0.8, 0.3), at(0.33, -0.7, 0.72)),
        "wheel": (tactum.Cylinder(radius=0.18, half_length=0.015), at(0.14, -0.62, 0.72, 60.0, 1)),
        "door": (plate(0.7, 0.06, 0.6), at(0.42, 0.3, 0.65, 25.0)),
        "window": (plate(0.6, 0.02, 0.4), at(0.42, 0.3, 1.16, 25.0)),
        "roof": (tactum.Capsule(radius=0.04, half_length=0.6), at(-0.1, -0.34, 1.42, 90.0, 1)),
    }
    leg = ("right_thigh", "right_shin", "right_foot")
    near = [(b, o) for o in ("sill", "seat", "dashboard", "wheel") for b in leg]
    near += [(b, o) for o in ("door", "window") for b in ("left_hand", "left_forearm", "chest")]
    near += [("left_shin", "sill"), ("left_foot", "sill"), ("left_thigh", "sill")]
    near += [("right_hand", "wheel"), ("right_hand", "seat"), ("right_hand", "backrest")]
    near += [("head", "roof"), ("right_upper_arm", "roof"), ("chest", "roof")]
    near += [("right_forearm", "roof")]
    return Scenario(
        "car",
        [
            ("left_foot", SOLE, np.array([0.0, 0.0, 0.0])),
            ("right_foot", SOLE, np.array([0.16, -0.5, 0.22])),
        ],
        ["left_foot", "right_foot"],
        (-0.06, 0.12, -0.05, 0.05),
        obstacles,
        near,
        (-0.1, -0.3, 0.1),
    )


def at_work() -> Scenario:
    """Reach far to the front left from a ladder, the right hand on its banister; 15 pairs."""
    rail = tactum.Capsule(radius=0.02, half_length=0.6)
    obstacles: Obstacles = {
        "step": (plate(0.12, 0.5, 0.03), at(0.22, 0.0, 0.78)),
        "upper_step": (plate(0.12, 0.5, 0.03), at(0.36, 0.0, 1.06)),
        "left_banister": (rail, at(0.26, 0.24, 1.3, 25.0, 1)),
        "right_banister": (rail, at(0.26, -0.24, 1.3, 25.0, 1)),
        "crate": (plate(0.3, 0.3, 0.3), at(0.6, 0.7, 1.35)),
    }
    near = [(f"{side}_{part}", "step") for side in ("left", "right") for part in ("thigh", "shin")]
    near += [("left_thigh", "left_banister"), ("right_thigh", "right_banister")]
    near += [("chest", "right_banister"), ("waist", "right_banister"), ("chest", "left_banister")]
    near += [("left_forearm", "crate"), ("left_hand", "left_banister"), ("chest", "upper_step")]
    near += [("left_forearm", "left_banister"), ("waist", "upper_step")]
    near += [("right_upper_arm", "right_banister")]
    return Scenario(
        "at-work",
        [
            ("left_foot", SOLE, np.array([0.05, 0.1, 0.5])),
            ("right_foot", SOLE, np.array([0.05, -0.1, 0.5])),
            ("right_hand", PALM, np.array([0.04, -0.24, 1.12])),
            ("left_hand", PALM, np.array([0.4, 0.6, 1.5])),
        ],
        ["left_foot", "right_foot"],
        (-0.02, 0.16, -0.14, 0.14),
        obstacles,
        near,
        (0.0, 0.0, 0.5),
    )


def scaled_shape(shape: tactum.Shape, factor: float) -> tactum.Shape:
    """A box, a sphere, a cylinder or a capsule, larger."""
    if isinstance(shape, tactum.Box):
        return tactum.Box(half_extents=factor * np.asarray(shape.half_extents))
    if isinstance(shape, tactum.Sphere):
        return tactum.Sphere(radius=factor * shape.radius)
    kind = type(shape)
    return kind(radius=factor * shape.radius, half_length=factor * shape.half_length)  # type: ignore


def scaled_pose(X: Array, factor: float) -> Array:
    """A pose in a larger place."""
    found = X.copy()
    found[:3, 3] *= factor
    return found


def fitted(scenario: Scenario, robot: PostureRobot) -> Scenario:
    """The same place and tasks, as large as the robot, with its soles and palms."""
    factor = robot.scale
    local = {"foot": robot.sole, "hand": robot.palm}
    x0, x1, y0, y1 = (factor * side for side in scenario.support)
    x, y, z = (factor * shift for shift in scenario.start)
    return Scenario(
        scenario.name,
        [
            (body, local[body.split("_")[1]], factor * target)
            for body, _, target in scenario.targets
        ],
        scenario.flat,
        (x0, x1, y0, y1),
        {
            name: (scaled_shape(shape, factor), scaled_pose(X, factor))
            for name, (shape, X) in scenario.obstacles.items()
        },
        scenario.near,
        (x, y, z),
    )
