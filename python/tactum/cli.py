# SPDX-License-Identifier: BSD-2-Clause
"""The command line tool: `tactum info`, `tactum distance A B`, `tactum collide A B`, `tactum mesh
FILE...`, `tactum decompose FILE`, `tactum scene FILE`, `tactum simulate FILE`, `tactum view FILE`,
`tactum play`, `tactum neural ACTION`, `tactum reproduce NAME`.

A shape is written KIND:NAME=VALUE,... with the names and units of the Python classes:

    sphere:radius=1    box:half_extents=0.1,0.2,0.3,margin=0.01    capsule:radius=0.1,half_length=0.5    half_space
    convex:points.npy    convex:points.csv,margin=0.01             (N, 3) points from a .npy file or from text
    stp:points.npy,small_radius=0.01,big_radius=5                  likewise
    convex:-                                                       points as text from standard input
    part.obj    part.stl,scale=0.001    mesh.ply                   a mesh, solid where it is closed

With --scene FILE, A and B are names or ids of objects of that file, at the poses they have there.

A pose is x,y,z or x,y,z,qx,qy,qz,qw or the 16 numbers of a (4, 4) matrix, row by row. Bad input
ends with exit code 2; `collide` ends with 0 where the shapes share a point and with 1 where not.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import platform
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

import tactum
from tactum import (
    _mesh_command,
    _play_command,
    _scene_command,
    _simulate_command,
    _view_command,
    plot,
)
from tactum._core import simd_level
from tactum.neural import command as neural_command
from tactum.reproduce import command

Parsed = TypeVar("Parsed")
Array = npt.NDArray[np.float64]
Geometry = tactum.Shape | tactum.Compound | tactum.Mesh

MAX_FILE_BYTES = 256 * 1024 * 1024
CLOSED_PIPE = 141  #: what a shell reports for a program that SIGPIPE ended

_KINDS: dict[str, Callable[..., tactum.Shape]] = {
    "sphere": tactum.Sphere,
    "ellipsoid": tactum.Ellipsoid,
    "box": tactum.Box,
    "capsule": tactum.Capsule,
    "cylinder": tactum.Cylinder,
    "cone": tactum.Cone,
    "half_space": tactum.HalfSpace,
}
_POINT_KINDS: dict[str, Callable[..., tactum.Shape]] = {
    "convex": tactum.Convex.from_points,
    "stp": tactum.Stp.from_points,
}
_VECTORS = {"half_extents", "semi_axes", "normal"}
_POSE_OPTIONS = {"--pose", "--pose-a", "--pose-b"}


def parse_number(text: str) -> float:
    """One number in plain notation."""
    try:
        if "_" not in text:
            return float(text)
    except ValueError:
        pass
    raise ValueError(f"{text[:40]!r} is not a number")


def parse_geometry(text: str) -> tactum.Shape | tactum.Mesh:
    """The mesh of a file, or the shape that an expression stands for."""
    path, _, sizes = text.partition(",")
    if Path(path).suffix.lower() not in _mesh_command.SUFFIXES or ":" in path:
        return parse_shape(text)
    given = _parse_sizes("mesh", sizes)
    if set(given) - {"scale"}:
        raise ValueError(f"a mesh file takes scale; got {', '.join(n[:40] for n in given)}")
    return _mesh_command.read_mesh(Path(path), *given.get("scale", []))


def parse_shape(text: str) -> tactum.Shape:
    """The shape that an expression such as "box:half_extents=0.1,0.2,0.3" stands for."""
    kind, _, rest = text.partition(":")
    kind = kind.strip().lower().replace("halfspace", "half_space")
    if kind in _POINT_KINDS:
        match = re.fullmatch(r"(?P<path>.+?)(,(?P<sizes>\w+=[^,=]*(,\w+=[^,=]*)*))?", rest)
        if match is None:
            raise ValueError(f"{kind} needs a file: {kind}:points.npy")
        points = read_points(Path(match["path"]))
        return _make(
            kind, partial(_POINT_KINDS[kind], points), _parse_sizes(kind, match["sizes"] or "")
        )
    if kind not in _KINDS:
        raise ValueError(
            f"unknown shape {kind[:40]!r}; give one of {', '.join([*_KINDS, *_POINT_KINDS])}"
        )
    return _make(kind, _KINDS[kind], _parse_sizes(kind, rest))


def _parse_sizes(kind: str, text: str) -> dict[str, list[float]]:
    # "a=1,2,3,b=4": a piece with "=" starts a new size, one without continues the last
    sizes: dict[str, list[float]] = {}
    name = ""
    for piece in text.split(",") if text else []:
        before, equals, value = piece.rpartition("=")
        if equals:
            name = before.strip()
            if name in sizes:
                raise ValueError(f"{kind}: {name[:40]} is given twice")
            sizes[name] = []
        if not name:
            raise ValueError(f"{kind}: {piece[:40]!r} has no name; write {kind}:name=value")
        sizes[name].append(parse_number(value.strip()))
    return sizes


def _make(
    kind: str, constructor: Callable[..., tactum.Shape], sizes: dict[str, list[float]]
) -> tactum.Shape:
    arguments: dict[str, float | list[float]] = {}
    for name, values in sizes.items():
        if name not in _VECTORS and len(values) != 1:
            raise ValueError(f"{kind}: {name[:40]} needs one number, got {len(values)}")
        arguments[name] = values if name in _VECTORS else values[0]
    try:
        return constructor(**arguments)
    except TypeError as error:
        raise ValueError(str(error)) from None


def read_points(path: Path) -> npt.NDArray[np.float64]:
    """Points from a .npy file, or from text with three numbers a line, separated by commas or
    spaces; "#" starts a comment."""
    if str(path) == "-":
        return _read_lines(sys.stdin, path)
    if not path.exists():
        raise ValueError(f"{path}: no such file")
    if not path.is_file():
        raise ValueError(f"{path}: not a regular file; - reads standard input")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ValueError(f"{path}: larger than {MAX_FILE_BYTES} bytes")
    if path.suffix.lower() == ".npy":
        try:
            # mapped, so that a header that promises more than the file holds is refused before
            # anything is allocated
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, EOFError, OSError) as error:
            raise ValueError(f"{path}: not a readable .npy file: {error}") from None
        if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in "fiu":
            raise ValueError(
                f"{path}: needs real numbers of shape (N, 3), got {array.dtype} of shape {array.shape}"
            )
        return np.asarray(array, dtype=np.float64)
    return _read_text(path)


def _read_text(path: Path) -> npt.NDArray[np.float64]:
    with path.open(encoding="utf-8-sig") as lines:
        return _read_lines(lines, path)


def _read_lines(lines: Iterable[str], path: Path) -> npt.NDArray[np.float64]:
    rows: list[list[float]] = []
    try:
        for number, line in enumerate(lines, start=1):
            words = line.partition("#")[0].replace(",", " ").split()
            if not words:
                continue
            if len(words) != 3:
                raise ValueError(f"line {number}: needs three numbers, got {len(words)}")
            try:
                rows.append([parse_number(word) for word in words])
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not a text file") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def parse_pose(text: str) -> npt.NDArray[np.float64]:
    """(4, 4) matrix from 3, 7 or 16 numbers separated by commas."""
    numbers = [parse_number(piece.strip()) for piece in text.split(",")]
    if len(numbers) == 3:
        return tactum.pose_matrix([*numbers, 0.0, 0.0, 0.0, 1.0])
    if len(numbers) == 7:
        return tactum.pose_matrix(numbers)
    if len(numbers) == 16:
        return tactum.pose_matrix(np.reshape(numbers, (4, 4)))
    raise ValueError(f"a pose has 3, 7 or 16 numbers, got {len(numbers)}")


_OPTIONAL = (
    "matplotlib",
    "jax",
    "torch",
    "coal",
    "pinocchio",
    "proxsuite",
    "viser",
    "gymnasium",
)


def _cmake_dir() -> str:
    """The folder of the package that has its CMake files; beside it are the headers."""
    return str(Path(tactum.__file__).resolve().parent / "cmake")


def _run_info(arguments: argparse.Namespace) -> None:
    if arguments.cmake_dir:
        print(_cmake_dir())
        return
    info = dict(tactum.build_info())
    info["simd"] = simd_level()
    info |= {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "platform": platform.platform(),
        "cmake_dir": _cmake_dir(),
    }
    parts = {name: importlib.util.find_spec(name) is not None for name in _OPTIONAL}
    for own in ("sim", "gpu"):
        parts[own] = importlib.util.find_spec(f"tactum._{own}") is not None
    if arguments.json:
        print(json.dumps({**info, "optional": parts}))
        return
    for name, value in info.items():
        print(f"{name:<10}{value}")
    print(f"{'optional':<10}{', '.join(name for name, here in parts.items() if here) or 'none'}")


def _pair_of(arguments: argparse.Namespace) -> tuple[Geometry, Array, Geometry, Array]:
    return _objects_of_scene(arguments) if arguments.scene is not None else _shapes_of(arguments)


def _run_collide(arguments: argparse.Namespace) -> int:
    a, X_WA, b, X_WB = _pair_of(arguments)
    ask: Callable[..., tactum.Collision] = tactum.collide
    result = ask(a, X_WA, b, X_WB, tolerance=arguments.tolerance)
    if arguments.json:
        lower = result.lower if math.isfinite(result.lower) else None
        print(
            json.dumps(
                {
                    "a": repr(a),
                    "b": repr(b),
                    "colliding": bool(result),
                    "status": str(result.status),
                    "normal": result.normal.tolist(),
                    "lower": lower,
                }
            )
        )
    else:
        print("colliding" if result else f"apart by {result.lower!r} m or more")
    return 0 if result else 1


def _plot_pair(a: Geometry, X_WA: Array, b: Geometry, X_WB: Array, path: str) -> None:
    try:
        figure = plot.pair(a, X_WA, b, X_WB)
    except ImportError:
        raise ValueError("--plot: needs matplotlib; pip install 'tactum[demo]'") from None
    figure.savefig(path)


def _run_distance(arguments: argparse.Namespace) -> None:
    a, X_WA, b, X_WB = _pair_of(arguments)
    # the overloads of distance take no unions of kinds
    ask: Callable[..., tactum.Distance] = tactum.distance
    result = ask(a, X_WA, b, X_WB, tolerance=arguments.tolerance, cutoff=arguments.cutoff)
    jacobian = None
    if arguments.derivative:
        differentiate: Callable[..., tactum.DistanceDerivative] = tactum.distance_derivative
        derivative = differentiate(a, X_WA, b, X_WB)
        jacobian = (derivative.distance_jacobian, derivative.smooth)
    if arguments.plot is not None:
        _plot_pair(a, X_WA, b, X_WB, arguments.plot)
    if arguments.json:
        report = _as_json(a, b, result)
        if jacobian is not None:
            report |= {"distance_jacobian": jacobian[0].tolist(), "smooth": jacobian[1]}
        print(json.dumps(report, allow_nan=False))
        return
    print(f"status     {result.status}")
    print(f"distance   {result.distance!r} m")
    for name, vector in (
        ("normal", result.normal),
        ("point_a", result.point_a),
        ("point_b", result.point_b),
    ):
        print(f"{name:<11}{' '.join(repr(x) for x in vector.tolist())}")
    print(f"bounds     {result.lower!r} {result.upper!r}")
    print(f"iterations {result.iterations}")
    if jacobian is not None:
        for side, columns in (("a", jacobian[0][:6]), ("b", jacobian[0][6:])):
            print(f"by {side:<8}{' '.join(repr(x) for x in columns.tolist())}")
        print(f"smooth     {jacobian[1]}")


def _shapes_of(arguments: argparse.Namespace) -> tuple[Geometry, Array, Geometry, Array]:
    a, b = _named("A", parse_geometry, arguments.a), _named("B", parse_geometry, arguments.b)
    X_WA = _named("--pose-a", parse_pose, arguments.pose_a or "0,0,0")
    if arguments.pose is not None:
        X_WB = X_WA @ _named("--pose", parse_pose, arguments.pose)
    else:
        X_WB = _named("--pose-b", parse_pose, arguments.pose_b or "0,0,0")
    return a, X_WA, b, X_WB


def _objects_of_scene(arguments: argparse.Namespace) -> tuple[Geometry, Array, Geometry, Array]:
    if any(pose is not None for pose in (arguments.pose, arguments.pose_a, arguments.pose_b)):
        raise ValueError("--scene: the poses are those of the file; give no other")
    scene = _scene_command.load(arguments.scene)
    a, X_WA = _named("A", lambda text: _scene_command.find_object(scene, text), arguments.a)
    b, X_WB = _named("B", lambda text: _scene_command.find_object(scene, text), arguments.b)
    return a, X_WA, b, X_WB


def _as_json(a: Geometry, b: Geometry, result: tactum.Distance) -> dict[str, object]:
    def finite(value: float) -> float | None:
        return value if math.isfinite(value) else None  # JSON has no infinity

    return {
        "a": repr(a),
        "b": repr(b),
        "status": str(result.status),
        "distance": result.distance,
        "normal": result.normal.tolist(),
        "point_a": result.point_a.tolist(),
        "point_b": result.point_b.tolist(),
        "lower": finite(result.lower),
        "upper": finite(result.upper),
        "iterations": result.iterations,
        "support_calls": result.support_calls,
        "vertices_visited": result.vertices_visited,
        "pose_corrected": result.pose_corrected,
    }


def _named(name: str, parse: Callable[[str], Parsed], text: str) -> Parsed:
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _add_pair_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A", help="first shape")
    parser.add_argument("b", metavar="B", help="second shape")
    parser.add_argument(
        "--pose-a", metavar="X", help="pose of A in the world (default: the identity)"
    )
    pose_of_b = parser.add_mutually_exclusive_group()
    pose_of_b.add_argument(
        "--pose-b", metavar="X", help="pose of B in the world (default: the identity)"
    )
    pose_of_b.add_argument("--pose", metavar="X", help="pose of B in the frame of A")
    parser.add_argument(
        "--scene", metavar="FILE", help="take A and B from this scene file, by name or id"
    )
    parser.add_argument(
        "--tolerance", type=float, default=1e-10, metavar="T", help="relative to the pair's scale"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def make_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="tactum", description="Exact, certified contact between convex shapes."
    )
    parser.add_argument("--version", action="version", version=f"tactum {tactum.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    info = commands.add_parser("info", help="version, compiler, platform, optional parts")
    info.add_argument("--json", action="store_true", help="print one JSON object")
    info.add_argument(
        "--cmake-dir",
        action="store_true",
        help="print the folder to give to CMake as tactum_DIR: C++ headers and library of the wheel",
    )
    info.set_defaults(run=_run_info)

    details = (__doc__ or "").partition("\n\n")[2]
    distance = commands.add_parser(
        "distance", help="distance between two shapes", formatter_class=raw, description=details
    )
    _add_pair_arguments(distance)
    distance.add_argument(
        "--cutoff", type=float, default=math.inf, metavar="M", help="stop beyond this distance in m"
    )
    distance.add_argument(
        "--derivative",
        action="store_true",
        help="also how the distance moves, by [v; w] of A and B",
    )
    distance.add_argument("--plot", metavar="FILE", help="write a picture of the pair (.png, .svg)")
    distance.set_defaults(run=_run_distance)

    collide = commands.add_parser(
        "collide",
        help="whether two shapes share a point, by the exit code: 0 yes, 1 no",
        formatter_class=raw,
        description=details,
    )
    _add_pair_arguments(collide)
    collide.set_defaults(run=_run_collide)

    mesh = commands.add_parser(
        "mesh",
        help="what mesh files are like",
        formatter_class=raw,
        description=_mesh_command.MESH_DESCRIPTION,
    )
    _mesh_command.add_mesh_arguments(mesh)
    mesh.set_defaults(run=_mesh_command.run_mesh)

    decompose = commands.add_parser(
        "decompose",
        help="convex parts of a mesh file",
        formatter_class=raw,
        description=_mesh_command.DECOMPOSE_DESCRIPTION,
    )
    _mesh_command.add_decompose_arguments(decompose)
    decompose.set_defaults(run=_mesh_command.run_decompose)

    scene = commands.add_parser(
        "scene",
        help="what a scene file holds",
        formatter_class=raw,
        description=_scene_command.DESCRIPTION,
    )
    _scene_command.add_arguments(scene)
    scene.set_defaults(run=_scene_command.run_command)

    simulate = commands.add_parser(
        "simulate",
        help="robots and objects over time",
        formatter_class=raw,
        description=_simulate_command.DESCRIPTION,
    )
    _simulate_command.add_arguments(simulate)
    simulate.set_defaults(run=_simulate_command.run_command)

    shown = commands.add_parser(
        "view",
        help="a mesh, scene, robot or recording in the browser, or as one HTML file",
        formatter_class=raw,
        description=_view_command.DESCRIPTION,
    )
    _view_command.add_arguments(shown)
    shown.set_defaults(run=_view_command.run_command)

    play = commands.add_parser(
        "play",
        help="a playground in the browser: drag shapes, see distance, gradients, landings",
        formatter_class=raw,
        description=_play_command.DESCRIPTION,
    )
    _play_command.add_arguments(play)
    play.set_defaults(run=_play_command.run_command)

    neural_command.add_parser(commands)

    reproduce = commands.add_parser(
        "reproduce", help="tables and figures of papers again, ours beside the published numbers"
    )
    command.add_arguments(reproduce)
    reproduce.set_defaults(run=command.run_command)
    return parser


def _join_poses(words: Sequence[str]) -> list[str]:
    # argparse takes "-1,0,0" for an option; "--pose=-1,0,0" is unambiguous
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] in _POSE_OPTIONS and re.match(r"-[\d.]", word):
            joined[-1] += "=" + word
        else:
            joined.append(word)
    return joined


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool on argv (default: the arguments of the process) and return the exit code."""
    parser = make_parser()
    arguments = parser.parse_args(_join_poses(sys.argv[1:] if argv is None else argv))
    try:
        code = arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # who read the output has enough of it; Python would complain when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except (ValueError, OSError, MemoryError) as error:
        print(f"tactum: error: {error}", file=sys.stderr)
        return 2
    return int(code or 0)
