# SPDX-License-Identifier: BSD-2-Clause
"""`./run compare robot`: all distances of all pairs of links of real robots, by a Scene of tactum and
by Pinocchio with coal, in one process.

Robots      those of example-robot-data, with the pairs that their SRDF leaves, or all but those of
            one joint. Meshes are replaced by the hulls that coal makes of them, on both sides.
Cold        every configuration is drawn anew, within the limits of the joints: what was found for
            the last one is of no use.
Trajectory  a path through random configurations in steps of at most 0.01 rad, so that everyone may
            go on from what was found in the last step.
Pinocchio   computeDistances(geometry_model, geometry_data), with coal's default initial guess and
            with its cached guess: the faster of the two counts.
tactum      scene.distances(margin=100) on one thread. Both are one call from Python, both without
            the poses, whose transfer (scene.update) is a row of its own. Calls alternate; the median
            of all configurations counts.
Difference  of the distances of pairs that coal finds apart. coal stops at 1e-6.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tactum

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tactum" / "reproduce"))
from report import Row, judged, make_report, make_row, write_report

RATIO_GOAL = 2.0
FAR = 100.0  # m: every pair of a robot is within it
LARGEST_STEP = 0.01  # rad or m, of a joint in one step of a trajectory

#: URDF and, where there is one, SRDF, in the folder of example-robot-data
ROBOTS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf"),
    "panda spheres": (
        "panda_description/urdf/panda_collision.urdf",
        "panda_description/srdf/panda.srdf",
    ),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "ur_description/srdf/ur5.srdf"),
    "solo12": ("solo_description/robots/solo12.urdf", "solo_description/srdf/solo.srdf"),
    "talos": ("talos_data/robots/talos_full_v2.urdf", "talos_data/srdf/talos.srdf"),
    "g1": ("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", ""),
}


@dataclass
class Robot:
    """A robot of Pinocchio whose geometries are convex, and its scene."""

    name: str
    model: Any
    data: Any
    geometry: Any
    geometry_data: Any
    scene: tactum.Scene

    def place(self, q: Any) -> None:
        """Both sides know where the links are."""
        import pinocchio as pin

        pin.updateGeometryPlacements(self.model, self.data, self.geometry, self.geometry_data, q)

    def theirs(self) -> None:
        """All distances by Pinocchio."""
        import pinocchio as pin

        pin.computeDistances(self.geometry, self.geometry_data)

    def ours(self) -> tactum.SceneDistances:
        """All distances by the scene."""
        return self.scene.distances(margin=FAR, num_threads=1)


def robots_folder() -> Path:
    """Where example-robot-data keeps its models."""
    import pinocchio as pin

    for parent in Path(pin.__file__).parents:
        share = parent / "share" / "example-robot-data" / "robots"
        if share.is_dir():
            return share
    raise SystemExit("example-robot-data is not installed: pip install example-robot-data")


def load(name: str) -> Robot:
    """A robot in its neutral configuration."""
    import coal
    import pinocchio as pin

    root = robots_folder()
    urdf, srdf = ROBOTS[name]
    model = pin.buildModelFromUrdf(str(root / urdf))
    geometry = pin.buildGeomFromUrdf(
        model,
        str(root / urdf),
        pin.GeometryType.COLLISION,
        package_dirs=[str(root.parent.parent)],
    )
    for item in geometry.geometryObjects:
        if isinstance(item.geometry, coal.BVHModelBase):
            item.geometry.buildConvexHull(False, "Qt")
            item.geometry = item.geometry.convex
    geometry.addAllCollisionPairs()
    if srdf:
        pin.removeCollisionPairs(model, geometry, str(root / srdf))
    data, geometry_data = model.createData(), geometry.createData()
    pin.updateGeometryPlacements(model, data, geometry, geometry_data, pin.neutral(model))
    scene = tactum.Scene.from_pinocchio(geometry, geometry_data)
    return Robot(name, model, data, geometry, geometry_data, scene)


def random_configurations(robot: Robot, count: int, rng: np.random.Generator) -> list[Any]:
    """Within the limits of the joints, and within one turn where they have none."""
    import pinocchio as pin

    model = robot.model
    lower = np.where(np.abs(model.lowerPositionLimit) < 10.0, model.lowerPositionLimit, -np.pi)
    upper = np.where(np.abs(model.upperPositionLimit) < 10.0, model.upperPositionLimit, np.pi)
    drawn = (rng.uniform(lower, upper) for _ in range(count))
    return [pin.normalize(model, q) for q in drawn]


def trajectory(robot: Robot, count: int, rng: np.random.Generator) -> list[Any]:
    """Steps from one random configuration towards the next."""
    import pinocchio as pin

    path: list[Any] = []
    at = random_configurations(robot, 1, rng)[0]
    while len(path) < count:
        goal = random_configurations(robot, 1, rng)[0]
        way = pin.difference(robot.model, at, goal)
        steps = int(np.ceil(np.abs(way).max() / LARGEST_STEP))
        path += [pin.integrate(robot.model, at, way * k / steps) for k in range(steps)]
        at = goal
    return path[:count]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Microseconds of one call, and what it returns."""
    start = time.perf_counter_ns()
    result = work()
    return (time.perf_counter_ns() - start) * 1e-3, result


