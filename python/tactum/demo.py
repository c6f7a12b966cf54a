# SPDX-License-Identifier: BSD-2-Clause
"""python -m tactum.demo: distances between all kinds of shapes, public hard cases beside coal's
answers, a contact pose, a pile of real objects, a quadruped that falls, pictures.

Prints tables and writes distances.csv, pairs.png, pass_through.png, contact_pose.png, pile.png,
stp.png, mug.png, fall.png and demo.html, one page with all of it. The quadruped needs the simulator,
tactum[sim]; to turn and play it in the page needs tactum[view]. Pictures need matplotlib; the column of
coal needs the package coal, which runs in a child process. Without them the demo says so and does the
rest.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
import numpy.typing as npt

import tactum

from . import _demo_mesh, _demo_page, _demo_pile, _demo_sim, _demo_stp, _plot
from ._demo_cases import HARD_CASES, Answer, HardCase, ask_coal, ask_tactum

Array = npt.NDArray[np.float64]
Pose = tuple[Array, Array]


class Progress:
    """A bar on stderr; silent when that is not a terminal."""

    def __init__(self, total: int, stream: TextIO = sys.stderr) -> None:
        self.total, self.done, self.stream, self.start = total, 0, stream, time.monotonic()

    def step(self, label: str) -> None:
        """One unit of work is done."""
        self.done += 1
        if self.stream.isatty():
            filled = 30 * self.done // self.total
            seconds = time.monotonic() - self.start
            bar = "#" * filled + "." * (30 - filled)
            self.stream.write(
                f"\r[{bar}] {self.done}/{self.total} {seconds:4.1f} s  {label:<24.24}"
            )
            self.stream.flush()

    def close(self) -> None:
        """Leave the line clean."""
        if self.stream.isatty():
            self.stream.write("\r" + " " * 78 + "\r")
            self.stream.flush()


# ---------------------------------------------------------------------------------------- all pairs
def demo_shapes() -> dict[str, tactum.Shape]:
    """One shape of every kind."""
    rng = np.random.default_rng(7)
    points = rng.normal(size=(40, 3))
    return {
        "Sphere": tactum.Sphere(radius=0.20),
        "Ellipsoid": tactum.Ellipsoid(semi_axes=(0.28, 0.18, 0.12)),
        "Box": tactum.Box(half_extents=(0.14, 0.18, 0.22)),
        "Capsule": tactum.Capsule(radius=0.10, half_length=0.18),
        "Cylinder": tactum.Cylinder(radius=0.15, half_length=0.20),
        "Cone": tactum.Cone(radius=0.20, half_length=0.20),
        "HalfSpace": tactum.HalfSpace(),
        "Convex": tactum.Convex.from_points(
            0.22 * points / np.linalg.norm(points, axis=1, keepdims=True)
        ),
    }


def rotation(axis: npt.ArrayLike, degrees: float) -> Array:
    """Rotation about an axis of any length."""
    k = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    K = np.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
    angle = np.radians(degrees)
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K))


def place(a: tactum.Shape, X_WA: Pose, b: tactum.Shape, X_WB: Pose, target: float) -> Pose:
    """B moved along the normal until the distance is `target`."""
    found = tactum.distance(a, X_WA, b, X_WB)
    return X_WB[0], X_WB[1] + (target - found.distance) * found.normal


@dataclass(frozen=True)
class PairRow:
    """One query of the table; lengths in metres."""

    a: str
    b: str
    status: str
    distance: float
    lower: float
    upper: float
    scale: float
    iterations: int


def all_pairs(progress: Progress) -> list[PairRow]:
    """Every ordered pair of kinds but two half-spaces, in turn apart, touching and in
    penetration."""
    rows: list[PairRow] = []
    shapes = demo_shapes()
    for i, (name_a, a) in enumerate(shapes.items()):
        for j, (name_b, b) in enumerate(shapes.items()):
            if name_a == name_b == "HalfSpace":
                continue
            # the same configuration for (a, b) and (b, a), so that the two can be compared
            first, second = (a, b) if i <= j else (b, a)
            X_first: Pose = (rotation((1, 2, 3), 20.0 * min(i, j)), np.array([0.0, 0.0, 0.0]))
            X_second: Pose = (rotation((3, -1, 2), 35.0 * max(i, j)), np.array([0.35, 0.45, 0.60]))
            X_second = place(first, X_first, second, X_second, (0.1, 0.0, -0.02)[(i + j) % 3])
            X_WA, X_WB = (X_first, X_second) if i <= j else (X_second, X_first)
            r = tactum.distance(a, X_WA, b, X_WB)
            scale = tactum.pair_scale(a, X_WA, b, X_WB)
            rows.append(
                PairRow(
                    name_a, name_b, str(r.status), r.distance, r.lower, r.upper, scale, r.iterations
                )
            )
            progress.step(f"{name_a} - {name_b}")
    return rows


def pair_table(rows: Sequence[PairRow]) -> list[str]:
    """The unordered pairs, with the difference to the swapped query."""
    by_names = {(row.a, row.b): row for row in rows}
    kinds = list(dict.fromkeys(row.a for row in rows))
    lines = [
        f"{'A':<11}{'B':<11}{'status':<13}{'distance (m)':>22}{'lower - d':>11}{'upper - d':>11}{'A, B swapped':>14}"
    ]
    for row in rows:
        if kinds.index(row.a) > kinds.index(row.b):
            continue
        lower, upper = row.lower - row.distance, row.upper - row.distance
        swapped = by_names[row.b, row.a].distance - row.distance
        lines.append(
            f"{row.a:<11}{row.b:<11}{row.status:<13}{row.distance:>+22.16f}{lower:>11.1e}{upper:>11.1e}{swapped:>14.1e}"
        )
    return lines


# --------------------------------------------------------------------------------------- hard cases
def degrees_between(u: Sequence[float] | Array, v: Sequence[float] | Array) -> float:
    """Angle of two unit vectors, accurate near zero."""
    return float(
        np.degrees(
            2.0 * np.arctan2(np.linalg.norm(np.subtract(u, v)), np.linalg.norm(np.add(u, v)))
        )
    )


def _outcome(
    case: HardCase, distance: float, normal: Sequence[float] | Array, failure: str
) -> tuple[str, str]:
    if failure:
        return failure, ""
    return (
        f"{distance - case.distance:+.1e}",
        "-" if case.normal is None else f"{degrees_between(normal, case.normal):.1e}",
    )


def hard_case_table(
    answers: Iterable[tuple[HardCase, tactum.Distance, Answer | None]],
) -> list[str]:
    """Errors of distance and normal, ours beside coal's."""
    ours_and_theirs = "".join(
        f"  {name + ': error (m)':>18}{'normal (deg)':>14}" for name in ("tactum", "coal")
    )
    lines = [f"{'case':<30}{'exact distance (m)':>20}" + ours_and_theirs]
    for case, ours, theirs in answers:
        failure = "" if ours.status != tactum.Status.not_converged else "not converged"
        error, angle = _outcome(case, ours.distance, ours.normal, failure)
        other = theirs or Answer(failure="not asked")
        coal_error, coal_angle = _outcome(case, other.distance, other.normal, other.failure)
        lines.append(
            f"{case.name:<30}{case.distance:>20.12e}  {error:>18}{angle:>14}  {coal_error:>18}{coal_angle:>14}"
        )
    return lines


