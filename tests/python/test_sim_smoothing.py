# SPDX-License-Identifier: BSD-2-Clause
"""Randomized smoothing of steps: a closed form, both orders, tangent spaces, errors."""

from __future__ import annotations

from math import erfc, sqrt
from typing import Any

import numpy as np
import pytest
import tactum

sim = pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")

OPTIONS = sim.StepOptions(tolerance=1e-10, position_correction=1.0, slop=0.0)


def box_on_the_ground(friction: float) -> Any:
    builder = sim.ModelBuilder()
    builder.add_ground(friction=friction)
    box = tactum.Box(half_extents=(0.1, 0.1, 0.02))
    builder.add_body(box, mass=2.0, X=(np.eye(3), [0.0, 0.0, 0.02]))
    return builder.build()


@pytest.mark.parametrize("order", [0, 1])
def test_a_box_that_sticks_has_the_slope_of_the_smoothed_threshold(order: int) -> None:
    """Friction takes mu g dt from the speed and stops what is slower. So the mean over noise of
    scale s has the slope P(|s z| > mu g dt) at rest, where the exact derivative is 0."""
    friction, dt = 0.5, 1e-3
    model = box_on_the_ground(friction)
    state = model.state()
    scale = 1.5 * friction * 9.81 * dt
    result = sim.step(model, state, dt=dt, options=OPTIONS, tape=True)
    assert abs(sim.step_derivative(result).dv_dv[0, 0]) < 1e-9
    along_x = np.array([scale, 0, 0, 0, 0, 0])
    found = sim.smoothed_derivative(
        model, state, dt=dt, order=order, samples=2000, velocity_scale=along_x, options=OPTIONS
    )
    expected = erfc(friction * 9.81 * dt / scale / sqrt(2.0))
    assert found.order == order and found.samples == 2000
    assert 0.0 < found.standard_error[6, 6] < 0.05
    assert abs(found.dv_dv[0, 0] - expected) < 0.05
    assert abs(found.dq_dv[0, 0] - dt * expected) < 0.05 * dt


def test_both_orders_agree_where_a_body_turns() -> None:
    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.5)
    shape = tactum.Ellipsoid(semi_axes=(0.1, 0.06, 0.14))
    builder.add_body(shape, mass=1.0, X=(np.eye(3), [0.0, 0.0, 0.1399]))
    model = builder.build()
    state = model.state()
    state.v[:] = [1.0, 0.2, -1.0, 0.5, 2.0, -1.0]
    J = sim.step_derivative(sim.step(model, state, tape=True))
    for scale, names in (
        ({"position_scale": 1e-5, "velocity_scale": 0.0}, ("dq_dq", "dv_dq")),
        ({"velocity_scale": 1e-4}, ("dq_dv", "dv_dv")),
        ({"force_scale": 1e-2, "velocity_scale": 0.0}, ("dq_dtau", "dv_dtau")),
    ):
        first = sim.smoothed_derivative(model, state, samples=20, **scale)
        zeroth = sim.smoothed_derivative(model, state, samples=3000, order=0, **scale)
        for name in names:
            ours, theirs = getattr(first, name), getattr(zeroth, name)
            assert np.abs(ours - theirs).max() < 0.2 * np.abs(ours).max(), name
            # noise that is small against the distance to the next mode changes nothing
            exact = getattr(J, name)
            assert np.abs(ours - exact).max() < 1e-2 * np.abs(exact).max(), name


def test_the_same_seed_gives_the_same_numbers() -> None:
    model = box_on_the_ground(0.5)
    found = [sim.smoothed_derivative(model, model.state(), samples=4, seed=3) for _ in range(2)]
    assert np.array_equal(found[0].dv_dv, found[1].dv_dv)


@pytest.mark.parametrize(
    ("field", "more"),
    [
        ("order", {"order": 2}),
        ("samples", {"samples": 3}),
        ("velocity_scale", {"velocity_scale": -1.0}),
        ("position_scale", {"position_scale": np.ones(5)}),
        ("force_scale", {"force_scale": float("nan")}),
        ("scales", {"velocity_scale": 0.0}),
    ],
)
def test_bad_input_names_the_field(field: str, more: dict[str, Any]) -> None:
    model = box_on_the_ground(0.5)
    with pytest.raises(tactum.InvalidInput, match=field):
        sim.smoothed_derivative(model, model.state(), **more)


def test_relaxed_complementarity_leaves_a_flat_mode() -> None:
    """A box that sticks: its exact derivative is zero, the relaxed one grows with the relaxation, and
    a push beyond friction has the slope 1 in both."""
    model = box_on_the_ground(0.5)
    state = model.state()
    slopes = [
        sim.smoothed_derivative(
            model, state, order="relaxed", velocity_scale=scale, options=OPTIONS
        ).dv_dv[0, 0]
        for scale in (1e-4, 1e-3, 1e-2)
    ]
    assert 0.0 < slopes[0] < slopes[1] < slopes[2] < 1.0
    assert slopes[0] < 0.05
    state.v[0] = 1.0
    found = sim.smoothed_derivative(
        model, state, order="relaxed", velocity_scale=1e-4, options=OPTIONS
    )
    assert found.order == "relaxed" and found.samples == 0
    assert found.dv_dv[0, 0] == pytest.approx(1.0, abs=1e-2)
    assert not found.standard_error.any()


def test_relaxed_complementarity_takes_one_speed() -> None:
    model = box_on_the_ground(0.5)
    for bad in (0.0, -1.0, np.full(6, 1e-2), np.nan):
        with pytest.raises(tactum.InvalidInput, match="velocity_scale"):
            sim.smoothed_derivative(model, model.state(), order="relaxed", velocity_scale=bad)
