# SPDX-License-Identifier: BSD-2-Clause
"""Makes python/tactum/data/contact_problems.npz: the contact problems that `./run compare solver`
and its tests solve.

Stacks of 10 and of 100 boxes, a pyramid, a stack with a mass ratio of 1000 and 50 bodies in a bowl
are MuJoCo scenes: its collision detection gives the contacts, so that MuJoCo can be asked about the
very same state. A quadruped (Solo-12) and a humanoid (Talos) stand on the ground, with the
Jacobians and mass matrices of Pinocchio. Everything is rigid: g = J (v / dt + a), with a the
acceleration without contact forces.

    pip install mujoco==4.0.0 pin==4.1.0 example-robot-data==6.0.0
    python tools/make_contact_problems.py                 # writes the file anew

The same versions give the same file, up to rounding.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

TARGET = Path(__file__).resolve().parents[1] / "python" / "tactum" / "data" / "contact_problems.npz"
TIME_STEP = 1e-2  # s
HALF_BOX = 0.1  # m
FRICTION = 0.7
SPEED = 0.02  # m/s and rad/s: of what moves at random
OVERLAP = 1e-6  # m: boxes that only touch may be no contact to a collision library
FOOT_CORNERS = ((0.1, 0.06), (0.1, -0.06), (-0.08, 0.06), (-0.08, -0.06))  # m, of a sole of Talos


@dataclass
class Problem:
    """Jacobian (rows: tangent, tangent, normal of each contact), mass matrix, free term and
    friction."""

    J: np.ndarray
    M: np.ndarray
    g: np.ndarray
    mu: np.ndarray
    mjcf: str = ""  # the scene, where MuJoCo knows it
    state: np.ndarray = field(
        default_factory=lambda: np.zeros(0)
    )  # its positions, then its velocities


# ------------------------------------------------------------------------------------------ storage
def pack(problems: Mapping[str, Problem]) -> dict[str, np.ndarray]:
    """Flat arrays; matrices as values, columns and row starts of what is not zero."""
    arrays: dict[str, np.ndarray] = {"names": np.array(list(problems))}
    for name, problem in problems.items():
        for key in ("J", "M"):
            matrix = getattr(problem, key)
            rows, columns = np.nonzero(matrix)
            arrays[f"{name}.{key}.values"] = matrix[rows, columns]
            arrays[f"{name}.{key}.columns"] = columns.astype(np.uint16)
            arrays[f"{name}.{key}.starts"] = np.searchsorted(
                rows, np.arange(len(matrix) + 1)
            ).astype(np.uint32)
        arrays |= {f"{name}.{key}": getattr(problem, key) for key in ("g", "mu", "state")}
        arrays[f"{name}.mjcf"] = np.frombuffer(problem.mjcf.encode(), dtype=np.uint8)
    return arrays


def unpack(arrays: Mapping[str, np.ndarray]) -> dict[str, Problem]:
    problems = {}
    for name in arrays["names"].tolist():
        size = len(arrays[f"{name}.M.starts"]) - 1
        matrices = {}
        for key in ("J", "M"):
            starts = arrays[f"{name}.{key}.starts"].astype(np.intp)
            matrices[key] = np.zeros((len(starts) - 1, size))
            rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            matrices[key][rows, arrays[f"{name}.{key}.columns"]] = arrays[f"{name}.{key}.values"]
        problems[name] = Problem(
            **matrices,
            **{key: arrays[f"{name}.{key}"] for key in ("g", "mu", "state")},
            mjcf=arrays[f"{name}.mjcf"].tobytes().decode(),
        )
    return problems


# --------------------------------------------------------------------------------- scenes of MuJoCo
def scene(bodies: Sequence[str], walls: str = "") -> str:
    ground = f'<geom type="plane" size="5 5 1" friction="{FRICTION} 0 0"/>'
    option = f'<option cone="elliptic" impratio="1" timestep="{TIME_STEP}" />'
    return f"<mujoco>{option}<worldbody>{walls or ground}{''.join(bodies)}</worldbody></mujoco>"


def body(place: Sequence[float], shape: str, mass: float = 1.0) -> str:
    x, y, z = (repr(round(float(value), 9)) for value in place)
    return f'<body pos="{x} {y} {z}"><freejoint/><geom {shape} mass="{mass:g}" condim="3" friction="{FRICTION} 0 0"/></body>'


BOX = f'type="box" size="{HALF_BOX} {HALF_BOX} {HALF_BOX}"'


def stack_scene(rng: np.random.Generator, masses: Sequence[float]) -> str:
    """Boxes on top of each other, each a few millimetres aside."""
    places = []
    for index in range(len(masses)):
        height = (2 * index + 1) * HALF_BOX - (index + 1) * OVERLAP
        places.append((*rng.uniform(-0.003, 0.003, 2), height))
    return scene([body(place, BOX, mass) for place, mass in zip(places, masses, strict=True)])


def pyramid_scene(width: int) -> str:
    """A wall: `width` boxes on the ground, one fewer in each layer above."""
    bodies = []
    for layer in range(width):
        height = (2 * layer + 1) * HALF_BOX - (layer + 1) * OVERLAP
        for index in range(width - layer):
            bodies.append(
                body(((2 * index - (width - layer - 1)) * 1.05 * HALF_BOX, 0, height), BOX)
            )
    return scene(bodies)


def bowl_scene(rng: np.random.Generator, count: int) -> str:
    """Balls, capsules, ellipsoids and boxes above eight slanted planes around a flat floor."""
    walls = f'<geom type="plane" size="3 3 1" friction="{FRICTION} 0 0"/>'
    for side in range(8):
        angle = 2 * np.pi * side / 8
        x, y = 0.45 * np.cos(angle), 0.45 * np.sin(angle)
        normal = f"{-np.cos(angle):.9f} {-np.sin(angle):.9f} 1"
        walls += f'<geom type="plane" pos="{x:.9f} {y:.9f} 0" zaxis="{normal}" size="3 3 1" friction="{FRICTION} 0 0"/>'
    shapes = (
        'type="sphere" size="0.07"',
        'type="capsule" size="0.05 0.05"',
        'type="ellipsoid" size="0.09 0.07 0.05"',
        'type="box" size="0.06 0.05 0.07"',
    )
    bodies = []
    for index in range(count):
        place = (*rng.uniform(-0.25, 0.25, 2), 0.2 + 0.16 * (index // 4) + 0.02 * (index % 4))
        bodies.append(body(place, shapes[index % 4], rng.uniform(0.5, 2.0)))
    return scene(bodies, walls)


def contact_rows(data: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the Jacobian in the order tangent, tangent, normal, and the friction of each
    contact."""
    J = np.array(data.efc_J).reshape(data.nefc, -1).copy()
    order, mu = [], []
    for contact in data.contact:
        if contact.efc_address < 0:
            continue
        order += [contact.efc_address + 1, contact.efc_address + 2, contact.efc_address]
        mu.append(contact.friction[0])
    assert len(order) == data.nefc, "only contacts with friction are expected"
    return J[order], np.array(mu)


