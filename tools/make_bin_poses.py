#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records poses of YCB hulls that settle in a bin, simulated by MuJoCo: the file
python/tactum/data/bin_poses.npz.

    pip install mujoco numpy
    python tools/make_bin_poses.py --out python/tactum/data/bin_poses.npz

1000 hulls, object k being the YCB hull k modulo 59, fall from a grid into a bin of 1.6 m by 1.6 m.
The file has `names` (59,), `object` (1000,) the hull of each body, `poses` (F, 1000, 7) as x, y, z,
qx, qy, qz, qw in 32 bits, of the frames of the hulls of tactum.reproduce.ycb (bounding box centered
at the origin), `frame_seconds` between two frames and `bin_half_width`. The last frames are taken
one after the other while the pile settles, so that a tracker finds most pairs again.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import mujoco
import numpy as np

DATA = Path(__file__).resolve().parent.parent / "python" / "tactum" / "data"
HALF_WIDTH = 0.8  # m
SPACING = 0.2  # m
COLUMNS = 7  # of the grid, each way
FRAME_STEPS = 4  # of the simulation between two frames


def read_hulls() -> tuple[list[str], list[np.ndarray]]:
    """Names and corners, each hull with its bounding box centered."""
    with np.load(DATA / "ycb_hulls.npz", allow_pickle=False) as archive:
        names, offsets, corners = (archive[key] for key in ("names", "offsets", "corners"))
    hulls = [corners[offsets[k] : offsets[k + 1]].astype(float) for k in range(len(names))]
    return [str(name) for name in names], [
        hull - 0.5 * (hull.min(axis=0) + hull.max(axis=0)) for hull in hulls
    ]


def make_model(
    hulls: list[np.ndarray], objects: np.ndarray, generator: np.random.Generator
) -> mujoco.MjModel:
    """The bin, and the bodies on a grid above it at random orientations."""
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.002
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.solver = mujoco.mjtSolver.mjSOL_CG
    spec.option.iterations = 50
    spec.option.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    for k, hull in enumerate(hulls):
        mesh = spec.add_mesh(name=f"hull{k}", uservert=hull.ravel())
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[2, 2, 1])
    for axis in range(2):
        for sign in (-1.0, 1.0):
            size, place = [HALF_WIDTH, HALF_WIDTH, 3.0], [0.0, 0.0, 3.0]
            size[axis], place[axis] = 0.1, sign * (HALF_WIDTH + 0.1)
            spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=size, pos=place)
    for i, k in enumerate(objects):
        layer, cell = divmod(i, COLUMNS * COLUMNS)
        place = SPACING * (
            np.array([cell % COLUMNS, cell // COLUMNS, 0.0])
            - (COLUMNS - 1) / 2 * np.array([1.0, 1.0, 0.0])
        )
        body = spec.worldbody.add_body(
            pos=place + np.array([0.0, 0.0, 0.2 + SPACING * layer]), quat=generator.normal(size=4)
        )
        body.add_joint(type=mujoco.mjtJoint.mjJNT_FREE, damping=0.0005, armature=1e-5)
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"hull{k}", density=500)
    return spec.compile()


def poses_of(model: mujoco.MjModel, data: mujoco.MjData, count: int) -> np.ndarray:
    """(count, 7) poses of the hull frames; MuJoCo moves the frame of a mesh to its center of
    mass and principal axes."""
    poses = np.empty((count, 7))
    first = model.ngeom - count
    for i in range(count):
        mesh = model.geom_dataid[first + i]
        inverse_quat, inverse_pos, quat, pos = np.empty(4), np.empty(3), np.empty(4), np.empty(3)
        geom_quat = np.empty(4)
        mujoco.mju_mat2Quat(geom_quat, data.geom_xmat[first + i])
        mujoco.mju_negPose(inverse_pos, inverse_quat, model.mesh_pos[mesh], model.mesh_quat[mesh])
        mujoco.mju_mulPose(
            pos, quat, data.geom_xpos[first + i], geom_quat, inverse_pos, inverse_quat
        )
        poses[i] = [*pos, *quat[1:], quat[0]]
    return poses


def main() -> None:
    """Simulate and write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=DATA / "bin_poses.npz")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument(
        "--seconds", type=float, default=2.4, help="simulated before the first frame is taken"
    )
    parser.add_argument("--frames", type=int, default=10, help="taken at 125 Hz")
    arguments = parser.parse_args()
    names, hulls = read_hulls()
    objects = np.arange(arguments.count) % len(hulls)
    model = make_model(hulls, objects, np.random.default_rng(0))
    data = mujoco.MjData(model)
    steps = round(arguments.seconds / model.opt.timestep)
    start = time.perf_counter()
    for step in range(steps):
        mujoco.mj_step(model, data)
        if step % 20 == 0:
            print(
                f"\rstep {step} of {steps}, {data.ncon} contacts, {time.perf_counter() - start:.0f} s",
                end="",
                flush=True,
            )
    frames = []
    for _ in range(arguments.frames):
        mujoco.mj_step(model, data, nstep=FRAME_STEPS)
        mujoco.mj_kinematics(model, data)
        frames.append(poses_of(model, data, arguments.count))
    if any(warning.number for warning in data.warning):
        raise SystemExit("\nthe simulation was unstable")
    print(f"\n{data.ncon} contacts at the end, the highest hull at {frames[-1][:, 2].max():.2f} m")
    np.savez_compressed(
        arguments.out,
        names=np.array(names),
        object=objects.astype(np.int16),
        poses=np.array(frames, dtype=np.float32),
        frame_seconds=FRAME_STEPS * model.opt.timestep,
        bin_half_width=HALF_WIDTH,
    )
    print(f"{arguments.out}: {arguments.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
