# SPDX-License-Identifier: BSD-2-Clause
"""A real object for the demo: a mug on a peg, by its hull, by its convex parts and by its exact
triangles."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt

import tactum

from . import _plot, _plot_mesh

Array = npt.NDArray[np.float64]

MUG = "Threshold_Porcelain_Coffee_Mug_All_Over_Bead_White"
PEG = tactum.Cylinder(radius=0.007, half_length=0.075)
PEG_CENTER = (-0.0415, -0.0018, 0.046)  # in the frame of the mug: inside its handle
MAX_STEPS = 200


@dataclass(frozen=True)
class MugOnPeg:
    """Distances of the peg in the handle, and where the mug comes to hang."""

    mesh: tactum.Mesh
    parts: tactum.Decomposition
    X_peg: Array
    hull: tactum.Distance
    by_parts: tactum.Distance
    exact: tactum.Distance
    drop: float  # m
    contact: tactum.Distance


def load_object(name: str) -> tuple[tactum.Mesh, tactum.Decomposition]:
    """A solid mesh and its convex parts from the data of the package."""
    file = resources.files("tactum") / "data" / "gso_objects.npz"
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as data:
        arrays = {key: data[key] for key in data.files}
    index = arrays["names"].tolist().index(name)

    def rows(values: str, sizes: str) -> npt.NDArray[np.generic]:
        found: npt.NDArray[np.generic] = np.split(arrays[values], np.cumsum(arrays[sizes])[:-1])[
            index
        ]
        return found

    mesh = tactum.Mesh(
        vertices=rows("vertices", "num_vertices").astype(np.float64),
        triangles=rows("triangles", "num_triangles"),
        solid=True,
    )
    hulls = np.split(arrays["part_vertices"], np.cumsum(arrays["part_sizes"])[:-1])
    first = int(arrays["num_parts"][:index].sum())
    own = hulls[first : first + int(arrays["num_parts"][index])]
    return mesh, tactum.Decomposition([hull.astype(np.float64) for hull in own], mesh)


def lowered(drop: float) -> Array:
    """The pose of the mug after a fall of `drop` metres."""
    X = np.eye(4)
    X[2, 3] = -drop
    return X


def run() -> MugOnPeg:
    """Asks all three forms of the mug, and lets the exact one fall onto the peg."""
    mesh, parts = load_object(MUG)
    X_peg = np.eye(4)
    X_peg[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]  # along y
    X_peg[:3, 3] = PEG_CENTER
    here = np.eye(4)
    drop = 0.0
    contact: tactum.Distance = tactum.distance(mesh, here, PEG, X_peg)
    exact = contact
    for _ in range(MAX_STEPS):
        # a fall by the distance cannot go through anything
        if contact.distance < 1e-9:
            break
        drop += contact.distance
        contact = tactum.distance(mesh, lowered(drop), PEG, X_peg)
    return MugOnPeg(
        mesh=mesh,
        parts=parts,
        X_peg=X_peg,
        hull=tactum.distance(mesh.convex_hull(), here, PEG, X_peg),
        by_parts=tactum.distance(parts, here, PEG, X_peg),
        exact=exact,
        drop=drop,
        contact=contact,
    )


def text(result: MugOnPeg) -> list[str]:
    """The lines of the report."""
    report = result.parts.report(samples=2000)
    lines = [f"{'form':<26}{'status':<16}{'distance (mm)':>14}"]
    for name, found in (
        ("convex hull", result.hull),
        (f"{len(result.parts)} convex parts", result.by_parts),
        (f"{len(result.mesh.triangles)} triangles, exact", result.exact),
    ):
        lines.append(f"{name:<26}{found.status!s:<16}{1000.0 * found.distance:>14.4f}")
    covered, added = report.covered or 0.0, report.added or 0.0
    lines.append(
        f"the parts cover {100.0 * covered:.1f} % of the mug and add {100.0 * added:.1f} %; it falls"
        f" {1000.0 * result.drop:.4f} mm and hangs at a gap of {result.contact.distance:.1e} m"
    )
    return lines


def draw(result: MugOnPeg, path: Path) -> None:
    """Writes the picture: the mug, its parts, and how it hangs."""
    vertices, faces = _plot.triangulate(PEG, 24)
    peg = _plot_mesh.Body(
        vertices @ result.X_peg[:3, :3].T + result.X_peg[:3, 3], faces, _plot.COLOR_B
    )
    hanging = _plot_mesh.body_of_mesh(result.mesh, lowered(result.drop))
    _plot_mesh.draw_panels(
        path,
        [
            _plot_mesh.Panel("exact triangles", [_plot_mesh.body_of_mesh(result.mesh)]),
            _plot_mesh.Panel(
                f"{len(result.parts)} convex parts", _plot_mesh.bodies_of_parts(result.parts)
            ),
            _plot_mesh.Panel(
                "on a peg: the exact contact",
                [hanging, peg],
                [result.contact.point_b],
                [-0.03 * result.contact.normal],
            ),
        ],
    )
