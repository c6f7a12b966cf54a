# SPDX-License-Identifier: BSD-2-Clause
"""Time of tactum.torch and tactum.jax beside the calls of the library that they stand for:

    ./run python bench/bridges.py [--jax]

Values alone against distances(); a gradient of all distances by both poses against distances() with
the Jacobian of the distance; a gradient of everything against distances() with all Jacobians. One
thread; the least of many calls counts, so that a busy machine matters little.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tactum

VALUES = ["status", "distance", "normal", "point_a", "point_b"]
JACOBIANS = [f"{name}_jacobian" for name in VALUES[1:]]
PAIRS = {
    "ellipsoid and cylinder": (
        tactum.Ellipsoid(semi_axes=(0.3, 0.2, 0.1)),
        tactum.Cylinder(radius=0.1, half_length=0.2),
    ),
    "box and sphere": (tactum.Box(half_extents=(0.1, 0.2, 0.3)), tactum.Sphere(radius=0.1)),
}


def poses(count: int, seed: int, shift: float) -> Any:
    """(N, 7), about the origin or beside it."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.uniform(-0.1, 0.1, (count, 3)), rng.normal(size=(count, 4))], axis=1)
    X[:, :3] += shift
    X[:, 3:] /= np.linalg.norm(X[:, 3:], axis=1)[:, None]
    return X


def least(work: Callable[[], Any], count: int) -> float:
    """Microseconds of the fastest of many calls."""
    best = float("inf")
    for _ in range(count):
        start = time.perf_counter_ns()
        work()
        best = min(best, time.perf_counter_ns() - start)
    return best * 1e-3


def library_works(a: Any, X_WA: Any, b: Any, X_WB: Any) -> list[Callable[[], Any]]:
    def ask(fields: list[str], derivative: Any = None) -> Callable[[], Any]:
        return lambda: tactum.distances(
            a, X_WA, b, X_WB, fields=fields, derivative=derivative, num_threads=1
        )

    return [
        ask(VALUES),
        ask([*VALUES, "distance_jacobian"], tactum.Exact()),
        ask(VALUES + JACOBIANS, tactum.Exact()),
    ]


def torch_works(a: Any, X_WA: Any, b: Any, X_WB: Any) -> list[Callable[[], Any]]:
    import tactum.torch
    import torch

    torch.set_num_threads(1)
    A, B = (torch.tensor(X, requires_grad=True) for X in (X_WA, X_WB))

    def values() -> None:
        with torch.no_grad():
            tactum.torch.distances(a, A, b, B, num_threads=1)

    def gradient(everything: bool) -> None:
        A.grad = B.grad = None
        r = tactum.torch.distances(a, A, b, B, num_threads=1)
        sum(x.sum() for x in r[: 4 if everything else 1]).backward()

    return [values, lambda: gradient(False), lambda: gradient(True)]


def jax_works(a: Any, X_WA: Any, b: Any, X_WB: Any) -> list[Callable[[], Any]]:
    import jax
    import tactum.jax

    jax.config.update("jax_enable_x64", True)
    A, B = jax.numpy.asarray(X_WA), jax.numpy.asarray(X_WB)

    def total(count: int) -> Callable[[Any, Any], Any]:
        return lambda A, B: sum(
            x.sum() for x in tactum.jax.distances(a, A, b, B, num_threads=1)[:count]
        )

    values = jax.jit(lambda A, B: tactum.jax.distances(a, A, b, B, num_threads=1)[:4])
    gradients = [jax.jit(jax.grad(total(count), argnums=(0, 1))) for count in (1, 4)]
    return [lambda f=f: jax.block_until_ready(f(A, B)) for f in (values, *gradients)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jax", action="store_true", help="measure tactum.jax, under jit, instead")
    bridge = jax_works if parser.parse_args().jax else torch_works
    print(f"{'':44}{'values':>18}{'gradient':>18}{'of everything':>18}")
    for name, (a, b) in PAIRS.items():
        for count in (1, 1000):
            X_WA, X_WB = poses(count, 1, 0.0), poses(count, 2, 0.5)
            works = library_works(a, X_WA, b, X_WB)
            repeat = 1000 if count == 1 else 100
            ours = [least(work, repeat) for work in works]
            bridged = [least(work, repeat) for work in bridge(a, X_WA, b, X_WB)]
            cells = "".join(f"{y:9.0f} us {y / x:4.1f} x" for x, y in zip(ours, bridged))
            print(f"{name + ', ' + str(count) + ' rows':44}{cells}")


if __name__ == "__main__":
    main()
