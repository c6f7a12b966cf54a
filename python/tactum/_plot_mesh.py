# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of meshes and of convex parts, opaque, by a depth buffer."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

import tactum

from . import _plot

Array = npt.NDArray[np.float64]
Faces = npt.NDArray[np.int32]

AZIMUTH, ELEVATION = -62.0, 22.0
MAX_FACES = 200_000  # a picture of more would take minutes


@dataclass(frozen=True)
class Body:
    """Triangles in the world, in one color."""

    vertices: Array
    faces: Faces
    color: Array


@dataclass(frozen=True)
class Panel:
    """One picture of a row: its title, its bodies, points to mark and the direction of arrows at
    them, in the world."""

    title: str
    bodies: Sequence[Body]
    points: Sequence[Array] = field(default_factory=list)
    arrows: Sequence[Array] = field(default_factory=list)


def color_of_part(index: int) -> Array:
    """A color that differs from those of the parts before."""
    return np.array(colorsys.hsv_to_rgb((0.58 + 0.618034 * index) % 1.0, 0.45, 0.9))


def body_of_mesh(mesh: tactum.Mesh, X: Array | None = None, color: Array = _plot.COLOR_A) -> Body:
    """A mesh at a pose."""
    pose = np.eye(4) if X is None else X
    return Body(mesh.vertices @ pose[:3, :3].T + pose[:3, 3], mesh.triangles, color)


def bodies_of_parts(compound: tactum.Compound, X: Array | None = None) -> list[Body]:
    """The convex parts of a compound at a pose, each in a color of its own."""
    pose = np.eye(4) if X is None else X
    bodies = []
    for index, (shape, X_CP) in enumerate(compound.parts):
        vertices, faces = _plot.triangulate(shape, 16)
        placed = pose @ X_CP
        bodies.append(
            Body(vertices @ placed[:3, :3].T + placed[:3, 3], faces, color_of_part(index))
        )
    return bodies


def _camera(bodies: Sequence[Body], size: tuple[int, int]) -> _plot.Camera:
    points = np.vstack([body.vertices for body in bodies])
    seen = points @ _plot.Camera(np.zeros(3), 1.0, size, AZIMUTH, ELEVATION).axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    half = 0.53 * max(high[0] - low[0], (high[1] - low[1]) * size[0] / size[1], 1e-9)
    axes = _plot.Camera(np.zeros(3), 1.0, size, AZIMUTH, ELEVATION).axes
    return _plot.Camera(0.5 * (low + high) @ axes, half, size, AZIMUTH, ELEVATION)


def render(camera: _plot.Camera, bodies: Sequence[Body]) -> Array:
    """(height, width, 3) picture of opaque bodies on white."""
    image = np.ones((camera.size[1], camera.size[0], 3))
    nearest = np.full(image.shape[:2], -np.inf)
    for body in bodies:
        for layer in _plot.rasterize(camera, body.vertices, body.faces):
            visible = layer.depth > nearest
            image[visible] = _plot.shade(layer, body.color)[visible]
            nearest = np.maximum(nearest, layer.depth)
    return image


def draw_panels(path: Path, panels: Sequence[Panel], pixels: int = 420) -> None:
    """Writes the panels side by side into a file; needs matplotlib."""
    for panel in panels:
        if sum(len(body.faces) for body in panel.bodies) > MAX_FACES:
            raise ValueError(f"{path}: more than {MAX_FACES} triangles are not drawn")
    figure_class, canvas_class = _plot.matplotlib_classes()
    figure = figure_class(figsize=(4.2 * len(panels), 4.5), dpi=100)
    canvas_class(figure)
    for axes, panel in zip(np.atleast_1d(figure.subplots(1, len(panels))), panels):
        camera = _camera(panel.bodies, (2 * pixels, 2 * pixels))
        axes.imshow(_plot.downsample(render(camera, panel.bodies), 2))
        axes.set_title(panel.title, fontsize=11, color=_plot.INK)
        axes.axis("off")
        for point in panel.points:
            x, y = 0.5 * camera.project(point)[0, :2]
            axes.plot(x, y, "o", ms=5, color=_plot.YELLOW, mec=_plot.INK)
        for start, along in zip(panel.points, panel.arrows):
            (x0, y0, _), (x1, y1, _) = 0.5 * camera.project(np.array([start, start + along]))
            axes.annotate(
                "", (x1, y1), (x0, y0), arrowprops={"arrowstyle": "->", "color": _plot.INK}
            )
    figure.tight_layout()
    figure.savefig(path)
