# SPDX-License-Identifier: BSD-2-Clause
"""What the playground shows, as numbers: a pair's distance and gradients, clouds of perturbed
witness points, weights of the smoothed support, and where a throw lands."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import tactum

from . import se3

if TYPE_CHECKING:
    from . import sim

Array = npt.NDArray[np.float64]

ESTIMATORS = ("exact", "Gumbel", "Gaussian", "zeroth order")
SAMPLES = 60
RINGS = 2  #: edges from the support vertex to the vertices that Gumbel weighs
MOST_WEIGHTS = 80  #: vertices that are drawn with a weight


@dataclass(frozen=True)
class Scale:
    """How much the estimators smooth."""

    angle: float  #: rad, standard deviation of the normal of Gaussian
    length: float  #: m, temperature of Gumbel
    motion: float  #: m and rad, standard deviation of the motions of B of the zeroth order


def scale_of(a: Any, b: Any, share: float) -> Scale:
    """The scale that is a share of a radian, and the same share of the diagonal of the box around the
    smaller body: a share suits parts of any size. The zeroth order has one number for metres and
    radians, the smaller of the two."""
    diagonals = [float(np.linalg.norm(np.subtract(*body.aabb()))) for body in (a, b)]
    finite = [one for one in diagonals if 0.0 < one < np.inf]
    size = min(finite, default=1.0)
    return Scale(share, share * size, share * min(size, 1.0))


@dataclass(frozen=True)
class Answer:
    """Of one pair of poses."""

    value: Any  #: Distance
    gradients: dict[str, Array]  #: (6,) by estimator: distance by [v; w] of B, world axes at B
    motions: dict[str, Array]  #: (3, 6) by estimator: point_a by the same


def estimator(name: str, scale: Scale) -> Any:
    """The estimator of that name."""
    if name == "exact":
        return tactum.Exact()
    if name == "Gumbel":
        return tactum.Gumbel(rings=RINGS, temperature=scale.length)
    if name == "Gaussian":
        return tactum.Gaussian(samples=SAMPLES, scale=scale.angle, seed=0)
    return tactum.ZerothOrder(samples=SAMPLES, scale=scale.motion, seed=0)


def answer(a: Any, X_WA: Array, b: Any, X_WB: Array, scale: Scale) -> Answer:
    """Distance and its gradient by every estimator that takes the pair."""
    ask: Any = tactum.distance
    differentiate: Any = tactum.distance_derivative
    value = ask(a, X_WA, b, X_WB)
    gradients, motions = {}, {}
    for name in ESTIMATORS:
        try:
            found = differentiate(
                a,
                X_WA,
                b,
                X_WB,
                estimator=estimator(name, scale),
                frame="local_world_aligned",
            )
        except (tactum.InvalidInput, TypeError):  # not of this pair of kinds
            continue
        gradients[name] = found.distance_jacobian[6:]
        motions[name] = found.point_a_jacobian[:, 6:]
    return Answer(value, gradients, motions)


def cloud(a: Any, X_WA: Array, b: Any, X_WB: Array, scale: Scale) -> tuple[Array, Array]:
    """Witness points on A and on B, each in the world, of poses of B that are perturbed as the
    zeroth-order estimator perturbs them: (N, 3)."""
    steps = np.random.default_rng(0).normal(size=(SAMPLES, 6)) * scale.motion
    perturbed = np.array([X_WB @ se3.exp(step) for step in steps])
    found = tactum.distances(a, X_WA, b, perturbed, fields=("point_a", "point_b"))
    # on B as it is: a point of the perturbed body belongs to the same place of the body itself
    local = np.einsum(
        "nij,nj->ni",
        np.transpose(perturbed[:, :3, :3], (0, 2, 1)),
        found.point_b - perturbed[:, :3, 3],
    )
    return found.point_a, local @ X_WB[:3, :3].T + X_WB[:3, 3]


def vertices_near(shape: Any, direction: Array) -> Array:
    """Vertices within RINGS edges of the support vertex of a box or a hull, along a direction in its
    frame: (N, 3). Empty for other shapes."""
    if isinstance(shape, tactum.Box):
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
        points = signs * shape.half_extents
        support = signs[int(np.argmax(points @ direction))]
        return np.asarray(points[(signs != support).sum(axis=1) <= RINGS])
    if not isinstance(shape, tactum.Convex):
        return np.zeros((0, 3))
    points, neighbors = shape.vertices, shape.neighbors
    near = {int(np.argmax(points @ direction))}
    for _ in range(RINGS):
        near |= {int(other) for vertex in near for other in neighbors[vertex]}
    return np.asarray(points[sorted(near)])


def weights(shape: Any, X: Array, direction: Array, scale: Scale) -> tuple[Array, Array]:
    """Vertices near the support point along a direction of the world, and the weights that Gumbel
    gives them, which sum to 1: (N, 3), (N,). The lightest are left out. Empty for shapes without
    vertices."""
    along = X[:3, :3].T @ direction
    points = vertices_near(shape, along)
    if len(points) == 0:
        return points, np.zeros(0)
    height = points @ along
    softmax = np.exp((height - height.max()) / scale.length)
    softmax /= softmax.sum()
    chosen = np.argsort(-softmax)[:MOST_WEIGHTS]
    chosen = chosen[softmax[chosen] > 1e-3]
    return points[chosen] @ X[:3, :3].T + X[:3, 3], softmax[chosen]


def dot(color: Sequence[int]) -> str:
    """A spot of that color, in HTML."""
    return f'<span style="color:rgb({",".join(map(str, color))})">&#9679;</span>'


def panel(text: str) -> str:
    """HTML in the panel, of the size of what is around it."""
    return f'<div style="padding:0 0.8em;font-size:0.8em">{text}</div>'


def summary(found: Answer, colors: Mapping[str, Sequence[int]], scale: Scale) -> str:
    """The answer as HTML. colors: of the arrows, by estimator."""
    value = found.value
    head = "".join(f"<th>{name}</th>" for name in ("gradient by", "v of B", "w of B"))
    rows = []
    for name, row in found.gradients.items():
        parts = (" ".join(f"{x:+.2f}" for x in part) for part in (row[:3], row[3:]))
        cells = "".join(f"<td>{part}</td>" for part in parts)
        rows.append(f"<tr><td>{dot(colors[name])} {name}</td>{cells}</tr>")
    return panel(
        f"<b>distance {1000.0 * value.distance:.4f} mm</b>"
        f"<p>{value.status.name}, proved within {value.upper - value.lower:.1e} m; "
        f"normal {' '.join(f'{x:+.3f}' for x in value.normal)}</p>"
        f"<table><tr>{head}</tr>{''.join(rows)}</table>"
        f"<p>smoothed by {1000.0 * scale.length:.3g} mm (Gumbel), {scale.angle:.3g} rad (Gaussian), "
        f"{1000.0 * scale.motion:.3g} mm and {scale.motion:.3g} rad (zeroth order, cloud)</p>"
    )


# ----------------------------------------------------------------------------------------- landing
@dataclass(frozen=True)
class Throw:
    """A body thrown onto the ground, and what its derivative says of other throws."""

    positions: Array  #: (T + 1, 3), m
    predicted: Array  #: (K, T + 1, 3): by the derivative, for the changes
    actual: Array  #: (K, T + 1, 3): simulated
    poses: Array  #: (T + 1, 4, 4)
    smooth: bool

    @property
    def worst(self) -> float:
        """Largest distance between predicted and actual landing, m."""
        return float(np.linalg.norm(self.predicted[:, -1] - self.actual[:, -1], axis=1).max())


def throw_model() -> sim.Model:
    """A box above a plane."""
    from . import sim

    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.5)
    builder.add_body(
        tactum.Box(half_extents=(0.1, 0.07, 0.05)), mass=1.0, X=tactum.pose(xyz=(0.0, 0.0, 0.4))
    )
    return builder.build()


def throw(
    model: sim.Model, velocity: npt.ArrayLike, change: float, steps: int = 160, dt: float = 4e-3
) -> Throw:
    """Throw the body with a velocity (6,) [v; w] in its axes; changes: of v along x and y, in
    m/s."""
    from . import sim

    def start(added: Array) -> sim.State:
        state = model.state()
        state.v = np.asarray(velocity, dtype=np.float64) + added
        return state

    changes = np.zeros((4, model.nv))
    changes[[0, 1], 0] = change, -change
    changes[[2, 3], 1] = change, -change
    controls = np.zeros((steps, model.nv))
    trajectory = sim.rollout(model, start(np.zeros(model.nv)), controls, dt)
    others = sim.rollouts(model, [start(row) for row in changes], np.tile(controls, (4, 1, 1)), dt)
    predicted, smooth = [], True
    poses = np.array([model.body_poses(q)[1] for q in trajectory.q])
    for row in changes:
        tangent = sim.rollout_derivative(model, trajectory, dv=row, mode="forward")
        smooth = smooth and tangent.smooth
        # the tangent of a position is in the axes of the body
        moved = np.einsum("tij,tj->ti", poses[:, :3, :3], tangent.dq[:, :3])
        predicted.append(trajectory.q[:, :3] + moved)
    return Throw(
        trajectory.q[:, :3],
        np.array(predicted),
        np.array([other.q[:, :3] for other in others]),
        poses,
        smooth,
    )


# ----------------------------------------------------------------------------------------- aiming
MOST_TRIES = 12
HIT = 1e-4  #: m
SHARES = (1.0, 0.5, 0.25, 0.1, 0.03)  #: of a correction


@dataclass(frozen=True)
class Try:
    """A throw at a target."""

    velocity: Array  #: (6,)
    positions: Array  #: (T + 1, 3), m
    poses: Array  #: (T + 1, 4, 4)
    miss: float  #: m, from where it rests to the target

    @property
    def hit(self) -> bool:
        """Whether it is near enough."""
        return self.miss < HIT


def landing_derivative(model: sim.Model, trajectory: Any, poses: Array) -> Array:
    """(2, 2): x and y of the last position by v along x and y of the throw."""
    from . import sim

    tangents = [
        sim.rollout_derivative(model, trajectory, dv=row, mode="forward").dq[-1, :3]
        for row in np.eye(model.nv)[:2]
    ]
    return (poses[-1, :3, :3] @ np.array(tangents).T)[:2]


def aim(
    model: sim.Model, velocity: npt.ArrayLike, target: Array, steps: int = 250, dt: float = 4e-3
) -> list[Try]:
    """Throws that come nearer and nearer to a target (2,), by Newton's method on the place where the
    body rests. A correction that overshoots is made shorter; where none helps, it ends."""
    from . import sim

    controls = np.zeros((steps, model.nv))

    def thrown(velocities: Array) -> list[Any]:
        states = []
        for row in velocities:
            state = model.state()
            state.v = row
            states.append(state)
        return sim.rollouts(model, states, np.tile(controls, (len(states), 1, 1)), dt)

    def judged(trajectory: Any, row: Array) -> Try:
        poses = np.array([model.body_poses(q)[1] for q in trajectory.q])
        positions = trajectory.q[:, :3]
        return Try(row, positions, poses, float(np.linalg.norm(positions[-1, :2] - target)))

    row = np.array(velocity, dtype=np.float64)
    trajectory = thrown(row[None])[0]
    tries = [judged(trajectory, row)]
    while not tries[-1].hit and len(tries) < MOST_TRIES:
        J = landing_derivative(model, trajectory, tries[-1].poses)
        away = target - tries[-1].positions[-1, :2]
        step = np.zeros(model.nv)
        step[:2] = np.linalg.lstsq(J, away, rcond=1e-6)[0]
        rows = tries[-1].velocity + np.outer(SHARES, step)
        found = thrown(rows)
        others = [judged(one, row) for one, row in zip(found, rows, strict=True)]
        best = int(np.argmin([one.miss for one in others]))
        if not others[best].miss < 0.999 * tries[-1].miss:
            break
        trajectory = found[best]
        tries.append(others[best])
    return tries
