# SPDX-License-Identifier: BSD-2-Clause
"""The report of an experiment or a comparison: rows of one number each, and whether each holds.

`holds` is `ours relation goal`, computed here and nowhere else. This file needs the standard
library alone, so that tools can use it where the package is not built.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Report = dict[str, Any]

DIGITS = 4  # of the numbers of committed reports
FIELDS = (
    "case",
    "quantity",
    "unit",
    "ours",
    "spread",
    "published",
    "peers",
    "relation",
    "goal",
    "timing",
    "holds",
    "note",
)


def holds(value: float | None, relation: str | None, goal: float | None) -> bool | None:
    """Whether `value relation goal`; None where there is nothing to compare."""
    if value is None or relation is None or goal is None:
        return None
    if relation not in ("<=", ">="):
        raise ValueError(f"relation: got {relation!r}; give '<=' or '>='")
    return bool(value >= goal) if relation == ">=" else bool(value <= goal)


def make_row(case: str, quantity: str, unit: str, ours: float | None, **more: Any) -> Row:
    """One number: `more` may give spread, published, peers, relation, goal, timing and note."""
    unknown = set(more) - set(FIELDS) | set(more) & {"holds"}
    if unknown:
        raise TypeError(f"a row has no argument {sorted(unknown)[0]}")
    row: Row = {
        "case": case,
        "quantity": quantity,
        "unit": unit,
        "ours": ours,
        "spread": None,
        "published": None,
        "peers": {},
    }
    row |= {"relation": None, "goal": None, "timing": False, "holds": None, "note": ""} | more
    if row["goal"] is None:
        row["relation"] = None
    row["holds"] = holds(ours, row["relation"], row["goal"])
    return row


def machine() -> str:
    """Processor, cores and system."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    found = re.search(r"model name\s*: (.*)", text)
    processor = found.group(1) if found else platform.processor()
    return f"{processor}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def make_report(
    name: str,
    source: str,
    *,
    quick: bool,
    seed: int,
    seconds: float,
    rows: Sequence[Row],
    **more: Any,
) -> Report:
    """The whole report, with the machine it was made on and the date (UTC, YYYY-MM-DD)."""
    report: Report = {
        "name": name,
        "source": source,
        "quick": quick,
        "seed": seed,
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
    report |= {"seconds": round(seconds, 1)} | more
    return report | {"rows": list(rows)}


def write_report(path: Path, report: Mapping[str, Any]) -> None:
    """A report as JSON; numbers that JSON does not have become null."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_finite(report), indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def judged(rows: Sequence[Row]) -> tuple[int, int]:
    """The number of rows whose goal holds, and the number of rows with a goal."""
    outcomes = [row["holds"] for row in rows if row["holds"] is not None]
    return sum(outcomes), len(outcomes)


def number(value: float | None) -> str:
    """Four digits that count."""
    if value is None:
        return "-"
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    return f"{value:.4g}" if 1e-3 <= abs(value) < 1e5 else f"{value:.2e}"


def rounded(report: Mapping[str, Any]) -> dict[str, Any]:
    """A report as it is committed: numbers of four digits, notes and units as they are. A number on
    the wrong side of its goal after rounding keeps all its digits."""
    result = dict(report)
    result["rows"] = [_rounded_row(row) for row in report["rows"]]
    return result


def _rounded_row(row: Mapping[str, Any]) -> dict[str, Any]:
    short = {key: _short(value) for key, value in row.items()}
    if holds(short["ours"], row["relation"], row["goal"]) != row["holds"]:
        short["ours"] = row["ours"]
    short["goal"] = row["goal"]
    return short


def _short(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _short(item) for key, item in value.items()}
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{DIGITS}g}")
    return value