# ------------------------------------------------------------------------------------- contact pose
CONTACT_ESTIMATORS = {
    "adaptive smoothing": None,
    "exact": tactum.Exact(),
    "finite differences": tactum.FiniteDifference(step=1e-6),
    "Gaussian": tactum.Gaussian(scale=0.3),
    "Gumbel": tactum.Gumbel(),
}


@dataclass(frozen=True)
class ContactRun:
    """One pair of points to be brought together, and how each estimator fared."""

    a: tactum.Shape
    b: tactum.Shape
    targets: tuple[Array, Array]
    start: Pose
    found: dict[str, tactum.ContactPose]


def contact_run(progress: Progress) -> ContactRun:
    """The tip of a cone to a corner of a hull: without smoothing neither says where to turn."""
    shapes = demo_shapes()
    a, b = (
        shapes["Convex"],
        tactum.Convex.from_points([shapes["Cone"].support(u) for u in _directions(60)]),
    )
    targets = (np.asarray(a.support((0.3, 0.2, 1.0))), np.asarray(b.support((0.0, 0.0, 1.0))))
    start = _pose((1, 2, 0.5), 40, (0.75, 0.1, -0.1))
    found = {}
    for name, estimator in CONTACT_ESTIMATORS.items():
        found[name] = tactum.contact_pose(a, b, *targets, start=start, estimator=estimator)
        progress.step(f"contact pose, {name}")
    return ContactRun(a, b, targets, start, found)


