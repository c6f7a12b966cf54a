#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes python/tactum/data/gso_objects.npz, a few non-convex objects with their convex parts, from
a folder with Google Scanned Objects.

    ./run python tools/make_gso_objects.py FOLDER

FOLDER has mesh/OBJECT.obj and vhacd/OBJECT.obj, whose groups are the parts. Numbers are rounded to
32 bits. The same input gives the same file.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tactum
from make_ycb_hulls import write_archive

OUTPUT = Path(__file__).resolve().parent.parent / "python" / "tactum" / "data" / "gso_objects.npz"
OBJECTS = (
    "Threshold_Porcelain_Coffee_Mug_All_Over_Bead_White",
    "Cole_Hardware_Bowl_Scirocco_YellowBlue",
)


def arrays_of(folder: Path, names: tuple[str, ...]) -> dict[str, npt.NDArray[np.generic]]:
    """The arrays of the file; sizes say how many rows belong to each object or part."""
    vertices, triangles, parts, part_sizes, part_counts = [], [], [], [], []
    for name in names:
        mesh = tactum.Mesh.from_file(folder / "mesh" / f"{name}.obj", solid=True)
        found = tactum.load_parts(folder / "vhacd" / f"{name}.obj", mesh)
        hulls = [shape.vertices for shape, _ in found.parts if isinstance(shape, tactum.Convex)]
        vertices.append(mesh.vertices.astype(np.float32))
        triangles.append(mesh.triangles.astype(np.int32))
        parts += [hull.astype(np.float32) for hull in hulls]
        part_sizes += [len(hull) for hull in hulls]
        part_counts.append(len(hulls))
    return {
        "names": np.array(names),
        "num_vertices": np.array([len(v) for v in vertices], dtype=np.int32),
        "vertices": np.concatenate(vertices),
        "num_triangles": np.array([len(t) for t in triangles], dtype=np.int32),
        "triangles": np.concatenate(triangles),
        "num_parts": np.array(part_counts, dtype=np.int32),
        "part_sizes": np.array(part_sizes, dtype=np.int32),
        "part_vertices": np.concatenate(parts),
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="meshes and parts")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="file to write")
    parser.add_argument("--objects", nargs="+", default=OBJECTS, help="names of objects")
    options = parser.parse_args(argv)
    try:
        write_archive(options.output, arrays_of(options.folder, tuple(options.objects)))
    except (ValueError, OSError) as error:
        print(f"make_gso_objects: {error}", file=sys.stderr)
        return 1
    print(f"{len(options.objects)} objects, {options.output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