def of_scene(mjcf: str, rng: np.random.Generator, *, settle: int = 0) -> Problem:
    """The contact problem of a scene, at rest but for random velocities, or as it is after
    falling for `settle` steps."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(mjcf)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(model)
    for _ in range(settle):
        mujoco.mj_step(model, data)
    if settle == 0:
        data.qvel[:] = SPEED * rng.standard_normal(model.nv)
    mujoco.mj_forward(model, data)
    J, mu = contact_rows(data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    g = J @ (data.qvel / TIME_STEP + data.qacc_smooth)
    return Problem(J, M, g, mu, mjcf, np.concatenate([data.qpos, data.qvel]))


# ------------------------------------------------------------------------------ robots of Pinocchio
def of_robot(
    file: str,
    feet: Mapping[str, Sequence[Sequence[float]]],
    bend: Mapping[str, float],
    rng: np.random.Generator,
) -> Problem:
    """A robot whose joints are bent as given, with contacts at points of its feet, moving a
    little, its joints holding half of it."""
    import cmeel
    import pinocchio

    prefix = (
        Path(next(iter(cmeel.__path__))).parent
        / "cmeel.prefix"
        / "share"
        / "example-robot-data"
        / "robots"
    )
    model = pinocchio.buildModelFromUrdf(str(prefix / file), pinocchio.JointModelFreeFlyer())
    data = model.createData()
    q = pinocchio.neutral(model)
    for joint, value in bend.items():
        q[model.joints[model.getJointId(joint)].idx_q] = value
    v = SPEED * rng.standard_normal(model.nv)
    pinocchio.computeAllTerms(model, data, q, v)
    M = np.triu(data.M) + np.triu(data.M, 1).T
    drift = pinocchio.nonLinearEffects(model, data, q, v)
    torque = np.concatenate([np.zeros(6), 0.5 * drift[6:]])
    acceleration = np.linalg.solve(M, torque - drift)
    rows = []
    for foot, points in feet.items():
        frame = model.getFrameId(foot)
        motion = pinocchio.getFrameJacobian(
            model, data, frame, pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        for point in points:
            arm = data.oMf[frame].rotation @ np.array(point)
            rows.append(motion[:3] - pinocchio.skew(arm) @ motion[3:])
    J = np.concatenate(rows)
    return Problem(J, M, J @ (v / TIME_STEP + acceleration), np.full(len(rows), FRICTION))


def quadruped(rng: np.random.Generator) -> Problem:
    legs = ("FL", "FR", "HL", "HR")
    bend = {}
    for leg in legs:
        sign = 1.0 if leg[0] == "F" else -1.0
        bend |= {f"{leg}_HFE": sign * 0.8, f"{leg}_KFE": -sign * 1.6}
    return of_robot(
        "solo_description/robots/solo12.urdf",
        {f"{leg}_FOOT": [(0, 0, 0)] for leg in legs},
        bend,
        rng,
    )


def humanoid(rng: np.random.Generator) -> Problem:
    bend = {}
    for side in ("left", "right"):
        bend |= {
            f"leg_{side}_3_joint": -0.4,
            f"leg_{side}_4_joint": 0.8,
            f"leg_{side}_5_joint": -0.4,
        }
    soles = {
        f"{side}_sole_link": [(x, y, 0.0) for x, y in FOOT_CORNERS] for side in ("left", "right")
    }
    return of_robot("talos_data/robots/talos_reduced.urdf", soles, bend, rng)


# --------------------------------------------------------------------------------------------- main
def make() -> dict[str, Problem]:
    def rng(seed: int) -> np.random.Generator:
        return np.random.default_rng(seed)

    return {
        "stack 10": of_scene(stack_scene(rng(1), [1.0] * 10), rng(2)),
        "stack 100": of_scene(stack_scene(rng(3), [1.0] * 100), rng(4)),
        "pyramid": of_scene(pyramid_scene(7), rng(5)),
        "bowl": of_scene(bowl_scene(rng(6), 50), rng(7), settle=400),
        "mass ratio 1000": of_scene(stack_scene(rng(8), [1.0] * 4 + [1000.0]), rng(9)),
        "quadruped": quadruped(rng(10)),
        "humanoid": humanoid(rng(11)),
    }


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="writes python/tactum/data/contact_problems.npz")
    parser.add_argument("--out", type=Path, default=TARGET)
    arguments = parser.parse_args(argv)
    problems = make()
    np.savez_compressed(arguments.out, **pack(problems))  # type: ignore[arg-type]
    for name, problem in problems.items():
        print(f"{name:16} {len(problem.mu):5d} contacts {len(problem.M):5d} degrees of freedom")
    print(f"wrote {arguments.out}: {arguments.out.stat().st_size / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
