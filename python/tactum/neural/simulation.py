# SPDX-License-Identifier: BSD-2-Clause
"""Rigid bodies in many environments at once on one GPU, with one contact for each pair of objects.

Every environment has the same number of bodies and its own objects. A *contact source* says for
rows of pairs whether they touch, where, and along which normal: NetworkContacts by a gradient of
the learned check and point isolation, as Son and Kim (2023) have it; PartContacts by the exact
distance of convex parts, or of convex hulls. What follows is the same for both: impulses with
friction that keep points from approaching, by projected relaxation over the contacts of each
environment, and a semi-implicit step. No promise of the exact simulator (tactum.sim) holds here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch

from .. import gpu
from .device import DeviceNetwork, Tiles, tiles_of
from .model import UNIT, Codes, Network

GRAVITY = 9.81
SLOP = 0.0005  #: m of depth that is left as it is
PUSH = 0.2  #: share of the depth beyond it that a step undoes
FASTEST_PUSH = 0.5  #: m/s
CHUNK = 16384  #: pairs whose gradient is computed at once


class Kinds(NamedTuple):
    """What an object is, apart from its shape: n objects."""

    mass: torch.Tensor  #: (n,) kg
    center: torch.Tensor  #: (n, 3) center of mass in the frame of the object, m
    inertia: torch.Tensor  #: (n, 3, 3) about it, in the axes of the object
    points: torch.Tensor  #: (n, k, 3) of the surface, for the ground


class Touches(NamedTuple):
    """Answers of a contact source for rows of pairs, in the world frame."""

    touching: torch.Tensor  #: (n,) bool
    normal: torch.Tensor  #: (n, 3) unit, from the first to the second
    point: torch.Tensor  #: (n, 3)
    depth: torch.Tensor  #: (n,) m, not negative


#: objects a, rotations, origins of their frames, objects b, rotations, origins
Source = Callable[
    [torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], Touches
]


@dataclass
class World:
    """E environments with B bodies; the first of each is moved by hand."""

    index: torch.Tensor  #: (E, B) objects
    R: torch.Tensor  #: (E, B, 3, 3)
    x: torch.Tensor  #: (E, B, 3) centers of mass
    v: torch.Tensor  #: (E, B, 3)
    w: torch.Tensor  #: (E, B, 3)

    def origins(self, kinds: Kinds) -> torch.Tensor:
        """(E, B, 3) of the frames of the objects."""
        return self.x - _turn(self.R, kinds.center[self.index])


def _turn(R: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """R v in full precision."""
    return R[..., 0] * v[..., :1] + R[..., 1] * v[..., 1:2] + R[..., 2] * v[..., 2:]


def _skew(w: torch.Tensor) -> torch.Tensor:
    zero = torch.zeros_like(w[..., 0])
    rows = (zero, -w[..., 2], w[..., 1], w[..., 2], zero, -w[..., 0], -w[..., 1], w[..., 0], zero)
    return torch.stack(rows, -1).unflatten(-1, (3, 3))


def isolated_point(
    force: torch.Tensor, torque: torch.Tensor, near: torch.Tensor, reach: torch.Tensor
) -> torch.Tensor:
    """(n, 3) where a force alone makes a torque about the origin: the point of its line of action
    that is nearest to `near`. Farther from there than `reach` the line says nothing, because the
    force is small beside the torque: then it is `near` itself."""
    square = force.square().sum(-1, keepdim=True).clamp(min=1e-20)
    line = torch.linalg.cross(force, torque) / square
    along = ((near - line) * force).sum(-1, keepdim=True) / square
    point = line + along * force
    far = (point - near).norm(dim=-1, keepdim=True) > reach[:, None]
    return torch.where(far, near, point)


class NetworkContacts:
    """A pair touches where its logit is positive; the way out is that of the growing distance which
    the network estimates, or, as in the paper, of the falling logit. Deep inside a logit hardly
    changes any more, so that its gradient says little there.

    Logits of all pairs come from the fused kernel, gradients of those that touch from PyTorch.
    """

    def __init__(
        self,
        network: Network,
        codes: Codes,
        device: DeviceNetwork | None = None,
        way_out: Literal["distance", "logit"] = "distance",
    ) -> None:
        self.network, self.codes, self.device = network.eval(), codes, device
        self.way_out = way_out
        self._tiles: tuple[torch.Tensor, Tiles] | None = None

    def __call__(
        self,
        a: torch.Tensor,
        R_a: torch.Tensor,
        p_a: torch.Tensor,
        b: torch.Tensor,
        R_b: torch.Tensor,
        p_b: torch.Tensor,
    ) -> Touches:
        back = R_a.transpose(1, 2)
        R = torch.stack([_turn(back, R_b[..., k]) for k in range(3)], -1)
        t = _turn(back, p_b - p_a)
        touching = self._logits(a, b, R, t) > 0.0
        normal, point = torch.zeros_like(p_a), torch.zeros_like(p_a)
        depth = torch.zeros_like(p_a[:, 0])
        rows = torch.nonzero(touching)[:, 0]
        for chunk in rows.split(CHUNK) if len(rows) else ():
            out, near, depth[chunk] = self._way_out(a[chunk], b[chunk], R[chunk], t[chunk])
            normal[chunk] = _turn(R_b[chunk], out)
            point[chunk] = p_b[chunk] + _turn(R_b[chunk], near)
        return Touches(touching, normal, point, depth)

    def _logits(
        self, a: torch.Tensor, b: torch.Tensor, R: torch.Tensor, t: torch.Tensor
    ) -> torch.Tensor:
        if self.device is not None:
            key = (a << 32) | b
            if self._tiles is None or not torch.equal(self._tiles[0], key):
                self._tiles = key, tiles_of(a, b)
            return self.device.predict(a, b, R, t, self._tiles[1])[:, 0]
        found = [
            self.network.pairs(self._of(a[rows]), self._of(b[rows]), R[rows], t[rows])[
                :, 0
            ].detach()
            for rows in torch.arange(len(a), device=a.device).split(CHUNK)
        ]
        return torch.cat(found)

    def _of(self, index: torch.Tensor) -> Codes:
        return Codes(*(column[index] for column in self.codes))

    def _way_out(
        self, a: torch.Tensor, b: torch.Tensor, R: torch.Tensor, t: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Normal and contact point in the frames of b, and depths."""
        code_a, code_b = self._of(a), self._of(b)
        motion = torch.zeros(len(a), 6, device=t.device, requires_grad=True)
        moved_t = t + _turn(R, motion[:, :3])
        turn = torch.eye(3, device=t.device) + _skew(motion[:, 3:])
        moved_R = torch.stack([_turn(R, turn[..., k]) for k in range(3)], -1)
        between = self.network.relative(code_a.origin, code_b.origin, moved_R, moved_t)
        of_a, of_b = self.network.summaries(code_a, code_b, moved_R, between)
        found = self.network.predictor(of_a, of_b, moved_R, between)
        growing = found[:, 1] if self.way_out == "distance" else -found[:, 0]
        wrench = torch.autograd.grad(growing.sum(), motion)[0]
        force, torque = wrench[:, :3], wrench[:, 3:]
        with torch.no_grad():
            # middle of the cells of both that are near the other, in the frame of b
            back = R.transpose(1, 2)
            seen = _turn(back, of_a.center[:, 1] + code_a.origin - t)
            near = 0.5 * (seen + of_b.center[:, 1] + code_b.origin)
            point = isolated_point(force, torque, near, code_b.half)
            length = force.norm(dim=1, keepdim=True).clamp(min=1e-12)
            return force / length, point, (-UNIT * found[:, 1]).clamp(min=0.0)


