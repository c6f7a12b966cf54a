# SPDX-License-Identifier: BSD-2-Clause
"""Compares the report of a new run with a committed one: rows that changed sides, came or went.

A row counts, and the command fails, where it is no timing and changed sides, or had a goal and is
gone. Runs of different sizes have different rows: there a row that is gone does not count.

This file needs the standard library alone, so that tools can use it where the package is not built.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


def read_report(folder: Path, name: str) -> dict[str, Any]:
    """The committed report of an experiment. Raises ValueError where there is none."""
    path = folder / f"{name}.json"
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"--check: {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"--check: {path} is not JSON: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("rows"), list):
        raise ValueError(f"--check: {path} is no report: it has no list of rows")
    return found


class Change(NamedTuple):
    """A difference between two reports."""

    text: str
    counts: bool  #: whether a row that is no timing changed sides, or had a goal and is gone


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """One for each row whose side changed, and for each row that came or went."""
    before = {(row["case"], row["quantity"]): row for row in old["rows"]}
    after = {(row["case"], row["quantity"]): row for row in new["rows"]}
    found = []
    same_size = bool(old["quick"]) == bool(new["quick"])
    if not same_size:
        words = ("full size", "quick")
        sizes = f"{words[bool(old['quick'])]} before, {words[bool(new['quick'])]} now"
        found.append(Change(f"sizes differ: {sizes}", False))
    for key, row in after.items():
        name = ": ".join(key)
        if key not in before:
            if not (row["timing"] and old.get("without_timings")):
                found.append(Change(f"new row: {name}", False))
        elif row["holds"] != before[key]["holds"]:
            timing = ", a timing" if row["timing"] else ""
            text = (
                f"changed sides: {name}: {before[key]['ours']} {verdict(before[key])}, now "
                f"{row['ours']} {verdict(row)} (goal {row['relation']} {row['goal']}{timing})"
            )
            found.append(Change(text, not row["timing"]))
    for key, row in before.items():
        if key not in after:
            counts = same_size and row["holds"] is not None and not row["timing"]
            goal = f" (goal {row['relation']} {row['goal']})" if row["holds"] is not None else ""
            found.append(Change(f"row is gone: {': '.join(key)}{goal}", counts))
    return found


def verdict(row: Mapping[str, Any]) -> str:
    """In words."""
    return {True: "held", False: "did not hold", None: "was not judged"}[row["holds"]]
