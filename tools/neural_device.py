#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures the collision network and what it is compared with on one GPU: accuracy and speed.

    python3 tools/neural_device.py --data DATA --parts PARTS.npz --weights FILE... --out REPORT.json

DATA is a folder of `tactum neural label`, PARTS what tools/make_gso_parts.py wrote. The answers of the fused kernel are compared
with the network in double precision; accuracies are those on uniform poses, judged by the labels.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tactum
import torch
from tactum import gpu, neural
from tactum.neural import evaluation, labels
from tactum.neural.dataset import clouds_of, matrices
from tactum.neural.device import DeviceNetwork, codes_of, tiles_of
from tactum.neural.objects import ObjectSet
from tactum.neural.simulation import poses_of
from tactum.neural.training import network_of
from tactum.neural.weights import file_digest

DEVICE = torch.device("cuda")
ROWS = 1 << 24  #: poses of a timed batch
REPEATS = 5
SETS = ("known-uniform", "unknown-uniform", "ycb-uniform", "unknown-slide", "ycb-slide")


def seconds(work: Callable[..., Any], *arguments: Any) -> float:
    """Median time of one call, by events of the device."""
    work(*arguments)
    found = []
    for _ in range(REPEATS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work(*arguments)
        end.record()
        end.synchronize()
        found.append(1e-3 * begin.elapsed_time(end))
    return float(np.median(found))


def random_poses(count: int, radius: torch.Tensor, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Rotations, and translations uniform in balls of the given radii."""
    generator = torch.Generator(device=DEVICE).manual_seed(seed)
    q = torch.randn(count, 4, generator=generator, device=DEVICE)
    way = torch.randn(count, 3, generator=generator, device=DEVICE)
    way = way / way.norm(dim=1, keepdim=True)
    reach = radius * torch.rand(count, generator=generator, device=DEVICE).pow(1 / 3)
    return matrices(q), way * reach[:, None]


def test_batch(tests: labels.TestRecords) -> tuple[torch.Tensor, ...]:
    """Objects and poses of the rows of a test set, on the device."""
    pairs = torch.from_numpy(tests.pairs.astype(np.int64)).to(DEVICE)
    R = matrices(torch.from_numpy(tests.rotation).to(DEVICE))
    return pairs[:, 0], pairs[:, 1], R, torch.from_numpy(tests.translation).to(DEVICE)


def agreement(network: Any, device: DeviceNetwork, codes: Any, tests: Any) -> dict[str, Any]:
    """Logits of the kernel against PyTorch in double precision and the reference in C++."""
    a, b, R, t = (x[:4096] for x in test_batch(tests))
    found = device.predict(a, b, R, t)[:, 0].double().cpu().numpy()
    wide = type(codes)(*(column.double() for column in codes))
    pairs = [type(wide)(*(column[i] for column in wide)) for i in (a, b)]
    with torch.no_grad():
        exact = network.double().pairs(pairs[0], pairs[1], R.double(), t.double())[:, 0]
    network.float()
    error = np.abs(found - exact.cpu().numpy())
    return {
        "rows": len(error),
        "logit_spread": float(exact.std()),
        "median": float(np.median(error)),
        "worst_hundredth": float(np.quantile(error, 0.99)),
        "largest": float(error.max()),
        "other_side": int(((found > 0.0) != (exact.cpu().numpy() > 0.0)).sum()),
    }


def bad_rows(device: DeviceNetwork) -> dict[str, bool]:
    """What comes out for poses and tiles that are none."""
    R = torch.eye(3, device=DEVICE).expand(5, 3, 3).clone()
    t = torch.zeros(5, 3, device=DEVICE)
    t[1, 0], t[2, 1], R[3, 1, 1], t[4, 2] = float("nan"), 1e30, float("inf"), 0.9e5
    zero = torch.zeros(5, dtype=torch.int64, device=DEVICE)
    found = device.predict(zero, zero, R, t)[:, 0].isnan().tolist()
    beyond = device.predict(zero + len(device), zero, R, t)[:, 0].isnan().all().item()
    return {"poses": found == [False, True, True, True, False], "index": bool(beyond)}


def network_report(path: Path, sets: dict[str, Any], objects: ObjectSet) -> dict[str, Any]:
    """One file of weights: agreement, accuracy and speed."""
    network = network_of(path).to(DEVICE).eval()
    codes = evaluation.encode(network, clouds_of(objects, network.size.points), DEVICE)
    loaded = neural.CollisionNetwork.load(path)
    device = DeviceNetwork(loaded, codes_of(codes, network.size.cells))
    size = network.size
    view = (2 * size.features + 48) * size.hidden + 2 * size.hidden**2
    report: dict[str, Any] = {
        "weights": path.name,
        "sha256": file_digest(path),
        "size": size.as_text(),
        "layer_operations": 2 * (2 * view + size.hidden**2),
        "cells": float(codes.occupied.sum(1).mean()),
        "table_bytes": device.nbytes,
        "agreement": agreement(network, device, codes, sets["unknown-slide"]),
        "bad_rows": bad_rows(device),
        "sets": {},
    }
    for name in SETS:
        truth = sets[name].distance < 0.0
        kernel = device.predict(*test_batch(sets[name]))[:, 0].cpu().numpy()
        single, _ = evaluation.predict(network, codes, sets[name])
        report["sets"][name] = {
            "count": len(truth),
            "kernel": float(((kernel > 0.0) == truth).mean()),
            "torch": float(((single > 0.0) == truth).mean()),
        }
    report["speed"] = network_speed(network, device, codes, objects)
    return report


def network_speed(network: Any, device: DeviceNetwork, codes: Any, objects: ObjectSet) -> Any:
    """Checks a second against the number of poses that share a pair, and those of PyTorch."""
    radii = torch.from_numpy(objects.radii()).float().to(DEVICE)
    generator = torch.Generator(device=DEVICE).manual_seed(1)
    found = {}
    for shared in (1, 16, 64, 1024, 65536):
        rows = min(ROWS, (1 << 18) * shared)
        groups = rows // shared
        out = torch.empty(rows, 2, device=DEVICE)
        a, b = torch.randint(len(radii), (2, groups), generator=generator, device=DEVICE)
        a, b = a.repeat_interleave(shared), b.repeat_interleave(shared)
        R, t = random_poses(rows, radii[a] + radii[b], 2)
        if shared < 64:  # one tile for each group, so that no two groups of one pair share a tile
            first = torch.arange(groups, device=DEVICE) * shared
            count = torch.full_like(first, shared)
            table = torch.stack([a[::shared], b[::shared], first, count], 1).int().contiguous()
            poses = torch.cat([R.reshape(-1, 9), t], 1).contiguous()
        else:
            tiles = tiles_of(a, b)
            table = tiles.table
            poses = torch.cat([R.reshape(-1, 9), t], 1)[tiles.order].contiguous()
        found[str(shared)] = rows / seconds(device.predict_tiles, table, poses, out)
        print(f"  {shared} poses a pair: {found[str(shared)]:.3e} checks/s", flush=True)
    return {"fused": found, "torch": evaluation.speed(network, codes, DEVICE)}


def load_parts(path: Path) -> dict[str, list[np.ndarray]]:
    """Vertices of the convex parts of each object."""
    with np.load(path, allow_pickle=False) as file:
        names, counts = [str(name) for name in file["names"]], file["num_parts"]
        parts = np.split(file["vertices"], np.cumsum(file["num_vertices"])[:-1])
    ends = np.cumsum(counts)
    return {name: parts[end - count : end] for name, count, end in zip(names, counts, ends)}


def baseline_report(
    sets: dict[str, Any], objects: ObjectSet, parts: dict[str, list[np.ndarray]]
) -> list[dict[str, Any]]:
    """Exact parts, uniform-flow GJK and implicit surfaces on the poses of unknown objects."""
    tests = sets["unknown-uniform"]
    members = objects.members("unknown")
    local = torch.full((len(objects),), -1, dtype=torch.int32)
    local[torch.from_numpy(members)] = torch.arange(len(members), dtype=torch.int32)
    a, b, R, t = test_batch(tests)
    a, b = local.to(DEVICE)[a], local.to(DEVICE)[b]
    truth = tests.distance < 0.0
    X_WA = poses_of(torch.eye(3, device=DEVICE)[None], torch.zeros(1, 3, device=DEVICE)).expand(
        len(a), 7
    )
    many = 50  # a batch that fills the device
    index = [x.repeat(many).contiguous() for x in (a, b)]
    poses = [X_WA.repeat(many, 1).contiguous(), poses_of(R, t).repeat(many, 1).contiguous()]
    sides = [(i.data_ptr(), p.data_ptr(), False) for i, p in zip(index, poses)]
    rows, found = len(index[0]), []

    def keep(name: str, setting: str, hits: torch.Tensor, time: float, tried: int) -> None:
        right = float((hits[: len(truth)].bool().cpu().numpy() == truth).mean())
        entry = {"name": name, "setting": setting, "accuracy": right, "rate": tried / time}
        found.append(entry)
        print(f"  {name}, {setting}: {right:.4f} at {tried / time:.3e} checks/s", flush=True)

    hulls = [
        [tactum.Convex.from_points(v.astype(np.float64)) for v in parts[objects.names[i]]]
        for i in members
    ]
    table = gpu.ShapeTable([tactum.Compound([(h, None) for h in hull]) for hull in hulls])
    status = torch.empty(rows, dtype=torch.uint8, device=DEVICE)
    run = lambda: gpu.collides((table, index[0]), poses[0], (table, index[1]), poses[1], out=status)
    time = seconds(run)
    apart = int(tactum.Status.separated)
    keep("exact parts", "32 parts", status != apart, time, rows)
    module = gpu._module()
    few = min(rows, len(truth))
    hits = torch.empty(rows, dtype=torch.uint8, device=DEVICE)
    for iterations in (2, 4, 8, 16):
        time = seconds(
            module.uniform_flow_collides, table._table, few, *sides, iterations, hits.data_ptr(), 0
        )
        keep("uniform-flow GJK", f"{iterations} iterations", hits, time, few)
    meshes = [objects.mesh(int(i)) for i in members]
    distance = torch.empty(rows, device=DEVICE)
    for points, nodes in ((128, 16), (512, 32), (1500, 64), (6000, 64)):
        surfaces = module.ImplicitSurfaces(meshes, points, nodes)
        time = seconds(
            module.implicit_surface_distances, surfaces, rows, *sides, distance.data_ptr(), 0
        )
        keep("implicit surface", f"{points} points, {nodes} nodes", distance <= 0.0, time, rows)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--parts", type=Path)
    parser.add_argument("--weights", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    objects = ObjectSet.load(options.data / "objects.npz")
    sets = {name: labels.load_tests(options.data / f"{name}.npz") for name in SETS}
    report: dict[str, Any] = {
        "device": torch.cuda.get_device_name(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "processor": platform.processor() or platform.machine(),
        "networks": [],
    }
    for path in options.weights:
        print(path.name, flush=True)
        report["networks"].append(network_report(path, sets, objects))
        print(json.dumps({k: report["networks"][-1][k] for k in ("agreement", "bad_rows", "sets")}))
        options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if options.parts:
        report["baselines"] = baseline_report(sets, objects, load_parts(options.parts))
    options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
