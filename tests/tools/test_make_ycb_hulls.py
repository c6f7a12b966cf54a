# SPDX-License-Identifier: BSD-2-Clause
"""tools/make_ycb_hulls.py: corners alone, the same file from the same input, errors by name."""

from __future__ import annotations

import struct
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np

TOOL = Path(__file__).resolve().parents[2] / "tools" / "make_ycb_hulls.py"


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(TOOL), *map(str, words)], capture_output=True, text=True, check=False
    )


def test_corners_of_meshes(tmp_path: Path) -> None:
    corners = [tuple(corner) for corner in product((0.1, 0.4), repeat=3)]
    for name, inside in (("b", [(0.2, 0.2, 0.2)]), ("a", [])):
        points = [*corners, *inside]
        header = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
        header += "".join(f"property float {c}\n" for c in "xyz") + "end_header\n"
        (tmp_path / f"{name}.ply").write_bytes(
            header.encode() + b"".join(struct.pack("<fff", *p) for p in points)
        )
    for output in ("1.npz", "2.npz"):
        shown = run(tmp_path, "--output", tmp_path / output)
        assert shown.returncode == 0 and "2 hulls, 16 corners" in shown.stdout, shown.stderr
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()
    with np.load(tmp_path / "1.npz", allow_pickle=False) as archive:
        assert archive["names"].tolist() == ["a", "b"] and archive["offsets"].tolist() == [0, 8, 16]
        assert archive["corners"].dtype == np.float32
        np.testing.assert_array_equal(
            np.unique(archive["corners"][8:], axis=0),
            np.unique(np.array(corners, dtype=np.float32), axis=0),
        )


def test_a_folder_without_meshes(tmp_path: Path) -> None:
    shown = run(tmp_path, "--output", tmp_path / "x.npz")
    assert (
        shown.returncode == 2 and "no meshes" in shown.stderr and not (tmp_path / "x.npz").exists()
    )
