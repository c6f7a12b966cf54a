# SPDX-License-Identifier: BSD-2-Clause
"""Iterations and times of queries, by query, method and distance.

A query is "distance" or "collide", or "search": what a method of the paper does before the exact
stage that all of ours end in, which is what the paper counts and times. Times are taken inside the
compiled module, around single queries on one thread: a call from Python costs more than a query. As
in the paper a problem is solved many times in a row and the mean of the fastest 90 % counts. coal
is asked by its own timer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from . import coal_peer
from ._timing import time_queries
from .problems import Problems, at_distance
from .report import Row, make_row

Array = npt.NDArray[np.float64]
Key = tuple[str, str, float]  # query, method, distance of the problems
Samples = dict[Key, dict[str, Array]]  # quantity: one number for each problem

# of the paper, section IV: of the Frank-Wolfe gap in square metres; for auto relative to the scale
TOLERANCE = 1e-8
CHECKED = ("distance", "collide")
QUERIES = (*CHECKED, "search")
TIMED = {"distance": "search", "collide": "collide"}  # what the paper times for it


def fastest(nanoseconds: Array) -> Array:
    """Mean of the fastest 90 % of the repetitions of each problem."""
    kept = max(1, int(0.9 * nanoseconds.shape[1]))
    return np.asarray(np.sort(nanoseconds, axis=1)[:, :kept].mean(axis=1))


def ask(
    problems: Problems, query: str, method: str, *, repeats: int = 1, max_iterations: int = 1000
) -> dict[str, Array]:
    """One number for each problem: nanoseconds, iterations, vertices_visited and so on. "coal
    gjk" is coal's variant of gjk; "polyak, weights printed" has those weights of the momentum."""
    method, _, weights = method.partition(", weights ")
    if method.startswith("coal "):
        return coal_peer.ask(
            problems, query, method.removeprefix("coal "), TOLERANCE, repeats, max_iterations
        )
    found = time_queries(
        problems.a,
        np.eye(4),
        problems.b,
        problems.X_AB,
        query=query,
        method=method,
        tolerance=TOLERANCE,
        tolerance_is_gap=method != "auto",
        max_iterations=max_iterations,
        repeats=repeats,
        initial_direction=problems.initial_direction,
        momentum_weight=weights or "chosen",
    )
    found["nanoseconds"] = fastest(found["nanoseconds"])
    return found


def with_coal(methods: Sequence[str]) -> list[str]:
    """The methods, and coal's variant of each where coal is installed and has it."""
    theirs = (
        [f"coal {method}" for method in methods if method in coal_peer.VARIANTS]
        if coal_peer.is_installed()
        else []
    )
    return [*methods, *theirs]


def searches(method: str) -> bool:
    """Whether the search of a method can be asked for alone."""
    return method != "auto" and not method.startswith("coal ")


def sweep(
    problems: Problems,
    distances: Sequence[float],
    queries: Sequence[str],
    methods: Sequence[str],
    repeats: int,
    coal_share: int = 1,
) -> Samples:
    """Every query by every method at every distance; coal on every coal_share-th problem."""
    samples: Samples = {}
    for target in distances:
        moved = at_distance(problems, target)
        fewer = Problems(moved.a, moved.b, moved.X_AB[::coal_share])
        for query in queries:
            for method in methods:
                if query == "search" and not searches(method):
                    continue
                chosen = fewer if method.startswith("coal ") else moved
                samples[query, method, target] = ask(chosen, query, method, repeats=repeats)
    return samples


def merge(parts: Sequence[Samples]) -> Samples:
    """The problems of all parts, in their order."""
    keys = list(dict.fromkeys(key for part in parts for key in part))
    return {
        key: {
            name: np.concatenate([part[key][name] for part in parts if key in part])
            for name in next(p[key] for p in parts if key in p)
        }
        for key in keys
    }


def pool(
    samples: Samples,
    query: str,
    method: str,
    quantity: str,
    distances: Sequence[float] | None = None,
) -> Array:
    """All problems of a query and a method, at these distances."""
    own = [
        values[quantity]
        for (q, m, d), values in samples.items()
        if q == query and m == method and (distances is None or d in distances)
    ]
    return np.concatenate(own) if own else np.zeros(0)


def quartiles(values: Array) -> float:
    """Interquartile range."""
    low, high = np.percentile(values, [25, 75])
    return float(high - low)


def rows_by_distance(
    samples: Samples, quantity: str, unit: str, scale: float = 1.0, timing: bool = False
) -> list[Row]:
    """Mean of a quantity for each query, method of ours and distance, with coal's variant beside
    it."""
    rows = []
    for query, method, distance in samples:
        if method.startswith("coal "):
            continue
        values = scale * samples[query, method, distance][quantity]
        theirs = samples.get((query, f"coal {method}", distance))
        peers = {"coal": float(scale * theirs[quantity].mean())} if theirs else {}
        case = f"{query}, {method}, {distance:+g} m"
        rows.append(
            make_row(
                case,
                quantity_name(quantity),
                unit,
                float(values.mean()),
                spread=quartiles(values),
                peers=peers,
                timing=timing,
            )
        )
    return rows


def quantity_name(quantity: str) -> str:
    """The name for readers."""
    return {"nanoseconds": "time", "vertices_visited": "vertices visited"}.get(quantity, quantity)
