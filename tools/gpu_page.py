#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the figures of docs/guide/gpu.md from what `./run gpu-bench` and `./run gpu-test` measured.

    python tools/gpu_page.py          bring the generated parts of the page up to date
    python tools/gpu_page.py --check  fail where they are not those of the committed JSON

The JSON lies beside the page: gpu-scaling.json and gpu-test.json. A part of the page is what stands
between <!-- gpu:NAME:begin --> and <!-- gpu:NAME:end -->.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

GUIDE = Path(__file__).resolve().parent.parent / "docs" / "guide"
Rows = list[dict[str, Any]]

# heading of each column and the query of the bench that it shows
QUERIES = {
    "`collides`": "collides",
    "`distances`, `depth=False`: status, distance, normal": "depth bounded",
    "with depths": "distance, normal",
    "and the Jacobian of the distance": "with Jacobian",
    "instead, points and bounds": "with points, bounds",
    "and tolerance 1e-10": "tolerance 1e-10",
}
SHAPES = {
    "hull27": "64 hulls of 27 vertices",
    "box": "64 boxes",
    "all kinds": "64 shapes of eight kinds",
    "hull256": "16 hulls of 256 vertices",
    "hull27, deep": "hulls of 27 vertices, all deep in each other",
    "box, deep": "boxes, all deep in each other",
}
OBJECTS = {
    "objects, 8 hulls": "8",
    "objects, 32 hulls": "32",
    "objects, 64 hulls": "64",
}


def found(rows: Rows, query: str, shapes: str) -> dict[str, Any]:
    """The row of a query with the default number of pairs, which comes first."""
    return next(row for row in rows if row["query"] == query and row["shapes"] == shapes)


def rate(row: dict[str, Any]) -> str:
    """G pairs a second."""
    value = 1e-9 * row["pairs_per_second"]
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def table(head: list[str], body: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body])


def machine(report: dict[str, Any]) -> str:
    return f"{report['machine']} (CUDA {report['cuda']}, {report['date']})"


def speed(report: dict[str, Any]) -> str:
    rows: Rows = report["rows"]
    body = [
        [name, *(rate(found(rows, query, shapes)) for query in QUERIES.values())]
        for shapes, name in SHAPES.items()
    ]
    intro = (
        f"{machine(report)}: data on the device, CUDA events, median of {report['repeats']} calls, "
        f"random pairs, poses in double; of the hulls "
        f"{100 * overlap_share(rows, 'hull27'):.0f} % overlap."
    )
    return f"{intro}\n\n{table(['G pairs/s', *QUERIES], body)}"


def overlap_share(rows: Rows, shapes: str) -> float:
    row = found(rows, "depth bounded", shapes)
    return float(row["overlapping"] / row["pairs"])


def depths(report: dict[str, Any]) -> str:
    """Pairs whose depth was found a second, as the difference of two queries."""
    rows: Rows = report["rows"]
    values = {}
    for shapes in ("hull27", "hull27, deep", "box", "box, deep"):
        bounded = found(rows, "depth bounded", shapes)
        deep = found(rows, "distance, normal", shapes)
        seconds = deep["seconds"] - bounded["seconds"]
        values[shapes] = f"{1e-9 * bounded['overlapping'] / seconds:.2f}"
    return (
        f"Depths, as the difference of the two columns: {values['hull27']} G/s for the overlapping "
        f"ones among random pairs of hulls, {values['hull27, deep']} for hulls about the same point; "
        f"boxes {values['box']} and {values['box, deep']}."
    )


def objects(report: dict[str, Any]) -> str:
    rows: Rows = report["rows"]
    head = [
        "parts of each object",
        "`collides`",
        "`distances`, `depth=False`",
        "with depths",
        "uniform flow, 8 iterations",
        "16 iterations",
        "`collides` over uniform flow, 8",
    ]
    queries = ["collides", "depth bounded", "distance, normal"]
    queries += ["uniform flow, 8", "uniform flow, 16"]
    body = []
    for shapes, parts in OBJECTS.items():
        of = [found(rows, query, shapes) for query in queries]
        ratio = of[0]["pairs_per_second"] / of[3]["pairs_per_second"]
        millions = [f"{1e-6 * row['pairs_per_second']:.3g}" for row in of]
        body.append([parts, *millions, f"{ratio:.0f} times"])
    intro = (
        "Pairs of objects, rings of hulls of 27 vertices, 0 to 60 mm from contact on either side "
        "(normal distribution, standard deviation 20 mm), million pairs of objects a second:"
    )
    return f"{intro}\n\n{table(head, body)}"


def sizes(report: dict[str, Any]) -> str:
    rows: Rows = report["rows"]
    counts = [10**k for k in range(9)]
    body = []
    for name, query in (("`collides`", "collides"), ("`distances`", "distance, normal")):
        times = {
            row["pairs"]: row["seconds"]
            for row in rows
            if row["query"] == query and row["shapes"] == "hull27"
        }
        body.append([name, *(f"{1e6 * times[count]:.0f}" for count in counts)])
    head = ["pairs", *(f"1e{k}" for k in range(9))]
    return (
        "Time against the number of pairs, 27-vertex hulls, with depths, microseconds:\n\n"
        + table(head, body)
    )


def proof(report: dict[str, Any]) -> str:
    cases: Rows = report["cases"]

    def total(field: str, chosen: Rows = cases) -> int:
        return sum(case[field] for case in chosen)

    of_objects = [case for case in cases if case["case"].startswith("objects")]
    other = ("1e-10", "bounded")
    loose = [case for case in cases if not any(word in case["case"] for word in other)]
    return (
        f"{machine(report)}: {total('pairs'):.3g} pairs, half of them grazing, of which "
        f"{total('pairs', of_objects):.2g} are pairs of objects: {total('faults')} faults. "
        f"{total('sample'):.3g} of them against the CPU: {total('sample_bounds_apart')} bounds "
        f"apart, {total('sample_wrong_signs') + total('sample_wrong_collisions')} wrong signs; "
        f"{total('order_differs')} bits changed by the order; {report['bad_input_faults']} bad "
        f"inputs answered wrongly. At a tolerance of 1e-6 "
        f"{100 * total('not_converged', loose) / total('pairs', loose):.2g} % of "
        f"{total('pairs', loose):.2g} pairs stay undecided, most of them grazing."
    )


def with_part(page: str, name: str, text: str) -> str:
    begin, end = f"<!-- gpu:{name}:begin -->", f"<!-- gpu:{name}:end -->"
    head, _, rest = page.partition(begin)
    _, mark, tail = rest.partition(end)
    if not mark:
        raise SystemExit(f"docs/guide/gpu.md has no part {begin} ... {end}")
    return f"{head}{begin}\n{text}\n{end}{tail}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    scaling = json.loads((GUIDE / "gpu-scaling.json").read_text())
    test = json.loads((GUIDE / "gpu-test.json").read_text())
    before = page = (GUIDE / "gpu.md").read_text()
    for part in (speed, depths, objects, sizes):
        page = with_part(page, part.__name__, part(scaling))
    page = with_part(page, proof.__name__, proof(test))
    if arguments.check and page != before:
        print("docs/guide/gpu.md is not what its JSON says: run python3 tools/gpu_page.py")
        return 1
    if not arguments.check:
        (GUIDE / "gpu.md").write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
