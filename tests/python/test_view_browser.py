# SPDX-License-Identifier: BSD-2-Clause
"""Pages of the viewer and of the playground in a real headless Chromium."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tactum
from browser import colors_of, open_page, pixels, project
from tactum import view

pytest.importorskip("viser", reason="the viewer needs viser: pip install tactum[view]")


def until(condition: Callable[[], Any], page: Any = None, seconds: float = 60.0) -> Any:
    """What the condition returns once it is true."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "did not happen in time"
        page.wait_for_timeout(50) if page is not None else time.sleep(0.05)
    return found


def test_the_playground_answers_a_drag() -> None:
    from tactum._playground import Playground, default_shapes

    with open_page() as (page, complaints):
        playground = Playground(*default_shapes(), port=0)
        try:
            page.goto(playground.backend.url)
            shown = page.locator("text=/^distance .* mm$/")
            shown.wait_for()
            until(lambda: colors_of(pixels(page)) > 150, page)
            before = float(re.findall(r"[-\d.]+", shown.inner_text())[0])
            client = next(iter(playground.server.get_clients().values()))
            # the arrow along z of the handle of B
            gizmo = playground.gizmos[1]
            length, up = 0.45 * playground._size, np.array([0.0, 0.0, 1.0])
            start = project(client.camera, gizmo.position + 0.9 * length * up)
            end = project(client.camera, gizmo.position + 2.2 * length * up)
            page.mouse.move(*start)
            page.mouse.down()
            for share in np.linspace(0.0, 1.0, 6):
                page.mouse.move(*(np.array(start) + share * (np.array(end) - start)))
                page.wait_for_timeout(100)
            page.mouse.up()
            until(lambda: float(re.findall(r"[-\d.]+", shown.inner_text())[0]) != before, page)
            assert gizmo.position[2] > 0.3 * playground._size
            X_WA, X_WB = playground.poses()
            truth = tactum.distance(playground.a, X_WA, playground.b, X_WB).distance
            until(lambda: f"distance {1000 * truth:.4f} mm" == shown.inner_text(), page)
            assert complaints == []
        finally:
            playground.close()


def test_a_browser_may_go_away_and_another_come() -> None:
    with open_page() as (page, complaints), view.Viewer(port=0) as viewer:
        box = viewer.add(tactum.Box(half_extents=(0.5, 0.5, 0.5)))
        page.goto(viewer.url)
        until(lambda: len(viewer.backend.server.get_clients()) == 1, page)
        page.goto("about:blank")
        until(lambda: len(viewer.backend.server.get_clients()) == 0, page)
        moved = tactum.pose_matrix([0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 1.0])
        viewer.set_poses([box], moved)
        assert np.array_equal(viewer.poses[0], moved)
        page.goto(viewer.url)
        until(lambda: len(viewer.backend.server.get_clients()) == 1, page)
        until(lambda: colors_of(pixels(page)) > 10, page)
        assert complaints == []


def test_a_recording_plays_without_a_network(tmp_path: Path) -> None:
    poses = np.tile(np.eye(4), (30, 2, 1, 1))
    poses[:, 1, 0, 3] = np.linspace(-1.0, 1.0, 30)
    shapes = [tactum.Sphere(radius=0.3), tactum.Box(half_extents=(0.2, 0.2, 0.2))]
    motion = {"geometries": shapes, "poses": poses, "time": np.linspace(0.0, 3.0, 30)}
    path = tmp_path / "motion.html"
    view.record(motion).to_html(path)
    with open_page(offline=True) as (page, complaints):
        page.goto(path.as_uri())
        until(lambda: colors_of(pixels(page)) > 50, page)
        first = pixels(page)
        until(lambda: not np.array_equal(pixels(page), first), page)
        assert complaints == []
