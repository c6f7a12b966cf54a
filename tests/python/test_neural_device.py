# SPDX-License-Identifier: BSD-2-Clause
"""The fused kernel of the collision network: the order of its rows and the codes it is given on any
machine; where there is a GPU, its logits against the inference on the CPU. Needs --bridges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tactum
import torch
from tactum import gpu, neural
from tactum.neural import dataset, evaluation
from tactum.neural.device import TILE, DeviceNetwork, codes_of, tiles_of
from tactum.neural.model import Network, NetworkSize
from tactum.neural.training import network_of
from tactum.neural.weights import save_weights
from test_neural import objects, random_poses

pytestmark = pytest.mark.torch

needs_gpu = pytest.mark.skipif(not gpu.available(), reason="needs the GPU part and a GPU")


def test_tiles_hold_every_row_once_and_one_pair_each() -> None:
    generator = torch.Generator().manual_seed(1)
    a, b = torch.randint(5, (2, 3000), generator=generator)
    a[:700], b[:700] = 3, 4
    order, table = tiles_of(a, b)
    assert table.dtype == torch.int32 and table.is_contiguous()
    assert sorted(order.tolist()) == list(range(3000))
    at = 0
    for first_object, second_object, first, count in table.tolist():
        assert first == at and 0 < count <= TILE
        at += count
        rows = order[first:at]
        assert torch.equal(a[rows], torch.full((count,), first_object))
        assert torch.equal(b[rows], torch.full((count,), second_object))
    assert at == 3000
    # as few tiles as fit
    pairs, counts = torch.unique(a * 5 + b, return_counts=True)
    assert len(table) == int(((counts + TILE - 1) // TILE).sum()) and len(pairs) == 25


def test_tiles_of_no_rows_and_of_bad_shapes() -> None:
    none = torch.zeros(0, dtype=torch.int64)
    assert tiles_of(none, none).table.shape == (0, 4)
    with pytest.raises(tactum.InvalidInput, match="index_a, index_b"):
        tiles_of(none, torch.zeros(1, dtype=torch.int64))


def network_file(folder: Path, features: int, hidden: int) -> Path:
    """A network with random weights of sizes that the kernel has."""
    torch.manual_seed(features + hidden)
    size = NetworkSize(
        cells=5, width=16, channels=8, features=features, vectors=16, hidden=hidden, points=300
    )
    network = Network(size)
    with torch.no_grad():
        for name, value in network.named_parameters():
            if "norm" in name or ".2." in name:  # scales and shifts that are not 1 and 0
                value.add_(0.3 * torch.randn_like(value))
    path = folder / f"{features}-{hidden}.safetensors"
    save_weights(path, network.state_dict(), size.as_text())
    return path


def test_codes_of_pytorch_are_those_of_the_encoder(tmp_path: Path) -> None:
    path = network_file(tmp_path, 64, 64)
    ours = neural.CollisionNetwork.load(path)
    clouds = dataset.clouds_of(objects(), 300)
    network = network_of(path).eval()
    made = codes_of(evaluation.encode(network, clouds, torch.device("cpu")), 5)
    X = random_poses(40, 0.1)
    expected = [
        ours.encode_points(clouds.points[i].numpy(), clouds.normals[i].numpy()) for i in (0, 1)
    ]
    np.testing.assert_allclose(
        ours.logits(made[0], made[1], X), ours.logits(expected[0], expected[1], X), atol=2e-4
    )


@needs_gpu
@pytest.mark.parametrize(("features", "hidden"), [(64, 64), (64, 128), (96, 192)])
def test_on_a_gpu_logits_are_those_of_the_cpu(features: int, hidden: int, tmp_path: Path) -> None:
    network = neural.CollisionNetwork.load(network_file(tmp_path, features, hidden))
    few = objects()
    codes = [network.encode(few.mesh(i)) for i in range(6)]
    device = DeviceNetwork(network, codes)
    assert len(device) == 6 and device.nbytes > 0
    rng = np.random.default_rng(1)
    rows = 5000
    a, b = rng.integers(6, size=(2, rows))
    a[:500], b[:500] = 2, 3  # full tiles too
    X = random_poses(rows, 0.15)
    R = torch.from_numpy(X[:, :3, :3].copy()).float().cuda()
    t = torch.from_numpy(X[:, :3, 3].copy()).float().cuda()
    found = device.predict(torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda(), R, t)
    expected = np.empty((rows, 2))
    for i, j in {(int(i), int(j)) for i, j in zip(a, b)}:
        mine = (a == i) & (b == j)
        expected[mine, 0] = network.logits(codes[i], codes[j], X[mine])
        expected[mine, 1] = network.distances(codes[i], codes[j], X[mine])
    error = np.abs(found.double().cpu().numpy() - expected)
    spread = expected.std(axis=0)
    # half precision has 11 bits; seven layers in a row. Of the trained networks, 4096 logits differ
    # by 0.0045 of the spread at most (docs/neural-device.json)
    assert np.quantile(error[:, 0], 0.5) < 0.005 * spread[0]
    assert np.quantile(error[:, 0], 0.99) < 0.02 * spread[0]
    assert error[:, 0].max() < 0.05 * spread[0]
    assert np.quantile(error[:, 1], 0.5) < 0.005 * spread[1]
    again = device.predict(torch.from_numpy(a).cuda(), torch.from_numpy(b).cuda(), R, t)
    assert torch.equal(found, again)


@needs_gpu
def test_on_a_gpu_rows_that_are_none_are_no_numbers(tmp_path: Path) -> None:
    network = neural.CollisionNetwork.load(network_file(tmp_path, 64, 128))
    device = DeviceNetwork(network, [network.encode(objects().mesh(0))])
    R = torch.eye(3).expand(6, 3, 3).clone().cuda()
    t = torch.zeros(6, 3).cuda()
    t[1, 0], t[2, 1], R[3, 1, 1], t[4, 2] = float("nan"), 1e30, float("inf"), 0.9e5
    index = torch.zeros(6, dtype=torch.int64).cuda()
    index[5] = 1
    found = device.predict(index, torch.zeros_like(index), R, t)
    assert found.isnan()[:, 0].tolist() == [False, True, True, True, False, True]
    with pytest.raises(tactum.InvalidInput, match="poses"):
        device.predict_tiles(tiles_of(index, index).table, torch.zeros(6, 11).cuda(), found)


@needs_gpu
def test_on_a_gpu_other_sizes_are_refused(tmp_path: Path) -> None:
    network = neural.CollisionNetwork.load(network_file(tmp_path, 32 * 4, 64))
    with pytest.raises(tactum.InvalidInput, match="64 and 128"):
        DeviceNetwork(network, [network.encode(objects().mesh(0))])
