// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjk/side_refinement.hpp"

#include <cmath>

#include "narrow/gjk/newton_refinement.hpp"

namespace tactum {
namespace {

/// Outward unit normal of the straight side of a cylinder or a cone at the azimuth of u, both in
/// the frame of the core; zero where there is none.
Vector3 side_normal(const CoreShape& core, const Vector3& u) {
  const bool is_cone = core.kind == CoreShape::Kind::cone;
  const double radial = std::hypot(u.x(), u.y());
  if (!(is_cone || core.kind == CoreShape::Kind::cylinder) || !(radial > 0.0))
    return Vector3::Zero();
  // the side of a cone falls by its height, two half lengths, over its radius
  const double outward = is_cone ? 2.0 * core.size.y() : 1.0, up = is_cone ? core.size.x() : 0.0;
  return Vector3(outward * (u.x() / radial), outward * (u.y() / radial), up).normalized();
}

bool try_side(CorePair& pair, bool side_of_a, SeparationOptimum& optimum) {
  const Matrix3& R = pair.X_AB().rotation;
  const Vector3 side = side_of_a ? side_normal(pair.a(), optimum.normal)
                                 : side_normal(pair.b(), -(R.transpose() * optimum.normal));
  if (side.isZero()) return false;
  const Vector3 n = side_of_a ? side : Vector3(-(R * side));
  PiecePair pieces = pair.support(n).piece;
  Simplex ends;
  for (const std::int32_t end : {top, bottom_rim}) {
    pieces[side_of_a ? 0 : 1] = end;
    ends.weights[static_cast<std::size_t>(ends.size)] = 0.5;
    ends.push(pair.piece(pieces, n).point);
  }
  SeparationOptimum found = optimum;
  if (!refine_by_newton(pair, ends, n, found) || !(found.lower > optimum.lower)) return false;
  optimum = found;
  return true;
}

}  // namespace

bool refine_by_side(CorePair& pair, SeparationOptimum& optimum) {
  const bool by_a = try_side(pair, true, optimum);
  return try_side(pair, false, optimum) || by_a;
}

}  // namespace tactum
