# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of pairs of convex shapes, for the demo.

A convex body has one front and one back at every pixel, so two bodies make at most four layers.
They are drawn into depth buffers and mixed in their true order, which plotting libraries do not do
for bodies that go through each other. matplotlib writes the file and adds points, arrows and text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

Array = npt.NDArray[np.float64]
Geometry = tactum.Shape | tactum.Compound | tactum.Mesh

COLOR_A = np.array([0.36, 0.56, 0.80])
COLOR_B = np.array([0.95, 0.62, 0.33])
INK = "#23303f"
DARK_A, DARK_B = "#1f4e8c", "#b4560e"
YELLOW = "#ffd92f"
PLATE_HALF_SIZE = 0.42
PLATE_THICKNESS = 0.03 / PLATE_HALF_SIZE  #: as a share of the half size


@dataclass(frozen=True)
class Scene:
    """One picture: a pair, its poses as (R, t), and the answer."""

    title: str
    a: Geometry
    X_WA: tuple[Array, Array]
    b: Geometry
    X_WB: tuple[Array, Array]
    result: tactum.Distance | tactum.GeometryDistance


def triangulate(
    shape: Geometry, resolution: int = 112, plate: float = PLATE_HALF_SIZE
) -> tuple[Array, npt.NDArray[np.int32]]:
    """Vertices and outward triangles of a shape. A half-space becomes a thin plate of that half
    size."""
    if not isinstance(shape, tactum.HalfSpace):
        mesh = shape.to_mesh(
            min(resolution, 48) if isinstance(shape, tactum.Compound) else resolution
        )
        return np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    square = shape.to_mesh(size=plate).vertices
    hull = tactum.Convex.from_points(
        np.vstack([square, square - PLATE_THICKNESS * plate * shape.normal[None, :]])
    )
    return np.asarray(hull.vertices), np.asarray(hull.faces)


class Camera:
    """Orthographic view from a direction; pixel rows run downwards."""

    def __init__(
        self,
        center: Array,
        half_width: float,
        size: tuple[int, int],
        azimuth: float,
        elevation: float,
    ) -> None:
        a, e = np.radians([azimuth, elevation])
        towards = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        self.axes = np.stack([right, np.cross(towards, right), towards])
        self.center, self.size = center, size
        self.pixels_per_metre = 0.5 * size[0] / half_width

    def project(self, points: Array) -> Array:
        """(N, 3) columns x, y in pixels and height towards the eye in metres."""
        seen = (np.atleast_2d(points) - self.center) @ self.axes.T
        x = 0.5 * self.size[0] + self.pixels_per_metre * seen[:, 0]
        y = 0.5 * self.size[1] - self.pixels_per_metre * seen[:, 1]
        return np.column_stack([x, y, seen[:, 2]])


@dataclass
class Layer:
    """Depth towards the eye (minus infinity: nothing) and normal in the camera's axes, for every
    pixel."""

    depth: Array
    normal: Array


def rasterize(camera: Camera, vertices: Array, faces: npt.NDArray[np.int32]) -> tuple[Layer, Layer]:
    """What of the triangles that face the eye is nearest to it, and of those that face away: the
    front and back of a convex body."""
    width, height = camera.size
    layers = tuple(
        Layer(np.full((height, width), -np.inf), np.zeros((height, width, 3))) for _ in range(2)
    )
    projected = camera.project(vertices)
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    normals = (normals / np.maximum(lengths, 1e-300)[:, None]) @ camera.axes.T
    for face, normal in zip(faces[lengths > 0], normals[lengths > 0], strict=True):
        p = projected[face]
        area = (p[1, 0] - p[0, 0]) * (p[2, 1] - p[0, 1]) - (p[2, 0] - p[0, 0]) * (p[1, 1] - p[0, 1])
        if abs(area) < 1e-9:
            continue
        low = np.maximum(np.floor(p[:, :2].min(axis=0)).astype(int), 0)
        high = np.minimum(np.ceil(p[:, :2].max(axis=0)).astype(int) + 1, camera.size)
        if np.any(high <= low):
            continue
        x = np.arange(low[0], high[0]) + 0.5
        y = (np.arange(low[1], high[1]) + 0.5)[:, None]
        u = ((x - p[0, 0]) * (p[2, 1] - p[0, 1]) - (p[2, 0] - p[0, 0]) * (y - p[0, 1])) / area
        v = ((p[1, 0] - p[0, 0]) * (y - p[0, 1]) - (x - p[0, 0]) * (p[1, 1] - p[0, 1])) / area
        inside = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9)
        depth = p[0, 2] + u * (p[1, 2] - p[0, 2]) + v * (p[2, 2] - p[0, 2])
        layer = layers[0 if normal[2] >= 0 else 1]
        window = (slice(low[1], high[1]), slice(low[0], high[0]))
        inside &= depth > layer.depth[window]
        layer.depth[window] = np.where(inside, depth, layer.depth[window])
        layer.normal[window] = np.where(inside[..., None], normal, layer.normal[window])
    return layers[0], layers[1]


