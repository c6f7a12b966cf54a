# SPDX-License-Identifier: BSD-2-Clause
"""LOCC, Fig. 6: accuracy and speed of the learned collision check, on one core of a CPU.

The network of the package is judged on pairs of objects that it was trained on but never saw
together, on unknown objects and on those of YCB: on uniform poses as in the paper (locc-generalization says
what uniform means here), and by the distance on poses near contact, where its errors are.

Beside it are the exact triangles and 32 convex parts, on a mug and a bowl in uniform poses. Parts
cover more than the object: what they call a collision need not be one. Times are those of one core;
the network's is its reference in double precision. docs/neural-model-card.md has the GPU.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tactum

from ..._demo_mesh import MUG, load_object
from ..collision_tests import GROUPS, encode, load_network, load_tests, predict
from ..experiment import Experiment, Settings, task_seed
from ..report import Row, make_row

EDGES = (0.0, 0.001, 0.002, 0.005, 0.01, np.inf)  # m
BOWL = "Cole_Hardware_Bowl_Scirocco_YellowBlue"
PUBLISHED = {"known": 0.977, "unknown": 0.956, "ycb": 0.956}

Task = tuple[str, str, int, list[int]]
Result = tuple[str, str, dict[str, Any]]


def tasks(settings: Settings) -> list[Task]:
    objects, seed = settings.pick(30, 12), task_seed(settings, 0)
    sets = [(group, kind, objects, seed) for group in GROUPS for kind in ("uniform", "slide")]
    return [*sets, ("bowl and mug", "time", settings.pick(2000, 100), seed)]


def work(task: Task) -> Result:
    group, kind, count, seed = task
    if kind == "time":
        return group, kind, measured(count, seed)
    tests = load_tests(group, kind, count)
    codes = {int(index): encode(int(index), 1.0) for index in np.unique(tests.pairs)}
    logits = predict(tests, codes)
    return group, kind, {"said": logits > 0.0, "distance": tests.distance}


def measured(count: int, seed: list[int]) -> dict[str, Any]:
    """Answers and seconds of a check of two objects in uniform poses, in three ways."""
    (bowl, bowl_parts), (mug, mug_parts) = load_object(BOWL), load_object(MUG)
    network = load_network()
    codes = network.encode(bowl), network.encode(mug)
    rng = np.random.default_rng(seed)
    poses = np.hstack([rng.uniform(-0.12, 0.12, (count, 3)), rng.standard_normal((count, 4))])
    poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    ways: dict[str, Callable[[], Any]] = {
        "network": lambda: network.logits(*codes, poses) > 0.0,
        "triangles": lambda: [bool(tactum.collide(bowl, None, mug, X)) for X in poses],
        "parts": lambda: [bool(tactum.collide(bowl_parts, None, mug_parts, X)) for X in poses],
    }
    found: dict[str, Any] = {}
    for name, ask in ways.items():
        start = time.perf_counter()
        answer = np.asarray(ask())
        found[name] = (answer, (time.perf_counter() - start) / count)
    return found


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made = []
    for group, kind, found in results:
        if kind == "time":
            made += way_rows(group, found)
            continue
        said, d = found["said"], found["distance"]
        truth = d < 0.0
        right = said == truth
        case = f"{group}, {kind}"
        if kind == "uniform":
            # of a quick run, a few hundred poses, some may fall below by chance
            goal = PUBLISHED[group]
            slack = 3.0 * (goal * (1.0 - goal) / len(d)) ** 0.5 if settings.quick else 0.0
            made.append(
                make_row(
                    case,
                    "accuracy",
                    "1",
                    float(right.mean()),
                    published=goal,
                    relation=">=",
                    goal=goal - slack,
                )
            )
            continue
        made.append(make_row(case, "accuracy", "1", float(right.mean())))
        for low, high in itertools.pairwise(EDGES):
            own = (np.abs(d) >= low) & (np.abs(d) < high)
            if own.any():
                name = f"accuracy, {1e3 * low:g} to {1e3 * high:g} mm"
                made.append(make_row(case, name, "1", float(right[own].mean())))
    return made


def way_rows(case: str, found: dict[str, Any]) -> list[Row]:
    """Times of the three ways, and how often they agree with the exact triangles."""
    exact = found["triangles"][0]
    made = []
    for name, (answer, seconds) in found.items():
        made.append(make_row(f"{case}, {name}", "checks a second", "1/s", 1 / seconds, timing=True))
        if name != "triangles":
            share = float(np.mean(answer == exact))
            made.append(make_row(f"{case}, {name}", "accuracy", "1", share))
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    left, right = figure.subplots(1, 2)
    centers = [0.5, 1.5, 3.5, 7.5, 15.0]
    for group, kind, found in results:
        if kind != "slide":
            continue
        d, said = np.abs(found["distance"]), found["said"] == (found["distance"] < 0.0)
        shares = [said[(d >= a) & (d < b)].mean() for a, b in itertools.pairwise(EDGES)]
        left.plot(centers, shares, "o-", label=group)
    left.set_xlabel("|distance| / mm")
    left.set_ylabel("accuracy")
    left.set_title("near contact")
    left.legend(fontsize=8)
    for _, kind, found in results:
        if kind == "time":
            exact = found["triangles"][0]
            for name, (answer, seconds) in found.items():
                right.plot(1 / seconds, np.mean(answer == exact), "o", label=name)
    right.set_xscale("log")
    right.set_xlabel("checks a second, one core")
    right.set_title("LOCC, Fig. 6: a bowl and a mug")
    right.legend(fontsize=8)


EXPERIMENT = Experiment(
    name="locc-accuracy-speed",
    title="accuracy and speed of the learned collision check",
    source="LOCC, Fig. 6",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    files=("collision_network.safetensors", "collision_tests.npz"),
)
