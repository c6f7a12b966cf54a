# SPDX-License-Identifier: BSD-2-Clause
"""`tactum simulate FILE`: a robot, a scene or a saved model, stepped for some seconds."""

from __future__ import annotations

import argparse
import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import tactum

from ._errors import InvalidInput

if TYPE_CHECKING:
    from . import _sim_record, sim

DESCRIPTION = """Simulates what a file holds: MJCF, URDF, a model that Model.save wrote, or a scene, whose
objects that are not static become bodies of a density of 1000 kg/m^3.

Nothing drives the joints. --ground adds a plane at z = 0; a robot with a free base then starts where
its lowest point touches it. Lengths are in metres."""

MOST_STEPS = 10_000_000
HEAD_BYTES = 65536


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tactum simulate`."""
    parser.add_argument("file", metavar="FILE", help="MJCF, URDF, model or scene file")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="default: 2")
    parser.add_argument("--dt", type=float, default=1e-3, metavar="S", help="default: 0.001")
    parser.add_argument("--solver", default="ncp_admm", metavar="NAME", help="default: ncp_admm")
    parser.add_argument("--tolerance", type=float, default=1e-8, metavar="T", help="default: 1e-8")
    parser.add_argument(
        "--ground",
        type=float,
        nargs="?",
        const=0.8,
        metavar="FRICTION",
        help="add a plane at z = 0",
    )
    parser.add_argument(
        "--base", choices=("free", "fixed"), default="free", help="of URDF; default: free"
    )
    parser.add_argument(
        "--package-dir",
        action="append",
        default=[],
        metavar="DIR",
        help="folder of package:// paths of URDF; may be given several times",
    )
    parser.add_argument(
        "--ignore-unsupported", action="store_true", help="leave out what a step cannot do, of MJCF"
    )
    parser.add_argument("--plot", metavar="FILE", help="write pictures, energy and residual (.png)")
    parser.add_argument("--record", metavar="FILE", help="write all states and contacts (.npz)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def root_of(path: Path) -> str:
    """Name of the first element of an XML file; empty where it is something else."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES).decode("utf-8", errors="replace")
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    head = re.sub(r"<!--.*?-->|<\?.*?\?>", "", head, flags=re.DOTALL)
    found = re.match(r"\s*<([A-Za-z_][\w.-]*)", head.lstrip("\ufeff"))
    return found.group(1) if found else ""


def load(arguments: argparse.Namespace) -> sim.Model:
    """The model of a file."""
    from . import sim

    path = Path(arguments.file)
    root = root_of(path)
    builder = sim.ModelBuilder()
    if root == "tactum-model":
        if arguments.ground is not None:
            raise ValueError("--ground: a saved model is complete; leave it out")
        return sim.Model.load(path)
    if root == "mujoco":
        gravity = sim.load_mjcf(
            path, geometries=False, ignore_unsupported=arguments.ignore_unsupported
        ).gravity
        builder = sim.ModelBuilder(gravity=gravity)
        builder.add_mjcf(path, ignore_unsupported=arguments.ignore_unsupported)
    elif root == "robot":
        builder.add_urdf(path, arguments.package_dir, base=arguments.base)
    else:
        builder.add_scene(tactum.Scene.load(str(path)))
    if arguments.ground is not None:
        builder.add_ground(friction=arguments.ground)
    return builder.build()


def start(model: sim.Model, on_ground: bool) -> sim.State:
    """The initial state; with ground, moved up until nothing that can be is below it."""
    state = model.state()
    if not on_ground or model.nq < 7 or model.nv < 6:
        return state
    poses, bodies = model.geometry_poses(state.q), model.geometry_bodies
    lowest = min(
        (
            float(model.geometry(i).aabb(X)[0][2])
            for i, X in enumerate(poses)
            if bodies[i] != 0 and not isinstance(model.geometry(i), tactum.HalfSpace)
        ),
        default=0.0,
    )
    lift = np.zeros(model.nv)
    lift[:3] = tactum.pose_matrix(state.q[:7])[:3, :3].T @ [0.0, 0.0, -lowest]
    state.q = model.integrate(state.q, lift)
    return state


def run_command(arguments: argparse.Namespace) -> None:
    """Simulates a file and says how it went."""
    try:
        from . import _sim_record, sim
    except ImportError as error:
        raise ValueError(str(error)) from None
    from .demo import Progress

    if not 0.0 < arguments.dt <= 1.0 or not 0.0 <= arguments.seconds / arguments.dt <= MOST_STEPS:
        raise ValueError(
            f"--seconds, --dt: give a step above 0 and at most 1 s, and at most {MOST_STEPS} steps"
        )
    steps = round(arguments.seconds / arguments.dt)
    model = load(arguments)
    is_free = root_of(Path(arguments.file)) == "robot" and arguments.base == "free"
    state = start(model, arguments.ground is not None and is_free)
    bar = Progress(max(steps, 1))
    began = time.perf_counter()
    try:
        record = _sim_record.run(
            model,
            state,
            steps,
            arguments.dt,
            solver=arguments.solver,
            options=sim.StepOptions(tolerance=arguments.tolerance),
            progress=lambda done, total: bar.step(f"{done * arguments.dt:.2f} s"),
        )
    except InvalidInput as error:
        raise ValueError(str(error)) from None
    finally:
        bar.close()
    seconds = time.perf_counter() - began
    if arguments.record is not None:
        record.save(arguments.record)
    if arguments.plot is not None:
        try:
            _sim_record.draw(record, arguments.plot)
        except ImportError:
            raise ValueError("--plot: needs matplotlib; pip install 'tactum[demo]'") from None
    report = report_of(record, seconds)
    if arguments.json:
        print(json.dumps(report, allow_nan=False))
    else:
        print_report(report)


def report_of(record: _sim_record.Record, seconds: float) -> dict[str, Any]:
    """How a simulation went, as one JSON object."""
    from . import sim

    steps = len(record.residual)
    contacts = [] if record.last is None else sim.contact_report(record.model, record.last)
    return {
        "nq": record.model.nq,
        "nv": record.model.nv,
        "bodies": record.model.num_bodies,
        "geometries": record.model.num_geometries,
        "steps": steps,
        "seconds": steps * record.dt,
        "wall_seconds": seconds,
        "converged": int(record.converged.sum()),
        "largest_residual": float(record.residual.max()) if steps else 0.0,
        "energy_first": record.energy[0].tolist(),
        "energy_last": record.energy[-1].tolist(),
        "contacts": [
            {**row, "force": row["force"].tolist(), "point": row["point"].tolist()}
            for row in contacts
        ],
    }


def print_report(report: dict[str, Any]) -> None:
    """The report as text."""
    print(
        f"model      {report['bodies']} bodies, {report['geometries']} shapes, {report['nv']} velocities"
    )
    per_step = 1e6 * report["wall_seconds"] / max(report["steps"], 1)
    print(f"steps      {report['steps']} to {report['seconds']:g} s, {per_step:.0f} us each")
    print(
        f"forces     {report['converged']} of {report['steps']} steps converged, largest residual "
        f"{report['largest_residual']:.1e}"
    )
    for name in ("first", "last"):
        kinetic, potential = report[f"energy_{name}"]
        print(
            f"{'energy':<11}{kinetic:.6g} J kinetic, {potential:.6g} J potential at the {name} state"
        )
    if report["contacts"]:
        print(f"\n{'body':<26}{'touches':<26}{'points':>7}{'force (N)':>12}{'distance (m)':>14}")
    for row in report["contacts"]:
        force = float(np.linalg.norm(row["force"]))
        print(
            f"{row['bodies'][1]:<26.25}{row['bodies'][0]:<26.25}{row['points']:>7}{force:>12.5g}"
            f"{row['distance']:>14.3g}"
        )
