# SPDX-License-Identifier: BSD-2-Clause
"""How PyTorch asks a query of the bridges and differentiates its values: by backward and forward
mode and under the transformations of torch.func. Parts that other operations of tactum.torch share
are here too. Needs PyTorch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import torch

from ._bridge import Input


def values_of(query: Any, given: Mapping[Input, torch.Tensor]) -> Any:
    """What the query answers, in the precision of what is given, and gradients behind it."""
    lead = query.lead([tensor.shape for tensor in given.values()])
    # as many leading axes everywhere: then a further one, of vmap, is the first of all
    same = [
        t.reshape((1,) * (len(lead) + i.num_axes - t.ndim) + t.shape)
        if t.ndim < len(lead) + i.num_axes
        else t
        for i, t in given.items()
    ]
    wanted = tuple(k for k, t in enumerate(same) if is_wanted(t))
    transformed = any(_is_transformed(t) for t in same)
    output = (_Transformed if transformed else _Plain).apply(query, wanted, *same)
    if any(t.dtype == torch.float64 for t in same):
        return output
    return tuple(x.float() if x.dtype == torch.float64 else x for x in output)


def is_wanted(tensor: torch.Tensor) -> bool:
    """Whether somebody may differentiate by it."""
    return (torch.is_grad_enabled() and tensor.requires_grad) or _is_transformed(tensor)


def _is_wrapped(tensors: Iterable[torch.Tensor]) -> bool:
    """Whether torch.func transforms one of them."""
    return any(torch._C._functorch.is_functorch_wrapped_tensor(t) for t in tensors)


def _is_transformed(tensor: torch.Tensor) -> bool:
    """Whether torch.func, or forward mode, may differentiate by it."""
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return True
    return torch.autograd.forward_ad.unpack_dual(tensor).tangent is not None


class _Plain(torch.autograd.Function):
    """Values of a query. The gradients of the first of them, the distance, by the tensors wanted are
    kept for backward mode; what else is needed then is computed when somebody differentiates it."""

    @staticmethod
    def forward(ctx: Any, query: Any, wanted: tuple[int, ...], *tensors: torch.Tensor) -> Any:
        answer, gradients = query.solve(arrays_of(tensors), wanted)
        output = tuple(torch.from_numpy(x) for x in answer if x is not None)
        ctx.query, ctx.wanted = query, wanted
        ctx.gradients = [torch.from_numpy(x) for x in gradients]
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(*output[len(query.values) :])
        ctx.save_for_backward(*tensors)
        return output

    @staticmethod
    def backward(ctx: Any, *upstream: Any) -> Any:
        return _backward(ctx.query, ctx.wanted, ctx.saved_tensors, ctx.gradients, upstream)


class _Transformed(torch.autograd.Function):
    """What _Plain does, for forward mode and in the form that torch.func transforms: the gradients
    are outputs too. PyTorch takes longer to call it."""

    @staticmethod
    def forward(query: Any, wanted: tuple[int, ...], *tensors: torch.Tensor) -> Any:
        answer, gradients = query.solve(arrays_of(tensors), wanted)
        return tuple(torch.from_numpy(x) for x in (*answer, *gradients) if x is not None)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        query, wanted, *tensors = inputs
        gradients = output[len(output) - len(wanted) :]
        ctx.query, ctx.wanted, ctx.num_outputs_given = query, wanted, len(output)
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(*output[len(query.values) :])
        ctx.save_for_backward(*tensors, *gradients)
        ctx.save_for_forward(*tensors, *gradients)

    @staticmethod
    def backward(ctx: Any, *upstream: Any) -> Any:
        return _backward(ctx.query, ctx.wanted, *_saved(ctx), upstream)

    @staticmethod
    def jvp(ctx: Any, _query: Any, _wanted: Any, *tangents: Any) -> Any:
        return _forward_mode(ctx, tangents)

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, query: Any, wanted: tuple[int, ...], *tensors: torch.Tensor
    ) -> Any:
        output = _Transformed.apply(query, wanted, *with_first_axis(tensors, in_dims[2:]))
        return output, (0,) * len(output)


def _saved(ctx: Any) -> tuple[Any, Any]:
    """Tensors given, and gradients of the distance."""
    saved, count = ctx.saved_tensors, len(ctx.query.inputs)
    return saved[:count], saved[count:]


def _backward(query: Any, wanted: Any, tensors: Any, gradients: Any, upstream: Any) -> Any:
    first = upstream[0]
    used = [k for k in range(1, len(query.values)) if upstream[k] is not None]
    products: Any = ()
    if used:
        names = tuple(query.values[k] for k in used)
        rest = torch.cat([upstream[k] for k in used], dim=-1)
        transformed = _is_wrapped((rest, *tensors))
        apply = _TransformedProduct.apply if transformed else _product
        products = apply(query, wanted, names, rest, *tensors)
    # a derivative that is differentiated again must not pass for a constant
    once = torch.is_grad_enabled() or any(_is_transformed(t) for t in tensors)
    result: list[Any] = [None] * (2 + len(tensors))
    for n, k in enumerate(wanted):
        total = None
        if first is not None:
            own = gradients[n]
            total = first.reshape(first.shape + (1,) * (own.ndim - first.ndim)) * own
        if used:
            total = products[n] if total is None else total + products[n]
        if total is None:
            continue
        if total.shape != tensors[k].shape:
            total = total.sum_to_size(tensors[k].shape)
        total = total.to(tensors[k].dtype)
        result[2 + k] = Once.apply(total, *tensors) if once else total
    return tuple(result)


def _forward_mode(ctx: Any, tangents: Any) -> Any:
    tensors, gradients = _saved(ctx)
    names = ctx.query.values[1:]
    jacobians = _Jacobians.apply(ctx.query, ctx.wanted, names, *tensors) if names else ()
    first: Any = torch.zeros((), dtype=torch.float64)
    rest: Any = torch.zeros((), dtype=torch.float64)
    for n, k in enumerate(ctx.wanted):
        if tangents[k] is None:
            continue
        i = ctx.query.inputs[k]
        size = math.prod(i.core(tangents[k].shape))
        motion = tangents[k].to(torch.float64).reshape((*i.lead(tangents[k].shape), size, 1))
        own = gradients[n].reshape((*i.lead(gradients[n].shape), 1, size))
        first = first + (own @ motion)[..., 0, 0]
        if names:
            J = jacobians[n].reshape((*i.lead(jacobians[n].shape), size))
            rest = rest + (J @ motion).squeeze(-1)
    parts = [rest[..., k : k + 3] for k in range(0, 3 * len(names), 3)]
    moved = [Once.apply(part, *tensors) for part in (first, *parts)]
    return (*moved, *[None] * (ctx.num_outputs_given - len(moved)))


class _Jacobians(torch.autograd.Function):
    """Jacobians of values by the tensors wanted, which themselves have no derivative."""

    @staticmethod
    def forward(
        query: Any, wanted: tuple[int, ...], names: tuple[str, ...], *tensors: torch.Tensor
    ) -> Any:
        jacobians = query.jacobians(arrays_of(tensors), wanted, names)
        return tuple(torch.from_numpy(J) for J in jacobians)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.num_outputs_given = len(output)
        ctx.mark_non_differentiable(*output)

    @staticmethod
    def backward(ctx: Any, *gradient: Any) -> Any:
        return (None,) * len(ctx.needs_input_grad)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return (None,) * ctx.num_outputs_given

    @staticmethod
    def vmap(info: Any, in_dims: Any, query: Any, wanted: Any, names: Any, *tensors: Any) -> Any:
        first = with_first_axis(tensors, in_dims[3:])
        output = _Jacobians.apply(query, wanted, names, *first)
        return output, (0,) * len(output)


class _TransformedProduct(torch.autograd.Function):
    """Rows times the Jacobians of values by the tensors wanted, without a derivative: what uses it
    takes care of that."""

    @staticmethod
    def forward(
        query: Any, wanted: Any, names: Any, rows: torch.Tensor, *tensors: torch.Tensor
    ) -> Any:
        return _product(query, wanted, names, rows, *tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.num_outputs_given = len(output)
        ctx.mark_non_differentiable(*output)

    @staticmethod
    def backward(ctx: Any, *gradient: Any) -> Any:
        return (None,) * len(ctx.needs_input_grad)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return (None,) * ctx.num_outputs_given

    @staticmethod
    def vmap(info: Any, in_dims: Any, query: Any, wanted: Any, names: Any, *tensors: Any) -> Any:
        first = with_first_axis(tensors, in_dims[3:])
        output = _TransformedProduct.apply(query, wanted, names, *first)
        return output, (0,) * len(output)


def _product(query: Any, wanted: Any, names: Any, rows: Any, *tensors: Any) -> Any:
    products = query.pull_back(arrays_of(tensors), wanted, names, arrays_of((rows,))[0])
    return tuple(torch.from_numpy(x) for x in products)


def arrays_of(tensors: tuple[torch.Tensor, ...]) -> list[Any]:
    return [
        (t if t.dtype == torch.float64 else t.to(torch.float64)).detach().numpy() for t in tensors
    ]


def with_first_axis(tensors: Any, in_dims: Any) -> list[torch.Tensor]:
    """Tensors whose first axis is the one that vmap adds."""
    return [t[None] if dim is None else t.movedim(dim, 0) for t, dim in zip(tensors, in_dims)]


class Once(torch.autograd.Function):
    """A derivative, which itself has none: not zero, but an error."""

    generate_vmap_rule = True

    @staticmethod
    def forward(derivative: torch.Tensor, *tensors: torch.Tensor) -> torch.Tensor:
        return derivative.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Nothing is kept."""

    @staticmethod
    def backward(ctx: Any, *gradient: Any) -> Any:
        raise NotImplementedError(_SECOND)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        raise NotImplementedError(_SECOND)


_SECOND = "tactum.torch: distances, forces and steps can be differentiated once; second derivatives are not available"
