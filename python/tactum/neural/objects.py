# SPDX-License-Identifier: BSD-2-Clause
"""The objects that the network is trained on and judged by: closed meshes with names, split into
groups that never mix.

    known         240 objects of Google Scanned Objects: the network is trained on them
    calibration   30 more: they choose the threshold of the filter
    unknown       30 more: seen by nothing
    ycb           objects of the YCB set whose meshes are closed

Meshes are moved so that the center of their bounding box is the origin, and rounded to 32 bits, so
that one small file holds all of them.
"""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import tactum

GROUPS = ("known", "calibration", "unknown", "ycb")


@dataclass(frozen=True)
class ObjectSet:
    """Objects in a fixed order; arrays of all of them lie behind each other."""

    names: tuple[str, ...]
    groups: npt.NDArray[np.int8]  #: (n,) index into GROUPS
    vertices: tuple[npt.NDArray[np.float32], ...]  #: (v, 3) each, in metres
    triangles: tuple[npt.NDArray[np.int32], ...]  #: (t, 3) each

    def __len__(self) -> int:
        return len(self.names)

    def members(self, group: str) -> npt.NDArray[np.int64]:
        """Indices of the objects of a group."""
        return np.flatnonzero(self.groups == GROUPS.index(group))

    def mesh(self, index: int) -> tactum.Mesh:
        """The solid of one object."""
        return tactum.Mesh(
            vertices=self.vertices[index].astype(np.float64),
            triangles=self.triangles[index],
            solid=True,
        )

    def table(self) -> tactum.ShapeTable:
        """All objects, for batches."""
        return tactum.ShapeTable([self.mesh(i) for i in range(len(self))])

    def radii(self) -> npt.NDArray[np.float64]:
        """(n,) distance of the farthest vertex from the origin, in metres."""
        return np.array([np.linalg.norm(v.astype(np.float64), axis=1).max() for v in self.vertices])

    def digest(self) -> str:
        """SHA-256 of names, groups, vertices and triangles."""
        state = hashlib.sha256("\n".join(self.names).encode())
        state.update(self.groups.tobytes())
        for vertices, triangles in zip(self.vertices, self.triangles):
            state.update(vertices.tobytes())
            state.update(triangles.tobytes())
        return state.hexdigest()

    def save(self, path: Path) -> None:
        """One .npz file."""
        np.savez_compressed(
            path,
            names=np.array(self.names),
            groups=self.groups,
            num_vertices=np.array([len(v) for v in self.vertices], dtype=np.int32),
            vertices=np.concatenate(self.vertices),
            num_triangles=np.array([len(t) for t in self.triangles], dtype=np.int32),
            triangles=np.concatenate(self.triangles).astype(np.uint16),
        )

    @staticmethod
    def load(path: Path) -> ObjectSet:
        """A file that save() wrote."""
        with np.load(path, allow_pickle=False) as file:
            vertices = np.split(file["vertices"], np.cumsum(file["num_vertices"])[:-1])
            triangles = np.split(
                file["triangles"].astype(np.int32), np.cumsum(file["num_triangles"])[:-1]
            )
            return ObjectSet(
                tuple(str(name) for name in file["names"]),
                file["groups"],
                tuple(vertices),
                tuple(triangles),
            )


def read_objects(data: Path) -> ObjectSet:
    """The objects of a data folder with gso/ and ycb/, in the order of their names.

    Every second object that gso.csv suggests for tests calibrates, the others are unknown. Objects
    that are not closed and oriented are left out.
    """
    found: list[tuple[str, int, npt.NDArray[np.float32], npt.NDArray[np.int32]]] = []
    rows = sorted(_rows(data / "gso" / "gso.csv"), key=lambda row: row["object"])
    held_back = [row["object"] for row in rows if row["suggested_split"] == "test"]
    calibrating = set(held_back[::2])
    for row in rows:
        group = "known"
        if row["suggested_split"] == "test":
            group = "calibration" if row["object"] in calibrating else "unknown"
        found += _solid(row["object"], group, data / "gso" / row["file"])
    for row in sorted(_rows(data / "ycb" / "ycb.csv"), key=lambda row: row["object"]):
        found += _solid(row["object"], "ycb", data / "ycb" / row["file_2k"])
    return ObjectSet(
        tuple(name for name, *_ in found),
        np.array([group for _, group, *_ in found], dtype=np.int8),
        tuple(vertices for *_, vertices, _ in found),
        tuple(triangles for *_, triangles in found),
    )


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        raise ValueError(f"{path}: no such file; give the folder that holds gso/ and ycb/")
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _solid(
    name: str, group: str, path: Path
) -> list[tuple[str, int, npt.NDArray[np.float32], npt.NDArray[np.int32]]]:
    mesh = tactum.Mesh.from_file(path)
    center = 0.5 * (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0))
    vertices = (mesh.vertices - center).astype(np.float32)
    triangles = np.asarray(mesh.triangles, dtype=np.int32)
    if len(vertices) > np.iinfo(np.uint16).max:
        return []
    try:
        tactum.Mesh(vertices=vertices.astype(np.float64), triangles=triangles, solid=True)
    except ValueError:
        return []
    return [(name, GROUPS.index(group), vertices, triangles)]
