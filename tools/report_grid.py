# SPDX-License-Identifier: BSD-2-Clause
"""Tables of a page that show rows of a report side by side.

A table stands between two comments, of which the first says what is in it:

    <!-- grid:begin
    rows: a third := a third of the size; rounder := rounder shapes
    columns: ours; Gumbel
    case: {row}: {column}
    quantity: Q3 / D9
    -->
    <!-- grid:end -->

A name may have a label and := before it. The numbers of a cell are those of the rows of the
report with that case and these quantities, which may contain {row} and {column} as well; "Q3@coal"
is what a peer has there, and nothing where it has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

GRID = re.compile(r"<!-- grid:begin\n(.*?)-->\n.*?<!-- grid:end -->", re.DOTALL)


def labels(text: str) -> dict[str, str]:
    """Labels and names of a list."""
    found = {}
    for part in text.split(";"):
        label, _, name = part.strip().partition(" := ")
        found[label] = name or label
    return found


def digits(value: float | None) -> str:
    """Two digits that count."""
    if value is None:
        return "-"
    small = 0.0 < abs(value) < 1e-3 or abs(value) >= 1e5
    return f"{value:.0e}" if small else f"{value:.2g}" if abs(value) < 99.5 else f"{value:.0f}"


def with_grids(text: str, name: str, report: Mapping[str, Any]) -> str:
    """A text with its tables as the report has them. Raises ValueError where one names a row that does
    not exist."""
    known = {(row["case"], row["quantity"]): row for row in report["rows"]}

    def number_of(case: str, quantity: str) -> str:
        quantity, _, peer = quantity.partition("@")
        if (case, quantity) not in known:
            raise ValueError(f"{name}.json has no row {case}: {quantity}")
        row = known[case, quantity]
        if peer:
            return digits(row["peers"][peer]) if peer in row["peers"] else ""
        return digits(row["ours"])

    def written(found: re.Match[str]) -> str:
        what = dict(line.split(": ", 1) for line in found.group(1).strip().splitlines())
        table = grid(what, number_of)
        return f"<!-- grid:begin\n{found.group(1)}-->\n{table}\n<!-- grid:end -->"

    return GRID.sub(written, text)


def grid(what: Mapping[str, str], number_of: Callable[[str, str], str]) -> str:
    """A table in Markdown."""
    columns = labels(what["columns"])
    lines = ["| | " + " | ".join(columns) + " |", "| --- |" + " ---: |" * len(columns)]
    for label, row in labels(what["rows"]).items():
        cells = []
        for column in columns.values():
            case, quantity = (
                what[key].replace("{row}", row).replace("{column}", column)
                for key in ("case", "quantity")
            )
            cells.append(" / ".join(number_of(case, part) for part in quantity.split(" / ")))
        lines.append("| " + " | ".join([label, *cells]) + " |")
    return "\n".join(lines)
