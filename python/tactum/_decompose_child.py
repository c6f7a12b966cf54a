# SPDX-License-Identifier: BSD-2-Clause
"""The child process of decompose(): runs CoACD on a mesh in a file and writes its parts to another.

It is run as a program of its own and imports nothing of tactum. Its arguments: the file of the
mesh, the file of the parts, max_parts, concavity, seed, bytes of memory.
"""

import ctypes
import resource
import signal
import sys


def main(arguments: list[str]) -> None:
    """Runs CoACD on what the arguments name."""
    given, found, max_parts, concavity, seed, max_memory = arguments
    # Linux ends this process with its parent (prctl PR_SET_PDEATHSIG)
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (int(max_memory), int(max_memory)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    import coacd
    import numpy as np

    with np.load(given, allow_pickle=False) as data:
        mesh = coacd.Mesh(data["vertices"], data["triangles"])
    parts = coacd.run_coacd(
        mesh, threshold=float(concavity), max_convex_hull=int(max_parts), seed=int(seed)
    )
    points = [np.asarray(vertices, dtype=np.float64) for vertices, _ in parts]
    if not points:
        raise SystemExit("CoACD returned no parts")
    np.savez(found, points=np.concatenate(points), sizes=[len(p) for p in points])


main(sys.argv[1:])
