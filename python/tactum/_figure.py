# SPDX-License-Identifier: BSD-2-Clause
"""A figure of matplotlib that needs no screen and that a notebook shows."""

from __future__ import annotations

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A Figure that IPython shows when it is the last value of a cell. It shows the figures of pyplot
    alone, and only once pyplot has been imported."""

    def _repr_png_(self) -> bytes:
        """The picture as a file in the format PNG."""
        file = io.BytesIO()
        self.savefig(file, format="png", bbox_inches="tight")
        return file.getvalue()


def new_figure(width: float, height: float) -> ShownFigure:
    """An empty white figure of that size in inches."""
    figure = ShownFigure(figsize=(width, height), dpi=110, facecolor="white")
    FigureCanvasAgg(figure)
    return figure
