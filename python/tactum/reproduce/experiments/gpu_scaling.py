# SPDX-License-Identifier: BSD-2-Clause
"""Object crop collision network, Figs. 2 and 6c in part: time of a batch against its size, on the
CPU and on a GPU, and the size from which the GPU pays for the query that both answer: distances
with depths. The CPU does not run the other queries of the GPU here, so nothing is said of them.

Pairs are random: 64 hulls of 27 vertices, each on an ellipsoid with semi axes from 0.1 to 0.5 m, at
random poses with their origins up to 0.74 m apart, of which about 38 % overlap. The CPU answers on
all its cores; of the GPU, data and answers stay on the device, times are those of CUDA events. Both
return status, distance and normal; depths are found. The medians of 20 calls count, of 5 on the
CPU. The paper simulates on the GPU alone; its baseline, GJK in uniform flow, is in
docs/guide/gpu.md. Without a GPU, or without tactum's GPU part, there are no rows of it.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum
from tactum import gpu

from .. import figures
from ..experiment import Experiment, Settings, task_seed
from ..measure import quartiles
from ..report import Row, make_row

Array = npt.NDArray[np.float64]
NUM_HULLS, NUM_VERTICES, SPREAD = 64, 27, 0.74
FIELDS = ("status", "distance", "normal")
#: name of a query: where it runs, what it is called with
QUERIES = {
    "CPU, distances": ("cpu", {}),
    "GPU, distances": ("gpu", {}),
    "GPU, distances, depth bounded": ("gpu", {"depth": False}),
    "GPU, with Jacobians": ("gpu", {"depth": False, "jacobians": True}),
    "GPU, collides": ("gpu", {"boolean": True}),
}
# G pairs a second of the largest batch; the one with Jacobians returns 4 x 12 numbers more
GOALS = {
    "GPU, distances, depth bounded": 4.0,
    "GPU, with Jacobians": 1.5,
    "GPU, collides": 8.0,
}
Task = tuple[str, tuple[int, ...], int, int]  # query, seed, size, repeats
Result = tuple[str, int, Array]  # query, size, seconds


def hulls() -> list[tactum.Convex]:
    random = np.random.default_rng(1)
    made = []
    for _ in range(NUM_HULLS):
        points = random.normal(size=(NUM_VERTICES, 3))
        points *= random.uniform(0.1, 0.5, 3) / np.linalg.norm(points, axis=1, keepdims=True)
        made.append(tactum.Convex.from_points(points))
    return made


@functools.lru_cache(maxsize=1)  # the queries of one size follow each other
def pairs(seed: tuple[int, ...], size: int) -> tuple[Array, ...]:
    """Indices and poses of A and B."""
    random = np.random.default_rng(list(seed))
    index = random.integers(0, NUM_HULLS, (2, size), dtype=np.int32)
    poses = random.standard_normal((2, size, 7))
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    away = poses[1, :, :3] / np.linalg.norm(poses[1, :, :3], axis=-1, keepdims=True)
    poses[0, :, :3] *= 0.5
    poses[1, :, :3] = poses[0, :, :3] + SPREAD * np.cbrt(random.random((size, 1))) * away
    return index[0], poses[0], index[1], poses[1]


def overlap_share(settings: Settings, size: int) -> float:
    """Share of the pairs of a batch that overlap."""
    table = tactum.ShapeTable(hulls())
    index_a, X_WA, index_b, X_WB = pairs(tuple(task_seed(settings, 4)), size)
    found = tactum.distances((table, index_a), X_WA, (table, index_b), X_WB, fields=["status"])
    return float(np.mean(np.asarray(found.status) == tactum.Status.penetrating))


def tasks(settings: Settings) -> list[Task]:
    largest = settings.pick(7, 4)
    repeats = settings.pick({"cpu": 5, "gpu": 20}, {"cpu": 2, "gpu": 3})
    return [
        (query, tuple(task_seed(settings, k)), 10**k, repeats[place])
        for k in range(largest + 1)
        for query, (place, _) in QUERIES.items()
    ]


def cpu_call(seed: tuple[int, ...], size: int) -> Callable[[], float]:
    table = tactum.ShapeTable(hulls())
    index_a, X_WA, index_b, X_WB = pairs(seed, size)

    def call() -> float:
        start = time.perf_counter()
        tactum.distances((table, index_a), X_WA, (table, index_b), X_WB, fields=FIELDS)
        return time.perf_counter() - start

    return call


def gpu_call(
    seed: tuple[int, ...],
    size: int,
    depth: bool = True,
    boolean: bool = False,
    jacobians: bool = False,
) -> Callable[[], float]:
    module = gpu._module()
    table = gpu.ShapeTable(hulls())
    index_a, X_WA, index_b, X_WB = (module.to_device(x) for x in pairs(seed, size))
    sides = ((table, index_a), X_WA, (table, index_b), X_WB)
    fields = [*FIELDS, *(["distance_jacobian", "normal_jacobian"] if jacobians else [])]
    first = gpu.distances(*sides, fields=fields)
    out = {name: getattr(first, name) for name in fields}
    timer = module.Timer()

    def call() -> float:
        timer.start(0)
        if boolean:
            gpu.collides(*sides, out=out["status"])
        else:
            gpu.distances(*sides, out=out, depth=depth)
        return float(timer.stop(0))

    return call


def work(task: Task) -> Result:
    query, seed, size, repeats = task
    place, options = QUERIES[query]
    if place == "gpu" and not gpu.available():
        return query, size, np.array([])
    call = cpu_call(seed, size) if place == "cpu" else gpu_call(seed, size, **options)
    for _ in range(2):
        call()
    return query, size, np.array([call() for _ in range(repeats)])


def median(values: Array) -> float | None:
    return float(np.median(values)) if len(values) else None


def size_that_pays(results: Sequence[Result]) -> float | None:
    """The smallest batch whose distances take the GPU no longer than the CPU, on a line between the
    sizes measured, in logarithms; None where there is none."""
    cpu = {size: median(values) for name, size, values in results if name == "CPU, distances"}
    own = {size: median(values) for name, size, values in results if name == "GPU, distances"}
    sizes = [size for size in cpu if own.get(size) is not None]
    gains = [np.log(cpu[size] / own[size]) for size in sizes]  # type: ignore[operator]
    for k, gain in enumerate(gains):
        if gain < 0.0:
            continue
        if k == 0:
            return float(sizes[0])
        share = -gains[k - 1] / (gain - gains[k - 1])
        return float(sizes[k - 1] * (sizes[k] / sizes[k - 1]) ** share)
    return None


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    share = overlap_share(settings, settings.pick(100000, 10000))
    made = [
        make_row("random pairs", "share that overlaps", "1", share, relation=">=", goal=0.3),
    ]
    here = gpu._gpu.device_name() if gpu.available() else ""
    measured = {(query, size): values for query, size, values in results if len(values)}
    for (query, size), values in measured.items():
        more: dict[str, Any] = {"spread": float(quartiles(values)), "timing": True}
        more["note"] = here if query.startswith("GPU") else ""
        case = f"{query}, {size:.0e} pairs"
        made.append(make_row(case, "time of a batch", "s", float(np.median(values)), **more))
    largest = max(size for _, size in measured)
    for query in QUERIES:
        if (query, largest) not in measured:
            continue
        rate = 1e-9 * largest / float(np.median(measured[query, largest]))
        goal = None if settings.quick else GOALS.get(query)
        more = {"timing": True, "goal": goal, "relation": ">="}
        made.append(make_row(f"{query}, {largest:.0e} pairs", "rate", "G/s", rate, **more))
    pays = size_that_pays(results)
    if pays is not None:
        case = "GPU, distances"
        made.append(make_row(case, "size from which the GPU pays", "pairs", pays, timing=True))
    return made


def draw_rows(axes: Any, report_rows: Sequence[Row]) -> None:
    """Time against size, from the rows of a report."""
    for query in QUERIES:
        points = [
            (float(row["case"].removeprefix(f"{query}, ").split()[0]), row["ours"])
            for row in report_rows
            if row["quantity"] == "time of a batch" and row["case"].startswith(f"{query}, 1")
        ]
        if points:
            style = "--" if query.startswith("CPU") else "-"
            axes.loglog(*zip(*points), style, marker="o", ms=3.5, label=query)
    axes.legend(fontsize=8)
    figures.tidy(axes, "64 hulls of 27 vertices, random pairs", "pairs in a batch", "time [s]")


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    draw_rows(figure.subplots(), rows(settings, results))


EXPERIMENT = Experiment(
    name="gpu-scaling",
    title="time of a batch against its size, on the CPU and on a GPU",
    source="Local object crop collision network, Figs. 2 and 6c in part",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(7.0, 5.0),
)
