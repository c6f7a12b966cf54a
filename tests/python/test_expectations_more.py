# SPDX-License-Identifier: BSD-2-Clause
"""More of what users expect, by the numbers of test_expectations.py: what a type checker says, units
and frames, paths in MJCF, threads."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tactum
from test_expectations import OBJ, ROOT, needs_sim

#: a user's file: what a type checker has to take, and what it has to find wrong
TYPED = """
import numpy as np
import tactum

ball = tactum.Sphere(radius=1.0)
found: tactum.Distance = tactum.distance(ball, None, ball, (3.0, 0.0, 0.0), tolerance=1e-9)
height: float = found.distance + 2.0
many = tactum.distances(ball, None, ball, np.tile(np.eye(4), (3, 1, 1)))
total: float = float(many.distance.sum())
"""
MISTYPED = (
    'tactum.Sphere(radius="1")',
    "tactum.distance(ball, None, 3, None)",
    "found.distnce",
    "tactum.distance(ball, None, ball, None, tolerence=1.0)",
    "word: str = found.distance",
)


def test_04_a_type_checker_takes_right_programs_and_refuses_wrong_ones(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(TYPED + "\n".join(MISTYPED) + "\n", encoding="utf-8")
    examples = [str(ROOT / "examples" / f"{name}.py") for name in ("01_distance", "06_derivative")]
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    # numpy is a million lines, and what is looked at is tactum's part
    options = ["--cache-dir", str(ROOT / "build" / ".mypy_cache"), "--no-error-summary"]
    checked = subprocess.run(
        [*command, *options, str(program), *examples],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    first = TYPED.count("\n") + 1
    wrong = {int(line.split(":")[1]) for line in checked.stdout.splitlines() if ": error:" in line}
    assert wrong == set(range(first, first + len(MISTYPED))), checked.stdout + checked.stderr
    assert checked.stdout.count("program.py") >= len(MISTYPED)


#: members that are lengths or times, and those that are vectors
MEASURED = re.compile(
    r"(distances?|points?(_a|_b)?|radius|(small|big)_radius|half_.*|semi_axes|center|vertices|heights"
    r"|base|lower|upper|offset|margin|slop|time|dt)"
)
VECTORS = re.compile(r"(normal|direction_A|points?(_a|_b)?|center|force|gravity|inertia)")
#: a unit or an interval, or another answer whose members say it
UNIT_SAID = re.compile(r"\bmetres?\b|\bm\b|\bs\b|\bN\b|\[0, 1\]|`value`")
#: a frame, or rows that the user made, or another answer whose members say it
FRAME_SAID = re.compile(r"\bworld\b|\bframe\b|\baxes\b|\brows\b|`value`")


@pytest.mark.parametrize("name", ["", pytest.param(".sim", marks=needs_sim)])
def test_05_numbers_have_units_and_vectors_have_frames(name: str) -> None:
    """In the text of a member, or in that of its class."""
    module, looked_at = importlib.import_module(f"tactum{name}"), 0
    for public in module.__all__:
        kind = getattr(module, public)
        for member, found in vars(kind).items() if inspect.isclass(kind) else ():
            said = str(getattr(getattr(found, "fget", None), "__nb_signature__", ""))
            if member.startswith("_") or not ("NDArray" in said or "-> float" in said):
                continue
            text = f"{inspect.getdoc(found)} {inspect.getdoc(kind)}"
            if MEASURED.fullmatch(member):
                looked_at += 1
                assert UNIT_SAID.search(text), f"{name}.{public}.{member}: {text}"
            if VECTORS.fullmatch(member) and "NDArray" in said:
                assert FRAME_SAID.search(text), f"{name}.{public}.{member}: {text}"
    assert looked_at > (4 if name else 40)


@needs_sim
@pytest.mark.parametrize(
    ("folder", "written"),
    [
        ("", "meshes/a.obj"),
        ("", "./meshes/a.obj"),
        ("meshes", "a.obj"),
        ("./meshes/", "a.obj"),
        ("", "{}/meshes/a.obj"),
        ("elsewhere", "{}/meshes/a.obj"),
    ],
)
def test_10_paths_of_mjcf(folder: str, written: str, tmp_path: Path) -> None:
    from tactum import sim

    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "a.obj").write_text(OBJ)
    text = (
        f'<mujoco><compiler meshdir="{folder}"/><asset><mesh name="m" file="{{}}"/></asset><worldbody>'
        '<body><freejoint/><geom type="mesh" mesh="m" density="1000"/></body></worldbody></mujoco>'
    )
    robot = tmp_path / "r.xml"
    robot.write_text(text.format(written.format(tmp_path)))
    assert sim.load_mjcf(robot).num_geometries == 1
    robot.write_text(text.format(written.format(tmp_path).replace("a.obj", "b.obj")))
    with pytest.raises(tactum.InvalidInput) as raised:
        sim.load_mjcf(robot)
    assert str(tmp_path / "meshes") in str(raised.value).replace("/./", "/")
    assert "b.obj" in str(raised.value)


def batch_of(count: int) -> Callable[[int], Any]:
    """A query of that many pairs, by the number of its threads."""
    hull = tactum.Convex.from_points(np.random.default_rng(0).normal(size=(100, 3)))
    X = np.tile(np.eye(4), (count, 1, 1))
    X[:, 0, 3] = np.linspace(1.0, 3.0, count)
    return lambda threads: tactum.distances(hull, None, hull, X, num_threads=threads)


def test_13_two_python_threads_are_in_a_batch_at_once() -> None:
    ask, began, ended = batch_of(20_000), dict[int, float](), dict[int, float]()
    ready = threading.Barrier(2)

    def run(number: int) -> None:
        ready.wait()
        began[number] = time.monotonic()
        ask(1)
        ended[number] = time.monotonic()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)  # a batch that kept the GIL would end before the other begins
    try:
        threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert max(began.values()) < min(ended.values())


def test_13_threads_share_the_work_of_a_batch() -> None:
    """Times are those of processors, which other programs of the machine do not change."""
    ask = batch_of(20_000)
    ask(2)
    shares, work = dict[int, float](), dict[int, float]()
    for count in (1, 2, 4):
        found = []
        for _ in range(5):
            mine, all_of_it = time.thread_time(), time.process_time()
            ask(count)
            found.append((time.thread_time() - mine, time.process_time() - all_of_it))
        shares[count] = min(mine / max(mine, together) for mine, together in found)
        work[count] = min(together for _, together in found)
    assert max(work.values()) < 1.5 * work[1], "threads cost next to nothing"
    assert shares[1] > 0.9 and shares[2] < 0.7 and shares[4] < 0.5, shares
