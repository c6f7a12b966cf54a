# SPDX-License-Identifier: BSD-2-Clause
"""Real tosses of a cube: the data, their simulation, its error, and its gradient by the parameters.

Lengths are in half-widths of the cube, 0.0524 m; a frame is 1/148 s and four steps. The parameters
are logarithms: of friction, restitution, the factor of the inertia, and the half-width of the
simulated cube. The first three have their gradient from rollout_derivative; the size of a shape is
none of its parameters, and its gradient is a central difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import tactum

from .survey import Array

HALF_WIDTH = 0.0524  # m
GRAVITY = 187.21  # half-widths / s^2
MASS, INERTIA = 0.37, 0.2950
FRAME = 1.0 / 148.0  # s
SUBSTEPS = 4
NAMES = ("friction", "restitution", "inertia factor", "half-width")
START = np.log([0.3, 0.3, 1.0, 1.0])  # what both fits begin from
NEAR = np.log([[0.02, 0.01, 0.3, 0.9], [1.0, 0.9, 3.0, 1.1]])  # what they may become
TRUTH = np.array([0.18, 0.125, 1.0, 1.0])  # of the simulated record
NUM_FRAMES = 100  # of a simulated toss
RECORD = Path("tosses") / "tosses.npz"  # in the folder of --data
WINDOW = 30  # frames that one rollout of a fit covers
SHIFT = 1e-4  # of the logarithm of the half-width


def load_tosses(folder: Path) -> list[Array]:
    """(T, 13) rows of each recorded toss: position, quaternion w x y z, velocity, angular velocity in
    the cube's axes."""
    with np.load(folder / RECORD, allow_pickle=False) as archive:
        offsets, states = archive["offsets"], archive["states"][:, :13]
    return [states[a:b] for a, b in pairwise(offsets)]


def make_tosses(count: int, rng: np.random.Generator) -> list[Array]:
    """A record whose parameters are known: simulated tosses with TRUTH, from random starts."""
    model = cube_model(np.log(TRUTH))
    tosses = []
    for _ in range(count):
        quaternion = rng.normal(size=4)
        start = np.zeros((NUM_FRAMES, 13))
        start[:, :3] = 0.0, 0.0, rng.uniform(3.0, 6.0)
        start[:, 3:7] = quaternion / np.linalg.norm(quaternion)
        start[:, 7:10] = *rng.uniform(-20.0, 20.0, 2), rng.uniform(-10.0, 5.0)
        start[:, 10:13] = rng.uniform(-8.0, 8.0, 3)
        motion = roll_out(model, start)
        q, v = motion.q[::SUBSTEPS], motion.v[::SUBSTEPS]
        world = [tactum.pose_matrix(pose)[:3, :3] @ own[:3] for pose, own in zip(q, v, strict=True)]
        tosses.append(
            np.concatenate([q[:, :3], np.roll(q[:, 3:], 1, axis=1), world, v[:, 3:]], axis=1)
        )
    return tosses


