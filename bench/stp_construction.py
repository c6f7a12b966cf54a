# SPDX-License-Identifier: BSD-2-Clause
"""Time to build sphere-torus-patch volumes against the number of points, and of one support point:
a table, and a plot with --plot FILE.

Points on a sphere and on an ellipsoid, all of which carry a patch, and in a ball, few of which do.
The best of several runs, on one thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tactum

Array = npt.NDArray[np.float64]

COUNTS = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)
SMALL_RADIUS, BIG_RADIUS = 0.01, 10.0


def on_sphere(count: int, rng: np.random.Generator) -> Array:
    points = rng.normal(size=(count, 3))
    return np.asarray(0.5 * points / np.linalg.norm(points, axis=1, keepdims=True))


CLOUDS: dict[str, Callable[[int, np.random.Generator], Array]] = {
    "on a sphere": on_sphere,
    "on an ellipsoid": lambda count, rng: on_sphere(count, rng) * (1.0, 0.6, 0.3),
    "in a ball": lambda count, rng: on_sphere(count, rng) * np.cbrt(rng.uniform(size=(count, 1))),
}


def build_time(points: Array, runs: int) -> float:
    """Seconds, the best of several runs."""
    best = np.inf
    for _ in range(runs):
        start = time.perf_counter()
        tactum.Stp.from_points(points, small_radius=SMALL_RADIUS, big_radius=BIG_RADIUS)
        best = min(best, time.perf_counter() - start)
    return float(best)


def measure(runs: int) -> dict[str, Array]:
    """Milliseconds for every cloud and count."""
    rng = np.random.default_rng(0)
    times = {}
    for name, make in CLOUDS.items():
        times[name] = np.array([1e3 * build_time(make(count, rng), runs) for count in COUNTS])
        for count, value in zip(COUNTS, times[name], strict=True):
            print(f"{count:6d} points {name:16s} {value:9.3f} ms", flush=True)
    return times


def growth(times: Array) -> float:
    """Exponent of the time from 1000 points on."""
    large = np.array(COUNTS) >= 1000
    return float(np.polyfit(np.log(np.array(COUNTS)[large]), np.log(times[large]), 1)[0])


def draw(times: dict[str, Array], path: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), dpi=110, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for name, values in times.items():
        axes.loglog(COUNTS, values, "o-", ms=4, label=f"{name}: grows as N^{growth(values):.2f}")
    axes.loglog(
        COUNTS,
        times["on a sphere"][4] * np.array(COUNTS) / COUNTS[4],
        color="#999999",
        lw=1,
        ls="--",
        label="linear",
    )
    axes.plot(5000, 20.0, "k_", ms=16, label="20 ms at 5000 points")
    axes.set_xlabel("points")
    axes.set_ylabel("time to build the volume [ms]")
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--runs", type=int, default=7, help="runs of which the best counts (default: %(default)s)"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write a plot")
    options = parser.parse_args()
    times = measure(options.runs)
    for name, values in times.items():
        print(f"{name}: grows as N^{growth(values):.2f}")
    if options.plot:
        draw(times, options.plot)


if __name__ == "__main__":
    main()
