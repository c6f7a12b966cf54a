# SPDX-License-Identifier: BSD-2-Clause
"""Contact models, Table II: which principle each solver keeps, measured on problems that show it.

Signorini, Coulomb, maximum dissipation: one contact off the center of a cube that slides in 16
directions, none along a side of the pyramid. Shift and internal forces: a cube pushed without
sliding on the four corners of a face. Robust: 1000 kg on 1 g. Convergence: a cube in three random
contacts with friction 2 to 10 and with compliance, so that nothing is ill-conditioned. The row of
MuJoCo is ccp_newton with the compliance that MuJoCo adds to every contact, a share of the diagonal
of G. Every solver that the survey lists runs twice: as printed, and as the library's own solver of
that name, which is another algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import tactum

from .. import figures
from ..experiment import Experiment, Settings, task_seed
from ..force_problems import GRAVITY, Array, cubes, random_bodies, sliding_point
from ..report import Row, make_row, number

PRINCIPLES = (
    "Signorini",
    "Coulomb",
    "maximum dissipation",
    "no shift",
    "no internal forces",
    "robust",
    "convergence guarantees",
)
# ticks and crosses of the table, in the order of its columns; the last two solvers are not in it
TABLE = {
    "lcp_pgs": "1001001",
    "lcp_staggered": "1001110",
    "ccp_pgs": "0111001",
    "mujoco": "0110111",
    "ccp_admm": "0111111",
    "raisim": "1101000",
    "ncp_pgs": "1111001",
    "ncp_staggered": "1111110",
    "raisim_desaxce": "",
    "ncp_admm": "",
}
# a violation below, relative to the force, velocity or power at stake, is rounding or the tolerance
KEPT = 1e-6
SHARE = (
    1.0 / 9.0
)  # of the diagonal of G: (1 - d) / d for an impedance d = 0.9, the lower of MuJoCo's two
MASSES = (1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6)  # ratios; the heavy cube, on top, has 1000 kg
FEWER_MASSES = (1.0, 1e3, 1e6)
EXACT: dict[str, Any] = {"tolerance": 1e-10, "max_iterations": 10000}
NOTES = {
    "Signorini": "largest f_N s_N / (f_N |s|) of a contact that slides",
    "Coulomb": "largest |f_T| / (mu f_N) - 1 of a contact that slides",
    "maximum dissipation": "largest |f_T + mu f_N s_T / |s_T|| / (mu f_N); s with the compliance of the model",
    "no shift": "|s| of a cube that should rest, over g",
    "no internal forces": "|(I - G^+ G) f| / |f| of a cube that rests on four corners",
    "robust": "residual over the weight after at most 10^4 iterations, 1000 kg on 1 g",
    "convergence guarantees": "share of random problems with friction 2 to 10 that 10^4 iterations do not solve",
}

PRINTED = ", as printed"  # behind the name of a solver
NOT_PRINTED = ("mujoco", "raisim_desaxce")
Task = tuple[
    list[int], str, int, tuple[float, ...]
]  # seed, row of the table, random problems, mass ratios
Result = tuple[
    str, dict[str, float], float, Array
]  # row, violations, share not solved with little friction, residuals


def options(name: str) -> dict[str, Any]:
    if name == "mujoco":
        return {"solver": "ccp_newton", "regularization": SHARE}
    return {"solver": name.removesuffix(PRINTED), "as_printed": name.endswith(PRINTED)}


def ticks(name: str) -> str:
    """Ticks and crosses that the table has for a solver."""
    return TABLE[name.removesuffix(PRINTED)]


def problem_count(settings: Settings, name: str) -> int:
    """Random problems of a row: fewer of what is slow, the two programs of Alg. 6 in plain loops."""
    if name.endswith("staggered" + PRINTED):
        return int(settings.pick(100, 8))
    return int(settings.pick(2000, 100 if not name.endswith(PRINTED) else 20))


def tasks(settings: Settings) -> list[Task]:
    names = [name + PRINTED for name in TABLE if name not in NOT_PRINTED] + list(TABLE)
    return [
        (
            task_seed(settings, 0),
            name,
            problem_count(settings, name),
            settings.pick(MASSES, FEWER_MASSES),
        )
        for name in names
    ]


def sliding_violations(name: str) -> Array:
    """Violations of Signorini, Coulomb and maximum dissipation, the largest over all directions."""
    worst = np.zeros(3)
    for angle in 0.1 + np.pi / 8 * np.arange(16):
        problem = sliding_point(angle)
        solution = tactum.solve(problem, **options(name), **EXACT)
        force, velocity, limit = (
            solution.force,
            solution.velocity,
            problem.mu[0] * solution.force[2],
        )
        signorini = abs(force[2] * velocity[2]) / (force[2] * np.linalg.norm(velocity))
        coulomb = np.hypot(*force[:2]) / limit - 1.0
        own = velocity + (SHARE * np.diagonal(problem.G) * force if name == "mujoco" else 0.0)
        dissipation = np.linalg.norm(force[:2] / limit + own[:2] / np.hypot(*own[:2]))
        worst = np.maximum(worst, (signorini, coulomb, dissipation))
    return worst


def unsolved_share(
    name: str, seed: Sequence[int], count: int, friction: tuple[float, float]
) -> float:
    """Results of random problems, with ten times the iterations where 1000 do not solve one."""
    rng = np.random.default_rng(seed)
    left = [random_bodies(rng, 3, 1, friction, 0.02) for _ in range(count)]
    for max_iterations in (1000, 10000):
        more: dict[str, Any] = {"tolerance": 1e-6, "max_iterations": max_iterations}
        found = tactum.solve_many(left, **options(name), **more)
        left = [
            p
            for p, s in zip(left, found, strict=True)
            if s.status != tactum.ContactStatus.converged
        ]
    return len(left) / count


def work(task: Task) -> Result:
    """The violations of a solver, and its residual by mass ratio."""
    seed, name, count, ratios = task
    at_rest = tactum.solve(cubes([1.0], 0.5, (2.0, 1.0)), **options(name), **EXACT)
    heavy = {"tolerance": 1e-6 * KEPT * 1e3 * GRAVITY, "max_iterations": EXACT["max_iterations"]}
    residuals = [
        tactum.solve(cubes([1e3 / ratio, 1e3], 0.9), **options(name), **heavy).residual
        / (1e3 * GRAVITY)
        for ratio in ratios
    ]
    values = (
        *sliding_violations(name),
        np.abs(at_rest.velocity).max() / GRAVITY,
        at_rest.internal_force / np.linalg.norm(at_rest.force),
        residuals[-1],
        unsolved_share(name, seed, count, (2.0, 10.0)),
    )
    small = unsolved_share(name, seed, count, (0.1, 1.0))
    return (
        name,
        dict(zip(PRINCIPLES, (float(value) for value in values), strict=True)),
        small,
        np.array(residuals),
    )


def is_kept(principle: str, violation: float) -> float:
    return float(violation == 0.0 if principle == PRINCIPLES[-1] else violation <= KEPT)


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made = []
    for name, violations, small, _ in results:
        for k, (principle, violation) in enumerate(violations.items()):
            more: dict[str, Any] = {}
            if ticks(name):
                tick = float(ticks(name)[k])
                more = {"published": tick, "relation": ">=" if tick else "<=", "goal": tick}
            made.append(
                make_row(
                    name,
                    principle,
                    "1: kept",
                    is_kept(principle, violation),
                    **more,
                    note="Table II: tick 1, cross 0",
                )
            )
            made.append(
                make_row(name, f"{principle}: violation", "1", violation, note=NOTES[principle])
            )
        note = NOTES[PRINCIPLES[-1]].replace("2 to 10", "0.1 to 1")
        made.append(make_row(name, "not solved with little friction", "1", small, note=note))
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(1.9, 1.0))
    for y, (name, violations, _, residuals) in enumerate(results):
        for x, (principle, violation) in enumerate(violations.items()):
            kept = is_kept(principle, violation)
            color = "#cfe8d5" if kept else "#f3d3cf"
            left.fill_between((x - 0.48, x + 0.48), y - 0.45, y + 0.45, color=color, lw=0)
            published = ticks(name)[x : x + 1]
            mark = {"1": "tick", "0": "cross", "": ""}[published]
            differs = bool(published) and float(published) != kept
            left.text(x, y - 0.14, number(violation), ha="center", va="center", fontsize=8)
            left.text(
                x,
                y + 0.22,
                mark,
                ha="center",
                va="center",
                fontsize=6.5,
                color="#b3261e" if differs else "#667",
                weight="bold" if differs else "normal",
            )
        style = {"lcp": ":", "ccp": "--", "muj": "--", "rai": "-.", "ncp": "-"}[name[:3]]
        ratios = settings.pick(MASSES, FEWER_MASSES)
        right.loglog(
            ratios,
            np.maximum(residuals, 1e-16),
            style,
            marker="o" if name.endswith(PRINTED) else "x",
            ms=3,
            color=f"C{list(TABLE).index(name.removesuffix(PRINTED))}",
            label=name,
        )
    left.set_xlim(-0.5, len(PRINCIPLES) - 0.5)
    left.set_ylim(len(results) - 0.5, -0.5)
    left.set_xticks(
        range(len(PRINCIPLES)), [p.replace(" ", "\n", 1) for p in PRINCIPLES], fontsize=8
    )
    left.set_yticks(range(len(results)), [result[0] for result in results], fontsize=9)
    figures.tidy(left, "violations: green kept, red not; below, what the table has", "", "")
    left.grid(False)
    right.axhline(KEPT, color="#8f98a3", lw=0.8)
    right.legend(fontsize=7)
    figures.tidy(right, "1000 kg on a light cube", "mass ratio", "residual / weight")


EXPERIMENT = Experiment(
    name="model-properties",
    title="principles that contact models and solvers keep or break",
    source="Contact models, Table II",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(14.0, 9.0),
)
