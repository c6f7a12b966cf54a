# SPDX-License-Identifier: BSD-2-Clause
"""A policy for tactum/Push-v0, learned in two ways at equal samples: by gradients through the
simulator (PyTorch, Adam), and by CMA-ES, which sees rewards alone.

    ./run python tools/compare_learning.py --plot docs/images/learning.png    # minutes

The policy is linear in the observation, with a tanh behind it: 32 numbers. The loss is the mean
over all control steps of the distance from block to goal plus a tenth of that from finger to block,
in metres, for the same starts in every evaluation. Needs PyTorch, cma and matplotlib.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tactum.torch
import torch
from tactum import _env_tasks

Array = npt.NDArray[np.float64]

NUM_PARAMETERS = 2 * 16


def starts(count: int, seed: int) -> tuple[Any, Any, Any]:
    """Positions, velocities and goals of some starts."""
    task = _env_tasks.task("Push")
    rng = np.random.default_rng(seed)
    found = [task.start(rng) for _ in range(count)]
    return tuple(
        torch.tensor(np.array(rows), dtype=torch.float64)
        for rows in (
            [state.q for state, _ in found],
            [state.v for state, _ in found],
            [goal for _, goal in found],
        )
    )


def observe(q: Any, v: Any, goal: Any) -> Any:
    """The observation of the task, as PyTorch differentiates it; with a one behind it."""
    x, y, z, w = q[:, 5:9].unbind(1)
    sine, cosine = 2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)
    planar = [cosine * v[:, 2] - sine * v[:, 3], sine * v[:, 2] + cosine * v[:, 3], v[:, 7]]
    block, finger = q[:, 2:4], q[:, :2]
    return torch.cat(
        [
            finger,
            v[:, :2],
            block,
            torch.stack([sine, cosine, *planar], 1),
            block - finger,
            goal - block,
            torch.ones_like(q[:, :1]),
        ],
        1,
    )


def loss(parameters: Any, problem: tuple[Any, Any, Any], horizon: int) -> Any:
    """Mean over time and starts."""
    task: Any = _env_tasks.task("Push")
    q, v, goal = problem
    weights = parameters.reshape(2, 16)
    total = 0.0
    for _ in range(horizon):
        action = torch.tanh(observe(q, v, goal) @ weights.T)
        force = task.gain * (task.speed * action - v[:, :2]) + 2.0 * task.speed * action
        tau = torch.cat([force, torch.zeros_like(v[:, 2:])], 1)
        for _ in range(task.steps):
            q, v = tactum.torch.step(task.model, q, v, tau, task.dt)
        away = (goal - q[:, 2:4]).norm(dim=1)
        reach = (q[:, 2:4] - q[:, :2]).norm(dim=1)
        total = total + (away + 0.1 * reach).mean()
    return total / horizon


def by_gradients(value: Callable[[Any], Any], evaluations: int, seed: int, rate: float) -> Array:
    """Adam; returns the best loss after each evaluation."""
    torch.manual_seed(seed)
    parameters = (0.1 * torch.randn(NUM_PARAMETERS, dtype=torch.float64)).requires_grad_()
    optimizer = torch.optim.Adam([parameters], lr=rate)
    found = []
    for _ in range(evaluations):
        optimizer.zero_grad()
        now = value(parameters)
        now.backward()
        torch.nn.utils.clip_grad_norm_([parameters], 1.0)
        optimizer.step()
        found.append(float(now.detach()))
    return np.minimum.accumulate(found)


def by_cma(value: Callable[[Any], Any], evaluations: int, seed: int) -> Array:
    """CMA-ES; returns the best loss after each evaluation."""
    import cma

    rng = np.random.default_rng(seed)
    strategy = cma.CMAEvolutionStrategy(
        0.1 * rng.normal(size=NUM_PARAMETERS), 0.5, {"seed": seed + 1, "verbose": -9}
    )
    found: list[float] = []
    with torch.no_grad():
        while len(found) < evaluations:
            asked = strategy.ask()
            answers = [float(value(torch.tensor(one))) for one in asked]
            strategy.tell(asked, answers)
            found += answers
    return np.minimum.accumulate(found[:evaluations])


def draw(path: Path, curves: dict[str, list[Array]]) -> None:
    """Median and range over seeds."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for (name, rows), color in zip(curves.items(), ("#1f4e8c", "#b4560e")):
        table = np.array(rows)
        count = np.arange(1, table.shape[1] + 1)
        axes.plot(count, np.median(table, axis=0), color=color, label=name)
        axes.fill_between(count, table.min(axis=0), table.max(axis=0), color=color, alpha=0.2)
    axes.set_xlabel("evaluations of the policy")
    axes.set_ylabel("best loss so far (m)")
    axes.legend(frameon=False)
    axes.grid(True, alpha=0.3)
    figure.savefig(path)


def main(argv: list[str] | None = None) -> int:
    """Learn, and say what came out."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--evaluations", type=int, default=120, metavar="N")
    parser.add_argument("--starts", type=int, default=6, metavar="N")
    parser.add_argument("--horizon", type=int, default=60, metavar="N", help="control steps")
    parser.add_argument("--seeds", type=int, default=3, metavar="N")
    parser.add_argument("--rate", type=float, default=0.05, metavar="R", help="of Adam")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    options = parser.parse_args(argv)
    problem = starts(options.starts, 0)
    value = lambda parameters: loss(parameters, problem, options.horizon)
    curves: dict[str, list[Array]] = {"gradients through the simulator": [], "CMA-ES": []}
    for seed in range(options.seeds):
        for name, learn in (
            (
                "gradients through the simulator",
                lambda s: by_gradients(value, options.evaluations, s, options.rate),
            ),
            ("CMA-ES", lambda s: by_cma(value, options.evaluations, s)),
        ):
            began = time.monotonic()
            curves[name].append(learn(seed))
            print(
                f"seed {seed}, {name}: {curves[name][-1][0]:.4f} m at first, "
                f"{curves[name][-1][-1]:.4f} m after {options.evaluations} evaluations, "
                f"{time.monotonic() - began:.0f} s",
                flush=True,
            )
    for name, rows in curves.items():
        print(f"{name}: {np.median([row[-1] for row in rows]):.4f} m, median of {len(rows)} seeds")
    if options.plot is not None:
        draw(options.plot, curves)
        print(f"wrote {options.plot}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
