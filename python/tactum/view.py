# SPDX-License-Identifier: BSD-2-Clause
"""Shapes, scenes, robots and recordings in the browser, in a notebook, or in one HTML file.

    viewer = view.Viewer()                                  # http://127.0.0.1:8080
    viewer.add_scene(scene)
    viewer.show_contacts(scene.contacts())
    view.record(trajectory).to_html("fall.html")            # opens anywhere, without a network

What is drawn goes through a Backend: viser (`pip install tactum[view]`), or NullBackend, which
keeps what it is told and needs nothing. Lengths are in metres, z is up, poses are those of the
world.
"""

from __future__ import annotations

import functools
import html
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

import tactum

from . import _view_mesh
from ._errors import InvalidInput
from ._view_mesh import Color

if TYPE_CHECKING:
    from . import sim

__all__ = ["Backend", "NullBackend", "Recording", "Viewer", "record"]

Array = npt.NDArray[np.float64]

FRAMES_PER_SECOND = 30.0
LARGE_FILE = 50 * 1024 * 1024  #: bytes; a browser takes its time above
ARROW_SHARE = 0.3  #: length of a force, of the radius of what is shown


class Backend(Protocol):
    """What a viewer needs to draw. Names are paths such as "/contacts/points"; giving one again
    replaces what it had."""

    def set_bodies(
        self,
        name: str,
        triangles: _view_mesh.Triangles,
        positions: Array,
        wxyz: Array,
        colors: Sequence[Color],
        opacity: float,
    ) -> None:
        """Copies of one surface: (N, 3) positions and (N, 4) quaternions."""

    def move_bodies(self, name: str, positions: Array, wxyz: Array) -> None:
        """New poses of all copies."""

    def set_arrows(self, name: str, ends: Array, color: Color, radius: float) -> None:
        """(N, 2, 3): from where to where."""

    def set_points(self, name: str, points: Array, color: Color, size: float) -> None:
        """(N, 3)."""

    def set_text(self, name: str, text: str) -> None:
        """A line of text beside the picture."""

    def look_at(self, center: Array, radius: float) -> None:
        """Where the camera of those who come looks."""

    def remove(self, name: str) -> None:
        """Nothing of that name is there afterwards."""

    def to_html(self, frames: Iterable[float]) -> str:
        """A page of what is shown; each frame is drawn when it is asked for, and then holds for
        that many seconds."""

    def play(self, times: Array, draw: Any) -> None:
        """A timeline; draw(i) shows its moment i."""

    def close(self) -> None:
        """Ends it."""


class NullBackend:
    """Draws nothing and keeps what it was told: for tests, and where there is no browser."""

    url = ""

    def __init__(self) -> None:
        self.bodies: dict[str, dict[str, Any]] = {}
        self.arrows: dict[str, Array] = {}
        self.points: dict[str, Array] = {}
        self.text: dict[str, str] = {}
        self.moves = 0  #: calls of move_bodies

    def set_bodies(
        self,
        name: str,
        triangles: _view_mesh.Triangles,
        positions: Array,
        wxyz: Array,
        colors: Sequence[Color],
        opacity: float,
    ) -> None:
        """Keep them."""
        self.bodies[name] = {
            "triangles": triangles,
            "positions": positions,
            "wxyz": wxyz,
            "colors": list(colors),
        }

    def move_bodies(self, name: str, positions: Array, wxyz: Array) -> None:
        """Keep the new poses."""
        self.bodies[name] |= {"positions": positions, "wxyz": wxyz}
        self.moves += 1

    def set_arrows(self, name: str, ends: Array, color: Color, radius: float) -> None:
        """Keep them."""
        self.arrows[name] = ends

    def set_points(self, name: str, points: Array, color: Color, size: float) -> None:
        """Keep them."""
        self.points[name] = points

    def set_text(self, name: str, text: str) -> None:
        """Keep it."""
        self.text[name] = text

    def look_at(self, center: Array, radius: float) -> None:
        """There is no camera."""

    def remove(self, name: str) -> None:
        """Forget what has that name."""
        for kind in (self.bodies, self.arrows, self.points, self.text):
            kind.pop(name, None)

    def to_html(self, frames: Iterable[float]) -> str:
        """A page that says so; every frame is drawn."""
        return f"<!doctype html><p>{len(list(frames))} frames, drawn by nothing</p>"

    def play(self, times: Array, draw: Any) -> None:
        """Show the last moment."""
        draw(len(times) - 1)

    def close(self) -> None:
        """Nothing is open."""


