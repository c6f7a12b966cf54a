# SPDX-License-Identifier: BSD-2-Clause
"""Simulation of many environments: points of forces, laws of motion, contacts of the network. On the
CPU; needs --bridges."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import tactum
import torch
from gpu_stand_in import StandIn
from tactum import gpu
from tactum.neural import dataset, evaluation, simulation
from tactum.neural.simulation import Kinds, NetworkContacts, PartContacts, Simulator, Touches, World
from tactum.neural.training import network_of

pytestmark = pytest.mark.torch

SHIPPED = Path(tactum.__file__).parent / "data" / "collision_network.safetensors"
RADIUS = 0.05
SPHERE = 0.4 * RADIUS**2  # moment of inertia of a solid ball of 1 kg


class Balls:
    """Exact contacts of balls."""

    def __call__(
        self,
        a: torch.Tensor,
        R_a: torch.Tensor,
        p_a: torch.Tensor,
        b: torch.Tensor,
        R_b: torch.Tensor,
        p_b: torch.Tensor,
    ) -> Touches:
        away = p_b - p_a
        distance = away.norm(dim=1)
        depth = (2.0 * RADIUS - distance).clamp(min=0.0)
        return Touches(depth > 0.0, away / distance[:, None], 0.5 * (p_a + p_b), depth)


def kinds(inertia: float = SPHERE, count: int = 2) -> Kinds:
    """Balls of 1 kg that touch the ground with their lowest point only."""
    point = torch.tensor([[[0.0, 0.0, -RADIUS]]]).expand(count, 1, 3)
    return Kinds(
        torch.ones(count),
        torch.zeros(count, 3),
        inertia * torch.eye(3).expand(count, 3, 3),
        point,
    )


def world(x: list[list[float]], environments: int = 1) -> World:
    """Bodies at rest; the first is the one that is moved by hand."""
    place = torch.tensor(x).expand(environments, len(x), 3).clone()
    index = torch.zeros(environments, len(x), dtype=torch.int64)
    R = torch.eye(3).expand(environments, len(x), 3, 3).clone()
    return World(index, R, place, torch.zeros_like(place), torch.zeros_like(place))


def still(simulator: Simulator) -> torch.Tensor:
    return torch.zeros(len(simulator.world.x), 3)


def test_a_force_and_its_torque_name_the_nearest_point_of_their_line() -> None:
    generator = torch.Generator().manual_seed(1)
    force, point, near = torch.randn(3, 50, 3, generator=generator, dtype=torch.float64)
    torque = torch.linalg.cross(point, force)
    found = simulation.isolated_point(force, torque, near, torch.full((50,), 1e9))
    np.testing.assert_allclose(torch.linalg.cross(found, force), torque, atol=1e-9)
    np.testing.assert_allclose(((found - near) * force).sum(1), 0.0, atol=1e-9)
    far = simulation.isolated_point(force, torque, near, torch.zeros(50))
    np.testing.assert_array_equal(far, near)


def test_quaternions_are_those_of_the_rotations() -> None:
    generator = torch.Generator().manual_seed(2)
    q = torch.randn(200, 4, generator=generator, dtype=torch.float64)
    q[0], q[1], q[2] = torch.eye(4)[0], torch.eye(4)[1], torch.eye(4)[3]
    R, t = dataset.matrices(q), torch.randn(200, 3, generator=generator)
    found = simulation.poses_of(R, t)
    np.testing.assert_allclose(found[:, :3], t.double(), atol=0.0)
    np.testing.assert_allclose(dataset.matrices(found[:, 3:]), R, atol=1e-12)


def test_bodies_that_meet_nothing_fall_as_they_should() -> None:
    w = world([[5.0, 0.0, 5.0], [0.0, 0.0, 5.0], [1.0, 0.0, 5.0]], 3)
    w.w[:, 1] = torch.tensor([0.0, 0.0, 2.0])
    simulator = Simulator(w, kinds(), Balls(), dt=0.001)
    for _ in range(200):
        simulator.step(still(simulator))
    np.testing.assert_allclose(w.v[:, 1:, 2], -9.81 * 0.2, rtol=1e-5)
    # the step is semi-implicit: g dt^2 n (n + 1) / 2
    np.testing.assert_allclose(5.0 - w.x[:, 1:, 2], 9.81 * 1e-6 * 200 * 201 / 2, rtol=1e-4)
    angle = torch.atan2(w.R[:, 1, 1, 0], w.R[:, 1, 0, 0])
    np.testing.assert_allclose(angle, 0.4, atol=1e-5)
    product = w.R[:, 1] @ w.R[:, 1].transpose(1, 2)
    np.testing.assert_allclose(product, torch.eye(3).expand(3, 3, 3), atol=1e-6)


def test_a_collision_keeps_momentum() -> None:
    w = world([[5.0, 0.0, 5.0], [0.0, 0.0, 5.0], [2.0 * RADIUS - 0.001, 0.01, 5.0]])
    w.v[0, 1] = torch.tensor([1.0, 0.2, 0.0])
    before = w.v[:, 1:].sum(1), (torch.linalg.cross(w.x, w.v) + SPHERE * w.w)[:, 1:].sum(1)
    x = w.x.clone()
    simulator = Simulator(w, kinds(), Balls(), dt=0.0025)
    simulator.step(still(simulator))
    fall = torch.tensor([0.0, 0.0, -2.0 * 9.81 * 0.0025])
    assert simulator.touches is not None and simulator.touches.touching.sum() == 1
    np.testing.assert_allclose(w.v[:, 1:].sum(1), before[0] + fall, atol=1e-5)
    spin = (torch.linalg.cross(x, w.v) + SPHERE * w.w)[:, 1:].sum(1)
    weight = torch.linalg.cross(x[:, 1:], torch.tensor([[[0.0, 0.0, -9.81 * 0.0025]]])).sum(1)
    np.testing.assert_allclose(spin, before[1] + weight, atol=1e-5)
    # the points of contact do not approach each other
    normal = (x[:, 2] - x[:, 1]) / (x[:, 2] - x[:, 1]).norm(dim=1, keepdim=True)
    assert ((w.v[:, 2] - w.v[:, 1]) * normal).sum() > -1e-5


def test_what_slides_slows_down_by_its_friction() -> None:
    # inertia so large that nothing turns
    w = world([[5.0, 0.0, 5.0], [0.0, 0.0, RADIUS - 0.0001]])
    w.v[0, 1] = torch.tensor([1.0, 0.0, 0.0])
    simulator = Simulator(w, kinds(1e6), Balls(), dt=0.0025, friction=0.3)
    for _ in range(40):
        simulator.step(still(simulator))
    np.testing.assert_allclose(w.v[0, 1, 0], 1.0 - 0.3 * 9.81 * 0.1, rtol=1e-3)
    np.testing.assert_allclose(w.v[0, 1, 1:], 0.0, atol=1e-4)


def test_a_stack_comes_to_rest_on_the_ground() -> None:
    w = world([[5.0, 0.0, 5.0], [0.0, 0.0, 0.06], [0.0, 0.0, 0.17]], 4)
    simulator = Simulator(w, kinds(1e6), Balls(), dt=0.0025)
    for _ in range(400):
        simulator.step(still(simulator))
    assert w.v[:, 1:].norm(dim=-1).max() < 0.01
    np.testing.assert_allclose(w.x[:, 1, 2], RADIUS, atol=0.002)
    np.testing.assert_allclose(w.x[:, 2, 2], 3.0 * RADIUS, atol=0.003)


def test_the_body_that_is_moved_by_hand_pushes_the_others() -> None:
    w = world([[0.0, 0.0, 5.0], [2.0 * RADIUS - 0.001, 0.0, 5.0]])
    simulator = Simulator(w, kinds(), Balls(), dt=0.0025)
    simulator.step(torch.tensor([[0.5, 0.0, 0.0]]))
    np.testing.assert_allclose(w.v[0, 0], [0.5, 0.0, 0.0], atol=0.0)
    assert w.v[0, 1, 0] > 0.499


@pytest.mark.parametrize(("way_out", "depth"), [("distance", 0.01), ("logit", -0.002)])
def test_contacts_of_the_network_point_from_one_object_to_the_other(
    way_out: Literal["distance", "logit"], depth: float
) -> None:
    network = network_of(SHIPPED).eval()
    boxes = [tactum.Box(half_extents=(0.05, 0.05, 0.05)).to_mesh()] * 2
    samples = [box.sample(network.size.points, seed=0) for box in boxes]
    clouds = dataset.Clouds(*(torch.tensor(np.array(s)).float() for s in zip(*samples)))
    codes = evaluation.encode(network, clouds, torch.device("cpu"))
    source = NetworkContacts(network, codes, way_out=way_out)
    turn = dataset.matrices(torch.tensor([[0.0, 0.0, 0.6, 1.0]])).expand(2, 3, 3)
    there = torch.tensor([[0.3, -0.2, 0.1]])
    along = turn[0] @ torch.tensor([1.0, 0.0, 0.0])
    p_b = there + along * torch.tensor([[0.1 - depth], [0.2]])
    zero, one = torch.zeros(2, dtype=torch.int64), torch.ones(2, dtype=torch.int64)
    found = source(zero, turn, there.expand(2, 3), one, turn, p_b)
    assert found.touching.tolist() == [True, False]
    assert found.normal[0] @ along > 0.9
    assert 0.0 < found.depth[0] < depth + 0.03
    middle = 0.5 * (there[0] + p_b[0])
    assert (found.point[0] - middle).norm() < 0.05
    assert found.normal[1].abs().max() == 0.0 and found.depth[1] == 0.0


def test_contacts_of_parts_are_those_of_the_exact_query(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "_gpu", StandIn)
    shapes = [tactum.Sphere(radius=RADIUS), tactum.Box(half_extents=(0.1, 0.05, 0.02))]
    source = PartContacts(gpu.ShapeTable(shapes))
    generator = torch.Generator().manual_seed(4)
    rows = 200
    a, b = torch.randint(2, (2, rows), generator=generator)
    R = dataset.matrices(torch.randn(2 * rows, 4, generator=generator)).float()
    p = 0.1 * torch.randn(2 * rows, 3, generator=generator)
    found = source(a, R[:rows], p[:rows], b, R[rows:], p[rows:])
    X = simulation.poses_of(R, p).numpy()
    for k in range(rows):
        r = tactum.distance(shapes[int(a[k])], X[k], shapes[int(b[k])], X[rows + k])
        assert bool(found.touching[k]) == (r.distance < 0.0)
        assert float(found.depth[k]) == pytest.approx(max(0.0, -r.distance), abs=1e-6)
        if r.distance < 0.0:
            np.testing.assert_allclose(found.normal[k], r.normal, atol=1e-3)
            # the gap of the returned points is the depth, and the contact lies in the middle
            middle = 0.5 * (np.asarray(r.point_a) + np.asarray(r.point_b))
            np.testing.assert_allclose(found.point[k], middle, atol=1e-3)
    assert 20 < int(found.touching.sum()) < 180


def test_scenes_have_their_own_objects_and_repeat_by_seed() -> None:
    radii = torch.tensor([0.2, 0.25, 0.05, 0.06, 0.4])
    arguments = (torch.tensor([0, 1]), torch.tensor([2, 3, 4]), radii, 0.5 * radii, 50)
    first, second = (simulation.random_scenes(*arguments, seed=3) for _ in range(2))
    assert torch.equal(first.index, second.index) and torch.equal(first.x, second.x)
    assert set(first.index[:, 0].tolist()) == {0, 1}
    # the largest object fits into no bowl
    assert set(first.index[:, 1:].flatten().tolist()) == {2, 3}
    speed = simulation.shaking(0.1, torch.zeros(50))
    assert speed.shape == (50, 3) and speed.abs().max() < 0.4
