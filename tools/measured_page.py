# SPDX-License-Identifier: BSD-2-Clause
"""Pages whose tables come from a report in bench/results: what they share.

A page holds its measured part between two marks; all else is written by hand.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tactum" / "reproduce"))
from report import judged, number

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"

Row = Mapping[str, Any]
Rows = Mapping[str, Row]  # of one case, by quantity


def short(value: float) -> str:
    """Two digits that count."""
    return str(number(float(f"{value:.2g}")))


def shown(row: Row | None) -> str:
    """Our figure, bold where it misses its goal."""
    if row is None:
        return ""
    text = short(row["ours"])
    return f"**{text}**" if row["holds"] is False else text


def peer(row: Row | None, name: str) -> str:
    """The figure of a peer, where there is one."""
    return "" if row is None or name not in row["peers"] else short(row["peers"][name])


def line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def heading(cells: Sequence[str], last: str = "---:") -> list[str]:
    """The two lines above a table: text on the left, figures on the right."""
    rules = ["---"] + ["---:"] * (len(cells) - 2) + [last]
    return [line(cells), line(rules)]


def by_case(report: Mapping[str, Any]) -> dict[str, dict[str, Row]]:
    cases: dict[str, dict[str, Row]] = {}
    for row in report["rows"]:
        cases.setdefault(row["case"], {})[row["quantity"]] = row
    return cases


def measured_part(report: Mapping[str, Any], lines: Sequence[str]) -> str:
    """The lines with their marks, below a sentence about the machine and the goals."""
    met, total = judged(report["rows"])
    made = f"Made on {report['machine']}; {met} of {total} goals met, bold figures miss theirs."
    return "\n".join([BEGIN, made, "", *lines, END])


def with_part(page: str, part: str) -> str:
    """The page with another measured part."""
    before, rest = page.split(BEGIN, 1)
    return before + part + rest.split(END, 1)[1]


def command(
    argv: Sequence[str], tool: str, usage: str | None, files: Callable[[], Mapping[Path, str]]
) -> int:
    """Writes what files() gives, or with --check says what is not so yet. Returns an exit code."""
    if list(argv) not in ([], ["--check"]):
        print(usage)
        return 2
    stale = {
        path: text
        for path, text in files().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    for path, text in stale.items():
        name = path.relative_to(ROOT)
        if argv:
            print(f"{name} is not what its report says: run tools/{tool}.py")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 1 if argv and stale else 0