@dataclass
class _Group:
    """Objects that have the same shape."""

    name: str
    members: list[int]


class Viewer:
    """Shows objects and what the library finds about them.

    backend: None for viser, on a port of this computer; or any Backend, such as NullBackend().
    port: None for the first free one from 8080 on, 0 for any free one; one that is in use is
    refused. host: "0.0.0.0" lets other computers look. As a context manager it closes at the end.
    """

    def __init__(
        self,
        backend: Backend | None = None,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
    ) -> None:
        if backend is None:
            from ._view_viser import ViserBackend

            backend = ViserBackend(host, port)
        self.backend: Any = backend
        self._geometries: list[Any] = []
        self._poses: Array = np.zeros((0, 4, 4))
        self._groups: list[_Group] = []

    @property
    def url(self) -> str:
        """The address for a browser."""
        return str(getattr(self.backend, "url", ""))

    @property
    def poses(self) -> Array:
        """(N, 4, 4) of all objects."""
        return self._poses.copy()

    def add(
        self,
        geometry: Any,
        X: Any = None,
        *,
        color: Color | None = None,
        opacity: float = 1.0,
    ) -> int:
        """Add a shape, a compound or a mesh at a pose. Returns its number."""
        matrix = np.eye(4) if X is None else tactum.pose_matrix(X)
        return self.add_many([geometry], matrix[None], colors=color and [color], opacity=opacity)[0]

    def add_many(
        self,
        geometries: Sequence[Any],
        X: npt.ArrayLike,
        *,
        colors: Sequence[Color] | None = None,
        opacity: float = 1.0,
    ) -> list[int]:
        """Add N objects at poses (N, 4, 4). Those with equal shapes travel together, so a thousand
        of them still move at 30 Hz. Returns their numbers."""
        poses = np.asarray(X, dtype=np.float64).reshape(-1, 4, 4)
        if len(poses) != len(geometries):
            raise InvalidInput("X", f"{len(poses)} poses", f"give {len(geometries)}")
        if not np.isfinite(poses).all():
            raise InvalidInput("X", "numbers that are not finite", "give finite poses")
        first = len(self._geometries)
        numbers = list(range(first, first + len(geometries)))
        groups: dict[Any, list[int]] = {}
        for number, geometry in zip(numbers, geometries, strict=True):
            groups.setdefault(geometry, []).append(number)
        self._geometries += geometries
        self._poses = np.concatenate([self._poses, poses])
        center, radius = _view_mesh.size_of(self._geometries, self._poses)
        for geometry, members in groups.items():
            group = _Group(f"/objects/{members[0]}", members)
            self._groups.append(group)
            self.backend.set_bodies(
                group.name,
                _view_mesh.triangles_of(geometry, max(2.0, 4.0 * radius)),
                *self._placed(group),
                [
                    colors[i - first] if colors else _view_mesh.color_of(geometry, i)
                    for i in members
                ],
                opacity,
            )
        self.backend.look_at(center, radius)
        return numbers

    def add_scene(self, scene: tactum.Scene) -> list[int]:
        """Add all objects of a scene, in the order of its ids."""
        return self.add_many([scene.shape(int(i)) for i in scene.ids], scene.poses)

    def add_model(self, model: sim.Model, q: npt.ArrayLike | None = None) -> list[int]:
        """Add the shapes of a robot at q, by default its initial position."""
        at = model.state().q if q is None else q
        shapes = [model.geometry(i) for i in range(model.num_geometries)]
        return self.add_many(shapes, model.geometry_poses(at))

    def _placed(self, group: _Group) -> tuple[Array, Array]:
        X = self._poses[group.members]
        return X[:, :3, 3], _view_mesh.quaternions(X[:, :3, :3])

    def set_poses(self, numbers: Sequence[int], X: npt.ArrayLike) -> None:
        """Move objects to poses (N, 4, 4)."""
        poses = np.asarray(X, dtype=np.float64).reshape(-1, 4, 4)
        if not np.isfinite(poses).all():
            raise InvalidInput("X", "numbers that are not finite", "give finite poses")
        moved = np.zeros(len(self._poses), dtype=bool)
        try:
            self._poses[np.asarray(numbers, dtype=np.int64)] = poses
            moved[np.asarray(numbers, dtype=np.int64)] = True
        except (IndexError, ValueError) as error:
            raise InvalidInput("numbers, X", str(error), "give one pose for each object") from None
        for group in self._groups:
            if moved[group.members].any():
                self.backend.move_bodies(group.name, *self._placed(group))

    def _scale(self) -> float:
        return _view_mesh.size_of(self._geometries, self._poses)[1]

    def show_points(
        self,
        name: str,
        points: npt.ArrayLike,
        color: Color = _view_mesh.POINT,
        size: float | None = None,
    ) -> None:
        """Draw (N, 3) points under a name, instead of those it had. size: of each, in metres."""
        rows = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        self.backend.set_points(name, rows, color, size or 0.02 * self._scale())

    def show_arrows(
        self,
        name: str,
        starts: npt.ArrayLike,
        vectors: npt.ArrayLike,
        color: Color = _view_mesh.FORCE,
        radius: float | None = None,
    ) -> None:
        """Draw arrows from (N, 3) points along (N, 3) vectors in metres, instead of those
        before."""
        begin = np.asarray(starts, dtype=np.float64).reshape(-1, 3)
        ends = np.stack([begin, begin + np.asarray(vectors).reshape(-1, 3)], axis=1)
        self.backend.set_arrows(name, ends, color, radius or 0.012 * self._scale())

    def show_distance(self, result: Any, name: str = "/distance") -> None:
        """Draw witness points, the normal at A's, the gap, and each proved bound as a tick across the
        normal, where B would touch if it were the distance; say distance, bounds and status."""
        length = 0.35 * self._scale()
        self.show_points(f"{name}/points", [result.point_a, result.point_b])
        self.show_arrows(
            f"{name}/normal", result.point_a, length * result.normal, _view_mesh.NORMAL
        )
        gap = np.asarray(result.point_b) - result.point_a
        self.show_arrows(f"{name}/gap", result.point_a, gap, _view_mesh.FORCE)
        ticks, across = _view_mesh.bound_ticks(result, 0.1 * self._scale())
        self.show_arrows(f"{name}/bounds", ticks, across, _view_mesh.BOUND, 0.006 * self._scale())
        self.backend.set_text(
            name,
            f"distance {result.distance:.6g} m, proved between {result.lower:.6g} and "
            f"{result.upper:.6g} m, {result.status.name}",
        )

    def show_contacts(
        self, contacts: Any, forces: npt.ArrayLike | None = None, *, per_newton: float | None = None
    ) -> None:
        """Draw contact points with normals, and with forces where there are some.

        contacts: of Scene.contacts() or of a step. forces: (K, 3) in N in the world; those of a
        step are known. per_newton: metres of arrow for each newton; by default the longest is as
        long as fits.
        """
        is_step = hasattr(contacts, "force")
        points = np.asarray(contacts.point if is_step else contacts.point_a)
        self.show_points("/contacts/points", points)
        self.show_arrows(
            "/contacts/normals",
            points,
            0.08 * self._scale() * np.asarray(contacts.normal),
            _view_mesh.NORMAL,
        )
        given = contacts.force if forces is None and is_step else forces
        if given is None:
            self.backend.remove("/contacts/forces")
            return
        vectors = np.asarray(given, dtype=np.float64).reshape(-1, 3)
        longest = float(np.linalg.norm(vectors, axis=1).max(initial=0.0))
        factor = ARROW_SHARE * self._scale() / longest if longest > 0.0 else 0.0
        self.show_arrows(
            "/contacts/forces", points, vectors * (factor if per_newton is None else per_newton)
        )

    def play(self, recording: Recording) -> None:
        """Show a recording with a timeline."""
        numbers = self.add_many(recording.geometries, recording.poses[0], colors=recording.colors)
        self.backend.play(recording.time, lambda i: recording.draw(self, numbers, i))

    def to_html(self, path: str | Path | None = None) -> str:
        """What is shown now as one HTML file without links. Returns its text."""
        return write_html(self.backend.to_html([]), path)

    def _repr_html_(self) -> str:
        """What a notebook shows: the page itself, which goes on moving."""
        if not self.url:
            return f"<p>{len(self._geometries)} objects, drawn by nothing</p>"
        return f'<iframe src="{self.url}" width="100%" height="420" style="border:0"></iframe>'

    def close(self) -> None:
        """End it; the address is free again."""
        self.backend.close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def write_html(text: str, path: str | Path | None) -> str:
    """Write a page, beside the old file until it is complete; warn where it is large."""
    if path is not None:
        path = Path(path)
        partial = path.with_name(path.name + ".partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    if len(text) > LARGE_FILE:
        warnings.warn(
            f"the page has {len(text) / 2**20:.0f} MB; fewer frames per second or objects make it smaller",
            stacklevel=3,
        )
    return text


@dataclass(frozen=True)
class Recording:
    """Motions of objects, with contact forces: poses, not meshes, for each moment."""

    geometries: list[Any]
    time: Array  #: (T,), s
    poses: Array  #: (T, N, 4, 4)
    offsets: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    points: Array = field(default_factory=lambda: np.zeros((0, 3)))  #: (K, 3), m
    forces: Array = field(default_factory=lambda: np.zeros((0, 3)))  #: (K, 3), N
    colors: list[Color] | None = None

    def __len__(self) -> int:
        return len(self.time)

    @functools.cached_property
    def radius(self) -> float:
        """Of a ball around all objects at the first moment, m."""
        return _view_mesh.size_of(self.geometries, self.poses[0])[1]

    @functools.cached_property
    def per_newton(self) -> float:
        """Metres of arrow for each newton: a force of middle size has a good length."""
        sizes = np.linalg.norm(self.forces, axis=1)
        middle = float(np.median(sizes[sizes > 0.0])) if (sizes > 0.0).any() else 0.0
        return ARROW_SHARE * self.radius / middle if middle > 0.0 else 0.0

    def arrows(self, rows: slice) -> Array:
        """Forces as vectors in metres; those of impacts are cut off at the radius."""
        vectors = self.per_newton * self.forces[rows]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors * np.minimum(1.0, self.radius / np.maximum(lengths, 1e-300)))

    def draw(self, viewer: Viewer, numbers: Sequence[int], moment: int) -> None:
        """Show one moment with the objects of those numbers."""
        viewer.set_poses(numbers, self.poses[moment])
        if len(self.offsets):
            rows = slice(int(self.offsets[moment]), int(self.offsets[moment + 1]))
            viewer.show_points("/contacts/points", self.points[rows])
            viewer.show_arrows("/contacts/forces", self.points[rows], self.arrows(rows))

    def to_html(self, path: str | Path | None = None, *, backend: Backend | None = None) -> str:
        """One HTML file with a timeline, that needs no network. Returns its text.

        A warning says when it has more than 50 MB. backend: None for viser.
        """
        chosen = backend
        with Viewer(chosen, port=0) as viewer:
            numbers = viewer.add_many(self.geometries, self.poses[0], colors=self.colors)
            lasts = np.append(np.diff(self.time), 1.0 / FRAMES_PER_SECOND)

            def frames() -> Iterable[float]:
                for moment, seconds in enumerate(lasts):
                    self.draw(viewer, numbers, moment)
                    yield float(seconds)

            return write_html(viewer.backend.to_html(frames()), path)

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="420" style="border:0"></iframe>'


