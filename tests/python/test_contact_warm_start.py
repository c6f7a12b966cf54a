# SPDX-License-Identifier: BSD-2-Clause
"""Warm starts for contacts that come and go."""

import numpy as np
import pytest
import tactum


def apart(contacts: int) -> tactum.ContactProblem:
    """Contacts that do not touch each other."""
    rows = 3 * contacts
    return tactum.ContactProblem(
        G=np.eye(rows), g=np.tile([0.1, 0.2, -1.0], contacts), mu=np.ones(contacts)
    )


def about_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def test_forces_are_turned_into_the_new_frames() -> None:
    problem = apart(2)
    solution = tactum.solve(problem)
    warm = tactum.ContactWarmStart()
    warm.keep(problem, solution, pairs=[4, 9], features=[1, 1], frames=np.stack([np.eye(3)] * 2))
    frames = np.stack([about_z(0.3), about_z(-1.0)])
    start = warm.start(problem, pairs=[9, 4], features=[1, 1], frames=frames)
    force = solution.force.reshape(2, 3)
    for i in range(2):
        np.testing.assert_allclose(
            frames[i] @ start.force[3 * i : 3 * i + 3], force[1 - i], atol=1e-14
        )
    assert start.residual == pytest.approx(tactum.contact_residual(problem, start.force))


def test_the_same_contacts_need_no_iteration() -> None:
    problem = apart(3)
    solution = tactum.solve(problem)
    warm = tactum.ContactWarmStart()
    warm.keep(problem, solution, pairs=[0, 1, 2], features=[0, 0, 0])
    start = warm.start(problem, pairs=[0, 1, 2], features=[0, 0, 0])
    assert tactum.solve(problem, warm_start=start).iterations == 0
    warm.clear()
    np.testing.assert_array_equal(
        warm.start(problem, pairs=[0, 1, 2], features=[0, 0, 0]).force, 0.0
    )


def test_new_contacts_take_the_nearest_else_the_mean_else_zero() -> None:
    old, new = apart(2), apart(3)
    solution = tactum.solve(
        tactum.ContactProblem(G=np.eye(6), g=[0, 0, -1, 0, 0, -3], mu=[1.0, 1.0])
    )
    warm = tactum.ContactWarmStart()
    warm.keep(old, solution, pairs=[1, 1], features=[1, 2], points=[[0, 0, 0], [1, 0, 0]])
    start = warm.start(
        new,
        pairs=[1, 1, 2],
        features=[7, 8, 9],
        points=[[0.95, 0, 0], [0.5, 0, 0], [0, 0, 0]],
        pair_sizes=1.0,
    )
    np.testing.assert_allclose(start.force[2::3], [3, 2, 0], atol=1e-7)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"pairs": [1.5, 2.0]}, TypeError, "pairs"),
        ({"pairs": [1]}, ValueError, "pairs"),
        ({"features": [[1, 2]]}, ValueError, "features"),
        ({"frames": np.eye(3)}, ValueError, "frames"),
        ({"frames": 2 * np.stack([np.eye(3)] * 2)}, ValueError, "frame"),
        ({"points": [[0, 0, np.nan], [0, 0, 0]]}, ValueError, "point"),
        ({"points": [[0, 0], [0, 0]]}, ValueError, "points"),
        ({"pair_sizes": -1.0}, ValueError, "pair_size"),
        ({"pair_sizes": [1.0]}, ValueError, "pair_sizes"),
    ],
)
def test_bad_features_are_refused_by_name(
    change: dict[str, object], error: type[Exception], text: str
) -> None:
    problem = apart(2)
    arguments: dict[str, object] = {"pairs": [1, 2], "features": [1, 1]}
    with pytest.raises(error, match=text):
        tactum.ContactWarmStart().start(problem, **(arguments | change))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="problem"):
        tactum.ContactWarmStart().start(None, **arguments)  # type: ignore[arg-type]
