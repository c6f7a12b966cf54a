# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of pages for the documentation, from a headless Chromium: docs/images/playground.png,
docs/images/viewer.png and docs/images/throw.png.

    ./run python tools/screenshots.py      # needs viser, playwright and Chromium

pip install viser playwright; apt-get install chromium.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tactum

ROOT = Path(__file__).resolve().parent.parent
ARGUMENTS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
]
SETTLE = 3000  # ms, until a page is drawn


def take(page: Any, address: str, path: Path, before: Callable[[], object] | None = None) -> None:
    """One picture of a page, without the notice about software rendering."""
    page.goto(address)
    page.wait_for_timeout(SETTLE)
    for button in page.locator(".mantine-Notification-closeButton").all():
        button.click()
    if before is not None:
        before()
    page.wait_for_timeout(SETTLE)
    page.screenshot(path=path)
    print(f"wrote {path}")


def playground(page: Any, out: Path) -> None:
    """The pair, then a throw that hits its target."""
    from tactum._playground import PARTS, Playground, default_shapes

    shown = Playground(*default_shapes(), port=0)
    try:
        take(page, shown.backend.url, out / "playground.png")

        def throw() -> None:
            page.get_by_role("button", name=PARTS[1]).click()
            page.wait_for_timeout(SETTLE)
            page.get_by_role("button", name="hit the target").click()
            page.get_by_text("hit", exact=True).wait_for()
            page.wait_for_timeout(3 * SETTLE)

        take(page, shown.backend.url, out / "throw.png", throw)
    finally:
        shown.close()


def fall(page: Any, out: Path) -> None:
    """The quadruped of the demo, with contact forces, as the file that to_html writes."""
    from tactum import sim, view

    model = sim.load_mjcf(Path(tactum.__file__).parent / "data" / "quadruped.xml")
    trajectory = sim.rollout(model, model.state(), np.zeros((400, model.nv)), dt=2e-3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fall.html"
        view.record(trajectory).to_html(path)
        take(page, path.as_uri(), out / "viewer.png")


def main(argv: list[str] | None = None) -> int:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images", metavar="DIR")
    options = parser.parse_args(argv)
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        print("there is no Chromium: apt-get install chromium", file=sys.stderr)
        return 1
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("there is no playwright: pip install playwright", file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1000, "height": 620})
        page.set_default_timeout(120_000)
        playground(page, options.out)
        fall(page, options.out)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
