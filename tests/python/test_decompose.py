# SPDX-License-Identifier: BSD-2-Clause
"""decompose: real parts of a known solid, and a child process that misbehaves in every way."""

import importlib.metadata
import math
import os
import pickle
import signal
import time

import numpy as np
import pytest
import tactum
from tactum import _decompose


def prism(outline, height):
    """A solid over a polygon that is given counter-clockwise, with its triangulation by hand."""
    corners, triangles = outline
    n = len(corners)
    vertices = [(x, y, z) for z in (0.0, height) for x, y in corners]
    faces = [(a, c, b) for a, b, c in triangles] + [(a + n, b + n, c + n) for a, b, c in triangles]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, j + n), (i, j + n, i + n)]
    return tactum.Mesh(vertices=np.array(vertices), triangles=faces, solid=True)


ELL = (
    [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)],
    [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)],
)
BOX = ([(0, 0), (1, 0), (1, 1), (0, 1)], [(0, 1, 2), (0, 2, 3)])


def box_points(x0, x1, y0, y1, height=1.0):
    return np.array([(x, y, z) for x in (x0, x1) for y in (y0, y1) for z in (0.0, height)])


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """A package coacd whose run_coacd has the given body; whether it is installed does not matter."""

    def make(body):
        folder = tmp_path / "packages"
        folder.mkdir(exist_ok=True)
        text = f"""
import os, signal, sys, time
import numpy as np
class Mesh:
    def __init__(self, vertices, indices):
        self.vertices, self.indices = vertices, indices
def run_coacd(mesh, threshold, max_convex_hull, seed):
    open({str(tmp_path / "calls")!r}, "a").write(f"{{os.getpid()}}\\n")
    {body}
"""
        (folder / "coacd.py").write_text(text)
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setattr(_decompose, "_coacd_version", lambda: "fake")
        return tmp_path / "calls"

    return make


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_an_ell_is_two_boxes(tmp_path):
    pytest.importorskip("coacd")
    mesh = prism(ELL, 1.0)
    said = []
    parts = tactum.decompose(mesh, max_parts=8, cache=tmp_path, progress=said.append)
    assert isinstance(parts, tactum.Compound)
    assert 2 <= len(parts) <= 8
    report = parts.report()
    assert report.covered == pytest.approx(1.0, abs=0.01)
    assert report.added < 0.05
    assert report.largest_distance < 0.1
    assert report.mesh_volume == pytest.approx(3.0)
    assert said
    assert tactum.decompose(mesh, max_parts=8, cache=tmp_path) == parts
    # it is a compound of scenes and queries
    X = np.eye(4)
    X[:3, 3] = [1.5, 1.5, 0.5]
    ball = tactum.Sphere(radius=0.2)
    assert tactum.distance(parts, np.eye(4), ball, X).distance == pytest.approx(0.3, abs=0.05)


def test_report_of_parts_that_are_known():
    mesh = prism(ELL, 1.0)
    exact = tactum.Decomposition([box_points(0, 2, 0, 1), box_points(0, 1, 1, 2)], mesh)
    report = exact.report(samples=2000)
    assert report.num_parts == 2
    assert report.num_vertices == 16
    assert report.parts_volume == pytest.approx(3.0)
    assert report.covered == 1.0
    assert report.added == pytest.approx(0.0, abs=1e-9)
    # the square between the boxes is inside both, and no part of either surface
    assert report.largest_distance < 1e-9
    # the hull adds a triangle of half a square metre, whose middle is sqrt(1/2) away from the mesh
    hull = tactum.Decomposition([mesh.vertices], mesh).report(samples=20000)
    assert hull.covered == 1.0
    assert hull.added == pytest.approx(0.5 / 3.0, abs=4.0 * hull.standard_error)
    assert hull.distance_to_mesh == pytest.approx(0.5, abs=0.02)
    # one of the boxes alone
    half = tactum.Decomposition([box_points(0, 2, 0, 1)], mesh).report(samples=20000)
    assert half.covered == pytest.approx(2.0 / 3.0, abs=4.0 * half.standard_error)
    assert half.distance_to_parts == pytest.approx(1.0, abs=0.02)
    assert "66." in str(half)


def test_open_meshes_have_no_volume_to_cover():
    mesh = tactum.Mesh(vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0)], triangles=[(0, 1, 2)])
    report = tactum.Decomposition([mesh.vertices], mesh).report(samples=200)
    assert (report.covered, report.added, report.mesh_volume) == (None, None, None)
    assert report.largest_distance < 1e-9


def test_pickle():
    mesh = prism(BOX, 1.0)
    parts = tactum.Decomposition([mesh.vertices], mesh)
    again = pickle.loads(pickle.dumps(parts))
    assert again == parts
    assert again.mesh == mesh
    assert type(again) is tactum.Decomposition


RETURN = "return [[mesh.vertices, mesh.indices]]"


