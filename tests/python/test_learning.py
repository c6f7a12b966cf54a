# SPDX-License-Identifier: BSD-2-Clause
"""The comparison of tools/compare_learning.py: it sees what the environment shows, and its
gradients are those of differences up to the contact, and lead downhill through it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")

TOOL = Path(__file__).resolve().parents[2] / "tools" / "compare_learning.py"


def load() -> Any:
    spec = importlib.util.spec_from_file_location("compare_learning", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.torch
def test_gradients_through_the_simulator() -> None:
    import torch
    from tactum import _env_tasks

    tool = load()
    problem = tool.starts(2, 0)
    task = _env_tasks.task("Push")
    rng = np.random.default_rng(0)
    for row in range(2):
        state, goal = task.start(rng)
        seen = tool.observe(*(part[row : row + 1] for part in problem))[0]
        assert np.allclose(seen[:-1].numpy(), task.observe(state, goal), atol=1e-12)
    # a policy that runs into the block within the horizon
    weights = np.zeros((2, 16))
    weights[0, 15] = 2.0
    parameters = torch.tensor(weights.ravel() + 0.02 * rng.normal(size=32)).requires_grad_()
    step = 1e-5
    tool.loss(parameters, problem, 8).backward()
    with torch.no_grad():
        for k in (15, 4, 20):
            change = step * torch.eye(32, dtype=torch.float64)[k]
            ahead = float(tool.loss(parameters + change, problem, 8))
            behind = float(tool.loss(parameters - change, problem, 8))
            slope = (ahead - behind) / (2 * step)
            assert float(parameters.grad[k]) == pytest.approx(slope, rel=1e-4)
    # the block rests on four points, so that its forces are not unique and neither is the
    # derivative: where the finger pushes it, the gradient is held to lead downhill
    parameters.grad = None
    value = tool.loss(parameters, problem, 14)
    value.backward()
    with torch.no_grad():
        assert float(value) < float(tool.loss(torch.zeros(32).double(), problem, 14))
        lower = float(tool.loss(parameters - parameters.grad, problem, 14))
        expected = float(parameters.grad @ parameters.grad)
    assert 0.5 * expected < float(value.detach()) - lower < 2.0 * expected
