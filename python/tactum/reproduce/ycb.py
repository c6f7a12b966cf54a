# SPDX-License-Identifier: BSD-2-Clause
"""Convex hulls of the YCB objects: those of the package, or of a folder of meshes.

A folder is the data set as it is published (OBJECT/google_16k/nontextured.ply) or has the meshes by
name (OBJECT.ply, also in full/ or in ycb/full/). Each hull is moved so that its bounding box is
centered at its origin: the starting point of the paper, the difference of the box centers, is then
the translation between the two frames.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

import tactum

Array = npt.NDArray[np.float64]

PACKAGED = Path(__file__).resolve().parent.parent / "data" / "ycb_hulls.npz"
PLACES = ("*/google_16k/nontextured.ply", "*.ply", "full/*.ply", "ycb/full/*.ply")
PROPERTY_BYTES = {
    "char": 1,
    "uchar": 1,
    "short": 2,
    "ushort": 2,
    "int": 4,
    "uint": 4,
    "float": 4,
    "double": 8,
}


def find_meshes(folder: Path) -> dict[str, Path]:
    """Mesh files by the name of the object, in the order of names."""
    for place in PLACES:
        found = {
            path.parent.parent.name if path.stem == "nontextured" else path.stem: path
            for path in folder.glob(place)
        }
        if found:
            return dict(sorted(found.items()))
    raise ValueError(f"{folder}: no meshes there; looked for {', '.join(PLACES)}")


def read_ply_points(path: Path) -> npt.NDArray[np.float32]:
    """Vertices of a little-endian binary PLY file whose first element is its vertices, each
    starting with three floats."""
    header, end, body = path.read_bytes().partition(b"end_header\n")
    lines = header.decode("ascii", "replace").splitlines()
    elements = [number for number, line in enumerate(lines) if line.startswith("element ")] + [
        len(lines)
    ]
    if (
        not end
        or lines[:2] != ["ply", "format binary_little_endian 1.0"]
        or not lines[elements[0]].startswith("element vertex ")
    ):
        raise ValueError(
            f"{path}: not a little-endian binary PLY file that starts with its vertices"
        )
    kinds = [
        line.split()[1:]
        for line in lines[elements[0] + 1 : elements[1]]
        if line.startswith("property ")
    ]
    if kinds[:3] != [["float", c] for c in "xyz"] or not all(
        kind[0] in PROPERTY_BYTES for kind in kinds
    ):
        raise ValueError(f"{path}: a vertex there does not start with three floats x, y, z")
    stride, count = (
        sum(PROPERTY_BYTES[kind[0]] for kind in kinds),
        int(lines[elements[0]].split()[2]),
    )
    if len(body) < stride * count:
        raise ValueError(f"{path}: ends before its vertices do")
    rows = np.frombuffer(body, dtype=np.uint8, count=count * stride).reshape(count, stride)
    return np.ascontiguousarray(rows[:, :12]).view("<f4")


@lru_cache(maxsize=1)
def _packaged() -> dict[str, npt.NDArray[np.float32]]:
    with np.load(PACKAGED, allow_pickle=False) as archive:
        names, offsets, corners = (archive[key] for key in ("names", "offsets", "corners"))
    return {str(name): corners[offsets[k] : offsets[k + 1]] for k, name in enumerate(names)}


def object_names(folder: Path | None = None) -> list[str]:
    """The objects of the package, or of a folder."""
    return list(_packaged() if folder is None else find_meshes(folder))


def draw_pairs(
    count: int, rng: np.random.Generator, folder: Path | None = None
) -> list[tuple[str, str]]:
    """Pairs of objects, each drawn from all."""
    names = object_names(folder)
    return [(names[i], names[j]) for i, j in rng.integers(len(names), size=(count, 2))]


@lru_cache(maxsize=128)
def hull(name: str, folder: Path | None = None) -> tactum.Convex:
    """The hull of an object, centered."""
    if name not in object_names(folder):
        raise ValueError(f"there is no object {name!r} in {folder or 'the package'}")
    points = (
        _packaged()[name] if folder is None else read_ply_points(find_meshes(folder)[name])
    ).astype(np.float64)
    return tactum.Convex.from_points(points - 0.5 * (points.min(axis=0) + points.max(axis=0)))
