# SPDX-License-Identifier: BSD-2-Clause
"""The end of the demo: a quadruped falls, settles, and is drawn over time. It needs the simulator."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from . import _sim_record

QUADRUPED = Path(__file__).resolve().parent / "data" / "quadruped.xml"
SECONDS = 2.0
DT = 2e-3


def is_there() -> bool:
    """Whether this build has the simulator."""
    return importlib.util.find_spec("tactum._sim") is not None


def run(on_step: Callable[[int, int], object] | None = None) -> tuple[_sim_record.Record, float]:
    """The fall, and the seconds of a step."""
    from . import _sim_record, sim

    model = sim.load_mjcf(QUADRUPED)
    state = model.state()
    state.v[:3] = [1.0, 0.0, 0.0]
    began = time.perf_counter()
    record = _sim_record.run(model, state, round(SECONDS / DT), DT, progress=on_step)
    return record, (time.perf_counter() - began) / len(record.residual)


def text(record: _sim_record.Record, seconds: float) -> list[str]:
    """The lines that the demo prints."""
    contacts = np.diff(record.offsets)
    total = record.energy.sum(axis=1)
    return [
        f"{record.model.nv} velocities, {record.model.num_geometries} shapes, {len(record.residual)} steps of {1e3 * DT:g} ms, {1e6 * seconds:.0f} us each from Python",
        f"{record.converged.mean():.1%} of the steps converged, largest residual {record.residual.max():.1e}; up to {contacts.max()} contact points, {contacts[-1]} at rest",
        f"energy {total[0]:.3f} J at first, {total[-1]:.3f} J at rest; speed at the end {np.abs(record.v[-1]).max():.1e}",
    ]


def draw(record: _sim_record.Record, path: Path) -> None:
    """A strip of pictures with energy and residual over time."""
    from . import _sim_record

    _sim_record.draw(record, path)