def _directions(count: int) -> Array:
    made = np.random.default_rng(3).normal(size=(count, 3))
    return np.asarray(np.vstack([made, [[0.0, 0.0, 1.0]]]))


def contact_table(run: ContactRun) -> list[str]:
    """A line for each estimator."""
    lines = [f"{'Jacobian':<22}{'status':<16}{'cost (m^2)':>12}{'iterations':>12}{'queries':>9}"]
    for name, found in run.found.items():
        lines.append(
            f"{name:<22}{found.status:<16}{found.cost:>12.1e}{found.iterations:>12}{found.queries:>9}"
        )
    return lines


def draw_contact_run(run: ContactRun, path: Path) -> None:
    """Start and end of the first estimator."""
    found = next(iter(run.found.values()))
    origin = _pose((0, 0, 1), 0)
    ends = []
    for title, X in (("start", run.start), ("end", (found.pose[:3, :3], found.pose[:3, 3]))):
        ends.append(
            _plot.Scene(title, run.a, origin, run.b, X, tactum.distance(run.a, origin, run.b, X))
        )
    _plot.draw_contact_pose(
        ends[0], ends[1], run.targets, found.history[: found.iterations + 1], path
    )


# ----------------------------------------------------------------------------------------- pictures
def demo_scenes() -> list[_plot.Scene]:
    """Six pairs: apart, touching, shallow and deep."""
    shapes = demo_shapes()
    rounded = tactum.Box(half_extents=(0.16, 0.10, 0.10), margin=0.03)

    def scene(
        title: str, a: tactum.Shape, X_WA: Pose, b: tactum.Shape, X_WB: Pose, target: float
    ) -> _plot.Scene:
        X_WB = place(a, X_WA, b, X_WB, target)
        return _plot.Scene(title, a, X_WA, b, X_WB, tactum.distance(a, X_WA, b, X_WB))

    ellipsoid, cone, box, cylinder = (
        shapes[name] for name in ("Ellipsoid", "Cone", "Box", "Cylinder")
    )
    capsule, half_space, convex = (shapes[name] for name in ("Capsule", "HalfSpace", "Convex"))
    low, high = _pose((1, 0, 0), 8), _pose((1, 1, 0), 55, (0.0, 0.0, 0.5))
    return [
        scene(
            "Ellipsoid and Cone",
            ellipsoid,
            _pose((1, 2, 0), 40),
            cone,
            _pose((1, 0, 0.4), 205, (0.5, 0.1, 0.5)),
            0.12,
        ),
        scene(
            "Convex and Box",
            convex,
            _pose((0, 1, 1), 10),
            box,
            _pose((2, 1, 3), 50, (0.55, -0.1, 0.3)),
            0.08,
        ),
        scene(
            "Cylinder and Cylinder",
            cylinder,
            _pose((0, 1, 0), 70),
            cylinder,
            _pose((1, 0, 0), 25, (0.1, 0.1, 0.6)),
            0.0,
        ),
        scene("Capsule and HalfSpace", capsule, high, half_space, low, -0.04),
        scene(
            "Ellipsoid and rounded Box",
            ellipsoid,
            _pose((0, 1, 0), 25),
            rounded,
            _pose((1, 1, 1), 35, (0.3, 0.2, 0.3)),
            -0.05,
        ),
        scene(
            "Box and Cone",
            box,
            _pose((0, 0, 1), 20),
            cone,
            _pose((0, 1, 0.2), 150, (0.25, 0.05, 0.35)),
            -0.07,
        ),
    ]


def _pose(
    axis: npt.ArrayLike, degrees: float, translation: npt.ArrayLike = (0.0, 0.0, 0.0)
) -> Pose:
    return rotation(axis, degrees), np.asarray(translation, dtype=float)


def draw_pass_through(path: Path, samples: int = 241) -> None:
    """A cone moves through an ellipsoid: the distance is continuous, and proved, all the way."""
    a, b = (
        tactum.Ellipsoid(semi_axes=(0.30, 0.20, 0.15)),
        tactum.Cone(radius=0.15, half_length=0.20),
    )
    X_WA, R = _pose((0, 0, 1), 0), rotation((1, 2, 1), 70)
    offsets = np.linspace(-0.8, 0.8, samples)
    poses: list[Pose] = [(R, np.array([x, 0.05, 0.04])) for x in offsets]
    results = [tactum.distance(a, X_WA, b, X_WB) for X_WB in poses]
    _plot.draw_curve(
        offsets, results, np.array([tactum.pair_scale(a, X_WA, b, X_WB) for X_WB in poses]), path
    )


