# SPDX-License-Identifier: BSD-2-Clause
"""Chunks of the sweeps that tests run; processes and clusters import them from here."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import tactum

BALL = tactum.Sphere(radius=1.0)


def distances(chunk: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Distances of random boxes from a ball, and the first random number of the chunk."""
    X = np.tile(np.eye(4), (50, 1, 1))
    first = rng.random()
    X[:, :3, 3] = rng.uniform(-4.0, 4.0, size=(50, 3))
    box = tactum.Box(half_extents=(0.5, 0.6, 0.7))
    return {"distance": tactum.distances(BALL, None, box, X).distance, "first": first}


def numbered(chunk: Any, rng: np.random.Generator) -> Any:
    return np.full(2, float(chunk))


def fails_at_three(chunk: Any, rng: np.random.Generator) -> Any:
    if chunk == 3:
        raise ValueError("three is too much")
    return np.array([chunk])


def slow(chunk: Any, rng: np.random.Generator) -> Any:
    """Leaves a mark for each call, so that calls can be counted over processes."""
    folder, number = chunk
    with (Path(folder) / f"call-{number}-{os.getpid()}").open("w"):
        time.sleep(0.05)
    return rng.random(4)


def dies_once(chunk: Any, rng: np.random.Generator) -> Any:
    """The worker of chunk 2 is killed, the first time."""
    folder, number = chunk
    mark = Path(folder) / "died"
    if number == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return rng.random(4)


def objects(chunk: Any, rng: np.random.Generator) -> Any:
    return {"bad": np.array([None, {}], dtype=object)}
