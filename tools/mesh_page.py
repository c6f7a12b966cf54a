# SPDX-License-Identifier: BSD-2-Clause
"""The measured part of docs/mesh-speed.md from mesh.json and mesh-impact.json in bench/results.

    python tools/mesh_page.py [--check]

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
    Rows,
    by_case,
    heading,
    judged,
    line,
    measured_part,
    peer,
    short,
    shown,
)

__all__ = ["BEGIN", "END", "main", "measured", "written"]

PAGE = measured_page.ROOT / "docs" / "mesh-speed.md"
RESULTS = measured_page.ROOT / "bench" / "results" / "mesh.json"
IMPACTS = measured_page.ROOT / "bench" / "results" / "mesh-impact.json"
QUERIES = ("distance", "tracked distance", "collide")


def query_cells(rows: Rows, query: str) -> list[str]:
    """Our time, and the ratios to coal and to FCL."""
    ratios = [shown(rows.get(f"{query} ratio to {library}")) for library in ("coal", "fcl")]
    return [short(rows[f"{query} time"]["ours"]), *ratios]


def table(cases: Mapping[str, Rows], queries: Sequence[str]) -> list[str]:
    columns = [f"{query}{what}" for query in queries for what in (", us", " / coal", " / FCL")]
    lines = heading(["pair", *columns])
    for case, rows in cases.items():
        cells = [cell for query in queries for cell in query_cells(rows, query)]
        lines.append(line([case, *cells]))
    return lines


def tree_line(case: str, rows: Rows) -> str:
    times = [short(rows[f"{what} time"]["ours"]) for what in ("tree", "hull")]
    ratio = shown(rows.get("one core / all cores"))
    return line([case.removesuffix(", tree of the first"), times[0], ratio, times[1]])


def ray_line(case: str, row: Row) -> str:
    return line([case, short(row["ours"]), peer(row, "embree")])


def range_of(values: Sequence[float]) -> str:
    low, high = short(min(values)), short(max(values))
    return low if low == high else f"{low} to {high}"


def missed_goals(cases: Mapping[str, Rows]) -> list[str]:
    """A line for each quantity, and each gap between the meshes, of which a goal is missed."""
    groups: dict[tuple[str, str], list[tuple[str, Row]]] = {}
    for case, rows in cases.items():
        name, _, what = case.partition(", ")
        gap = f", {what}" if "distance time" in rows else ""
        for quantity, row in rows.items():
            if row["goal"] is not None:
                groups.setdefault((quantity, gap), []).append((name, row))
    lines = []
    for (quantity, gap), members in groups.items():
        missed = [(name, row) for name, row in members if row["holds"] is False]
        if not missed:
            continue
        values = range_of([row["ours"] for _, row in missed])
        names = f" ({'; '.join(name for name, _ in missed)})" if len(missed) <= 3 else ""
        lines.append(
            f"- *{quantity}{gap}*: {len(missed)} of {len(members)} miss the goal of "
            f"{short(missed[0][1]['goal'])}, with {values}{names}."
        )
    return lines


def embree_sentence(cases: Mapping[str, Rows]) -> list[str]:
    """How many times as long as Embree's our rays take."""
    rows = [rows["ray time"] for rows in cases.values() if "ray time" in rows]
    ratios = [row["ours"] / row["peers"]["embree"] for row in rows if "embree" in row["peers"]]
    return [f"A ray takes {range_of(ratios)} times as long as Embree's.", ""] if ratios else []


def impact_lines(report: Mapping[str, Any]) -> list[str]:
    """A table of the times of impact, with each peer's time, impacts found and wrong answers."""
    met, total = judged(report["rows"])
    cases = by_case(report)
    times = [rows["time of impact time"] for rows in cases.values()]
    peers = list(times[0]["peers"]) if times else []
    wrong = [f"impacts {what}" for what in ("missed", "too late", "too early")]
    motions = next((case.rsplit(", ", 1)[1] for case in cases), "no motions")
    lines = [
        f"Times of impact of {motions} a pair, by a run of their own on {report['machine']}, in "
        f"processor time; {met} of {total} goals met. Found are the impacts with a time; wrong are "
        "those missed, too late and too early.",
        "",
        *heading(["pair", "us", "found", "wrong",
                  *(f"{p}{w}" for p in peers for w in (", us", " found", " wrong")),
                  "ratio to FCL"]),
    ]  # fmt: skip
    for case, rows in cases.items():
        found, time = rows["impacts found"], rows["time of impact time"]
        cells = [short(time["ours"]), str(found["ours"]),
                 " + ".join(str(rows[what]["ours"]) for what in wrong)]  # fmt: skip
        for p in peers:
            cells += [peer(time, p), str(found["peers"][p]),
                      " + ".join(str(rows[what]["peers"][p]) for what in wrong)]  # fmt: skip
        cells.append(shown(rows.get("time of impact ratio to fcl")))
        lines.append(line([case.rsplit(", ", 1)[0], *cells]))
    return lines


def measured(report: Mapping[str, Any], impacts: Mapping[str, Any]) -> str:
    cases = by_case(report)
    of_pairs = {case: rows for case, rows in cases.items() if "distance time" in rows}
    builds = {
        case.removesuffix(", 1 m"): rows for case, rows in cases.items() if "build time" in rows
    }
    lines = [
        *table(of_pairs, QUERIES),
        "",
        *table(builds, ("build",)),
        "",
        *heading(["one mesh", "tree, us on one core", "one core / all cores", "hull, us"]),
        *(tree_line(case, rows) for case, rows in cases.items() if "tree time" in rows),
        "",
        *heading(["rays against one mesh", "us a ray", "Embree, us"]),
        *(ray_line(case, rows["ray time"]) for case, rows in cases.items() if "ray time" in rows),
        "",
        *heading(["objects of convex parts", "us a pair", "note"], last="---"),
    ]
    for case, rows in cases.items():
        if case.endswith("parts near contact"):
            row = rows["collide time"]
            lines.append(line([case, shown(row), row["note"]]))
    lines += ["", *impact_lines(impacts), "", *embree_sentence(cases)]
    lines += ["**Goals missed.**", "", *missed_goals(cases)]
    return measured_part(report, lines)


def written(page: str, report: Mapping[str, Any], impacts: Mapping[str, Any]) -> str:
    """The page with the figures of both reports."""
    return measured_page.with_part(page, measured(report, impacts))


def main(argv: Sequence[str]) -> int:
    def files() -> Mapping[Path, str]:
        report, impacts = (
            json.loads(path.read_text(encoding="utf-8")) for path in (RESULTS, IMPACTS)
        )
        return {PAGE: written(PAGE.read_text(encoding="utf-8"), report, impacts)}

    return measured_page.command(argv, "mesh_page", __doc__, files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
