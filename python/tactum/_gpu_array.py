# SPDX-License-Identifier: BSD-2-Clause
"""Arrays on a GPU, of whatever package: how tactum.gpu reads those it is given and makes its own."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._bridge_status import number_of
from ._core import pose_xyz_xyzw
from ._errors import InvalidInput


@dataclass(frozen=True)
class DeviceArray:
    """An array on a device, as the compiled part sees it."""

    address: int
    shape: tuple[int, ...]
    owner: Any


class Array:
    """Memory of the GPU for packages without arrays of their own that can be written.

    It has __dlpack__ and __cuda_array_interface__: jax.dlpack.from_dlpack, torch.from_dlpack,
    cupy.asarray and numba.cuda.as_cuda_array take it without a copy. numpy.asarray copies it to the
    host, and waits.
    """

    def __init__(self, module: Any, shape: tuple[int, ...], dtype: str) -> None:
        self._module = module
        self._memory = module.empty(list(shape), dtype)
        self.shape = shape
        self.dtype = np.dtype(dtype)

    def __dlpack__(self, **arguments: Any) -> Any:
        return self._memory.__dlpack__(**arguments)

    def __dlpack_device__(self) -> Any:
        return self._memory.__dlpack_device__()

    def _address(self) -> int:
        return int(self._module.describe(self._memory, True)[0])

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._address(), False),
            "strides": None,
            "version": 3,
            "stream": 1,  # the default one: work on another is ordered by whoever started it
        }

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        host = np.empty(self.shape, self.dtype)
        if host.size:
            self._module.to_host(self._address(), host, 0)
        return host if dtype is None else host.astype(dtype)

    def __eq__(self, other: object) -> Any:
        raise TypeError(
            "Array: it has no arithmetic; numpy.asarray(x) copies it to the host, and other packages "
            "take it by DLPack"
        )

    __ne__ = __eq__
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.dtype.name}, {self.shape}, on the GPU)"


class StatusArray(Array):
    """Numbers of tactum.Status in memory of the GPU. Compared with a name or a value of Status they
    are copied to the host and give a mask there; a name that does not exist raises InvalidInput."""

    def __eq__(self, other: object) -> Any:
        return np.asarray(self) == number_of(other)

    def __ne__(self, other: object) -> Any:
        return np.asarray(self) != number_of(other)

    __hash__ = None


# -------------------------------------------------------------------------------------------- input
def _is_contiguous(shape: tuple[int, ...], strides: Any, size: int) -> bool:
    if strides is None:
        return True
    step = size
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length > 1 and stride != step:
            return False
        step *= length
    return True


def _described_interface(value: Any, device: int) -> Any:
    """What the compiled part would say of an array that has only __cuda_array_interface__."""
    interface = getattr(value, "__cuda_array_interface__", None)
    if not isinstance(interface, Mapping):
        return None
    dtype = np.dtype(interface["typestr"])
    shape = tuple(interface["shape"])
    contiguous = _is_contiguous(shape, interface.get("strides"), dtype.itemsize)
    # the interface does not say which device; the address is looked at when the kernel runs
    return interface["data"][0], shape, dtype.name, device, contiguous, value


def read_array(
    module: Any, value: Any, field: str, dtype: str, device: int, writable: bool = False
) -> DeviceArray:
    """An array on the device, of that type and without gaps; else an error that names the field."""
    if isinstance(value, Array):
        value = value._memory
    found = module.describe(value, writable)
    if found is None:
        found = _described_interface(value, device)
    if found is None:
        raise TypeError(
            f"{field}: got {type(value).__name__}; give an array on the GPU that has __dlpack__ or "
            "__cuda_array_interface__"
        )
    address, shape, name, on_device, contiguous, owner = found
    if on_device < 0:
        raise InvalidInput(field, "an array in the memory of the host", "copy it to the GPU first")
    if on_device != device:
        raise InvalidInput(
            field, f"an array on device {on_device}", f"give one on device {device}, as the table"
        )
    if name != dtype:
        raise InvalidInput(field, f"numbers of type {name}", f"give {dtype}")
    if not contiguous:
        raise InvalidInput(
            field, "an array whose numbers do not follow each other", "make it contiguous"
        )
    return DeviceArray(address, tuple(shape), owner)


def is_host_pose(value: Any) -> bool:
    """Whether a pose was given as numbers of the host."""
    return isinstance(value, (np.ndarray, tuple, list))


def read_poses(module: Any, value: Any, field: str, device: int) -> tuple[DeviceArray, bool]:
    """Addresses of the poses, and whether there is one for all."""
    if is_host_pose(value):
        try:
            numbers = np.array([float(number) for number in pose_xyz_xyzw(value)])
        except InvalidInput as error:
            remedy = "give one pose, or an array (N, 7) on the GPU"
            raise InvalidInput(field, error.value, remedy) from error
        value = module.to_device(numbers)
    poses = read_array(module, value, field, "float64", device)
    if poses.shape == (7,):
        return poses, True
    if len(poses.shape) != 2 or poses.shape[1] != 7:
        raise InvalidInput(
            field, f"shape {poses.shape}", "give (N, 7) or (7,): x, y, z, qx, qy, qz, qw"
        )
    return poses, False


# ------------------------------------------------------------------------------------------- output
def _package(value: Any) -> str:
    return type(value).__module__.split(".")[0]


def statuses(column: Any) -> Any:
    """The same memory as an array that compares with names of tactum.Status. CuPy's own arrays raise
    when they are compared with text, and arrays of the caller that are not tensors stay as they are."""
    if _package(column) == "torch":
        from ._torch_status import StatusTensor

        return column.as_subclass(StatusTensor)
    return column


def empty(module: Any, like: Any, shape: tuple[int, ...], dtype: str, status: bool = False) -> Any:
    """An array of the package of `like`, not filled. status: it is for numbers of tactum.Status."""
    if _package(like) == "torch":
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, dtype), device=like.device)
    if _package(like) == "cupy":
        return sys.modules["cupy"].empty(shape, dtype=dtype)
    return (StatusArray if status else Array)(module, shape, dtype)


def stream_number(stream: Any, like: Any) -> int:
    """The stream as an address. None: the current one of the package that the poses came from."""
    if stream is None and _package(like) == "torch" and like.is_cuda:
        stream = sys.modules["torch"].cuda.current_stream(like.device)
    elif stream is None and _package(like) == "cupy":
        stream = sys.modules["cupy"].cuda.get_current_stream()
    if stream is None:
        return 0
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if isinstance(stream, int):
        return stream
    raise TypeError(
        f"stream: got {type(stream).__name__}; give a stream of PyTorch or CuPy, or its address"
    )
