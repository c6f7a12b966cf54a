# SPDX-License-Identifier: BSD-2-Clause
"""The one exception of the library; the compiled part raises it too."""


class InvalidInput(ValueError):
    """Bad input to a constructor or a query, by field, value and remedy. Nothing has changed when
    it is raised.

    An object of the wrong sort altogether (text for a number, None for a shape) is a TypeError
    instead.
    """

    field: str  #: what was wrong, e.g. "Box.half_extents[1]"
    value: str  #: what was given, as text
    remedy: str  #: what to give instead

    def __init__(self, field: str, value: str, remedy: str) -> None:
        """Keep the three parts; the message reads "field: got value; remedy"."""
        super().__init__(field, value, remedy)
        self.field = field
        self.value = value
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.field}: got {self.value}; {self.remedy}"
