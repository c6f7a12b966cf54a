# SPDX-License-Identifier: BSD-2-Clause
"""`tactum scene FILE`, and the objects of a scene file for `tactum distance --scene FILE A B`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

import tactum

DESCRIPTION = """Shows the contents of a scene file: its objects, its close pairs and their contacts.

docs/guide/scenes.md describes the format. Lengths are in metres."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tactum scene`."""
    parser.add_argument("file", metavar="FILE", help="scene file; - for standard input")
    parser.add_argument(
        "--margin",
        type=float,
        default=0.0,
        metavar="M",
        help="list pairs up to this far apart (default: 0)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def load(path: str) -> tactum.Scene:
    """The scene of a file, or of standard input for "-"."""
    if path == "-":
        try:
            text = sys.stdin.read()
        except UnicodeDecodeError:
            raise ValueError("-: not a text file") from None
        return tactum.Scene.from_text(text)
    return tactum.Scene.load(path)


def run_command(arguments: argparse.Namespace) -> None:
    """Prints the report of a file."""
    report = report_of(load(arguments.file), arguments.margin)
    if arguments.json:
        print(json.dumps(report, allow_nan=False))
        return
    kinds = ", ".join(f"{count} {kind}" for kind, count in report["kinds"].items())
    print(f"objects    {report['objects']}" + (f" ({kinds})" if kinds else ""))
    print(
        f"pairs      {len(report['pairs'])} within {report['margin']} m, {report['candidates']} by their boxes"
    )
    print(f"contacts   {sum(pair['contacts'] for pair in report['pairs'])} points")
    if report["pairs"]:
        print(f"\n{'A':<24}{'B':<24}{'status':<16}{'distance':>14}{'points':>8}")
    for pair in report["pairs"]:
        print(
            f"{pair['a']:<24.23}{pair['b']:<24.23}{pair['status']:<16}{pair['distance']:>14.6g}{pair['contacts']:>8}"
        )


def report_of(scene: tactum.Scene, margin: float) -> dict[str, Any]:
    """The report of `tactum scene` as one JSON object."""
    candidates = len(scene.pairs(margin))
    distances, contacts = scene.distances(margin), scene.contacts(margin)
    points = np.diff(contacts.offsets)
    return {
        "objects": len(scene),
        "kinds": dict(
            sorted(Counter(type(scene.shape(int(i))).__name__ for i in scene.ids).items())
        ),
        "margin": margin,
        "candidates": candidates,
        "pairs": [
            {
                "a": label(scene, int(a)),
                "b": label(scene, int(b)),
                "ids": [int(a), int(b)],
                "status": tactum.Status(int(status)).name,
                "distance": float(distance),
                "contacts": int(count),
            }
            for (a, b), status, distance, count in zip(
                distances.pairs, distances.status, distances.distance, points, strict=True
            )
        ],
    }


def label(scene: tactum.Scene, number: int) -> str:
    """The name of an object, or its id."""
    return scene.name(number) or str(number)


def find_object(
    scene: tactum.Scene, text: str
) -> tuple[tactum.Shape | tactum.Compound | tactum.Mesh, npt.NDArray[np.float64]]:
    """Shape and pose of the object with that name, or else with that id."""
    found = scene.find(text)
    if (
        found is None
        and text.isascii()
        and text.isdigit()
        and len(text) < 10
        and int(text) in scene
    ):
        found = int(text)
    if found is None:
        raise ValueError(f"no object of the scene has the name or id {text[:40]!r}")
    return scene.shape(found), scene.pose(found)