def record(
    motion: Any,
    model: sim.Model | None = None,
    *,
    frames_per_second: float = FRAMES_PER_SECOND,
    contacts: bool = True,
    time: npt.ArrayLike | None = None,
) -> Recording:
    """A recording of a motion, for to_html(), Viewer.play() and notebooks.

    motion: a Trajectory of sim.rollout(); or positions (T, nq) of a model with their `time` (T,) in
    s; or a mapping with `geometries`, `poses` (T, N, 4, 4) and `time`, for objects without a
    simulator. model: of positions; a trajectory knows its own. contacts: with contact points and
    forces, of a trajectory.
    """
    if not frames_per_second > 0.0 or not np.isfinite(frames_per_second):
        raise InvalidInput("frames_per_second", repr(frames_per_second), "give a positive number")
    if isinstance(motion, Mapping):
        return checked(
            Recording(
                list(motion["geometries"]),
                np.asarray(motion["time"], dtype=np.float64),
                np.asarray(motion["poses"], dtype=np.float64),
            )
        )
    model = getattr(motion, "model", None) if model is None else model
    if model is None:
        raise InvalidInput("model", "None", "give the model that moves")
    is_trajectory = hasattr(motion, "q")
    q = np.asarray(motion.q if is_trajectory else motion, dtype=np.float64)
    if q.ndim != 2 or q.shape[1] != model.nq or len(q) == 0:
        raise InvalidInput("motion", f"an array of shape {q.shape}", f"give (T, {model.nq})")
    if time is None and not is_trajectory:
        raise InvalidInput("time", "None", "give (T,) times of the positions in s")
    moments = motion.dt * np.arange(len(q)) if time is None else np.asarray(time, dtype=np.float64)
    if moments.shape != (len(q),):
        raise InvalidInput("time", f"an array of shape {moments.shape}", f"give ({len(q)},)")
    chosen = chosen_moments(moments, frames_per_second)
    poses = np.array([model.geometry_poses(q[i]) for i in chosen])
    shapes = [model.geometry(i) for i in range(model.num_geometries)]
    touch = contacts_of(motion, model, chosen) if contacts and is_trajectory else {}
    return checked(Recording(shapes, moments[chosen], poses, **touch))


