# SPDX-License-Identifier: BSD-2-Clause
"""How good a network is: accuracy by distance, misses, calibration, direction of the gradient.

One accuracy number says little, because poses far from contact are easy: everything is also given
by bins of the signed distance.
"""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from . import confidence_interval
from .dataset import Clouds, matrices
from .labels import TestRecords
from .model import UNIT, Codes, Network

Array = npt.NDArray[np.float64]
EDGES = (0.0, 0.001, 0.002, 0.005, 0.01, math.inf)  #: m, bins of the absolute distance
CHUNK = 8192


def encode(network: Network, clouds: Clouds, device: torch.device) -> Codes:
    """Codes of all objects, in single precision."""
    parts = []
    with torch.no_grad():
        for first in range(0, len(clouds.points), 32):
            part = (cloud[first : first + 32].to(device) for cloud in clouds)
            parts.append(network.encoder(*part))
    return Codes(*(torch.cat(column) for column in zip(*parts)))


def predict(
    network: Network, codes: Codes, tests: TestRecords, *, scale: float = 1.0
) -> tuple[Array, Array]:
    """Logits and signed distances in metres of all rows. `scale`: the codes are those of objects
    that are so much larger, and so are the translations."""
    device, found = codes.half.device, []
    with torch.no_grad():
        for first in range(0, len(tests.distance), CHUNK):
            rows = slice(first, first + CHUNK)
            a, b, R, t = _batch(codes, tests, rows, scale, device)
            found.append(network.pairs(a, b, R, t).double().cpu().numpy())
    out = np.concatenate(found)
    return out[:, 0], out[:, 1] * UNIT


