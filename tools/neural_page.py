#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the figures of docs/neural-model-card.md from the reports beside it.

    python tools/neural_page.py          bring the generated parts of the page up to date
    python tools/neural_page.py --check  fail where they are not those of the committed JSON

neural-report.json is what `tactum neural evaluate` wrote, neural-training.json the curves of
`tactum neural train`, neural-manifest.json what `tactum neural label` wrote, neural-efficiency.json
reports of networks that were trained on fewer objects. A part of the page is what stands between
<!-- neural:NAME:begin --> and <!-- neural:NAME:end -->.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

PAGES = Path(__file__).resolve().parent.parent / "docs"
SETS = {"known": "known, pairs held back", "unknown": "unknown", "ycb": "YCB"}
Report = dict[str, Any]


def table(head: list[str], body: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body])


def percent(value: float) -> str:
    return f"{100.0 * value:.2f} %"


def accuracy(report: Report) -> str:
    """Uniform poses."""
    body = []
    cases = [(name, f"{name}-uniform") for name in SETS]
    cases += [("ycb", f"ycb-uniform-scale-{scale}") for scale in (0.7, 1.5, 2.0)]
    for group, key in cases:
        found = report["sets"][key]
        scale = key.rpartition("-scale-")[2] if "-scale-" in key else ""
        name = SETS[group] + (f", scale {scale}" if scale else "")
        body.append(
            [
                name,
                str(found["count"]),
                percent(found["overlapping"]),
                percent(found["accuracy"]),
                percent(found["balanced_accuracy"]),
                percent(found["false_negative_rate"]),
            ]
        )
    head = ["objects", "poses", "colliding", "accuracy", "both answers alike", "missed"]
    return table(head, body)


def range_text(entry: Report) -> str:
    low, high = 1e3 * entry["from"], 1e3 * entry["to"]
    return f"above {low:g}" if high > 1e6 else f"{low:g} to {high:g}"


def near_contact(report: Report) -> str:
    """Accuracy and angle of the gradient by distance, on poses near contact."""
    head = ["distance, mm"]
    columns: list[list[str]] = []
    for group, name in SETS.items():
        found = report["sets"][f"{group}-slide"]
        for side in ("apart", "overlapping"):
            head.append(f"{name}: {side}")
            own = [entry for entry in found["bins"] if entry["side"] == side]
            columns.append([percent(entry["accuracy"]) for entry in own])
        head.append(f"{name}: angle")
        columns.append([f"{entry['angle'][1]:.0f}°" for entry in found["gradient"]["bins"]])
    first = [range_text(e) for e in found["bins"] if e["side"] == "apart"]
    return table(head, [list(row) for row in zip(first, *columns)])


def calibration(report: Report) -> str:
    """How well the probabilities are calibrated, and the error of the estimated distance."""
    body = []
    for group, name in SETS.items():
        found = report["sets"][f"{group}-slide"]
        body.append(
            [
                name,
                str(found["count"]),
                percent(found["accuracy"]),
                percent(found["calibration"]["expected_error"]),
                f"{1e3 * found['distance_error']:.1f} mm",
            ]
        )
    head = ["objects", "poses", "accuracy", "expected calibration error", "median error, apart"]
    return table(head, body)


def filter_table(report: Report) -> str:
    """The filter on objects that did not choose its threshold."""
    body = []
    for entry in report["filter"]:
        body.append(
            [
                f"{entry['asked']:g}",
                f"{entry['threshold']:.2f}",
                f"{entry['interval'][0]:.1e} to {entry['interval'][1]:.1e}",
                *(
                    f"{entry['sets'][group]['missed']:.1e} of {entry['sets'][group]['collisions']}"
                    for group in ("unknown", "ycb")
                ),
                percent(entry["sets"]["unknown-uniform"]["passed_apart"]),
                percent(entry["sets"]["ycb-uniform"]["passed_apart"]),
            ]
        )
    head = ["rate asked for", "threshold", "interval", "missed, unknown", "missed, YCB"]
    return table([*head, "alarms, unknown", "alarms, YCB"], body)


def training(curves: Report, manifest: Report) -> str:
    """One paragraph about the run."""
    size = curves["options"]["size"]
    last = curves["curves"][-1]
    records = manifest["files"]["contacts"]["rows"]
    return (
        f"{curves['steps']} steps of {curves['options']['group'] ** 2 * curves['options']['repeats']} "
        f"examples, from {records} contact records of {manifest['objects']['known']} objects (seed "
        f"{manifest['seed']}, SHA-256 {manifest['files']['contacts']['sha256'][:16]}…). Grid of "
        f"{size['cells']}^3 cells, {size['points']} points, widths {size['width']}, "
        f"{size['channels']}, {size['features']} and {size['hidden']}. Last loss {last['loss']:.3f}, "
        f"accuracy of the last examples {percent(last['accuracy'])}."
    )


def efficiency(report: Report, final: Report, objects: int) -> str:
    """Accuracy against the number of objects; the last column is the network itself."""
    body = []
    for crop, name in (("field", "ours"), ("global", "one feature an object")):
        for kind in ("uniform", "slide"):
            row = [f"{name}, {kind}"]
            for count in report["objects"]:
                row.append(f"{report[crop][str(count)][f'ycb-{kind}']['accuracy']:.3f}")
            own = final["sets"][f"ycb-{kind}"]["accuracy"]
            body.append([*row, f"{own:.3f}" if crop == "field" else ""])
    body.append(["published, LOCC", "0.77", "0.90", "0.93", "0.93", ""])
    body.append(["published, GLOBAL", "0.67", "0.83", "0.92", "0.93", ""])
    counts = [str(count) for count in report["objects"]]
    return table(["accuracy on YCB", *counts, f"{objects}, trained to the end"], body)


def parts() -> dict[str, str]:
    """The generated parts by name."""

    def read(name: str) -> Report:
        found: Report = json.loads((PAGES / f"neural-{name}.json").read_text(encoding="utf-8"))
        return found

    report, manifest = read("report"), read("manifest")
    made = {
        "training": training(read("training"), manifest),
        "accuracy": accuracy(report),
        "near": near_contact(report),
        "calibration": calibration(report),
        "filter": filter_table(report),
    }
    if (PAGES / "neural-efficiency.json").exists():
        known = manifest["objects"]["known"]
        made["efficiency"] = efficiency(read("efficiency"), report, known)
    return made


def rewritten(page: str) -> str:
    for name, text in parts().items():
        begin, end = f"<!-- neural:{name}:begin -->", f"<!-- neural:{name}:end -->"
        head, found, rest = page.partition(begin)
        if not found or end not in rest:
            raise ValueError(f"the page has no part {name}")
        page = f"{head}{begin}\n\n{text}\n\n{end}{rest.partition(end)[2]}"
    return page


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only compare")
    options = parser.parse_args(argv)
    path = PAGES / "neural-model-card.md"
    page = path.read_text(encoding="utf-8")
    fresh = rewritten(page)
    if fresh == page:
        return 0
    if options.check:
        print("neural-model-card.md: stale; run python tools/neural_page.py", file=sys.stderr)
        return 1
    path.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
