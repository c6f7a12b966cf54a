# SPDX-License-Identifier: BSD-2-Clause
"""contact_patch_parameter_derivative: how a contact patch moves with the sizes of both shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import _core
from ._pose import PoseLike

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContactPatchParameterDerivative:
    """Answer of contact_patch_parameter_derivative().

    value: the ContactPatch of K points. names_a, names_b: the sizes of both shapes, "radius",
    "half_extents[1]", "vertices[7][2]", "margin"; the n columns of the Jacobians are those of A, then
    those of B. normal_jacobian: (3, n), world. points_a_jacobian, points_b_jacobian: (K, 3, n).
    distances_jacobian: (K, n). smooth: whether all of it exists and is unique; it is false where a
    vertex of a face with more than three corners would fold a face that matters.
    """

    value: _core.ContactPatch
    names_a: tuple[str, ...]
    names_b: tuple[str, ...]
    normal_jacobian: FloatArray
    points_a_jacobian: FloatArray
    points_b_jacobian: FloatArray
    distances_jacobian: FloatArray
    smooth: bool

    def __repr__(self) -> str:
        sizes = len(self.names_a) + len(self.names_b)
        return f"ContactPatchParameterDerivative(points={len(self.value)}, sizes={sizes}, smooth={self.smooth})"


ContactPatchParameterDerivative.__init__.__doc__ = (
    "Made by contact_patch_parameter_derivative(): one value or array for each field."
)


def contact_patch_parameter_derivative(
    a: _core.Shape,
    X_WA: PoseLike,
    b: _core.Shape,
    X_WB: PoseLike,
    *,
    max_points: int = 8,
    cutoff: float = float("inf"),
    max_angle: float = 0.05,
    value: _core.Distance | None = None,
) -> ContactPatchParameterDerivative:
    """How the points, distances and normal of a contact patch move when either shape changes its sizes.

    a, b: convex shapes. The other arguments are those of contact_patch_derivative(). A size of 0 can
    only grow: its derivative is one-sided. Raises InvalidInput (a ValueError) on bad values, TypeError
    on objects of the wrong type.
    """
    patch, names_a, names_b, normal, points_a, points_b, distances, smooth = (
        _core.contact_patch_parameters(a, X_WA, b, X_WB, max_points, cutoff, max_angle, value)
    )
    return ContactPatchParameterDerivative(
        patch, names_a, names_b, normal[0], points_a, points_b, distances[:, 0], smooth
    )