def gradients(network: Network, codes: Codes, tests: TestRecords) -> Array:
    """(n, 3) derivatives of the logits by the translations of B, in the frames of A."""
    device, found = codes.half.device, []
    for first in range(0, len(tests.distance), CHUNK // 4):
        rows = slice(first, first + CHUNK // 4)
        a, b, R, t = _batch(codes, tests, rows, 1.0, device)
        t = t.requires_grad_(True)
        logits = network.pairs(a, b, R, t)[:, 0]
        found.append(torch.autograd.grad(logits.sum(), t)[0].double().cpu().numpy())
    return np.concatenate(found)


def _batch(
    codes: Codes, tests: TestRecords, rows: slice, scale: float, device: torch.device
) -> tuple[Codes, Codes, torch.Tensor, torch.Tensor]:
    pairs = torch.from_numpy(tests.pairs[rows].astype(np.int64)).to(device)
    R = matrices(torch.from_numpy(tests.rotation[rows]).to(device))
    t = scale * torch.from_numpy(tests.translation[rows]).to(device)
    a = Codes(*(column[pairs[:, 0]] for column in codes))
    b = Codes(*(column[pairs[:, 1]] for column in codes))
    return a, b, R, t


def summary(logits: Array, tests: TestRecords) -> dict[str, Any]:
    """Accuracy of all rows, with both answers equally frequent, and by bins of the distance."""
    d, said = tests.distance.astype(np.float64), logits > 0.0
    truth = d < 0.0
    right = said == truth
    bins = []
    for low, high in itertools.pairwise(EDGES):
        for name, side in (("apart", ~truth), ("overlapping", truth)):
            rows = side & (np.abs(d) >= low) & (np.abs(d) < high)
            count = int(rows.sum())
            share = float(right[rows].mean()) if count else None
            bins.append({"from": low, "to": high, "side": name, "count": count, "accuracy": share})
    positives, negatives = right[truth].mean(), right[~truth].mean()
    return {
        "count": len(d),
        "overlapping": float(truth.mean()),
        "accuracy": float(right.mean()),
        "balanced_accuracy": float(0.5 * (positives + negatives)),
        "false_negative_rate": float(1.0 - positives),
        "false_positive_rate": float(1.0 - negatives),
        "bins": bins,
        "calibration": calibration(logits, truth),
    }


def calibration(logits: Array, truth: npt.NDArray[np.bool_], bins: int = 15) -> dict[str, Any]:
    """Share of collisions among rows of like probability, and the expected calibration error."""
    probability = 1.0 / (1.0 + np.exp(-np.clip(logits, -50.0, 50.0)))
    index = np.minimum((probability * bins).astype(int), bins - 1)
    curve, error = [], 0.0
    for i in range(bins):
        rows = index == i
        if rows.any():
            said, was = float(probability[rows].mean()), float(truth[rows].mean())
            curve.append({"probability": said, "collisions": was, "count": int(rows.sum())})
            error += abs(said - was) * float(rows.mean())
    return {"expected_error": error, "curve": curve}


def gradient_angles(gradient: Array, tests: TestRecords) -> dict[str, Any]:
    """Angle between the direction in which the logit falls and the normal, by |distance|, degrees."""
    d = np.abs(tests.distance)
    length = np.linalg.norm(gradient, axis=1)
    cosine = -(gradient * tests.normal).sum(1) / np.maximum(length, 1e-30)
    angle = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
    found = []
    for low, high in itertools.pairwise(EDGES):
        rows = (d >= low) & (d < high) & (length > 0.0)
        if rows.any():
            quartiles = [float(q) for q in np.percentile(angle[rows], (25, 50, 75, 90))]
            found.append({"from": low, "to": high, "count": int(rows.sum()), "angle": quartiles})
    return {"percentiles": [25, 50, 75, 90], "bins": found}


def scaled(clouds: Clouds, scale: float) -> Clouds:
    """Clouds of objects that are so much larger."""
    return Clouds(clouds.points * scale, clouds.normals)


def report(
    network: Network, clouds: Clouds, sets: dict[str, TestRecords], device: torch.device
) -> dict[str, Any]:
    """Everything about all test sets. Names of the sets are GROUP-KIND; YCB is also scaled."""
    network = network.to(device).eval()
    codes, found = encode(network, clouds, device), {}
    for name, tests in sets.items():
        logits, distance = predict(network, codes, tests)
        found[name] = summary(logits, tests)
        apart = tests.distance > 0.0
        error = np.abs(distance - tests.distance)[apart & (tests.distance < 0.05)]
        if len(error):
            found[name]["distance_error"] = float(np.median(error))
        if name.endswith("slide"):
            few = _first(tests, 20000)
            found[name]["gradient"] = gradient_angles(gradients(network, codes, few), few)
        if name == "ycb-uniform":
            for scale in (0.7, 1.5, 2.0):
                larger = encode(network, scaled(clouds, scale), device)
                logits, _ = predict(network, larger, tests, scale=scale)
                moved = replace(tests, distance=tests.distance * np.float32(scale))
                found[f"{name}-scale-{scale}"] = summary(logits, moved)
    return found


def _first(tests: TestRecords, count: int) -> TestRecords:
    return TestRecords(*(getattr(tests, name)[:count] for name in tests.__dataclass_fields__))


def speed(network: Network, codes: Codes, device: torch.device, repeats: int = 64) -> float:
    """Checks a second of the predictor alone, all poses of up to 32 x 32 pairs in one call."""
    k = min(32, len(codes.half) // 2)
    some = Codes(*(column[: 2 * k] for column in codes))
    R = torch.eye(3, device=device).expand(k, k, repeats, 3, 3).contiguous()
    t = 0.1 * torch.randn(k, k, repeats, 3, device=device)
    mixed = device.type == "cuda"
    torch.set_float32_matmul_precision("high")
    with torch.no_grad():
        for _ in range(3):
            network.tiled(some, R, t)
        if mixed:
            torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(10):
            network.tiled(some, R, t)
        if mixed:
            torch.cuda.synchronize()
        return 10 * k * k * repeats / (time.perf_counter() - start)


DEPTH = 0.001  #: m: the filter counts collisions that are not proved to be shallower
LOWEST = 2000  #: how many of the lowest logits of collisions a file of weights keeps


def calibration_logits(logits: Array, tests: TestRecords) -> tuple[Array, int]:
    """The lowest logits of the collisions deeper than DEPTH, ascending, and how many there are."""
    deep = np.sort(logits[tests.distance < -DEPTH])
    return deep[: min(LOWEST, len(deep))], len(deep)


def filter_report(
    calibrated: TestRecords,
    calibrated_logits: Array,
    sets: dict[str, TestRecords],
    logits: dict[str, Array],
    rates: tuple[float, ...] = (1e-4, 1e-3, 1e-2),
) -> list[dict[str, Any]]:
    """Thresholds for some miss rates, and what they miss and let pass in sets of other objects."""
    lowest, count = calibration_logits(calibrated_logits, calibrated)
    found = []
    for rate in rates:
        allowed = math.floor(rate * count)
        if not 1 <= allowed < len(lowest):
            continue
        threshold = float(lowest[allowed])
        entry: dict[str, Any] = {"asked": rate, "threshold": threshold, "collisions": count}
        entry["interval"] = confidence_interval(int((lowest < threshold).sum()), count)
        entry["sets"] = {}
        for group in ("unknown", "ycb"):
            near = sets[f"{group}-slide"]
            deep = near.distance < -DEPTH
            missed = logits[f"{group}-slide"][deep] < threshold
            entry["sets"][group] = {"collisions": int(deep.sum()), "missed": float(missed.mean())}
            apart = sets[f"{group}-uniform"].distance > 0.0
            passed = logits[f"{group}-uniform"][apart] >= threshold
            entry["sets"][f"{group}-uniform"] = {"passed_apart": float(passed.mean())}
        found.append(entry)
    return found
