#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Real tosses of a cube on a table, simulated from their first state: errors of tactum, and of MuJoCo
with the same parameters, as information.

    ./run python tools/tosses_sim.py --data FOLDER [--json FILE] [--count N]

FOLDER holds tosses/tosses.npz: ids, offsets and states of recorded tosses of an acrylic cube at 148 Hz
(the data set of contact-nets, BSD-3). Lengths are in half-widths of the cube, 0.0524 m. Both
simulators take four steps a frame, with a friction of 0.18; tactum takes a restitution of 0.125 too,
for which MuJoCo has no number. The error of a toss is the mean over its frames.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tactum
from tactum import sim
from tactum.reproduce.report import Row, make_report, make_row, write_report

Array = npt.NDArray[np.float64]

HALF_WIDTH = 0.0524  # m
GRAVITY = 187.21  # half-widths / s^2
MASS, INERTIA = 0.37, 0.2950
FRICTION, RESTITUTION = 0.18, 0.125
FRAME = 1.0 / 148.0  # s
SUBSTEPS = 4

MJCF = f"""<mujoco><option gravity="0 0 {-GRAVITY}" timestep="{FRAME / SUBSTEPS}" cone="elliptic"/>
<worldbody><geom type="plane" size="100 100 1" friction="{FRICTION}"/>
<body><freejoint/><inertial pos="0 0 0" mass="{MASS}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>
<geom type="box" size="1 1 1" friction="{FRICTION}" condim="3"/></body></worldbody></mujoco>"""


def simulate_tactum(rows: Array) -> tuple[Array, float]:
    """Poses (T, 7) as x, y, z, qx, qy, qz, qw, and the share of steps that converged."""
    builder = sim.ModelBuilder(gravity=(0.0, 0.0, -GRAVITY))
    builder.add_ground(friction=FRICTION, restitution=RESTITUTION)
    builder.add_body(
        tactum.Box(half_extents=(1.0, 1.0, 1.0)),
        mass=MASS,
        inertia=INERTIA * np.eye(3),
        friction=FRICTION,
        restitution=RESTITUTION,
    )
    model = builder.build()
    state = model.state()
    quaternion = np.roll(rows[0, 3:7], -1)
    state.q = np.concatenate([rows[0, :3], quaternion / np.linalg.norm(quaternion)])
    rotation = tactum.pose_matrix(state.q)[:3, :3]
    state.v = np.concatenate([rotation.T @ rows[0, 7:10], rows[0, 10:13]])
    steps = SUBSTEPS * (len(rows) - 1)
    found = sim.rollout(model, state, np.zeros((steps, 6)), dt=FRAME / SUBSTEPS)
    return found.q[::SUBSTEPS], found.status.count("converged") / max(steps, 1)


def simulate_mujoco(mujoco: Any, model: Any, rows: Array) -> Array:
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = rows[0, :7], rows[0, 7:13]
    poses = [data.qpos.copy()]
    for _ in range(len(rows) - 1):
        for _ in range(SUBSTEPS):
            mujoco.mj_step(model, data)
        poses.append(data.qpos.copy())
    found = np.array(poses)
    return np.concatenate([found[:, :3], np.roll(found[:, 3:], -1, axis=1)], axis=1)


def errors(poses: Array, rows: Array) -> tuple[float, float]:
    """Mean error of a toss: position in m, angle in degrees."""
    position = HALF_WIDTH * np.linalg.norm(poses[:, :3] - rows[:, :3], axis=1)
    measured = np.roll(rows[:, 3:7], -1, axis=1)
    measured = measured / np.linalg.norm(measured, axis=1, keepdims=True)
    cosine = np.clip(np.abs(np.sum(poses[:, 3:] * measured, axis=1)), 0.0, 1.0)
    return float(position.mean()), float(np.degrees(2.0 * np.arccos(cosine)).mean())


def rows_of(found: dict[str, Array], converged: float) -> list[Row]:
    made = []
    for column, (quantity, unit) in enumerate((("position", "m"), ("angle", "deg"))):
        ours = found["tactum"][:, column]
        made.append(
            make_row(
                "tosses",
                f"mean error of {quantity}",
                unit,
                float(ours.mean()),
                spread=float(np.subtract(*np.quantile(ours, [0.75, 0.25]))),
                peers={k: float(v[:, column].mean()) for k, v in found.items() if k != "tactum"},
                note=f"median {np.median(ours):.4g}; {len(ours)} tosses",
            )
        )
    made.append(make_row("tosses", "steps that converged", "1", converged))
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--count", type=int, default=10**9, help="of tosses, spread over all")
    arguments = parser.parse_args()
    began = time.monotonic()
    with np.load(arguments.data / "tosses" / "tosses.npz", allow_pickle=False) as archive:
        offsets, states = archive["offsets"], archive["states"]
    count = min(arguments.count, len(offsets) - 1)
    chosen = np.linspace(0, len(offsets) - 2, count).astype(int)
    try:
        import mujoco

        peer = mujoco.MjModel.from_xml_string(MJCF)
    except ImportError:
        mujoco = None
    found: dict[str, list[tuple[float, float]]] = {"tactum": []}
    converged = []
    for k in chosen:
        rows = states[offsets[k] : offsets[k + 1], :13]
        poses, share = simulate_tactum(rows)
        found["tactum"].append(errors(poses, rows))
        converged.append(share)
        if mujoco is not None:
            found.setdefault("mujoco", []).append(errors(simulate_mujoco(mujoco, peer, rows), rows))
    made = rows_of({k: np.array(v) for k, v in found.items()}, float(np.mean(converged)))
    for row in made:
        print(row["quantity"], row["unit"], f"{row['ours']:.4g}", row["peers"], row["note"])
    if arguments.json is not None:
        report = make_report(
            "tosses",
            "contact-nets",
            quick=False,
            seed=0,
            seconds=time.monotonic() - began,
            rows=made,
        )
        write_report(arguments.json, report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
