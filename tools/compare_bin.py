# SPDX-License-Identifier: BSD-2-Clause
"""The part of `./run compare scene` that has real shapes: 1000 hulls that settle in a bin, and
10000 bodies in the air on two threads."""

from __future__ import annotations

import itertools
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from report import Row, make_row

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "python" / "tactum" / "data"
COAL_GOAL = 3.0  # times as fast as coal, for the same pairs
THREAD_GOAL = 1.7  # times as fast with two threads as with one


def write_bin(file: BinaryIO, frames: int | None = None) -> None:
    """The form that tactum_compare_bin reads: counts, width, hulls, which hull each body is,
    poses."""
    with np.load(DATA / "ycb_hulls.npz", allow_pickle=False) as archive:
        offsets, corners = archive["offsets"], archive["corners"].astype(np.float64)
    with np.load(DATA / "bin_poses.npz", allow_pickle=False) as archive:
        objects, poses, half_width = (
            archive["object"],
            archive["poses"][:frames],
            float(archive["bin_half_width"]),
        )
    file.write(np.array([len(offsets) - 1, len(objects), len(poses)], dtype="<i4").tobytes())
    file.write(np.array([half_width]).tobytes())
    for begin, end in itertools.pairwise(offsets):
        hull = corners[begin:end] - 0.5 * (
            corners[begin:end].min(axis=0) + corners[begin:end].max(axis=0)
        )
        file.write(
            np.array([len(hull)], dtype="<i4").tobytes() + np.ascontiguousarray(hull).tobytes()
        )
    file.write(objects.astype("<i4").tobytes() + poses.astype(np.float64).tobytes())


def run(program: Path, *arguments: str) -> dict[str, Any]:
    """The measurements of the program."""
    output = subprocess.run(
        [str(program), *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    return dict(json.loads(output.stdout))


def bin_rows(found: dict[str, Any]) -> list[Row]:
    """Rows of the bin: ours beside coal's patches, which are the same task, and beside coal's
    single contacts, which are less."""
    case = f"{found['hulls']} YCB hulls in a bin"
    column = {entry["name"]: entry for entry in found["columns"]}
    ours, patches, single = column["tactum"], column["coal patches"], column["coal one contact"]
    peers = {"coal": patches["milliseconds"]}
    note = f"poses, pairs, patches; {ours['points']} points, coal {patches['points']}"
    return [
        make_row(
            case,
            "contact patches",
            "ms",
            ours["milliseconds"],
            spread=ours["spread"],
            peers=peers,
            timing=True,
            note=note,
        ),
        make_row(
            case,
            "ratio to coal",
            "1",
            patches["milliseconds"] / ours["milliseconds"],
            relation=">=",
            goal=COAL_GOAL,
            timing=True,
            note="coal / tactum, patches both",
        ),
        make_row(
            case,
            "ratio to coal with one contact a pair",
            "1",
            single["milliseconds"] / ours["milliseconds"],
            timing=True,
            note="coal does less here",
        ),
        make_row(
            case,
            "pairs that tactum alone finds",
            "1",
            found["only_tactum"],
            relation="<=",
            goal=0,
            note=f"of {found['common']} that both find",
        ),
        make_row(
            case,
            "pairs that coal alone finds",
            "1",
            found["only_coal"],
            note="tactum proves these apart",
        ),
    ]


def thread_rows(found: dict[str, Any]) -> list[Row]:
    """Rows of the bodies in the air."""
    case = f"{found['bodies']} bodies in the air"
    return [
        make_row(
            case,
            "contact patches",
            "ms",
            found["one"],
            timing=True,
            note=f"one thread, {found['points']} points",
        ),
        make_row(
            case,
            "two threads to one",
            "1",
            found["one"] / found["two"],
            relation=">=",
            goal=THREAD_GOAL,
            timing=True,
            note="time of one / time of two",
        ),
    ]


def measure(program: Path, *, quick: bool) -> list[Row]:
    """All rows."""
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        write_bin(file, frames=2 if quick else None)
        file.flush()
        rows = bin_rows(run(program, file.name, "--rounds", "1" if quick else "6"))
    return rows + thread_rows(
        run(program, "--flying", "1000" if quick else "10000", "--rounds", "3" if quick else "60")
    )
