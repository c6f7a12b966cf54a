# SPDX-License-Identifier: BSD-2-Clause
"""Processes and threads: pickles travel, answers do not depend on who asks, the GIL is released."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import tactum
from kinds import SHAPES, random_pose

JOBS = [
    (
        SHAPES[a],
        random_pose(np.random.default_rng(k)),
        SHAPES[b],
        random_pose(np.random.default_rng(100 + k)),
    )
    for k, (a, b) in enumerate(
        (a, b) for a in SHAPES for b in SHAPES if (a, b) != ("half_space", "half_space")
    )
]


def states(
    jobs: list[tuple[tactum.Shape, object, tactum.Shape, object]],
) -> list[tuple[object, ...]]:
    return [tactum.distance(*job).__getstate__() for job in jobs]


def test_spawned_processes_give_the_same_bits() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert [
            r.__getstate__() for r in pool.map(tactum.distance, *zip(*JOBS, strict=True))
        ] == states(JOBS)
        error = pool.submit(tactum.pose_matrix, np.zeros((4, 4))).exception()
    assert isinstance(error, tactum.InvalidInput) and error.field.startswith("X")


def test_threads_give_the_same_bits() -> None:
    expected = states(JOBS)
    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(lambda _: states(JOBS), range(16)):
            assert result == expected


@pytest.mark.parametrize("work", ["distance", "collide", "hull"])
def test_the_gil_is_released(work: str) -> None:
    points = np.random.default_rng(0).normal(size=(200_000, 3))
    job = JOBS[20]
    works: dict[str, Callable[[], object]] = {
        "distance": lambda: [tactum.distance(*job) for _ in range(50_000)],
        "collide": lambda: [tactum.collide(*job) for _ in range(50_000)],
        "hull": lambda: tactum.Convex.from_points(points),
    }
    finished: list[bool] = []
    thread = threading.Thread(target=lambda: (works[work](), finished.append(True)))
    interval = sys.getswitchinterval()
    # with this interval no thread is ever asked to let go of the GIL: this one goes on early only
    # if the query lets go by itself
    sys.setswitchinterval(1000.0)
    try:
        thread.start()
        went_on_early = not finished
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    assert went_on_early
