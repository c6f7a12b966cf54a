# SPDX-License-Identifier: BSD-2-Clause
"""A policy for tactum/Push-v0, learned in two ways at equal samples: by gradients through the
simulator (PyTorch, Adam), and by CMA-ES, which sees rewards alone.

    ./run python tools/compare_learning.py --json learning.json --plot docs/images/learning.png

The policy is linear in the observation, with a tanh behind it: 32 numbers. The loss is the mean
over all control steps of the distance from block to goal plus a tenth of that from finger to block,
in metres, for the same starts in every evaluation. The best policy of each run is then judged on
starts that it was not learned from. The options are those of the page; it takes minutes, most of
them in the simulator. Needs PyTorch, cma and matplotlib.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tactum.torch
import torch
from tactum import _env_tasks
from tactum.reproduce.report import Row, make_report, make_row, rounded, write_report

Array = npt.NDArray[np.float64]

NUM_PARAMETERS = 2 * 16
UNSEEN_SEED = 1000  #: of the starts that nothing is learned from


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


@dataclass
class Learned:
    """What a run has tried."""

    losses: list[float] = field(default_factory=list)  #: of each evaluation, m
    best: Array = field(default_factory=lambda: np.zeros(NUM_PARAMETERS))

    def add(self, loss: float, parameters: Array) -> None:
        """One more evaluation."""
        if loss < min(self.losses, default=np.inf):
            self.best = np.array(parameters)
        self.losses.append(loss)

    @property
    def curve(self) -> Array:
        """The best loss after each evaluation."""
        return np.minimum.accumulate(self.losses)


def by_gradients(value: Callable[[Any], Any], evaluations: int, seed: int, rate: float) -> Learned:
    """Adam, with gradients through the simulator."""
    torch.manual_seed(seed)
    parameters = (0.1 * torch.randn(NUM_PARAMETERS, dtype=torch.float64)).requires_grad_()
    optimizer = torch.optim.Adam([parameters], lr=rate)
    learned = Learned()
    for _ in range(evaluations):
        tried = parameters.detach().numpy().copy()
        optimizer.zero_grad()
        now = value(parameters)
        now.backward()
        torch.nn.utils.clip_grad_norm_([parameters], 1.0)
        optimizer.step()
        learned.add(float(now.detach()), tried)
    return learned


def by_cma(value: Callable[[Any], Any], evaluations: int, seed: int) -> Learned:
    """CMA-ES, with losses alone."""
    import cma

    rng = np.random.default_rng(seed)
    strategy = cma.CMAEvolutionStrategy(
        0.1 * rng.normal(size=NUM_PARAMETERS), 0.5, {"seed": seed + 1, "verbose": -9}
    )
    learned = Learned()
    with torch.no_grad():
        while len(learned.losses) < evaluations:
            asked = strategy.ask()
            answers = [float(value(torch.tensor(one))) for one in asked]
            strategy.tell(asked, answers)
            for answer, one in list(zip(answers, asked))[: evaluations - len(learned.losses)]:
                learned.add(answer, one)
    return learned


GRADIENTS, CMA = "gradients through the simulator", "CMA-ES"
PASSED = 0.12  #: m, the loss for which evaluations are counted


def rows(runs: dict[str, list[Learned]], unseen: dict[str, list[float]]) -> list[Row]:
    """Medians over seeds. unseen: losses on other starts."""
    made = []
    for name, found in runs.items():
        last = [float(one.curve[-1]) for one in found]
        first = [one.losses[0] for one in found]
        passed = [int(np.argmax(one.curve < PASSED)) + 1 for one in found if one.curve[-1] < PASSED]
        count = f"median of {len(found)} seeds"
        made += [
            make_row(name, "loss at first", "m", float(np.median(first)), note=count),
            make_row(name, "loss after", "m", float(np.median(last)), spread=ends(last)),
            make_row(
                name,
                "loss after, other starts",
                "m",
                float(np.median(unseen[name])),
                spread=ends(unseen[name]),
            ),
            make_row(
                name,
                f"evaluations until the loss is below {PASSED} m",
                "1",
                float(np.median(passed)) if len(passed) == len(found) else None,
                note=f"{len(passed)} of {len(found)} seeds get there",
            ),
        ]
    for quantity in ("loss after", "loss after, other starts"):
        one, other = (
            next(row["ours"] for row in made if (row["case"], row["quantity"]) == (name, quantity))
            for name in (GRADIENTS, CMA)
        )
        made.append(
            make_row(f"{GRADIENTS} / {CMA}", quantity, "1", one / other, relation="<=", goal=1.0)
        )
    return made


def ends(values: list[float]) -> list[float]:
    """Least and largest."""
    return [min(values), max(values)]


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
    parser.add_argument("--evaluations", type=int, default=100, metavar="N")
    parser.add_argument("--starts", type=int, default=4, metavar="N")
    parser.add_argument(
        "--unseen",
        type=int,
        default=32,
        metavar="N",
        help="other starts, to judge what was learned",
    )
    parser.add_argument("--horizon", type=int, default=40, metavar="N", help="control steps")
    parser.add_argument("--seeds", type=int, default=3, metavar="N")
    parser.add_argument("--rate", type=float, default=0.05, metavar="R", help="of Adam")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    options = parser.parse_args(argv)
    began = time.monotonic()
    problem, others = starts(options.starts, 0), starts(options.unseen, UNSEEN_SEED)
    value = lambda parameters: loss(parameters, problem, options.horizon)
    learners: dict[str, Callable[[int], Learned]] = {
        GRADIENTS: lambda seed: by_gradients(value, options.evaluations, seed, options.rate),
        CMA: lambda seed: by_cma(value, options.evaluations, seed),
    }
    runs: dict[str, list[Learned]] = {name: [] for name in learners}
    unseen: dict[str, list[float]] = {name: [] for name in learners}
    for seed in range(options.seeds):
        for name, learn in learners.items():
            found = learn(seed)
            with torch.no_grad():
                judged = float(loss(torch.tensor(found.best), others, options.horizon))
            runs[name].append(found)
            unseen[name].append(judged)
            print(
                f"seed {seed}, {name}: {found.losses[0]:.4f} m at first, {found.curve[-1]:.4f} m "
                f"after {options.evaluations} evaluations, {judged:.4f} m on other starts",
                flush=True,
            )
    made = rows(runs, unseen)
    for row in made:
        print(f"{row['case']}: {row['quantity']}: {row['ours']}")
    if options.json is not None:
        given = {
            key: getattr(options, key) for key in ("evaluations", "starts", "unseen", "horizon")
        }
        report = make_report(
            "learning",
            "tools/compare_learning.py",
            quick=False,
            seed=0,
            seconds=time.monotonic() - began,
            rows=made,
            **given,
            seeds=options.seeds,
        )
        write_report(options.json, rounded(report))
    if options.plot is not None:
        draw(options.plot, {name: [one.curve for one in found] for name, found in runs.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
