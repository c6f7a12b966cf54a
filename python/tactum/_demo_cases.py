# SPDX-License-Identifier: BSD-2-Clause
"""Public hard cases for the demo, and what coal answers to them.

The numbers are those of tests/data/hard_cases.txt, where many more are kept; the truth of each was
computed there in 60-digit arithmetic. coal runs in a child process, one for each case, because some
inputs end it.
"""

from __future__ import annotations

import importlib
import json
import math
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

Array = npt.NDArray[np.float64]
TIMEOUT_SECONDS = 20.0


@dataclass(frozen=True)
class HardCase:
    """Two shapes as (kind, sizes), two poses as text (R by rows, then t), and the exact answer."""

    name: str
    source: str
    a: tuple[str, tuple[float, ...]]
    b: tuple[str, tuple[float, ...]]
    pose_a: str
    pose_b: str
    distance: float  #: m, exact
    normal: tuple[float, float, float] | None  #: from A to B; None where it is not unique


@dataclass(frozen=True)
class Answer:
    """The answer of a library, or the reason why there is none."""

    distance: float = math.nan
    normal: tuple[float, ...] = ()
    failure: str = ""


HARD_CASES = [
    HardCase(
        "kissing boxes",
        "https://github.com/flexible-collision-library/fcl/issues/445",
        ("box", (0.15825, 0.1138, 0.0884)),
        ("box", (0.24715, 0.1773, 0.0376)),
        (
            "0.44540578475530235 0.895328814964934 -8.893740768563868e-09 "
            "-0.8953288149649338 0.4454057847553019 -2.8948680226084145e-08 "
            "-2.1957263975186326e-08 2.085673201665292e-08 0.9999999999999996 "
            "1.2652949075960072 1.4551012423210101 0.4948000623293294"
        ),
        (
            "0.4417112291348586 0.8971572827861191 -1.6227645148654682e-09 "
            "-0.8971572827861191 0.4417112291348586 -5.162105395230608e-09 "
            "-3.914427141382999e-09 3.736034921809435e-09 1.0 "
            "1.1304016226141906 1.841080264528428 0.44400006232932493"
        ),
        -4.6138748513244376e-11,
        (-0.4417112291348586, 0.8971572827861191, 3.914427141382999e-09),
    ),
    HardCase(
        "boxes, faces almost parallel",
        "https://github.com/google-deepmind/mujoco/blob/a7255075b003506ff5f34b512d88e02df12a73c6/test/engine/engine_collision_gjk_test.cc#L462",
        ("box", (0.5, 0.5, 0.5)),
        ("box", (0.5, 0.5, 0.5)),
        (
            "0.9999999999999251 -8.76429059855413e-09 3.869951730140555e-07 "
            "8.764733401433083e-09 0.9999999999993453 -1.1442077703032963e-06 "
            "-3.869951629856327e-07 1.14420777369512e-06 0.9999999999992705 "
            "9.62082822e-07 -1.747370789e-06 3.469238519668579"
        ),
        (
            "0.9999999999999807 3.3134119802789507e-09 -1.963211982028434e-07 "
            "-3.313673019715063e-09 0.999999999999116 -1.3296548786735525e-06 "
            "1.9632119379697546e-07 1.329654879324071e-06 0.9999999999990967 "
            "2.897753802e-06 -4.625266229e-06 4.435211658477783"
        ),
        -0.03402724556879432,
        (3.869951746393612e-07, -1.3296548806062458e-06, 0.9999999999990411),
    ),
    HardCase(
        "cylinder on a plate",
        "https://github.com/coal-library/coal/issues/37",
        ("cylinder", (0.06, 0.05)),
        ("box", (0.8, 0.3, 0.0125)),
        (
            "-0.23913527923356254 0.823468308494404 0.5145039000155889 "
            "0.0831861311188563 0.545304109956997 -0.8341004107740769 "
            "-0.9674163456420212 -0.15666324575142837 -0.19890259328441404 "
            "-0.6673405204647392 0.2221918327745727 0.7682524875561629"
        ),
        (
            "0.0007963267107332774 -0.9999996829318346 0.0 "
            "0.9999996829318346 0.0007963267107332774 0.0 "
            "0.0 0.0 1.0 "
            "-0.2993628435109638 0.8002386443586877 0.7175"
        ),
        3.57971894176732e-05,
        (0.8638840510959253, -0.0006879341629861797, -0.5036902550265194),
    ),
    HardCase(
        "cylinder in a wall, far away",
        "https://github.com/dimforge/ncollide/issues/157",
        ("cylinder", (0.5, 0.925)),
        ("box", (0.05, 0.75, 0.5)),
        "1.0 0.0 0.0 0.0 0.0 1.0 0.0 -1.0 0.0 10.97 0.925 61.02",
        "1.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 1.0 11.5 0.75 60.5",
        -0.019583514021427956,
        (0.9991330730923517, 0.0, -0.041630544712187884),
    ),
    HardCase(
        "ellipsoids that barely touch",
        "https://github.com/google-deepmind/mujoco/blob/a7255075b003506ff5f34b512d88e02df12a73c6/test/engine/engine_collision_gjk_test.cc#L1861",
        ("ellipsoid", (0.05, 0.07, 0.15)),
        ("ellipsoid", (0.05, 0.07, 0.15)),
        (
            "0.9879924519127165 -0.13055117805648397 -0.08262750674904573 "
            "-0.039107988380011484 0.30606703783583483 -0.9512063569989782 "
            "0.14947066671547388 0.9430160965001937 0.2972863292066587 "
            "0.44826351361072503 -0.1044142331517169 0.2121646627845365"
        ),
        (
            "0.5330165608121592 -0.5933551663348661 -0.6031774137711899 "
            "-0.3946941487774635 0.4562016753522308 -0.7975566188846102 "
            "0.7484048869567939 0.6631814819410605 0.008969235733740961 "
            "0.396941371876243 0.009615426467416881 0.29832742817753183"
        ),
        -1.1532097481596555e-08,
        (-0.5325452019751783, 0.4576922474283867, 0.7119785210925741),
    ),
    HardCase(
        "flat polygons that cross",
        "https://github.com/MattiaMontanari/openGJK/issues/3",
        (
            "hull",
            (
                0.795121,
                -0.727851,
                0.0,
                -0.178424,
                -0.989183,
                0.0,
                -0.412644,
                -0.770664,
                0.0,
                0.566564,
                0.548772,
                0.0,
            ),
        ),
        ("hull", (-0.211223, -0.511346, 0.0, -0.347973, 0.45872, 0.0, 0.277308, 0.969689, 0.0)),
        "1.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0",
        "1.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0",
        0.0,
        None,
    ),
]


