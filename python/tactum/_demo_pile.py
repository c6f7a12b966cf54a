# SPDX-License-Identifier: BSD-2-Clause
"""A pile of real objects for the demo: a thousand hulls in a bin as a scene, its contacts, and a
picture made by its own rays."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import tactum

from . import _plot
from .reproduce import ycb

Array = npt.NDArray[np.float64]

POSES = Path(__file__).resolve().parent / "data" / "bin_poses.npz"
SUN = np.array([0.4, -0.3, 0.87])


@dataclass(frozen=True)
class Pile:
    """A scene of which object 0 is the ground, and poses (F, N, 7) of the others at all frames."""

    scene: tactum.Scene
    ids: npt.NDArray[np.int32]
    poses: Array


def make_pile(count: int = 1000) -> Pile:
    """The first `count` hulls of the recording at its first frame."""
    with np.load(POSES, allow_pickle=False) as archive:
        names, objects, poses = (
            archive["names"],
            archive["object"][:count],
            archive["poses"][:, :count].astype(np.float64),
        )
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    scene = tactum.Scene()
    scene.add(tactum.HalfSpace(), name="ground")
    for k, X in zip(objects, poses[0], strict=True):
        scene.add(ycb.hull(str(names[k])), X, name=str(names[k]))
    return Pile(scene, scene.ids[1:], poses)


def run_pile(pile: Pile) -> tuple[tactum.Contacts, float]:
    """All frames one after the other; the contacts of the last, and the median time of a frame
    in seconds."""
    seconds = []
    for X in pile.poses:
        start = time.perf_counter()
        pile.scene.set_poses(pile.ids, X)
        contacts = pile.scene.contacts()
        seconds.append(time.perf_counter() - start)
    return contacts, float(np.median(seconds[1:]))


def pile_text(pile: Pile, contacts: tactum.Contacts, seconds: float) -> list[str]:
    """The lines that the demo prints."""
    deepest = contacts.distance.min() if len(contacts) else 0.0
    return [
        f"{len(pile.ids)} hulls, {len(contacts.pairs)} pairs in contact, {len(contacts)} contact points, deepest {1e3 * deepest:.2f} mm",
        f"{1e3 * seconds:.1f} ms a frame: new poses for all, close pairs, exact distances, contact patches",
    ]


def render_pile(scene: tactum.Scene, camera: _plot.Camera) -> Array:
    """(height, width, 3) picture: one ray a pixel, lit from above, every object in a color of
    its own."""
    width, height = camera.size
    x, y = np.meshgrid(np.arange(width) + 0.5 - width / 2, height / 2 - np.arange(height) - 0.5)
    right, up, towards = camera.axes
    origins = (
        camera.center
        + 5.0 * towards
        + (x[..., None] * right + y[..., None] * up).reshape(-1, 3) / camera.pixels_per_metre
    )
    hits = scene.raycast(origins, -towards)
    hue = np.random.default_rng(4).uniform(0.35, 1.0, size=(int(scene.ids.max()) + 2, 3))
    hue[0] = 1.0  # the ground
    hue[-1] = 1.0  # nothing
    light = 0.35 + 0.65 * np.clip(hits.normal @ (SUN / np.linalg.norm(SUN)), 0.0, 1.0)
    colors = hue[hits.id] * np.where(hits.id < 0, 1.0, light)[:, None]
    return np.asarray(colors.reshape(height, width, 3))


def draw_pile(
    pile: Pile, contacts: tactum.Contacts, path: Path, size: tuple[int, int] = (420, 330)
) -> None:
    """The pile, and its contact points on a faded copy, colored by depth."""
    figure_class, canvas_class = _plot.matplotlib_classes()
    camera = _plot.Camera(np.array([0.0, 0.0, 0.2]), 1.15, size, azimuth=-60.0, elevation=38.0)
    image = render_pile(pile.scene, camera)
    figure = figure_class(figsize=(10.4, 4.0), dpi=100, layout="constrained")
    canvas_class(figure)
    seen = camera.project(contacts.point_a)
    panels = [figure.add_subplot(1, 2, k + 1) for k in range(2)]
    titles = (
        f"{len(pile.ids)} hulls of real objects",
        f"{len(contacts)} contact points of {len(contacts.pairs)} pairs",
    )
    for k, (axes, title) in enumerate(zip(panels, titles, strict=True)):
        axes.imshow(
            image if k == 0 else 0.75 + 0.25 * image,
            extent=(0, size[0], size[1], 0),
            interpolation="bilinear",
        )
        axes.set_title(title, fontsize=11, color=_plot.INK)
        axes.set_axis_off()
    depth = -1e3 * contacts.distance
    deepest = float(np.quantile(depth, 0.98)) if len(depth) else None
    dots = panels[1].scatter(seen[:, 0], seen[:, 1], c=depth, s=3, cmap="viridis_r", vmax=deepest)
    figure.colorbar(dots, ax=panels, shrink=0.7, label="depth (mm)")
    figure.savefig(path)
