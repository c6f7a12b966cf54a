# SPDX-License-Identifier: BSD-2-Clause
"""Microseconds that Embree takes for a ray, where its Python package embreex is installed.

    python tools/embree_rays.py FILE...

Rays are drawn as tactum_compare_mesh draws its own: from a sphere around the mesh towards points of
the surface. All rays go into one call, in single precision, on one thread. Prints one JSON list, with
null where there is no embreex. Reads the PLY and OBJ files of the comparison and no others.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NUM_RAYS = 20000


def read_triangles(path: Path) -> Any:
    """Corners (M, 3, 3), float32."""
    import numpy as np

    if path.suffix == ".obj":
        words = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
        vertices = np.array([word[1:4] for word in words if word[:1] == ["v"]], dtype=np.float32)
        faces = [
            [int(w.split("/")[0]) - 1 for w in word[1:4]] for word in words if word[:1] == ["f"]
        ]
        return vertices[np.array(faces)]
    data = path.read_bytes()
    start = data.index(b"end_header\n") + len(b"end_header\n")
    counts = [
        int(line.split()[2]) for line in data[:start].decode().splitlines() if "element" in line
    ]
    vertices = np.frombuffer(data, "<f4", 3 * counts[0], start).reshape(-1, 3)
    record = np.dtype([("size", "u1"), ("corners", "<i4", 3)])
    faces = np.frombuffer(data, record, counts[1], start + vertices.nbytes)["corners"]
    return vertices[faces]


def ray_time(path: Path) -> float | None:
    try:
        import numpy as np
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene
    except ImportError:
        return None
    corners = read_triangles(path)
    scene = EmbreeScene()
    mesh = TriangleMesh(scene, corners)
    random = np.random.default_rng(1)
    areas = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    chosen = corners[random.choice(len(corners), NUM_RAYS, p=areas / areas.sum())]
    targets = np.einsum("nk,nkx->nx", random.dirichlet((1, 1, 1), NUM_RAYS), chosen)
    origins = random.normal(size=(NUM_RAYS, 3))
    origins *= (
        2 * np.linalg.norm(corners, axis=2).max() / np.linalg.norm(origins, axis=1, keepdims=True)
    )
    directions = targets - origins
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    rays = (origins.astype(np.float32), directions.astype(np.float32))
    times = []
    for _ in range(5):
        start = time.perf_counter()
        scene.run(*rays)
        times.append(time.perf_counter() - start)
    del mesh  # the scene needs it until here
    return 1e6 * sorted(times)[2] / NUM_RAYS


def main(argv: Sequence[str]) -> int:
    print(json.dumps([ray_time(Path(name)) for name in argv]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
