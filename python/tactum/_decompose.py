# SPDX-License-Identifier: BSD-2-Clause
"""Convex parts of a mesh by CoACD (Wei, Liu, Ling, Su 2022), and how well they stand for it.

CoACD runs in a child process, because no native code is trusted with an arbitrary mesh: whether it
crashes, hangs or takes all memory, here it is an exception. What it finds is kept on disk under the
contents of the mesh, the parameters and the version of CoACD.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ._call_errors import explained
from ._core import Compound, Convex, Mesh, signed_distance

Array = npt.NDArray[np.float64]
Progress = Callable[[str], None]

CHILD = Path(__file__).with_name("_decompose_child.py")
MAX_PARTS_FILE_BYTES = 256 * 1024 * 1024
_FORMAT = 1  # of the files in the cache


@dataclass(frozen=True)
class DecompositionReport:
    """How convex parts stand for a mesh. Shares and distances are found by sampling; shares are of
    the volume of the mesh, and None for a mesh without an inside.

    num_parts, num_vertices: of all parts.
    mesh_volume: in m^3. parts_volume: in m^3, the sum over the parts; where they overlap it counts
    twice.
    covered: share of the mesh that is inside a part. added: volume of the parts outside of the
    mesh, as a share of the mesh. standard_error: of both.
    distance_to_parts: in metres, the farthest sample of the mesh from the surface of the parts.
    distance_to_mesh: in metres, the farthest sample of the surface of the parts from the mesh.
    """

    num_parts: int
    num_vertices: int
    mesh_volume: float | None
    parts_volume: float
    covered: float | None
    added: float | None
    standard_error: float | None
    distance_to_parts: float
    distance_to_mesh: float

    @property
    def largest_distance(self) -> float:
        """Between both surfaces, in metres."""
        return max(self.distance_to_parts, self.distance_to_mesh)

    def __str__(self) -> str:
        def share(value: float | None) -> str:
            return "unknown, the mesh has no inside" if value is None else f"{100.0 * value:.2f} %"

        return "\n".join(
            [
                f"parts              {self.num_parts} with {self.num_vertices} vertices",
                f"covered            {share(self.covered)}",
                f"added              {share(self.added)}",
                f"largest distance   {self.largest_distance:.3g} m",
            ]
        )


DecompositionReport.__init__.__doc__ = "Made by Decomposition.report(): one value for each field."


class Decomposition(Compound):
    """A compound of the convex parts of a mesh, which it remembers for report()."""

    def __init__(self, parts: list[Array], mesh: Mesh) -> None:
        """parts: the vertices (N, 3) of each part, in metres, in the frame of the mesh."""
        here = np.eye(4)
        super().__init__([(Convex.from_points(points), here) for points in parts])
        self._mesh = mesh

    def __reduce__(self) -> tuple[object, ...]:
        return Decomposition, ([_vertices(shape) for shape, _ in self.parts], self._mesh)

    @property
    def mesh(self) -> Mesh:
        """The mesh that the parts stand for."""
        return self._mesh

    def report(self, *, samples: int = 10000, seed: int = 0) -> DecompositionReport:
        """How well the parts stand for the mesh.

        samples: points in the volume, and on each of both surfaces. Where a point of the mesh is
        inside a part, its distance from the surface of the parts is taken to that of the part."""
        return _report(self, self._mesh, samples, seed)


@explained
def decompose(
    mesh: Mesh,
    max_parts: int = 32,
    concavity: float = 0.05,
    seed: int = 0,
    timeout: float = 600.0,
    *,
    max_memory: int = 16 * 1024**3,
    cache: bool | str | os.PathLike[str] = True,
    progress: Progress | None = None,
) -> Decomposition:
    """Convex parts whose union stands for a mesh: fast where the exact triangles are slow.

    mesh: any mesh; one that is not closed is remeshed first. max_parts: at most that many parts.
    concavity: how far the parts may be from the mesh, as CoACD measures it: 0.01 for many exact
    parts, 1 for one. seed: of the search. timeout: in seconds. max_memory: in bytes, of addresses.
    cache: a folder, True for the one of the user (TACTUM_CACHE, else XDG_CACHE_HOME/tactum), False
    for none. progress: called with one line of text now and then; what it raises ends the work.

    Needs the package coacd: pip install tactum[decompose]. Raises ImportError without it,
    TimeoutError when time is up, MemoryError, and RuntimeError when CoACD fails or crashes."""
    if not isinstance(mesh, Mesh):
        raise TypeError(f"mesh: got {type(mesh).__name__}; give a Mesh")
    _check_parameters(max_parts, concavity, seed, timeout, max_memory)
    version = _coacd_version()
    file = _cache_file(mesh, (max_parts, float(concavity), seed, version), cache)
    parts = _read_cache(file) if file is not None else None
    if parts is None:
        parts = _run_child(mesh, max_parts, concavity, seed, timeout, max_memory, progress)
        if file is not None:
            _write_cache(file, parts)
    return Decomposition(parts, mesh)


@explained
def load_parts(path: str | os.PathLike[str], mesh: Mesh, *, scale: float = 1.0) -> Decomposition:
    """Convex parts that were made elsewhere, from an OBJ file with one group ("o" or "g") a part.

    A part is the hull of the vertices of its faces, or, without faces, of its own vertices.
    mesh: what the parts stand for. scale: factor on all coordinates, 1e-3 for millimetres."""
    file = Path(path)
    size = file.stat().st_size  # raises FileNotFoundError
    if not file.is_file():
        raise ValueError(f"{file}: not a file")
    if size > MAX_PARTS_FILE_BYTES:
        raise ValueError(f"{file}: larger than {MAX_PARTS_FILE_BYTES} bytes")
    if not (isinstance(scale, (int, float)) and math.isfinite(scale) and scale > 0.0):
        raise ValueError(f"scale: got {scale!r}; give a positive number")
    vertices, groups = _read_groups(file)
    if not groups:
        raise ValueError(f"{file}: no part; give groups of faces or vertices")
    points = np.array(vertices, dtype=np.float64) * scale
    return Decomposition([points[sorted(group)] for group in groups], mesh)


# --------------------------------------------------------------------------------------------------
# parameters and cache


def _check_parameters(
    max_parts: int, concavity: float, seed: int, timeout: float, max_memory: int
) -> None:
    for name, value, least, most in (
        ("max_parts", max_parts, 1, 10**6),
        ("seed", seed, 0, 2**31 - 1),
        ("max_memory", max_memory, 2**20, 2**62),
    ):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"{name}: got {value!r}; give an integer")
        if not least <= value <= most:
            raise ValueError(f"{name}: got {value}; give an integer from {least} to {most}")
    if not 0.01 <= concavity <= 1.0:
        raise ValueError(f"concavity: got {concavity!r}; give a number from 0.01 to 1")
    if not timeout > 0.0:
        raise ValueError(f"timeout: got {timeout!r}; give a positive time in seconds")


def _coacd_version() -> str:
    import importlib.metadata  # slow to load, and seldom needed

    try:
        return importlib.metadata.version("coacd")
    except importlib.metadata.PackageNotFoundError:
        raise ImportError(
            "decompose needs the package coacd: pip install tactum[decompose]"
        ) from None


def _cache_file(
    mesh: Mesh, parameters: tuple[object, ...], cache: bool | str | os.PathLike[str]
) -> Path | None:
    if cache is False:
        return None
    if cache is True:
        base = os.environ.get("TACTUM_CACHE")
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = Path(base) if base else Path(home) / "tactum"
    else:
        folder = Path(cache)
    key = hashlib.sha256(repr((_FORMAT, *parameters)).encode())
    for array in (mesh.vertices, mesh.triangles):
        key.update(repr((array.shape, array.dtype.str)).encode())
        key.update(np.ascontiguousarray(array).tobytes())
    return folder / "decompose" / f"{key.hexdigest()}.npz"


def _read_cache(file: Path) -> list[Array] | None:
    try:
        return _read_parts(file)
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile):
        return None  # absent, or half a file: made again


def _write_cache(file: Path, parts: list[Array]) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # under another name first, so that nobody ever reads half of it
        handle, name = tempfile.mkstemp(dir=file.parent, suffix=".part")
        with os.fdopen(handle, "wb") as out:
            np.savez_compressed(out, points=np.concatenate(parts), sizes=[len(p) for p in parts])
        os.replace(name, file)
    except OSError:
        return  # a cache that cannot be written is no reason to lose the answer


def _read_parts(file: Path) -> list[Array]:
    with file.open("rb") as opened, np.load(opened, allow_pickle=False) as data:
        points, sizes = data["points"], data["sizes"]
    if points.ndim != 2 or points.shape[1] != 3 or points.dtype != np.float64:
        raise ValueError(f"{file}: points of shape {points.shape}")
    if sizes.ndim != 1 or len(sizes) == 0 or sizes.min() < 1 or sizes.sum() != len(points):
        raise ValueError(f"{file}: sizes do not fit")
    return [np.ascontiguousarray(part) for part in np.split(points, np.cumsum(sizes)[:-1])]


# --------------------------------------------------------------------------------------------------
# child process


def _run_child(
    mesh: Mesh,
    max_parts: int,
    concavity: float,
    seed: int,
    timeout: float,
    max_memory: int,
    progress: Progress | None,
) -> list[Array]:
    with tempfile.TemporaryDirectory(prefix="tactum-decompose-") as folder:
        given, found = Path(folder) / "mesh.npz", Path(folder) / "parts.npz"
        np.savez(given, vertices=mesh.vertices, triangles=mesh.triangles)
        arguments = [given, found, max_parts, float(concavity), seed, max_memory]
        # the child finds packages where this process finds them
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD.read_text(encoding="utf-8"), *map(str, arguments)],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C comes to this process alone, which ends the child
        )
        try:
            last = _follow(child, time.monotonic() + timeout, timeout, progress)
        finally:
            _end(child)
        if child.returncode != 0 or not found.is_file():
            raise _failure(child.returncode, last)
        return _read_parts(found)


def _follow(
    child: subprocess.Popen[bytes], deadline: float, timeout: float, progress: Progress | None
) -> list[str]:
    """Reads what the child says until it ends; the last lines."""
    assert child.stdout is not None
    last: list[str] = []
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0.0:
                raise TimeoutError(
                    f"decompose: no answer after {timeout:g} s; give a longer timeout, a larger"
                    " concavity or a mesh with fewer triangles"
                )
            # in short pieces, so that signal handlers of Python run
            if not selector.select(min(left, 0.1)):
                continue
            block = os.read(child.stdout.fileno(), 65536)
            if not block:
                break
            *lines, rest = (rest + block).split(b"\n")
            rest = rest[-4096:]
            for line in lines:
                text = line.decode(errors="replace")[:400]
                last = [*last[-9:], text]
                stage = re.sub(r"^\[.*?\] \[CoACD\] \[\w+\]\s*", "", text)
                if progress is not None and stage.startswith(("- ", "iter ")):
                    progress(stage)
    child.wait(max(deadline - time.monotonic(), 1.0))
    return last


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    if child.stdout is not None:
        child.stdout.close()


def _failure(code: int, last: list[str]) -> Exception:
    said = "; it said: " + " | ".join(last[-3:]) if last else ""
    if any("MemoryError" in line or "bad_alloc" in line for line in last):
        return MemoryError(f"decompose: CoACD ran out of memory; give a larger max_memory{said}")
    if code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        return RuntimeError(
            f"decompose: CoACD crashed ({name}); look at mesh.report() and mend the mesh{said}"
        )
    return RuntimeError(f"decompose: CoACD failed with exit code {code}{said}")


# --------------------------------------------------------------------------------------------------
# files of parts


def _read_groups(file: Path) -> tuple[list[list[float]], list[set[int]]]:
    vertices: list[list[float]] = []
    groups: list[tuple[set[int], set[int]]] = []  # vertices of faces, vertices of its own
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            words = line.split()
            if not words or words[0] not in {"v", "f", "o", "g"}:
                continue
            if words[0] in {"o", "g"} or not groups:
                groups.append((set(), set()))
            try:
                if words[0] == "v":
                    groups[-1][1].add(len(vertices))
                    vertices.append(_coordinates(words[1:4]))
                elif words[0] == "f":
                    groups[-1][0].update(_vertex_index(w, len(vertices)) for w in words[1:])
            except ValueError as error:
                raise ValueError(f"{file}:{number}: {error}") from None
    return vertices, [faces or own for faces, own in groups if faces or own]


def _coordinates(words: list[str]) -> list[float]:
    numbers = [float(word) for word in words]
    if len(numbers) != 3 or not all(abs(x) <= 1e30 for x in numbers):
        raise ValueError(f"got {' '.join(words)[:80]!r}; give three finite coordinates")
    return numbers


def _vertex_index(word: str, count: int) -> int:
    index = int(word.partition("/")[0])
    index = index - 1 if index > 0 else count + index
    if not 0 <= index < count:
        raise ValueError(f"got vertex {word[:40]}; the file has {count} vertices up to here")
    return index


# --------------------------------------------------------------------------------------------------
# report


def _vertices(shape: object) -> Array:
    assert isinstance(shape, Convex)
    return shape.vertices


def _depths(compound: Compound, points: Array) -> Array:
    """Signed distances (number of parts, N): negative inside a part."""
    return np.stack([signed_distance(shape, X, points)[0] for shape, X in compound.parts])


def _surface_of(compound: Compound, samples: int, seed: int) -> Array:
    """Points on the surface of the union of the parts."""
    meshes = [
        Mesh(vertices=shape.vertices, triangles=shape.faces)
        for shape, _ in compound.parts
        if isinstance(shape, Convex) and len(shape.faces) > 0
    ]
    areas = np.array([mesh.report().area for mesh in meshes])
    if areas.sum() == 0.0:
        return np.concatenate([_vertices(shape) for shape, _ in compound.parts])
    counts = np.maximum(1, np.ceil(samples * areas / areas.sum())).astype(int)
    drawn = [mesh.sample(int(n), seed=seed + k) for k, (mesh, n) in enumerate(zip(meshes, counts))]
    points = np.concatenate([on_part for on_part, _ in drawn])
    normals = np.concatenate([outward for _, outward in drawn])
    # parts often share a face: a point is on the outside if there is none just in front of it
    lower, upper = compound.aabb()
    ahead = points + 1e-4 * float(np.max(upper - lower)) * normals
    return points[~(_depths(compound, ahead) < 0.0).any(axis=0)]


def _report(compound: Compound, mesh: Mesh, samples: int, seed: int) -> DecompositionReport:
    if isinstance(samples, bool) or not isinstance(samples, int) or not 100 <= samples <= 10**7:
        raise ValueError(f"samples: got {samples!r}; give an integer from 100 to 10000000")
    here = np.eye(4)
    found = mesh.report()
    has_inside = found.closed and found.oriented and found.volume > 0.0
    covered = added = error = None
    if has_inside:
        # the box of both, so that each of the three shares is an average over it
        boxes = np.stack([*mesh.aabb(), *compound.aabb()])
        lower, upper = boxes.min(axis=0), boxes.max(axis=0)
        random = np.random.default_rng(seed)
        points = random.uniform(lower, upper, (samples, 3))
        in_mesh = signed_distance(mesh, here, points)[0] < 0.0
        in_parts = (_depths(compound, points) < 0.0).any(axis=0)
        share = float(np.prod(upper - lower)) / found.volume
        # the volume of the mesh is known, so what is missing is estimated and not what is covered
        missing, extra = float(np.mean(in_mesh & ~in_parts)), float(np.mean(in_parts & ~in_mesh))
        covered, added = max(0.0, 1.0 - share * missing), share * extra
        worst = max(missing * (1.0 - missing), extra * (1.0 - extra), 1.0 / samples)
        error = share * math.sqrt(worst / samples)
    on_mesh = mesh.sample(samples, seed=seed)[0]
    on_parts = _surface_of(compound, samples, seed)
    return DecompositionReport(
        num_parts=len(compound),
        num_vertices=sum(len(_vertices(shape)) for shape, _ in compound.parts),
        mesh_volume=found.volume if has_inside else None,
        parts_volume=compound.volume(),
        covered=covered,
        added=added,
        standard_error=error,
        distance_to_parts=float(np.abs(_depths(compound, on_mesh).min(axis=0)).max()),
        distance_to_mesh=float(np.abs(signed_distance(mesh, here, on_parts)[0]).max(initial=0.0)),
    )
