#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the figures of docs/neural-model-card.md, and of the page of `locc-simulation` in
docs/reproduce once there are some, from the reports in docs.

    python tools/neural_page.py          bring the generated parts of the pages up to date
    python tools/neural_page.py --check  fail where they are not those of the committed JSON
    python tools/neural_page.py --plot FILE
                                         draw accuracy by distance on poses near contact, and
                                         accuracy against checks a second on a GPU, which needs
                                         matplotlib

neural-report.json is what `tactum neural evaluate` wrote, neural-training.json the curves of
`tactum neural train` and neural-training-start.json those of the run that it began with, neural-manifest.json what `tactum neural label` wrote, neural-efficiency.json
reports of networks that were trained on fewer objects, neural-device.json what
tools/neural_device.py measured and neural-simulation.json what tools/neural_simulation.py did; the
last three may be missing. A part of a page is what stands between <!-- neural:NAME:begin --> and
<!-- neural:NAME:end -->.
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


def training(start: Report, last: Report, manifest: Report) -> str:
    """One paragraph about the two runs."""
    size = last["options"]["size"]
    first = start["options"]["size"]
    records = manifest["files"]["contacts"]["rows"]
    examples = last["options"]["group"] ** 2 * last["options"]["repeats"]
    end = last["curves"][-1]
    return (
        f"{start['steps']} steps of a network with {first['features']} features and width "
        f"{first['hidden']}, then {last['steps']} steps of the one that ships, of {examples} "
        f"examples each, from {records} contact records of {manifest['objects']['known']} objects "
        f"(seed {manifest['seed']}; SHA-256 of the second run's "
        f"{manifest['files']['contacts']['sha256'][:16]}…). Grid of {size['cells']}^3 cells, "
        f"{size['points']} points, widths {size['width']}, {size['channels']}, {size['features']} "
        f"and {size['hidden']}. Last loss {end['loss']:.3f}, accuracy of the last examples "
        f"{percent(end['accuracy'])}."
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


def rate(value: float) -> str:
    """Checks a second."""
    return f"{1e-9 * value:.2f} G" if value >= 1e8 else f"{1e-6 * value:.3g} M"


GOAL, GOAL_WIDTH = 1.5e9, "128"  # checks a second, and the width that it was set for


def work_text(network: Report) -> str:
    """What a check costs and how many there are, as sentences."""
    rates = [network["speed"]["fused"][count] for count in ("64", "1024", "65536")]
    work, most = network["layer_operations"], max(rates)
    text = (
        f"Its dense layers are {1e-6 * work:.2f} million operations a check, "
        f"{1e-15 * work * most:.2f} PFLOP/s at its fastest, {rate(most)} checks a second; an object "
        f"has {network['cells']:.0f} cells with points in the mean."
    )
    if network["size"]["hidden"] == GOAL_WIDTH:
        text += (
            f" Where 64 poses or more share a pair, it does {min(rates) / GOAL:.2f} to "
            f"{most / GOAL:.2f} times the {rate(GOAL)} checks a second that were the goal."
        )
    return text


def device(report: Report) -> str:
    """Accuracy and speed on one GPU, and how far the kernel is from double precision."""
    body, notes = [], []
    for network in report["networks"]:
        size = network["size"]
        name = f"network, {size['features']} features, width {size['hidden']}"
        sets, fast = network["sets"], network["speed"]
        rates = [rate(fast["fused"][count]) for count in ("1", "64", "65536")]
        accuracies = [percent(sets[f"{group}-uniform"]["kernel"]) for group in SETS]
        body.append([f"{name}: one kernel", *accuracies, *rates, ""])
        accuracies = [percent(sets[f"{group}-uniform"]["torch"]) for group in SETS]
        body.append([f"{name}: PyTorch", *accuracies, "", rate(fast["torch"]), "", ""])
        own = network["agreement"]
        notes.append(
            f"Width {size['hidden']}: the logits of {own['rows']} poses near contact differ from "
            f"those in double precision by {own['median']:.2g} in the median and {own['largest']:.2g} "
            f"at most, where their standard deviation is {own['logit_spread']:.2g}; "
            f"{own['other_side']} change sides. {work_text(network)}"
        )
    for entry in report.get("baselines", []):
        name = f"{entry['name']}, {entry['setting']}"
        body.append([name, "", percent(entry["accuracy"]), "", "", "", "", rate(entry["rate"])])
    head = ["", *SETS.values(), "checks a second, no two poses of one pair", "64 of each pair"]
    head += ["65,536 of each pair", "poses of the test set, in its order"]
    place = f"{report['device']} ({report['date']})"
    return f"{place}.\n\n{table(head, body)}\n\n" + "\n".join(notes)


def simulation(report: Report) -> str:
    """Distances at the contacts that a source reports, and the time of a step."""
    body, times = [], []
    counts: list[str] = []
    for name, found in report["sources"].items():
        own = found["fidelity"]
        distances = [f"{1e3 * own[key]:.2f}" for key in ("mean", "worst_tenth", "largest")]
        shares = [percent(own["apart"]), percent(own["in_bowl"])]
        body.append([name, str(own["judged"]), *distances, *shares])
        steps = found.get("step_times", {})
        counts += [count for count in steps if count not in counts]
        times.append((name, steps))
    head = [
        "contacts by",
        "judged",
        "mean, mm",
        "worst tenth, mm",
        "largest, mm",
        "apart",
        "in bowl",
    ]
    size = report["size"]
    text = (
        f"{report['device']} ({report['date']}), {report['environments']} environments; a network of "
        f"{size['features']} features and width {size['hidden']}.\n\n{table(head, body)}"
    )
    rows = [
        [name, *(f"{1e3 * steps[count]:.3g}" if count in steps else "" for count in counts)]
        for name, steps in times
    ]
    title = "Milliseconds for a step of 10 ms against the number of environments:"
    return f"{text}\n\n{title}\n\n" + table(["contacts by", *counts], rows)


def parts() -> dict[Path, dict[str, str]]:
    """The generated parts of each page by name."""

    def read(name: str) -> Report:
        found: Report = json.loads((PAGES / f"neural-{name}.json").read_text(encoding="utf-8"))
        return found

    def is_there(name: str) -> bool:
        return (PAGES / f"neural-{name}.json").exists()

    report, manifest = read("report"), read("manifest")
    card = {
        "training": training(read("training-start"), read("training"), manifest),
        "accuracy": accuracy(report),
        "near": near_contact(report),
        "calibration": calibration(report),
        "filter": filter_table(report),
    }
    if is_there("efficiency"):
        known = manifest["objects"]["known"]
        card["efficiency"] = efficiency(read("efficiency"), report, known)
    if is_there("device"):
        card["device"] = device(read("device"))
    made = {PAGES / "neural-model-card.md": card}
    if is_there("simulation"):
        page = PAGES / "reproduce" / "locc-simulation.md"
        made[page] = {"simulation": simulation(read("simulation"))}
    return made


def draw_near(axes: Any, report: Report) -> None:
    """Accuracy by distance on poses near contact, from the report of locc-accuracy-speed."""
    centers = {"0 to 1": 0.5, "1 to 2": 1.5, "2 to 5": 3.5, "5 to 10": 7.5, "10 to inf": 15.0}
    for group in SETS:
        values = {
            row["quantity"].removeprefix("accuracy, ").removesuffix(" mm"): row["ours"]
            for row in report["rows"]
            if row["case"] == f"{group}, slide" and row["quantity"].startswith("accuracy, ")
        }
        axes.plot(centers.values(), [values[bin] for bin in centers], "o-", label=SETS[group])
    axes.set_xlabel("|distance| / mm")
    axes.set_ylabel("accuracy")
    axes.set_title("poses near contact")
    axes.legend(fontsize=8)


def draw_device(axes: Any, report: Report) -> None:
    """Accuracy on uniform poses of unknown objects against checks a second on the GPU."""
    for network in report["networks"]:
        right = network["sets"]["unknown-uniform"]["kernel"]
        fused = network["speed"]["fused"]
        rates = [fused[count] for count in ("1", "16", "64", "1024", "65536")]
        label = f"network of width {network['size']['hidden']}, 1 to 65,536 poses of a pair"
        axes.plot(rates, [right] * len(rates), "o-", label=label)
    for name in dict.fromkeys(entry["name"] for entry in report["baselines"]):
        own = [entry for entry in report["baselines"] if entry["name"] == name]
        axes.plot([e["rate"] for e in own], [e["accuracy"] for e in own], "s--", label=name)
    axes.set_xscale("log")
    axes.set_xlabel("checks a second")
    axes.set_ylabel("accuracy")
    axes.set_title(f"{report['device']}: uniform poses of unknown objects")
    axes.legend(fontsize=7)


def plot(path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.2), dpi=110, facecolor="white", layout="constrained")
    left, right = figure.subplots(1, 2)
    results = PAGES / "reproduce" / "results" / "locc-accuracy-speed.json"
    draw_near(left, json.loads(results.read_text(encoding="utf-8")))
    device_report = PAGES / "neural-device.json"
    draw_device(right, json.loads(device_report.read_text(encoding="utf-8")))
    figure.savefig(path)


def rewritten(page: str, texts: dict[str, str]) -> str:
    for name, text in texts.items():
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
    parser.add_argument("--plot", type=Path, help="file of the picture")
    options = parser.parse_args(argv)
    if options.plot is not None:
        plot(options.plot)
        return 0
    stale = False
    for path, texts in parts().items():
        page = path.read_text(encoding="utf-8")
        fresh = rewritten(page, texts)
        if fresh == page:
            continue
        stale = True
        if options.check:
            print(f"{path.name}: stale; run python tools/neural_page.py", file=sys.stderr)
        else:
            path.write_text(fresh, encoding="utf-8")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
