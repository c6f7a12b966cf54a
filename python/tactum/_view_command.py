# SPDX-License-Identifier: BSD-2-Clause
"""`tactum view FILE`: a mesh, a scene, a robot or a recorded simulation in the browser, or as one
HTML file."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import tactum

from . import _mesh_command, _simulate_command, view
from ._errors import InvalidInput

DESCRIPTION = """Shows a file in the browser: a mesh (.obj, .stl, .ply, .dae), a scene, a robot (URDF, MJCF), a saved
model, or what `tactum simulate --record FILE.npz` wrote, with contact forces and a timeline.

The page is served on this computer until Ctrl-C; --html writes one file instead, which needs no
server and no network. Needs viser: pip install 'tactum[view]'."""

#: arrays of a recorded simulation, with their number of axes
ARRAYS = {"time": 1, "q": 2, "contact_offsets": 1, "contact_point": 2, "contact_force": 2}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tactum view`."""
    parser.add_argument("file", metavar="FILE", help="mesh, scene, URDF, MJCF, model or recording")
    parser.add_argument("--html", metavar="OUT", help="write one HTML file and end")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0: other computers may look")
    parser.add_argument(
        "--port", type=int, metavar="N", help="default: the first free one from 8080 on"
    )
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="end after this time (default: at Ctrl-C)"
    )
    parser.add_argument(
        "--margin", type=float, default=0.0, metavar="M", help="contacts of a scene up to this far"
    )
    parser.add_argument("--scale", type=float, default=1.0, metavar="S", help="of a mesh")
    parser.add_argument(
        "--package-dir", action="append", default=[], metavar="DIR", help="of package:// in URDF"
    )
    parser.add_argument(
        "--ignore-unsupported", action="store_true", help="leave out what a step cannot do, of MJCF"
    )


def run_command(arguments: argparse.Namespace) -> None:
    """Shows a file."""
    try:
        from ._view_viser import ViserBackend
    except ImportError as error:
        raise ValueError(str(error)) from None
    content = load(arguments)
    if arguments.html is not None and isinstance(content, view.Recording):
        content.to_html(arguments.html)
        print(f"wrote {arguments.html}")
        return
    port = 0 if arguments.html is not None else arguments.port
    with view.Viewer(ViserBackend(arguments.host, port)) as viewer:
        show(viewer, content, arguments.margin)
        if arguments.html is not None:
            viewer.to_html(arguments.html)
            print(f"wrote {arguments.html}")
            return
        print(f"{viewer.url}   (Ctrl-C ends it)", flush=True)
        wait(arguments.seconds)


def wait(seconds: float | None) -> None:
    """Until Ctrl-C, or for some seconds."""
    end = float("inf") if seconds is None else time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            time.sleep(min(0.2, max(end - time.monotonic(), 0.0)))
    except KeyboardInterrupt:
        print(file=sys.stderr)


def load(arguments: argparse.Namespace) -> Any:
    """What a file holds: a mesh, a scene, a model or a recording."""
    path = Path(arguments.file)
    suffix = path.suffix.lower()
    if suffix == ".npz":
        return load_recording(path)
    root = "" if suffix in _mesh_command.SUFFIXES else _simulate_command.root_of(path)
    if suffix in _mesh_command.SUFFIXES and root == "":
        return _mesh_command.read_mesh(path, arguments.scale)
    if root not in ("tactum-model", "mujoco", "robot") and not is_model(path):
        return tactum.Scene.load(str(path))
    try:
        from . import sim
    except ImportError as error:
        raise ValueError(str(error)) from None
    if root == "mujoco":
        return sim.load_mjcf(path, ignore_unsupported=arguments.ignore_unsupported)
    if root == "robot":
        return sim.load_urdf(path, arguments.package_dir)
    return sim.Model.load(path)


def is_model(path: Path) -> bool:
    """Whether Model.save wrote it."""
    with path.open("rb") as file:
        return file.read(12) == b"tactum-model"


def load_recording(path: Path) -> view.Recording:
    """The file of `tactum simulate --record`."""
    try:
        from . import sim
    except ImportError as error:
        raise ValueError(str(error)) from None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            found = {name: np.asarray(arrays[name]) for name in (*ARRAYS, "model")}
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except Exception as error:  # a damaged file can raise nearly anything
        raise ValueError(f"{path}: not a recording of tactum simulate --record ({error})") from None
    if found["model"].dtype.kind != "U" or found["model"].ndim != 0:
        raise ValueError(f"{path}: its model is not text")
    for name, axes in ARRAYS.items():
        if found[name].ndim != axes or found[name].dtype.kind not in "fi":
            raise ValueError(f"{path}: {name} is {found[name].dtype} of shape {found[name].shape}")
    model = sim.Model.__new__(sim.Model)
    model.__setstate__(str(found["model"]))
    shown = view.record(found["q"], model, time=found["time"])
    return with_contacts(path, shown, found)


def with_contacts(path: Path, shown: view.Recording, found: dict[str, Any]) -> view.Recording:
    """The recording with the contacts of the step that begins at each moment."""
    offsets, points = found["contact_offsets"], found["contact_point"]
    count = len(found["time"]) - 1
    if (
        len(offsets) != count + 1
        or points.shape != found["contact_force"].shape
        or points.shape[1] != 3
        or offsets[0] != 0
        or (np.diff(offsets) < 0).any()
        or offsets[-1] != len(points)
        or not np.isfinite(points).all()
        or not np.isfinite(found["contact_force"]).all()
    ):
        raise ValueError(f"{path}: its contacts do not go together")
    steps = np.minimum(np.searchsorted(found["time"], shown.time), max(count - 1, 0))
    rows = [np.arange(offsets[i], offsets[i + 1]) for i in steps] if count > 0 else []
    chosen = np.concatenate([*rows, np.zeros(0, dtype=np.int64)]).astype(np.int64)
    counts = [0] + [len(r) for r in rows]
    return view.Recording(
        shown.geometries,
        shown.time,
        shown.poses,
        np.cumsum(counts) if rows else np.zeros(0, dtype=np.int64),
        points[chosen],
        found["contact_force"][chosen],
    )


def show(viewer: view.Viewer, content: Any, margin: float) -> None:
    """Draws what load() found."""
    if isinstance(content, view.Recording):
        viewer.play(content)
    elif isinstance(content, tactum.Mesh):
        viewer.add(content)
    elif isinstance(content, tactum.Scene):
        if len(content) == 0:
            raise InvalidInput("FILE", "a scene without objects", "give one that has some")
        viewer.add_scene(content)
        viewer.show_contacts(content.contacts(margin))
    else:
        viewer.add_model(content)
