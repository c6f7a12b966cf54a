# SPDX-License-Identifier: BSD-2-Clause
"""The playground of `tactum play`: two shapes to drag, and what the library says about them."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from . import _play_answers, _view_mesh
from ._play_throw import ThrowPart
from ._view_viser import ViserBackend

Array = npt.NDArray[np.float64]

COLORS = {
    "exact": (196, 38, 46),
    "Gumbel": (122, 62, 168),
    "Gaussian": (36, 132, 72),
    "zeroth order": (214, 126, 20),
}
CLOUD = (235, 190, 40)
WEIGHTS = (170, 110, 215)
PARTS = ("two shapes", "a throw")
INTRODUCTION = (
    "Drag the arrows and rings of the two shapes. The **distance** comes with proved bounds at every "
    "moment; its **gradient** says how it changes when B moves (v) and turns (w)."
)


def default_shapes() -> tuple[tactum.Shape, tactum.Shape]:
    """A rounded heap of points and a box."""
    points = np.random.default_rng(4).normal(size=(60, 3))
    points *= 0.22 / np.linalg.norm(points, axis=1, keepdims=True)
    return tactum.Convex.from_points(points), tactum.Box(half_extents=(0.14, 0.1, 0.2))


def legend() -> str:
    """What the colors mean, in HTML."""
    meanings = (
        (_view_mesh.POINT, "witness points: the nearest points, or the deepest"),
        (_view_mesh.NORMAL, "normal"),
        (CLOUD, "witness points when B is moved a little at random"),
        (WEIGHTS, "corners that the smoothed support weighs"),
    )
    rows = "".join(f"<div>{_play_answers.dot(color)} {text}</div>" for color, text in meanings)
    return _play_answers.panel(rows)


class Playground:
    """A page with two parts: a pair of shapes, and a throw."""

    def __init__(self, a: Any, b: Any, host: str = "127.0.0.1", port: int | None = None) -> None:
        self.a, self.b = a, b
        self.backend = ViserBackend(host, port)
        self.server = self.backend.server
        self.server.gui.configure_theme(
            control_width="large", show_logo=False, show_share_button=False
        )
        self.server.gui.main_panel.dock_right()
        self._lock = threading.RLock()
        self._size = max(
            float(np.linalg.norm(np.subtract(*g.aabb())))
            for g in (a, b)
            if not isinstance(g, tactum.HalfSpace)
        )
        scene, gui = self.server.scene, self.server.gui
        self.folders = {}
        self.throwing: ThrowPart | None = None
        if importlib.util.find_spec("tactum._sim") is not None:
            self.choice = gui.add_button_group("show", PARTS)
            self.choice.on_click(lambda event: self.show_part(event.target.value))
        self.roots = {PARTS[0]: scene.add_frame("/pair", show_axes=False)}
        self.folders[PARTS[0]] = gui.add_folder(PARTS[0])
        with self.folders[PARTS[0]]:
            self._make_pair()
        if importlib.util.find_spec("tactum._sim") is not None:
            self.folders[PARTS[1]] = gui.add_folder(PARTS[1], visible=False)
            with self.folders[PARTS[1]]:
                self.throwing = ThrowPart(self.backend, self._lock)
            self.roots[PARTS[1]] = self.throwing.root
        self.look_at(PARTS[0])
        self.update()

    def look_at(self, part: str) -> None:
        """Where the cameras look, now and of those who come."""
        center, radius = self._size * np.array([0.35, 0.05, 0.1]), 0.9 * self._size
        if part == PARTS[1]:
            center, radius = np.array([0.45, 0.1, 0.1]), 0.75
        self.backend.look_at(center, radius)
        for client in self.server.get_clients().values():
            with client.atomic():
                client.camera.position = self.server.initial_camera.position
                client.camera.look_at = self.server.initial_camera.look_at

    def show_part(self, part: str) -> None:
        """Turn to the pair or to the throw."""
        for name, root in self.roots.items():
            root.visible = self.folders[name].visible = name == part
        self.look_at(part)
        if part == PARTS[1] and self.throwing is not None:
            self.throwing.throw()

    def _make_pair(self) -> None:
        gui, scene = self.server.gui, self.server.scene
        gui.add_markdown(INTRODUCTION)
        self.text = gui.add_html("")
        gui.add_html(legend())
        self.scale = gui.add_slider(
            "scale of the smoothing (rad; of the smaller body)", 0.005, 0.3, 0.005, 0.05
        )
        self.shown = gui.add_dropdown(
            "witness point moves by", _play_answers.ESTIMATORS, initial_value="Gumbel"
        )
        self.with_cloud = gui.add_checkbox("cloud of perturbed witness points", True)
        self.with_weights = gui.add_checkbox("weights of the smoothed support", True)
        self.label = scene.add_label("/pair/label", "")
        self.gizmos = []
        places = (np.zeros(3), self._size * np.array([0.75, 0.15, 0.2]))
        for name, geometry, color, place in zip("ab", (self.a, self.b), (0, 1), places):
            gizmo = scene.add_transform_controls(
                f"/pair/{name}", scale=0.45 * self._size, line_width=2.5, position=place
            )
            vertices, triangles = _view_mesh.triangles_of(geometry, self._size)
            scene.add_mesh_simple(
                f"/pair/{name}/mesh",
                vertices,
                triangles,
                color=_view_mesh.PALETTE[color],
                flat_shading=len(vertices) < 100,
                opacity=0.75,
                side="double",
            )
            scene.add_label(f"/pair/{name}/name", name.upper(), position=(0.0, 0.0, 0.0))
            gizmo.on_update(lambda _: self.update())
            self.gizmos.append(gizmo)
        for control in (self.scale, self.shown, self.with_cloud, self.with_weights):
            control.on_update(lambda _: self.update())

    def poses(self) -> tuple[Array, Array]:
        """Of A and of B in the world."""
        found = []
        for gizmo in self.gizmos:
            xyzw = np.roll(np.asarray(gizmo.wxyz, dtype=np.float64), -1)
            found.append(tactum.pose_matrix([*gizmo.position, *(xyzw / np.linalg.norm(xyzw))]))
        return found[0], found[1]

    def update(self) -> None:
        """Ask again, and draw the answer."""
        with self._lock, self.server.atomic():
            X_WA, X_WB = self.poses()
            scale = _play_answers.scale_of(self.a, self.b, float(self.scale.value))
            found = _play_answers.answer(self.a, X_WA, self.b, X_WB, scale)
            self._draw(found, X_WA, X_WB, scale)
            self.text.content = _play_answers.summary(found, COLORS, scale)

    def _draw(
        self, found: _play_answers.Answer, X_WA: Array, X_WB: Array, scale: _play_answers.Scale
    ) -> None:
        draw, value, size = self.backend, found.value, self._size
        thin, thick = 0.006 * size, 0.012 * size
        ends = np.stack([[value.point_a, value.point_b]])
        draw.set_arrows("/pair/answer/gap", ends, _view_mesh.POINT, thin)
        draw.set_points("/pair/answer/witness", ends[0], _view_mesh.POINT, 0.04 * size)
        self.label.position = 0.5 * (ends[0, 0] + ends[0, 1]) + [0.0, 0.0, 0.12 * size]
        self.label.text = f"{1000.0 * value.distance:.2f} mm"
        normal = [value.point_a, value.point_a + 0.3 * size * value.normal]
        draw.set_arrows("/pair/answer/normal", np.array([normal]), _view_mesh.NORMAL, thick)
        for k, name in enumerate(_play_answers.ESTIMATORS):
            gradient = found.gradients.get(name)
            # beside each other, so that equal arrows can be told apart
            base = X_WB[:3, 3] + 0.03 * size * np.array([0.0, k - 1.5, 0.0])
            arrows = np.zeros((0, 2, 3))
            if gradient is not None:
                arrows = np.array([[base, base + 0.4 * size * gradient[:3]]])
            draw.set_arrows(f"/pair/gradient/{name}", arrows, COLORS[name], thin)
            motion, shown = np.zeros((0, 2, 3)), str(self.shown.value) == name
            if shown and name in found.motions:
                start = np.tile(value.point_a, (3, 1))
                motion = np.stack([start, start + 0.3 * found.motions[name][:, 3:].T], axis=1)
            draw.set_arrows(f"/pair/witness_motion/{name}", motion, COLORS[name], thick)
        self._draw_cloud(X_WA, X_WB, value.normal, scale)

    def _draw_cloud(
        self, X_WA: Array, X_WB: Array, normal: Array, scale: _play_answers.Scale
    ) -> None:
        points = np.zeros((0, 3))
        if self.with_cloud.value:
            points = np.concatenate(_play_answers.cloud(self.a, X_WA, self.b, X_WB, scale))
        self.backend.set_points("/pair/answer/cloud", points, CLOUD, 0.02 * self._size)
        ball = _view_mesh.triangles_of(tactum.Sphere(radius=0.09 * self._size))
        for name, shape, X, along in (("a", self.a, X_WA, normal), ("b", self.b, X_WB, -normal)):
            places, weights = _play_answers.weights(shape, X, along, scale)
            if not self.with_weights.value or len(weights) == 0:
                self.backend.remove(f"/pair/weights/{name}")
                continue
            self.backend._handles[f"/pair/weights/{name}"] = (
                self.server.scene.add_batched_meshes_simple(
                    f"/pair/weights/{name}",
                    *ball,
                    batched_wxyzs=np.tile([1.0, 0.0, 0.0, 0.0], (len(weights), 1)),
                    batched_positions=places,
                    batched_scales=np.sqrt(weights),
                    batched_colors=np.array(WEIGHTS, dtype=np.uint8),
                    lod="off",
                )
            )

    def tour(self, frames: int = 90) -> Iterator[float]:
        """B goes around A; then, where the shapes are about as large as a throw and the simulator is
        there, the second part. Each moment is drawn, and lasts that many seconds."""
        yield from self._pair_tour(frames)
        if self.throwing is not None and 0.1 < self._size < 1.0:
            for name, root in self.roots.items():
                root.visible = name == PARTS[1]
            # a recording has one camera: it sees both parts
            self.backend.look_at(np.array([0.4, 0.1, 0.1]), 0.7)
            yield from self.throwing.tour()
            for name, root in self.roots.items():
                root.visible = name == PARTS[0]

    def _pair_tour(self, frames: int) -> Iterator[float]:
        for turn in np.linspace(0.0, 2.0 * np.pi, frames):
            radius = self._size * (0.62 + 0.14 * np.cos(3.0 * turn))
            self.gizmos[1].position = radius * np.array(
                [np.cos(turn), np.sin(turn), 0.35 * np.sin(2.0 * turn)]
            )
            self.gizmos[1].wxyz = np.array(
                [np.cos(turn), 0.0, 0.6 * np.sin(turn), 0.8 * np.sin(turn)]
            )
            self.update()
            yield 1.0 / 15.0

    def close(self) -> None:
        """Ends the page."""
        self.backend.close()
