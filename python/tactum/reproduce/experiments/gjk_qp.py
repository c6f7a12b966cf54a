# SPDX-License-Identifier: BSD-2-Clause
"""GJK++, Table II: GJK and its accelerations against a quadratic program solver, on pairs of
identical shapes.

The program is eq. 2: min |x1 - x2|^2 with A_i x_i <= b_i, the faces of both hulls. ProxQP (dense,
no initial guess, absolute accuracy 1e-4, as in the authors' public benchmark) reports its own run
time; only runs that it reports as solved count, and the ratio to GJK is that of the means over these
same problems. Shapes: a cube of 0.3 m and the YCB objects with
250 and 940 corners, at +-1 mm to +-0.1 m. The paper times the search alone, and so does the ratio
here; coal and auto answer whole queries, with the depth in penetration.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import tactum

from .. import figures, ycb
from ..experiment import Experiment, Settings, is_installed, task_seed
from ..measure import Array, ask, fastest, quartiles, searches, with_coal
from ..problems import Problems, at_distance, separated_poses
from ..report import Row, make_row

METHODS = ("gjk", "polyak", "nesterov_normalized", "auto")
DISTANCES = (-0.1, -0.01, -0.001, 0.001, 0.01, 0.1)
OBJECTS = {8: "cube", 250: "063-a_marbles", 940: "019_pitcher_base"}
# microseconds, mean and deviation: ProxQP, gjk, polyak, nesterov
TABLE_II = {
    8: ((5.3, 2.7), (0.2, 0.03), (0.2, 0.05), (0.2, 0.05)),
    250: ((2e3, 600.0), (0.8, 0.3), (0.6, 0.2), (0.7, 0.2)),
    940: ((20e3, 14e3), (2.1, 0.5), (1.4, 0.4), (1.4, 0.3)),
}
LEAST_RATIO = {8: 20.0, 250: 2000.0, 940: 8000.0}
CUBE_SIZE = 0.3

Task = tuple[
    list[int], int, int, int, int, Path | None
]  # seed, vertices, poses for GJK, poses for ProxQP, repeats, data
Times = dict[
    str, Array
    # microseconds by method; of each run of ProxQP whether it was solved, and the distance that it
    # found
]


def shape_of(vertices: int, folder: Path | None) -> tactum.Convex:
    if vertices != 8:
        return ycb.hull(OBJECTS[vertices], folder)
    return tactum.Convex.from_points(
        [np.array(signs) * 0.5 * CUBE_SIZE for signs in product((-1.0, 1.0), repeat=3)]
    )


def half_spaces(hull: tactum.Convex) -> tuple[Array, Array]:
    """A and b with A x <= b inside: a row for each face; the two triangles of a side of the cube
    are one."""
    corners = hull.vertices[hull.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    offsets = np.einsum("ij,ij->i", normals, corners[:, 0])
    if len(hull.vertices) == 8:
        planes = np.unique(np.round(np.column_stack([normals, offsets]), 12), axis=0)
        return planes[:, :3], planes[:, 3]
    return normals, offsets


def solve_programs(problems: Problems, repeats: int) -> tuple[Array, Array, Array]:
    """For each problem the run time of ProxQP in microseconds, whether it was solved, and the
    distance."""
    proxqp = importlib.import_module("proxsuite").proxqp
    A, b = (
        half_spaces(problems.a)
        if isinstance(problems.a, tactum.Convex)
        else (np.zeros((0, 3)), np.zeros(0))
    )
    H = 2.0 * np.kron(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.eye(3))
    times, solved, distances = [], [], []
    for X_AB in problems.X_AB:
        R, t = X_AB[:3, :3], X_AB[:3, 3]
        C = np.block([[A, np.zeros_like(A)], [np.zeros_like(A), A @ R.T]])
        upper = np.concatenate([b, b + A @ R.T @ t])
        program = proxqp.dense.QP(6, 0, len(upper))
        program.settings.eps_abs = 1e-4
        program.settings.compute_timings = True
        program.settings.initial_guess = proxqp.InitialGuess.NO_INITIAL_GUESS
        program.init(H, np.zeros(6), None, None, C, np.full(len(upper), -1e20), upper)
        own = []
        for _ in range(repeats):
            program.solve()
            own.append(program.results.info.run_time)
        times.append(float(fastest(np.array([own]))[0]))
        solved.append(float(program.results.info.status == proxqp.QPSolverOutput.PROXQP_SOLVED))
        distances.append(float(np.linalg.norm(program.results.x[:3] - program.results.x[3:])))
    return np.array(times), np.array(solved), np.array(distances)


def tasks(settings: Settings) -> list[Task]:
    poses, repeats, programs = settings.pick((100, 100, (100, 20, 10)), (5, 5, (5, 1, 1)))
    return [
        (task_seed(settings, k), vertices, poses, count, repeats, settings.data)
        for k, (vertices, count) in enumerate(zip(OBJECTS, programs, strict=True))
    ]


def work(task: Task) -> Times:
    seed, vertices, poses, programs, repeats, folder = task
    shape = shape_of(vertices, folder)
    problems = separated_poses(shape, shape, np.random.default_rng(seed), poses)
    moved = [at_distance(problems, target) for target in DISTANCES]
    times: Times = {}
    for method in with_coal(METHODS):
        share = 10 if method.startswith("coal ") and poses > 10 else 1
        chosen = [Problems(one.a, one.b, one.X_AB[::share]) for one in moved]
        query = "search" if searches(method) else "distance"
        times[method] = 1e-3 * np.concatenate(
            [ask(one, query, method, repeats=repeats)["nanoseconds"] for one in chosen]
        )
    if is_installed("proxsuite"):
        chosen = [Problems(one.a, one.b, one.X_AB[:programs]) for one in moved]
        found = [solve_programs(one, 10 if poses > 10 else 1) for one in chosen]
        times["proxqp"], times["solved"], times["found"] = (
            np.concatenate(column) for column in zip(*found, strict=True)
        )
    return times


def rows(settings: Settings, results: Sequence[Times]) -> list[Row]:
    made = []
    for vertices, times in zip(OBJECTS, results, strict=True):
        case = f"{vertices} vertices"
        published = {
            method: mean
            for method, (mean, _) in zip(("proxqp", *METHODS), TABLE_II[vertices], strict=False)
        }
        for method in METHODS:
            peers = (
                {"coal": float(times[f"coal {method}"].mean())} if f"coal {method}" in times else {}
            )
            more = {
                "spread": quartiles(times[method]),
                "published": published.get(method),
                "peers": peers,
                "timing": True,
            }
            made.append(
                make_row(case, f"time, {method}", "us", float(times[method].mean()), **more)
            )
        if "proxqp" not in times or not times["solved"].any():
            continue
        solved = times["proxqp"][times["solved"] > 0]
        note = f"{len(solved)} of {len(times['solved'])} runs solved"
        made.append(make_row(case, "runs solved, ProxQP", "1", float(times["solved"].mean())))
        mean = float(solved.mean())
        made.append(
            make_row(
                case,
                "time, ProxQP",
                "us",
                mean,
                spread=quartiles(solved),
                published=published["proxqp"],
                timing=True,
                note=note,
            )
        )
        wanted = np.repeat(np.maximum(DISTANCES, 0.0), len(times["found"]) // len(DISTANCES))
        off = float(np.abs(times["found"] - wanted)[times["solved"] > 0].max())
        made.append(
            make_row(
                case,
                "distance error, ProxQP",
                "m",
                off,
                note="largest; zero is right where the shapes overlap",
            )
        )
        ratio = mean / float(same_problems(times, "gjk").mean())
        known = published["proxqp"] / published["gjk"]
        least: dict[str, Any] = {
            "relation": ">=",
            "goal": LEAST_RATIO[vertices],
            "published": known,
            "timing": True,
        }
        made.append(make_row(case, "time, ProxQP / gjk", "1", ratio, **least))
    return made


def same_problems(times: Times, method: str) -> Array:
    """Times of a method on the problems that ProxQP solved: it gets the first poses of every
    distance."""
    by_distance = times[method].reshape(len(DISTANCES), -1)
    programs = len(times["solved"]) // len(DISTANCES)
    return np.asarray(by_distance[:, :programs].ravel()[times["solved"] > 0])


def draw(figure: Any, settings: Settings, results: Sequence[Times]) -> None:
    axes = figure.subplots()
    columns = []
    for place, method in enumerate(("proxqp", *METHODS)):
        if all(method in times for times in results):
            own = [
                times[method][times["solved"] > 0] if method == "proxqp" else times[method]
                for times in results
            ]
            known = [] if method == "auto" else list(zip(*TABLE_II.values(), strict=True))[place]
            columns.append((method, [float(values.mean()) for values in own], known))
    figures.draw_bars(
        axes,
        [f"{n} vertices" for n in OBJECTS],
        columns,
        "Table II: time of a distance query",
        "time [us]",
    )
    axes.set_yscale("log")
    axes.legend(fontsize=8)


EXPERIMENT = Experiment(
    name="gjk-qp",
    title="GJK against a quadratic program solver",
    source="GJK++, Table II",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(8.0, 4.6),
    uses=("coal", "proxsuite"),
)
