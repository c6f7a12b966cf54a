# SPDX-License-Identifier: BSD-2-Clause
"""`tactum neural label`, `train`, `calibrate` and `evaluate`.

    tactum neural label --data FOLDER --out DATA        exact labels of pairs of real objects
    tactum neural train --data DATA --out FILE          weights, curves and a checkpoint
    tactum neural calibrate --data DATA --weights FILE  the thresholds of NeuralFilter, into FILE
    tactum neural evaluate --data DATA --weights FILE --out REPORT

FOLDER holds gso/ and ycb/. Training and evaluation need PyTorch.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import labels
from .objects import GROUPS, ObjectSet, read_objects
from .weights import file_digest

#: rows of each test set: group, uniform poses, poses near contact
TESTS = (("known", 20000, 40000), ("unknown", 20000, 40000), ("ycb", 20000, 40000))
CALIBRATION = 100000


def add_parser(commands: Any) -> None:
    """Adds `neural` to the commands of the tool."""
    parser = commands.add_parser("neural", help="labels for, training and test of the network")
    actions = parser.add_subparsers(dest="action", required=True)
    label = actions.add_parser("label", help="exact labels of pairs of objects")
    label.add_argument("--data", type=Path, required=True, help="folder with gso/ and ycb/")
    label.add_argument("--out", type=Path, required=True, help="folder to write")
    label.add_argument("--count", type=int, default=48, help="records of each pair")
    label.add_argument("--objects", type=int, default=0, help="known objects; 0: all")
    label.add_argument("--tests", type=float, default=1.0, help="size of the test sets; 0: none")
    label.add_argument("--seed", type=int, default=0)
    label.add_argument("--threads", type=int, default=0)
    train = actions.add_parser("train", help="train a network")
    train.add_argument("--data", type=Path, required=True, help="folder that label wrote")
    train.add_argument("--out", type=Path, required=True, help="file of weights to write")
    train.add_argument("--steps", type=int, default=20000)
    train.add_argument(
        "--minutes",
        type=float,
        default=math.inf,
        help="end after so many, earlier pieces counted in",
    )
    train.add_argument("--resume", action="store_true", help="go on from the checkpoint")
    train.add_argument("--objects", type=int, default=0, help="known objects; 0: all")
    train.add_argument("--crop", choices=("field", "box", "global"), default="field")
    train.add_argument("--cells", type=int, choices=(5, 6, 7), default=6)
    train.add_argument("--width", type=int, default=128)
    train.add_argument("--channels", type=int, default=64)
    train.add_argument("--features", type=int, default=64)
    train.add_argument("--hidden", type=int, default=128)
    train.add_argument("--group", type=int, default=32)
    train.add_argument("--repeats", type=int, default=16)
    train.add_argument("--rate", type=float, default=1e-3)
    train.add_argument("--vectors", type=int, default=16, help="0: half of the features")
    train.add_argument("--start", default="", help="weights to begin with, where shapes agree")
    train.add_argument("--seed", type=int, default=0)
    calibrate = actions.add_parser("calibrate", help="choose the thresholds of NeuralFilter")
    calibrate.add_argument("--data", type=Path, required=True, help="folder that label wrote")
    calibrate.add_argument("--weights", type=Path, required=True, help="file to add them to")
    evaluate = actions.add_parser("evaluate", help="accuracy, misses, calibration, gradients")
    evaluate.add_argument("--data", type=Path, required=True, help="folder that label wrote")
    evaluate.add_argument("--weights", type=Path, required=True)
    evaluate.add_argument("--out", type=Path, required=True, help="JSON file to write")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Runs one action; bad input raises ValueError."""
    actions = {
        "label": run_label,
        "train": run_train,
        "calibrate": run_calibrate,
        "evaluate": run_evaluate,
    }
    try:
        actions[options.action](options)
    except ImportError as error:
        raise ValueError(f"{error}; pip install tactum[torch]") from None
    return 0


def _pairs(
    rng: np.random.Generator, members: npt.NDArray[np.int64], count: int
) -> npt.NDArray[np.int32]:
    """Random pairs a < b of different members."""
    first = rng.integers(0, len(members), size=count)
    second = (first + rng.integers(1, len(members), size=count)) % len(members)
    return np.sort(np.stack([members[first], members[second]], 1), axis=1).astype(np.int32)


def _known_test_pairs(
    rng: np.random.Generator, members: npt.NDArray[np.int64], count: int
) -> npt.NDArray[np.int32]:
    """Pairs of known objects that training leaves out; of few objects, where that is none, any."""
    first, second = np.triu_indices(len(members), 1)
    every = np.stack([members[first], members[second]], 1).astype(np.int32)
    kept = np.flatnonzero(labels.held_back(every))
    return np.asarray(every[rng.choice(kept if len(kept) else len(every), size=count)])


