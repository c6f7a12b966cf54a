# SPDX-License-Identifier: BSD-2-Clause
"""Distances that JAX differentiates, by poses, by tangents, by the sizes of the shapes; and contact
forces, by their problem.

    >>> import jax, jax.numpy as jnp, tactum, tactum.jax
    >>> ball, box = tactum.Sphere(radius=0.1), tactum.Box(half_extents=(0.2, 0.2, 0.2))
    >>> def gap(z, radius):
    ...     X_WA = jnp.array([0.0, 0.0, z, 0.0, 0.0, 0.0, 1.0])
    ...     return tactum.jax.distance(ball, X_WA, box, jnp.eye(4), parameters_a={"radius": radius}).distance
    >>> dz, dr = jax.jit(jax.grad(gap, argnums=(0, 1)))(1.0, 0.1)
    >>> float(dz), float(dr)
    (1.0, -1.0)
    >>> pull = lambda mu: tactum.jax.solve(jnp.eye(3), jnp.array([3.0, 0.0, -1.0]), mu).force[0]
    >>> round(float(jax.grad(pull)(0.5)), 5)
    -1.0

Needs the package jax (pip install tactum[jax]). Queries run on the host, in float64; float32, which
is what JAX has unless jax_enable_x64 is set, goes in and comes out as such. First derivatives in
both modes, jit and vmap; a second derivative raises. Where arrays live on a GPU and tactum was built
with its GPU part, distances are computed there; JAX hands the arrays over through the host, which
tactum.gpu.distances does not need.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from . import _bridge, _bridge_solve, _bridge_step, gpu
from ._bridge import VALUES, Estimator, Geometry, Query, Settings
from ._bridge_forms import pose_of
from ._bridge_points import PointQuery, points_input
from ._bridge_solve import ContactQuery, SolveSettings
from ._bridge_status import Statuses
from ._call_errors import explained
from ._core import Exact, ShapeTable
from ._errors import InvalidInput

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError("tactum.jax needs JAX: pip install tactum[jax]") from error

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
jax.tree_util.register_pytree_node(Statuses, Statuses.flatten, lambda _, arrays: Statuses(*arrays))


class Distance(NamedTuple):
    """Answer of distance() and distances(), in the world frame; the first four are
    differentiable."""

    distance: jax.Array  #: (...) signed, in metres
    normal: jax.Array  #: (..., 3) unit, from A to B
    point_a: jax.Array  #: (..., 3) witness point on A, in metres
    point_b: jax.Array  #: (..., 3) witness point on B, in metres
    #: (...) compares with names and with values of tactum.Status; status.codes is the uint8 array
    status: Statuses

    @property
    def smooth(self) -> jax.Array | None:
        """(...) bool, whether the derivatives are unique, as in tactum.distances(); None unless
        smooth=True asked for it."""
        mask: jax.Array | None = self.status.smooth
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
    differentiable by every array given.

    X_WA, X_WB: (7,) x y z qx qy qz qw, (4, 4), a pair (R, t), a (3,) translation, or None. The
    quaternion is normalized, a rotation made orthonormal, and the gradient is the one through that.
    tangent_a, tangent_b: (6,) numbers [v; w]; the pose is then X exp([v; w]).
    parameters_a, parameters_b: sizes to use in place of those of the shape, by the names of its
    constructor: radius, half_extents, semi_axes, half_length, offset, margin, or vertices (V, 3) of
    a Convex, which becomes the hull of them. All of these may have leading axes, which broadcast;
    the answer has them too. Shapes and settings are constants of a traced function.
    estimator: makes the derivative by poses and tangents, as in tactum.distance_derivative(); sizes
    are always exact.
    smooth: also say where derivatives are unique, to mask other rows; this computes the whole
    derivative, which jit otherwise leaves out unless normal or witness points are differentiated.
    tolerance, cutoff, num_threads: as in tactum.distances(). Raises InvalidInput as that does, and
    for bad rows as well; under jit JAX wraps what the query raises.
    """
    if not isinstance(a, Geometry) or not isinstance(b, Geometry):
        raise TypeError("a, b: give two shapes; tactum.jax.distances takes tables of them")
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

    a, b: a shape for all pairs, or a tuple (ShapeTable, index) with a numpy array of one index for
    each pair. Poses as for distance(), with a leading axis N or not, tangents (6,) or (N, 6); sizes
    as for distance(), for a shape alone, one for all pairs or with a leading axis N.
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
            "give N rows; tactum.jax.distance takes more axes",
        )
    if r.distance.ndim == 1:
        return r
    return Distance._make(value[None] for value in r)


