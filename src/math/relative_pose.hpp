// SPDX-License-Identifier: BSD-2-Clause
// The pose of one frame in another, on plain numbers: what a pair of shapes depends on.
#pragma once

#include "math/double3.hpp"

namespace tactum {

/// The second frame in the first.
struct RelativePose {
  Double3 x, y, z;  ///< columns of the rotation
  Double3 center;   ///< origin of the second frame

  Double3 to_second(Double3 v) const { return {dot(x, v), dot(y, v), dot(z, v)}; }
  Double3 from_second(Double3 v) const { return v.x * x + v.y * y + v.z * z; }
};

/// R_A' R_B and R_A' (t_B - t_A): nothing depends on how far both are from the origin.
[[gnu::always_inline]] inline RelativePose relative_pose(const Pose& X_WA, const Pose& X_WB) {
  const auto turned = [&](Double3 v) { return transposed_product(X_WA.rotation, v); };
  return {turned(to_double3(X_WB.rotation.col(0))), turned(to_double3(X_WB.rotation.col(1))),
          turned(to_double3(X_WB.rotation.col(2))),
          turned(to_double3(X_WB.translation) - to_double3(X_WA.translation))};
}

/// X_AB: what relative_pose() returns, as a Pose.
inline Pose pose_in_frame(const Pose& X_WA, const Pose& X_WB) {
  const RelativePose relative = relative_pose(X_WA, X_WB);
  Pose X_AB;
  X_AB.rotation.col(0) = to_vector3(relative.x);
  X_AB.rotation.col(1) = to_vector3(relative.y);
  X_AB.rotation.col(2) = to_vector3(relative.z);
  X_AB.translation = to_vector3(relative.center);
  return X_AB;
}

}  // namespace tactum
