# SPDX-License-Identifier: BSD-2-Clause
"""Ctrl-C ends every call that can take long, soon, and leaves everything usable.

What is limited is the work done after the signal: processor seconds of the whole process, for each
thread that the call may use. An idle machine does that work in as many seconds of the clock, and a
machine that is busy with other programs does no more of it, however long it takes. The clock has a
limit of its own, far below the time that the calls would take, so that a call which waits without
working is found too.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

MOST_WORK = 0.2  # processor seconds for each thread
LATEST = 10.0  # s by the clock

SETUP = """
import numpy as np, os, signal, tactum, threading, time
rng = np.random.default_rng(0)
I = np.eye(4)
hull = tactum.Convex.from_points(rng.normal(size=(500, 3)))
def sphere(n):
    p = rng.normal(size=(n, 3))
    return p / np.linalg.norm(p, axis=1)[:, None]
def poses(n, scale):
    X = np.tile(I, (n, 1, 1))
    X[:, :3, 3] = scale * rng.normal(size=(n, 3))
    return X
many = tactum.ZerothOrder(samples=1_000_000)
few = tactum.ZerothOrder(samples=1000)
def dense(n, rank):
    J = rng.normal(size=(n, rank))
    return J @ J.T
"""

DENSE = (
    "G = dense(2400, 2400); problem = tactum.ContactProblem(G=G, g=rng.normal(size=2400), mu=0.5)"
)
SOLVED = DENSE + "; solution = tactum.solve(problem, 'ncp_pgs', max_iterations=3)"
SINGULAR = (
    "problem = tactum.ContactProblem(G=dense(1800, 1200), g=np.ones(1800), kinds=['bilateral'] * 1800);"
    "solution = tactum.solve(problem, 'ncp_pgs', max_iterations=3)"
)

# calls that use all processors
THREADED = {
    "distances with samples",
    "distances with a row of many samples",
    "signed_distance",
    "Scene.distances",
    "Scene.contacts",
    "Scene.raycast",
    "solve_many",
}

# what is set up, the call, and what has to hold afterwards
CASES = {
    "distances with samples": (
        "X = poses(20000, 1.0)",
        "tactum.distances(hull, I, hull, X, derivative=few)",
        "len(tactum.distances(hull, I, hull, X[:3], derivative=few)) == 3",
    ),
    "distances with a row of many samples": (
        "X = poses(2, 0.1)",
        "tactum.distances(hull, I, hull, X, derivative=many)",
        "len(tactum.distances(hull, I, hull, X)) == 2",
    ),
    "distance_derivative": (
        "X = poses(1, 0.1)[0]",
        "tactum.distance_derivative(hull, I, hull, X, estimator=many)",
        "tactum.distance_derivative(hull, I, hull, X).value.status == tactum.Status.penetrating",
    ),
    "signed_distance": (
        "stp = tactum.Stp.from_points(sphere(2000), small_radius=0.01, big_radius=1.5); points = rng.normal(size=(8_000_000, 3)) * 0.5",
        "tactum.signed_distance(stp, I, points)",
        "len(tactum.signed_distance(stp, I, points[:5])[0]) == 5",
    ),
    "Convex.from_points": (
        "points = sphere(1_500_000)",
        "tactum.Convex.from_points(points)",
        "len(tactum.Convex.from_points(points[:20]).vertices) == 20",
    ),
    "Stp.from_points": (
        "points = sphere(500_000)",
        "tactum.Stp.from_points(points, small_radius=0.01, big_radius=1.2)",
        "tactum.Stp.from_points(points[:20], small_radius=0.01, big_radius=1.2).num_points == 20",
    ),
    "contact_patches of compounds": (
        "heap = tactum.Compound(parts=[(hull, X) for X in poses(2000, 0.05)])",
        "tactum.contact_patches(heap, I, heap, poses(1, 0.1)[0])",
        "tactum.distance(heap, I, hull, poses(1, 0.0)[0] + np.array([[0, 0, 0, 50.0]] + [[0] * 4] * 3)).distance > 0",
    ),
    "Scene.distances": (
        "scene = tactum.Scene(); [scene.add(hull, X) for X in poses(1000, 0.3)]; before = scene.to_text()",
        "scene.distances(margin=0.1)",
        "scene.to_text() == before and len(scene.ids) == 1000",
    ),
    "Scene.contacts": (
        "scene = tactum.Scene(); [scene.add(hull, X) for X in poses(1000, 0.3)]; before = scene.to_text()",
        "scene.contacts(margin=0.1)",
        "scene.to_text() == before and scene.add(hull) == 1000",
    ),
    "Scene.raycast": (
        "scene = tactum.Scene(); [scene.add(hull, X) for X in poses(300, 0.5)]; rays = sphere(1_000_000)",
        "scene.raycast(5.0 * rays, -rays)",
        "len(scene.raycast(5.0 * rays[:4], -rays[:4]).id) == 4",
    ),
    "Scene.from_text": (
        "line = ' 0 1 1 1 0 0 0 1 0 0 0 1 0 0 0 x' + chr(10);"
        "text = 'tactum-scene 1' + chr(10) + 'shape Sphere 0 1' + chr(10) + ''.join('object ' + str(i) + line for i in range(3_000_000)) + 'end'",
        "tactum.Scene.from_text(text)",
        "len(tactum.Scene.from_text('tactum-scene 1' + chr(10) + 'end')) == 0",
    ),
    "solve": (
        "J = rng.normal(size=(900, 300)); problem = tactum.ContactProblem(G=J @ J.T, g=rng.normal(size=900), mu=0.9)",
        "tactum.solve(problem, solver='ncp_pgs', tolerance=1e-16, max_iterations=10_000_000)",
        "tactum.solve(problem, max_iterations=2).force.shape == (900,)",
    ),
    "solve_many": (
        "J = rng.normal(size=(900, 300)); problem = tactum.ContactProblem(G=J @ J.T, g=rng.normal(size=900), mu=0.9)",
        "tactum.solve_many([problem] * 4, solver='ncp_pgs', tolerance=1e-16, max_iterations=10_000_000)",
        "len(tactum.solve_many([problem] * 4, max_iterations=2)) == 4",
    ),
    "ContactProblem": (
        "G = dense(2400, 2400)",
        "tactum.ContactProblem(G=G, g=np.ones(2400), mu=0.5)",
        "tactum.ContactProblem(G=G[:9, :9], g=np.ones(9), mu=0.5).rows == 9",
    ),
    "dense ncp_admm": (
        DENSE,
        "tactum.solve(problem, 'ncp_admm', tolerance=1e-18)",
        "tactum.solve(problem, 'ncp_pgs', max_iterations=1).force.shape == (2400,)",
    ),
    "dense ccp_newton": (
        DENSE,
        "tactum.solve(problem, 'ccp_newton', tolerance=1e-18)",
        "tactum.solve(problem, 'ncp_pgs', max_iterations=1).force.shape == (2400,)",
    ),
    "dense ncp_staggered": (
        DENSE,
        "tactum.solve(problem, 'ncp_staggered', tolerance=1e-18)",
        "tactum.solve(problem, 'ncp_pgs', max_iterations=1).force.shape == (2400,)",
    ),
    "polish of a dense problem": (
        DENSE,
        "tactum.solve(problem, 'ncp_pgs', max_iterations=1, polish=True, tolerance=1e-18)",
        "tactum.solve(problem, 'ncp_pgs', max_iterations=1).force.shape == (2400,)",
    ),
    "internal_force": (
        SOLVED,
        "solution.internal_force",
        "solution.force.shape == (2400,)",
    ),
    "force_wrt_g": (
        SOLVED + "; derivative = tactum.solution_derivative(problem, solution)",
        "derivative.force_wrt_g",
        "derivative.jvp(d_g=np.ones(2400)).shape == (2400,)",
    ),
    "solution_derivative of a singular problem": (
        SINGULAR,
        "tactum.solution_derivative(problem, solution)",
        "tactum.solution_derivative(problem, solution).rule == 'minimum_norm'",
    ),
    "force_wrt_g of a singular problem": (
        SINGULAR + "; derivative = tactum.solution_derivative(problem, solution)",
        "derivative.force_wrt_g",
        "derivative.rule == 'minimum_norm'",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_ctrl_c(name: str) -> None:
    setup, call, afterwards = CASES[name]
    code = f"""{SETUP}
{setup}
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
sent = []
def press():
    sent.extend((time.process_time(), time.monotonic()))
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.1, press).start()
try:
    {call}
    print("too quick")
except KeyboardInterrupt:
    print("late", time.process_time() - sent[0], time.monotonic() - sent[1])
assert {afterwards}
"""
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert shown.returncode == 0, shown.stderr[-2000:]
    words = shown.stdout.split()
    assert words[0] == "late", shown.stdout
    threads = (os.cpu_count() or 1) if name in THREADED else 1
    assert float(words[1]) < threads * MOST_WORK
    assert float(words[2]) < LATEST
