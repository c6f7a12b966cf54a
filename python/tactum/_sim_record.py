# SPDX-License-Identifier: BSD-2-Clause
"""A simulation step by step: states, energies, residuals and contacts as arrays, in a file, and as
pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from . import _demo_pile, _plot, sim

Array = npt.NDArray[np.float64]
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Record:
    """T steps; contacts of all steps follow each other, those of step i from offsets[i] on."""

    model: sim.Model
    dt: float
    q: Array  #: (T + 1, nq)
    v: Array  #: (T + 1, nv)
    energy: Array  #: (T + 1, 2), J: kinetic, potential
    residual: Array  #: (T,), relative
    iterations: npt.NDArray[np.int64]  #: (T,)
    converged: npt.NDArray[np.bool_]  #: (T,)
    offsets: npt.NDArray[np.int64]  #: (T + 1,)
    geometry: npt.NDArray[np.int32]  #: (N, 2)
    point: Array  #: (N, 3), m
    force: Array  #: (N, 3), N, on the second geometry
    distance: Array  #: (N,), m
    last: sim.StepResult | None

    @property
    def time(self) -> Array:
        """(T + 1,), s."""
        return np.asarray(self.dt * np.arange(len(self.q)))

    def save(self, path: str | Path) -> None:
        """Write all arrays as an NPZ file, beside the old one until it is complete."""
        path = Path(path)
        partial = path.with_name(path.name + ".partial")
        with partial.open("wb") as file:
            np.savez_compressed(
                file,
                model=np.array(self.model.__getstate__()),
                names=np.array(self.model.names),
                geometry_names=np.array(self.model.geometry_names),
                dt=self.dt,
                time=self.time,
                q=self.q,
                v=self.v,
                energy=self.energy,
                residual=self.residual,
                iterations=self.iterations,
                converged=self.converged,
                contact_offsets=self.offsets,
                contact_geometry=self.geometry,
                contact_point=self.point,
                contact_force=self.force,
                contact_distance=self.distance,
            )
        partial.replace(path)


def run(
    model: sim.Model,
    state: sim.State,
    steps: int,
    dt: float,
    *,
    solver: str = "ncp_admm",
    options: sim.StepOptions | None = None,
    progress: Progress | None = None,
) -> Record:
    """Steps without controls."""
    q, v, energy = [state.q.copy()], [state.v.copy()], [sim.energy(model, state)]
    residual, iterations, converged, counts = [], [], [], [0]
    parts: dict[str, list[Any]] = {"geometry": [], "point": [], "force": [], "distance": []}
    result = None
    for i in range(steps):
        result = sim.step(model, state, dt=dt, solver=solver, options=options)
        state = result.state
        q.append(state.q.copy())
        v.append(state.v.copy())
        energy.append(sim.energy(model, state))
        residual.append(result.solution.residual)
        iterations.append(result.solution.iterations)
        converged.append(result.status == "converged")
        contacts = result.contacts
        counts.append(len(contacts))
        if len(contacts):
            for name, values in parts.items():
                values.append(getattr(contacts, name))
        if progress is not None:
            progress(i + 1, steps)
    empty = {"geometry": (0, 2), "point": (0, 3), "force": (0, 3), "distance": (0,)}
    arrays = {
        name: np.concatenate(values) if values else np.zeros(empty[name])
        for name, values in parts.items()
    }
    return Record(
        model,
        dt,
        np.array(q),
        np.array(v),
        np.array(energy),
        np.array(residual, dtype=np.float64),
        np.array(iterations, dtype=np.int64),
        np.array(converged, dtype=np.bool_),
        np.cumsum(counts, dtype=np.int64),
        arrays["geometry"].astype(np.int32),
        arrays["point"],
        arrays["force"],
        arrays["distance"],
        result,
    )


def scene_at(model: sim.Model, q: Array) -> tactum.Scene:
    """The shapes of a model where they are at q, as a scene."""
    scene = tactum.Scene()
    for i, X in enumerate(model.geometry_poses(q)):
        scene.add(model.geometry(i), X)
    return scene


def strip(record: Record, count: int, size: tuple[int, int]) -> list[tuple[float, Array]]:
    """`count` pictures over time, each (height, width, 3), with their times in s."""
    frames = np.linspace(0, len(record.q) - 1, count).astype(int)
    low, high = extent(record, frames)
    span = float(np.linalg.norm(high - low)) or 1.0
    half_width = 0.55 * span * size[0] / min(size)
    camera = _plot.Camera(0.5 * (low + high), half_width, size, azimuth=-50.0, elevation=20.0)
    return [
        (
            float(record.time[frame]),
            _demo_pile.render_pile(scene_at(record.model, record.q[frame]), camera),
        )
        for frame in frames
    ]


def extent(record: Record, frames: npt.NDArray[np.int64]) -> tuple[Array, Array]:
    """Corners of a box around everything that moves, at some frames."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    bodies = record.model.geometry_bodies
    for frame in frames:
        for i, X in enumerate(record.model.geometry_poses(record.q[frame])):
            if bodies[i] == 0:
                continue
            box = record.model.geometry(i).aabb(X)
            low, high = np.minimum(low, box[0]), np.maximum(high, box[1])
    if not np.all(np.isfinite(low)):
        return np.full(3, -0.5), np.full(3, 0.5)
    return low, high


def draw(record: Record, path: str | Path, *, pictures: int = 5) -> None:
    """A strip of pictures, and below it energy, residual and contacts over time."""
    figure_class, canvas_class = _plot.matplotlib_classes()
    figure = figure_class(figsize=(11.0, 6.0), dpi=100, layout="constrained")
    canvas_class(figure)
    above, below = figure.subfigures(2, 1)
    images = strip(record, pictures, (260, 300))
    for axes, (moment, image) in zip(above.subplots(1, pictures, squeeze=False)[0], images):
        axes.imshow(image, interpolation="bilinear")
        axes.set_title(f"{moment:.2f} s", fontsize=10, color=_plot.INK)
        axes.set_axis_off()
    time = record.time
    energy, residual, contacts = below.subplots(1, 3)
    energy.plot(time, record.energy[:, 0], label="kinetic")
    energy.plot(time, record.energy[:, 1] - record.energy[-1, 1], label="potential")
    energy.plot(time, record.energy.sum(axis=1) - record.energy[-1, 1], label="sum", color="black")
    energy.set_ylabel("energy (J)")
    energy.legend(fontsize=8)
    residual.semilogy(time[1:], np.maximum(record.residual, 1e-16), ".", markersize=2)
    residual.set_ylabel("residual of contact forces")
    contacts.plot(time[1:], np.diff(record.offsets), label="contact points")
    contacts.set_ylabel("contact points")
    for axes in (energy, residual, contacts):
        axes.set_xlabel("time (s)")
        axes.grid(True, alpha=0.3)
    figure.savefig(path)
