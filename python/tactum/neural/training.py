# SPDX-License-Identifier: BSD-2-Clause
"""Training of the collision network: resumable, by seed, with curves.

The loss of an example is the cross-entropy of its logit, plus the error of the distance where it is
known, plus a small penalty of the features, which keeps them of one size. The weights that are kept
are a running average of those that are optimized.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from .dataset import POOL, Clouds, Examples, ExampleSource, clouds_of
from .labels import ContactRecords, load_contacts
from .model import UNIT, Network, NetworkSize
from .objects import ObjectSet
from .weights import load_weights, save_weights

SAVE_EVERY = 30.0  #: s, what a run that is killed can lose


@dataclass(frozen=True)
class TrainingOptions:
    """What a training run depends on, besides its data."""

    steps: int = 20000
    group: int = 32  #: objects on each side of a step
    repeats: int = 16  #: poses of each pair of a step
    learning_rate: float = 1e-3
    warm_up: int = 500  #: steps
    weight_decay: float = 1e-2
    feature_penalty: float = 1e-3  #: weight of the mean square of the features
    distance_weight: float = 0.2  #: weight of the error of the distance, in units of 0.1 m
    average: float = 0.999  #: what the running average of the weights keeps in a step
    num_objects: int = 0  #: train on so many objects of the records; 0: on all
    seed: int = 0
    start: str = ""  #: file of weights to begin with, where their shapes agree
    size: NetworkSize = field(default_factory=NetworkSize)


def loss_of(network: Network, examples: Examples, options: TrainingOptions) -> dict[str, Any]:
    """The loss of a step, and what the curves show."""
    device = examples.t.device.type
    with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
        codes = network.encoder(*examples.clouds)
    out = network.tiled(codes, examples.R, examples.t)
    logit, distance = out[..., 0], out[..., 1] * UNIT
    total = examples.counts.sum().clamp(min=1.0)
    cross = F.binary_cross_entropy_with_logits(logit, examples.colliding, reduction="none")
    cross_entropy = (cross * examples.counts).sum() / total
    known = torch.isfinite(examples.distance)
    target = torch.nan_to_num(examples.distance).clamp(-0.05, 0.1)
    wrong = F.smooth_l1_loss(distance, target, reduction="none", beta=0.005) / UNIT
    distance_error = (wrong * known * examples.counts).sum() / total
    filled = codes.occupied.sum() * codes.features.shape[-1]
    square = (codes.features.float().square() * codes.occupied[..., None]).sum() / filled
    loss = (
        cross_entropy + options.distance_weight * distance_error + options.feature_penalty * square
    )
    with torch.no_grad():
        right = ((logit > 0.0) == (examples.colliding > 0.5)).float() * examples.counts
    return {
        "loss": loss,
        "cross_entropy": cross_entropy.detach(),
        "distance_error": distance_error.detach(),
        "feature_square": square.detach(),
        "accuracy": right.sum() / total,
    }


class Trainer:
    """State of a run: network, running average, optimizer, examples, curves."""

    def __init__(
        self,
        clouds: Clouds,
        contacts: ContactRecords,
        members: Any,
        options: TrainingOptions,
        device: torch.device,
    ) -> None:
        torch.manual_seed(options.seed)
        self.options, self.device = options, device
        self.network = Network(options.size).to(device)
        if options.start:
            start_from(self.network, Path(options.start))
        self.average = Network(options.size).to(device)
        self.average.load_state_dict(self.network.state_dict())
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(),
            lr=options.learning_rate,
            weight_decay=options.weight_decay,
            fused=device.type == "cuda",
        )
        if options.num_objects:
            members = np.random.default_rng(options.seed).permutation(members)
            members = members[: options.num_objects]
        self.source = ExampleSource.make(
            clouds,
            contacts,
            members,
            group=options.group,
            repeats=options.repeats,
            points=options.size.points,
            seed=options.seed,
            device=device,
        )
        self.step = 0
        self.seconds = 0.0  #: that the run has taken, its earlier pieces counted in
        self.limit = math.inf  #: seconds that it may take
        self.curves: list[dict[str, float]] = []

    def rate(self) -> float:
        """Learning rate of this step: a warm-up, then half a cosine to zero."""
        options = self.options
        if self.step < options.warm_up:
            return options.learning_rate * (self.step + 1) / options.warm_up
        done = (self.step - options.warm_up) / max(1, options.steps - options.warm_up)
        done = max(done, self.seconds / self.limit)
        return options.learning_rate * 0.5 * (1.0 + math.cos(math.pi * min(1.0, done)))

    def advance(self) -> dict[str, Any]:
        """One step; what loss_of() returns."""
        for settings in self.optimizer.param_groups:
            settings["lr"] = self.rate()
        torch.set_float32_matmul_precision("highest")  # for poses and points
        with torch.no_grad():
            examples = self.source.draw()
        torch.set_float32_matmul_precision("high")
        found = loss_of(self.network, examples, self.options)
        self.optimizer.zero_grad(set_to_none=True)
        found["loss"].backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        keep = min(self.options.average, (1.0 + self.step) / (10.0 + self.step))
        with torch.no_grad():
            torch._foreach_lerp_(
                list(self.average.parameters()), list(self.network.parameters()), 1.0 - keep
            )
        return found

    def save(self, path: Path) -> None:
        """A checkpoint that load() continues from with the same numbers."""
        state = {
            "options": repr(self.options),
            "step": self.step,
            "seconds": self.seconds,
            "curves": self.curves,
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "generator": self.source.generator.get_state(),
        }
        part = path.with_suffix(".part")
        torch.save(state, part)
        part.replace(path)

    def load(self, path: Path) -> None:
        """Continue a run of the same options."""
        state = torch.load(path, map_location=self.device, weights_only=True)
        if state["options"] != repr(self.options):
            raise ValueError(f"{path}: a checkpoint of other options; give these, or another --out")
        self.step, self.curves = state["step"], state["curves"]
        self.seconds = state["seconds"]
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.source.generator.set_state(state["generator"].cpu())


def train(
    data: Path,
    out: Path,
    options: TrainingOptions,
    *,
    device: str = "",
    resume: bool = False,
    minutes: float = math.inf,
    report: Callable[[str], None] = print,
) -> Network:
    """Trains on a folder of `tactum neural label` and writes weights, curves (.json) and a checkpoint
    (.pt) beside `out`, the latter every half minute too. `resume` goes on from the checkpoint. With
    `minutes` the run ends by then, the time of its earlier pieces counted in, and its learning rate
    falls with the time, so that the number of steps depends on the machine."""
    target = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    objects = ObjectSet.load(data / "objects.npz")
    clouds, contacts = clouds_of(objects, POOL), load_contacts(data / "contacts.npz")
    trainer = Trainer(clouds, contacts, np.unique(contacts.pairs), options, target)
    checkpoint = out.with_suffix(".pt")
    if resume and checkpoint.exists():
        trainer.load(checkpoint)
    trainer.limit = 60.0 * minutes
    run_steps(trainer, checkpoint, report)
    trainer.save(checkpoint)
    torch.set_float32_matmul_precision("highest")
    finish(trainer, out)
    result: Network = trainer.average
    return result


def run_steps(trainer: Trainer, checkpoint: Path, report: Callable[[str], None]) -> None:
    """Trains until the steps or the time of the run are used up."""
    steps, before = trainer.options.steps, trainer.seconds
    start = time.monotonic()
    saved = before
    while trainer.step < steps and trainer.seconds < trainer.limit:
        found = trainer.advance()
        trainer.seconds = before + time.monotonic() - start
        if trainer.step % 100 == 0 or trainer.step == steps:
            values = {name: value.item() for name, value in found.items()}
            trainer.curves.append({"step": trainer.step, **values})
            if trainer.step % 1000 == 0 or trainer.step <= 500:
                report(
                    f"step {trainer.step}/{steps}  loss {values['loss']:.4f}  "
                    f"accuracy {values['accuracy']:.4f}  {trainer.seconds:.0f} s"
                )
        if trainer.seconds - saved >= SAVE_EVERY:
            trainer.save(checkpoint)
            saved = trainer.seconds


def finish(trainer: Trainer, out: Path) -> None:
    """Writes the weights and the curves."""
    save_weights(out, trainer.average.state_dict(), trainer.options.size.as_text())
    options = asdict(trainer.options)
    options["start"] = Path(trainer.options.start).name  # without its folder
    curves = {"options": options, "steps": trainer.step, "curves": trainer.curves}
    out.with_suffix(".json").write_text(json.dumps(curves, indent=1) + "\n", encoding="utf-8")


def start_from(network: Network, path: Path) -> None:
    """Takes over the arrays of a file whose names and shapes agree, as those of the encoder do where
    only the predictor is another."""
    state = network.state_dict()
    for name, array in load_weights(path)[0].items():
        if name in state and tuple(state[name].shape) == array.shape:
            state[name].copy_(torch.from_numpy(array))


def network_of(path: Path) -> Network:
    """The network of a file of weights."""
    arrays, metadata = load_weights(path)
    try:
        network = Network(NetworkSize.from_text(metadata))
        network.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    except (KeyError, RuntimeError, ValueError) as error:
        raise ValueError(f"{path}: not weights of a collision network: {error}") from None
    return network
