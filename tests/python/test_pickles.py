# SPDX-License-Identifier: BSD-2-Clause
"""Pickles of the simulator: what cannot be one says so, what comes back can be used, and damaged ones
are refused. That everything survives a pickle is in test_expectations.py."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import tactum
from kept_values import WITH_SIM, fingerprint, simulation

needs_sim = pytest.mark.skipif(not WITH_SIM, reason="the simulator is built where Pinocchio is")


def test_a_fingerprint_tells_the_content() -> None:
    hulls = []
    for last in (1.0, 1.0 + 1e-15):
        points = np.random.default_rng(0).normal(size=(3000, 3))
        points[1500, 0] += last
        hulls.append(tactum.Mesh(vertices=points, triangles=np.arange(3000).reshape(-1, 3)))
    assert repr(hulls[0]) == repr(hulls[1])
    assert fingerprint(hulls[0]) != fingerprint(hulls[1])


@needs_sim
def test_what_holds_a_tape_is_copied_and_says_why_it_is_not_pickled() -> None:
    from tactum import sim

    builder = sim.ModelBuilder()
    builder.add_ground(friction=0.5)
    builder.add_body(tactum.Sphere(radius=0.1), mass=1.0, X=(0.0, 0.0, 0.1))
    model = builder.build()
    result = sim.step(model, model.state(), tape=True)
    derivative = sim.step_derivative(result)
    for value, remedy in ((result, "without a tape"), (derivative, "pickle its arrays")):
        with pytest.raises(TypeError, match=remedy):
            pickle.dumps(value)
        for again in (copy.copy(value), copy.deepcopy(value)):
            there = sim.step_derivative(again) if again.__class__ is result.__class__ else again
            assert np.array_equal(there.dv_dv, derivative.dv_dv)


@needs_sim
def test_a_trajectory_from_a_pickle_is_differentiated() -> None:
    from tactum import sim

    trajectory = simulation()["trajectory"]
    again = pickle.loads(pickle.dumps(trajectory))
    assert again.solver == "ncp_pgs" and again.model.nv == 6
    gradients = [
        sim.rollout_derivative(t.model, t, dq=np.ones((4, 6)), mode="reverse")
        for t in (trajectory, again)
    ]
    assert np.array_equal(gradients[0].d_controls, gradients[1].d_controls)


@needs_sim
def test_damaged_pickles_of_the_simulator_are_refused() -> None:
    kept = simulation()
    for name in ("result", "contacts", "trajectory", "solution"):
        state, kind = kept[name].__getstate__(), type(kept[name])
        assert isinstance(state, tuple)
        for place in range(len(state)):
            damaged = (*state[:place], "text", *state[place + 1 :])
            with pytest.raises((tactum.InvalidInput, TypeError), match="state"):
                kind.__new__(kind).__setstate__(damaged)
    q, *rest = kept["trajectory"].__getstate__()
    kind = type(kept["trajectory"])
    with pytest.raises(tactum.InvalidInput, match="sizes do not fit"):
        kind.__new__(kind).__setstate__((q[:-1], *rest))
