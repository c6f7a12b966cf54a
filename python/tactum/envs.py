# SPDX-License-Identifier: BSD-2-Clause
"""Environments for Gymnasium on the simulator: `tactum/Quadruped-v0` and `tactum/Push-v0`.

    import gymnasium, tactum.envs

    env = gymnasium.make("tactum/Push-v0")
    many = gymnasium.make_vec("tactum/Push-v0", num_envs=64)    # one call of sim.rollouts a step

The vector version steps all states on all cores and gives the numbers of single environments. The
import tells Gymnasium the names; so does gymnasium.make("tactum.envs:tactum/Push-v0"). Needs
`pip install tactum[learn]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError(
        "tactum.envs needs Gymnasium, which is not installed: pip install 'tactum[learn]'"
    ) from error

from . import _env_tasks, sim
from ._errors import InvalidInput

__all__ = ["IDS", "SimEnv", "SimVectorEnv"]

Array = npt.NDArray[np.float64]

#: name, and the steps after which an episode is cut off
IDS = {"tactum/Quadruped-v0": 500, "tactum/Push-v0": 200}
LIMIT = 100.0  #: observations are cut off there, in SI units
PICTURE = (320, 240)  #: pixels


def spaces(task: _env_tasks.Task) -> tuple[Any, Any]:
    """Of observations and of actions."""
    box = gymnasium.spaces.Box
    return (
        box(-LIMIT, LIMIT, (task.num_observations,), np.float64),
        box(-1.0, 1.0, (task.num_actions,), np.float32),
    )


def checked_action(action: Any, shape: tuple[int, ...]) -> Array:
    """The action as numbers from -1 to 1."""
    found = np.asarray(action, dtype=np.float64)
    if found.shape != shape:
        raise InvalidInput("action", f"an array of shape {found.shape}", f"give {shape}")
    if not np.isfinite(found).all():
        raise InvalidInput("action", "numbers that are not finite", "give numbers from -1 to 1")
    return np.clip(found, -1.0, 1.0)


def observation(task: _env_tasks.Task, state: sim.State, goal: Array) -> Array:
    """What the policy sees, within the limits of its space."""
    return np.clip(np.nan_to_num(task.observe(state, goal)), -LIMIT, LIMIT)


def picture(task: _env_tasks.Task, state: sim.State) -> npt.NDArray[np.uint8]:
    """(240, 320, 3) of a state, made by rays."""
    from . import _demo_pile, _plot, _sim_record

    x, y, z, width = task.view
    camera = _plot.Camera(np.array([x, y, z]), 0.5 * width, PICTURE, azimuth=-60.0, elevation=25.0)
    image = _demo_pile.render_pile(_sim_record.scene_at(task.model, state.q), camera)
    return np.asarray(np.clip(255.0 * image, 0.0, 255.0)).astype(np.uint8)


class SimEnv(gymnasium.Env):
    """One state of a task.

    task: "Quadruped" or "Push"; the classes of tactum._env_tasks say what they observe and reward.
    render_mode: None, or "rgb_array" for pictures of 240 by 320 pixels.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(self, task: str, render_mode: str | None = None) -> None:
        self.task = _env_tasks.task(task)
        self.observation_space, self.action_space = spaces(self.task)
        self.render_mode = render_mode
        self.state: sim.State | None = None
        self.goal: Array = np.zeros(0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """A new start. Returns observation and info."""
        super().reset(seed=seed)
        self.state, self.goal = self.task.start(self.np_random)
        return observation(self.task, self.state, self.goal), {}

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """One control step. Returns observation, reward, terminated, truncated, info."""
        if self.state is None:
            raise InvalidInput("step", "no state", "call reset() first")
        task, before = self.task, self.state
        numbers = checked_action(action, (task.num_actions,))
        tau = np.tile(task.forces(before, numbers), (task.steps, 1))
        self.state = sim.rollout(task.model, before, tau, task.dt).state
        found = task.judge(before, self.state, numbers, self.goal)
        seen = observation(task, self.state, self.goal)
        return seen, found.reward, found.terminated, False, dict(found.info)

    def render(self) -> npt.NDArray[np.uint8] | None:
        """A picture of the state, where render_mode asks for it."""
        if self.render_mode is None or self.state is None:
            return None
        return picture(self.task, self.state)


class SimVectorEnv(VectorEnv):
    """Many states of a task, stepped by one call of sim.rollouts.

    State i is what SimEnv has after reset(seed=seed + i). A state that ended begins anew with the
    next step, whose action it ignores (AutoresetMode.NEXT_STEP). max_episode_steps: then it is
    truncated. num_threads: 0 for all cores.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        task: str,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        num_threads: int = 0,
        render_mode: str | None = None,
    ) -> None:
        if num_envs < 1:
            raise InvalidInput("num_envs", repr(num_envs), "give 1 or more")
        if render_mode is not None:
            raise InvalidInput("render_mode", repr(render_mode), "only single environments render")
        self.task = _env_tasks.task(task)
        self.num_envs = num_envs
        self.render_mode = None
        self.max_episode_steps = max_episode_steps
        self.num_threads = num_threads
        self.single_observation_space, self.single_action_space = spaces(self.task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._generators = [np.random.default_rng() for _ in range(num_envs)]
        self._states: list[sim.State] = []
        self._goals: list[Array] = []
        self._ages = np.zeros(num_envs, dtype=np.int64)
        self._ended = np.zeros(num_envs, dtype=bool)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Any]]:
        """New starts of all states. Returns observations and info."""
        seeds: list[int | None]
        if seed is None or isinstance(seed, int):
            seeds = [None if seed is None else seed + i for i in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise InvalidInput("seed", f"{len(seeds)} seeds", f"give {self.num_envs}")
        for i, one in enumerate(seeds):
            if one is not None:
                self._generators[i] = gymnasium.utils.seeding.np_random(one)[0]
        starts = [self.task.start(rng) for rng in self._generators]
        self._states = [state for state, _ in starts]
        self._goals = [goal for _, goal in starts]
        self._ages[:] = 0
        self._ended[:] = False
        return self._observe(), {}

    def _observe(self) -> Array:
        return np.array(
            [observation(self.task, s, g) for s, g in zip(self._states, self._goals, strict=True)]
        )

    def step(
        self, actions: Any
    ) -> tuple[Array, Array, npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """One control step of all states."""
        if not self._states:
            raise InvalidInput("step", "no states", "call reset() first")
        task = self.task
        numbers = checked_action(actions, (self.num_envs, task.num_actions))
        running = [i for i in range(self.num_envs) if not self._ended[i]]
        rewards, info = np.zeros(self.num_envs), dict[str, Any]()
        terminated = np.zeros(self.num_envs, dtype=bool)
        before = [self._states[i] for i in running]
        if running:
            tau = np.array(
                [
                    np.tile(task.forces(state, numbers[i]), (task.steps, 1))
                    for i, state in zip(running, before, strict=True)
                ]
            )
            moved = sim.rollouts(task.model, before, tau, task.dt, num_threads=self.num_threads)
            for i, state, trajectory in zip(running, before, moved, strict=True):
                self._states[i] = trajectory.state
                found = task.judge(state, self._states[i], numbers[i], self._goals[i])
                rewards[i], terminated[i] = found.reward, found.terminated
                info = self._add_info(info, dict(found.info), i)
        self._ages[running] += 1
        for i in np.flatnonzero(self._ended).tolist():
            self._states[i], self._goals[i] = task.start(self._generators[i])
            self._ages[i] = 0
        limit = self.max_episode_steps
        truncated = np.zeros(self.num_envs, dtype=bool) if limit is None else self._ages >= limit
        self._ended = terminated | truncated
        return self._observe(), rewards, terminated, truncated, info


def register_all() -> None:
    """Tell Gymnasium the names; a second call changes nothing."""
    for name, limit in IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="tactum.envs:SimEnv",
                vector_entry_point="tactum.envs:SimVectorEnv",
                max_episode_steps=limit,
                kwargs={"task": name.partition("/")[2].partition("-")[0]},
            )


register_all()
