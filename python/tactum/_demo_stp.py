# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of sphere-torus-patch volumes for the demo: the patches by color, from a loose
volume to one that is almost the hull."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

import tactum

from . import _plot

Array = npt.NDArray[np.float64]

NAMES = ("small spheres", "tori", "big spheres")
COLORS = np.array([[0.93, 0.52, 0.25], [0.30, 0.62, 0.55], [0.40, 0.58, 0.85]])
SMALL_RADIUS = 0.12
BIG_RADII = (1.35, 2.5, 20.0)


def volumes() -> list[tactum.Stp]:
    """Volumes of one set of points with three big radii."""
    rng = np.random.default_rng(4)
    points = rng.normal(size=(14, 3))
    points *= np.array([1.0, 0.75, 0.6]) / np.linalg.norm(points, axis=1, keepdims=True)
    return [
        tactum.Stp.from_points(points, small_radius=SMALL_RADIUS, big_radius=radius)
        for radius in BIG_RADII
    ]


def render(stp: tactum.Stp, pixels: int) -> Array:
    """(pixels, pixels, 3) picture of the volume on white, every patch in the color of its kind."""
    mesh = stp.to_mesh(14)
    camera = _plot.Camera(np.zeros(3), 1.12, (pixels, pixels), azimuth=-62.0, elevation=24.0)
    image = np.ones((pixels, pixels, 3))
    nearest = np.full((pixels, pixels), -np.inf)
    for kind, color in enumerate(COLORS):
        front, _ = _plot.rasterize(camera, mesh.vertices, mesh.triangles[mesh.patches == kind])
        seen = front.depth > nearest
        image[seen] = _plot.shade(front, color)[seen]
        nearest = np.maximum(nearest, front.depth)
    return image


def draw(path: Path, pixels: int = 360) -> None:
    """Write the picture to a PNG file. Raises ImportError when matplotlib is missing."""
    figure_class, canvas_class = _plot.matplotlib_classes()
    shapes = volumes()
    figure = figure_class(figsize=(3.2 * len(shapes), 3.7), dpi=110, facecolor="white")
    canvas_class(figure)
    for index, stp in enumerate(shapes):
        axes = figure.add_subplot(1, len(shapes), index + 1)
        axes.imshow(_plot.downsample(render(stp, 2 * pixels), 2), interpolation="bilinear")
        title = f"R = {stp.big_radius:g} m: {stp.num_points} points, {stp.num_edges} edges, {stp.num_faces} faces"
        axes.set_title(title, fontsize=9.5, color=_plot.INK)
        axes.set_axis_off()
    for place, (name, color) in enumerate(zip(NAMES, COLORS, strict=True)):
        figure.text(
            0.33 + 0.17 * place,
            0.03,
            name,
            ha="center",
            fontsize=10,
            color="white",
            bbox={"facecolor": color, "lw": 0},
        )
    figure.subplots_adjust(left=0.01, right=0.99, top=0.92, bottom=0.08, wspace=0.02)
    figure.savefig(path)
