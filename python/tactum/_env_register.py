# SPDX-License-Identifier: BSD-2-Clause
"""Names of the environments for Gymnasium, which calls register_all() when it is imported."""

from __future__ import annotations

#: name, and the steps after which an episode is cut off
IDS = {"tactum/Quadruped-v0": 500, "tactum/Push-v0": 200}


def register_all() -> None:
    """Tell Gymnasium the names; a second call changes nothing."""
    from gymnasium.envs.registration import register, registry

    for name, limit in IDS.items():
        if name in registry:
            continue
        task = name.partition("/")[2].partition("-")[0]
        register(
            name,
            entry_point="tactum.envs:SimEnv",
            vector_entry_point="tactum.envs:SimVectorEnv",
            max_episode_steps=limit,
            kwargs={"task": task},
        )
