# SPDX-License-Identifier: BSD-2-Clause
"""The figures of docs/neural-model-card.md are those of the JSON beside it; tables of what a GPU
measured, from reports that are made up."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

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
        "speed": {"fused": {"1": 2e7, "65536": 1.25e9}, "torch": 4e6},
        "agreement": {
            "rows": 7, "median": 0.01, "largest": 0.2, "logit_spread": 5.0, "other_side": 1,
        },
    }  # fmt: skip
    baseline = {"name": "exact parts", "setting": "32 parts", "accuracy": 0.9, "rate": 3e8}
    text = neural_page.device({"device": "A GPU", "networks": [network], "baselines": [baseline]})
    assert "width 128: one kernel | 98.00 % | 98.00 % | 98.00 % | 20 M | 1.25 G |" in text
    assert "width 128: PyTorch | 98.10 % | 98.10 % | 98.10 % |  | 4 M |" in text
    assert "| exact parts, 32 parts |  | 90.00 % |  |  | 0.30 G |" in text
    assert "1 change sides" in text


def test_tables_of_a_simulation(neural_page: ModuleType) -> None:
    fidelity = {
        "judged": 5, "mean": 0.0077, "worst_tenth": 0.02, "largest": 0.03, "apart": 0.5, "in_bowl": 1.0,
    }  # fmt: skip
    sources = {
        "network": {"fidelity": fidelity, "step_times": {"1": 0.01, "10": 0.02}},
        "hulls": {"fidelity": fidelity},
    }
    size = {"features": "64", "hidden": "128"}
    report = {"device": "A GPU", "size": size, "environments": 200, "sources": sources}
    text = neural_page.simulation(report)
    assert "200 environments; a network of 64 features and width 128." in text
    assert "| network | 5 | 7.70 | 20.00 | 30.00 | 50.00 % | 100.00 % |" in text
    assert "| network | 10 | 20 |" in text and "| hulls |  |  |" in text
