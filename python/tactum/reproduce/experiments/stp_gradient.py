# SPDX-License-Identifier: BSD-2-Clause
"""Strictly convex hulls, Figs. 1 to 3: the gradient of the distance of a triangle to a plane jumps,
that of its STP volume does not.

A triangle turns by theta about x, then by phi about y, above the plane z = -z_0 (Figs. 1 and 2; eq.
2 with the sign of z_0 that makes the distance positive). Along a line across the creases the
largest change of the gradient from step to step is measured with steps of a quarter the size each
time. The second derivative jumps for both bodies of Fig. 3, by R where two arcs meet in a corner
and by R - r where they join smoothly. Section III-E compares the volume with one of big spheres
alone, which lies farther from sharp corners.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tactum

from .. import figures
from ..experiment import Experiment, Settings
from ..report import Row, make_row
from ..stp_problems import Array

TRIANGLE = np.array([[-0.3, -0.1, 0.0], [0.0, 0.25, 0.0], [0.35, -0.2, 0.0]])
HEIGHT = 1.0
PLANE = tactum.HalfSpace(normal=(0.0, 0.0, 1.0), offset=-HEIGHT)
SMALL_RADIUS, BIG_RADIUS = 0.01, 2.0
THETA, REACH = 0.2, 0.6  # rad: the line of the sequence, phi from -REACH to REACH
SEGMENT, FIG_3_SMALL, FIG_3_BIG = 0.2, 0.1, 1.0  # half length; radii of Fig. 3
BODIES = {
    "polyhedron": tactum.Convex.from_points(TRIANGLE),
    "volume": tactum.Stp.from_points(TRIANGLE, small_radius=SMALL_RADIUS, big_radius=BIG_RADIUS),
}

Result = tuple[str, dict[str, Array]]


def rotation(theta: float, phi: float) -> Array:
    ct, st, cp, sp = np.cos(theta), np.sin(theta), np.cos(phi), np.sin(phi)
    return np.array([[cp, sp * st, sp * ct], [0.0, ct, -st], [-sp, cp * st, cp * ct]])


def look(shape: tactum.Shape, theta: float, phi: float) -> Array:
    """Distance and its derivatives by theta and phi."""
    X = np.eye(4)
    X[:3, :3] = rotation(theta, phi)
    found = tactum.distance_derivative(shape, X, PLANE, np.eye(4), frame="world")
    turn = found.distance_jacobian[3:6]
    return np.array([found.value.distance, turn @ [np.cos(phi), 0.0, -np.sin(phi)], turn[1]])


def line(shape: tactum.Shape, steps: int) -> Array:
    return np.array([look(shape, THETA, phi) for phi in np.linspace(-REACH, REACH, steps + 1)])


def second_derivative_jump(small_radius: float) -> float:
    """Derivative of the distance of a spindle to the plane, where the turning spindle goes from its end to
    its side."""
    ends = [[-SEGMENT, 0.0, 0.0], [SEGMENT, 0.0, 0.0]]
    spindle = tactum.Stp.from_points(ends, small_radius=small_radius, big_radius=FIG_3_BIG)
    border, h = np.arcsin(SEGMENT / (FIG_3_BIG - small_radius)), 1e-5
    inside, outside = (
        np.array([look(spindle, 0.0, border + s * k * h)[2] for k in (1, 2)]) for s in (-1.0, 1.0)
    )
    return float(abs((inside[0] - inside[1]) / h - (outside[1] - outside[0]) / h))


def corner_margins(half: float, big_radius: float) -> tuple[float, float]:
    """Distance from the corner of a cube to the volume, and to the intersection of the big balls
    of the faces alone."""
    alpha = big_radius - SMALL_RADIUS
    corner = np.full(3, half)
    # the big sphere of the square z = half about its four corners, and those of the two faces
    # beside it
    centers = half * np.eye(3) - np.sqrt(alpha**2 - 2.0 * half**2) * np.eye(3)
    x = corner.copy()
    for _ in range(50):
        away = x - centers
        lengths = np.linalg.norm(away, axis=1)
        x = x - np.linalg.solve(away / lengths[:, None], lengths - big_radius)
    corners = half * np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    volume = tactum.Stp.from_points(corners, small_radius=SMALL_RADIUS, big_radius=big_radius)
    pose = np.eye(4)
    pose[:3, 3] = corner
    depth = -tactum.distance(volume, np.eye(4), tactum.Sphere(radius=0.0), pose).distance
    return float(depth), float(np.linalg.norm(x - corner))


def tasks(settings: Settings) -> list[tuple[str, Any]]:
    grid, finest = settings.pick((61, 4), (21, 3))
    lines = [("line", (name, 50 * 4**k)) for name in BODIES for k in range(finest)]
    return [*(("grid", (name, grid)) for name in BODIES), *lines]


def work(task: tuple[str, Any]) -> Result:
    kind, (name, count) = task
    if kind == "line":
        return f"{name}, {count} steps", {"line": line(BODIES[name], count)}
    angles = np.linspace(-REACH, REACH, count)
    return name, {
        "grid": np.array([[look(BODIES[name], theta, phi) for phi in angles] for theta in angles])
    }


def largest_jump(values: Array) -> float:
    """The largest jump of the gradient from a step to the next."""
    return float(np.linalg.norm(np.diff(values[:, 1:], axis=0), axis=1).max())


def crease_jump() -> float:
    """The larger of the jumps across the creases that the line meets, by eqs. 4 and 5."""
    found = []
    for i, j in ((0, 1), (1, 2), (2, 0)):
        dx, dy = TRIANGLE[i, :2] - TRIANGLE[j, :2]
        phi = np.arctan(dy / dx * np.sin(THETA))
        heights = TRIANGLE[:, 1] * np.sin(THETA) * np.cos(phi) - TRIANGLE[:, 0] * np.sin(phi)
        if heights.min() >= min(heights[i], heights[j]) - 1e-12 and abs(phi) < REACH:
            found.append(np.hypot(dy * np.cos(THETA) * np.cos(phi), dx / np.cos(phi)))
    return float(max(found))


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made, jumps = [], {}
    for name in BODIES:
        lines = {key: values["line"] for key, values in results if key.startswith(f"{name}, ")}
        jumps[name] = [largest_jump(values) for values in lines.values()]
        for key, jump in zip(lines, jumps[name], strict=True):
            formula = {"eqs. 4 and 5": crease_jump()} if name == "polyhedron" else {}
            made.append(make_row(key, "largest jump of the gradient", "m/rad", jump, peers=formula))
    finer = 4.0 ** (len(jumps["volume"]) - 1)
    exact = abs(jumps["polyhedron"][-1] / crease_jump() - 1.0)
    made.append(
        make_row(
            "polyhedron",
            "jump against eqs. 4 and 5, relative",
            "1",
            exact,
            relation="<=",
            goal=5e-3,
        )
    )
    ratio = jumps["polyhedron"][-1] / jumps["polyhedron"][0]
    made.append(
        make_row(
            "polyhedron",
            "jump, finest / coarsest steps",
            "1",
            ratio,
            relation=">=",
            goal=0.9,
            note="it stays",
        )
    )
    ratio = jumps["volume"][-1] / jumps["volume"][0]
    made.append(
        make_row(
            "volume",
            "jump, finest / coarsest steps",
            "1",
            ratio,
            relation="<=",
            goal=2.0 / finer,
            note="it goes with the steps",
        )
    )
    for case, radius in (("corner, r = 0", 0.0), ("smooth joint", FIG_3_SMALL)):
        jump, known = second_derivative_jump(radius), FIG_3_BIG - radius
        made.append(
            make_row(f"Fig. 3, {case}", "jump of the second derivative", "m", jump, published=known)
        )
        made.append(
            make_row(
                f"Fig. 3, {case}",
                "relative to R - r",
                "1",
                abs(jump / known - 1.0),
                relation="<=",
                goal=1e-2,
            )
        )
    volume, spheres = corner_margins(0.05, 10.0)
    made.append(
        make_row(
            "III-E, cube of 10 cm, R = 10 m",
            "margin at a corner",
            "m",
            volume,
            peers={"sphere patches": spheres},
        )
    )
    made.append(
        make_row(
            "III-E, cube of 10 cm, R = 10 m",
            "margin, sphere patches / volume",
            "1",
            spheres / volume,
            relation=">=",
            goal=1.0,
        )
    )
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    grids = {name: values["grid"] for name, values in results if "grid" in values}
    panels = figure.subplots(2, 3)
    for row, (name, values) in zip(panels, grids.items(), strict=True):
        for axes, k, label in zip(row, range(3), ("distance", "by theta", "by phi"), strict=True):
            image = axes.imshow(
                values[:, :, k].T,
                origin="lower",
                extent=(-REACH, REACH, -REACH, REACH),
                cmap="viridis",
                aspect="auto",
            )
            figure.colorbar(image, ax=axes)
            figures.tidy(axes, f"{name}: {label}", "theta [rad]", "phi [rad]")
            axes.grid(False)


EXPERIMENT = Experiment(
    name="stp-gradient",
    title="gradient of the distance of a triangle and of its STP volume to a plane",
    source="Strictly convex hulls, Figs. 1 to 3 and section III-E",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(13.0, 7.0),
)
