# SPDX-License-Identifier: BSD-2-Clause
"""Distances of tensors that live on a GPU: tactum.torch where nothing leaves the device.

The poses given become rotations and translations by operations of PyTorch, which it differentiates
itself; from there to distance, normal and points leads one call of tactum.gpu.distances, whose
Jacobians by the motions [v; w] of the shapes are carried on to these. A motion moves a pose by
dR = R [w], dt = R v, so that a gradient J by [v; w] is (R [J_w] / 2, R J_v) by (R, t).
"""

from __future__ import annotations

import contextlib
import functools
import math
from typing import Any

import torch

from . import gpu
from ._bridge import VALUES, Geometry, Input, Settings
from ._bridge_pose import ROTATION_TOLERANCE
from ._core import Compound, Exact, Mesh, Shape, Status
from ._errors import InvalidInput
from ._torch_query import Once, is_wanted

Given = dict[Input, torch.Tensor]
NUM_OUTPUTS = 10  #: distance, normal, point_a, point_b
_HOST = "give tensor.cpu(): the CPU has it"


# -------------------------------------------------------------------------------------------- poses
def _hat(v: torch.Tensor) -> torch.Tensor:
    """(..., 3) vectors as matrices of the cross product."""
    zero = torch.zeros_like(v[..., 0])
    rows = (zero, -v[..., 2], v[..., 1], v[..., 2], zero, -v[..., 0], -v[..., 1], v[..., 0], zero)
    return torch.stack(rows, dim=-1).reshape((*v.shape[:-1], 3, 3))


