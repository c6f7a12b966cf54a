# SPDX-License-Identifier: BSD-2-Clause
"""Overhead of a call from Python over the query itself.

Each pair of shapes is asked once by a loop of tactum.distance with contiguous float64 (4, 4) poses,
and once by tactum.distances on one thread, whose rows cost what the C++ call costs. The difference
is the price of one call from Python. Blocks of both alternate; the median of their times counts,
and the goal is a difference of at most 2 us.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import tactum

GOAL_US = 2.0
CALLS, BLOCKS = 2000, 41


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(a: tactum.Shape, b: tactum.Shape) -> tuple[float, float]:
    """(Python, C++) in microseconds a query."""
    rng = np.random.default_rng(0)
    X_WA, X_WB = np.eye(4), np.tile(np.eye(4), (CALLS, 1, 1))
    X_WB[:, :3, 3] = rng.normal(size=(CALLS, 3))
    rows = list(X_WB)

    def loop() -> None:
        for X in rows:
            tactum.distance(a, X_WA, b, X)

    out = tactum.distances(a, X_WA, b, X_WB, num_threads=1)

    def batch() -> None:
        tactum.distances(a, X_WA, b, X_WB, num_threads=1, out=out)

    pairs = [(seconds(loop), seconds(batch)) for _ in range(BLOCKS)]
    return statistics.median(p for p, _ in pairs) / CALLS * 1e6, statistics.median(
        c for _, c in pairs
    ) / CALLS * 1e6


def main() -> int:
    shapes = {
        "sphere": tactum.Sphere(radius=0.5),
        "box": tactum.Box(half_extents=(0.2, 0.3, 0.4)),
        "hull of 100": tactum.Convex.from_points(np.random.default_rng(1).normal(size=(100, 3))),
    }
    print(f"{'pair':>12}  {'Python':>8}  {'C++':>8}  {'more':>8}   us a query")
    worst = 0.0
    for name, shape in shapes.items():
        python, cpp = measure(shape, shape)
        worst = max(worst, python - cpp)
        print(f"{name:>12}  {python:8.3f}  {cpp:8.3f}  {python - cpp:8.3f}")
    print(
        f"a call from Python costs at most {worst:.2f} us more; goal {GOAL_US} us: {'holds' if worst <= GOAL_US else 'missed'}"
    )
    return 0 if worst <= GOAL_US else 1


if __name__ == "__main__":
    sys.exit(main())
