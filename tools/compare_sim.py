#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`./run compare sim`: runs tactum_compare_sim and turns its measurements into a table and rows of
JSON.

Both simulators read the same MJCF files, made here: robots of Gymnasium, robots of
example-robot-data as MuJoCo's own reader of URDF saves them, boxes, and hulls of YCB objects in a
bin. One thread, elliptic cones, in turns in one process. tactum runs at a residual of 1e-6 and at
that of MuJoCo in the same phase, but never above 1e-2. MuJoCo's is computed from its forces and
velocities by the criterion of tactum.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
# the package may not be built where this runs: these files need the standard library alone
sys.path.insert(0, str(ROOT / "python" / "tactum" / "reproduce"))
from report import Row, judged, make_report, make_row, write_report  # noqa: E402

PROGRAM = ROOT / "build" / "release" / "bin" / "tactum_compare_sim"
FILES = ROOT / "build" / "compare_sim"
GOALS = {"tactum 1e-6": 2.0, "tactum at MuJoCo's residual": 1.0}  # times MuJoCo
LEAST_CONVERGED = 0.99  # share of the steps whose forces reach the residual asked for
CROUCHED = {"HFE": 0.8, "KFE": -1.6}  # rad, of each leg
CROUCHED_HEIGHT = 0.25  # m
FLOOR = '<geom name="floor" type="plane" size="20 20 1"/>'


def site_packages() -> Path:
    import mujoco

    return Path(mujoco.__file__).resolve().parent.parent


def gymnasium_robot(name: str) -> str:
    """An MJCF file of Gymnasium as it is."""
    path = site_packages() / "gymnasium" / "envs" / "mujoco" / "assets" / f"{name}.xml"
    return path.read_text(encoding="utf-8")


def urdf_robot(path: str, *, height: float = 0.0, fixed: bool = False, extra: str = "") -> str:
    """A robot of example-robot-data as MuJoCo saves it, above a floor, with meshes as files of their
    own names."""
    import mujoco

    robots = site_packages() / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
    text = (robots / path).read_text(encoding="utf-8")
    text = re.sub(
        r'filename="package://[^"]*?/robots/([^"]+)"',
        lambda match: f'filename="{robots / match.group(1)}"',
        text,
    )
    settings = (
        '<mujoco><compiler balanceinertia="true" discardvisual="true" strippath="false"/></mujoco>'
    )
    text = re.sub(r"(<robot[^>]*>)", rf"\1{settings}", text, count=1)
    spec = mujoco.MjSpec.from_string(text)
    for body in spec.worldbody.bodies:
        body.pos = [0.0, 0.0, height]
        if not fixed:
            body.add_freejoint()
    if fixed:
        spec.compile()
        spec = mujoco.MjSpec.from_string(with_base(balanced(spec.to_xml())))
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[20.0, 20.0, 1.0])
    for geom in spec.geoms:
        geom.condim = 3
    exclude_overlaps(spec)
    return balanced(spec.to_xml()).replace("</worldbody>", extra + "</worldbody>")


def balanced(mjcf: str) -> str:
    """The file, with moments of inertia that MuJoCo mends: some robots have impossible ones."""
    return mjcf.replace("<compiler ", '<compiler balanceinertia="true" ', 1)


def with_base(mjcf: str) -> str:
    """The file of a robot on a fixed base with that base as a body of its own. MuJoCo merges it into
    the world, where the floor is too, so that pairs of base and link cannot be left out."""
    root = ElementTree.fromstring(mjcf)
    world = root.find("worldbody")
    assert world is not None
    base = ElementTree.Element("body", name="base")
    base.extend(list(world))
    for part in list(world):
        world.remove(part)
    world.append(base)
    return ElementTree.tostring(root, encoding="unicode")


def exclude_overlaps(spec: Any) -> None:
    """Leaves out pairs of links that overlap at the initial position, as tactum does."""
    import mujoco

    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    pairs = set()
    for contact in data.contact:
        bodies = [int(model.geom_bodyid[geom]) for geom in contact.geom]
        if contact.dist < 0.0 and min(bodies) > 0:
            pairs.add(tuple(sorted(bodies)))
    for first, second in sorted(pairs):
        spec.add_exclude(bodyname1=model.body(first).name, bodyname2=model.body(second).name)
    spec.compile()


