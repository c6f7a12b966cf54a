#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Simulates three objects in a shaken bowl on one GPU, with several sources of contacts.

    python3 tools/neural_simulation.py --data DATA --parts PARTS.npz --weights FILE --out REPORT.json
    ... --only network                     measure again what begins so, and keep the rest of REPORT

DATA is a folder of `tactum neural label`, PARTS what tools/make_gso_parts.py wrote. Bowls and objects
are Google Scanned Objects; every environment has its own three. The sources: the collision network
by its estimated distance, and by its logit as in the paper; 32 convex parts; one convex hull. Judged
are poses in which a source reports a contact of two objects, by the signed distance of their meshes,
which an ideal simulator would keep at zero.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tactum
import torch
from neural_device import load_parts
from tactum import gpu, neural
from tactum.neural import evaluation
from tactum.neural.dataset import clouds_of
from tactum.neural.device import DeviceNetwork, codes_of
from tactum.neural.objects import ObjectSet
from tactum.neural.simulation import (
    Kinds,
    NetworkContacts,
    PartContacts,
    Simulator,
    Source,
    poses_of,
    random_scenes,
    shaking,
)
from tactum.neural.training import network_of
from tactum.neural.weights import file_digest

DEVICE = torch.device("cuda")
DENSITY = 500.0  #: kg/m^3
ENVIRONMENTS, STEPS = 200, 800  #: as many as the paper's, 2 s
EVERY, FROM = 20, 160  #: steps between samples, and before the first
JUDGED = 2000  #: contacts at most; the paper has 600
SIZES = (1, 10, 100, 1000, 3000, 10000, 30000)
SUBSTEPS = 4  #: of a step of 0.01 s


def kinds_of(objects: ObjectSet) -> Kinds:
    """Masses of solids, and points for the ground."""
    solids = [objects.mesh(i).mass_properties(DENSITY) for i in range(len(objects))]
    columns = (
        [solid.mass for solid in solids],
        [solid.center_of_mass for solid in solids],
        [solid.inertia for solid in solids],
        clouds_of(objects, 128).points.numpy(),
    )
    return Kinds(*(torch.tensor(np.array(column), dtype=torch.float32) for column in columns))