def shade(layer: Layer, color: Array) -> Array:
    """Soft light from above left, a little sky, darker where the surface turns away."""
    light = np.array([-0.45, 0.65, 0.62])
    n = layer.normal * np.sign(layer.normal[..., 2:3] + 1e-12)
    diffuse = np.clip(n @ (light / np.linalg.norm(light)), 0.0, 1.0)
    half = light / np.linalg.norm(light) + np.array([0.0, 0.0, 1.0])
    gloss = np.clip(n @ (half / np.linalg.norm(half)), 0.0, 1.0) ** 48
    sky = 0.5 + 0.5 * n[..., 1]
    lit = color * (0.50 + 0.16 * sky + 0.46 * diffuse)[..., None] + 0.22 * gloss[..., None]
    return np.asarray(np.clip(lit, 0.0, 1.0))


def render(
    camera: Camera,
    bodies: Sequence[tuple[Geometry, tuple[Array, Array], Array]],
    plate: float = PLATE_HALF_SIZE,
    center: Array | None = None,
) -> Array:
    """(height, width, 3) picture of translucent bodies on white. plate: half size of the squares
    that stand for half-spaces; center: the point in the world that they lie below, None: their
    own."""
    layers: list[tuple[Array, Array, Array]] = []  # depth, color, opacity
    for shape, (R, t), color in bodies:
        vertices, faces = triangulate(shape, plate=plate)
        world = vertices @ R.T + t
        if center is not None and isinstance(shape, tactum.HalfSpace):
            away, up = center - world.mean(axis=0), R @ shape.normal
            world = world + away - (away @ up) * up
        front, back = rasterize(camera, world, faces)
        for layer, base, edge in ((front, 0.46, 0.42), (back, 0.20, 0.15)):
            facing = np.abs(layer.normal[..., 2])
            opacity = np.where(np.isfinite(layer.depth), base + edge * (1.0 - facing) ** 2, 0.0)
            layers.append((layer.depth, shade(layer, color), opacity))
    depth = np.stack([entry[0] for entry in layers])
    order = np.argsort(depth, axis=0, kind="stable")  # far to near
    image = np.ones((*depth.shape[1:], 3))
    for rank in range(len(layers)):
        chosen = order[rank]
        color = np.choose(chosen[..., None], [entry[1] for entry in layers])
        opacity = np.choose(chosen, [entry[2] for entry in layers])[..., None]
        image = (1.0 - opacity) * image + opacity * color
    return image


def downsample(image: Array, factor: int) -> Array:
    height, width = image.shape[0] // factor, image.shape[1] // factor
    blocks = image[: height * factor, : width * factor].reshape(height, factor, width, factor, 3)
    return np.asarray(blocks.mean(axis=(1, 3)))


def _world_vertices(shape: Geometry, X: tuple[Array, Array]) -> Array:
    return triangulate(shape, 24)[0] @ X[0].T + X[1]


def _camera(scene: Scene, size: tuple[int, int]) -> Camera:
    points = np.vstack([_world_vertices(scene.a, scene.X_WA), _world_vertices(scene.b, scene.X_WB)])
    camera = Camera(np.zeros(3), 1.0, size, azimuth=-62.0, elevation=22.0)
    seen = points @ camera.axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    half = 0.5 * max(high[0] - low[0], (high[1] - low[1]) * size[0] / size[1]) * 1.06
    return Camera(0.5 * (low + high) @ camera.axes, half, size, azimuth=-62.0, elevation=22.0)


