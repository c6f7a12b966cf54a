# SPDX-License-Identifier: BSD-2-Clause
"""Environments for Gymnasium: its own checker, the vector version against single ones, rewards
against formulas, bad input."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import tactum

gymnasium = pytest.importorskip("gymnasium", reason="pip install tactum[learn]")
pytest.importorskip("tactum.sim", reason="the simulator is built where Pinocchio is")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from tactum import envs  # noqa: E402

NAMES = list(envs.IDS)


def random_action(rng: np.random.Generator, space: Any) -> Any:
    return rng.uniform(-1.0, 1.0, size=space.shape).astype(np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_is_content(name: str) -> None:
    # a warning of the checker is an error here
    env = gymnasium.make(name, render_mode="rgb_array")
    check_env(env.unwrapped)
    env.reset(seed=0)
    picture = env.render()
    assert picture.shape == (240, 320, 3) and picture.dtype == np.uint8
    assert 0.005 < (picture != picture[0, 0]).any(axis=2).mean() < 0.9
    env.close()


@pytest.mark.parametrize("name", NAMES)
def test_the_vector_version_gives_the_numbers_of_single_ones(name: str) -> None:
    many = gymnasium.make_vec(name, num_envs=5, max_episode_steps=15)
    single = gymnasium.make_vec(name, num_envs=5, vectorization_mode="sync", max_episode_steps=15)
    assert type(many).__name__ == "SimVectorEnv"
    seen, _ = many.reset(seed=3)
    want, _ = single.reset(seed=3)
    assert np.array_equal(seen, want) and len(np.unique(seen, axis=0)) == 5
    rng = np.random.default_rng(0)
    cut = 0
    for _ in range(40):
        action = random_action(rng, many.action_space)
        ours, theirs = many.step(action), single.step(action)
        for a, b in zip(ours[:4], theirs[:4], strict=True):
            assert np.array_equal(a, b)
        for key, values in ours[4].items():
            assert np.array_equal(values, theirs[4][key])
        cut += int(ours[3].sum())
    assert cut == 10, "every state was cut off twice, and began anew"
    many.close()
    single.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_decides_everything(name: str) -> None:
    runs = []
    for _ in range(2):
        env = gymnasium.make(name)
        rng = np.random.default_rng(1)
        seen = [env.reset(seed=11)[0]]
        for _ in range(10):
            seen.append(env.step(random_action(rng, env.action_space))[0])
        runs.append(np.array(seen))
    assert np.array_equal(*runs)
    other = gymnasium.make(name).reset(seed=12)[0]
    assert not np.array_equal(other, runs[0][0])


def test_the_quadruped_stands_and_falls() -> None:
    env = gymnasium.make("tactum/Quadruped-v0")
    env.reset(seed=0)
    for _ in range(50):
        _, reward, terminated, _, info = env.step(np.zeros(12, dtype=np.float32))
        assert not terminated
        assert reward == pytest.approx(0.5 + info["forward"])
    action = np.full(12, 0.5, dtype=np.float32)
    _, reward, _, _, info = env.step(action)
    assert reward == pytest.approx(0.5 + info["forward"] - 0.05 * 12 * 0.25)
    state = env.unwrapped.state
    state.q[3:7] = [1.0, 0.0, 0.0, 0.0]  # on its back
    assert env.step(np.zeros(12, dtype=np.float32))[2]


def test_a_push_from_behind_reaches_the_goal() -> None:
    env = gymnasium.make("tactum/Push-v0")
    seen, _ = env.reset(seed=4)
    done, info = False, {}
    for _ in range(120):
        finger, block, to_goal = seen[:2], seen[4:6], seen[13:15]
        along = to_goal / np.linalg.norm(to_goal)
        behind = block - 0.1 * along - finger
        side = behind - (behind @ along) * along
        aligned = np.linalg.norm(side) < 0.02
        speed = 0.3 if aligned else np.clip(10.0 * (behind @ along) - 0.2, -1.0, 0.3)
        action = np.clip(25.0 * side + speed * along, -1.0, 1.0).astype(np.float32)
        seen, reward, done, _, info = env.step(action)
        away, reach = np.linalg.norm(seen[13:15]), np.linalg.norm(seen[11:13])
        assert reward == pytest.approx(10.0 * done - away - 0.1 * reach)
        if done:
            break
    assert done and info["is_success"] == 1.0


def test_bad_input() -> None:
    env = envs.SimEnv("Push")
    with pytest.raises(tactum.InvalidInput, match="reset"):
        env.step(np.zeros(2))
    env.reset(seed=0)
    with pytest.raises(tactum.InvalidInput, match="action"):
        env.step(np.zeros(3))
    with pytest.raises(tactum.InvalidInput, match="finite"):
        env.step([np.nan, 0.0])
    before = env.state
    many = envs.SimVectorEnv("Push", 2)
    with pytest.raises(tactum.InvalidInput, match="reset"):
        many.step(np.zeros((2, 2)))
    with pytest.raises(tactum.InvalidInput, match="seed"):
        many.reset(seed=[1, 2, 3])
    for bad in ({"num_envs": 0}, {"render_mode": "rgb_array"}):
        with pytest.raises(tactum.InvalidInput, match=next(iter(bad))):
            envs.SimVectorEnv("Push", **bad)
    assert env.state is before


def test_a_name_says_where_it_comes_from() -> None:
    code = "import gymnasium; print(gymnasium.make('tactum.envs:tactum/Push-v0').unwrapped)"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert "SimEnv" in shown.stdout, shown.stderr


def test_without_gymnasium_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import tactum.envs"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert "pip install 'tactum[learn]'" in shown.stderr
