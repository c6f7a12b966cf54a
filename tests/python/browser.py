# SPDX-License-Identifier: BSD-2-Clause
"""A headless Chromium for the tests of pages, and what is wrong with a page in it."""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]
SIZE = (1000, 640)


@contextlib.contextmanager
def open_page(offline: bool = False) -> Iterator[tuple[Any, list[str]]]:
    """A page, and a list that its errors and its requests to other computers go to."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="tests of pages need playwright: pip install playwright"
    )
    if CHROMIUM is None:
        pytest.skip("tests of pages need Chromium: apt-get install chromium")
    complaints: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(
            offline=offline, viewport={"width": SIZE[0], "height": SIZE[1]}
        )
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on(
            "console",
            lambda message: (
                message.type == "error" and complaints.append(f"console: {message.text}")
            ),
        )
        local = ("http://127.0.0.1:", "file:", "blob:", "data:")
        page.on(
            "request",
            lambda request: (
                request.url.startswith(local) or complaints.append(f"network: {request.url}")
            ),
        )
        try:
            yield page, complaints
        finally:
            browser.close()


def pixels(page: Any) -> Any:
    """The picture of the page, (height, width, 3)."""
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))


def colors_of(picture: Any) -> int:
    """How many different colors a picture has, in steps of 8."""
    coarse = picture.reshape(-1, 3).astype(np.int64) // 8
    return len(np.unique(coarse @ [1, 32, 1024]))


def project(camera: Any, point: Any) -> tuple[float, float]:
    """Where a point of the world is on the page, in pixels."""
    forward = np.asarray(camera.look_at) - camera.position
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, camera.up_direction)
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    ray = np.asarray(point) - camera.position
    focal = 0.5 * camera.image_height / np.tan(0.5 * camera.fov)
    depth = ray @ forward
    return (
        0.5 * camera.image_width + focal * (ray @ right) / depth,
        0.5 * camera.image_height - focal * (ray @ up) / depth,
    )