# --------------------------------------------------------------------------------------------- main
def write_csv(path: Path, rows: Sequence[PairRow]) -> None:
    """All ordered pairs, one row each."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(asdict(rows[0])))
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def make_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tactum.demo", description=(__doc__ or "").partition("\n\n")[2]
    )
    out = Path("build/demo")
    parser.add_argument(
        "--out", type=Path, default=out, metavar="DIR", help="where files go (default: %(default)s)"
    )
    parser.add_argument(
        "--pile",
        type=int,
        default=1000,
        metavar="N",
        help="hulls in the pile, up to 1000 (default)",
    )
    parser.add_argument("--no-coal", action="store_true", help="do not ask coal")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo; the exit code is 1 when a query was not proved."""
    options = make_parser().parse_args(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    can_draw = importlib.util.find_spec("matplotlib") is not None
    use_coal = not options.no_coal and importlib.util.find_spec("coal") is not None
    scenes = demo_scenes()
    progress = Progress(
        63 + len(HARD_CASES) + len(CONTACT_ESTIMATORS) + (len(scenes) + 5 if can_draw else 0) + 3
    )

    rows = all_pairs(progress)
    answers = []
    for case in HARD_CASES:
        answers.append((case, ask_tactum(case), ask_coal(case) if use_coal else None))
        progress.step(case.name)
    contact = contact_run(progress)
    pile = _demo_pile.make_pile(options.pile)
    pile_contacts, pile_seconds = _demo_pile.run_pile(pile)
    progress.step("pile")
    mug = _demo_mesh.run()
    progress.step("mug")
    fall = _demo_sim.run() if _demo_sim.is_there() else None
    progress.step("quadruped")
    written = [options.out / "distances.csv"]
    write_csv(written[0], rows)
    if can_draw:
        written += [
            options.out / name
            for name in (
                "pairs.png",
                "pass_through.png",
                "contact_pose.png",
                "pile.png",
                "stp.png",
                "mug.png",
            )
        ]
        _plot.draw_grid(scenes, written[1], on_step=lambda: progress.step("pictures"))
        draw_pass_through(written[2])
        progress.step("pictures")
        draw_contact_run(contact, written[3])
        progress.step("pictures")
        _demo_pile.draw_pile(pile, pile_contacts, written[4])
        progress.step("pictures")
        _demo_stp.draw(written[5])
        progress.step("pictures")
        _demo_mesh.draw(mug, written[6])
        progress.step("pictures")
        if fall is not None:
            written.append(options.out / "fall.png")
            _demo_sim.draw(fall[0], written[-1])
    progress.close()

    sections = [
        (
            f"tactum {tactum.__version__}: every kind of shape against every other, with proved bounds",
            pair_table(rows),
        ),
        (
            "public hard cases: ours and coal's default settings against the exact answer",
            hard_case_table(answers),
        ),
        (
            "contact pose: two vertices brought into contact by Gauss-Newton, with the Jacobian of each estimator",
            contact_table(contact),
        ),
        (
            "a pile of real objects: ten frames of YCB hulls that settle in a bin, as a scene",
            _demo_pile.pile_text(pile, pile_contacts, pile_seconds),
        ),
        ("a mug on a peg through its handle, in three forms", _demo_mesh.text(mug)),
    ]
    if fall is not None:
        sections.append(("a quadruped that falls and settles", _demo_sim.text(*fall)))
    told = [(title, "\n".join(lines)) for title, lines in sections]
    print("\n\n".join(f"{title}\n\n{text}" for title, text in told))
    if fall is None:
        print("\nno quadruped: the simulator is not part of this build (./run setup sim)")
    pictures = [path for path in written if path.suffix == ".png"]
    player = _demo_page.motion(None if fall is None else fall[0])
    written.append(options.out / "demo.html")
    _demo_page.write(written[-1], told, pictures, player)
    print("\nsources:\n" + "\n".join(f"  {case.name}: {case.source}" for case in HARD_CASES))
    if not use_coal and not options.no_coal:
        print("\ncoal was not asked: it is not installed (pip install coal)")
    if not can_draw:
        print("\nno pictures: they need matplotlib (pip install matplotlib)")
    print("\nwritten: " + ", ".join(str(path) for path in written))
    statuses = [row.status for row in rows] + [str(ours.status) for _, ours, _ in answers]
    return 1 if "not_converged" in statuses else 0


if __name__ == "__main__":
    sys.exit(main())