def _tactum_shape(kind: str, sizes: Sequence[float]) -> tactum.Shape:
    if kind == "box":
        return tactum.Box(half_extents=sizes)
    if kind == "ellipsoid":
        return tactum.Ellipsoid(semi_axes=sizes)
    if kind == "cylinder":
        return tactum.Cylinder(radius=sizes[0], half_length=sizes[1])
    return tactum.Convex.from_points(np.reshape(sizes, (-1, 3)))


def _pose(text: str) -> tuple[Array, Array]:
    numbers = np.array([float(word) for word in text.split()])
    return numbers[:9].reshape(3, 3), numbers[9:]


def ask_tactum(case: HardCase) -> tactum.Distance:
    """Our answer."""
    return tactum.distance(
        _tactum_shape(*case.a), _pose(case.pose_a), _tactum_shape(*case.b), _pose(case.pose_b)
    )


def ask_coal(case: HardCase, command: Sequence[str] = (sys.executable, "-m", __name__)) -> Answer:
    """The answer of coal with its default settings, from a child process that may crash or hang."""
    question = json.dumps({"a": case.a, "b": case.b, "pose_a": case.pose_a, "pose_b": case.pose_b})
    try:
        child = subprocess.run(
            command,
            input=question,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer(failure=f"no answer in {TIMEOUT_SECONDS:.0f} s")
    except OSError as error:
        return Answer(failure=str(error))
    if child.returncode < 0:
        return Answer(failure=f"crashed ({signal.Signals(-child.returncode).name})")
    try:
        answer = json.loads(child.stdout)
        return Answer(
            float(answer["distance"]),
            tuple(float(x) for x in answer["normal"]),
            str(answer["failure"]),
        )
    except (ValueError, KeyError, TypeError):
        return Answer(failure=f"ended with exit code {child.returncode}")


def _coal_shape(coal: Any, kind: str, sizes: Sequence[float]) -> Any:
    if kind == "box":
        return coal.Box(*(2.0 * size for size in sizes))
    if kind == "ellipsoid":
        return coal.Ellipsoid(*sizes)
    if kind == "cylinder":
        return coal.Cylinder(sizes[0], 2.0 * sizes[1])
    points = coal.StdVec_Vec3s()
    for point in np.reshape(sizes, (-1, 3)):
        points.append(point)
    return coal.Convex.convexHull(points, True, "Qt")


def _coal_distance(question: Mapping[str, Any]) -> dict[str, object]:
    coal = importlib.import_module("coal")
    shapes = [_coal_shape(coal, *question[name]) for name in ("a", "b")]
    poses = [coal.Transform3s(*_pose(question[name])) for name in ("pose_a", "pose_b")]
    result = coal.DistanceResult()
    distance = coal.distance(
        shapes[0], poses[0], shapes[1], poses[1], coal.DistanceRequest(), result
    )
    return {"distance": distance, "normal": result.normal.tolist(), "failure": ""}


def _child() -> None:
    try:
        answer = _coal_distance(json.load(sys.stdin))
    except ImportError:
        answer = {"distance": math.nan, "normal": [], "failure": "not installed"}
    except Exception as error:  # whatever the other library throws is part of the table
        answer = {"distance": math.nan, "normal": [], "failure": f"raised {type(error).__name__}"}
    print(json.dumps(answer))


if __name__ == "__main__":
    _child()
