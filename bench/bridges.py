# SPDX-License-Identifier: BSD-2-Clause
"""Time of tactum.torch and tactum.jax beside the calls of the library that they stand for:

    ./run python bench/bridges.py [--jax] [--quick] [--json FILE]

Values alone against distances(); a gradient of all distances by both poses against distances() with
the Jacobian of the distance; a gradient of everything against distances() with all Jacobians. One
thread. Calls of the bridge and of the library alternate, and the least of many counts, so that a
busy machine matters little.

Goal: at most 3 times the time of the library with 1000 rows, and 10 times with one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tactum

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tactum" / "reproduce"))
from report import Row, judged, make_report, make_row, write_report

GOALS = {1: 10.0, 1000: 3.0}  # times the time of the library, by the number of rows
EMPTY = "a call in which nothing is computed"
QUANTITIES = ("values", "gradient", "gradient of everything")
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


def least(works: Sequence[Callable[[], Any]], count: int) -> list[float]:
    """Microseconds of the fastest of many calls of each, which alternate."""
    best = [float("inf")] * len(works)
    for _ in range(count):
        for i, work in enumerate(works):
            start = time.perf_counter_ns()
            work()
            best[i] = min(best[i], time.perf_counter_ns() - start)
    return [each * 1e-3 for each in best]


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


def empty_torch() -> Callable[[], Any]:
    """A function with the tensors of a pair, and its gradient, in which nothing is computed."""
    import torch

    sizes = ((1,), (1, 3), (1, 3), (1, 3))

    class Empty(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, A: Any, B: Any) -> Any:
            return tuple(torch.zeros(size, dtype=torch.float64) for size in sizes)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            return torch.zeros(1, 7, dtype=torch.float64), torch.zeros(1, 7, dtype=torch.float64)

    A, B = (torch.zeros(1, 7, dtype=torch.float64, requires_grad=True) for _ in "AB")

    def gradient() -> None:
        A.grad = B.grad = None
        sum(x.sum() for x in Empty.apply(A, B)).backward()

    return gradient


def empty_jax() -> Callable[[], Any]:
    """A callback with the arrays of a pair, under jit, in which nothing is computed."""
    import jax

    jax.config.update("jax_enable_x64", True)
    results = tuple(np.zeros(size) for size in ((1,), (1, 3), (1, 3), (1, 3)))
    shapes = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in results)
    ask = jax.jit(lambda A, B: jax.pure_callback(lambda *_: results, shapes, A, B))
    A = jax.numpy.zeros((1, 7))
    return lambda: jax.block_until_ready(ask(A, A))


def rows_of(case: str, count: int, ours: Sequence[float], library: Sequence[float]) -> list[Row]:
    """A time and its ratio for each quantity."""
    rows = []
    for quantity, bridge, core in zip(QUANTITIES, ours, library, strict=True):
        rows += [
            make_row(case, quantity, "us", bridge, peers={"library": core}, timing=True),
            make_row(
                case,
                f"{quantity}, ratio",
                "1",
                bridge / core,
                relation="<=",
                goal=GOALS[count],
                timing=True,
                note="bridge / library",
            ),
        ]
    return rows


def measure(framework: str, quick: bool) -> list[Row]:
    empty = empty_jax() if framework == "jax" else empty_torch()
    [nothing] = least([empty], 50 if quick else 1000)
    rows = [make_row(f"{framework}, 1 row", EMPTY, "us", nothing, timing=True)]
    for name, (a, b) in PAIRS.items():
        for count in GOALS:
            X_WA, X_WB = poses(count, 1, 0.0), poses(count, 2, 0.5)
            library = library_works(a, X_WA, b, X_WB)
            make = jax_works if framework == "jax" else torch_works
            bridge = make(a, X_WA, b, X_WB)
            repeat = (1000 if count == 1 else 100) // (20 if quick else 1)
            times = [least(pair, repeat) for pair in zip(bridge, library, strict=True)]
            ours, core = zip(*times, strict=True)
            text = f"{framework}, {name}, {count} row{'s' if count > 1 else ''}"
            rows += rows_of(text, count, ours, core)
    return rows


def print_rows(rows: Sequence[Row]) -> None:
    print(f"{'':68}{'bridge, us':>10}{'library, us':>12}{'ratio':>8}")
    compared = [row for row in rows if row["quantity"] != EMPTY]
    for row in rows:
        if row["quantity"] == EMPTY:
            print(f"{row['case'] + ': ' + EMPTY:68}{row['ours']:10.1f}")
    for time_row, ratio in zip(compared[::2], compared[1::2], strict=True):
        name = f"{time_row['case']}: {time_row['quantity']}"
        mark = "" if ratio["holds"] else f"  goal {ratio['goal']:g}"
        core = time_row["peers"]["library"]
        print(f"{name:68}{time_row['ours']:10.1f}{core:12.1f}{ratio['ours']:8.1f}{mark}")
    met, total = judged(rows)
    print(f"\ngoals met: {met} of {total}")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jax", action="store_true", help="measure tactum.jax too, under jit")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the calls")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report to a file")
    options = parser.parse_args(argv)
    began = time.perf_counter()
    rows = measure("torch", options.quick)
    if options.jax:
        rows += measure("jax", options.quick)
    print_rows(rows)
    if options.json is not None:
        report = make_report(
            "bridges",
            "tactum.torch and tactum.jax beside tactum.distances, in one process on one thread",
            quick=options.quick,
            seed=1,
            seconds=time.perf_counter() - began,
            rows=rows,
        )
        write_report(options.json, report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
