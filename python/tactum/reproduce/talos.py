# SPDX-License-Identifier: BSD-2-Clause
"""Talos for the posture experiments, from its URDF by Pinocchio: 30 joints, and the hulls of the
collision meshes of its links.

The model is that of example-robot-data (`pip install pin example-robot-data`). It stands for the
HRP-2 of the paper, whose model is not public. The base moves by three slides and three turns, so
that all 36 coordinates are plain numbers; the grippers stay as they are at 0.
"""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from .posture_robot import SIDES, PostureRobot

Array = npt.NDArray[np.float64]

URDF = "talos_data/robots/talos_reduced.urdf"
PACKAGE = "package://example-robot-data/robots/"
HRP2_HEIGHT = 1.54  # m, published
THIGH_MARGIN = 0.002  # m
BASE_REACH, BASE_TURN = 2.0, np.radians(60.0)  # limits of the base, m and rad
#: joint behind which a body of the postures is
ENDS = {"waist": "base", "chest": "torso_2_joint", "head": "head_2_joint"} | {
    f"{side}_{part}": f"{joint.format(side)}_joint"
    for side in SIDES
    for part, joint in (
        ("thigh", "leg_{}_3"),
        ("shin", "leg_{}_4"),
        ("foot", "leg_{}_6"),
        ("upper_arm", "arm_{}_3"),
        ("forearm", "arm_{}_5"),
        ("hand", "arm_{}_7"),
    )
}


def robots_folder() -> Path | None:
    """Where example-robot-data keeps its robots; None where it is not installed."""
    for package in ("pinocchio", "tactum"):
        found = importlib.util.find_spec(package)
        for parent in Path(found.origin).parents if found and found.origin else ():
            folder = parent / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
            if folder.is_dir():
                return folder
            folder = parent / "share" / "example-robot-data" / "robots"
            if folder.is_dir():
                return folder
    return None


def is_available() -> bool:
    """Whether Pinocchio and the model are installed."""
    folder = robots_folder() if importlib.util.find_spec("pinocchio") else None
    return folder is not None and (folder / URDF).is_file()


def base_joint(pinocchio: Any) -> Any:
    """Slides along x, y, z, then turns about z, y, x."""
    root = pinocchio.JointModelComposite()
    for joint in ("PX", "PY", "PZ", "RZ", "RY", "RX"):
        root.addJoint(getattr(pinocchio, f"JointModel{joint}")())
    return root


class Talos(PostureRobot):
    """The robot; its bodies are the joints of Pinocchio's model but the universe."""

    def __init__(self) -> None:
        import pinocchio

        folder = robots_folder()
        if folder is None:
            raise ImportError("Talos needs its model: pip install pin example-robot-data")
        text = (folder / URDF).read_text().replace(PACKAGE, f"{folder}/")
        whole = pinocchio.buildModelFromXML(text, base_joint(pinocchio))
        shapes = pinocchio.buildGeomFromUrdfString(whole, text, pinocchio.GeometryType.COLLISION)
        locked = [j for j, name in enumerate(whole.names) if name.startswith("gripper")]
        neutral = pinocchio.neutral(whole)
        self._pinocchio = pinocchio
        self.model, kept = pinocchio.buildReducedModel(whole, [shapes], locked, neutral)
        self._geometries = kept[0].geometryObjects
        self._data = self.model.createData()
        of_joint = {joint: name for name, joint in ENDS.items()}
        joints = list(self.model.names)[1:]
        names = [of_joint.get("base" if k == 0 else joint, joint) for k, joint in enumerate(joints)]
        inertias = list(self.model.inertias)[1:]
        lower = np.array(self.model.lowerPositionLimit)
        upper = np.array(self.model.upperPositionLimit)
        lower[:6] = [-BASE_REACH] * 3 + [-BASE_TURN] * 3
        upper[:6] = -lower[:6]
        super().__init__(
            names,
            [self._hull_points(k) for k in range(1, len(self.model.names))],
            np.array([inertia.mass for inertia in inertias]),
            np.array([inertia.lever for inertia in inertias]),
            lower,
            upper,
        )
        # with a centimetre each they would overlap already when the legs are straight
        self.margins[[self.index[f"{side}_thigh"] for side in SIDES]] = THIGH_MARGIN
        self.sole = np.array([0.0, 0.0, self.points[self.index["left_foot"]][:, 2].min()])
        self.palm = np.array([0.0, 0.0, self.points[self.index["left_hand"]][:, 2].min()])
        self.scale = float(np.ptp(self._heights(self._straight()))) / HRP2_HEIGHT

    def _hull_points(self, joint: int) -> Array:
        """Corners of the hull of the meshes that move with a joint, in its frame."""
        found = [np.zeros((0, 3))]
        for geometry in self._geometries:
            if geometry.parentJoint == joint and Path(geometry.meshPath).is_file():
                mesh = tactum.Mesh.from_file(geometry.meshPath)
                X, points = geometry.placement, mesh.vertices * np.asarray(geometry.meshScale)
                found.append(points @ X.rotation.T + X.translation)
        return np.asarray(tactum.Convex.from_points(np.concatenate(found)).vertices)

    def _straight(self) -> Array:
        """All joints at 0, or at the limit next to it, with the base at the origin."""
        return np.clip(np.zeros(self.size), self.lower, self.upper)

    def _heights(self, q: Array) -> Array:
        """Of all points."""
        placed = zip(self.points, self.poses(q)[0], strict=True)
        return np.concatenate([points @ X[2, :3] + X[2, 3] for points, X in placed])

    def zero(self) -> Array:
        """All joints at 0, or at the limit next to it, and the feet on the plane z = 0."""
        q = self._straight()
        q[2] -= self._heights(q).min()
        return q

    def poses(self, q: Array) -> tuple[Array, Array]:
        """Poses (31, 4, 4) of the bodies, and their Jacobians (31, 6, 36): [v; w] in body axes."""
        self._pinocchio.computeJointJacobians(self.model, self._data, q)
        X_W = np.array([X.homogeneous for X in list(self._data.oMi)[1:]])
        local = self._pinocchio.ReferenceFrame.LOCAL
        jacobians = [
            self._pinocchio.getJointJacobian(self.model, self._data, j, local)
            for j in range(1, self.model.njoints)
        ]
        return X_W, np.array(jacobians)


@functools.cache
def talos() -> Talos:
    """The one robot of all experiments."""
    return Talos()
