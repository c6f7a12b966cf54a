# SPDX-License-Identifier: BSD-2-Clause
"""Arrays of numbers of an enumeration that compare with names: `result.status == "touching"` is a
mask, and a name that does not exist raises instead of being different everywhere."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ._core import ContactKind, ContactMode, Status
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


class Modes(tuple[ContactMode, ...]):
    """Modes of contacts. Compared with a name they give a mask, with a tuple one answer."""

    __slots__ = ()
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> Any:
        if isinstance(other, str):
            return np.array([mode == other for mode in self], dtype=np.bool_)
        return tuple.__eq__(self, other)

    def __ne__(self, other: object) -> Any:
        if isinstance(other, str):
            return np.array([mode != other for mode in self], dtype=np.bool_)
        return tuple.__ne__(self, other)


class StatusArray(EnumArray):
    """Numbers of Status."""

    enumeration = Status
    field = "status"


class KindArray(EnumArray):
    """Numbers of ContactKind."""

    enumeration = ContactKind
    field = "kind"


def view(array: npt.NDArray[np.uint8], name: str) -> EnumArray:
    """The same memory as an array of that class."""
    return array.view({"StatusArray": StatusArray, "KindArray": KindArray}[name])
