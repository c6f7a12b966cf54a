# SPDX-License-Identifier: BSD-2-Clause
"""Ours: friction, restitution, inertia and half-width of a real cube, identified by gradients
through the simulator from recorded tosses, and other tosses predicted with them.

Half of the tosses train, the others judge: each is simulated from its first row alone, and compared
with the record after 0.5 s and at its end. Beside it: the same with gradients of frozen contacts,
and MuJoCo, whose own parameters a derivative-free search fits with as many rollouts. The record is
that of contact-nets, every eighth toss, where --data names a folder with tosses/tosses.npz; and
simulated ones, whose parameters are known: several, as one does not say which gradients do better.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import figures, survey, toss_fit, toss_peer
from ..experiment import Experiment, Settings, is_installed, task_seed
from ..report import Row, make_row
from ..survey import Array

LATER = round(0.5 / toss_fit.FRAME)  # frames
WAYS = ("gradients", "frozen contacts", "MuJoCo")
SIZES = {"full": (57, 120, 16), "quick": (16, 60, 8)}  # tosses, iterations, windows of a batch
PEER_START = np.append(np.log([0.3, 0.3]), [0.0, 0.0])
PEER_NEAR = np.log([[0.02, 0.02, 0.3, 0.9], [1.0, 3.0, 3.0, 1.1]])
SHARE = 8  # of the recorded tosses
RECORDS = 5  # simulated ones
Task = tuple[str, list[int], str, str, Path | None]  # record, seed, way, size, its folder
Result = tuple[str, str, Array, int, Array]  # record, way, parameters, rollouts, errors (n, 4)


def tasks(settings: Settings) -> list[Task]:
    if not survey.has_simulator():
        return []
    size = settings.pick("full", "quick")
    made: list[Task] = [
        (f"simulated {k + 1}", task_seed(settings, k), way, size, None)
        for k in range(settings.pick(RECORDS, 1))
        for way in settings.pick(WAYS[:2], WAYS[:1])
    ]
    if settings.data is not None and (settings.data / toss_fit.RECORD).is_file():
        ways = WAYS if is_installed("mujoco") else WAYS[:2]
        seed = task_seed(settings, 0)
        made += [("recorded", seed, way, size, settings.data) for way in ways]
    return made


def errors_of(poses: Array, rows: Array) -> Array:
    """Position in m and angle in degrees, after 0.5 s and at the end."""
    measured = toss_fit.measured_poses(rows)
    found = []
    for frame in (min(LATER, len(rows) - 1), len(rows) - 1):
        own = slice(frame, frame + 1)
        away = float(np.linalg.norm(poses[frame, :3] - measured[frame, :3]))
        turned = float(np.linalg.norm(toss_fit.rotation_vectors(poses[own], measured[own])))
        found += [toss_fit.HALF_WIDTH * away, np.degrees(turned)]
    return np.array(found)


def work(task: Task) -> Result:
    record, seed, way, size, folder = task
    count, iterations, batch = SIZES[size]
    if folder is None:
        tosses = toss_fit.make_tosses(count, np.random.default_rng(seed))
    else:
        tosses = toss_fit.load_tosses(folder)[::SHARE][:count]
    pieces = toss_fit.windows(tosses[::2])
    budget = 5 * iterations * min(batch, len(pieces))
    if way == "MuJoCo":
        evaluations = max(6, round(budget / len(pieces)))
        found = toss_peer.fit_by_search(
            lambda x: toss_peer.mean_loss(x, pieces), PEER_START, PEER_NEAR, evaluations
        )
        peer = toss_peer.cube_model(found)
        poses = [toss_peer.roll_out(peer, rows) for rows in tosses[1::2]]
    else:
        found, budget = toss_fit.fit_by_gradients(
            pieces, iterations, batch, seed, frozen=way == "frozen contacts"
        )
        model = toss_fit.cube_model(found)
        poses = [toss_fit.roll_out(model, rows).q[:: toss_fit.SUBSTEPS] for rows in tosses[1::2]]
    errors = [errors_of(own, rows) for own, rows in zip(poses, tosses[1::2], strict=True)]
    return record, way, np.exp(found), budget, np.array(errors)


QUANTITIES = (
    ("position after 0.5 s", "m"),
    ("angle after 0.5 s", "deg"),
    ("position at the end", "m"),
    ("angle at the end", "deg"),
)


def rows(settings: Settings, results: Sequence[Result]) -> list[Row]:
    made: list[Row] = []
    median = {(record, way): np.median(errors, axis=0) for record, way, _, _, errors in results}
    for record, way, parameters, budget, errors in results:
        case = f"{record}, {way}"
        names = ("friction", "damping ratio") if way == "MuJoCo" else toss_fit.NAMES[:2]
        for name, value in zip((*names, *toss_fit.NAMES[2:]), parameters, strict=True):
            made.append(make_row(case, name, "1", float(value)))
        if record != "recorded":
            made += truth_rows(settings, case, way, parameters)
        made.append(make_row(case, "rollouts of the fit", "1", float(budget)))
        others = {w: m for (r, w), m in median.items() if r == record and w != way}
        for k, (name, unit) in enumerate(QUANTITIES):
            ours = float(median[record, way][k])
            spread = float(np.subtract(*np.quantile(errors[:, k], [0.75, 0.25])))
            peers = {w: float(m[k]) for w, m in others.items()} if way == "gradients" else {}
            quantity = f"median error, {name}"
            made.append(make_row(case, quantity, unit, ours, spread=spread, peers=peers))
            more: dict[str, Any] = {"relation": "<=", "goal": 1.0} if record == "recorded" else {}
            for other, numbers in others.items() if way == "gradients" else ():
                ratio = ours / float(numbers[k])
                quantity = f"error, {name}, over that of {other}"
                made.append(make_row(case, quantity, "1", ratio, **more))
    return made + simulated_rows(median)


def simulated_rows(median: dict[tuple[str, str], Array]) -> list[Row]:
    """Both kinds of gradients on all simulated records: the median of the ratios of their errors, and
    how often each was the nearer."""
    ratios = np.array(
        [
            errors / median[record, "frozen contacts"]
            for (record, way), errors in median.items()
            if record != "recorded" and way == "gradients" and (record, "frozen contacts") in median
        ]
    ).reshape(-1, len(QUANTITIES))
    made = []
    for (name, _), own in zip(QUANTITIES, ratios.T, strict=True):
        if not len(own):
            continue
        case, quantity = "simulated, all", f"error, {name}, over that of frozen contacts, median"
        made.append(make_row(case, quantity, "1", float(np.median(own)), relation="<=", goal=1.0))
        nearer = float(np.mean(own < 1.0))
        made.append(make_row(case, f"records with the lesser error, {name}", "1", nearer))
    return made


def truth_rows(settings: Settings, case: str, way: str, parameters: Array) -> list[Row]:
    """How far the parameters are from those of the simulated record."""
    off = np.abs(parameters / toss_fit.TRUTH - 1.0)
    # eight tosses of a quick run say little about inertia and size: they are not judged there
    limits = {"friction": 0.1, **settings.pick({"inertia factor": 0.1, "half-width": 0.02}, {})}
    made = []
    for name, value in zip(toss_fit.NAMES, off, strict=True):
        judged = (
            {"relation": "<=", "goal": limits[name]}
            if way == "gradients" and name in limits
            else {}
        )
        made.append(make_row(case, f"{name}, off by a share of", "1", float(value), **judged))
    return made


def draw(figure: Any, settings: Settings, results: Sequence[Result]) -> None:
    if not results:
        return
    shown = [result for result in results if result[0] in ("simulated 1", "recorded")]
    for axes, k in zip(figure.subplots(1, 4), range(4), strict=True):
        axes.boxplot([errors[:, k] for *_, errors in shown], whis=(5, 95), showfliers=False)
        names = [f"{record} {way}".replace(" ", "\n") for record, way, *_ in shown]
        axes.set_xticks(range(1, len(names) + 1), names, fontsize=8)
        name, unit = QUANTITIES[k]
        figures.tidy(axes, name, "", f"error [{unit}]")


EXPERIMENT = Experiment(
    name="tosses",
    title="a real cube identified by gradients through the simulator, other tosses predicted",
    source="ours, on the data of contact-nets",
    tasks=tasks,
    work=work,
    rows=rows,
    draw=draw,
    figure_size=(14.0, 4.0),
    uses=("pinocchio", "mujoco"),
)
