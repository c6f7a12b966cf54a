#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes the convex parts of all Google Scanned Objects of a set of objects into one file.

    ./run python tools/make_gso_parts.py FOLDER OBJECTS.npz PARTS.npz

FOLDER has gso/mesh and gso/vhacd; OBJECTS.npz is the one of `tactum neural label`. Parts are
centered as these objects are. tools/neural_device.py reads the file.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import tactum
from tactum.neural.objects import GROUPS, ObjectSet


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("objects", type=Path)
    parser.add_argument("parts", type=Path)
    options = parser.parse_args()
    objects = ObjectSet.load(options.objects)
    names, counts, sizes, vertices = [], [], [], []
    for name, group in zip(objects.names, objects.groups):
        if GROUPS[group] == "ycb":
            continue
        mesh = tactum.Mesh.from_file(options.folder / "gso" / "mesh" / f"{name}.obj", solid=True)
        center = 0.5 * (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0))
        found = tactum.load_parts(options.folder / "gso" / "vhacd" / f"{name}.obj", mesh)
        hulls = [s.vertices - center for s, _ in found.parts if isinstance(s, tactum.Convex)]
        names.append(name)
        counts.append(len(hulls))
        sizes += [len(hull) for hull in hulls]
        vertices += [hull.astype(np.float32) for hull in hulls]
    np.savez_compressed(
        options.parts,
        names=np.array(names),
        num_parts=np.array(counts, dtype=np.int32),
        num_vertices=np.array(sizes, dtype=np.int32),
        vertices=np.concatenate(vertices),
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
