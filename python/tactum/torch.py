# SPDX-License-Identifier: BSD-2-Clause
"""Distances that PyTorch differentiates, by poses, by tangents, by the sizes of the shapes; and
contact forces, by their problem.

    >>> import torch, tactum, tactum.torch
    >>> ball, box = tactum.Sphere(radius=0.1), tactum.Box(half_extents=(0.2, 0.2, 0.2))
    >>> X_WA = torch.tensor([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], dtype=torch.float64, requires_grad=True)
    >>> radius = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    >>> r = tactum.torch.distance(ball, X_WA, box, torch.eye(4), parameters_a={"radius": radius})
    >>> r.distance.backward()
    >>> X_WA.grad[2].item(), radius.grad.item()
    (1.0, -1.0)
    >>> mu = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    >>> f = tactum.torch.solve(torch.eye(3), [3.0, 0.0, -1.0], mu).force
    >>> f[0].backward()
    >>> round(f[0].item(), 9), round(mu.grad.item(), 9)
    (-0.5, -1.0)

Needs the package torch (pip install tactum[torch]). Queries run on the CPU, in float64; float32
goes in and comes out as such. First derivatives, backward and forward mode, torch.func and vmap; a
second derivative raises. Distances of tensors on an NVIDIA GPU are computed there, where tactum was
built with its GPU part: with derivatives by poses and tangents, not by sizes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from . import _bridge, _bridge_solve, _bridge_step, gpu
from ._bridge import Estimator, Geometry, Query, Settings
from ._bridge_forms import pose_of
from ._bridge_points import PointQuery, points_input
from ._bridge_solve import ContactQuery, SolveSettings
from ._bridge_status import Statuses
from ._call_errors import explained
from ._core import Exact, ShapeTable
from ._errors import InvalidInput

try:
    import torch
    from torch.utils import _pytree

    from ._torch_query import Once, arrays_of, is_wanted, values_of, with_first_axis
except ImportError as error:
    raise ImportError("tactum.torch needs PyTorch: pip install tactum[torch]") from error

__all__ = [
    "ContactForces",
    "Distance",
    "NextState",
    "distance",
    "distances",
    "signed_distance",
    "solve",
    "step",
]

_EXACT = Exact()
# so that vmap and its like go through a whole answer
_pytree.register_pytree_node(Statuses, Statuses.flatten, lambda arrays, _: Statuses(*arrays))


class Distance(NamedTuple):
    """Answer of distance() and distances(), in the world frame; the first four are
    differentiable."""

    distance: torch.Tensor  #: (...) signed, in metres
    normal: torch.Tensor  #: (..., 3) unit, from A to B
    point_a: torch.Tensor  #: (..., 3) witness point on A, in metres
    point_b: torch.Tensor  #: (..., 3) witness point on B, in metres
    #: (...) compares with names and with values of tactum.Status; status.codes is the uint8 tensor
    status: Statuses

    @property
    def smooth(self) -> torch.Tensor | None:
        """(...) bool, whether the derivatives are unique, as in tactum.distances(); None unless
        smooth=True asked for it."""
        mask: torch.Tensor | None = self.status.smooth
        return mask


@explained
def distance(
    a: Geometry,
    X_WA: Any,
    b: Geometry,
    X_WB: Any,
    *,
    tangent_a: Any = None,
    tangent_b: Any = None,
    parameters_a: Mapping[str, Any] | None = None,
    parameters_b: Mapping[str, Any] | None = None,
    estimator: Estimator = _EXACT,
    tolerance: float = 1e-10,
    cutoff: float = math.inf,
    smooth: bool = False,
    num_threads: int = 0,
) -> Distance:
    """Signed distance, normal and witness points of a pair of shapes, compounds or meshes,
    differentiable by every tensor given.

    X_WA, X_WB: (7,) x y z qx qy qz qw, (4, 4), a pair (R, t), a (3,) translation, or None. The
    quaternion is normalized, a rotation made orthonormal, and the gradient is the one through that.
    tangent_a, tangent_b: (6,) numbers [v; w]; the pose is then X exp([v; w]).
    parameters_a, parameters_b: sizes to use in place of those of the shape, by the names of its
    constructor: radius, half_extents, semi_axes, half_length, offset, margin, or vertices (V, 3) of
    a Convex, which becomes the hull of them. All of these may have leading axes, which broadcast;
    the answer has them too.
    estimator: makes the derivative by poses and tangents, as in tactum.distance_derivative(); sizes
    are always exact.
    smooth: also say where derivatives are unique, to mask other rows; this computes the whole
    derivative, which otherwise waits until normal or witness points are differentiated.
    tolerance, cutoff, num_threads: as in tactum.distances(). Raises InvalidInput as that does, and
    for bad rows as well.
    """
    if not isinstance(a, Geometry) or not isinstance(b, Geometry):
        raise TypeError("a, b: give two shapes; tactum.torch.distances takes tables of them")
    settings = Settings(
        _bridge.checked_estimator(estimator), tolerance, cutoff, num_threads, smooth
    )
    return _ask(
        a,
        b,
        _inputs("a", a, X_WA, tangent_a, parameters_a),
        _inputs("b", b, X_WB, tangent_b, parameters_b),
        settings,
    )


@explained
def distances(
    a: Geometry | tuple[ShapeTable, Any],
    X_WA: Any,
    b: Geometry | tuple[ShapeTable, Any],
    X_WB: Any,
    *,
    tangent_a: Any = None,
    tangent_b: Any = None,
    parameters_a: Mapping[str, Any] | None = None,
    parameters_b: Mapping[str, Any] | None = None,
    estimator: Estimator = _EXACT,
    tolerance: float = 1e-10,
    cutoff: float = math.inf,
    smooth: bool = False,
    num_threads: int = 0,
) -> Distance:
    """N pairs on all cores: as distance(), with answers (N,) and (N, 3).

    a, b: a shape for all pairs, or a tuple (ShapeTable, index) with one index for each pair. Poses
    as for distance(), with a leading axis N or not, tangents (6,) or (N, 6); sizes as for distance(), for a shape
    alone, one for all pairs or with a leading axis N.
    """
    settings = Settings(
        _bridge.checked_estimator(estimator), tolerance, cutoff, num_threads, smooth
    )
    given = (
        _inputs("a", a, X_WA, tangent_a, parameters_a),
        _inputs("b", b, X_WB, tangent_b, parameters_b),
    )
    r = _ask(a, b, *given, settings)
    if r.distance.ndim > 1:
        raise InvalidInput(
            "leading axes",
            str(tuple(r.distance.shape)),
            "give N rows; tactum.torch.distance takes more axes",
        )
    if r.distance.ndim == 1:
        return r
    return Distance._make(value[None] for value in r)


@explained
def signed_distance(
    shape: Geometry, X: Any, points: Any, *, tangent: Any = None, num_threads: int = 0
) -> torch.Tensor:
    """Signed distances (...) of points (..., 3) in the world to the surface of a shape, compound or
    mesh, negative inside, differentiable by the points and by the pose.

    X: a pose, and tangent: (6,), as for distance(). All of these may have leading axes,
    which broadcast; each different pose is a call of tactum.signed_distance().
    """
    if not isinstance(shape, Geometry):
        raise TypeError(f"shape: got {type(shape).__name__}; give a tactum shape, Compound or Mesh")
    where = _tensor(points, "points")
    given = _inputs("", shape, X, tangent, None) | {points_input(where.shape): where}
    distance: torch.Tensor = values_of(PointQuery(shape, tuple(given), num_threads), given)[0]
    return distance


class ContactForces(NamedTuple):
    """Answer of solve(); force and velocity are differentiable."""

    force: torch.Tensor  #: (..., n)
    velocity: torch.Tensor  #: (..., n): (G + R) force + g
    residual: (
        torch.Tensor
    )  #: (...): of the model of the solver; above the tolerance where it did not converge


@explained
def solve(
    G: Any,
    g: Any,
    mu: Any,
    R: Any = None,
    *,
    kinds: Any = None,
    bounds: Any = None,
    solver: str = "ncp_admm",
    tolerance: float = 1e-8,
    max_iterations: int = 1000,
    over_relaxation: float = 1.0,
    regularization: float = 0.0,
    facets: int = 4,
    facet_angle: float = 0.0,
    polish: bool = True,
    num_threads: int = 0,
) -> ContactForces:
    """Contact forces, differentiable by G, g, mu and R: the derivative of
    tactum.solution_derivative().

    G: (..., n, n), symmetric and positive semidefinite; the gradient is that through its symmetric
    part. g: (..., n).
    mu: (..., blocks), one for each friction block, or one number. R: (..., n), one number, or None.
    Leading axes broadcast.
    kinds, bounds: of tactum.ContactProblem; the same for all problems, and constants. The rest as
    in tactum.solve() and solve_many(), but forces are polished unless that is turned off: the
    derivative is that of an exact solution. Where a force is not unique it is the one of least
    change; regularization > 0 makes it unique, and the derivative exact.
    """
    tensors = [_tensor(G, "G"), _tensor(g, "g")]
    for value, field in ((mu, "mu"), (0.0 if R is None else R, "R")):
        is_number = isinstance(value, (int, float))  # which has no precision of its own
        tensors.append(
            torch.tensor(float(value), dtype=tensors[1].dtype)
            if is_number
            else _tensor(value, field)
        )
    rows = tensors[1].shape[-1] if tensors[1].ndim else 0
    for k, size in ((2, _bridge_solve.friction_count(rows, kinds)), (3, rows)):
        tensors[k] = tensors[k].expand(size) if tensors[k].ndim == 0 else tensors[k]
    settings = SolveSettings(
        solver,
        tolerance,
        max_iterations,
        over_relaxation,
        regularization,
        facets,
        facet_angle,
        polish,
        num_threads,
    )
    query = _bridge_solve.make_query([t.shape for t in tensors], kinds, bounds, settings)
    lead = query.lead([t.shape for t in tensors])
    # as many leading axes everywhere, as for distances
    same = [
        t.reshape((1,) * (len(lead) + axes - t.ndim) + t.shape)
        for t, axes in zip(tensors, _bridge_solve.NUM_AXES)
    ]
    force, residual = _Solve.apply(query, any(is_wanted(t) for t in same), *same)[:2]
    dtype = torch.float64 if any(t.dtype == torch.float64 for t in same) else torch.float32
    matrix, free, _, compliance = (t.to(torch.float64) for t in same)
    velocity = (matrix @ force[..., None])[..., 0] + compliance * force + free
    return ContactForces(force.to(dtype), velocity.to(dtype), residual.to(dtype))


class NextState(NamedTuple):
    """Answer of step(); both are differentiable."""

    q: torch.Tensor  #: (..., nq)
    v: torch.Tensor  #: (..., nv)


@explained
def step(
    model: Any,
    q: Any,
    v: Any,
    tau: Any = None,
    dt: float = 1e-3,
    *,
    solver: str = "ncp_admm",
    options: Any = None,
) -> NextState:
    """One step of tactum.sim, differentiable by position, velocity and generalized forces: the
    derivative of tactum.sim.step_derivative(), through contacts that move.

    q: (..., nq), the quaternions in it are normalized; v: (..., nv); tau: (..., nv), or None.
    Leading axes broadcast. dt, solver, options: as in tactum.sim.step(), constants. A step begins
    without the contact forces of the one before, so that it depends on its arguments alone.
    """
    tensors = [_tensor(q, "q"), _tensor(v, "v")]
    tensors.append(torch.zeros_like(tensors[1]) if tau is None else _tensor(tau, "tau"))
    query = _bridge_step.make_query(model, [t.shape for t in tensors], dt, solver, options)
    lead = query.lead([t.shape for t in tensors])
    same = [t.reshape((1,) * (len(lead) + 1 - t.ndim) + t.shape) for t in tensors]
    values = _Step.apply(query, any(is_wanted(t) for t in same), *same)[0]
    dtype = torch.float64 if any(t.dtype == torch.float64 for t in same) else torch.float32
    values = values.to(dtype)
    return NextState(values[..., : query.nq], values[..., query.nq :])


# ------------------------------------------------------------------------------------------- inputs
Given = dict[_bridge.Input, torch.Tensor]


def _tensor(value: Any, field: str, on_gpu: bool = False) -> torch.Tensor:
    # numpy copies, because torch warns of arrays that are read-only, such as those of results
    tensor = (
        value
        if isinstance(value, torch.Tensor)
        else torch.as_tensor(_bridge.numbers_of(value, field))
    )
    if tensor.device.type != "cpu" and not (on_gpu and tensor.is_cuda and gpu.available()):
        raise InvalidInput(
            field, f"a tensor on {tensor.device}", "this query runs on the CPU: give tensor.cpu()"
        )
    if tensor.dtype not in (torch.float64, torch.float32):
        raise TypeError(f"{field}: got {tensor.dtype}; give float64, or float32")
    return tensor


def _constant(numbers: Any, like: torch.Tensor | None) -> torch.Tensor:
    if like is None:  # exact in single precision, which leaves the type of the answer to others
        return torch.as_tensor(numbers, dtype=torch.float32)
    return torch.as_tensor(numbers, dtype=like.dtype, device=like.device)


def _pose(X: Any, field: str) -> torch.Tensor:
    tensor: torch.Tensor = pose_of(X, field, partial(_tensor, on_gpu=True), _constant)
    return tensor


def _inputs(
    side: str, shape: Any, X: Any, tangent: Any, parameters: Mapping[str, Any] | None
) -> Given:
    pose = _pose(X, _bridge.pose_field(side))
    given = {_bridge.pose_input(side, pose.shape): pose}
    if tangent is not None:
        numbers = _tensor(tangent, _bridge.tangent_field(side), on_gpu=True)
        given[_bridge.tangent_input(side, numbers.shape)] = numbers
    for name, value in (parameters or {}).items():
        numbers = _tensor(value, f"parameters_{side}[{name!r}]", on_gpu=True)
        given[_bridge.parameter_input(side, shape, name, numbers.shape)] = numbers
    return given


def _ask_on_gpu(a: Any, b: Any, given: Given, settings: Settings, device: torch.device) -> Distance:
    from . import _torch_gpu  # few programs use it

    if settings.smooth:
        raise InvalidInput(
            "smooth", "True", "a GPU does not say where derivatives are unique: give tensor.cpu()"
        )
    there = {i: t.to(device) if t.device.type == "cpu" else t for i, t in given.items()}
    values, status = _torch_gpu.ask(a, b, there, settings, device)
    single = not any(t.dtype == torch.float64 for t in given.values())
    x = values.float() if single else values
    return Distance(x[..., 0], x[..., 1:4], x[..., 4:7], x[..., 7:10], Statuses(status))


def _ask(a: Any, b: Any, given_a: Given, given_b: Given, settings: Settings) -> Distance:
    given = given_a | given_b
    device = next((t.device for t in given.values() if t.is_cuda), None)
    if device is not None:
        return _ask_on_gpu(a, b, given, settings, device)
    query = Query(_bridge.make_side(a, "a"), _bridge.make_side(b, "b"), tuple(given), settings)
    values = values_of(query, given)
    status = Statuses(*values[4 : 6 if settings.smooth else 5])
    return Distance._make([*values[:4], status])


# ----------------------------------------------------------------------------------------- autograd
class _Solve(torch.autograd.Function):
    """Forces, residuals, and the matrices of the derivative of the forces, which are kept for
    either direction."""

    @staticmethod
    def forward(query: ContactQuery, differentiate: bool, *tensors: torch.Tensor) -> Any:
        arrays = arrays_of(tensors)
        if tensors[0].dtype == torch.float32:
            arrays[0] = _bridge_solve.semidefinite(arrays[0])
        return tuple(torch.from_numpy(x) for x in query.solve(arrays, differentiate))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.query, _, *tensors = inputs
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(*tensors, *output)
        ctx.save_for_forward(*tensors, *output)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor, *unused: Any) -> Any:
        tensors, answer = ctx.saved_tensors[:4], ctx.saved_tensors[4:]
        eye = torch.eye(ctx.query.rows, dtype=torch.float64)
        every = _bridge_solve.gradient(ctx.query, answer, gradient, eye)
        own = (
            Once.apply(d.sum_to_size(t.shape).to(t.dtype), *tensors) for d, t in zip(every, tensors)
        )
        return None, None, *(d if need else None for d, need in zip(own, ctx.needs_input_grad[2:]))

    @staticmethod
    def jvp(ctx: Any, _query: Any, _differentiate: Any, *motions: Any) -> Any:
        tensors, answer = ctx.saved_tensors[:4], ctx.saved_tensors[4:]
        own = [None if motion is None else motion.to(torch.float64) for motion in motions]
        return (
            Once.apply(_bridge_solve.change(ctx.query, answer, own), *tensors),
            *(None for _ in answer[1:]),
        )

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, query: ContactQuery, differentiate: bool, *tensors: torch.Tensor
    ) -> Any:
        output = _Solve.apply(query, differentiate, *with_first_axis(tensors, in_dims[2:]))
        return output, (0,) * len(output)


class _Step(torch.autograd.Function):
    """Next states (..., nq + nv) and their Jacobian by (q, v, tau), which is kept for either
    direction."""

    @staticmethod
    def forward(query: _bridge_step.StepQuery, differentiate: bool, *tensors: torch.Tensor) -> Any:
        arrays = [t.detach().to(torch.float64).numpy() for t in tensors]
        return tuple(torch.from_numpy(x) for x in query.solve(arrays, differentiate))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.query, _, *tensors = inputs
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(*tensors, *output[1:])
        ctx.save_for_forward(*tensors, *output[1:])

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor, *unused: Any) -> Any:
        *tensors, J = ctx.saved_tensors
        every = torch.split((gradient.unsqueeze(-2) @ J).squeeze(-2), ctx.query.parts, dim=-1)
        return (
            None,
            None,
            *(
                Once.apply(d.sum_to_size(t.shape).to(t.dtype), *tensors)
                for d, t in zip(every, tensors)
            ),
        )

    @staticmethod
    def jvp(ctx: Any, _query: Any, _differentiate: Any, *motions: Any) -> Any:
        *tensors, J = ctx.saved_tensors
        columns = torch.split(J, ctx.query.parts, dim=-1)
        total = torch.zeros((), dtype=torch.float64)
        for motion, own in zip(motions, columns):
            if motion is not None:
                total = total + (own @ motion.to(torch.float64).unsqueeze(-1)).squeeze(-1)
        return Once.apply(total, *tensors), None

    @staticmethod
    def vmap(
        info: Any,
        in_dims: Any,
        query: _bridge_step.StepQuery,
        differentiate: bool,
        *tensors: torch.Tensor,
    ) -> Any:
        first = [
            t[None] if dim is None else t.movedim(dim, 0) for t, dim in zip(tensors, in_dims[2:])
        ]
        output = _Step.apply(query, differentiate, *first)
        return output, (0,) * len(output)