def crouched_solo() -> str:
    """Solo-12 with its feet below its hips on the floor; the pose is that of all joints at zero."""
    import mujoco

    spec = mujoco.MjSpec.from_string(
        urdf_robot("solo_description/robots/solo12.urdf", height=CROUCHED_HEIGHT)
    )
    for body in spec.bodies:
        for joint in body.joints:
            angle = CROUCHED.get(joint.name[3:])
            if angle is None:
                continue
            turned = np.zeros(4)
            mujoco.mju_axisAngle2Quat(turned, np.asarray(joint.axis, float), angle)
            quat = np.zeros(4)
            mujoco.mju_mulQuat(quat, np.asarray(body.quat, float), turned)
            body.quat = quat
            joint.range = np.asarray(joint.range, float) - angle
    spec.compile()
    return balanced(spec.to_xml())


def boxes(count: int, spread: float) -> str:
    """Boxes above the floor: in a grid apart, or in a pile."""
    rng = np.random.default_rng(3)
    side = int(np.ceil(np.cbrt(count)))
    bodies = []
    for i in range(count):
        x, y, z = (i % side, i // side % side, i // side**2)
        jitter = 0.02 * rng.uniform(-1.0, 1.0, size=2)
        position = (spread * x + jitter[0], spread * y + jitter[1], 0.12 + 0.22 * z)
        bodies.append(
            f'<body pos="{position[0]} {position[1]} {position[2]}"><freejoint/>'
            '<geom type="box" size="0.1 0.1 0.1" mass="1" condim="3"/></body>'
        )
    return f"<mujoco><worldbody>{FLOOR}{''.join(bodies)}</worldbody></mujoco>"


def hulls(count: int) -> str:
    """Hulls of YCB objects above a bin."""
    archive = np.load(ROOT / "python" / "tactum" / "data" / "ycb_hulls.npz", allow_pickle=False)
    offsets, corners = archive["offsets"], archive["corners"]
    kinds = min(20, len(offsets) - 1)
    rng = np.random.default_rng(4)
    assets = "".join(
        f'<mesh name="m{k}" vertex="'
        + " ".join(f"{x:.6g}" for x in corners[offsets[k] : offsets[k + 1]].ravel())
        + '"/>'
        for k in range(kinds)
    )
    walls = "".join(
        f'<geom type="box" pos="{x} {y} 0.5" size="{a} {b} 0.5"/>'
        for x, y, a, b in (
            (1.1, 0, 0.1, 1.2),
            (-1.1, 0, 0.1, 1.2),
            (0, 1.1, 1, 0.1),
            (0, -1.1, 1, 0.1),
        )
    )
    # side by side, no hull is wider or higher than a cell: they fall for a second at most
    bodies = []
    for i in range(count):
        column, row, layer = i % 7 - 3, i // 7 % 7 - 3, i // 49
        x, y = 0.27 * column, 0.27 * row
        x, y = np.array([x, y]) + rng.uniform(-0.002, 0.002, size=2)
        bodies.append(
            f'<body pos="{x} {y} {0.05 + 0.26 * layer}"><freejoint/>'
            f'<geom type="mesh" mesh="m{i % kinds}" condim="3" friction="0.6"/></body>'
        )
    return f"<mujoco><asset>{assets}</asset><worldbody>{FLOOR}{walls}{''.join(bodies)}</worldbody></mujoco>"


BALL = '<body pos="0 0.02 0.45"><freejoint/><geom type="sphere" size="0.035" mass="0.1" condim="3"/></body>'
CASES: dict[str, Callable[[], str]] = {
    "half-cheetah": lambda: gymnasium_robot("half_cheetah"),
    "humanoid": lambda: gymnasium_robot("humanoid"),
    "UR5": lambda: urdf_robot("ur_description/urdf/ur5_robot.urdf", fixed=True, height=0.1),
    "Solo-12": lambda: urdf_robot("solo_description/robots/solo12.urdf", height=0.4),
    "Go2": lambda: urdf_robot("go2_description/urdf/go2.urdf", height=0.5),
    "G1": lambda: urdf_robot("g1_description/urdf/g1_29dof_rev_1_0.urdf", height=0.85),
    "Talos": lambda: urdf_robot("talos_data/robots/talos_reduced.urdf", height=1.1),
    "Allegro hand and ball": lambda: urdf_robot(
        "allegro_hand_description/urdf/allegro_right_hand.urdf", fixed=True, height=0.2, extra=BALL
    ),
    "32 boxes": lambda: boxes(32, 0.5),
    "pile of 64 cubes": lambda: boxes(64, 0.21),
    "100 hulls in a bin": lambda: hulls(100),
    "1000 hulls in a bin": lambda: hulls(1000),
}
# robots whose joints are held where they begin, with N m/rad, N m s/rad, and N of pushes on the base
HOLD = ["--stiffness", "5", "--damping", "0.1"]
HELD: dict[str, tuple[Callable[[], str], list[str]]] = {
    "Solo-12 standing": (lambda: crouched_solo(), HOLD),
    "Solo-12 pushed": (lambda: crouched_solo(), [*HOLD, "--push", "5"]),
}
QUICK = ("humanoid", "pile of 64 cubes", "Solo-12 pushed")
ROLLOUTS, ROLLOUT_THREADS = 1024, 2


def make_files(names: Sequence[str]) -> dict[str, Path]:
    """Writes the files; a robot that cannot be made is left out with its reason."""
    FILES.mkdir(parents=True, exist_ok=True)
    files = {}
    for name in names:
        try:
            text = HELD[name][0]() if name in HELD else CASES[name]()
        except (ValueError, OSError, ImportError) as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            continue
        files[name] = FILES / (re.sub(r"\W+", "_", name) + ".xml")
        files[name].write_text(text, encoding="utf-8")
    return files


def measure(name: str, path: Path, seconds: float, dt: float) -> list[dict[str, Any]]:
    """Both phases of one file."""
    controls = HELD[name][1] if name in HELD else []
    command = [str(PROGRAM), "--seconds", str(seconds), "--dt", str(dt), *controls, f"{name}={path}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{name}: left out: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return []
    return [json.loads(line) for line in done.stdout.splitlines()]


def our_rollouts(path: Path, steps: int, dt: float) -> float:
    """Seconds of tactum, from a process of its own."""
    command = [str(PROGRAM), "--rollouts", str(ROLLOUTS), "--steps", str(steps), "--dt", str(dt)]
    done = subprocess.run(
        [*command, f"rollouts={path}"], capture_output=True, text=True, check=True, cwd=FILES
    )
    return float(done.stdout)


def their_rollouts(path: Path, steps: int, dt: float) -> float:
    """Seconds of MuJoCo's own rollout."""
    import mujoco
    from mujoco import rollout

    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = dt
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    data = [mujoco.MjData(model) for _ in range(ROLLOUT_THREADS)]
    speeds = np.random.default_rng(1).uniform(-1.0, 1.0, (ROLLOUTS, model.nv))
    start = np.zeros((ROLLOUTS, 1 + model.nq + model.nv + model.na))
    start[:, 1 : 1 + model.nq] = model.qpos0
    start[:, 1 + model.nq : 1 + model.nq + model.nv] = speeds
    with rollout.Rollout(nthread=ROLLOUT_THREADS) as threads:
        began = time.perf_counter()
        threads.rollout(model, data, start, nstep=steps)
        return time.perf_counter() - began


def rollout_rows(path: Path, dt: float, *, steps: int, repetitions: int) -> list[Row]:
    """Throughput of many rollouts on all of two cores, both sides in turns."""
    times = [
        (our_rollouts(path, steps, dt), their_rollouts(path, steps, dt)) for _ in range(repetitions)
    ]
    ours, theirs = (float(np.median(column)) for column in zip(*times, strict=True))
    name = f"{ROLLOUTS} humanoids, rollouts of {steps} steps"
    print(f"{name}: {ours:.3g} s, MuJoCo {theirs:.3g} s, {theirs / ours:.2f} times its throughput")
    return [
        make_row(
            f"{name}, tactum 1e-6",
            "throughput over that of MuJoCo's rollout",
            "1",
            theirs / ours,
            peers={"mujoco": theirs},
            relation=">=",
            goal=1.0,
            timing=True,
            note=(
                f"{ours:.3g} s on {ROLLOUT_THREADS} threads, MuJoCo {theirs:.3g} s; each side begins "
                "with its own random velocities of one distribution, and keeps all states"
            ),
        )
    ]


def rows_of(cell: dict[str, Any]) -> list[Row]:
    """Rows of each of our two settings: our time over MuJoCo's, the share of steps that reached the
    residual asked for, and the residuals of both."""
    sides = {side["name"]: side for side in cell["sides"]}
    theirs = sides["MuJoCo"]
    rows = []
    for name, goal in GOALS.items():
        ours = sides[name]
        case = f"{cell['name']}, {cell['phase']}, {name}"
        rows.append(
            make_row(
                case,
                "time of a step over MuJoCo's",
                "1",
                ours["median"] / theirs["median"],
                spread=(ours["quartiles"][1] - ours["quartiles"][0]) / theirs["median"],
                peers={"mujoco": theirs["median"]},
                relation="<=",
                goal=goal,
                timing=True,
                note=(
                    f"{ours['median']:.1f} us with {ours['contacts']} contacts at the end, root mean "
                    f"square of v {ours['speed']:.2g}; MuJoCo {theirs['median']:.1f} us with "
                    f"{theirs['contacts']}, {theirs['speed']:.2g}; nv {cell['nv']}"
                ),
            )
        )
        rows.append(
            make_row(
                case,
                "share of converged steps",
                "1",
                ours["converged"],
                relation=">=",
                goal=LEAST_CONVERGED,
                note=f"asked for a residual of {ours['tolerance']:.1e}",
            )
        )
        peers = {"mujoco": theirs["residual"]}
        rows.append(make_row(case, "median residual", "1", ours["residual"], peers=peers))
    # the stages of the step at 1e-6, for the plot of the page
    for stage, us in sides["tactum 1e-6"]["stages"].items():
        case = f"{cell['name']}, {cell['phase']}, tactum 1e-6"
        rows.append(make_row(case, f"time of stage {stage}", "us", us, timing=True))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run compare sim", description=__doc__)
    parser.add_argument("filter", nargs="?", default="", help="regular expression over the cases")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each phase")
    parser.add_argument("--dt", type=float, default=2e-3)
    parser.add_argument("--quick", action="store_true", help="two cases, a fifth of a second")
    arguments = parser.parse_args()
    names = [
        name
        for name in (QUICK if arguments.quick else [*CASES, *HELD])
        if re.search(arguments.filter, name)
    ]
    seconds = 0.2 if arguments.quick else arguments.seconds
    began = time.monotonic()
    rows: list[Row] = []
    print(
        f"{'case':<24}{'phase':<10}{'side':<30}{'us':>10}{'over MuJoCo':>13}{'residual':>10}"
        f"{'converged':>11}{'contacts':>9}"
    )
    for name, path in make_files(names).items():
        for cell in measure(name, path, seconds, arguments.dt):
            theirs = cell["sides"][-1]["median"]
            for side in cell["sides"]:
                share = "" if side["converged"] is None else f"{side['converged']:.3f}"
                print(
                    f"{cell['name']:<24}{cell['phase']:<10}{side['name']:<30}{side['median']:>10.1f}"
                    f"{side['median'] / theirs:>13.2f}{side['residual']:>10.1e}{share:>11}"
                    f"{side['contacts']:>9}"
                )
            rows += rows_of(cell)
    if re.search(arguments.filter, "humanoid rollouts"):
        [humanoid] = make_files(["humanoid"]).values()
        steps = 50 if arguments.quick else 250
        rows += rollout_rows(humanoid, arguments.dt, steps=steps, repetitions=3)
    if arguments.json is not None:
        report = make_report(
            "compare sim",
            "MuJoCo",
            quick=arguments.quick,
            seed=0,
            seconds=time.monotonic() - began,
            rows=rows,
        )
        write_report(arguments.json, report)
    held, goals = judged(rows)
    print(f"{held} of {goals} goals hold")
    return 0


if __name__ == "__main__":
    sys.exit(main())
