# SPDX-License-Identifier: BSD-2-Clause
"""The backend of tactum.view that draws in a browser, by viser."""

from __future__ import annotations

import contextlib
import io
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import InvalidInput
from ._view_mesh import Color, Triangles

try:
    import viser
except ImportError as error:
    raise ImportError(
        "the viewer needs viser, which is not installed: pip install 'tactum[view]'; "
        "view.Viewer(view.NullBackend()) draws nothing and needs nothing"
    ) from error

Array = npt.NDArray[np.float64]

FIRST_PORT = 8080
MOST_PORTS = 100  #: tried where the user chose none
MOST_SHADOWS = 100  #: copies of one shape that have shadows
FACETED = 100  #: with fewer vertices than this, faces are drawn flat
FIELD_OF_VIEW = 0.8  #: rad, from top to bottom
FRAME = 1.0 / 30.0  #: s between two pictures of a timeline


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OverflowError:
            raise InvalidInput("port", repr(port), "give 0 to 65535") from None
        except OSError:
            return False
    return True


def free_port(host: str, port: int | None) -> int:
    """The port to listen on; raises InvalidInput where the one asked for is taken."""
    if port is None:
        for candidate in range(FIRST_PORT, FIRST_PORT + MOST_PORTS):
            if is_free(host, candidate):
                return candidate
        return 0
    if not is_free(host, port):
        raise InvalidInput(
            "port",
            f"{port} of {host}, which is in use or not allowed",
            "give another, 0 for any that is free, or None for the first free one from 8080 on",
        )
    return port


def linear(colors: Sequence[Color]) -> npt.NDArray[np.uint8]:
    """Colors of copies, which the page takes for amounts of light."""
    return np.asarray(np.round(255.0 * (np.array(colors) / 255.0) ** 2.2)).astype(np.uint8)


def quiet() -> contextlib.redirect_stdout[io.StringIO]:
    """The server says on standard output that it starts and stops; a library does not."""
    return contextlib.redirect_stdout(io.StringIO())


class ViserBackend:
    """A server whose pages show the objects. Browsers may come and go; a new one sees all there
    is."""

    def __init__(self, host: str = "127.0.0.1", port: int | None = None) -> None:
        with quiet():
            self.server: Any = viser.ViserServer(host, free_port(host, port), verbose=False)
        self.server.scene.set_up_direction("+z")
        self.server.gui.configure_theme(show_logo=False, show_share_button=False)
        self._handles: dict[str, Any] = {}
        self._texts: dict[str, Any] = {}
        self._closed = threading.Event()

    @property
    def url(self) -> str:
        """The address for a browser."""
        host = self.server.get_host()
        name = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        return f"http://{name}:{self.server.get_port()}"

    def set_bodies(
        self,
        name: str,
        triangles: Triangles,
        positions: Array,
        wxyz: Array,
        colors: Sequence[Color],
        opacity: float,
    ) -> None:
        """All copies of one surface are one node."""
        self._handles[name] = self.server.scene.add_batched_meshes_simple(
            name,
            *triangles,
            batched_wxyzs=wxyz,
            batched_positions=positions,
            batched_colors=linear(colors),
            lod="off",
            cast_shadow=len(positions) < MOST_SHADOWS,
            receive_shadow=len(positions) < MOST_SHADOWS,
            opacity=None if opacity >= 1.0 else opacity,
            flat_shading=len(triangles[0]) < FACETED,
            side="double",
        )

    def move_bodies(self, name: str, positions: Array, wxyz: Array) -> None:
        """Two arrays travel, however many copies there are."""
        with self.server.atomic():
            self._handles[name].batched_positions = np.ascontiguousarray(positions, np.float32)
            self._handles[name].batched_wxyzs = np.ascontiguousarray(wxyz, np.float32)

    def set_arrows(self, name: str, ends: Array, color: Color, radius: float) -> None:
        """The node stays where its number of arrows may change."""
        rows = np.ascontiguousarray(ends, dtype=np.float32)
        handle = self._handles.get(name)
        if handle is not None:
            handle.points = rows
            return
        self._handles[name] = self.server.scene.add_arrows(
            name,
            rows,
            color,
            shaft_radius=radius,
            head_radius=2.2 * radius,
            head_length=5.0 * radius,
        )

    def set_points(self, name: str, points: Array, color: Color, size: float) -> None:
        """Round points."""
        rows = np.ascontiguousarray(points, dtype=np.float32)
        handle = self._handles.get(name)
        if handle is not None:
            handle.points = rows
            return
        self._handles[name] = self.server.scene.add_point_cloud(
            name, rows, color, point_size=size, point_shape="circle", precision="float32"
        )

    def set_text(self, name: str, text: str) -> None:
        """A line in the panel."""
        if name in self._texts:
            self._texts[name].content = text
        else:
            self._texts[name] = self.server.gui.add_markdown(text)

    def look_at(self, center: Array, radius: float) -> None:
        """From the front, a little above."""
        camera = self.server.initial_camera
        camera.fov = FIELD_OF_VIEW
        camera.look_at = center
        away = np.array([0.75, -1.0, 0.55]) / np.linalg.norm([0.75, -1.0, 0.55])
        camera.position = center + 1.15 * radius / np.sin(0.5 * FIELD_OF_VIEW) * away

    def remove(self, name: str) -> None:
        """A name without a node is fine."""
        for kept in (self._handles, self._texts):
            handle = kept.pop(name, None)
            if handle is not None:
                handle.remove()

    def to_html(self, frames: Iterable[float]) -> str:
        """viser's own page with the messages of all frames inside."""
        serializer = self.server.get_scene_serializer()
        for seconds in frames:
            serializer.insert_sleep(seconds)
        return str(serializer.as_html())

    def play(self, times: Array, draw: Callable[[int], object]) -> None:
        """A slider over time, a switch and a speed; a thread of its own turns the pages."""
        gui, last = self.server.gui, len(times) - 1
        slider = gui.add_slider("time (frame)", 0, max(last, 1), 1, 0)
        playing = gui.add_checkbox("play", last > 0)
        speed = gui.add_slider("speed", 0.1, 4.0, 0.1, 1.0)
        self._handles["timeline"] = slider

        def moved(_: Any) -> None:
            with self.server.atomic():
                draw(min(int(slider.value), last))

        slider.on_update(moved)

        def turn() -> None:
            clock, shown = float(times[0]), 0
            while not self._closed.wait(FRAME):
                if int(slider.value) != shown:  # somebody dragged it: go on from there
                    shown = min(int(slider.value), last)
                    clock = float(times[shown])
                if not playing.value:
                    continue
                clock += FRAME * float(speed.value)
                if clock > times[-1]:
                    clock = float(times[0])
                turned = int(np.searchsorted(times, clock, side="right")) - 1
                if turned != shown:
                    slider.value = shown = turned

        draw(0)
        threading.Thread(target=turn, daemon=True, name="tactum-timeline").start()

    def close(self) -> None:
        """Ends the server. Pages that are open keep their last picture."""
        if self._closed.is_set():
            return
        self._closed.set()
        with quiet():
            self.server.stop()
