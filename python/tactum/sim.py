# SPDX-License-Identifier: BSD-2-Clause
"""Simulation of robots and objects with rigid frictional contact.

    >>> import tactum
    >>> from tactum import sim
    >>> builder = sim.ModelBuilder()
    >>> ground = builder.add_ground(friction=0.8)
    >>> box = tactum.Box(half_extents=(0.1, 0.1, 0.1))
    >>> body = builder.add_body(box, mass=1.0, X=tactum.pose_matrix([0, 0, 0.1, 0, 0, 0, 1]))
    >>> model = builder.build()
    >>> result = sim.step(model, model.state(), dt=1e-3)
    >>> len(result.contacts), result.status
    (4, 'converged')

Coordinates are Pinocchio's: a free body has its pose (x, y, z, qx, qy, qz, qw) in `q`, and its linear
and angular velocity, both in its own axes, in `v`. Contact forces solve the model of the solver to
the residual that `result.solution` reports.

This part needs Pinocchio: `pip install tactum[sim]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from . import _call_errors, _errors, _sim_pinocchio
from . import _core as _core  # its shapes and errors are those of the simulator
from ._call_errors import explained

try:
    from . import _sim
    from ._sim import (
        Model,
        ModelBuilder,
        State,
        StepContacts,
        StepDerivative,
        StepOptions,
        StepResult,
        Trajectory,
        add_robot_data,
        com,
        contact_report,
        energy,
        load_mjcf,
        load_urdf,
        momentum,
        position_maps,
        rollout_array,
        rollout_columns_arrays,
        rollout_vjp_arrays,
        rollouts_array,
        shape_parameters,
        step,
        step_derivative,
    )
except ImportError as error:  # pragma: no cover: the tests have it
    raise ImportError(
        "tactum.sim needs Pinocchio, which is not installed here or of another version: "
        f"pip install 'tactum[sim]' brings it ({error})"
    ) from error

from ._sim_smoothing import SmoothedDerivative, smoothed_derivative

_call_errors.wrap_all(globals(), _sim, "tactum.sim")

__all__ = [
    "Model",
    "ModelBuilder",
    "RolloutGradient",
    "RolloutTangent",
    "SmoothedDerivative",
    "State",
    "StepContacts",
    "StepDerivative",
    "StepOptions",
    "StepResult",
    "Trajectory",
    "com",
    "contact_report",
    "energy",
    "from_pinocchio",
    "load_mjcf",
    "load_urdf",
    "momentum",
    "rollout",
    "rollout_derivative",
    "rollouts",
    "shape_parameters",
    "smoothed_derivative",
    "step",
    "step_derivative",
]


@explained
def from_pinocchio(
    model: Any,
    geometry_model: Any = None,
    *,
    q: npt.ArrayLike | None = None,
    hulls: bool = True,
    X: Any = None,
    name: str | None = None,
    friction: float | None = None,
    restitution: float = 0.0,
    compliance: float = 0.0,
    margin: float = 0.0,
    builder: ModelBuilder | None = None,
) -> Model:
    """A model of a pinocchio.Model and, for its shapes, a pinocchio.GeometryModel.

    q and v mean the same in both. Contacts are looked for between the collision pairs of the geometry
    model; without any, between all shapes of different joints that do not overlap at q. Gravity is that of the model. q: (nq,)
    initial position, else the neutral one. hulls: meshes as their convex hulls, or exactly. X: pose
    of the world of the robot. name: put before the names of joints, with a slash. friction,
    restitution, compliance (m/N) and margin (m) are those of all its shapes. builder: one that holds
    ground and other things already; it keeps its own gravity.
    """
    joints, geometries, forbidden = _sim_pinocchio.robot_data(model, geometry_model, hulls)
    chosen = ModelBuilder(gravity=model.gravity.linear) if builder is None else builder
    add_robot_data(
        chosen,
        joints,
        geometries,
        forbidden,
        geometry_model is not None and len(geometry_model.collisionPairs) > 0,
        q,
        X,
        name,
        friction,
        restitution,
        compliance,
        margin,
    )
    return chosen.build()


@explained
def rollout(
    model: Model,
    state: State,
    controls: npt.ArrayLike | Callable[[float, State], npt.ArrayLike | None],
    dt: float = 1e-3,
    *,
    steps: int | None = None,
    solver: str = "ncp_admm",
    options: StepOptions | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Trajectory:
    """Make many steps in one call.

    controls: (T, nv) generalized forces, one row for each of T steps; or a function of the time in s
    and the state that returns (nv,), or None for no forces, and then the number of `steps`. The
    result has the states as rows of `q` (T + 1, nq) and `v` (T + 1, nv), the first of which is the
    start. progress: called with the number of steps done and all of them, ten times a second at most;
    what it raises ends the work, and so does Ctrl-C.
    """
    return keep_model(
        rollout_array(model, state, controls, dt, solver, options, steps, progress), model
    )


@explained
def rollouts(
    model: Model,
    states: Sequence[State],
    controls: npt.ArrayLike,
    dt: float = 1e-3,
    *,
    solver: str = "ncp_admm",
    options: StepOptions | None = None,
    num_threads: int = 0,
) -> list[Trajectory]:
    """Roll out many states on all cores, each with the bits that rollout() gives.

    controls: (N, T, nv), one (T, nv) array for each of N states.
    """
    each = [np.asarray(rows, dtype=np.float64) for rows in np.asarray(controls, dtype=np.float64)]
    found: list[Trajectory] = rollouts_array(
        model, list(states), each, dt, solver, options, num_threads
    )
    return [keep_model(trajectory, model) for trajectory in found]


def keep_model(trajectory: Trajectory, model: Model) -> Trajectory:
    """A trajectory that knows its model, as view.record() needs it."""
    vars(trajectory)["model"] = model
    return trajectory


class RolloutGradient(NamedTuple):
    """Gradients of a scalar of a trajectory, from rollout_derivative(mode="reverse")."""

    d_q0: npt.NDArray[np.float64]  #: (nv,): by the position at the start, a tangent vector
    d_v0: npt.NDArray[np.float64]  #: (nv,): by the velocity at the start
    d_controls: npt.NDArray[np.float64]  #: (T, nv)
    d_parameters: dict[str, npt.NDArray[np.float64]]  #: by the parameters asked for
    smooth: bool  #: whether every step is differentiable
    mode_margin: float  #: least of all steps
    value: float | None = None  #: of the loss, where one was given


class RolloutTangent(NamedTuple):
    """Changes of a trajectory, from rollout_derivative(mode="forward")."""

    dq: npt.NDArray[np.float64]  #: (T + 1, nv): of the positions, tangent vectors; or (K, T + 1, nv)
    dv: npt.NDArray[np.float64]  #: (T + 1, nv), or (K, T + 1, nv)
    smooth: bool  #: whether every step is differentiable
    mode_margin: float  #: least of all steps


#: value and gradients by positions, (T + 1, nq) numbers or (T + 1, nv) tangent vectors, and velocities
Loss = Callable[
    [npt.NDArray[np.float64], npt.NDArray[np.float64]],
    tuple[Any, npt.ArrayLike | None, npt.ArrayLike | None],
]


@overload
def rollout_derivative(
    model: Model,
    trajectory: Trajectory,
    dq: npt.ArrayLike | None = None,
    dv: npt.ArrayLike | None = None,
    *,
    mode: Literal["reverse"] = "reverse",
    loss: Loss | None = None,
    parameters: Sequence[str] = (),
    checkpoints: int | None = None,
    frozen_contacts: bool = False,
    estimator: Any = None,
    relaxation: float = 0.0,
) -> RolloutGradient: ...
@overload
def rollout_derivative(
    model: Model,
    trajectory: Trajectory,
    dq: npt.ArrayLike | None = None,
    dv: npt.ArrayLike | None = None,
    *,
    mode: Literal["forward"],
    dcontrols: npt.ArrayLike | None = None,
    dparameters: Mapping[str, npt.ArrayLike] | None = None,
    parameters: Sequence[str] = (),
    frozen_contacts: bool = False,
    estimator: Any = None,
    relaxation: float = 0.0,
) -> RolloutTangent: ...
def rollout_derivative(
    model: Model,
    trajectory: Trajectory,
    dq: npt.ArrayLike | None = None,
    dv: npt.ArrayLike | None = None,
    *,
    mode: Literal["reverse", "forward"] = "reverse",
    loss: Loss | None = None,
    dcontrols: npt.ArrayLike | None = None,
    dparameters: Mapping[str, npt.ArrayLike] | None = None,
    parameters: Sequence[str] = (),
    checkpoints: int | None = None,
    frozen_contacts: bool = False,
    estimator: Any = None,
    relaxation: float = 0.0,
) -> RolloutGradient | RolloutTangent:
    """Differentiate a trajectory that rollout() made.

    mode="reverse": dq, dv are the gradients (T + 1, nv) of a scalar by all positions (as tangent
    vectors) and velocities, one row for each time; the answer has the gradients by start, controls
    and `parameters`. Steps are made again between `checkpoints` states that are kept, by default
    about the square root of the number of steps; with 1, all tapes are held at once. The bits are
    the same for any number.

    loss: in place of dq and dv, the scalar as a function of all positions (T + 1, nq) and velocities
    (T + 1, nv). It returns its value and its gradients by both, None for zero; by positions as
    (T + 1, nq) numbers or as (T + 1, nv) tangent vectors. The answer has the `value`.

    mode="forward": dq, dv (nv,), dcontrols (T, nv) and dparameters are changes of the start, the
    controls and the parameters; the answer has the changes of all states. With one more axis in
    front, (K, nv), (K, T, nv) and (K, n), they are K changes, for which every step is made and
    linearized once; np.eye(nv) as dv gives all columns by the velocity at the start.

    parameters, frozen_contacts, estimator, relaxation: as for step_derivative(), for every step.
    Controls count as numbers, even where a function of the state computed them. Raises InvalidInput
    for wrong sizes.
    """
    if loss is not None and (mode == "forward" or dq is not None or dv is not None):
        raise _errors.InvalidInput(
            "loss",
            "given with dq, dv or mode 'forward'",
            "give a loss by itself, in mode 'reverse'",
        )
    if mode == "forward":
        wanted = tuple(parameters) or tuple(dparameters or ())
        changes, is_one = _forward_changes(dq, dv, dcontrols, dparameters)
        rows_q, rows_v, smooth, margin = rollout_columns_arrays(
            model, trajectory, changes, wanted, frozen_contacts, estimator, relaxation
        )
        if is_one:
            return RolloutTangent(rows_q[0], rows_v[0], smooth, margin)
        shape = (len(changes), len(trajectory) + 1, model.nv)
        whole_q, whole_v = (np.reshape(rows, shape) for rows in (rows_q, rows_v))
        return RolloutTangent(whole_q, whole_v, smooth, margin)
    if mode != "reverse":
        raise _errors.InvalidInput("mode", repr(mode), "give 'reverse' or 'forward'")
    if dcontrols is not None or dparameters is not None:
        raise _errors.InvalidInput(
            "dcontrols, dparameters", "given in mode 'reverse'", "give them in mode 'forward' only"
        )
    segment: Any = None
    if checkpoints is not None:
        if checkpoints < 1:
            raise _errors.InvalidInput("checkpoints", repr(checkpoints), "give 1 or more")
        segment = max(1, -(-len(trajectory) // checkpoints))
    value: float | None = None
    if loss is not None:
        value, dq, dv = _loss_gradient(model, trajectory, loss)
    found = rollout_vjp_arrays(
        model,
        trajectory,
        dq,
        dv,
        segment,
        tuple(parameters),
        frozen_contacts,
        estimator,
        relaxation,
    )
    return RolloutGradient(*found, value)


def _forward_changes(
    dq: Any, dv: Any, dcontrols: Any, dparameters: Mapping[str, Any] | None
) -> tuple[list[tuple[Any, Any, Any, dict[str, Any]]], bool]:
    """The changes one by one, and whether it is one without an axis of its own."""
    parts = {"dq": (dq, 1), "dv": (dv, 1), "dcontrols": (dcontrols, 2)}
    parts |= {f"dparameters['{name}']": (x, 1) for name, x in (dparameters or {}).items()}
    many = {
        name: len(x) for name, (x, axes) in parts.items() if x is not None and np.ndim(x) > axes
    }
    if not many:
        return [(dq, dv, dcontrols, dict(dparameters or {}))], True
    count = next(iter(many.values()))
    for name, (x, _) in parts.items():
        if x is not None and many.get(name) != count:
            raise _errors.InvalidInput(
                name,
                f"an array of shape {np.shape(x)}",
                f"give {count} rows, as many as {next(iter(many))} has",
            )

    def row(x: Any, k: int) -> Any:
        return None if x is None else x[k]

    return [
        (
            row(dq, k),
            row(dv, k),
            row(dcontrols, k),
            {name: x[k] for name, x in (dparameters or {}).items()},
        )
        for k in range(count)
    ], False


def _loss_gradient(
    model: Model, trajectory: Trajectory, loss: Loss
) -> tuple[float, npt.ArrayLike | None, npt.ArrayLike | None]:
    """The value of a loss and its gradients, that by positions by tangent vectors."""
    found = loss(trajectory.q, trajectory.v)
    if not isinstance(found, tuple) or len(found) != 3:
        raise TypeError(
            f"loss: it returned {type(found).__name__}; let it return (value, by_q, by_v)"
        )
    value, by_q, by_v = found
    if by_q is None or model.nq == model.nv:
        return float(value), by_q, by_v
    rows = np.asarray(by_q, dtype=float)
    if rows.shape == trajectory.q.shape:
        rows = np.stack([position_maps(model, q)[1].T @ row for q, row in zip(trajectory.q, rows)])
    return float(value), rows, by_v
