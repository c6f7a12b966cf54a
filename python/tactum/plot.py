# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of pairs and of scenes, by matplotlib (`pip install tactum[demo]`).

Both functions return a matplotlib Figure, which a notebook shows where it is the last value of a
cell, and which savefig() writes:

    tactum.plot.pair(a, X_WA, b, X_WB)                    # two shapes, witness points, normal
    tactum.plot.scene(scene, contacts=scene.contacts())   # all objects, contact points, forces
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from . import _plot
from ._call_errors import explained
from ._errors import InvalidInput

__all__ = ["pair", "scene"]

Array = npt.NDArray[np.float64]
Geometry = tactum.Shape | tactum.Compound | tactum.Mesh

MOST_PARTS = 400  #: more parts than this take minutes
PALETTE = np.array(
    [
        [0.36, 0.56, 0.80],
        [0.95, 0.62, 0.33],
        [0.42, 0.68, 0.46],
        [0.80, 0.44, 0.45],
        [0.60, 0.50, 0.74],
        [0.55, 0.60, 0.66],
    ]
)


def _rigid(X: Any) -> tuple[Array, Array]:
    matrix = tactum.pose_matrix(X)
    return matrix[:3, :3], matrix[:3, 3]


def _axes(axes: Any, size: tuple[int, int]) -> Any:
    if axes is not None:
        return axes
    from ._figure import new_figure  # imported late, since matplotlib is optional

    return new_figure(size[0] / 100, size[1] / 100 + 0.4).add_subplot(1, 1, 1)


@explained
def pair(
    a: Geometry,
    X_WA: Any,
    b: Geometry,
    X_WB: Any,
    result: tactum.Distance | tactum.GeometryDistance | None = None,
    *,
    title: str = "",
    axes: Any = None,
    size: tuple[int, int] = (420, 330),
) -> Any:
    """Draw two shapes, meshes or compounds, translucent, with their witness points and the normal
    at A's.

    result: what distance() returned for them; None: it is computed. axes: of matplotlib, to draw
    into; None: a new figure. size: in pixels. Returns the matplotlib Figure.
    """
    if result is None:
        ask: Callable[..., tactum.Distance] = tactum.distance  # its overloads take no unions
        result = ask(a, X_WA, b, X_WB)
    into = _axes(axes, size)
    _plot.draw_scene(into, _plot.Scene(title, a, _rigid(X_WA), b, _rigid(X_WB), result), size)
    return into.figure


def _parts(scene: tactum.Scene) -> list[tuple[tactum.Shape, tuple[Array, Array], Array]]:
    """Convex parts of all objects with their poses in the world and colors."""
    parts: list[tuple[tactum.Shape, tuple[Array, Array], Array]] = []
    for index, (name, X) in enumerate(zip(scene.ids, scene.poses, strict=True)):
        color = PALETTE[index % len(PALETTE)]
        shape = scene.shape(int(name))
        if isinstance(shape, tactum.Mesh):
            shape = shape.convex_hull()
        pieces = shape.parts if isinstance(shape, tactum.Compound) else [(shape, np.eye(4))]
        for piece, X_CP in pieces:
            world = X @ X_CP
            parts.append((piece, (world[:3, :3], world[:3, 3]), color))
    return parts


@explained
def scene(
    scene: tactum.Scene,
    contacts: tactum.Contacts | None = None,
    forces: npt.ArrayLike | None = None,
    *,
    title: str = "",
    axes: Any = None,
    size: tuple[int, int] = (560, 420),
    azimuth: float = -62.0,
    elevation: float = 22.0,
) -> Any:
    """Draw the objects of a scene, translucent; half-spaces as plates, meshes as their hulls.

    contacts: of Scene.contacts(): their points, with the normals as thin lines. forces: (K, 3) in
    the world, such as contacts.world_forces(solution.force): arrows, the longest a quarter of the
    picture. azimuth, elevation: of the eye, in degrees. Returns the matplotlib Figure.
    """
    if not isinstance(scene, tactum.Scene):
        raise TypeError(f"scene: got {type(scene).__name__}; give a tactum.Scene")
    if not (contacts is None or isinstance(contacts, tactum.Contacts)):
        raise TypeError(
            f"contacts: got {type(contacts).__name__}; give what Scene.contacts() returns"
        )
    parts = _parts(scene)
    if not parts:
        raise InvalidInput("scene", "no objects", "add some first")
    if len(parts) > MOST_PARTS:
        raise InvalidInput("scene", f"{len(parts)} parts", f"draw at most {MOST_PARTS}")
    solid = [p for p in parts if not isinstance(p[0], tactum.HalfSpace)]
    points = np.vstack([_plot.triangulate(s, 24)[0] @ R.T + t for s, (R, t), _ in (solid or parts)])
    view = _plot.Camera(np.zeros(3), 1.0, size, azimuth, elevation)
    seen = points @ view.axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    half = 0.56 * max(high[0] - low[0], (high[1] - low[1]) * size[0] / size[1], 1e-9)
    double = (2 * size[0], 2 * size[1])
    camera = _plot.Camera(0.5 * (low + high) @ view.axes, half, double, azimuth, elevation)
    into = _axes(axes, size)
    image = _plot.render(camera, parts, plate=1.2 * half, center=0.5 * (low + high) @ view.axes)
    into.imshow(
        _plot.downsample(image, 2), extent=(0, double[0], double[1], 0), interpolation="bilinear"
    )
    if contacts is not None and len(contacts) > 0:
        _draw_contacts(into, camera, contacts, forces, half)
    into.set_title(title, fontsize=10.5, color=_plot.INK, pad=3)
    into.set_xlim(0, double[0])
    into.set_ylim(double[1], 0)
    into.set_axis_off()
    return into.figure


def _draw_contacts(
    axes: Any,
    camera: _plot.Camera,
    contacts: tactum.Contacts,
    forces: npt.ArrayLike | None,
    half: float,
) -> None:
    middle = 0.5 * (contacts.point_a + contacts.point_b)
    marks = camera.project(middle)[:, :2]
    axes.plot(*marks.T, "o", ms=4.0, color=_plot.YELLOW, mec=_plot.INK, mew=0.7, zorder=5)
    if forces is None:
        ends = camera.project(middle + 0.12 * half * contacts.normal)[:, :2]
        for mark, end in zip(marks, ends, strict=True):
            axes.plot(*np.stack([mark, end]).T, color=_plot.INK, lw=1.0, zorder=4)
        return
    arrows = np.asarray(forces, dtype=float)
    if arrows.shape != (len(contacts), 3):
        raise InvalidInput(
            "forces",
            f"an array of shape {arrows.shape}",
            f"give ({len(contacts)}, 3), as contacts.world_forces() returns",
        )
    longest = float(np.linalg.norm(arrows, axis=1).max())
    if longest == 0.0:
        return
    ends = camera.project(middle + arrows * (0.5 * half / longest))[:, :2]
    style = {"arrowstyle": "-|>,head_width=0.2,head_length=0.4", "color": _plot.DARK_B, "lw": 1.4}
    for mark, end in zip(marks, ends, strict=True):
        axes.annotate("", end, mark, arrowprops={**style, "shrinkA": 0, "shrinkB": 0}, zorder=6)
