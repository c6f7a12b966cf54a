# SPDX-License-Identifier: BSD-2-Clause
"""Arrays of numbers of an enumeration that compare with names: `result.status == "touching"` is a
mask, and a name that does not exist raises instead of being different everywhere."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ._core import ContactKind, ContactPoseStatus, Status
from ._errors import InvalidInput


class EnumArray(np.ndarray[Any, np.dtype[np.uint8]]):
    """Numbers of an enumeration. Items are its values; what is computed from it is a plain
    array."""

    enumeration: ClassVar[Any]
    field: ClassVar[str]

    def _number(self, other: Any) -> Any:
        """The number of a name; numbers and arrays of them as they are."""
        if isinstance(other, str):
            names = {str(value): int(value) for value in self.enumeration}
            if other not in names:
                known = " ".join(f"'{name}'" for name in names)
                raise InvalidInput(self.field, repr(other)[:80], f"give one of {known}")
            return names[other]
        given = np.asarray(other)
        if given.dtype.kind in "US":
            return np.array([self._number(str(name)) for name in given.ravel()]).reshape(
                given.shape
            )
        return other

    def __eq__(self, other: object) -> Any:
        return np.asarray(self) == self._number(other)

    def __ne__(self, other: object) -> Any:
        return np.asarray(self) != self._number(other)

    __hash__ = None

    def __getitem__(self, key: Any) -> Any:
        item = super().__getitem__(key)
        return item if isinstance(item, np.ndarray) else self.enumeration(int(item))

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def __str__(self) -> str:
        return str(np.asarray(self))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        plain = [x.view(np.ndarray) if isinstance(x, EnumArray) else x for x in inputs]
        if "out" in kwargs:
            kwargs["out"] = tuple(
                x.view(np.ndarray) if isinstance(x, EnumArray) else x for x in kwargs["out"]
            )
        return getattr(ufunc, method)(*plain, **kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in _ASK_WHETHER_EQUAL:
            args = tuple(self._number(x) if _is_text(x) else x for x in args)
            kwargs = {name: self._number(x) if _is_text(x) else x for name, x in kwargs.items()}
        result = super().__array_function__(func, types, args, kwargs)
        joined = func is np.concatenate and all(type(x) is type(self) for x in args[0])
        return result.view(type(self)) if joined else result


_ASK_WHETHER_EQUAL = (np.isin, np.array_equal, np.array_equiv)


def _is_text(value: Any) -> bool:
    """Whether it is a name, or several."""
    return not isinstance(value, EnumArray) and np.asarray(value).dtype.kind in "US"


class Row(tuple[Any, ...]):
    """Values that compare with names. Beside one value or an array a row gives a mask, beside a
    tuple or a list one answer."""

    __slots__ = ()
    __hash__ = tuple.__hash__
    __array_ufunc__ = None  # an array on the left leaves the comparison to this class

    def __eq__(self, other: object) -> Any:
        if isinstance(other, (str, int)):
            return np.array([value == other for value in self], dtype=np.bool_)
        if isinstance(other, np.ndarray):
            return self._mask(other)
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> Any:
        if isinstance(other, (str, int, np.ndarray)):
            return np.logical_not(self == other)
        return tuple.__ne__(self, tuple(other) if isinstance(other, list) else other)

    def _mask(self, other: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        if other.shape != (len(self),):
            remedy = f"compare with an array of shape ({len(self)},)"
            raise InvalidInput("comparison", f"an array of shape {other.shape}", remedy)
        pairs = zip(self, other.tolist(), strict=True)
        return np.array([value == item for value, item in pairs], dtype=np.bool_)


class Modes(Row):
    """Modes of contacts."""

    __slots__ = ()


class StepStatuses(Row):
    """Statuses of steps."""

    __slots__ = ()


class Name(str):
    """One of a few names. It is that text, and comparing it with a text that is none of them raises
    instead of being False in silence."""

    __slots__ = ()
    __hash__ = str.__hash__
    names: ClassVar[tuple[str, ...]]
    field: ClassVar[str]

    def _check(self, other: object) -> None:
        if isinstance(other, str) and not isinstance(other, Name) and other not in self.names:
            known = " ".join(f"'{name}'" for name in self.names)
            raise InvalidInput(self.field, repr(other)[:80], f"give one of {known}")

    def __eq__(self, other: object) -> bool:
        self._check(other)
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        self._check(other)
        return str.__ne__(self, other)


class StepStatus(Name):
    """How a step of the simulator ended."""

    __slots__ = ()
    names = ("converged", "not_converged")
    field = "status"


class ModeName(Name):
    """What a contact of the simulator does."""

    __slots__ = ()
    names = ("breaking", "sticking", "sliding")
    field = "mode"


def step_statuses(numbers: list[int]) -> StepStatuses:
    """The statuses of these numbers."""
    return StepStatuses(STEP_STATUSES[number] for number in numbers)


def mode_names(numbers: list[int]) -> Modes:
    """The names of the modes of these numbers."""
    return Modes(_MODE_NAMES[number] for number in numbers)


STEP_STATUSES = tuple(StepStatus(name) for name in StepStatus.names)
_MODE_NAMES = tuple(ModeName(name) for name in ModeName.names)


class StatusArray(EnumArray):
    """Numbers of Status."""

    enumeration = Status
    field = "status"


class KindArray(EnumArray):
    """Numbers of ContactKind."""

    enumeration = ContactKind
    field = "kind"


class ContactPoseStatusArray(EnumArray):
    """Numbers of ContactPoseStatus."""

    enumeration = ContactPoseStatus
    field = "status"


_CLASSES = {kind.__name__: kind for kind in (StatusArray, KindArray, ContactPoseStatusArray)}


def view(array: npt.NDArray[np.uint8], name: str) -> EnumArray:
    """The same memory as an array of that class."""
    return array.view(_CLASSES[name])
