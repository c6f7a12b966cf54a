// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/cap_finish.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Whether a flat cap faces along `u` (frame of the core, near the axis): not at the pointed end of a cone.
bool has_cap(const CoreShape& core, const Vector3& u) {
  return core.kind == Kind::cylinder || (core.kind == Kind::cone && u.z() < 0.0);
}

bool on_disc(const CoreShape& core, const Vector3& p, double rounding) {
  return std::hypot(p.x(), p.y()) <= core.size.x() + rounding;
}

/// Tries n = the axis direction nearest to the present normal; `cap_of_a` says whose cap it is.
bool try_cap(CorePair& pair, bool cap_of_a, Optimum& optimum) {
  const CoreShape& core = cap_of_a ? pair.a() : pair.b();
  const Matrix3& R = pair.X_AB().rotation;
  const Vector3 facing = cap_of_a ? optimum.normal : Vector3(-(R.transpose() * optimum.normal));
  if (!has_cap(core, facing) || std::abs(facing.z()) < 0.9) return false;
  const Vector3 axis = Vector3::UnitZ() * (facing.z() < 0.0 ? -1.0 : 1.0);
  const Vector3 n = cap_of_a ? axis : Vector3(-(R * axis));
  const MinkowskiPoint support = pair.support(n);
  const double lower = n.dot(support.w);
  const double rounding = 16.0 * kEpsilon * pair.scale();
  if (lower < optimum.lower - rounding) return false;

  // the support point of the other core and its foot on the disc
  Optimum found{n, lower, support.a, support.b(), 0.0};
  if (cap_of_a) {
    found.point_a = support.b() - lower * n;
  } else {
    found.point_b = support.a + lower * n;
  }
  const bool exact = on_disc(core, cap_of_a ? found.point_a : Vector3(inverse(pair.X_AB()) * found.point_b), rounding);
  if (exact) {
    optimum = found;
  } else if (lower > optimum.lower + rounding) {
    // an edge or a generator across the disc: the direction is better, its points are left to the caller
    optimum.residual = (optimum.point_b - optimum.point_a - lower * n).norm();
    optimum.normal = n;
    optimum.lower = lower;
  }
  return exact;
}

}  // namespace

bool cap_finish(CorePair& pair, Optimum& optimum) { return try_cap(pair, true, optimum) || try_cap(pair, false, optimum); }

}  // namespace tactum
