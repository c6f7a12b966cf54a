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

import measured_page
from measured_page import (
    BEGIN,
    END,
    Row,
    by_case,
    heading,
    line,
    measured_part,
    peer,
    short,
    shown,
)

__all__ = ["BEGIN", "END", "main", "measured", "written"]

PAGE = measured_page.ROOT / "docs" / "sim-derivative-speed.md"
RESULTS = measured_page.ROOT / "bench" / "results" / "sim-derivative.json"
JACOBIAN, PRODUCT = "Jacobian over our step", "vjp over the Jacobian"
DIFFERENCES = "MuJoCo's differences over our Jacobian"
ERRORS = ("median error of a column", "error of 9 columns of 10")
HEAD = (
    *("case", "Jacobian / step", "published", "vjp / Jacobian", "vjp / step"),
    *("MuJoCo / Jacobian", "published", "error", "MuJoCo's", "9 of 10", "MuJoCo's", "times"),
)
# of reports that have them: those made before tapes were reported have not
WITH_TAPE = {
    "tape and step / step": "step with tape over our step",
    "MuJoCo / tape and Jacobian": "MuJoCo's differences over our step with tape and Jacobian",
}


def published(row: Row) -> str:
    return "" if row["published"] is None else short(row["published"])


def measured(report: Mapping[str, Any]) -> str:
    cases = by_case(report)
    tape = {
        name: quantity
        for name, quantity in WITH_TAPE.items()
        if all(quantity in rows for rows in cases.values())
    }
    lines = heading([*HEAD[:-1], *tape, HEAD[-1]], last="---")
    for case, rows in cases.items():
        jacobian, product, differences = (rows[q] for q in (JACOBIAN, PRODUCT, DIFFERENCES))
        cells = [case, shown(jacobian), published(jacobian), shown(product)]
        cells += [short(product["ours"] * jacobian["ours"])]
        cells += [shown(differences), published(differences)]
        for quantity in ERRORS:
            cells += [shown(rows.get(quantity)), peer(rows.get(quantity), "mujoco")]
        cells += [shown(rows[quantity]) for quantity in tape.values()]
        lines.append(line([*cells, jacobian["note"]]))
    return measured_part(report, lines)


def written(page: str, report: Mapping[str, Any]) -> str:
    """The page with the figures of the report."""
    return measured_page.with_part(page, measured(report))


def main(argv: Sequence[str]) -> int:
    def files() -> Mapping[Path, str]:
        report = json.loads(RESULTS.read_text(encoding="utf-8"))
        return {PAGE: written(PAGE.read_text(encoding="utf-8"), report)}

    return measured_page.command(argv, "sim_derivative_page", __doc__, files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
