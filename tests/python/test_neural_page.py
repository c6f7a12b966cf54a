# SPDX-License-Identifier: BSD-2-Clause
"""The figures of docs/neural-model-card.md are those of the JSON beside it; tables of what a GPU
measured, from reports that are made up."""

import hashlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tactum import neural

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def neural_page() -> ModuleType:
    spec = importlib.util.spec_from_file_location("neural_page", ROOT / "tools" / "neural_page.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_is_what_its_json_says() -> None:
    check = [sys.executable, str(ROOT / "tools" / "neural_page.py"), "--check"]
    result = subprocess.run(check, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_table_of_a_device(neural_page: ModuleType) -> None:
    accuracy = {"count": 10, "kernel": 0.98, "torch": 0.981}
    network = {
        "size": {"features": "64", "hidden": "128"},
        "sets": {f"{group}-uniform": accuracy for group in ("known", "unknown", "ycb")},
        "speed": {"fused": {"1": 2e7, "64": 3e8, "1024": 1.5e9, "65536": 1.25e9}, "torch": 4e6},
        "layer_operations": 250000,
        "cells": 58.2,
        "agreement": {
            "rows": 7, "median": 0.01, "largest": 0.2, "logit_spread": 5.0, "other_side": 1,
        },
    }  # fmt: skip
    baseline = {"name": "exact parts", "setting": "32 parts", "accuracy": 0.9, "rate": 3e8}
    text = neural_page.device(
        {"device": "A GPU", "date": "a day", "networks": [network], "baselines": [baseline]}
    )
    assert text.startswith("A GPU (a day).")
    # rates of other numbers of poses a pair stand in columns of their own
    assert "64 of each pair | 65,536 of each pair | poses of the test set, in its order |" in text
    assert "width 128: one kernel | 98.00 % | 98.00 % | 98.00 % | 20 M | 0.30 G | 1.25 G |  |" in text
    assert "width 128: PyTorch | 98.10 % | 98.10 % | 98.10 % |  | 4 M |  |  |" in text
    assert "| exact parts, 32 parts |  | 90.00 % |  |  |  |  | 0.30 G |" in text
    assert "1 change sides" in text
    assert "0.25 million operations a check, 0.38 PFLOP/s at its fastest, 1.50 G checks" in text
    assert "it does 0.20 to 1.00 times the 1.50 G checks a second" in text


def test_tables_of_a_simulation(neural_page: ModuleType) -> None:
    fidelity = {
        "judged": 5, "mean": 0.0077, "worst_tenth": 0.02, "largest": 0.03, "apart": 0.5, "in_bowl": 1.0,
    }  # fmt: skip
    sources = {
        "network": {"fidelity": fidelity, "step_times": {"1": 0.01, "10": 0.02}},
        "hulls": {"fidelity": fidelity},
    }
    size = {"features": "64", "hidden": "128"}
    report = {"device": "A GPU", "date": "a day", "size": size}
    report |= {"environments": 200, "sources": sources}
    text = neural_page.simulation(report)
    assert "A GPU (a day), 200 environments; a network of 64 features and width 128." in text
    assert "| network | 5 | 7.70 | 20.00 | 30.00 | 50.00 % | 100.00 % |" in text
    assert "| network | 10 | 20 |" in text and "| hulls |  |  |" in text


def test_reports_are_of_the_network_that_ships() -> None:
    """Reports name their weights by SHA-256, and thresholds of the filter are those of the file."""
    shipped = ROOT / "python" / "tactum" / "data" / "collision_network.safetensors"
    digest = hashlib.sha256(shipped.read_bytes()).hexdigest()

    def read(name: str) -> Any:
        return json.loads((ROOT / "docs" / name).read_text(encoding="utf-8"))

    report, device = read("neural-report.json"), read("neural-device.json")
    assert report["sha256"] == digest
    assert device["networks"][0]["sha256"] == digest
    assert read("neural-simulation.json")["sha256"] == digest
    for name in ("locc-accuracy-speed", "locc-generalization"):
        assert read(f"reproduce/results/{name}.json")["files"][shipped.name] == digest
    # what the file itself says agrees with what was measured
    network = neural.CollisionNetwork.load(shipped)
    for entry in report["filter"]:
        found = neural.NeuralFilter(network, entry["asked"])
        assert found.num_collisions == entry["collisions"]
        assert found.threshold == pytest.approx(entry["threshold"], rel=1e-4)
    for name, accuracy in device["networks"][0]["sets"].items():
        assert accuracy["torch"] == report["sets"][name]["accuracy"]
