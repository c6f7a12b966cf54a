// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/box_box.hpp"

#include <Eigen/Geometry>

namespace tactum {

std::optional<BoxAxis> box_box_axis(const Vector3& half_a, const Vector3& half_b, const Pose& X_AB) {
  const Matrix3& R = X_AB.rotation;
  const Vector3& t = X_AB.translation;
  BoxAxis best{Vector3::UnitX(), -std::numeric_limits<double>::infinity()};
  // n is a unit vector: separation along it, turned so that it points from A to B
  const auto offer = [&](const Vector3& n, double handicap) {
    const double along = n.dot(t);
    const double separation = std::abs(along) - half_a.dot(n.cwiseAbs()) - half_b.dot((R.transpose() * n).cwiseAbs());
    if (separation > best.separation + handicap) best = {along < 0.0 ? Vector3(-n) : n, separation};
  };
  for (int i = 0; i < 3; ++i) {
    offer(Vector3::Unit(i), 0.0);
    offer(R.col(i), 0.0);
  }
  if (best.separation > 0.0) return std::nullopt;
  // the cross product of almost parallel edges is a poor direction: it must beat the faces by more than rounding
  const double rounding = 2.0 * std::numeric_limits<double>::epsilon() * (t.norm() + half_a.norm() + half_b.norm());
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Vector3 axis = Vector3::Unit(i).cross(R.col(j));
      const double length = axis.norm();
      if (length > 1e-14) offer(axis / length, rounding);
    }
  }
  if (best.separation > 0.0) return std::nullopt;
  return best;
}

}  // namespace tactum