def _from_xyz_xyzw(numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    q = numbers[..., 3:]
    unit = q / torch.sqrt((q * q).sum(dim=-1, keepdim=True))
    K, w = _hat(unit[..., :3]), unit[..., 3, None, None]
    eye = torch.eye(3, dtype=numbers.dtype, device=numbers.device)
    return eye + 2.0 * (w * K + K @ K), numbers[..., :3]


def _from_matrices(X: torch.Tensor, field: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The nearest rotation is taken, and differentiated as if the matrix were it."""
    R = X[..., :3, :3]
    eye = torch.eye(4, dtype=X.dtype, device=X.device)
    off = (R.mT @ R - eye[:3, :3]).abs().amax() + (X[..., 3, :] - eye[3]).abs().amax()
    bad = (torch.linalg.det(R) < 0.0).any() | ~(off <= ROTATION_TOLERANCE)
    if _concrete(bad):
        remedy = "give a rotation, a translation and a last row 0, 0, 0, 1"
        raise InvalidInput(field, "a matrix that is no pose", remedy)
    U, _, Vh = torch.linalg.svd(R.detach())
    return R + (U @ Vh - R).detach(), X[..., :3, 3]


def _concrete(flag: torch.Tensor) -> bool:
    """Its truth; false inside of torch.func transforms, where it has none."""
    if torch._C._functorch.is_functorch_wrapped_tensor(flag):
        return False
    return bool(flag)


def _exponential(tangent: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """exp([v; w]); by series where the quotients cancel, so that its derivative holds at zero."""
    v, w = tangent[..., :3], tangent[..., 3:]
    s = (w * w).sum(dim=-1)[..., None, None]
    small = s < 1e-4
    squared = torch.where(small, torch.ones_like(s), s)
    a = torch.sqrt(squared)
    c1 = torch.where(small, 1 / 2 - s / 24 + s**2 / 720, (1.0 - torch.cos(a)) / squared)
    c2 = torch.where(small, 1 / 6 - s / 120 + s**2 / 5040, (a - torch.sin(a)) / (a * squared))
    K = _hat(w)
    eye = torch.eye(3, dtype=tangent.dtype, device=tangent.device)
    left = eye + c1 * K + c2 * (K @ K)
    return eye + (1.0 - c2 * s) * K + c1 * (K @ K), (left @ v[..., None])[..., 0]


def _pose(side: str, given: Given) -> tuple[torch.Tensor, torch.Tensor]:
    """Rotation and translation of a side."""
    numbers = {i.kind: t.to(torch.float64) for i, t in given.items() if i.side == side}
    if "xyz_xyzw" in numbers:
        R, t = _from_xyz_xyzw(numbers["xyz_xyzw"])
    else:
        R, t = _from_matrices(numbers["matrix"], f"X_W{side.upper()}")
    if "tangent" not in numbers:
        return R, t
    turn, shift = _exponential(numbers["tangent"])
    return R @ turn, t + (R @ shift[..., None])[..., 0]


def _quaternion(R: torch.Tensor) -> torch.Tensor:
    """(N, 4) x, y, z, w of rotations (N, 3, 3): the largest of four forms, which does not cancel
    (Shepperd 1978)."""
    m = R.reshape((-1, 9)).unbind(dim=-1)
    trace = m[0] + m[4] + m[8]
    squared = torch.stack([1 + 2 * d - trace for d in (m[0], m[4], m[8])] + [1 + trace], dim=-1)
    xy, xz, yz = m[1] + m[3], m[2] + m[6], m[5] + m[7]
    wx, wy, wz = m[7] - m[5], m[2] - m[6], m[3] - m[1]
    rows = (
        (squared[:, 0], xy, xz, wx),
        (xy, squared[:, 1], yz, wy),
        (xz, yz, squared[:, 2], wz),
        (wx, wy, wz, squared[:, 3]),
    )
    forms = torch.stack([torch.stack(row, dim=-1) for row in rows], dim=1)
    best = squared.argmax(dim=1)[:, None, None].expand((-1, 1, 4))
    chosen = forms.gather(1, best)[:, 0]
    return chosen / torch.linalg.vector_norm(chosen, dim=1, keepdim=True)


# ------------------------------------------------------------------------------------------- shapes
@functools.lru_cache(maxsize=16)
def _table(shapes: tuple[Geometry, ...], device: int) -> gpu.ShapeTable:
    there = torch.cuda.device(device) if torch.cuda.is_available() else contextlib.nullcontext()
    with there:
        return gpu.ShapeTable(list(shapes))  # type: ignore[arg-type]


def _shapes_of(value: Any, field: str) -> tuple[tuple[Geometry, ...], Any]:
    """All shapes of a side, and the index of each row or None."""
    shapes, index = ((value,), None) if isinstance(value, Geometry) else (tuple(value[0]), value[1])
    for shape in shapes:
        if isinstance(shape, Mesh) or not isinstance(shape, (Shape, Compound)):
            raise InvalidInput(field, f"a {type(shape).__name__} for tensors on the GPU", _HOST)
    return shapes, index


def _index(index: Any, field: str, count: int, device: torch.device) -> torch.Tensor | None:
    if index is None:
        return None
    numbers = torch.as_tensor(index, device=device)
    if numbers.ndim != 1 or numbers.dtype.is_floating_point or numbers.dtype == torch.bool:
        raise InvalidInput(
            f"{field}.index",
            f"{numbers.dtype} of shape {tuple(numbers.shape)}",
            "give a one-dimensional integer array",
        )
    if numbers.numel() and bool((numbers.amin() < 0) | (numbers.amax() >= count)):
        raise InvalidInput(
            f"{field}.index", "a number out of range", f"the table has {count} shapes"
        )
    return numbers.to(torch.int32)


class Pairs:
    """The constant part of a query: shapes in one table of the device, which each row has."""

    def __init__(self, a: Any, b: Any, device: torch.device, settings: Settings) -> None:
        shapes_a, index_a = _shapes_of(a, "a")
        shapes_b, index_b = _shapes_of(b, "b")
        number = 0 if device.index is None else device.index
        self.table = _table(shapes_a + shapes_b, number)
        self.index_a = _index(index_a, "a", len(shapes_a), device)
        self.index_b = _index(index_b, "b", len(shapes_b), device)
        self.first_b = len(shapes_a)
        self.tolerance = settings.tolerance

    def lead(self, *shapes: Any) -> tuple[int, ...]:
        """Leading axes of the answer."""
        of_index = [tuple(i.shape) for i in (self.index_a, self.index_b) if i is not None]
        try:
            return tuple(torch.broadcast_shapes(*shapes, *of_index))
        except RuntimeError:
            text = ", ".join(str(tuple(shape)) for shape in (*shapes, *of_index))
            raise InvalidInput(
                "leading axes", text, "give axes that broadcast, as many as an index has"
            ) from None

    def solve(
        self, X_WA: torch.Tensor, X_WB: torch.Tensor, lead: tuple[int, ...], differentiate: bool
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Values (N, 10), Jacobians (N, 10, 12), or (N, 10, 0), and status (N,)."""
        size = math.prod(lead)
        names = ["status", *VALUES]
        names += [f"{name}_jacobian" for name in VALUES] if differentiate else []
        sides = []
        for index, first in ((self.index_a, 0), (self.index_b, self.first_b)):
            places = (
                torch.zeros((), dtype=torch.int32, device=X_WA.device) if index is None else index
            )
            sides.append((self.table, (places + first).expand(lead).reshape(size).contiguous()))
        r = gpu.distances(
            sides[0],
            X_WA,
            sides[1],
            X_WB,
            fields=names,
            tolerance=self.tolerance,
            finish_on_cpu=True,
        )
        status = r.status.as_subclass(torch.Tensor)
        bad = status == int(Status.invalid_input)
        if bool(bad.any()):
            row = int(torch.nonzero(bad)[0])
            raise InvalidInput(
                f"X_WA[{row}], X_WB[{row}]",
                "numbers that are no poses, or two half-spaces",
                "give finite numbers, and at most one half-space",
            )
        values = torch.cat([r.distance[:, None], r.normal, r.point_a, r.point_b], dim=1)
        if not differentiate:
            return values, values.new_empty((size, NUM_OUTPUTS, 0)), status
        blocks = [r.distance_jacobian[:, None], r.normal_jacobian]
        J = torch.cat([*blocks, r.point_a_jacobian, r.point_b_jacobian], dim=1)
        return values, J, status


# ----------------------------------------------------------------------------------------- autograd
class _Ask(torch.autograd.Function):
    """Values (..., 10), Jacobians (..., 10, 12) and status of rotations (..., 3, 3) and translations
    (..., 3), all with the same leading axes."""

    @staticmethod
    def forward(pairs: Pairs, differentiate: bool, *poses: torch.Tensor) -> Any:
        lead = poses[1].shape[:-1]
        size = math.prod(lead)
        rows = [
            torch.cat([t.reshape((size, 3)), _quaternion(R.reshape((size, 3, 3)))], dim=1)
            for R, t in (poses[:2], poses[2:])
        ]
        values, J, status = pairs.solve(rows[0], rows[1], tuple(lead), differentiate)
        shaped = J.reshape((*lead, NUM_OUTPUTS, J.shape[-1]))
        return values.reshape((*lead, NUM_OUTPUTS)), shaped, status.reshape(lead)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(*inputs[2:], output[1])
        ctx.save_for_forward(*inputs[2:], output[1])

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor, *_unused: Any) -> Any:
        *poses, J = ctx.saved_tensors
        by_motion = (gradient.unsqueeze(-2) @ J).squeeze(-2)
        result = []
        for k in (0, 1):
            R, own = poses[2 * k], by_motion[..., 6 * k : 6 * k + 6]
            by_R, by_t = 0.5 * (R @ _hat(own[..., 3:])), (R @ own[..., :3, None])[..., 0]
            result += [Once.apply(by_R, *poses), Once.apply(by_t, *poses)]
        return None, None, *result

    @staticmethod
    def jvp(ctx: Any, _pairs: Any, _differentiate: Any, *changes: Any) -> Any:
        *poses, J = ctx.saved_tensors
        total = torch.zeros_like(J[..., 0])
        for k in (0, 1):
            R, dR, dt = poses[2 * k], changes[2 * k], changes[2 * k + 1]
            if dt is not None:
                v = (R.mT @ dt[..., None])[..., 0]
                total = total + (J[..., 6 * k : 6 * k + 3] @ v[..., None])[..., 0]
            if dR is not None:
                W = R.mT @ dR
                turn = (W[..., 2, 1], W[..., 0, 2], W[..., 1, 0])
                back = (W[..., 1, 2], W[..., 2, 0], W[..., 0, 1])
                w = 0.5 * (torch.stack(turn, dim=-1) - torch.stack(back, dim=-1))
                total = total + (J[..., 6 * k + 3 : 6 * k + 6] @ w[..., None])[..., 0]
        return Once.apply(total, *poses), None, None

    @staticmethod
    def vmap(
        info: Any, in_dims: Any, pairs: Pairs, differentiate: bool, *poses: torch.Tensor
    ) -> Any:
        size = info.batch_size
        first = [
            t.expand((size, *t.shape)) if dim is None else t.movedim(dim, 0)
            for t, dim in zip(poses, in_dims[2:])
        ]
        return _Ask.apply(pairs, differentiate, *first), (0, 0, 0)


def ask(
    a: Any, b: Any, given: Given, settings: Settings, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Values (..., 10) and status (...) of a query whose tensors are on that device."""
    if settings.smooth:
        raise InvalidInput("smooth", "True for tensors on the GPU", _HOST)
    if not isinstance(settings.estimator, Exact):
        name = type(settings.estimator).__name__
        raise InvalidInput("estimator", f"{name}() for tensors on the GPU", _HOST)
    if settings.cutoff != math.inf:
        raise InvalidInput("cutoff", f"{settings.cutoff} for tensors on the GPU", _HOST)
    for i, tensor in given.items():
        if i.kind not in ("xyz_xyzw", "matrix", "tangent"):
            raise InvalidInput(i.field, "sizes on the GPU", _HOST)
        if tensor.device not in (device, torch.device("cpu")):
            raise InvalidInput(i.field, f"a tensor on {tensor.device}", f"give it on {device}")
    pairs = Pairs(a, b, device, settings)
    poses = [*_pose("a", given), *_pose("b", given)]
    lead = pairs.lead(poses[1].shape[:-1], poses[3].shape[:-1])
    cores = ((3, 3), (3,), (3, 3), (3,))
    same = [t.expand((*lead, *core)) for t, core in zip(poses, cores)]
    differentiate = any(is_wanted(t) for t in same)
    values, _, status = _Ask.apply(pairs, differentiate, *same)
    return values, status
