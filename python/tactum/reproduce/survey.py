# SPDX-License-Identifier: BSD-2-Clause
"""Scenes of the contact survey on the simulator: cubes on the ground, under the step of the survey
with its algorithms as printed, and under ours.

`printed`: sim.StepOptions(as_printed=True). Unknowns are impulses and velocities, contacts count
where the distance is at most 1 um, and a penetration is taken back by a share of 1e-4 in a step:
the survey's c* = K max(0, -Phi) with K = share / dt. `ours`: the step of the library, whose
tolerance is relative, which looks ahead by one step, and which begins from the forces of the step
before. The values are the defaults of the authors' published scripts where the paper has none:
side 0.2 m, 1 kg, 1 ms, a tolerance of 1e-9, at most 10^4 iterations, cold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from . import figures
from .experiment import is_installed

Array = npt.NDArray[np.float64]

GRAVITY = 9.81  # m/s^2
SIDE = 0.2  # m
STEP = 1e-3  # s
TOLERANCE = 1e-9
COLUMNS = ("printed", "ours")
COLORS = {"lcp": "#8a5fa8", "ccp": "#b4560e", "rai": "#2e8b57", "ncp": "#1f4e8c", "Muj": "#667"}


STYLES = {"printed": "-", "ours": "--", "MuJoCo": ":"}


def has_simulator() -> bool:
    """Whether tactum.sim and Pinocchio, which it needs, are installed."""
    return is_installed("pinocchio") and is_installed("tactum._sim")


def color(solver: str) -> str:
    """One for each contact model."""
    return COLORS.get(solver[:3], "#23303f")


def look(column: str, solver: str) -> dict[str, Any]:
    """Color and line of a motion in the figures."""
    return {"color": color(solver), "ls": STYLES[column], "lw": 1.2}


def label(column: str, solver: str) -> str:
    """Its name in the legends."""
    return (
        "MuJoCo" if column == "MuJoCo" else f"{solver}, {column.replace('printed', 'as printed')}"
    )


def options(
    column: str, tolerance: float = TOLERANCE, max_iterations: int = 10000, warm: bool = False
) -> Any:
    """sim.StepOptions of a column. warm: as printed, too, begin from the forces of the last step."""
    from tactum import sim

    if column == "ours":
        return sim.StepOptions(tolerance=tolerance, max_iterations=max_iterations)
    return sim.StepOptions(
        tolerance=tolerance,
        max_iterations=max_iterations,
        position_correction=1e-4,
        slop=1e-6,
        warm_start=warm,
        as_printed=True,
    )


def cubes_model(masses: Sequence[float], friction: Sequence[float]) -> Any:
    """Cubes on top of each other on the ground. friction: of the ground, then of every cube; a pair
    has the geometric mean of its two."""
    from tactum import sim

    builder = sim.ModelBuilder()
    builder.add_ground(friction=friction[0])
    box = tactum.Box(half_extents=(SIDE / 2, SIDE / 2, SIDE / 2))
    for place, (mass, own) in enumerate(zip(masses, friction[1:], strict=True)):
        pose = tactum.pose_matrix([0.0, 0.0, SIDE * (place + 0.5), 0.0, 0.0, 0.0, 1.0])
        builder.add_body(box, mass=mass, X=pose, friction=own)
    return builder.build()


@dataclass(frozen=True)
class Motion:
    """A simulated motion: times (T + 1,), q, v, and, where asked for, forces of every step."""

    time: Array
    q: Array
    v: Array
    points: list[Array]  # of each step: contact points (n, 3), m
    forces: list[Array]  # of each step: forces on the cube (n, 3), N, in the world
    residual: Array  # of each step
    iterations: Array
    converged: float  # share of the steps

    @property
    def energy(self) -> Array:
        """Kinetic energy of a first cube of 1 kg, and of its height above the start: J."""
        spin = 0.5 * SIDE**2 / 6.0 * np.sum(self.v[:, 3:6] ** 2, axis=1)
        height = self.q[:, 2] - self.q[0, 2]
        return np.asarray(0.5 * np.sum(self.v[:, :3] ** 2, axis=1) + spin + GRAVITY * height)


def simulate(
    model: Any,
    state: Any,
    steps: int,
    solver: str,
    choice: Any,
    dt: float = STEP,
    push: Callable[[float], Array] | None = None,
) -> Motion:
    """Steps from a state. push: force in N on the center of the first cube, in the world, of the
    time at the end of the step."""
    from tactum import sim

    q, v = [state.q], [state.v]
    points, forces, residual, iterations, converged = [], [], [], [], 0
    for step in range(steps):
        tau = None
        if push is not None:
            tau = np.zeros(model.nv)
            rotation = tactum.pose_matrix(state.q[:7])[:3, :3]
            tau[:3] = rotation.T @ push((step + 1) * dt)
        result = sim.step(model, state, tau, dt, solver=solver, options=choice)
        state = result.state
        q.append(state.q)
        v.append(state.v)
        contacts = result.contacts
        points.append(np.array(contacts.point).reshape(-1, 3))
        forces.append(np.array(contacts.force).reshape(-1, 3))
        residual.append(result.solution.residual)
        iterations.append(result.solution.iterations)
        converged += result.status == "converged"
    return Motion(
        dt * np.arange(steps + 1, dtype=np.float64),
        np.array(q),
        np.array(v),
        points,
        forces,
        np.array(residual),
        np.array(iterations),
        converged / max(steps, 1),
    )


def internal_share(points: Array, forces: Array) -> float:
    """Share of the forces at some points that neither push nor turn a body: |(I - A^+ A) f| / |f|
    with the map A from forces to their sum and moment."""
    if len(points) == 0:
        return 0.0
    center = points.mean(axis=0)
    blocks = []
    for x, y, z in points - center:
        blocks.append(
            np.vstack([np.eye(3), np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]) / SIDE])
        )
    A, f = np.hstack(blocks), forces.ravel()
    size = float(np.linalg.norm(f))
    left = f - np.linalg.pinv(A, rcond=1e-10) @ (A @ f)
    return float(np.linalg.norm(left)) / size if size > 0 else 0.0


# --------------------------------------------------------------------------------- a sliding cube
FRICTION, SPEED = 0.4, 1.0  # of the sliding cube; m/s
OBLIQUE = np.pi / 8  # between the first velocity and the first axis of the pyramid
# the simulator's contact frame on level ground has its first axis along (12, 5, 0)
ANGLE = float(np.arctan2(5.0, 12.0)) + OBLIQUE


def sliding_cube(
    solver: str,
    column: str,
    steps: int,
    dt: float = STEP,
    tolerance: float = TOLERANCE,
    warm: bool = False,
) -> Motion:
    """A cube on the ground that begins to slide at an angle of 22.5 degrees from the pyramid."""
    model = cubes_model([1.0], [FRICTION, FRICTION])
    state = model.state()
    velocity = np.zeros(6)
    velocity[:2] = SPEED * np.cos(ANGLE), SPEED * np.sin(ANGLE)
    state.v = velocity
    return simulate(model, state, steps, solver, options(column, tolerance, warm=warm), dt)


def along(motion: Motion) -> Array:
    """Distance along the line of the first velocity, m."""
    return np.asarray(motion.q[:, :2] @ np.array([np.cos(ANGLE), np.sin(ANGLE)]))


def across(motion: Motion) -> Array:
    """Distance to the left of the line of the first velocity, m."""
    return np.asarray(motion.q[:, :2] @ np.array([-np.sin(ANGLE), np.cos(ANGLE)]))


def closed_energy(time: Array) -> Array:
    """Kinetic energy under Coulomb friction and maximum dissipation: J."""
    speed = np.maximum(SPEED - FRICTION * GRAVITY * time, 0.0)
    return np.asarray(0.5 * speed**2)


def draw_energies(
    figure: Any, motions: Sequence[tuple[str, str, float, Motion]], unit: str
) -> None:
    """Energies of sliding cubes, a panel for each column and solver: the form of Figs. 14 and 15.
    motions: column, solver, and the number that is varied."""
    columns = list(dict.fromkeys((column, solver) for column, solver, _, _ in motions))
    if not columns:
        return
    for axes, own in zip(figure.subplots(1, len(columns), sharey=True), columns, strict=True):
        for column, solver, value, motion in motions:
            if (column, solver) == own:
                axes.plot(motion.time, motion.energy, lw=1.1, label=f"{value:g}{unit}")
        axes.plot(motion.time, closed_energy(motion.time), color="#23303f", lw=3, alpha=0.2)
        axes.legend(fontsize=8)
        figures.tidy(axes, label(*own), "time [s]", "energy [J]")


def pyramid_drift() -> float:
    """How far the pyramid turns the cube off its line: each of its axes brakes by mu g until it
    stands still. m, to the left."""
    x, y = SPEED * np.cos(OBLIQUE), SPEED * np.sin(OBLIQUE)
    reach = np.array([x**2, y**2]) / (2.0 * FRICTION * GRAVITY)
    return float(reach @ np.array([-np.sin(OBLIQUE), np.cos(OBLIQUE)]))
