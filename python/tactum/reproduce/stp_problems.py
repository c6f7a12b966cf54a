# SPDX-License-Identifier: BSD-2-Clause
"""Geodesic spheres that move past each other: the problems and measurements of the paper on STP
volumes, section VI-B.

Two spheres of 20 cm; between two queries both turn about their three axes, and the distance goes to
and fro over 40 cm, down to slight penetration. Times are taken inside the compiled module; each
query begins where the last one ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

from . import figures
from ._timing import time_moves
from .contact_problems import ICOSAHEDRON
from .experiment import Settings, task_seed
from .measure import quartiles
from .report import Row, make_row

Array = npt.NDArray[np.float64]

RADIUS, SMALL_RADIUS = 0.2, 0.01  # m
BIG_RADII = (10.0, 100.0)
NEAREST, RANGE = 0.405, 0.4  # m between the centers
FREQUENCIES = (2, 3, 4, 6, 8, 9, 10, 12, 16)  # 42 to 2562 vertices; the paper names 812 and 1002
SHAPES = ("hull", "R = 10 m", "R = 100 m")
ITERATED, PATCHES = (
    "R = 10 m, iterated",
    "sphere patches, R = 10 m",
)  # both by the search of the experiment, python/timing/separation_search.hpp
COLUMNS = (*SHAPES, ITERATED, PATCHES)
WAYS = {ITERATED: "iterated", PATCHES: "sphere patches"}
TOLERANCE = 1e-12

Task = tuple[
    list[int], int, float, float, int, int
]  # seed, frequency, angle, shift, steps, repeats
Result = tuple[int, dict[str, dict[str, Array]]]


def geodesic_sphere(frequency: int, radius: float = RADIUS) -> Array:
    """Vertices of an icosahedron whose faces are divided frequency times, on the sphere: 10
    frequency^2 + 2 of them."""
    corners = ICOSAHEDRON / np.linalg.norm(ICOSAHEDRON[0])
    edge = np.linalg.norm(corners[None] - corners[:, None], axis=2)
    shortest = edge[edge > 0].min() * 1.01
    points = []
    for i in range(12):
        for j in range(i + 1, 12):
            for k in range(j + 1, 12):
                if max(edge[i, j], edge[j, k], edge[i, k]) < shortest:
                    shares = [
                        (u, v, frequency - u - v)
                        for u in range(frequency + 1)
                        for v in range(frequency + 1 - u)
                    ]
                    points.append(np.array(shares, dtype=float) @ corners[[i, j, k]])
    found = np.concatenate(points)
    found /= np.linalg.norm(found, axis=1)[:, None]
    _, first = np.unique(np.round(found, 9), axis=0, return_index=True)
    return np.asarray(radius * found[np.sort(first)])


def turns(rng: np.random.Generator, angle: float, steps: int) -> Array:
    """Rotations, each the last one turned about its three axes by about the angle."""
    found, R = np.empty((steps, 3, 3)), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.sign(np.linalg.det(R))
    for k in range(steps):
        for axis in range(3):
            a = angle * rng.uniform(0.8, 1.2)
            i, j = (axis + 1) % 3, (axis + 2) % 3
            R[:, [i, j]] = R[:, [i, j]] @ np.array(
                [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]
            )
        q, r = np.linalg.qr(R)
        R = q * np.sign(np.diag(r))
        found[k] = R
    return found


def moves(rng: np.random.Generator, angle: float, shift: float, steps: int) -> tuple[Array, Array]:
    """Poses of A and of B, (steps, 4, 4)."""
    X_WA, X_WB = np.tile(np.eye(4), (steps, 1, 1)), np.tile(np.eye(4), (steps, 1, 1))
    X_WA[:, :3, :3], X_WB[:, :3, :3] = turns(rng, angle, steps), turns(rng, angle, steps)
    way = np.cumsum(shift * rng.uniform(0.5, 1.5, size=steps)) % (2.0 * RANGE)
    X_WB[:, 0, 3] = NEAREST + np.minimum(way, 2.0 * RANGE - way)
    return X_WA, X_WB


def shape_of(name: str, points: Array) -> tactum.Shape:
    if name == "hull":
        return tactum.Convex.from_points(points, margin=SMALL_RADIUS)
    return tactum.Stp.from_points(
        points, small_radius=SMALL_RADIUS, big_radius=100.0 if "100" in name else 10.0
    )


def tasks(settings: Settings, angle: float, shift: float) -> list[Task]:
    frequencies, steps, repeats = settings.pick((FREQUENCIES, 20000, 5), ((2, 4, 16), 400, 3))
    return [(task_seed(settings, f), f, angle, shift, steps, repeats) for f in frequencies]


def work(task: Task) -> Result:
    """Columns of time_moves by shape."""
    seed, frequency, angle, shift, steps, repeats = task
    points = geodesic_sphere(frequency)
    X_WA, X_WB = moves(np.random.default_rng(seed), angle, shift, steps)
    found = {}
    for name in COLUMNS:
        shape = shape_of(name, points)
        found[name] = time_moves(
            shape,
            X_WA,
            shape,
            X_WB,
            tolerance=TOLERANCE,
            repeats=repeats,
            what=WAYS.get(name, "shapes"),
        )
    return len(points), found


def rows_of(results: Sequence[Result]) -> list[Row]:
    """A line for each size and shape: time, what the gradient adds, support pairs, queries
    without a proof."""
    made = []
    for vertices, found in results:
        for name, columns in found.items():
            case, times = f"{vertices} vertices, {name}", 1e-3 * columns["distance_ns"]
            made.append(
                make_row(
                    case,
                    "distance",
                    "us",
                    float(np.median(times)),
                    spread=quartiles(times),
                    timing=True,
                )
            )
            gradient = 1e-3 * columns["gradient_ns"]
            # 1.4 us for the matrices and 0.6 us for the gradient itself, section VI-B
            known = 2.0 if name == "R = 10 m" else None
            made.append(
                make_row(
                    case,
                    "gradient",
                    "us",
                    float(np.median(gradient)),
                    spread=quartiles(gradient),
                    published=known,
                    timing=True,
                )
            )
            if "derivative_ns" in columns:
                made.append(
                    make_row(
                        case,
                        "all derivatives",
                        "us",
                        float(np.median(1e-3 * columns["derivative_ns"])),
                        timing=True,
                    )
                )
            made.append(
                make_row(case, "support pairs", "1", float(columns["support_calls"].mean()))
            )
            failed = int(
                np.sum(columns["status"] == list(tactum.Status).index(tactum.Status.not_converged))
            )
            # sphere patches are good to the rounding of R alone, and no shape of the library
            made.append(
                make_row(
                    case,
                    "not converged",
                    "1",
                    failed,
                    relation="<=",
                    goal=None if name == PATCHES else 0,
                )
            )
    return made


def sphere_patch_rows(results: Sequence[Result]) -> list[Row]:
    """The claim of section III-E about the body between the big spheres alone: as costly, and farther
    from the object."""
    made = []
    for vertices, found in results:
        hull, volume, patches = found["hull"], found[ITERATED], found[PATCHES]
        case = f"{vertices} vertices, sphere patches / volume, R = 10 m, both iterated"
        pairs = float(patches["support_calls"].mean() / volume["support_calls"].mean())
        note = "the same complexity, says the paper"
        made.append(make_row(case, "support pairs", "1", pairs, note=note))
        times = float(np.median(patches["distance_ns"]) / np.median(volume["distance_ns"]))
        made.append(make_row(case, "time", "1", times, timing=True, note=note))
        far = (hull["distance"] - patches["distance"]).max() / (
            hull["distance"] - volume["distance"]
        ).max()
        made.append(
            make_row(
                case,
                "largest distance beyond the hull and r",
                "1",
                float(far),
                relation=">=",
                goal=1.0,
            )
        )
    return made


def growth(results: Sequence[Result], name: str) -> float:
    """Median time at the most vertices over that at the fewest."""
    medians = [float(np.median(found[name]["distance_ns"])) for _, found in results]
    return medians[-1] / medians[0]


def draw(figure: Any, results: Sequence[Result], title: str) -> None:
    """Time and support pairs against the number of vertices."""
    vertices = [count for count, _ in results]
    left, right = figure.subplots(1, 2)
    colors = dict(
        zip(COLUMNS, ("#23303f", "#1f4e8c", "#b4560e", "#7f9fc9", "#2e8b57"), strict=True)
    )
    for name in COLUMNS:
        left.plot(
            vertices,
            [1e-3 * np.median(found[name]["distance_ns"]) for _, found in results],
            "o-",
            ms=3.5,
            color=colors[name],
            label=f"distance, {name}",
        )
        right.plot(
            vertices,
            [found[name]["support_calls"].mean() for _, found in results],
            "o-",
            ms=3.5,
            color=colors[name],
            label=name,
        )
    for key, label, style in (
        ("gradient_ns", "gradient", ":"),
        ("derivative_ns", "all derivatives", "--"),
    ):
        left.plot(
            vertices,
            [1e-3 * np.median(found["R = 10 m"][key]) for _, found in results],
            style,
            color="#1f4e8c",
            label=f"{label}, R = 10 m",
        )
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        axes.legend(fontsize=8, frameon=False)
    figures.tidy(left, title, "vertices", "median time [us]")
    figures.tidy(right, "support pairs of a query", "vertices", "mean")
