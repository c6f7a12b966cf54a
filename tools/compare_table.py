#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Turns the JSON of `./run compare narrow --json FILE` into the tables of README.md and docs/how-it-is-fast.md.

What stands between <!-- compare:begin --> and <!-- compare:end --> of a page is replaced: a few cells in README.md, all of them, with
the goals that are missed, in docs/how-it-is-fast.md. A report made with --quick is refused: it has a handful of poses a cell.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

BEGIN, END = "<!-- compare:begin -->", "<!-- compare:end -->"
CASE = re.compile(r"^(?:(collide|tracked|batch) )?(\S+) ([+-]\S+) m(, offset)?$")
PEERS = ("coal", "fcl", "bullet")
COMMAND = "`./run compare narrow --json FILE`, then `python3 tools/compare_table.py FILE`"

Row = dict[str, Any]
Report = dict[str, Any]


class Case(NamedTuple):
    """What the name of a cell says."""

    task: str
    family: str
    gap: str
    poses: str


def parse_case(name: str) -> Case:
    found = CASE.match(name)
    if found is None:
        raise ValueError(f"{name!r} is not the name of a cell")
    task, family, gap, offset = found.groups()
    return Case(task or "distance", family, gap, "offset" if offset else "approach")


def select(report: Report, quantity: str) -> dict[Case, Row]:
    """The rows of one quantity, by cell, in the order of the report."""
    return {parse_case(row["case"]): row for row in report["rows"] if row["quantity"] == quantity}


def text(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, rule, *lines)) + "\n"


def mark(row: Row) -> str:
    """A ratio, with a minus sign behind it where it misses its goal."""
    return text(row["ours"], ".1f") + (" (-)" if row["holds"] is False else "")


def standing(report: Report) -> str:
    ratios = [row for row in report["rows"] if row["quantity"] == "ratio"]
    faster = sum(row["ours"] >= 1.0 for row in ratios)
    goals = [row["holds"] for row in report["rows"] if row["timing"] and row["holds"] is not None]
    lines = [f"Written by {COMMAND}. {report['machine']}, one thread, seed {report['seed']}."]
    lines.append(
        f"tactum is faster than coal in {faster} of {len(ratios)} cells and meets {sum(goals)} of {len(goals)} goals of speed."
    )
    if report.get("note"):
        lines.append(report["note"])
    return "\n".join(lines) + "\n"


def grid(report: Report, poses: str) -> str:
    """Time of a distance query and ratio to coal: families down, distances across."""
    times, ratios = select(report, "time"), select(report, "ratio")
    cells = [case for case in times if case.task == "distance" and case.poses == poses]
    if not cells:
        return ""
    gaps = list(dict.fromkeys(case.gap for case in cells))
    lines = []
    for family in dict.fromkeys(case.family for case in cells):
        line = [family]
        for gap in gaps:
            case = Case("distance", family, gap, poses)
            line.append(f"{text(times[case]['ours'], '.0f')} / {mark(ratios[case])}" if case in times else "")
        lines.append(line)
    return table(["ns / ratio", *(f"{gap} m" for gap in gaps)], lines)


def other_tasks(report: Report) -> str:
    lines = []
    pairs = (
        ("time", "ratio", ""),
        ("mean time", "mean ratio", ", mean"),
        ("time on two threads", "thread ratio", ", two threads"),
    )
    for time_name, ratio_name, suffix in pairs:
        times, ratios = select(report, time_name), select(report, ratio_name)
        for case, row in times.items():
            if case.task != "distance":
                name = f"{case.task} {case.family} {case.gap} m{suffix}"
                lines.append([name, text(row["ours"], ".0f"), text(row["peers"].get("coal"), ".0f"), mark(ratios[case])])
    return table(["other tasks", "tactum ns", "coal ns", "ratio"], sorted(lines)) if lines else ""


