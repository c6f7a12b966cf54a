#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes python/tactum/data/collision_tests.npz, on which `tactum reproduce` judges the collision
network: point clouds of real objects, and poses of pairs with exact labels.

    ./run python tools/make_collision_tests.py FOLDER

FOLDER has gso/ and ycb/. Thirty objects of each group are taken; pairs of known objects are such as
training left out. Points are those that the network encodes, rounded to 16 bits of the size of
their object, normals to 16 bits. The same input gives the same file.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from make_ycb_hulls import write_archive
from tactum.neural.labels import TestRecords, held_back, label_tests
from tactum.neural.objects import GROUPS, ObjectSet, read_objects

OUTPUT = Path(__file__).resolve().parent.parent / "python/tactum/data/collision_tests.npz"
TESTED = ("known", "unknown", "ycb")
OBJECTS, POINTS, ROWS, SEED = 30, 1500, 4000, 11
STEPS = 32767  #: of a rounded number


def pairs_of(members: npt.NDArray[np.int64], known: bool) -> npt.NDArray[np.int32]:
    """Random pairs a < b, as many as there are rows; of known objects such as are held back."""
    first, second = np.triu_indices(len(members), 1)
    every = np.stack([members[first], members[second]], 1).astype(np.int32)
    if known:
        every = every[held_back(every)]
    return every[np.random.default_rng(SEED).integers(0, len(every), size=ROWS)]


def cloud(objects: ObjectSet, index: int) -> dict[str, npt.NDArray[np.generic]]:
    """Rounded points and normals."""
    points, normals = objects.mesh(index).sample(POINTS, seed=0)
    size = np.abs(points).max()
    return {
        "size": np.float64(size),  # type: ignore[dict-item]
        "points": np.rint(points / size * STEPS).astype(np.int16),
        "normals": np.rint(normals * STEPS).astype(np.int16),
    }


def arrays_of(objects: ObjectSet) -> dict[str, npt.NDArray[np.generic]]:
    """The arrays of the file. Objects keep their order; rows refer to them by number."""
    table, radii = objects.table(), objects.radii()
    chosen, arrays, groups = [], {}, []
    for group in TESTED:
        members = objects.members(group)
        members = members[:: max(1, len(members) // OBJECTS)][:OBJECTS]
        for kind in ("uniform", "slide"):
            pairs = pairs_of(members, group == "known")
            tests = label_tests(table, radii, pairs, SEED, uniform=kind == "uniform")
            number = {int(old): len(chosen) + i for i, old in enumerate(members)}
            arrays |= columns(f"{group}.{kind}", tests, number)
        groups += [GROUPS.index(group)] * len(members)
        chosen += [int(index) for index in members]
    clouds = [cloud(objects, index) for index in chosen]
    arrays["names"] = np.array([objects.names[index] for index in chosen])
    arrays["groups"] = np.array(groups, dtype=np.int8)
    for name in ("size", "points", "normals"):
        arrays[name] = np.stack([one[name] for one in clouds])
    return arrays


def columns(
    prefix: str, tests: TestRecords, number: dict[int, int]
) -> dict[str, npt.NDArray[np.generic]]:
    """Columns of a test set: pairs, poses as x, y, z, qx, qy, qz, qw, and signed distances."""
    renumber = np.vectorize(lambda old: number[int(old)], otypes=[np.int16])
    return {
        f"{prefix}.pairs": renumber(tests.pairs),
        f"{prefix}.poses": np.hstack([tests.translation, tests.rotation]).astype(np.float32),
        f"{prefix}.distance": tests.distance,
        f"{prefix}.normal": tests.normal.astype(np.float16),
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="gso/ and ycb/")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="file to write")
    options = parser.parse_args(argv)
    try:
        write_archive(options.output, arrays_of(read_objects(options.folder)))
    except (ValueError, OSError) as error:
        print(f"make_collision_tests: {error}", file=sys.stderr)
        return 1
    print(f"{options.output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
