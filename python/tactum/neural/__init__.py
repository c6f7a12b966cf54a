# SPDX-License-Identifier: BSD-2-Clause
"""A learned collision check of non-convex objects, and a filter that puts an exact check behind it.

    >>> import numpy as np, tactum
    >>> from tactum import neural
    >>> network = neural.CollisionNetwork.load()
    >>> box = tactum.Box(half_extents=(0.05, 0.04, 0.03))
    >>> code = network.encode(box.to_mesh())
    >>> X_AB = np.tile(np.eye(4), (2, 1, 1))
    >>> X_AB[1, 0, 3] = 0.3
    >>> network.logits(code, code, X_AB) > 0.0
    array([ True, False])

Inference runs on the CPU in double precision and needs numpy alone. Training and evaluation
(`tactum neural train`, the modules model, dataset, training and evaluation) need PyTorch:
pip install tactum[torch].

A prediction is an estimate. Nothing that must be right should rest on it: see NeuralFilter, and the
guide's chapter on when to trust it.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .. import _core
from .._core import Compound, Mesh, ObjectCode, Shape
from .._errors import InvalidInput
from .._pose import PoseLike
from .weights import MAX_BYTES, metadata_of

__all__ = ["CollisionNetwork", "NeuralFilter", "ObjectCode"]

Array = npt.NDArray[np.float64]
_SHIPPED = Path(__file__).resolve().parent.parent / "data" / "collision_network.safetensors"


class CollisionNetwork:
    """Predicts whether two objects collide from what it has learned of their shapes."""

    def __init__(self, core: _core.CollisionNetwork, lowest_logits: Array, num_collisions: int):
        """Use load()."""
        self._core = core
        self._lowest_logits = lowest_logits
        self._num_collisions = num_collisions

    @staticmethod
    def load(path: str | os.PathLike[str] | None = None) -> CollisionNetwork:
        """The network of a safetensors file that `tactum neural train` wrote; None: the one that
        comes with the package. The file need not be trusted: a bad one raises InvalidInput."""
        source = _SHIPPED if path is None else Path(path)
        if not source.is_file() or source.stat().st_size > MAX_BYTES:
            raise InvalidInput("path", str(source), "give a file of weights of at most 64 MiB")
        try:
            content = source.read_bytes()
        except OSError as error:
            raise InvalidInput(str(source), error.strerror or "?", "give a readable file") from None
        core = _core.CollisionNetwork.from_bytes(content, str(source))
        metadata = metadata_of(content, str(source))
        try:
            text = metadata.get("lowest_logits", "")
            lowest = np.array([float(word) for word in text.split()])
            count = int(metadata.get("num_collisions", "0"))
        except ValueError:
            lowest, count = np.array([math.nan]), 0
        if count < len(lowest) or not np.isfinite(lowest).all() or np.any(np.diff(lowest) < 0.0):
            raise InvalidInput(str(source), "a bad calibration", "run tactum neural calibrate")
        return CollisionNetwork(core, lowest, count)

    @property
    def num_points(self) -> int:
        """How many points of a surface a code is made from."""
        return self._core.num_points

    def encode(self, mesh: Mesh) -> ObjectCode:
        """Code of a mesh, from points of its surface; always the same for the same mesh.

        About 50 ms. A code can be pickled. The mesh should be closed; of an open one the side that
        its normals point to is outside. Raises InvalidInput for a mesh without area or beyond 1e6 m.
        """
        return self._core.encode(mesh)

    def encode_points(self, points: npt.ArrayLike, normals: npt.ArrayLike) -> ObjectCode:
        """Code of a point cloud: (N, 3) in metres, with (N, 3) outward unit normals. About
        num_points of them, spread evenly over the surface, are what the network was trained on."""
        return self._core.encode_points(points, normals)

    def logits(self, code_a: ObjectCode, code_b: ObjectCode, X_AB: PoseLike) -> Array:
        """Logits of collision, positive where one is expected.

        X_AB: pose of B in the frame of A, in any form that tactum.distance takes, or (N, 4, 4) or
        (N, 7). Returns an array (N,), or a single number for a single pose.
        """
        return self._column(code_a, code_b, X_AB, 0)

    def distances(self, code_a: ObjectCode, code_b: ObjectCode, X_AB: PoseLike) -> Array:
        """Estimated signed distances in metres, with the arguments of logits()."""
        return self._column(code_a, code_b, X_AB, 1)

    def gradient(self, code_a: ObjectCode, code_b: ObjectCode, X_AB: PoseLike) -> Array:
        """(N, 6) derivatives of the logits by [v; w], a small motion of B in its own frame (metres,
        radians), or (6,) for a single pose. The logit is continuous in the pose, and this gradient
        jumps where a unit of the network switches on or off. The logit falls where the objects come
        apart, so minus the first three point the way out, about."""
        found = self._core.gradient(code_a, code_b, X_AB)
        return found if _is_batch(X_AB) else found[0]

    def _column(self, code_a: ObjectCode, code_b: ObjectCode, X_AB: PoseLike, which: int) -> Array:
        found = np.ascontiguousarray(self._core.predict(code_a, code_b, X_AB)[:, which])
        return found if _is_batch(X_AB) else np.asarray(found[0])

    def __repr__(self) -> str:
        return f"CollisionNetwork(cells={self._core.num_cells}, points={self.num_points})"


def _is_batch(X: PoseLike) -> bool:
    shape = getattr(X, "shape", None)
    if shape is None and isinstance(X, list):
        shape = np.shape(X)
    return shape is not None and (len(shape) == 3 or (len(shape) == 2 and shape[-1] == 7))


class NeuralFilter:
    """Leaves out pairs that the network is sure about, and asks the exact query about the others.

    The threshold is the largest one at which at most the share `miss_rate` of the collisions of the
    calibration set is left out. These are collisions deeper than 1 mm between objects that the
    network was not trained on, in poses near contact. Shallower ones are missed more often: a
    filter is for finding collisions, not for the exact moment of touch.

    threshold: logits below it count as apart. miss_rate: the share that was left out of the
    calibration set. interval: its 95 % confidence interval (Clopper and Pearson), as if all
    collisions were independent. num_collisions: how many there were.
    """

    threshold: float
    miss_rate: float
    interval: tuple[float, float]
    num_collisions: int

    def __init__(self, network: CollisionNetwork, miss_rate: float = 1e-4) -> None:
        """Raises InvalidInput where the calibration of the network cannot state the rate."""
        lowest, count = network._lowest_logits, network._num_collisions
        if not 0.0 < miss_rate < 1.0:
            raise InvalidInput("miss_rate", f"{miss_rate!r}", "give a share between 0 and 1")
        if count == 0:
            raise InvalidInput(
                "network", "one without calibration", "run tactum neural calibrate on its weights"
            )
        allowed = math.floor(miss_rate * count)
        if allowed < 1:
            raise InvalidInput("miss_rate", f"{miss_rate!r}", f"give at least {1.0 / count:.2g}")
        if allowed >= len(lowest):
            limit = (len(lowest) - 1) / count
            raise InvalidInput("miss_rate", f"{miss_rate!r}", f"give at most {limit:.2g}")
        self.network = network
        self.threshold = float(lowest[allowed])
        missed = int(np.searchsorted(lowest, self.threshold, side="left"))
        self.miss_rate = missed / count
        self.interval = confidence_interval(missed, count)
        self.num_collisions = count

    def may_collide(
        self, code_a: ObjectCode, code_b: ObjectCode, X_AB: PoseLike
    ) -> npt.NDArray[np.bool_]:
        """Whether the pairs have to be looked at; the arguments are those of logits()."""
        return np.asarray(self.network.logits(code_a, code_b, X_AB) >= self.threshold)

    def collides(
        self,
        a: Shape | Compound | Mesh,
        code_a: ObjectCode,
        b: Shape | Compound | Mesh,
        code_b: ObjectCode,
        X_AB: npt.ArrayLike,
    ) -> npt.NDArray[np.bool_]:
        """(N,) whether A and B collide at each pose of B in A: the exact answer for the pairs that
        pass, False for the others. X_AB: (N, 4, 4) or (N, 7)."""
        poses = np.asarray(X_AB, dtype=float)
        found = np.array(self.may_collide(code_a, code_b, poses))
        if found.ndim != 1:
            raise InvalidInput("X_AB", f"shape {poses.shape}", "give (N, 4, 4) or (N, 7)")
        asked = _core.distances(a, None, b, poses[found], cutoff=0.0, fields=("status",)).status
        apart = (_core.Status.separated, _core.Status.beyond_cutoff)
        found[found] = ~np.isin(asked, [int(status) for status in apart])
        return found


def confidence_interval(successes: int, trials: int) -> tuple[float, float]:
    """The exact 95 % interval of a share (Clopper and Pearson), by bisection of the binomial tail."""

    def tail(p: float, most: int) -> float:
        """Probability of at most `most` successes."""
        logs = [
            math.lgamma(trials + 1)
            - math.lgamma(i + 1)
            - math.lgamma(trials - i + 1)
            + i * math.log(p)
            + (trials - i) * math.log1p(-p)
            for i in range(most + 1)
        ]
        return math.fsum(math.exp(value) for value in logs)

    def solve(most: int, target: float) -> float:
        low, high = 0.0, 1.0
        for _ in range(100):
            middle = 0.5 * (low + high)
            if tail(middle, most) > target:
                low = middle
            else:
                high = middle
        return 0.5 * (low + high)

    lower = 0.0 if successes == 0 else solve(successes - 1, 0.975)
    upper = 1.0 if successes == trials else solve(successes, 0.025)
    return lower, upper
