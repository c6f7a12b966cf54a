# SPDX-License-Identifier: BSD-2-Clause
"""What the playground says: gradients, clouds, weights and landings, against something else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special
import tactum
from tactum import _play_answers
from tactum.cli import main


def pair() -> tuple[Any, Any, Any, Any]:
    points = np.random.default_rng(4).normal(size=(60, 3))
    hull = tactum.Convex.from_points(0.2 * points / np.linalg.norm(points, axis=1)[:, None])
    X = tactum.pose_matrix([0.4, 0.1, 0.2, 0.1, 0.5, 0.5, 0.7])
    return hull, np.eye(4), tactum.Box(half_extents=(0.1, 0.1, 0.2)), X


def test_gradients_are_those_of_differences() -> None:
    a, X_WA, b, X_WB = pair()
    scale = _play_answers.scale_of(a, b, 0.05)
    found = _play_answers.answer(a, X_WA, b, X_WB, scale)
    assert set(found.gradients) == set(_play_answers.ESTIMATORS)
    step = 1e-6
    for axis in range(3):
        moved = [X_WB.copy(), X_WB.copy()]
        moved[0][axis, 3] += step
        moved[1][axis, 3] -= step
        ahead, behind = (tactum.distance(a, X_WA, b, X).distance for X in moved)
        assert found.gradients["exact"][axis] == pytest.approx(
            (ahead - behind) / (2 * step), abs=1e-6
        )
    # the samples of the zeroth order are few: it only has to point the same way
    for name in _play_answers.ESTIMATORS:
        assert found.gradients[name][:3] @ found.value.normal > 0.5
    colors = dict.fromkeys(_play_answers.ESTIMATORS, (1, 2, 3))
    text = _play_answers.summary(found, colors, scale)
    assert f"distance {1000 * found.value.distance:.4f} mm" in text
    assert text.count("<tr>") == 1 + len(colors) and text.count("rgb(1,2,3)") == len(colors)


def test_clouds_lie_on_the_bodies() -> None:
    a, X_WA, b, X_WB = pair()
    on_a, on_b = _play_answers.cloud(a, X_WA, b, X_WB, _play_answers.scale_of(a, b, 0.05))
    assert len(on_a) == len(on_b) == _play_answers.SAMPLES
    assert np.abs(tactum.signed_distance(a, X_WA, on_a)[0]).max() < 1e-12
    assert np.abs(tactum.signed_distance(b, X_WB, on_b)[0]).max() < 1e-12
    assert np.ptp(on_a, axis=0).max() > 1e-3


@pytest.mark.parametrize("size", [0.01, 1.0, 30.0])
def test_the_cloud_is_as_wide_as_the_noise_of_the_zeroth_order(size: float) -> None:
    ground, ball = tactum.HalfSpace(), tactum.Sphere(radius=size)
    scale = _play_answers.scale_of(ground, ball, 0.05)
    X = tactum.pose(xyz=(0.0, 0.0, 2.0 * size))
    # the nearest point of the ground is below the middle of the ball
    on_ground = _play_answers.cloud(ground, np.eye(4), ball, X, scale)[0]
    wide = _play_answers.estimator("zeroth order", scale).scale
    assert np.std(on_ground[:, :2]) == pytest.approx(wide, rel=0.25)
    assert wide == pytest.approx(0.05 * min(1.0, 2.0 * size * 3.0**0.5))


@pytest.mark.parametrize("size", [0.01, 1.0, 30.0])
def test_gradients_do_not_depend_on_the_unit(size: float) -> None:
    found = []
    for factor in (1.0, size):
        box = tactum.Box(half_extents=0.2 * factor * np.array([0.5, 0.5, 1.0]))
        points = np.random.default_rng(4).normal(size=(60, 3))
        hull = tactum.Convex.from_points(
            0.2 * factor * points / np.linalg.norm(points, axis=1)[:, None]
        )
        X = pair()[3].copy()
        X[:3, 3] *= factor
        scale = _play_answers.scale_of(hull, box, 0.05)
        found.append(_play_answers.answer(hull, np.eye(4), box, X, scale))
    for name in ("Gumbel", "Gaussian"):
        one, other = (answer.motions[name] for answer in found)
        assert np.allclose(one[:, :3], other[:, :3], atol=1e-9)
        assert np.allclose(size * one[:, 3:], other[:, 3:], atol=1e-9 * size)
    # the noise of the zeroth order is of the size of a part: its gradient points away from the other
    for answer in found:
        if size < 1.0:
            assert answer.gradients["zeroth order"][:3] @ answer.value.normal > 0.5


def shapes_with_vertices() -> list[Any]:
    return [pair()[0], tactum.Box(half_extents=(0.1, 0.15, 0.2))]


@pytest.mark.parametrize("shape", shapes_with_vertices(), ids=["hull", "box"])
def test_weights_are_those_of_the_estimator(shape: Any) -> None:
    # beside a half-space the normal turns with it alone, so the witness point on A moves by the
    # Hessian of its smoothed support: the covariance of the weights over the temperature
    X_WA = tactum.pose_matrix([0.0, 0.0, 1.0, 0.1, 0.3, 0.3, 0.9])
    scale = _play_answers.scale_of(shape, tactum.HalfSpace(), 0.05)
    found = _play_answers.answer(shape, X_WA, tactum.HalfSpace(), np.eye(4), scale)
    normal = found.value.normal
    points, weights = _play_answers.weights(shape, X_WA, normal, scale)
    away = points - np.average(points, axis=0, weights=weights)
    hessian = (weights[:, None] * away).T @ away / (weights.sum() * scale.length)
    across = np.eye(3) - np.outer(normal, normal)
    truth = across @ hessian @ across @ np.cross(np.eye(3), normal).T
    moved = found.motions["Gumbel"][:, 3:]
    assert np.abs(moved).max() > 0.01
    # the lightest vertices, below a thousandth each, are not drawn
    assert np.allclose(moved, truth, atol=0.05 * np.abs(moved).max())


def test_weights_are_a_softmax_around_the_support_point() -> None:
    a, X_WA, _, _ = pair()
    direction = np.array([0.6, 0.0, 0.8])
    scale = _play_answers.Scale(0.05, 0.02, 0.02)
    points, weights = _play_answers.weights(a, X_WA, direction, scale)
    assert 0.9 < weights.sum() <= 1.0 + 1e-12 and (np.diff(weights) <= 0.0).all()
    assert np.allclose(points[0], a.support(direction))
    near = _play_answers.vertices_near(a, direction)
    assert len(points) <= len(near) < len(a.vertices)
    truth = np.sort(scipy.special.softmax(near @ direction / 0.02))[::-1]
    assert np.allclose(weights, truth[: len(weights)])
    tiny = _play_answers.Scale(1e-5, 1e-5, 1e-5)
    assert len(_play_answers.weights(a, X_WA, direction, tiny)[0]) == 1
    ball = tactum.Sphere(radius=1.0)
    assert len(_play_answers.weights(ball, X_WA, direction, scale)[0]) == 0


def test_a_throw_lands_where_its_derivative_says() -> None:
    pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")
    model = _play_answers.throw_model()
    errors = [
        _play_answers.throw(model, [1.2, 0.3, 0.0, 0.0, 0.0, 0.0], change, steps=80).worst
        for change in (0.02, 0.01)
    ]
    moved = np.abs(
        np.diff(_play_answers.throw(model, np.zeros(6), 0.02, steps=80).actual[:2, -1], axis=0)
    ).max()
    assert moved > 1e-3, "the throws do differ"
    assert errors[1] < 1e-4 and errors[0] < 1e-4


def test_the_derivative_hits_a_target() -> None:
    sim = pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")
    model = _play_answers.throw_model()
    start = np.array([1.2, 0.0, 0.0, 0.0, 1.0, 0.0])
    for target in ((0.85, 0.35), (0.2, -0.4), (1.2, 0.0)):
        tries = _play_answers.aim(model, start, np.array(target))
        misses = [one.miss for one in tries]
        assert misses == sorted(misses, reverse=True) and len(set(misses)) == len(misses)
        assert tries[-1].hit and len(tries) <= 8
        # another rollout of that throw rests there
        state = model.state()
        state.v = tries[-1].velocity
        rests = sim.rollout(model, state, np.zeros((250, model.nv)), 4e-3).state.q[:2]
        assert np.linalg.norm(rests - target) == pytest.approx(tries[-1].miss)


def test_a_tour_shows_a_throw_that_hits() -> None:
    pytest.importorskip("viser", reason="the viewer needs viser: pip install tactum[view]")
    pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")
    from tactum._playground import PARTS, Playground, default_shapes

    playground = Playground(*default_shapes(), port=0)
    try:
        assert playground.throwing is not None
        seen = []
        for _ in playground.tour(3):
            shown = [name for name, root in playground.roots.items() if root.visible]
            seen.append((shown, playground.throwing.label.text))
        assert [name for name, _ in seen] == [[PARTS[0]]] * 3 + [[PARTS[1]]] * (len(seen) - 3)
        offs = [float(text.split()[2]) for _, text in seen[4:]]
        assert len(offs) > 1 and offs == sorted(offs, reverse=True) and offs[-1] < 0.1
        # where the box of the last try rests, by the words of the panel
        assert playground.throwing.landing.content.count("mm off") == len(offs)
        assert "<b>hit</b>" in playground.throwing.landing.content
        assert playground.roots[PARTS[0]].visible and not playground.roots[PARTS[1]].visible
    finally:
        playground.close()


def test_a_tour_becomes_a_page(tmp_path: Path) -> None:
    pytest.importorskip("viser", reason="the viewer needs viser: pip install tactum[view]")
    from tactum._playground import Playground

    for a, b in (
        (tactum.Sphere(radius=0.2), tactum.Box(half_extents=(0.1, 0.2, 0.3))),
        (
            tactum.Stp.from_points(np.eye(3), small_radius=0.05, big_radius=5.0),
            pair()[0].to_mesh(),
        ),
    ):
        playground = Playground(a, b, port=0)
        try:
            before = playground.text.content
            page = playground.backend.to_html(playground.tour(4))
            assert "__VISER_EMBED_DATA__" in page and playground.text.content != before
        finally:
            playground.close()
    out = tmp_path / "play.html"
    assert main(["play", "sphere:radius=0.1", "--html", str(out)]) == 0 and out.is_file()
    assert main(["play", "spere:radius=0.1", "--html", str(tmp_path / "no.html")]) == 2