@explained
def signed_distance(
    shape: Geometry, X: Any, points: Any, *, tangent: Any = None, num_threads: int = 0
) -> jax.Array:
    """Signed distances (...) of points (..., 3) in the world to the surface of a shape, compound or
    mesh, negative inside, differentiable by the points and by the pose.

    X: a pose, and tangent: (6,), as for distance(). All of these may have leading axes,
    which broadcast; each different pose is a call of tactum.signed_distance().
    """
    if not isinstance(shape, Geometry):
        raise TypeError(f"shape: got {type(shape).__name__}; give a tactum shape, Compound or Mesh")
    where = _array(points, "points")
    given = _inputs("", shape, X, tangent, None) | {points_input(where.shape): where}
    distance: jax.Array = _ask_all(PointQuery(shape, tuple(given), num_threads), given)[0]
    return distance


class ContactForces(NamedTuple):
    """Answer of solve(); force and velocity are differentiable."""

    force: jax.Array  #: (..., n)
    velocity: jax.Array  #: (..., n): (G + R) force + g
    residual: (
        jax.Array
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
    kinds, bounds: of tactum.ContactProblem; the same for all problems, and constants of a traced
    function. The rest as in tactum.solve() and solve_many(), but forces are polished unless that is
    turned off: the derivative is that of an exact solution. Where a force is not unique it is the
    one of least change; regularization > 0 makes it unique, and the derivative exact.
    """
    arrays = [
        _array(G, "G"),
        _array(g, "g"),
        _array(mu, "mu"),
        _array(0.0 if R is None else R, "R"),
    ]
    rows = arrays[1].shape[-1] if arrays[1].ndim else 0
    for k, size in ((2, _bridge_solve.friction_count(rows, kinds)), (3, rows)):
        arrays[k] = jnp.broadcast_to(arrays[k], (size,)) if arrays[k].ndim == 0 else arrays[k]
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
    query = _bridge_solve.make_query([x.shape for x in arrays], kinds, bounds, settings)
    lead = query.lead([x.shape for x in arrays])
    # as many leading axes everywhere, and one dtype, as for distances
    dtype = jnp.result_type(*arrays)
    same = [
        x.reshape((1,) * (len(lead) + axes - x.ndim) + x.shape).astype(dtype)
        for x, axes in zip(arrays, _bridge_solve.NUM_AXES)
    ]
    force, residual = _forces(query, tuple(same))
    matrix, free, _, compliance = same
    return ContactForces(
        force, (matrix @ force[..., None])[..., 0] + compliance * force + free, residual
    )


class NextState(NamedTuple):
    """Answer of step(); both are differentiable."""

    q: jax.Array  #: (..., nq)
    v: jax.Array  #: (..., nv)


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
    arrays = [_array(q, "q"), _array(v, "v")]
    arrays.append(jnp.zeros_like(arrays[1]) if tau is None else _array(tau, "tau"))
    query = _bridge_step.make_query(model, [x.shape for x in arrays], dt, solver, options)
    lead = query.lead([x.shape for x in arrays])
    dtype = jnp.result_type(*arrays)
    same = [x.reshape((1,) * (len(lead) + 1 - x.ndim) + x.shape).astype(dtype) for x in arrays]
    values = _states(query, tuple(same))
    return NextState(values[..., : query.nq], values[..., query.nq :])


# ------------------------------------------------------------------------------------------- inputs
Given = dict[_bridge.Input, Any]


def _array(value: Any, field: str) -> Any:
    try:
        array = jnp.asarray(value)
    except jax.errors.JAXTypeError:  # about a traced array
        raise
    except (TypeError, ValueError):
        raise TypeError(
            f"{field}: got {type(value).__name__}; give an array of real numbers"
        ) from None
    if not jnp.issubdtype(array.dtype, jnp.number) or jnp.issubdtype(
        array.dtype, jnp.complexfloating
    ):
        raise TypeError(f"{field}: got {array.dtype}; give real numbers")
    return array.astype(jnp.promote_types(array.dtype, jnp.float32))


def _constant(numbers: Any, like: Any) -> Any:
    # exact in single precision, which leaves the type of the answer to others
    return jnp.asarray(numbers, jnp.float32 if like is None else like.dtype)


def _inputs(
    side: str, shape: Any, X: Any, tangent: Any, parameters: Mapping[str, Any] | None
) -> Given:
    pose = pose_of(X, _bridge.pose_field(side), _array, _constant)
    given = {_bridge.pose_input(side, pose.shape): pose}
    if tangent is not None:
        numbers = _array(tangent, _bridge.tangent_field(side))
        given[_bridge.tangent_input(side, numbers.shape)] = numbers
    for name, value in (parameters or {}).items():
        numbers = _array(value, f"parameters_{side}[{name!r}]")
        given[_bridge.parameter_input(side, shape, name, numbers.shape)] = numbers
    return given


def _is_on_gpu(arrays: Iterable[Any]) -> bool:
    """Whether arrays live on a GPU that tactum can use. Inside of jit they live where JAX computes
    by default."""
    if not gpu.available():
        return False
    known = [x for x in arrays if not isinstance(x, jax.core.Tracer)]
    if not known:
        return bool(jax.default_backend() == "gpu")
    return any(device.platform == "gpu" for x in known for device in x.devices())


def _ask(a: Any, b: Any, given_a: Given, given_b: Given, settings: Settings) -> Distance:
    given = given_a | given_b
    settings = settings._replace(on_gpu=_is_on_gpu(given.values()))
    query = Query(_bridge.make_side(a, "a"), _bridge.make_side(b, "b"), tuple(given), settings)
    values = _ask_all(query, given)
    return Distance._make([*values[:4], Statuses(*values[4:])])


def _ask_all(query: Any, given: Given) -> Any:
    lead = query.lead([array.shape for array in given.values()])
    # as many leading axes everywhere, and one dtype: then a further axis, of vmap, is the first of
    # all
    dtype = jnp.result_type(*given.values())
    same = [
        x.reshape((1,) * (len(lead) + i.num_axes - x.ndim) + x.shape).astype(dtype)
        for i, x in given.items()
    ]
    return _values(query, tuple(same))


# ---------------------------------------------------------------------------------------- callbacks
def _on_host(query: Any, wanted: tuple[int, ...], *arrays: Any) -> tuple[Any, ...]:
    answer, gradients = query.solve([np.asarray(x, dtype=np.float64) for x in arrays], wanted)
    return tuple(_of_precision(x, arrays[0].dtype) for x in (*answer, *gradients) if x is not None)


def _jacobians_on_host(query: Any, wanted: tuple[int, ...], *arrays: Any) -> tuple[Any, ...]:
    doubles = [np.asarray(x, dtype=np.float64) for x in arrays]
    jacobians = query.jacobians(doubles, wanted, query.values[1:])
    return tuple(_of_precision(J, arrays[0].dtype) for J in jacobians)


def _of_precision(x: Any, dtype: Any) -> Any:
    return x.astype(dtype) if x.dtype == np.float64 else x


def _call(query: Any, wanted: tuple[int, ...], arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    """Values of the query, and the gradients of the distance by the inputs wanted."""
    lead, dtype = query.lead([x.shape for x in arrays]), arrays[0].dtype
    forms = [
        jax.ShapeDtypeStruct(lead if VALUES[name] == 1 else (*lead, VALUES[name]), dtype)
        for name in query.values
    ]
    if isinstance(query, Query):
        forms.append(jax.ShapeDtypeStruct(lead, np.uint8))
        if query.settings.smooth:
            forms.append(jax.ShapeDtypeStruct(lead, np.bool_))
    cores = (query.inputs[k].core(arrays[k].shape) for k in wanted)
    forms += [jax.ShapeDtypeStruct((*lead, *core), dtype) for core in cores]
    return _callback(partial(_on_host, query, wanted), tuple(forms), arrays)


def _call_jacobians(query: Any, wanted: tuple[int, ...], arrays: tuple[Any, ...]) -> Any:
    """Jacobians of the other values. jit leaves this call out where none of them is used."""
    lead = query.lead([x.shape for x in arrays])
    m = sum(VALUES[name] for name in query.values[1:])
    cores = (query.inputs[k].core(arrays[k].shape) for k in wanted)
    forms = tuple(jax.ShapeDtypeStruct((*lead, m, *core), arrays[0].dtype) for core in cores)
    return _callback(partial(_jacobians_on_host, query, wanted), forms, arrays)


def _callback(f: Any, forms: tuple[Any, ...], arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(jax.pure_callback(f, forms, *arrays, vmap_method="expand_dims"))


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _values(query: Any, arrays: tuple[Any, ...]) -> Any:
    return _call(query, (), arrays)


@partial(_values.defjvp, symbolic_zeros=True)
def _values_jvp(query: Any, primals: Any, tangents: Any) -> Any:
    """Values and Jacobians, the latter only by what is differentiated; backward mode is the
    transpose of this."""
    (arrays,), (motions,) = primals, tangents
    wanted = tuple(
        k
        for k, motion in enumerate(motions)
        if not isinstance(motion, jax.custom_derivatives.SymbolicZero)
    )
    output = _values_and_gradients(query, wanted, arrays)
    values, gradients = output[: len(output) - len(wanted)], output[len(output) - len(wanted) :]
    moved = {k: _with_one_axis(query.inputs[k], motions[k]) for k in wanted}
    shape = values[0].shape
    first = sum(
        jnp.einsum("...j,...j->...", gradients[n].reshape(*shape, moved[k].shape[-1]), moved[k])
        for n, k in enumerate(wanted)
    )
    changes = [first]
    if len(query.values) > 1:
        jacobians = _jacobians(query, wanted, arrays)
        m = jacobians[0].shape[len(shape)] if wanted else 0
        rest = sum(
            jnp.einsum(
                "...ij,...j->...i", jacobians[n].reshape(*shape, m, moved[k].shape[-1]), moved[k]
            )
            for n, k in enumerate(wanted)
        )
        changes += [rest[..., k : k + 3] for k in range(0, m, 3)]
    # numbers of a status and truth values do not move
    changes += [np.zeros(x.shape, jax.dtypes.float0) for x in values[len(query.values) :]]
    return tuple(values), tuple(changes)


def _with_one_axis(i: _bridge.Input, motion: Any) -> Any:
    """The numbers of one row along one axis."""
    return motion.reshape(*i.lead(motion.shape), math.prod(i.core(motion.shape)))


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _values_and_gradients(query: Any, wanted: tuple[int, ...], arrays: tuple[Any, ...]) -> Any:
    return _call(query, wanted, arrays)


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _jacobians(query: Any, wanted: tuple[int, ...], arrays: tuple[Any, ...]) -> Any:
    return _call_jacobians(query, wanted, arrays)


@_values_and_gradients.defjvp
@_jacobians.defjvp
def _second_jvp(query: Any, wanted: tuple[int, ...], primals: Any, tangents: Any) -> Any:
    raise NotImplementedError(
        "tactum.jax: a distance can be differentiated once; second derivatives are not available"
    )


# ----------------------------------------------------------------------------------- contact forces
def _solve_on_host(query: ContactQuery, differentiate: bool, *arrays: Any) -> tuple[Any, ...]:
    doubles = [np.asarray(x, dtype=np.float64) for x in arrays]
    if arrays[0].dtype != np.float64:
        doubles[0] = _bridge_solve.semidefinite(doubles[0])
    return tuple(x.astype(arrays[0].dtype) for x in query.solve(doubles, differentiate))


def _call_solve(
    query: ContactQuery, differentiate: bool, arrays: tuple[Any, ...]
) -> tuple[Any, ...]:
    lead = query.lead([x.shape for x in arrays])
    forms = tuple(
        jax.ShapeDtypeStruct((*lead, *core), arrays[0].dtype) for core in query.sizes(differentiate)
    )
    return tuple(
        jax.pure_callback(
            partial(_solve_on_host, query, differentiate), forms, *arrays, vmap_method="expand_dims"
        )
    )


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _forces(query: ContactQuery, arrays: tuple[Any, ...]) -> Any:
    return _call_solve(query, False, arrays)


@partial(_forces.defjvp, symbolic_zeros=True)
def _forces_jvp(query: ContactQuery, primals: Any, tangents: Any) -> Any:
    (arrays,), (motions,) = primals, tangents
    own = [
        None if isinstance(motion, jax.custom_derivatives.SymbolicZero) else motion
        for motion in motions
    ]
    answer = _forces_and_matrices(query, arrays)
    force, residual = answer[:2]
    total = _bridge_solve.change(query, answer, own)
    return (force, residual), (
        jnp.broadcast_to(total, force.shape).astype(force.dtype),
        jnp.zeros_like(residual),
    )


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _forces_and_matrices(query: ContactQuery, arrays: tuple[Any, ...]) -> Any:
    return _call_solve(query, True, arrays)


@_forces_and_matrices.defjvp
def _forces_and_matrices_jvp(query: ContactQuery, primals: Any, tangents: Any) -> Any:
    raise NotImplementedError(
        "tactum.jax: a force can be differentiated once; second derivatives are not available"
    )


# -------------------------------------------------------------------------------------------- steps
def _step_on_host(
    query: _bridge_step.StepQuery, differentiate: bool, *arrays: Any
) -> tuple[Any, ...]:
    doubles = [np.asarray(x, dtype=np.float64) for x in arrays]
    return tuple(x.astype(arrays[0].dtype) for x in query.solve(doubles, differentiate))


def _call_step(
    query: _bridge_step.StepQuery, differentiate: bool, arrays: tuple[Any, ...]
) -> tuple[Any, ...]:
    lead = query.lead([x.shape for x in arrays])
    forms = tuple(
        jax.ShapeDtypeStruct((*lead, *core), arrays[0].dtype) for core in query.sizes(differentiate)
    )
    return tuple(
        jax.pure_callback(
            partial(_step_on_host, query, differentiate), forms, *arrays, vmap_method="expand_dims"
        )
    )


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _states(query: _bridge_step.StepQuery, arrays: tuple[Any, ...]) -> Any:
    return _call_step(query, False, arrays)[0]


@partial(_states.defjvp, symbolic_zeros=True)
def _states_jvp(query: _bridge_step.StepQuery, primals: Any, tangents: Any) -> Any:
    (arrays,), (motions,) = primals, tangents
    values, J = _states_and_jacobian(query, arrays)
    total = jnp.zeros_like(values)
    begin = 0
    for motion, size in zip(motions, query.parts):
        if not isinstance(motion, jax.custom_derivatives.SymbolicZero):
            own = J[..., begin : begin + size]
            total = total + jnp.einsum("...ij,...j->...i", own, motion)
        begin += size
    return values, total


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _states_and_jacobian(query: _bridge_step.StepQuery, arrays: tuple[Any, ...]) -> Any:
    return _call_step(query, True, arrays)


@_states_and_jacobian.defjvp
def _states_and_jacobian_jvp(query: _bridge_step.StepQuery, primals: Any, tangents: Any) -> Any:
    raise NotImplementedError(
        "tactum.jax: a step can be differentiated once; second derivatives are not available"
    )
