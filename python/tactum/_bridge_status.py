# SPDX-License-Identifier: BSD-2-Clause
"""Statuses of many rows in an array of another framework."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Status
from ._errors import InvalidInput


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
        return self.codes == self._number(other)

    def __ne__(self, other: object) -> Any:
        return self.codes != self._number(other)

    def _number(self, other: Any) -> Any:
        if isinstance(other, Statuses):
            return other.codes
        if isinstance(other, Status):
            return int(other)
        if isinstance(other, str):
            names = {str(value): int(value) for value in Status}
            if other not in names:
                known = " ".join(f"'{name}'" for name in names)
                raise InvalidInput("status", repr(other)[:80], f"give one of {known}")
            return names[other]
        return other

    def __getitem__(self, key: Any) -> Statuses:
        return Statuses(self.codes[key], None if self.smooth is None else self.smooth[key])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.codes).astype(np.uint8 if dtype is None else dtype)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Statuses({self.codes!r})"
