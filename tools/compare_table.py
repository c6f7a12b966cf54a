#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the measured tables of README.md and docs/speed-results.md from the reports in
bench/results.

    python3 tools/compare_table.py                 the pages from the reports that are there
    python3 tools/compare_table.py FILE...         takes in new reports first: JSON of ./run compare narrow or derivative --json FILE

What stands between <!-- compare:begin --> and <!-- compare:end --> of a page is replaced: ten cells
in README.md, all of them, with the goals that are missed, in docs/speed-results.md. A report made
with --quick is refused: it has a handful of poses a cell.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

BEGIN, END = "<!-- compare:begin -->", "<!-- compare:end -->"
CASE = re.compile(r"^(?:(collide|tracked|batch) )?(\S+) ([+-]\S+) m(, offset)?$")
PEERS = ("coal", "fcl", "bullet")
RESULTS = Path("bench/results")
NAMES = ("narrow", "derivative")
COMMAND = "`./run compare narrow --json FILE`, then `python3 tools/compare_table.py FILE`"
# of every kind of shape one cell, apart and in penetration, and those that lose
SHORT = (
    "sphere-sphere +0.01 m", "sphere-capsule +0.01 m", "box-box +0.01 m", "box-box -0.01 m", "ellipsoid-ellipsoid +0.01 m",
    "ellipsoid-ellipsoid -0.01 m", "hull100-hull100 +0.01 m", "hull100-hull100 -0.01 m", "cylinder-cylinder -0.01 m",
    "box-cone -0.01 m",
)  # fmt: skip
DERIVATIVE_TIMES = ("query", "exact", "gumbel", "gaussian")
DERIVATIVE_RATIOS = (
    "exact share",
    "distance share",
    "gumbel against coal",
    "gaussian against coal",
)

Row = dict[str, Any]
Report = dict[str, Any]


class Case(NamedTuple):
    """The parts of the name of a cell."""

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
    """Source of the numbers, and how often tactum is ahead."""
    ratios = [row for row in report["rows"] if row["quantity"] == "ratio"]
    faster = sum(row["ours"] > 1.0 for row in ratios)
    lines = [f"Written by {COMMAND}. {report['machine']}, one thread, seed {report['seed']}."]
    lines.append(f"tactum is faster than coal in {faster} of {len(ratios)} cells.")
    lines += slower(ratios)
    return "\n".join(lines) + "\n"


def slower(ratios: Sequence[Row]) -> list[str]:
    """The groups of cells in which coal is faster, and by how much at worst."""
    groups: dict[str, list[float]] = {}
    for row in ratios:
        case = parse_case(row["case"])
        groups.setdefault(f"{case.task} {case.family}", []).append(row["ours"])
    lost = sorted((min(group), name) for name, group in groups.items() if min(group) <= 1.0)
    if not lost:
        return []
    texts = [
        f"{name} (in {sum(ratio <= 1.0 for ratio in groups[name])} of {len(groups[name])} cells, "
        f"at worst {1.0 / worst:.2f} times)"
        for worst, name in lost
    ]
    return [f"tactum takes longer for {', '.join(texts)}."]


def goals_met(report: Report) -> str:
    goals = [row["holds"] for row in report["rows"] if row["timing"] and row["holds"] is not None]
    return f"{sum(goals)} of {len(goals)} goals of speed are met.\n"


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
            line.append(
                f"{text(times[case]['ours'], '.0f')} / {mark(ratios[case])}"
                if case in times
                else ""
            )
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
                lines.append(
                    [
                        name,
                        text(row["ours"], ".0f"),
                        text(row["peers"].get("coal"), ".0f"),
                        mark(ratios[case]),
                    ]
                )
    return table(["other tasks", "tactum ns", "coal ns", "ratio"], sorted(lines)) if lines else ""


def errors(report: Report) -> str:
    """The worst of a family. Peers alone have errors: the bounds they are measured by are
    tactum's own."""
    distances, normals, failures = (
        select(report, name) for name in ("distance error", "normal error", "failures")
    )
    lines = []
    for family in dict.fromkeys(case.family for case in failures):
        line = [family]
        for rows in (distances, normals):
            own = [row["peers"] for case, row in rows.items() if case.family == family]
            line += [
                text(max((peers[peer] for peers in own if peer in peers), default=None), ".0e")
                for peer in PEERS
            ]
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
    return (
        table(["goals missed", "goal", "cells", "worst"], lines)
        if lines
        else "No goal is missed.\n"
    )


def instructions(report: Report) -> str:
    counts, ratios = select(report, "instructions"), select(report, "instruction ratio")
    lines = [
        [f"{case.family} {case.gap} m", text(row["ours"], ".0f"), text(ratios[case]["ours"], ".1f")]
        for case, row in counts.items()
    ]
    return table(["instructions of a query", "tactum", "coal / tactum"], lines) if lines else ""