def draw_scene(
    axes: Any,
    scene: Scene,
    size: tuple[int, int] = (420, 330),
    oversample: int = 2,
    targets: Sequence[Array] = (),
) -> None:
    """Draw one pair into matplotlib axes: bodies, witness points, the normal at A's point, and
    points of the caller's in yellow."""
    camera = _camera(scene, (size[0] * oversample, size[1] * oversample))
    image = render(camera, [(scene.a, scene.X_WA, COLOR_A), (scene.b, scene.X_WB, COLOR_B)])
    axes.imshow(
        downsample(image, oversample),
        extent=(0, camera.size[0], camera.size[1], 0),
        interpolation="bilinear",
    )
    r = scene.result
    reach = max(r.distance, 0.0) + 0.15 * camera.size[0] / camera.pixels_per_metre
    marks = camera.project(np.stack([r.point_a, r.point_b, r.point_a + reach * r.normal]))[:, :2]
    arrow = {
        "arrowstyle": "-|>,head_width=0.28,head_length=0.55",
        "color": INK,
        "lw": 1.5,
        "shrinkA": 0,
        "shrinkB": 0,
    }
    axes.annotate("", marks[2], marks[0], arrowprops=arrow)
    axes.plot(marks[:2, 0], marks[:2, 1], color=INK, lw=1.2, ls=(0, (1.5, 1.2)), zorder=4)
    for mark, color in zip(marks[:2], (DARK_A, DARK_B), strict=True):
        axes.plot(*mark, "o", ms=6.5, color=color, mec="white", mew=1.1, zorder=5)
    for target in targets:
        axes.plot(
            *camera.project(target[None, :])[0, :2],
            "o",
            ms=4.5,
            color=YELLOW,
            mec=INK,
            mew=0.8,
            zorder=6,
        )
    axes.set_title(scene.title, fontsize=10.5, color=INK, pad=3)
    number = f"{r.distance:+.0e}" if r.status == tactum.Status.touching else f"{r.distance:+.4f}"
    axes.text(
        0.5,
        -0.03,
        f"{r.status}, d = {number} m",
        transform=axes.transAxes,
        ha="center",
        va="top",
        fontsize=9,
        color=INK,
    )
    axes.set_axis_off()


def draw_grid(
    scenes: Sequence[Scene],
    path: Path,
    columns: int = 3,
    on_step: Callable[[], None] = lambda: None,
) -> None:
    """Write a grid of pairs to a PNG file. Raises ImportError when matplotlib is missing."""
    figure_class, canvas_class = matplotlib_classes()
    rows = -(-len(scenes) // columns)
    figure = figure_class(figsize=(3.3 * columns, 2.95 * rows), dpi=110, facecolor="white")
    canvas_class(figure)
    for index, scene in enumerate(scenes):
        draw_scene(figure.add_subplot(rows, columns, index + 1), scene)
        on_step()
    figure.subplots_adjust(left=0.01, right=0.99, top=0.95, bottom=0.05, wspace=0.02, hspace=0.22)
    figure.savefig(path)


def draw_contact_pose(
    start: Scene, end: Scene, targets: tuple[Array, Array], history: Array, path: Path
) -> None:
    """Write start and end of a search for a contact pose, and its cost, to a PNG file. targets:
    in the frames of A and B."""
    figure_class, canvas_class = matplotlib_classes()
    figure = figure_class(figsize=(10.5, 3.4), dpi=110, facecolor="white")
    canvas_class(figure)
    for column, scene in enumerate((start, end)):
        poses = (scene.X_WA, scene.X_WB)
        points = [R @ target + t for (R, t), target in zip(poses, targets, strict=True)]
        draw_scene(figure.add_subplot(1, 3, column + 1), scene, targets=points)
    axes = figure.add_subplot(1, 3, 3)
    axes.semilogy(np.maximum(history, 1e-34), "o-", ms=3.5, color=DARK_A, lw=1.5)
    axes.set_xlabel("iteration")
    axes.set_ylabel("cost (m$^2$)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.subplots_adjust(left=0.01, right=0.98, top=0.9, bottom=0.15, wspace=0.16)
    figure.savefig(path)


def draw_curve(
    offsets: Array, results: Sequence[tactum.Distance], scales: Array, path: Path
) -> None:
    """Write the signed distance along a path, and how wide its proved bounds are, to a PNG file."""
    figure_class, canvas_class = matplotlib_classes()
    figure = figure_class(figsize=(7.0, 5.0), dpi=110, facecolor="white")
    canvas_class(figure)
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    distance = np.array([r.distance for r in results])
    top.axhline(0.0, color="#c8ced6", lw=1)
    top.fill_between(
        offsets, distance, 0.0, where=(distance < 0.0).tolist(), color=COLOR_B, alpha=0.25, lw=0
    )
    top.plot(offsets, distance, color=DARK_A, lw=2)
    top.set_ylabel("signed distance (m)")
    bottom.semilogy(
        offsets, np.array([r.upper - r.lower for r in results]) / scales, ".", ms=4, color=DARK_B
    )
    bottom.set_ylabel("(upper - lower) / scale")
    bottom.set_xlabel("position of the cone along x (m)")
    bottom.set_ylim(1e-16, 1e-9)
    bottom.axhline(1e-10, color="#c8ced6", lw=1)
    for axes in (top, bottom):
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path)


def matplotlib_classes() -> tuple[Any, Any]:
    """Figure and canvas that need no screen; imported late, since matplotlib is optional."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    return Figure, FigureCanvasAgg