def test_parts_are_kept_by_content_and_parameters(fake, tmp_path):
    calls = fake(RETURN)
    box, ell = prism(BOX, 1.0), prism(ELL, 1.0)
    for _ in range(3):
        assert len(tactum.decompose(box, cache=tmp_path)) == 1
    assert len(calls.read_text().splitlines()) == 1
    tactum.decompose(box, cache=tmp_path, seed=1)
    tactum.decompose(box, cache=tmp_path, concavity=0.1)
    tactum.decompose(box, cache=tmp_path, max_parts=3)
    tactum.decompose(ell, cache=tmp_path)
    tactum.decompose(box, cache=False)
    assert len(calls.read_text().splitlines()) == 6


def test_a_broken_cache_is_made_again(fake, tmp_path):
    calls = fake(RETURN)
    box = prism(BOX, 1.0)
    tactum.decompose(box, cache=tmp_path)
    (kept,) = (tmp_path / "decompose").glob("*.npz")
    for wrong in (b"", kept.read_bytes()[:50], b"not a file of numpy"):
        kept.write_bytes(wrong)
        assert len(tactum.decompose(box, cache=tmp_path)) == 1
    assert len(calls.read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", RuntimeError, "SIGSEGV"),
        ("os.abort()", RuntimeError, "SIGABRT"),
        ("os._exit(3)", RuntimeError, "exit code 3"),
        ("raise ValueError('no such mesh')", RuntimeError, "no such mesh"),
        ("return []", RuntimeError, "no parts"),
        ("return np.zeros(2**40)", MemoryError, "max_memory"),
        ("time.sleep(100)", TimeoutError, "timeout"),
    ],
)
def test_what_goes_wrong_in_the_child_is_an_error_here(fake, body, error, message):
    calls = fake(body)
    with pytest.raises(error, match=message):
        tactum.decompose(prism(BOX, 1.0), cache=False, timeout=5.0 if "sleep" in body else 60.0)
    assert is_gone(int(calls.read_text()))


def test_interrupt_ends_the_child(fake):
    calls = fake("time.sleep(100)")

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        begin = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 3.0)
        with pytest.raises(KeyboardInterrupt):
            tactum.decompose(prism(BOX, 1.0), cache=False)
        assert time.monotonic() - begin < 10.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    # the child may have been ended before it got so far
    assert not calls.exists() or is_gone(int(calls.read_text()))


def test_progress_can_end_it(fake):
    fake("print('- begun', flush=True); time.sleep(100)")

    def stop(line):
        raise InterruptedError(line)

    with pytest.raises(InterruptedError, match="begun"):
        tactum.decompose(prism(BOX, 1.0), cache=False, progress=stop)


def test_without_coacd(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(ImportError, match=r"tactum\[decompose\]"):
        tactum.decompose(prism(BOX, 1.0))


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"max_parts": 0}, "max_parts"),
        ({"max_parts": 2.5}, "max_parts"),
        ({"concavity": 0.0}, "concavity"),
        ({"concavity": math.nan}, "concavity"),
        ({"seed": -1}, "seed"),
        ({"timeout": 0.0}, "timeout"),
        ({"timeout": math.nan}, "timeout"),
        ({"max_memory": 1}, "max_memory"),
    ],
)
def test_bad_parameters(arguments, field):
    with pytest.raises((ValueError, TypeError), match=field):
        tactum.decompose(prism(BOX, 1.0), **arguments)
    with pytest.raises(TypeError, match="mesh"):
        tactum.decompose(tactum.Sphere(radius=1.0))


def test_parts_from_a_file(tmp_path):
    mesh = prism(ELL, 1000.0)
    lines = []
    for k, points in enumerate((box_points(0, 2, 0, 1), box_points(0, 1, 1, 2))):
        lines.append(f"o part_{k}")
        lines += [f"v {x} {y} {z}" for x, y, z in points]
    lines += ["o with faces", "f -1 -2 -3 -4/7"]
    path = tmp_path / "parts.obj"
    path.write_text("\n".join(lines))
    parts = tactum.load_parts(path, mesh, scale=0.5)
    assert len(parts) == 3
    np.testing.assert_allclose(parts.aabb()[1], [1.0, 1.0, 0.5])
    assert parts.mesh == mesh


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no part"),
        ("o a\nv 1 2\n", ":2: .*three finite"),
        ("v 1 2 nan\n", ":1: .*three finite"),
        ("v 1 2 x\n", ":1: "),
        ("v 0 0 0\nf 1 2 3\n", ":2: .*1 vertices"),
        ("v 0 0 0\nf 0\n", ":2: .*vertex 0"),
    ],
)
def test_bad_files_of_parts(tmp_path, text, message):
    path = tmp_path / "parts.obj"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        tactum.load_parts(path, prism(BOX, 1.0))
    with pytest.raises(FileNotFoundError, match=r"none\.obj"):
        tactum.load_parts(tmp_path / "none.obj", prism(BOX, 1.0))