def run_label(options: argparse.Namespace) -> None:
    """Writes objects.npz, contacts.npz, GROUP-uniform.npz, GROUP-slide.npz and manifest.json."""
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    packed = out / "objects.npz"
    if not packed.exists():
        read_objects(options.data).save(packed)
    objects = ObjectSet.load(packed)
    table, radii = objects.table(), objects.radii()
    manifest: dict[str, Any] = {
        "objects": {group: len(objects.members(group)) for group in GROUPS},
        "objects_sha256": objects.digest(),
        "seed": options.seed,
        "files": {},
    }

    def keep(name: str, records: labels.Records, start: float) -> None:
        rows = len(records.pairs) * (records.reach.shape[1] if name == "contacts" else 1)  # type: ignore[union-attr]
        sha = labels.save_records(records, out / f"{name}.npz")
        seconds = round(time.monotonic() - start, 1)
        manifest["files"][name] = {"rows": rows, "sha256": sha}
        print(f"{name}: {rows} rows, {seconds} s", flush=True)

    threads, seed = options.threads, options.seed
    for group, uniform, slide in (*TESTS, ("calibration", 0, CALIBRATION)):
        for kind, count in (("uniform", uniform), ("slide", slide)):
            count = int(count * options.tests)
            if count == 0:
                continue
            rng, start = np.random.default_rng([seed, GROUPS.index(group), count]), time.monotonic()
            draw = _known_test_pairs if group == "known" else _pairs
            pairs = draw(rng, objects.members(group), count)
            tests = labels.label_tests(
                table, radii, pairs, seed + 1, uniform=kind == "uniform", threads=threads
            )
            keep(f"{group}-{kind}", tests, start)
    start, known = time.monotonic(), objects.members("known")
    if options.objects:
        # a smaller number takes some of the objects of a larger one
        order = np.random.default_rng([seed, 240]).permutation(known)
        known = np.sort(order[: options.objects])
    first, second = np.triu_indices(len(known), 1)
    pairs = np.stack([known[first], known[second]], 1).astype(np.int32)
    train = labels.label_contacts(
        table, radii, pairs, options.count, seed, threads=threads, progress=_progress
    )
    keep("contacts", train, start)
    text = json.dumps(manifest, indent=1) + "\n"
    (out / "manifest.json").write_text(text, encoding="utf-8")


def _progress(done: int, total: int) -> None:
    end = "\n" if done == total else "\r"
    print(f"  {done}/{total} pairs", end=end, file=sys.stderr, flush=True)


def run_train(options: argparse.Namespace) -> None:
    """Trains and writes weights, curves and a checkpoint."""
    from .model import NetworkSize
    from .training import TrainingOptions, train

    size = NetworkSize(
        cells=options.cells,
        width=options.width,
        channels=options.channels,
        features=options.features,
        vectors=options.vectors or 2 * (options.features // 12),
        hidden=options.hidden,
        crop=options.crop,
    )
    training = TrainingOptions(
        steps=options.steps,
        group=options.group,
        repeats=options.repeats,
        learning_rate=options.rate,
        num_objects=options.objects,
        seed=options.seed,
        start=options.start,
        size=size,
    )
    train(
        options.data,
        options.out,
        training,
        resume=options.resume,
        minutes=options.minutes,
        report=lambda line: print(line, flush=True),
    )


def run_calibrate(options: argparse.Namespace) -> None:
    """Adds the lowest logits of the collisions of the calibration set to a file of weights."""
    import torch

    from . import evaluation
    from .dataset import clouds_of
    from .training import network_of
    from .weights import load_weights, save_weights

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    objects = ObjectSet.load(options.data / "objects.npz")
    network = network_of(options.weights).to(device).eval()
    codes = evaluation.encode(network, clouds_of(objects, network.size.points), device)
    tests = labels.load_tests(options.data / "calibration-slide.npz")
    logits, _ = evaluation.predict(network, codes, tests)
    lowest, count = evaluation.calibration_logits(logits, tests)
    arrays, metadata = load_weights(options.weights)
    metadata["num_collisions"] = str(count)
    metadata["lowest_logits"] = " ".join(f"{value:.4f}" for value in lowest)
    save_weights(options.weights, arrays, metadata)
    print(f"{count} collisions; lowest logits {lowest[:5]}")


def run_evaluate(options: argparse.Namespace) -> None:
    """Writes the report of a file of weights and prints its accuracies."""
    import torch

    from . import evaluation
    from .dataset import clouds_of
    from .training import network_of

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    objects = ObjectSet.load(options.data / "objects.npz")
    network = network_of(options.weights).to(device).eval()
    clouds = clouds_of(objects, network.size.points)
    names = sorted(path.stem for path in options.data.glob("*-*.npz"))
    sets = {name: labels.load_tests(options.data / f"{name}.npz") for name in names}
    found: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "weights": options.weights.name,
        "sha256": file_digest(options.weights),
        "size": network.size.as_text(),
    }
    found["sets"] = evaluation.report(network, clouds, sets, device)
    if {"calibration-slide", "unknown-slide", "ycb-slide"} <= set(sets):
        codes = evaluation.encode(network, clouds, device)
        logits = {name: evaluation.predict(network, codes, sets[name])[0] for name in sets}
        calibration = sets["calibration-slide"], logits["calibration-slide"]
        found["filter"] = evaluation.filter_report(*calibration, sets, logits)
    found["torch_checks_per_second"] = evaluation.speed(
        network,
        evaluation.encode(network, clouds, device),
        device,
        repeats=64 if device.type == "cuda" else 1,
    )
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for name, result in found["sets"].items():
        print(
            f"{name:24} {result['count']:7d} rows  accuracy {result['accuracy']:.4f}  "
            f"balanced {result['balanced_accuracy']:.4f}  missed {result['false_negative_rate']:.4f}"
        )
    print(f"checks a second, PyTorch: {found['torch_checks_per_second']:.3g}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command by itself: python -m tactum.neural."""
    parser = argparse.ArgumentParser(prog="python -m tactum.neural")
    commands = parser.add_subparsers(dest="command", required=True)
    add_parser(commands)
    options = parser.parse_args(["neural", *(sys.argv[1:] if arguments is None else arguments)])
    return int(options.run(options))
