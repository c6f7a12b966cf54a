#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""docs/images/gradient-landscape.png: two losses through contact, and slopes of them that lie.

    ./run python tools/gradient_landscape.py [FILE]

Push: a force f in N acts on a box for half a second; the loss is the squared distance from 0.3 m.
Below the limit of friction nothing moves, and the slope is zero. Throw: a ball flies with v in m/s
towards a step; it stays below or lands above, and the loss jumps. Both are smoothed by Gaussian
noise in f or v, whose slope comes from rollouts alone (zeroth order) or from exact derivatives
(first order). Prints where gradient descent gets to, and the slopes of the throw.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tactum
from tactum import sim

Array = npt.NDArray[np.float64]
Loss = Callable[[float], tuple[float, float]]  # a loss and its exact slope
PICTURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "gradient-landscape.png"
OPTIONS = sim.StepOptions(tolerance=1e-10, position_correction=1.0, slop=0.0)
DT = 0.01
SAMPLES = 400


def push_loss() -> Loss:
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.5)
    box = tactum.Box(half_extents=(0.1, 0.1, 0.05))
    builder.add_body(box, mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.05]))
    model = builder.build()

    def loss(force: float) -> tuple[float, float]:
        controls = np.zeros((50, 6))
        controls[:, 0] = force
        trajectory = sim.rollout(model, model.state(), controls, dt=DT, options=OPTIONS)
        off = trajectory.q[-1, 0] - 0.3
        dq = np.zeros((51, 6))
        dq[-1, 0] = 2.0 * off
        slope = sim.rollout_derivative(model, trajectory, dq=dq).d_controls[:, 0].sum()
        return float(off**2), float(slope)

    return loss


def throw_loss() -> Loss:
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.5)
    step = tactum.Box(half_extents=(0.5, 0.5, 0.1))
    builder.add_fixed(step, (np.eye(3), [1.0, 0.0, 0.1]), friction=0.5)
    builder.add_body(tactum.Sphere(radius=0.05), mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.4]))
    model = builder.build()

    def loss(speed: float) -> tuple[float, float]:
        state = model.state()
        state.v[0] = speed
        trajectory = sim.rollout(model, state, np.zeros((60, 6)), dt=DT, options=OPTIONS)
        off = trajectory.q[-1, 0] - 1.4
        dq = np.zeros((61, 6))
        R = tactum.pose_matrix(trajectory.q[-1])[:3, :3]
        dq[-1, :3] = 2.0 * off * R[0]
        slope = sim.rollout_derivative(model, trajectory, dq=dq).d_v0[0]
        return float(off**2), float(slope)

    return loss


def smoothed(loss: Loss, at: float, scale: float, seed: int = 0) -> tuple[float, float, float]:
    """Mean of the loss, and its slope of zeroth and of first order, from opposite pairs."""
    noise = np.random.default_rng(seed).normal(size=SAMPLES // 2)
    plus, minus = (np.array([loss(at + sign * scale * z) for z in noise]) for sign in (1.0, -1.0))
    zeroth = np.mean((plus[:, 0] - minus[:, 0]) * noise) / (2.0 * scale)
    first = 0.5 * (plus[:, 1].mean() + minus[:, 1].mean())
    return float(0.5 * (plus[:, 0].mean() + minus[:, 0].mean())), float(zeroth), float(first)


def descend(slope: Callable[[float], float], at: float, rate: float, steps: int) -> list[float]:
    path = [at]
    for _ in range(steps):
        path.append(path[-1] - rate * slope(path[-1]))
    return path


def draw_push(axes: Any, loss: Loss) -> None:
    forces = np.linspace(0.0, 11.0, 111)
    axes.plot(forces, [loss(f)[0] for f in forces], "k", lw=1.5, label="loss")
    scale = 2.0
    values = [smoothed(loss, f, scale)[0] for f in forces[::5]]
    axes.plot(forces[::5], values, "C0", lw=1.5, label=f"smoothed, scale {scale:g} N")
    exact = descend(lambda f: loss(f)[1], 3.0, 20.0, 30)
    noisy = descend(lambda f: smoothed(loss, f, scale)[2], 3.0, 20.0, 30)
    axes.plot(exact, [loss(f)[0] for f in exact], "C3o", ms=6, label="descent, exact slope")
    axes.plot(noisy, [loss(f)[0] for f in noisy], "C0.", ms=6, label="descent, smoothed slope")
    axes.set(title="push: friction holds the box", xlabel="force, N", ylabel="loss, m²")
    axes.legend(fontsize=8)
    print(
        f"push, from 3 N: exact slopes end at {exact[-1]:.2f} N with loss {loss(exact[-1])[0]:.4f},"
    )
    print(f"  smoothed ones at {noisy[-1]:.2f} N with loss {loss(noisy[-1])[0]:.4f}")


def draw_throw(axes: Any, loss: Loss) -> None:
    speeds = np.linspace(1.0, 4.0, 151)
    axes.plot(speeds, [loss(v)[0] for v in speeds], "k", lw=1.2, label="loss")
    scale = 0.3
    coarse = np.linspace(1.0, 4.0, 31)
    found = np.array([smoothed(loss, v, scale) for v in coarse])
    axes.plot(coarse, found[:, 0], "C0", lw=1.5, label=f"smoothed, scale {scale:g} m/s")
    print("throw: speed, slope of the smoothed loss by zeroth and by first order, exact slope")
    for v in (1.5, 2.0, 2.5, 3.0):
        value, zeroth, first = smoothed(loss, v, scale)
        print(f"  {v:.1f} {zeroth:8.3f} {first:8.3f} {loss(v)[1]:8.3f}")
        for slope, color, name in ((zeroth, "C2", "zeroth order"), (first, "C1", "first order")):
            ends = np.array([-0.15, 0.15])
            label = name if v == 1.5 else None
            axes.plot(v + ends, value + slope * ends, color, lw=2.5, label=label)
    axes.set(title="throw: below the step, or on it", xlabel="speed, m/s", ylabel="loss, m²")
    axes.legend(fontsize=8)


def main(argv: Sequence[str]) -> int:
    if len(argv) > 1:
        print(__doc__)
        return 2
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.2), dpi=110, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    draw_push(left, push_loss())
    draw_throw(right, throw_loss())
    for axes in (left, right):
        axes.grid(alpha=0.3)
    path = Path(argv[0]) if argv else PICTURE
    figure.savefig(path)
    print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