def errors(report: Report) -> str:
    """The worst of a family. Peers alone have errors: the bounds they are measured by are tactum's own."""
    distances, normals, failures = (select(report, name) for name in ("distance error", "normal error", "failures"))
    lines = []
    for family in dict.fromkeys(case.family for case in failures):
        line = [family]
        for rows in (distances, normals):
            own = [row["peers"] for case, row in rows.items() if case.family == family]
            line += [text(max((peers[peer] for peers in own if peer in peers), default=None), ".0e") for peer in PEERS]
        failed = [row for case, row in failures.items() if case.family == family]
        line.append(text(sum(row["ours"] for row in failed), ".0f"))
        for peer in PEERS:
            counts = [row["peers"][peer] for row in failed if peer in row["peers"]]
            line.append(text(sum(counts) if counts else None, ".0f"))
        lines.append(line)
    head = [f"{what}: {peer}" for what in ("distance", "normal") for peer in PEERS]
    return table(["largest error", *head, "failures: tactum", *PEERS], lines)


def missed(report: Report) -> str:
    """Goals that do not hold, one line for a family and a goal."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in report["rows"]:
        if row["holds"] is False:
            case = parse_case(row["case"])
            goal = f"{row['quantity']} {row['relation']} {row['goal']:g}"
            groups.setdefault((f"{case.task} {case.family}", goal), []).append(row)
    lines = []
    for (name, goal), rows in groups.items():
        worst = (min if rows[0]["relation"] == ">=" else max)(row["ours"] for row in rows)
        lines.append([name, goal, str(len(rows)), text(worst, ".3g")])
    return table(["goals missed", "goal", "cells", "worst"], lines) if lines else "No goal is missed.\n"


def full_tables(report: Report) -> str:
    parts = [
        standing(report),
        "Time of `tactum::distance` and, behind the stroke, coal's best setting divided by it; (-) is a goal missed.\n",
        grid(report, "approach"),
        "The same with elongated shapes whose line of centres is far from the normal:\n" if grid(report, "offset") else "",
        grid(report, "offset"),
        other_tasks(report),
        "Errors of the peers against the bounds that tactum proves, relative to the scale of the pair; of normals in degrees, 99th percentile.\n",
        errors(report),
        missed(report),
    ]
    return "\n".join(part for part in parts if part)


def short_table(report: Report) -> str:
    times, ratios, error = select(report, "time"), select(report, "ratio"), select(report, "distance error")
    lines = []
    for case, row in times.items():
        first, _, second = case.family.partition("-")
        if case.task != "distance" or case.poses != "approach" or first != second or case.gap not in ("+0.01", "-0.01"):
            continue
        peers = [text(row["peers"].get(peer), ".0f") for peer in PEERS]
        off = text(error[case]["peers"].get("coal"), ".0e")
        lines.append([f"{case.family} {case.gap} m", text(row["ours"], ".0f"), *peers, mark(ratios[case]), off])
    head = ["distance query, ns", "tactum", "coal", "FCL", "Bullet", "coal / tactum", "coal's error"]
    return standing(report) + "\n" + table(head, lines)


PAGES: dict[str, Callable[[Report], str]] = {"README.md": short_table, "docs/how-it-is-fast.md": full_tables}


def replace_block(page: str, block: str) -> str:
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"no {BEGIN} ... {END}")
    return f"{before}{BEGIN}\n\n{block}\n{END}{after}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path, help="JSON of ./run compare narrow --json FILE")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the tree whose pages to write")
    parser.add_argument("--note", default="", help="a sentence about the run, such as what else the machine was doing")
    parsed = parser.parse_args(arguments)
    report: Report = json.loads(parsed.report.read_text(encoding="utf-8"))
    if report["quick"]:
        print(f"{parsed.report}: made with --quick, too few poses to publish", file=sys.stderr)
        return 1
    report["note"] = parsed.note
    for name, make in PAGES.items():
        page = parsed.root / name
        page.write_text(replace_block(page.read_text(encoding="utf-8"), make(report)), encoding="utf-8")
        print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