class PartContacts:
    """A pair touches where the exact distance of its convex parts is negative."""

    def __init__(self, table: gpu.ShapeTable) -> None:
        self.table = table

    def __call__(
        self,
        a: torch.Tensor,
        R_a: torch.Tensor,
        p_a: torch.Tensor,
        b: torch.Tensor,
        R_b: torch.Tensor,
        p_b: torch.Tensor,
    ) -> Touches:
        found = gpu.distances(
            (self.table, a.int()),
            poses_of(R_a, p_a),
            (self.table, b.int()),
            poses_of(R_b, p_b),
            fields=("distance", "normal", "point_a", "point_b"),
        )
        touching = found.distance < 0.0
        point = (0.5 * (found.point_a + found.point_b)).float()
        return Touches(
            touching, found.normal.float(), point, (-found.distance).float().clamp(min=0)
        )


def poses_of(R: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    """(n, 7) position and quaternion xyzw of rotations (n, 3, 3), in double precision."""
    R = R.double()
    trace = R[:, 0, 0] + R[:, 1, 1] + R[:, 2, 2]
    x, y, z = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    symmetric = R + R.transpose(1, 2)
    rows = []
    for i, own in enumerate((x, y, z)):
        row = [symmetric[:, i, j] for j in range(3)]
        row[i] = 1.0 - trace + 2.0 * R[:, i, i]
        rows.append(torch.stack([*row, own], 1))
    rows.append(torch.stack([x, y, z, 1.0 + trace], 1))
    # four multiples of the quaternion: the longest is never short
    stacked = torch.stack(rows, 1)
    longest = stacked.norm(dim=2).argmax(1)
    q = stacked[torch.arange(len(R), device=R.device), longest]
    return torch.cat([t.double(), q / q.norm(dim=1, keepdim=True)], 1).contiguous()


class Simulator:
    """Steps a world: contacts of all pairs of bodies and with the ground, impulses, motion."""

    def __init__(
        self,
        world: World,
        kinds: Kinds,
        source: Source,
        *,
        dt: float = 0.0025,
        friction: float = 0.5,
        ground: float = 0.0,
        iterations: int = 16,
    ) -> None:
        self.world, self.kinds, self.source = world, kinds, source
        self.dt, self.friction, self.ground, self.iterations = dt, friction, ground, iterations
        bodies = world.index.shape[1]
        device = world.x.device
        pairs = [(i, j) for i in range(bodies) for j in range(i + 1, bodies)]
        # the ground is one more body behind the others
        every = [*pairs, *((bodies, i) for i in range(1, bodies))]
        self.num_pairs = len(pairs)
        self.first = torch.tensor([i for i, _ in every], device=device)
        self.second = torch.tensor([j for _, j in every], device=device)
        self.touches: Touches | None = None  #: of the pairs, (E * pairs,), of the last step

    def step(self, shake: torch.Tensor) -> None:
        """One time step; shake: (E, 3) velocity of the first body."""
        world, dt = self.world, self.dt
        world.v[:, 1:, 2] -= GRAVITY * dt
        world.v[:, 0], world.w[:, 0] = shake, 0.0
        self.solve(*self.contacts())
        world.x += dt * world.v
        # the turn by the vector w dt; then one step towards the nearest rotation, because rounding
        # adds up over thousands of steps
        angle = (dt * world.w).norm(dim=-1, keepdim=True)[..., None].clamp(min=1e-12)
        K = _skew(dt * world.w) / angle
        turn = torch.eye(3, device=world.x.device) + angle.sin() * K + (1 - angle.cos()) * (K @ K)
        R = turn @ world.R
        world.R = 1.5 * R - 0.5 * R @ (R.transpose(-1, -2) @ R)

    def contacts(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Touching (E, C), normal, point (E, C, 3) and depth of all contacts of the world."""
        world, E = self.world, len(self.world.x)
        origins = world.origins(self.kinds)
        sides = []
        for side in (self.first, self.second):
            own = side[: self.num_pairs]
            sides += [world.index[:, own], world.R[:, own], origins[:, own]]
        self.touches = self.source(*(part.flatten(0, 1) for part in sides))
        pairs = [part.unflatten(0, (E, self.num_pairs)) for part in self.touches]
        ground = self._ground(origins)
        return tuple(torch.cat(both, 1) for both in zip(pairs, ground))

    def _ground(self, origins: torch.Tensor) -> list[torch.Tensor]:
        """The lowest point of each free body against the plane."""
        world = self.world
        points = self.kinds.points[world.index[:, 1:]]
        places = _turn(world.R[:, 1:, None], points) + origins[:, 1:, None]
        lowest = places[..., 2].argmin(-1)[..., None, None].expand(-1, -1, 1, 3)
        point = places.gather(2, lowest)[:, :, 0]
        depth = self.ground - point[..., 2]
        up = torch.zeros_like(point)
        up[..., 2] = 1.0
        return [depth > 0.0, up, point, depth.clamp(min=0.0)]

    def solve(
        self,
        touching: torch.Tensor,
        normal: torch.Tensor,
        point: torch.Tensor,
        depth: torch.Tensor,
    ) -> None:
        """Changes the velocities so that touching points do not approach, with Coulomb friction.

        Every contact answers on its own with the share of the mass that it has of each body, the
        answers are added: stable for any number of contacts.
        """
        world, E = self.world, len(self.world.x)
        inverse = self._inverse_masses()
        axes = self._axes(normal)
        zero = torch.zeros(E, 1, 3, device=point.device)
        centers = torch.cat([world.x, zero], 1)
        J = []
        for side, sign in ((self.first, -1.0), (self.second, 1.0)):
            arm = (point - centers[:, side])[:, :, None].expand_as(axes)
            J.append(sign * torch.cat([axes, torch.linalg.cross(arm, axes)], -1))
        M_first, M_second = inverse[:, self.first], inverse[:, self.second]
        changes = J[0] @ M_first, J[1] @ M_second
        active = touching.to(point.dtype)
        counts = torch.zeros(E, inverse.shape[1], device=point.device)
        counts.index_add_(1, self.first, active).index_add_(1, self.second, active)
        shared = [counts[:, side].clamp(min=1.0)[..., None] for side in (self.first, self.second)]
        stiff = sum(n * (c * j).sum(-1) for n, c, j in zip(shared, changes, J))
        gain = active[..., None] / stiff.clamp(min=1e-12)
        target = torch.zeros_like(gain)
        target[..., 0] = (PUSH / self.dt * (depth - SLOP)).clamp(0.0, FASTEST_PUSH)
        V = torch.cat([torch.cat([world.v, world.w], -1), zero.expand(E, 1, 3).repeat(1, 1, 2)], 1)
        impulse = torch.zeros_like(gain)
        for _ in range(self.iterations):
            speed = (J[0] * V[:, self.first, None]).sum(-1) + (J[1] * V[:, self.second, None]).sum(
                -1
            )
            wanted = impulse - gain * (speed - target)
            push = wanted[..., :1].clamp(min=0.0)
            drag = wanted[..., 1:]
            limit = self.friction * push / drag.norm(dim=-1, keepdim=True).clamp(min=1e-12)
            new = torch.cat([push, drag * limit.clamp(max=1.0)], -1)
            change, impulse = (new - impulse)[..., None], new
            V.index_add_(1, self.first, (change * changes[0]).sum(2))
            V.index_add_(1, self.second, (change * changes[1]).sum(2))
        bodies = world.v.shape[1]
        world.v, world.w = V[:, :bodies, :3].contiguous(), V[:, :bodies, 3:].contiguous()

    def _inverse_masses(self) -> torch.Tensor:
        """(E, B + 1, 6, 6); the first body and the ground do not give way."""
        world = self.world
        E, bodies = world.index.shape
        inverse = torch.zeros(E, bodies + 1, 6, 6, device=world.x.device)
        mass, R = self.kinds.mass[world.index[:, 1:]], world.R[:, 1:]
        spin = torch.linalg.inv(self.kinds.inertia)[world.index[:, 1:]]
        inverse[:, 1:bodies, :3, :3] = torch.eye(3, device=mass.device) / mass[..., None, None]
        inverse[:, 1:bodies, 3:, 3:] = R @ spin @ R.transpose(-1, -2)
        return inverse

    def _axes(self, normal: torch.Tensor) -> torch.Tensor:
        """(E, C, 3, 3) rows: the normal and two directions across it."""
        helper = torch.where(
            normal[..., :1].abs() < 0.7,
            torch.tensor([1.0, 0.0, 0.0], device=normal.device),
            torch.tensor([0.0, 1.0, 0.0], device=normal.device),
        )
        across = torch.linalg.cross(normal, helper)
        across = across / across.norm(dim=-1, keepdim=True).clamp(min=1e-12)
        return torch.stack([normal, across, torch.linalg.cross(normal, across)], -2)


def shaking(time: float, phase: torch.Tensor) -> torch.Tensor:
    """(E, 3) velocity of bowls that are shaken 2 cm to and fro, at 3 Hz, and 1 cm up and down."""
    angle = 2.0 * torch.pi * 3.0 * time + phase
    rate = 2.0 * torch.pi * 3.0
    return torch.stack(
        [0.02 * rate * angle.cos(), 0.02 * rate * angle.sin(), 0.01 * rate * (2 * angle).cos()], 1
    )


def random_scenes(
    bowls: Any, others: Any, radii: torch.Tensor, heights: torch.Tensor, count: int, seed: int
) -> World:
    """`count` environments: a bowl, and two objects that fall into it from above, turned at random.

    bowls, others: indices of objects; radii: (n,) of the balls around their frames; heights: (n,)
    half heights. Objects larger than nine tenths of their bowl are not chosen. Frames are taken for
    centers of mass until the first step.
    """
    generator = torch.Generator().manual_seed(seed)
    bowl = bowls[torch.randint(len(bowls), (count,), generator=generator)]
    index = [bowl]
    for _ in range(2):
        choice = torch.rand(count, len(others), generator=generator)
        choice[radii[others][None] > 0.9 * radii[bowl][:, None]] = -1.0
        index.append(others[choice.argmax(1)])
    q = torch.randn(count, 2, 4, generator=generator)
    x, y, z, w = (q / q.norm(dim=-1, keepdim=True)).unbind(-1)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)]
    rows += [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)]
    rows += [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]
    R = torch.eye(3).expand(count, 3, 3, 3).clone()
    R[:, 1:] = torch.stack(rows, -1).unflatten(-1, (3, 3))
    place = torch.zeros(count, 3, 3)
    place[:, 0, 2] = heights[bowl] + 0.02
    place[:, 1, 2] = 2.0 * heights[bowl] + 0.03 + radii[index[1]]
    place[:, 2, 2] = place[:, 1, 2] + radii[index[1]] + radii[index[2]] + 0.01
    place[:, 1:, :2] += (
        0.1 * radii[bowl][:, None, None] * torch.randn(count, 2, 2, generator=generator)
    )
    zero = torch.zeros(count, 3, 3)
    return World(torch.stack(index, 1), R, place, zero.clone(), zero.clone())
