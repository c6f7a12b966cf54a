# SPDX-License-Identifier: BSD-2-Clause
"""Compares the report of a new run with a committed one: rows that changed sides, came or went.

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
    counts: bool  #: whether a row that is no timing changed sides


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """One for each row whose side changed, and for each row that came or went."""
    before = {(row["case"], row["quantity"]): row for row in old["rows"]}
    after = {(row["case"], row["quantity"]): row for row in new["rows"]}
    found = []
    if bool(old["quick"]) != bool(new["quick"]):
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
    gone = (": ".join(key) for key in before if key not in after)
    return [*found, *(Change(f"row is gone: {name}", False) for name in gone)]


def verdict(row: Mapping[str, Any]) -> str:
    """In words."""
    return {True: "held", False: "did not hold", None: "was not judged"}[row["holds"]]