def checked(recording: Recording) -> Recording:
    """The recording, if its arrays go together."""
    count = len(recording.geometries)
    if recording.time.ndim != 1 or len(recording) == 0 or not np.isfinite(recording.time).all():
        raise InvalidInput(
            "time", repr(recording.time.shape), "give (T,) finite times in s, T >= 1"
        )
    if (np.diff(recording.time) < 0.0).any():
        raise InvalidInput("time", "times that go back", "give ascending times")
    if recording.poses.shape != (len(recording), count, 4, 4):
        raise InvalidInput(
            "poses", f"an array of shape {recording.poses.shape}", f"give (T, {count}, 4, 4)"
        )
    if not np.isfinite(recording.poses).all():
        raise InvalidInput("poses", "numbers that are not finite", "give finite poses")
    return recording


def chosen_moments(time: Array, frames_per_second: float) -> npt.NDArray[np.int64]:
    """Numbers of the states to show: the first, then one in each frame, then the last."""
    frame = np.floor((time - time[0]) * frames_per_second + 1e-9).astype(np.int64)
    starts = np.flatnonzero(np.diff(frame, prepend=frame[0] - 1) > 0)
    return np.unique(np.append(starts, len(time) - 1))


def contacts_of(
    trajectory: sim.Trajectory, model: sim.Model, chosen: npt.NDArray[np.int64]
) -> dict[str, Any]:
    """Contact points and forces of the steps that begin at some states, made again."""
    from . import sim

    counts, points, forces = [0], [np.zeros((0, 3))], [np.zeros((0, 3))]
    state = trajectory.start
    for i in chosen:
        if i >= len(trajectory):
            counts.append(0)
            continue
        state.q, state.v = trajectory.q[i], trajectory.v[i]
        found = sim.step(
            model,
            state,
            trajectory.controls[i],
            trajectory.dt,
            solver=trajectory.solver,
            options=trajectory.options,
        ).contacts
        counts.append(len(found))
        points.append(found.point.reshape(-1, 3))
        forces.append(found.force.reshape(-1, 3))
    return {
        "offsets": np.cumsum(counts, dtype=np.int64),
        "points": np.concatenate(points),
        "forces": np.concatenate(forces),
    }
