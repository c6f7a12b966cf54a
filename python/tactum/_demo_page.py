# SPDX-License-Identifier: BSD-2-Clause
"""The last file of the demo: one HTML page with all it showed, without links."""

from __future__ import annotations

import base64
import html
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import _sim_record

STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;color:#1c2733}"
    "pre{background:#f5f6f8;padding:.8rem;overflow-x:auto;font-size:13px}"
    "img{max-width:100%}iframe{width:100%;height:30rem;border:1px solid #d5d9de}"
)

Section = tuple[str, str]  #: title, text


def motion(record: _sim_record.Record | None) -> str | None:
    """The page of a simulation that can be turned and played; None where viser is not installed."""
    if record is None or importlib.util.find_spec("viser") is None:
        return None
    from . import view

    return view.record(record.q, record.model, time=record.time).to_html()


def write(
    path: Path, sections: Sequence[Section], pictures: Sequence[Path], player: str | None
) -> None:
    """All sections, then all pictures, then the player of a motion."""
    parts = [
        "<!doctype html><meta charset=utf-8><title>tactum demo</title>",
        f"<style>{STYLE}</style><h1>tactum demo</h1>",
    ]
    for title, text in sections:
        parts.append(f"<h2>{html.escape(title)}</h2><pre>{html.escape(text)}</pre>")
    for picture in pictures:
        data = base64.b64encode(picture.read_bytes()).decode("ascii")
        parts.append(f'<h2>{picture.stem}</h2><img alt="" src="data:image/png;base64,{data}">')
    if player is not None:
        parts.append(f'<h2>turn it, play it</h2><iframe srcdoc="{html.escape(player)}"></iframe>')
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")
