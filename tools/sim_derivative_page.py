# SPDX-License-Identifier: BSD-2-Clause
"""The measured part of docs/sim-derivative-speed.md from bench/results/sim-derivative.json.

    python tools/sim_derivative_page.py [--check]

Rewrites what lies between the two marks of the page; all else is written by hand. --check fails
where the page is not what the results say.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tactum" / "reproduce"))
from report import judged, number

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "sim-derivative-speed.md"
RESULTS = ROOT / "bench" / "results" / "sim-derivative.json"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
RATIOS = (
    "Jacobian over our step",
    "vjp over the Jacobian",
    "MuJoCo's differences over our Jacobian",
)
ERROR = "median error of a column"


def short(value: float) -> str:
    """Two digits that count."""
    return number(float(f"{value:.2g}"))


def cell(row: Mapping[str, Any] | None, peer: str | None = None) -> str:
    """A number, bold where it misses its goal."""
    if row is None:
        return ""
    text = short(row["ours"] if peer is None else row["peers"][peer])
    return f"**{text}**" if peer is None and row["holds"] is False else text


def measured(report: Mapping[str, Any]) -> str:
    cases: dict[str, dict[str, Mapping[str, Any]]] = {}
    for row in report["rows"]:
        cases.setdefault(row["case"], {})[row["quantity"]] = row
    met, total = judged(report["rows"])
    lines = [
        f"Made on {report['machine']}; {met} of {total} goals met, bold figures miss theirs.",
        "",
        "| case | Jacobian / step | vjp / Jacobian | MuJoCo / Jacobian | error | MuJoCo's error | times |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for case, rows in cases.items():
        error = rows.get(ERROR)
        cells = [case, *(cell(rows[ratio]) for ratio in RATIOS), cell(error)]
        cells += [cell(error, "mujoco"), rows[RATIOS[0]]["note"]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([BEGIN, *lines, END])


def written(page: str, report: Mapping[str, Any]) -> str:
    """The page with the figures of the report."""
    before, rest = page.split(BEGIN, 1)
    return before + measured(report) + rest.split(END, 1)[1]


def main(argv: Sequence[str]) -> int:
    if list(argv) not in ([], ["--check"]):
        print(__doc__)
        return 2
    page = PAGE.read_text(encoding="utf-8")
    new = written(page, json.loads(RESULTS.read_text(encoding="utf-8")))
    if not argv:
        PAGE.write_text(new, encoding="utf-8")
    elif new != page:
        print(f"{PAGE.name} is not what {RESULTS.name} says: run tools/sim_derivative_page.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