class Setting:
    """Objects, scenes and the sources of contacts."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.objects = objects = ObjectSet.load(options.data / "objects.npz")
        parts = load_parts(options.parts)
        names = objects.names
        self.members = np.array([i for i, name in enumerate(names) if name in parts])
        bowls = [i for i in self.members if "Bowl" in names[i] and "Dixie" not in names[i]]
        others = [i for i in self.members if "Bowl" not in names[i]]
        self.bowls, self.others = torch.tensor(bowls), torch.tensor(others)
        self.kinds = kinds_of(objects)
        self.radii = torch.from_numpy(objects.radii()).float()
        self.heights = torch.tensor([float(v[:, 2].max()) for v in objects.vertices])
        self.kinds_there = Kinds(*(column.to(DEVICE) for column in self.kinds))

        network = network_of(options.weights).to(DEVICE).eval()
        self.size = network.size.as_text()
        codes = evaluation.encode(network, clouds_of(objects, network.size.points), DEVICE)
        loaded = neural.CollisionNetwork.load(options.weights)
        kernel = DeviceNetwork(loaded, codes_of(codes, network.size.cells))
        # tables of shapes have a place for each object, filled for those with parts
        box = tactum.Box(half_extents=(0.01, 0.01, 0.01))
        whole: list[Any] = [box] * len(objects)
        many: list[Any] = [tactum.Compound([(box, None)])] * len(objects)
        for i in self.members:
            found = [tactum.Convex.from_points(v.astype(np.float64)) for v in parts[names[i]]]
            many[i] = tactum.Compound([(hull, None) for hull in found])
            whole[i] = small_hull(objects.vertices[i])
        self.sources: dict[str, Source] = {
            "network": NetworkContacts(network, codes, kernel),
            "network, by its logit": NetworkContacts(network, codes, kernel, "logit"),
            "decomposition": PartContacts(gpu.ShapeTable(many)),
            "hulls": PartContacts(gpu.ShapeTable(whole)),
        }

    def simulator(self, source: str, count: int) -> tuple[Simulator, torch.Tensor]:
        """A new world, and the phases of its bowls."""
        world = random_scenes(self.bowls, self.others, self.radii, self.heights, count, count)
        for name in ("index", "R", "x", "v", "w"):
            setattr(world, name, getattr(world, name).to(DEVICE))
        # places were those of the frames
        world.x = 2.0 * world.x - world.origins(self.kinds_there)
        phase = torch.linspace(0.0, 6.28, count, device=DEVICE)
        return Simulator(world, self.kinds_there, self.sources[source]), phase


def small_hull(vertices: npt.NDArray[np.float32]) -> tactum.Convex:
    """The hull of the points that are farthest along 256 directions: as many as a table takes."""
    rng = np.random.default_rng(0)
    way = rng.standard_normal((256, 3))
    chosen = np.unique((vertices @ way.T).argmax(axis=0))
    return tactum.Convex.from_points(vertices[chosen].astype(np.float64))


def fidelity(setting: Setting, source: str) -> dict[str, Any]:
    """Distances at contacts of a run."""
    simulator, phase = setting.simulator(source, ENVIRONMENTS)
    kept, start = [], time.monotonic()
    for step in range(STEPS):
        simulator.step(shaking(step * simulator.dt, phase))
        if step < FROM or step % EVERY:
            continue
        kept.append(sampled(setting, simulator, source))
    spent = time.monotonic() - start
    pairs = np.concatenate([part[0] for part in kept])
    poses = np.concatenate([part[1] for part in kept])
    order = np.random.default_rng(0).permutation(len(pairs))[:JUDGED]
    distance = judged(setting, pairs[order], poses[order])
    world = simulator.world
    inside = (world.x[:, 1:, :2] - world.x[:, :1, :2]).norm(dim=-1)
    inside = inside < setting.radii.to(DEVICE)[world.index[:, :1]]
    size = np.sort(np.abs(distance))
    return {
        "seconds": spent,
        "contacts": len(pairs),
        "judged": len(distance),
        "mean": float(size.mean()),
        "worst_tenth": float(size[-max(1, len(size) // 10) :].mean()),
        "largest": float(size[-1]),
        "median": float(np.median(size)),
        "apart": float((distance > 0.0).mean()),
        "in_bowl": float(inside.float().mean()),
        "finite": bool(torch.isfinite(world.x).all()),
        "by_pair": {
            "with the bowl": float(
                np.abs(distance[np.isin(pairs[order, 0], setting.bowls)]).mean()
            ),
            "of the others": float(
                np.abs(distance[~np.isin(pairs[order, 0], setting.bowls)]).mean()
            ),
        },
    }


def sampled(setting: Setting, simulator: Simulator, source: str) -> tuple[Any, Any]:
    """Objects and relative poses of the pairs that touch now."""
    world = simulator.world
    first, second = (side[: simulator.num_pairs] for side in (simulator.first, simulator.second))
    origins = world.origins(setting.kinds_there)
    a, b = world.index[:, first].flatten(), world.index[:, second].flatten()
    R_a, R_b = world.R[:, first].flatten(0, 1), world.R[:, second].flatten(0, 1)
    p_a, p_b = origins[:, first].flatten(0, 1), origins[:, second].flatten(0, 1)
    touching = setting.sources[source](a, R_a, p_a, b, R_b, p_b).touching
    back = R_a.double().transpose(1, 2)
    R = back @ R_b.double()
    t = (back @ (p_b - p_a).double()[..., None])[..., 0]
    pairs = torch.stack([a, b], 1)[touching].cpu().numpy()
    return pairs, poses_of(R, t)[touching].cpu().numpy()


def judged(setting: Setting, pairs: Any, poses: Any) -> npt.NDArray[np.float64]:
    """Signed distances of the meshes: exact where they are apart, else minus the depth of the vertex
    of one that is deepest in the other."""
    used = np.unique(pairs)
    meshes = {int(i): setting.objects.mesh(int(i)) for i in used}
    table = tactum.ShapeTable([meshes[int(i)] for i in used])
    index = [np.searchsorted(used, pairs[:, k]).astype(np.int32) for k in range(2)]
    found = tactum.distances(
        (table, index[0]), np.eye(4), (table, index[1]), poses, fields=("lower", "upper")
    )
    distance = np.maximum(found.lower, 0.0)
    for row in np.flatnonzero(found.upper < 0.0):
        a, b = (meshes[int(i)] for i in pairs[row])
        X_AB = tactum.pose_matrix(poses[row])
        depths = [deepest(a, b, X_AB), deepest(b, a, np.linalg.inv(X_AB))]
        distance[row] = -max(depths)
    return np.asarray(distance)


def deepest(a: tactum.Mesh, b: tactum.Mesh, X_AB: npt.NDArray[np.float64]) -> float:
    """How deep a vertex of B lies in A; 0 where none does."""
    points = b.vertices @ X_AB[:3, :3].T + X_AB[:3, 3]
    lower, upper = a.vertices.min(axis=0), a.vertices.max(axis=0)
    points = points[np.all((points > lower) & (points < upper), axis=1)]
    if len(points) == 0:
        return 0.0
    return max(0.0, -float(tactum.signed_distance(a, None, points)[0].min()))


def advance(simulator: Simulator, phase: torch.Tensor, first: int, steps: int) -> None:
    for step in range(first, first + steps):
        simulator.step(shaking(step * simulator.dt, phase))


def step_times(setting: Setting, source: str, budget: float = 4.0) -> dict[str, float]:
    """Seconds of a step of 0.01 s against the number of environments, in the midst of contact."""
    found: dict[str, float] = {}
    for count in SIZES:
        simulator, phase = setting.simulator(source, count)
        # to where both objects have reached the bowl, in longer steps
        simulator.dt = 0.01
        advance(simulator, phase, 0, 40)
        simulator.dt = 0.0025
        advance(simulator, phase, 160, 4)
        torch.cuda.synchronize()
        begin = time.monotonic()
        advance(simulator, phase, 164, 5 * SUBSTEPS)
        torch.cuda.synchronize()
        found[str(count)] = (time.monotonic() - begin) / 5
        print(f"  {source}, {count}: {found[str(count)]:.4f} s", flush=True)
        budget -= time.monotonic() - begin
        if budget < 0.0:
            break
    return found


def begun_report(setting: Setting, options: argparse.Namespace) -> dict[str, Any]:
    """The head of the report, and of a former one the sources that are not measured again."""
    kept = {}
    if options.only and options.out.exists():
        former = json.loads(options.out.read_text(encoding="utf-8"))["sources"]
        kept = {name: found for name, found in former.items() if not name.startswith(options.only)}
    return {
        "device": torch.cuda.get_device_name(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "weights": options.weights.name,
        "sha256": file_digest(options.weights),
        "size": setting.size,
        "environments": ENVIRONMENTS,
        "steps": STEPS,
        "bowls": len(setting.bowls),
        "objects": len(setting.others),
        "sources": kept,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--parts", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="", help="how the names of the sources begin")
    options = parser.parse_args()
    torch.set_float32_matmul_precision("highest")
    setting = Setting(options)
    report = begun_report(setting, options)
    chosen = [name for name in setting.sources if name.startswith(options.only)]
    for measure in (fidelity, step_times):
        for source in chosen:
            found = report["sources"].setdefault(source, {})
            found[measure.__name__] = measure(setting, source)
            print(source, json.dumps(found[measure.__name__]), flush=True)
            options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
