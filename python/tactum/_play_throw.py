# SPDX-License-Identifier: BSD-2-Clause
"""The second part of the playground: a box that is thrown onto the ground, the landings that its
derivative predicts, and a target that is hit by following the derivative."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from . import _play_answers, _view_mesh
from ._view_viser import ViserBackend

Array = npt.NDArray[np.float64]

PREDICTED = (196, 38, 46)
ACTUAL = (60, 90, 140)
FIRST_TRY, LAST_TRY = (170, 176, 186), (36, 132, 72)
STATIONS = 12  #: of the box along its way that are drawn
TARGET = (0.85, 0.35)  #: m, where it is at first
INTRODUCTION = (
    "A box is thrown, hits the ground, tips and slides to rest. Move the **target** on the ground and "
    "press *hit the target*: each try is corrected by the **derivative of the whole motion, impact "
    "and friction included**. No try is random."
)


class ThrowPart:
    """Controls in the panel, and nodes of the page under /throw."""

    def __init__(self, backend: ViserBackend, lock: Any) -> None:
        self.backend, self.server, self._lock = backend, backend.server, lock
        self.model = _play_answers.throw_model()
        self._quiet = False
        gui, scene = self.server.gui, self.server.scene
        self.root = scene.add_frame("/throw", show_axes=False, visible=False)
        scene.add_grid(
            "/throw/ground",
            4.0,
            3.0,
            cell_size=0.1,
            section_size=0.5,
            plane_opacity=0.25,
            position=(0.5, 0.0, 0.0),
        )
        self.target = scene.add_transform_controls(
            "/throw/target",
            scale=0.3,
            active_axes=(True, True, False),
            disable_rotations=True,
            position=(*TARGET, 0.0),
        )
        disc = tactum.Cylinder(radius=0.06, half_length=0.002)
        scene.add_mesh_simple(
            "/throw/target/disc",
            *_view_mesh.triangles_of(disc),
            color=(226, 170, 20),
            side="double",
        )
        self.label = scene.add_label("/throw/target/label", "target", position=(0.0, 0.0, 0.06))
        gui.add_markdown(INTRODUCTION)
        gui.add_button("hit the target", color="green").on_click(lambda _: self.aim())
        self.landing = gui.add_html("")
        self.forward = gui.add_slider("velocity along x (m/s)", -3.0, 3.0, 0.01, 1.2)
        self.sideways = gui.add_slider("velocity along y (m/s)", -3.0, 3.0, 0.01, 0.0)
        self.spin = gui.add_slider("spin about y (rad/s)", -10.0, 10.0, 0.1, 1.0)
        self.change = gui.add_slider("change of the throw (m/s)", 0.0, 0.5, 0.01, 0.1)
        for control in (self.forward, self.sideways, self.spin, self.change):
            control.on_update(lambda _: self._quiet or self.throw())

    def velocity(self) -> Array:
        """Of the throw, [v; w]."""
        forward, sideways = float(self.forward.value), float(self.sideways.value)
        return np.array([forward, sideways, 0.0, 0.0, float(self.spin.value), 0.0])

    def _draw_box(self, poses: Array) -> None:
        stations = poses[np.linspace(0, len(poses) - 1, STATIONS).astype(int)]
        self.backend.set_bodies(
            "/throw/box",
            _view_mesh.triangles_of(self.model.geometry(1)),
            stations[:, :3, 3],
            _view_mesh.quaternions(stations[:, :3, :3]),
            [_view_mesh.PALETTE[2]] * len(stations),
            0.5,
        )

    def _draw_paths(self, name: str, paths: Array, colors: Array) -> None:
        """Paths (K, T, 3), each with a color (K, 3)."""
        parts = np.stack([paths[:, :-1], paths[:, 1:]], axis=2)
        shades = np.broadcast_to(colors[:, None, None], parts.shape)
        self.server.scene.add_line_segments(
            f"/throw/{name}",
            parts.reshape(-1, 2, 3).astype(np.float32),
            shades.reshape(-1, 2, 3).astype(np.uint8),
            thickness=3.0,
            thickness_units="screen",
        )

    def throw(self) -> _play_answers.Throw:
        """Roll out, differentiate, draw."""
        change = float(self.change.value)
        with self._lock, self.server.atomic():
            found = _play_answers.throw(self.model, self.velocity(), change)
            self._draw_box(found.poses)
            count = len(found.actual)
            self._draw_paths("simulated", found.actual, np.tile(ACTUAL, (count, 1)))
            self._draw_paths("predicted", found.predicted, np.tile(PREDICTED, (count, 1)))
            self._draw_paths("tries", found.positions[None], np.array([LAST_TRY]))
            x, y = found.positions[-1, :2]
            self.landing.content = _play_answers.panel(
                f"rests at {x:+.4f}, {y:+.4f} m. Throws that differ by {change:.2f} m/s land where "
                f"the derivative says ({_play_answers.dot(PREDICTED)}) within <b>{1000.0 * found.worst:.2f} mm</b> "
                f"of where they do ({_play_answers.dot(ACTUAL)})"
                + ("." if found.smooth else "; a step on the way has a kink.")
            )
        return found

    def _draw_tries(self, tries: list[_play_answers.Try], of: int) -> None:
        """The first tries, of so many; the box of the last of them."""
        share = np.linspace(0.0, 1.0, of)[: len(tries), None]
        colors = (1.0 - share) * FIRST_TRY + share * np.array(LAST_TRY)
        self._draw_paths("tries", np.array([one.positions for one in tries]), colors)
        for name in ("simulated", "predicted"):
            self._draw_paths(name, np.zeros((1, 1, 3)), np.zeros((1, 3)))
        self._draw_box(tries[-1].poses)
        rows = "".join(
            f"<tr><td>{_play_answers.dot(color)} try {k}</td><td>{1000.0 * one.miss:.2f} mm off</td></tr>"
            for k, (one, color) in enumerate(zip(tries, colors.astype(int), strict=True), 1)
        )
        verdict = "hit" if tries[-1].hit else "not hit: no step along the derivative comes nearer"
        self.landing.content = _play_answers.panel(f"<table>{rows}</table><b>{verdict}</b>")

    def aim(self) -> list[_play_answers.Try]:
        """Correct the throw until it hits the target; draw every try."""
        with self._lock, self.server.atomic():
            target = np.asarray(self.target.position, dtype=np.float64)[:2]
            tries = _play_answers.aim(self.model, self.velocity(), target)
            self._draw_tries(tries, len(tries))
            self._quiet = True
            try:
                self.forward.value, self.sideways.value = (float(v) for v in tries[-1].velocity[:2])
            finally:
                self._quiet = False
        return tries

    def tour(self) -> Iterator[float]:
        """A throw with what the derivative says of others, then each try at the target; each is drawn,
        and lasts that many seconds. The label of the target says how far off it is."""
        found = self.throw()
        self.label.text = f"changed by {float(self.change.value):.2f} m/s: foretold within {1000.0 * found.worst:.2f} mm"
        yield 4.0
        tries = self.aim()
        for count in range(1, len(tries) + 1):
            self._draw_tries(tries[:count], len(tries))
            self.label.text = f"try {count}: {1000.0 * tries[count - 1].miss:.2f} mm off"
            yield 1.5 if count < len(tries) else 4.0
        self.label.text = "target"
