# SPDX-License-Identifier: BSD-2-Clause
"""Poses from named parts, so that no order of a quaternion has to be remembered."""

from __future__ import annotations

from typing import Any, TypeAlias, Union

import numpy as np
import numpy.typing as npt

from ._call_errors import explained
from ._core import pose_matrix, quat_xyzw_from_wxyz
from ._errors import InvalidInput

#: What every query takes as a pose: (4, 4), (7,), a (3,) translation, None, a pair (R, t), or an
#: object with a matrix, such as pinocchio.SE3.
PoseLike: TypeAlias = Union[npt.ArrayLike, tuple[npt.ArrayLike, npt.ArrayLike], None]  # noqa: UP007


@explained
def pose(
    xyz: npt.ArrayLike = (0.0, 0.0, 0.0),
    *,
    quat_wxyz: npt.ArrayLike | None = None,
    quat_xyzw: npt.ArrayLike | None = None,
    rotation: Any = None,
    rotation_vector: npt.ArrayLike | None = None,
) -> npt.NDArray[np.float64]:
    """The (4, 4) pose of a translation and a rotation that is given in one way.

    xyz: (3,) in metres. quat_wxyz, quat_xyzw: (4,) unit quaternions, in the order of their name.
    rotation: a (3, 3) matrix, or an object with as_matrix(), such as SciPy's Rotation.
    rotation_vector: (3,), axis times angle in rad. Without any of them the axes are those of the
    world.
    """
    given = {
        "quat_wxyz": quat_wxyz,
        "quat_xyzw": quat_xyzw,
        "rotation": rotation,
        "rotation_vector": rotation_vector,
    }
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise InvalidInput("pose", " and ".join(named), "give the rotation in one way")
    t = np.asarray(xyz, dtype=float)
    if t.shape != (3,):
        raise InvalidInput("xyz", f"an array of shape {t.shape}", "give three real numbers")
    if rotation_vector is not None:
        from .se3 import exp

        w = np.asarray(rotation_vector, dtype=float)
        if w.shape != (3,):
            raise InvalidInput(
                "rotation_vector", f"an array of shape {w.shape}", "give three real numbers"
            )
        X = exp(np.concatenate([np.zeros(3), w]))
        X[:3, 3] = t
        return X
    if quat_wxyz is not None:
        quat_xyzw = quat_xyzw_from_wxyz(quat_wxyz)
    if quat_xyzw is not None:
        q = np.asarray(quat_xyzw, dtype=float)
        if q.shape != (4,):
            raise InvalidInput(named[0], f"an array of shape {q.shape}", "give four real numbers")
        length = float(np.linalg.norm(q))
        if not abs(length - 1.0) <= 1e-6:
            raise InvalidInput(named[0], f"norm {length:g}", "give a unit quaternion")
        return np.array(pose_matrix(np.concatenate([t, q])))
    R = np.eye(3) if rotation is None else rotation
    return np.array(pose_matrix((R.as_matrix() if hasattr(R, "as_matrix") else R, t)))
