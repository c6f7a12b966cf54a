#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the figures of docs/guide/gpu.md and of docs/reproduce/gpu-scaling.md from what was measured.

    python tools/gpu_page.py               bring the generated parts of the pages up to date
    python tools/gpu_page.py --check       fail where they are not those of the committed JSON
    python tools/gpu_page.py --plot FILE   draw time against size, which needs tactum and matplotlib

The JSON lies beside the pages: gpu-scaling.json of `./run gpu-bench`, gpu-test.json of `./run
gpu-test` and gpu-roofline.json of tools/gpu_roofline.py beside the guide, gpu-scaling.json of
`tactum reproduce gpu-scaling` beside the experiment. A part of a page is what stands between
<!-- gpu:NAME:begin --> and <!-- gpu:NAME:end -->.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
GUIDE, REPRODUCE = DOCS / "guide", DOCS / "reproduce"
Rows = list[dict[str, Any]]

# heading of each column and the query of the bench that it shows
QUERIES = {
    "`collides`": "collides",
    "`distances`, `depth=False`: status, distance, normal": "depth bounded",
    "with depths": "distance, normal",
    "and the Jacobian of the distance": "with Jacobian",
    "`depth=False`, Jacobians of distance and normal": "with normal Jacobian",
    "with depths, points and bounds": "with points, bounds",
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


def points(report: dict[str, Any]) -> str:
    """Points against shapes, and the baseline of implicit surfaces."""
    rows: Rows = report["rows"]
    of_points = [
        f"{rate(found(rows, 'signed distance', shapes))} G/s ({SHAPES[shapes]})"
        for shapes in ("hull27", "all kinds")
    ]
    baseline = [
        f"{1e-6 * found(rows, f'implicit surface, {count}', 'rings')['pairs_per_second']:.3g} "
        f"million pairs/s with {count} points"
        for count in (500, 1500)
    ]
    return (
        f"Points, distance and gradient: {', '.join(of_points)}. Implicit surfaces, rings of 6,144 "
        f"triangles on grids of 64 nodes along the longest side: {', '.join(baseline)}."
    )


# kernel: what it does, in the order of the table
KERNELS = {
    "object_kernel": "`collides` of objects, 1.0 million rows: bounds and search",
    "first_parts_kernel": "`distances` of objects: the most promising pair of parts of 131,072 rows",
    "near_parts_kernel": "all other pairs of parts that may be nearer",
    "collision_kernel": "`collides`: search",
    "collision_again_kernel": "`collides`: second search",
    "search_kernel": "`distances`: search",
    "proof_kernel": "proof",
    "overlap_kernel": "proof of overlaps, without depths",
    "polytope_kernel": "depths by lanes",
    "polytope_proof_kernel": "their proof",
    "depth_kernel": "depths by warps, what lanes leave",
    "again_kernel": "second search",
    "jacobian_kernel": "Jacobians of distance and normal",
}


def roofline(report: dict[str, Any]) -> str:
    by_name = {row["kernel"]: row for row in report["kernels"]}
    body = [
        [
            what,
            f"{1e-6 * by_name[kernel]['nanoseconds']:.2f}",
            *(f"{by_name[kernel][name]:.0f} %" for name in ("issue", "on_chip", "device_memory")),
            f"{by_name[kernel]['lanes']:.1f}",
        ]
        for kernel, what in KERNELS.items()
        if kernel in by_name
    ]
    head = ["kernel", "time, ms", "instructions issued", "memory on the chip", "device memory"]
    intro = (
        f"Where the time goes, 4.2 million pairs of 27-vertex hulls ({report['machine']}, "
        f"{report['date']}; `ncu`, share of the peak, by `tools/gpu_roofline.py`; the column of "
        "memory on the chip is the larger share of first-level cache with shared memory and of "
        "second-level cache; of several launches of a kernel the longest):"
    )
    return f"{intro}\n\n{table([*head, 'lanes busy of 32'], body)}"


def curve(report: dict[str, Any]) -> str:
    """The table of the page of the experiment."""
    times: dict[str, dict[float, float]] = {}
    lines = []
    for row in report["rows"]:
        if row["quantity"] == "time of a batch" and row["ours"] is not None:
            query, size = row["case"].removesuffix(" pairs").rsplit(", ", 1)
            times.setdefault(query, {})[float(size)] = row["ours"]
        elif row["quantity"] == "size from which the GPU pays" and row["ours"] is not None:
            lines.append(f"- {row['case']}: pays from {row['ours']:.2g} pairs on.")
        elif row["quantity"] == "rate" and row["goal"] is not None:
            met = "met" if row["holds"] else "missed"
            lines.append(f"- {row['case']}: {row['ours']:.2f} G/s, goal {row['goal']:g} G/s {met}.")
    counts = sorted({size for own in times.values() for size in own})
    body = [
        [query, *(f"{1e6 * own[size]:.3g}" if size in own else "" for size in counts)]
        for query, own in times.items()
    ]
    notes = {row["note"] for row in report["rows"] if row["case"].startswith("GPU") and row["note"]}
    machine_text = f"{', '.join(sorted(notes))}; {report['machine']}"
    head = ["pairs", *(f"{size:.0e}" for size in counts)]
    machine_text += f" ({report['date']})"
    return f"{machine_text}. Microseconds a batch:\n\n{table(head, body)}\n\n" + "\n".join(lines)


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

    def undecided(chosen: Rows) -> str:
        share = total("not_converged", chosen) / total("pairs", chosen)
        return f"{100 * share:.2g} % of {total('pairs', chosen):.2g}"

    of_objects = [case for case in cases if case["case"].startswith("objects")]
    close = [case for case in cases if "1e-10" in case["case"]]
    bounded = [case for case in cases if "depth bounded" in case["case"]]
    usual = [case for case in cases if case not in close and case not in bounded]
    return (
        f"{machine(report)}: {total('pairs'):.3g} pairs, half of them grazing, of which "
        f"{total('pairs', of_objects):.2g} are pairs of objects: {total('faults')} faults. "
        f"{total('sample'):.3g} of them against the CPU: {total('sample_bounds_apart')} bounds "
        f"apart, {total('sample_wrong_signs') + total('sample_wrong_collisions')} wrong signs; "
        f"{total('order_differs')} rows changed by the order of the batch "
        f"({report['order_covers']}); {report['bad_input_faults']} bad inputs answered wrongly. "
        f"`not_converged` are, with depths, at a tolerance of 1e-6 {undecided(usual)} pairs and at "
        f"1e-10 {undecided(close)}; with `depth=False` at 1e-6 {undecided(bounded)}, most of which "
        f"are proved to overlap."
    )


def with_part(page: str, name: str, text: str) -> str:
    begin, end = f"<!-- gpu:{name}:begin -->", f"<!-- gpu:{name}:end -->"
    head, _, rest = page.partition(begin)
    _, mark, tail = rest.partition(end)
    if not mark:
        raise SystemExit(f"the page has no part {begin} ... {end}")
    return f"{head}{begin}\n{text}\n{end}{tail}"


def read(path: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(path.read_text())
    return report


def pages() -> dict[Path, str]:
    """The pages as they should be."""
    scaling = read(GUIDE / "gpu-scaling.json")
    guide = (GUIDE / "gpu.md").read_text()
    for part in (speed, depths, points, objects, sizes):
        guide = with_part(guide, part.__name__, part(scaling))
    guide = with_part(guide, "proof", proof(read(GUIDE / "gpu-test.json")))
    guide = with_part(guide, "roofline", roofline(read(GUIDE / "gpu-roofline.json")))
    experiment = (REPRODUCE / "gpu-scaling.md").read_text()
    experiment = with_part(experiment, "curve", curve(read(REPRODUCE / "gpu-scaling.json")))
    return {GUIDE / "gpu.md": guide, REPRODUCE / "gpu-scaling.md": experiment}


def plot(path: Path) -> None:
    from matplotlib.figure import Figure
    from tactum.reproduce.experiments.gpu_scaling import draw_rows

    figure = Figure(figsize=(7.0, 5.0), dpi=110, facecolor="white", layout="constrained")
    axes = figure.subplots()
    draw_rows(axes, read(REPRODUCE / "gpu-scaling.json")["rows"])
    # the same queries without Python, up to larger batches
    of_bench: Rows = read(GUIDE / "gpu-scaling.json")["rows"]
    for query, label in {"distance, normal": "distances", "collides": "collides"}.items():
        sizes = [row for row in of_bench if row["query"] == query and row["shapes"] == "hull27"][1:]
        seconds = [row["seconds"] for row in sizes]
        axes.loglog([row["pairs"] for row in sizes], seconds, ":", label=f"GPU, {label}, from C++")
    axes.legend(fontsize=8)
    figure.savefig(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    if arguments.plot is not None:
        plot(arguments.plot)
        return 0
    wrong = {path: page for path, page in pages().items() if page != path.read_text()}
    if arguments.check:
        for path in wrong:
            print(f"{path.relative_to(DOCS.parent)}: not what its JSON says: tools/gpu_page.py")
        return 1 if wrong else 0
    for path, page in wrong.items():
        path.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