def derivatives(report: Report) -> str:
    """Times of the derivatives of a pair, and their ratios to the query and to twelve queries of
    coal."""
    by_name = {
        name: select(report, f"{name} time") for name in (*DERIVATIVE_TIMES, "finite differences")
    }
    ratios = {name: select(report, name) for name in DERIVATIVE_RATIOS}
    lines = []
    for case, differences in by_name["finite differences"].items():
        if case.gap not in ("+0.01", "-0.01"):
            continue
        line = [f"{case.family} {case.gap} m"]
        line += [
            text(by_name[name][case]["ours"], ".0f") if case in by_name[name] else "-"
            for name in DERIVATIVE_TIMES
        ]
        line.append(text(differences["peers"].get("coal"), ".0f"))
        for name, rows in ratios.items():
            mark_missed = " (-)" if case in rows and rows[case]["holds"] is False else ""
            line.append(
                text(rows[case]["ours"], ".2f" if "share" in name else ".1f") + mark_missed
                if case in rows
                else "-"
            )
        lines.append(line)
    head = [
        "ns",
        "query",
        "exact",
        "Gumbel",
        "Gaussian",
        "coal, 12 queries",
        "exact / query",
        "distance alone / query",
    ]
    return table([*head, "coal / Gumbel", "coal / Gaussian"], lines)


def full_tables(reports: Mapping[str, Report]) -> str:
    narrow, derivative = reports["narrow"], reports["derivative"]
    offset, counted = grid(narrow, "offset"), instructions(narrow)
    parts = [
        standing(narrow),
        f"{narrow['note']}\n" if narrow.get("note") else "",
        "## Distance queries\n",
        "Time of `tactum::distance` in ns and, behind the stroke, coal's best setting divided by it; (-) is a goal missed.\n",
        grid(narrow, "approach"),
        "Elongated shapes whose line of centers is far from the normal:\n" if offset else "",
        offset,
        "## Collide, tracked pairs and batches\n",
        other_tasks(narrow),
        "## Instructions\n" if counted else "",
        counted,
        "## Errors of the peers\n",
        "Errors against the bounds that tactum proves, relative to the scale of the pair; of normals in degrees, 99th percentile.\n",
        errors(narrow),
        "## Goals that are missed\n",
        goals_met(narrow),
        missed(narrow),
        "## Derivatives\n",
        "Written by `./run compare derivative --json FILE`, then `python3 tools/compare_table.py FILE`. "
        f"{derivative['machine']}, seed {derivative['seed']}.\n{derivative.get('note', '')}".rstrip()
        + "\n",
        derivatives(derivative),
    ]
    return "\n".join(part for part in parts if part)


def short_table(reports: Mapping[str, Report]) -> str:
    """Ten cells: time, and how many times longer coal takes."""
    times, ratios = select(reports["narrow"], "time"), select(reports["narrow"], "ratio")
    lines = []
    for case in map(parse_case, SHORT):
        if case in times:
            lines.append(
                [
                    f"{case.family} {case.gap} m",
                    text(times[case]["ours"], ".0f"),
                    text(ratios[case]["ours"], ".1f"),
                ]
            )
    return (
        standing(reports["narrow"])
        + "\n"
        + table(["distance query", "tactum, ns", "coal / tactum"], lines)
    )


PAGES: dict[str, Callable[[Mapping[str, Report]], str]] = {
    "README.md": short_table,
    "docs/speed-results.md": full_tables,
}


def take_in(report: Report, root: Path) -> str:
    """Stores what the tables need of a report, one row a line, and returns the name of the file."""
    name = str(report["name"]).removeprefix("compare ")
    if name not in NAMES:
        raise ValueError(f"{report['name']!r} is no report of ./run compare narrow or derivative")
    head = {key: value for key, value in report.items() if key != "rows"}
    fields = ("case", "quantity", "ours", "peers", "relation", "goal", "timing", "holds")
    lines = [json.dumps({key: rounded(row[key]) for key in fields}) for row in report["rows"]]
    path = root / RESULTS / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        json.dumps(head)[:-1] + ', "rows": [\n' + ",\n".join(lines) + "\n]}\n", encoding="utf-8"
    )
    return name


def rounded(value: Any) -> Any:
    """Five digits of a number, also inside a mapping: a time has no more."""
    if isinstance(value, Mapping):
        return {key: rounded(item) for key, item in value.items()}
    return float(f"{value:.5g}") if isinstance(value, float) else value


def replace_block(page: str, block: str) -> str:
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"no {BEGIN} ... {END}")
    return f"{before}{BEGIN}\n\n{block}\n{END}{after}"


def written(root: Path) -> dict[str, str]:
    """The pages as the stored reports make them."""
    reports = {
        name: json.loads((root / RESULTS / f"{name}.json").read_text(encoding="utf-8"))
        for name in NAMES
    }
    return {
        name: replace_block((root / name).read_text(encoding="utf-8"), make(reports))
        for name, make in PAGES.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "reports",
        type=Path,
        nargs="*",
        help="JSON of ./run compare narrow or derivative --json FILE",
    )
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(__file__).resolve().parent.parent,
        help="the tree whose pages to write",
    )
    parser.add_argument(
        "--note",
        default="",
        help="a sentence about the runs, such as what else the machine was doing",
    )
    parsed = parser.parse_args(arguments)
    for path in parsed.reports:
        report: Report = json.loads(path.read_text(encoding="utf-8"))
        if report["quick"]:
            print(f"{path}: made with --quick, too few poses to publish", file=sys.stderr)
            return 1
        print(f"stored {RESULTS / take_in({**report, 'note': parsed.note}, parsed.root)}.json")
    for name, page in written(parsed.root).items():
        (parsed.root / name).write_text(page, encoding="utf-8")
        print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