def windows(tosses: Sequence[Array]) -> list[Array]:
    """Pieces of WINDOW frames, half of which overlap the next."""
    return [
        toss[k : k + WINDOW]
        for toss in tosses
        for k in range(0, max(len(toss) - WINDOW, 1), WINDOW // 2)
    ]


def cube_model(parameters: Array) -> Any:
    """The simulated cube on the table."""
    from tactum import sim

    friction, restitution, factor, half = np.exp(parameters)
    builder = sim.ModelBuilder(gravity=(0.0, 0.0, -GRAVITY))
    builder.add_ground(friction=friction, restitution=restitution)
    builder.add_body(
        tactum.Box(half_extents=(half, half, half)),
        mass=MASS,
        inertia=factor * INERTIA * np.eye(3),
        friction=friction,
        restitution=restitution,
    )
    return builder.build()


def measured_poses(rows: Array) -> Array:
    """(T, 7): x, y, z, qx, qy, qz, qw."""
    quaternion = np.roll(rows[:, 3:7], -1, axis=1)
    quaternion = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
    return np.concatenate([rows[:, :3], quaternion], axis=1)


def roll_out(model: Any, rows: Array) -> Any:
    """The simulated motion from the first measured row."""
    from tactum import sim

    state = model.state()
    state.q = measured_poses(rows[:1])[0]
    rotation = tactum.pose_matrix(state.q)[:3, :3]
    state.v = np.concatenate([rotation.T @ rows[0, 7:10], rows[0, 10:13]])
    steps = SUBSTEPS * (len(rows) - 1)
    return sim.rollout(model, state, np.zeros((steps, 6)), dt=FRAME / SUBSTEPS)


def rotation_vectors(poses: Array, measured: Array) -> Array:
    """(T, 3): the vector from the measured rotation to the simulated one, in the cube's axes."""
    p, q = measured[:, 3:], poses[:, 3:]
    # the product of the conjugate of p and q
    vector = p[:, 3:] * q[:, :3] - q[:, 3:] * p[:, :3] - np.cross(p[:, :3], q[:, :3])
    scalar = np.sum(p * q, axis=1)
    size = np.linalg.norm(vector, axis=1)
    angle = 2.0 * np.arctan2(size, np.abs(scalar)) * np.where(scalar < 0.0, -1.0, 1.0)
    return np.asarray(vector * (angle / np.maximum(size, 1e-300))[:, None])


def turned_back(poses: Array, vectors: Array) -> Array:
    """(T, 3): vectors of the world in the axes of the poses."""
    xyz, w = poses[:, 3:6], poses[:, 6:]
    twice = 2.0 * np.cross(vectors, xyz)
    return np.asarray(vectors + w * twice + np.cross(twice, xyz))


def loss_of(poses: Array, rows: Array) -> float:
    """Mean over the frames of squared position error, in half-widths, and squared angle, in rad."""
    measured = measured_poses(rows)
    turned = rotation_vectors(poses, measured)
    return float(
        np.mean(np.sum((poses[:, :3] - measured[:, :3]) ** 2, axis=1) + np.sum(turned**2, axis=1))
    )


def mean_loss(parameters: Array, pieces: Sequence[Array]) -> float:
    model = cube_model(parameters)
    return float(np.mean([loss_of(roll_out(model, rows).q[::SUBSTEPS], rows) for rows in pieces]))


def gradients_of(parameters: Array, pieces: Sequence[Array], frozen: bool) -> Array:
    """(n, 4): gradient of the loss of each piece by the logarithms of the parameters."""
    from tactum import sim

    model = cube_model(parameters)
    shift = np.array([0.0, 0.0, 0.0, SHIFT])
    wider, narrower = cube_model(parameters + shift), cube_model(parameters - shift)
    gradients = np.zeros((len(pieces), 4))
    for place, rows in enumerate(pieces):
        motion = roll_out(model, rows)
        poses, measured = motion.q[::SUBSTEPS], measured_poses(rows)
        gradient = gradients[place]
        d_q = np.zeros((len(motion.q), 6))
        away = poses[:, :3] - measured[:, :3]
        d_q[::SUBSTEPS, :3] = 2.0 * turned_back(poses, away) / len(poses)
        d_q[::SUBSTEPS, 3:] = 2.0 * rotation_vectors(poses, measured) / len(poses)
        by = sim.rollout_derivative(
            model,
            motion,
            dq=d_q,
            parameters=("friction", "restitution", "inertia"),
            checkpoints=1,
            frozen_contacts=frozen,
        ).d_parameters
        friction, restitution, factor, _ = np.exp(parameters)
        gradient[0] = friction * float(np.sum(by["friction"]))
        gradient[1] = restitution * float(np.sum(by["restitution"]))
        inertia = np.asarray(by["inertia"]).reshape(-1, 10)[-1]
        gradient[2] = factor * INERTIA * float(inertia[4] + inertia[6] + inertia[9])
        losses = [loss_of(roll_out(one, rows).q[::SUBSTEPS], rows) for one in (wider, narrower)]
        gradient[3] = (losses[0] - losses[1]) / (2.0 * SHIFT)
    return gradients


def robust_mean(gradients: Array) -> Array:
    """Mean over the pieces, none of which counts for more than twice the median: where an impact
    comes or goes, the loss of a piece jumps, and its slope nearby says nothing."""
    sizes = np.linalg.norm(gradients, axis=1)
    limit = 2.0 * float(np.median(sizes)) + 1e-12
    return np.asarray(
        (gradients * np.minimum(1.0, limit / np.maximum(sizes, 1e-12))[:, None]).mean(axis=0)
    )


def fit_by_gradients(
    pieces: Sequence[Array], iterations: int, batch: int, seed: Sequence[int], frozen: bool = False
) -> tuple[Array, int]:
    """Adam on small random batches: contacts make the loss rough, and single windows far more so.
    Returns the mean of the last third of the iterates, and how many rollouts it took."""
    rng = np.random.default_rng(seed)
    parameters, first, second = START.copy(), np.zeros(4), np.zeros(4)
    kept = []
    for k in range(1, iterations + 1):
        chosen = [
            pieces[i] for i in rng.choice(len(pieces), min(batch, len(pieces)), replace=False)
        ]
        gradient = robust_mean(gradients_of(parameters, chosen, frozen))
        first = 0.8 * first + 0.2 * gradient
        second = 0.95 * second + 0.05 * gradient**2
        rate = 0.25 * np.exp(-3.5 * k / iterations)
        step = rate * (first / (1 - 0.8**k)) / (np.sqrt(second / (1 - 0.95**k)) + 1e-12)
        parameters = np.clip(parameters - step, *NEAR)
        if 3 * k > 2 * iterations:
            kept.append(parameters)
    # a gradient costs about as much as two rollouts, and two are made for the half-width
    return np.mean(kept, axis=0), 5 * iterations * min(batch, len(pieces))