@dataclass
class Times:
    """Microseconds of every configuration, and how far the answers are apart."""

    ours: list[float]
    update: list[float]
    theirs: dict[str, list[float]]
    difference: float


def largest_difference(robot: Robot, found: tactum.SceneDistances) -> float:
    """In m, over the pairs that coal finds apart."""
    place = {(int(i), int(j)): d for (i, j), d in zip(found.pairs, found.distance, strict=True)}
    worst = 0.0
    for pair, result in zip(
        robot.geometry.collisionPairs, robot.geometry_data.distanceResults, strict=True
    ):
        if result.min_distance > 0.0:
            key = (min(pair.first, pair.second), max(pair.first, pair.second))
            worst = max(worst, abs(place[key] - result.min_distance))
    return worst


def measure(robot: Robot, path: Sequence[Any]) -> Times:
    """Both sides at every configuration of the path, in turn."""
    import coal

    times = Times([], [], {"default": [], "cached": []}, 0.0)
    guesses = {
        "default": coal.GJKInitialGuess.DefaultGuess,
        "cached": coal.GJKInitialGuess.CachedGuess,
    }
    for name, guess in guesses.items():
        for request in robot.geometry_data.distanceRequests:
            request.gjk_initial_guess = guess
        for k, q in enumerate(path):
            robot.place(q)
            update, _ = timed(lambda: robot.scene.update(robot.geometry_data))
            ours, found = timed(robot.ours)
            theirs, _ = timed(robot.theirs)
            times.ours.append(ours)
            times.update.append(update)
            times.theirs[name].append(theirs)
            if k % 10 == 0:
                times.difference = max(times.difference, largest_difference(robot, found))
    return times


def rows_of(case: str, pairs: int, times: Times) -> list[Row]:
    ours = statistics.median(times.ours)
    guess, theirs = min(
        ((name, statistics.median(values)) for name, values in times.theirs.items()),
        key=lambda pair: pair[1],
    )
    quarters = statistics.quantiles(times.ours, n=4)
    note = f"{pairs} pairs; coal with its {guess} guess"
    return [
        make_row(
            case,
            "time",
            "us",
            ours,
            spread=quarters[2] - quarters[0],
            peers={"pinocchio": theirs},
            timing=True,
            note=note,
        ),
        make_row(
            case,
            "ratio to Pinocchio",
            "1",
            theirs / ours,
            relation=">=",
            goal=RATIO_GOAL,
            timing=True,
            note="pinocchio / tactum",
        ),
        make_row(case, "update time", "us", statistics.median(times.update), timing=True),
        make_row(
            case,
            "difference",
            "m",
            times.difference,
            relation="<=",
            goal=1e-5,
            note="largest, of pairs that coal finds apart",
        ),
    ]


def print_rows(rows: Sequence[Row]) -> None:
    for row in rows:
        goal = ""
        if row["goal"] is not None:
            goal = f"  goal {row['goal']:g}: {'met' if row['holds'] else 'missed'}"
        peer = row["peers"].get("pinocchio")
        beside = "" if peer is None else f"  pinocchio {peer:.1f}"
        print(
            f"{row['case']:26}{row['quantity']:22}{row['ours']:12.4g} {row['unit']}{beside}{goal}"
        )
    met, total = judged(rows)
    print(f"\ngoals met: {met} of {total}")


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="./run compare robot",
        description="all distances of robots by tactum and by Pinocchio with coal",
    )
    parser.add_argument("filter", nargs="?", default=".*", help="regular expression over cases")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows")
    parser.add_argument("--quick", action="store_true", help="few configurations, at most 10 s")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(argv)
    start = time.monotonic()
    count = 30 if arguments.quick else 1000
    rows: list[Row] = []
    for number, name in enumerate(ROBOTS):
        makers = {f"{name}, cold": random_configurations, f"{name}, trajectory": trajectory}
        chosen = [case for case in makers if re.search(arguments.filter, case)]
        if not chosen:
            continue
        robot = load(name)
        rng = np.random.default_rng([arguments.seed, number])
        for case in chosen:
            times = measure(robot, makers[case](robot, count, rng))
            rows += rows_of(case, len(robot.geometry.collisionPairs), times)
    print_rows(rows)
    if arguments.json:
        report = make_report(
            "compare robot",
            "tactum and Pinocchio on the robots of example-robot-data, in one process",
            quick=arguments.quick,
            seed=arguments.seed,
            seconds=time.monotonic() - start,
            rows=rows,
        )
        write_report(arguments.json, report)
        print(f"wrote {arguments.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
