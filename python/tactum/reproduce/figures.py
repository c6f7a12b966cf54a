# SPDX-License-Identifier: BSD-2-Clause
"""Curves and bars in the form of the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .measure import Samples, quantity_name

COLORS = {"gjk": "#1f4e8c", "polyak": "#2e8b57", "nesterov": "#b4560e", "auto": "#23303f"}
LABELS = {
    "gjk": "GJK",
    "polyak": "Polyak",
    "nesterov": "Nesterov",
    "polyak_normalized": "Polyak, normalized",
    "nesterov_normalized": "Nesterov, normalized",
    "frank_wolfe": "Frank-Wolfe",
    "nesmino": "NESMINO",
    "proxqp": "ProxQP",
    "auto": "auto, whole query",
}


def color(method: str) -> str:
    """One for each family of methods."""
    return COLORS.get(method.removeprefix("coal ").removesuffix("_normalized"), "#8a5fa8")


def label(method: str) -> str:
    """The name that the legend shows."""
    name = method.removeprefix("coal ")
    return f"{LABELS.get(name, name)}{', coal' if method != name else ''}"


def tidy(axes: Any, title: str, x: str, y: str) -> None:
    """Words and a light grid."""
    axes.set_title(title, fontsize=10.5)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(True, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def draw_by_distance(
    axes: Any,
    samples: Samples,
    query: str,
    methods: Sequence[str],
    quantity: str,
    title: str,
    unit: str = "",
    scale: float = 1.0,
) -> None:
    """Mean against signed distance with the standard deviation as a band: the form of Figs. 7, 9
    and 10."""
    distances = sorted({d for _, _, d in samples})
    places = np.arange(len(distances))
    for method in methods:
        own = [samples.get((query, method, d)) for d in distances]
        if any(values is None for values in own):
            continue
        columns = [scale * values[quantity] for values in own if values is not None]
        mean, deviation = (np.array([f(column) for column in columns]) for f in (np.mean, np.std))
        theirs = method.startswith("coal ")
        axes.plot(
            places,
            mean,
            ls="--" if theirs else "-",
            marker="" if theirs else "o",
            ms=3.5,
            color=color(method),
            label=label(method),
        )
        if not theirs:
            axes.fill_between(
                places, mean - deviation, mean + deviation, color=color(method), alpha=0.12, lw=0
            )
    axes.set_xticks(places, [f"{d:g}" for d in distances], rotation=45, fontsize=8)
    axes.set_ylim(bottom=0)
    tidy(
        axes, title, "signed distance [m]", quantity_name(quantity) + (f" [{unit}]" if unit else "")
    )


def draw_boxes(axes: Any, columns: Sequence[tuple[str, Any]], title: str, y: str) -> None:
    """A box for each method: quartiles, whiskers at 5 and 95 %, the mean as a diamond: the form
    of Figs. 8 and 11."""
    drawn = axes.boxplot(
        [values for _, values in columns],
        whis=(5, 95),
        showfliers=False,
        showmeans=True,
        patch_artist=True,
        widths=0.6,
    )
    for box, mean, (method, _) in zip(drawn["boxes"], drawn["means"], columns, strict=True):
        box.set(
            facecolor=color(method),
            alpha=0.45,
            hatch="//" if method.endswith("_normalized") else None,
        )
        mean.set(marker="D", markersize=4, markerfacecolor="white", markeredgecolor="#23303f")
    for line in drawn["medians"]:
        line.set(color="#23303f")
    axes.set_xticks(
        range(1, len(columns) + 1),
        [label(method).replace(", ", "\n") for method, _ in columns],
        fontsize=8,
    )
    tidy(axes, title, "", y)


def draw_bars(
    axes: Any,
    groups: Sequence[str],
    columns: Sequence[tuple[str, Sequence[float], Sequence[tuple[float, float]]]],
    title: str,
    y: str,
) -> None:
    """Groups of bars, one bar a method, with the published mean and deviation on each where
    there is one: the form for tables."""
    width = 0.85 / max(len(columns), 1)
    for place, (method, heights, published) in enumerate(columns):
        at = np.arange(len(groups)) + width * (place - 0.5 * (len(columns) - 1))
        axes.bar(at, heights, 0.9 * width, color=color(method), alpha=0.75, label=label(method))
        if published:
            mean, deviation = np.array(published, dtype=float).T
            # a deviation as large as the mean would leave a logarithmic axis
            bars = [np.minimum(deviation, 0.9 * mean), deviation]
            name = "published" if place == 0 else None
            axes.errorbar(
                at,
                mean,
                yerr=bars,
                fmt="_",
                ms=9,
                mew=1.5,
                color="black",
                lw=1,
                capsize=2,
                label=name,
            )
    axes.set_xticks(range(len(groups)), list(groups), fontsize=8)
    tidy(axes, title, "", y)
