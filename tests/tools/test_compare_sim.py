# SPDX-License-Identifier: BSD-2-Clause
"""tools/compare_sim.py and tools/sim_page.py: rows, goals, page and plot from canned measurements."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
compare_sim: Any = importlib.import_module("compare_sim")
sim_page: Any = importlib.import_module("sim_page")


def side(
    name: str, median: float, *, residual: float = 1e-7, converged: float | None = 1.0
) -> dict[str, Any]:
    return {
        "name": name,
        "median": median,
        "quartiles": [0.9 * median, 1.1 * median],
        "tolerance": 1e-6,
        "residual": residual,
        "converged": converged,
        "speed": 0.01,
        "contacts": 4,
        "stages": {"pairs": 1.0, "solve": 3.0},
    }


CELL = {
    "name": "robot",
    "phase": "rests",
    "nv": 7,
    "sides": [
        side("tactum 1e-6", 30.0, converged=0.9),
        side("tactum at MuJoCo's residual", 8.0, residual=2e-3),
        side("MuJoCo", 10.0, residual=5e-3, converged=None),
    ],
}


def test_rows_goals_page_and_plot() -> None:
    rows = compare_sim.rows_of(CELL)
    ratios = {row["case"]: row for row in rows if row["quantity"] == sim_page.RATIO}
    assert ratios["robot, rests, tactum 1e-6"]["ours"] == pytest.approx(3.0)
    assert ratios["robot, rests, tactum 1e-6"]["holds"] is False
    assert ratios["robot, rests, tactum at MuJoCo's residual"]["holds"] is True
    shares = [row["holds"] for row in rows if row["quantity"] == sim_page.CONVERGED]
    assert shares == [False, True]  # a ratio counts for little where a tenth did not converge
    report = {"machine": "a machine", "rows": rows}
    page = sim_page.written(f"before\n{sim_page.BEGIN}\nstale\n{sim_page.END}\nafter\n", report)
    assert page.startswith("before\n") and page.endswith("after\n") and "stale" not in page
    assert "| robot, rests | 10 | 0.8 | **3** | 0.005 | 0.002 | 1 | 1.00e-07 | **0.9** |" in page
    assert "2 of 4 goals met" in page
    drawn = ElementTree.fromstring(sim_page.plot(rows))
    widths = [
        float(part.get("width", "0"))
        for part in drawn.iter("{http://www.w3.org/2000/svg}rect")
        if part.get("height") == "18"
    ]
    assert widths == pytest.approx([140.0, 420.0])  # a quarter and three quarters


def test_a_report_without_residuals_has_the_ratios_alone() -> None:
    rows = [row for row in compare_sim.rows_of(CELL) if row["quantity"] == sim_page.RATIO]
    page = sim_page.measured({"machine": "a machine", "rows": rows})
    assert "| robot, rests | 10 | 0.8 | **3** |\n" in page and "residual of MuJoCo" not in page


def test_a_fixed_base_is_a_body_beside_the_world() -> None:
    """Else pairs of base and link that overlap push with forces without bound."""
    file = '<mujoco><worldbody><frame><geom name="palm"/><body name="link"/></frame></worldbody></mujoco>'
    world = ElementTree.fromstring(compare_sim.with_base(file)).find("worldbody")
    assert world is not None
    assert [part.get("name") for part in world] == ["base"]
    assert [part.get("name") for part in world.findall("./body/frame/*")] == ["palm", "link"]


@pytest.mark.parametrize("name", ["Allegro hand and ball", "UR5"])
def test_no_link_overlaps_another_at_the_start(name: str) -> None:
    mujoco: Any = pytest.importorskip("mujoco")
    robots = compare_sim.site_packages() / "cmeel.prefix" / "share" / "example-robot-data"
    if not robots.exists():
        pytest.skip("example-robot-data is not installed")
    model = mujoco.MjModel.from_xml_string(compare_sim.CASES[name]())
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert all(contact.dist >= 0.0 for contact in data.contact)


def test_a_robot_that_is_held_begins_above_the_floor() -> None:
    mujoco: Any = pytest.importorskip("mujoco")
    robots = compare_sim.site_packages() / "cmeel.prefix" / "share" / "example-robot-data"
    if not robots.exists():
        pytest.skip("example-robot-data is not installed")
    model = mujoco.MjModel.from_xml_string(compare_sim.crouched_solo())
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.ncon == 0 and model.nv == 18
    knees = compare_sim.CROUCHED_HEIGHT - 0.16 * np.cos(compare_sim.CROUCHED["HFE"])
    assert min(data.xpos[1:, 2]) == pytest.approx(knees)


def test_controls_of_a_robot_that_is_held_reach_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **_: Any) -> Any:
        commands.append(command)
        return type("Done", (), {"returncode": 0, "stdout": "", "stderr": ""})()

    monkeypatch.setattr(compare_sim.subprocess, "run", run)
    for name in ("Solo-12", "Solo-12 pushed"):
        compare_sim.measure(name, Path("solo.xml"), 0.3, 2e-3)
    assert "--stiffness" not in commands[0]
    assert commands[1][-3:] == ["--push", "5", "Solo-12 pushed=solo.xml"]


def test_hulls_begin_apart() -> None:
    mujoco: Any = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(compare_sim.hulls(120))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.ncon == 0 and np.max(data.xpos[:, 2]) < 1.0


def test_rollouts_are_a_row_and_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = iter((1.0, 3.0, 2.0)), iter((5.0, 4.0, 3.0))
    monkeypatch.setattr(compare_sim, "our_rollouts", lambda *_: next(ours))
    monkeypatch.setattr(compare_sim, "their_rollouts", lambda *_: next(theirs))
    [row] = compare_sim.rollout_rows(Path("humanoid.xml"), 2e-3, steps=7, repetitions=3)
    assert row["ours"] == pytest.approx(2.0) and row["holds"] is True
    assert row["quantity"] == sim_page.THROUGHPUT and "rollouts of 7 steps" in row["case"]
    page = sim_page.measured({"machine": "a machine", "rows": [row]})
    assert "2 times the throughput of MuJoCo's `rollout`" in page and "1 of 1 goals" in page


def test_page_is_what_the_results_say() -> None:
    if not sim_page.RESULTS.exists():
        pytest.skip("nothing was measured yet")
    assert sim_page.main(["--check"]) == 0
