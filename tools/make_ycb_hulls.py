#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes python/tactum/data/ycb_hulls.npz, the corners of the convex hulls of the YCB objects, from
a folder with their meshes.

    ./run python tools/make_ycb_hulls.py FOLDER

FOLDER is the data set as it is published (OBJECT/google_16k/nontextured.ply) or has the meshes by
name (OBJECT.ply, or full/OBJECT.ply). The scans hold 32-bit numbers, and so does the file: nothing
is rounded. The same input gives the same file.
"""

from __future__ import annotations

import argparse
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
import tactum
from tactum.reproduce.ycb import find_meshes, read_ply_points

OUTPUT = Path(__file__).resolve().parent.parent / "python" / "tactum" / "data" / "ycb_hulls.npz"
MAX_BYTES = 3_000_000


def hull_corners(points: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The points that are corners of the hull, in the order of the hull."""
    corners = tactum.Convex.from_points(points.astype(np.float64)).vertices
    rounded = corners.astype(np.float32)
    if not np.array_equal(rounded.astype(np.float64), corners):
        raise ValueError("a corner of the hull is not one of the points")
    return rounded


def write_archive(path: Path, arrays: dict[str, npt.NDArray[np.generic]]) -> None:
    """Like numpy.savez_compressed, without the time of day."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            content = BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)),
                content.getvalue(),
                zipfile.ZIP_DEFLATED,
                9,
            )


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the meshes")
    parser.add_argument(
        "--output",
        type=Path,
        default=OUTPUT,
        help="the file to write (default: the one of the package)",
    )
    arguments = parser.parse_args(argv)
    try:
        hulls = {
            name: hull_corners(read_ply_points(path))
            for name, path in find_meshes(arguments.folder).items()
        }
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    offsets = np.cumsum([0, *(len(corners) for corners in hulls.values())]).astype(np.int32)
    corners = np.vstack(list(hulls.values()))
    write_archive(
        arguments.output, {"names": np.array(list(hulls)), "offsets": offsets, "corners": corners}
    )
    size = arguments.output.stat().st_size
    print(f"{arguments.output}: {len(hulls)} hulls, {offsets[-1]} corners, {size} bytes")
    if size > MAX_BYTES:
        print(f"larger than {MAX_BYTES} bytes", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
