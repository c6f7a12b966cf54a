# SPDX-License-Identifier: BSD-2-Clause
"""Statuses of many rows in an array of another framework."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Status
from ._errors import InvalidInput


def number_of(value: Any) -> Any:
    """What numbers of statuses are compared with: the number of a name or of a value of Status, and
    anything else as it is. A name that does not exist raises InvalidInput."""
    if isinstance(value, Statuses):
        return value.codes
    if isinstance(value, Status):
        return int(value)
    if isinstance(value, str):
        names = {str(each): int(each) for each in Status}
        if value not in names:
            known = " ".join(f"'{name}'" for name in names)
            raise InvalidInput("status", repr(value)[:80], f"give one of {known}")
        return names[value]
    return value


class Statuses:
    """Numbers of tactum.Status in an array of the framework. They compare with names and with values
    of Status, which gives a mask; an array of PyTorch or JAX alone would differ from any name.
    Beside them, where it was asked for, is the mask of rows whose derivative is unique."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, codes: Any, smooth: Any = None) -> None:
        self.codes = codes  #: (...) uint8
        self.smooth = smooth  #: (...) bool, or None

    def flatten(self) -> tuple[list[Any], None]:
        """The arrays, for the frameworks."""
        return [self.codes] if self.smooth is None else [self.codes, self.smooth], None

    def __eq__(self, other: object) -> Any:
        return self.codes == number_of(other)

    def __ne__(self, other: object) -> Any:
        return self.codes != number_of(other)

    def __getitem__(self, key: Any) -> Statuses:
        return Statuses(self.codes[key], None if self.smooth is None else self.smooth[key])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.codes).astype(np.uint8 if dtype is None else dtype)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Statuses({self.codes!r})"
