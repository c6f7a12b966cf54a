# SPDX-License-Identifier: BSD-2-Clause
"""The network in PyTorch: agreement with the C++ inference, symmetries, determinism, resumption,
evaluation. Needs --bridges."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import tactum
import torch
from tactum import neural
from tactum.neural import dataset, evaluation, labels, training
from tactum.neural.model import Codes, Network, NetworkSize
from tactum.neural.weights import save_weights
from test_neural import objects, random_poses

pytestmark = pytest.mark.torch

SMALL = NetworkSize(cells=5, width=12, channels=8, features=16, vectors=4, hidden=16, points=100)


@pytest.fixture(scope="module")
def contacts() -> labels.ContactRecords:
    few = objects()
    first, second = np.triu_indices(8, 1)
    pairs = np.stack([first, second], 1).astype(np.int32)
    return labels.label_contacts(few.table(), few.radii(), pairs, 8, seed=1)


def trainer(contacts: labels.ContactRecords, **changes: object) -> training.Trainer:
    options = training.TrainingOptions(steps=40, group=2, repeats=4, warm_up=5, size=SMALL)
    options = dataclasses.replace(options, **changes)  # type: ignore[arg-type]
    clouds = dataset.clouds_of(objects(), 300)
    return training.Trainer(clouds, contacts, np.arange(8), options, torch.device("cpu"))


def torch_codes(network: Network, clouds: dataset.Clouds) -> Codes:
    with torch.no_grad():
        codes: Codes = network.encoder(clouds.points.double(), clouds.normals.double())
    return codes


@pytest.mark.parametrize("cells", [5, 6, 7])
def test_inference_agrees_with_pytorch(cells: int, tmp_path: Path) -> None:
    torch.manual_seed(cells)
    network = Network(dataclasses.replace(SMALL, cells=cells))
    path = tmp_path / "w.safetensors"
    save_weights(path, network.state_dict(), network.size.as_text())
    ours = neural.CollisionNetwork.load(path)
    network = network.double()
    clouds = dataset.clouds_of(objects(), 100)
    codes = torch_codes(network, clouds)
    a, b = (ours.encode_points(clouds.points[i].numpy(), clouds.normals[i].numpy()) for i in (0, 1))
    occupied = codes.occupied[0].bool()
    np.testing.assert_allclose(a.features, codes.features[0][occupied].numpy(), atol=1e-9)
    X = random_poses(30, 0.1)
    R = torch.from_numpy(X[:, :3, :3].copy())
    t = torch.from_numpy(X[:, :3, 3].copy()).requires_grad_(True)
    pair = [Codes(*(column[[i]].expand(30, *column.shape[1:]) for column in codes)) for i in (0, 1)]
    out = network.pairs(pair[0], pair[1], R, t)
    np.testing.assert_allclose(ours.logits(a, b, X), out[:, 0].detach().numpy(), atol=1e-9)
    np.testing.assert_allclose(
        ours.distances(a, b, X), 0.1 * out[:, 1].detach().numpy(), atol=1e-10
    )
    (gradient,) = torch.autograd.grad(out[:, 0].sum(), t)
    local = np.einsum("nij,ni->nj", X[:, :3, :3], gradient.numpy())
    np.testing.assert_allclose(ours.gradient(a, b, X)[:, :3], local, atol=1e-6)


def test_weights_of_cells_have_continuous_derivatives() -> None:
    torch.manual_seed(1)
    network = Network(SMALL).double()
    codes = torch_codes(network, dataset.clouds_of(objects(), 100))
    a, b = (Codes(*(column[[i]] for column in codes)) for i in (0, 1))
    mix = torch.randn(2, SMALL.cells**3, dtype=torch.float64)

    def slope(x: float) -> float:
        """Derivative along a line of a sum of the weights of the cells of B, as A chooses them."""
        t = torch.tensor([x, 0.01, -0.02], dtype=torch.float64, requires_grad=True)
        weights, _ = network._weights(b, a, (b.centers + t)[:, None])
        (gradient,) = torch.autograd.grad((weights[0, 0] * mix).sum(), t)
        return float(gradient[0])

    # over nodes of A's field and over the border of its cube, where the slope turns within 1e-6 m
    line = np.linspace(-0.02, 0.1, 401)
    slopes = np.array([slope(x) for x in line])
    change = np.abs(np.diff(slopes))
    for at in np.argsort(change)[-5:]:
        low, high = line[at : at + 2]
        while high - low > 1e-10:
            middle = 0.5 * (low + high)
            here = slope(middle)
            if abs(here - slope(low)) > abs(slope(high) - here):
                high = middle
            else:
                low = middle
        assert abs(slope(high) - slope(low)) < 1e-3 * change[at]


@pytest.mark.parametrize("crop", ["field", "box", "global"])
def test_tiled_pairs_are_the_pairs_one_by_one(contacts: labels.ContactRecords, crop: str) -> None:
    state = trainer(contacts, size=dataclasses.replace(SMALL, crop=crop))
    examples, network = state.source.draw(), state.network
    with torch.no_grad():
        codes = network.encoder(*examples.clouds)
        tiled = network.tiled(codes, examples.R, examples.t).reshape(-1, 2)
        i = torch.arange(2)[:, None, None].expand(2, 2, 4).reshape(-1)
        j = 2 + torch.arange(2)[None, :, None].expand(2, 2, 4).reshape(-1)
        a, b = Codes(*(c[i] for c in codes)), Codes(*(c[j] for c in codes))
        R, t = examples.R.reshape(-1, 3, 3), examples.t.reshape(-1, 3)
        single = network.pairs(a, b, R, t)
        back = R.transpose(1, 2)
        swapped = network.pairs(b, a, back, -(back @ t[..., None])[..., 0])
    torch.testing.assert_close(tiled, single, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(swapped, single, atol=1e-5, rtol=1e-4)


def test_one_seed_gives_the_same_hundred_losses(contacts: labels.ContactRecords) -> None:
    losses = []
    for seed, steps in ((3, 100), (3, 100), (4, 5)):
        state = trainer(contacts, seed=seed, steps=100)
        losses.append([state.advance()["loss"].item() for _ in range(steps)])
    assert losses[0] == losses[1]
    assert losses[0][:5] != losses[2]


def test_a_run_goes_on_where_it_stopped(contacts: labels.ContactRecords, tmp_path: Path) -> None:
    whole, first = trainer(contacts), trainer(contacts)
    for _ in range(3):
        whole.advance(), first.advance()
    first.seconds = 7.0
    first.save(tmp_path / "c.pt")
    second = trainer(contacts)
    second.load(tmp_path / "c.pt")
    assert second.step == 3 and second.seconds == 7.0
    assert second.advance()["loss"].item() == whole.advance()["loss"].item()
    with pytest.raises(ValueError, match="other options"):
        trainer(contacts, seed=9).load(tmp_path / "c.pt")


class Clocked:
    """A run of which every step takes ten seconds of a clock."""

    def __init__(self, step: int = 0, seconds: float = 0.0) -> None:
        self.options = training.TrainingOptions(steps=100, warm_up=1)
        self.step, self.seconds, self.limit = step, seconds, 100.0
        self.clock = 0.0
        self.curves: list[dict[str, float]] = []
        self.rates: list[float] = []
        self.kept: list[tuple[int, float]] = []

    def advance(self) -> dict[str, torch.Tensor]:
        self.rates.append(training.Trainer.rate(self))  # type: ignore[arg-type]
        self.step += 1
        self.clock += 10.0
        return {}

    def save(self, path: Path) -> None:
        self.kept.append((self.step, self.seconds))


def test_time_goes_on_where_a_run_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, second = Clocked(), Clocked(6, 60.0)
    for state in (whole, second):
        monkeypatch.setattr(training, "time", SimpleNamespace(monotonic=lambda s=state: s.clock))
        training.run_steps(state, Path(), print)  # type: ignore[arg-type]
    assert whole.step == 10 and whole.seconds == 100.0
    assert whole.kept == [(3, 30.0), (6, 60.0), (9, 90.0)]
    # a piece that begins with what was kept at 60 s has the rates of the whole run, and its end
    assert second.step == 10 and second.seconds == 100.0
    assert second.rates == whole.rates[6:]
    assert second.rates == sorted(second.rates, reverse=True) and second.rates[0] < 0.5e-3


def test_examples_keep_their_labels(contacts: labels.ContactRecords) -> None:
    """Turned, mirrored, scaled and shifted examples against the exact query of the hulls of their
    clouds, which lie inside of the objects: both are convex."""
    examples = trainer(contacts, repeats=8).source.draw()
    clouds = examples.clouds.points.numpy().astype(float)
    hulls = [tactum.Convex.from_points(cloud) for cloud in clouds]
    size = np.ptp(clouds, axis=1).max()
    apart = 0
    for i, j, k in np.ndindex(2, 2, 8):
        if examples.counts[i, j, k] == 0:
            continue
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = examples.R[i, j, k].numpy(), examples.t[i, j, k].numpy()
        U, _, V = np.linalg.svd(X[:3, :3])
        X[:3, :3] = U @ V
        r = tactum.distance(hulls[i], None, hulls[2 + j], X)
        if examples.colliding[i, j, k] == 0:
            assert r.distance > -1e-5
            apart += 1
        else:
            assert r.distance < 0.1 * size
    assert apart > 3


def test_training_lowers_the_loss(contacts: labels.ContactRecords) -> None:
    state = trainer(contacts, group=4, steps=60)
    losses = [state.advance()["cross_entropy"].item() for _ in range(60)]
    assert np.mean(losses[-15:]) < np.mean(losses[:15]) - 0.02


def test_commands_train_calibrate_and_evaluate(tmp_path: Path) -> None:
    from tactum.cli import main

    objects().save(tmp_path / "objects.npz")
    where = ["--data", str(tmp_path)]
    weights = tmp_path / "w.safetensors"
    label = ["neural", "label", "--data", "none", "--out", str(tmp_path)]
    assert main([*label, "--count", "4", "--tests", "0.0005"]) == 0
    few = labels.load_contacts(tmp_path / "contacts.npz")
    assert len(few.pairs) == 1
    # one pair may be held back; a second one is needed to train at all
    first, second = np.triu_indices(8, 1)
    pairs = np.stack([first, second], 1).astype(np.int32)
    own = objects()
    more = labels.label_contacts(own.table(), own.radii(), pairs, 4, seed=0)
    labels.save_records(more, tmp_path / "contacts.npz")
    small = ["--width", "8", "--channels", "8", "--hidden", "8", "--group", "2", "--repeats", "2"]
    train = ["neural", "train", *where, "--out", str(weights), "--steps", "2", *small]
    assert main(train) == 0
    assert main(["neural", "calibrate", *where, "--weights", str(weights)]) == 0
    out = tmp_path / "r.json"
    assert main(["neural", "evaluate", *where, "--weights", str(weights), "--out", str(out)]) == 0
    report = json.loads(out.read_text())
    assert {"known-uniform", "ycb-uniform-scale-2.0"} <= set(report["sets"])
    assert json.loads(weights.with_suffix(".json").read_text())["steps"] == 2
    loaded = neural.CollisionNetwork.load(weights)
    assert neural.NeuralFilter(loaded, miss_rate=0.2).num_collisions > 5


def test_summary_counts_by_distance() -> None:
    d = np.array([0.0005, -0.0005, 0.03, -0.03, 0.003], dtype=np.float32)
    rows = np.zeros((5, 2), dtype=np.int32)
    zeros = np.zeros((5, 3), dtype=np.float32)
    tests = labels.TestRecords(
        rows, np.zeros((5, 4), np.float32), zeros, zeros, d, np.maximum(-d, 0)
    )
    found = evaluation.summary(np.array([1.0, 1.0, -1.0, 1.0, -1.0]), tests)
    assert found["accuracy"] == pytest.approx(0.8)
    assert found["false_negative_rate"] == 0.0
    assert found["false_positive_rate"] == pytest.approx(1 / 3)
    near = [b for b in found["bins"] if b["from"] == 0.0]
    assert [(b["count"], b["accuracy"]) for b in near] == [(1, 0.0), (1, 1.0)]


def test_angle_of_a_perfect_gradient_is_zero() -> None:
    n = np.eye(3, dtype=np.float32)
    d = np.full(3, 0.0005, dtype=np.float32)
    tests = labels.TestRecords(np.zeros((3, 2), np.int32), np.zeros((3, 4), np.float32), n, n, d, d)
    angles = evaluation.gradient_angles(-5.0 * n.astype(float), tests)["bins"][0]["angle"]
    np.testing.assert_allclose(angles, 0.0, atol=1e-6)
