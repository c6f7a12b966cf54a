// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/inner_point.hpp"

#include <limits>

#include "narrow/point_distance.hpp"

namespace tactum {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of a point in an ellipsoid with semi axes a_i, by the S-lemma: any mu <= min a_i^2 proves that the ball of radius R about p is inside,
///     R^2 = mu - sum_i p_i^2 mu / (a_i^2 - mu),
/// and the best one is mu = R |D n|, n the normal at the nearest point of the surface. What is swept around the core is not in it.
double bound_in_ellipsoid(const CoreShape& core, const Vector3& p, const Vector3& n, double lower) {
  const Vector3 squares = core.size.cwiseAbs2();
  const double mu =
      std::min((core.rounding - lower) * core.size.cwiseProduct(n).norm(), (1.0 - 4.0 * kEpsilon) * squares.minCoeff());
  if (!(mu > 0.0)) return kInfinity;
  const double square = mu - mu * p.cwiseAbs2().cwiseQuotient((squares.array() - mu).matrix()).sum();
  return square > 0.0 ? core.rounding - std::sqrt(square) : kInfinity;
}

/// Upper bound of the signed distance of a point from a core that it should leave along n.
double upper_distance_of(const CoreShape& core, const Vector3& point, const Vector3& n, double lower) {
  using Kind = CoreShape::Kind;
  switch (core.kind) {
    case Kind::box: return point_box(core.size, point).distance;
    case Kind::cylinder: return point_cylinder(core.size.x(), core.size.y(), point).distance;
    case Kind::cone: return point_cone(core.size.x(), core.size.y(), point).distance;
    case Kind::ellipsoid: return bound_in_ellipsoid(core, point, n, lower);
    default: return kInfinity;
  }
}

}  // namespace

double upper_bound_by_points(const CorePair& pair, const Optimum& optimum) {
  const Matrix3& R = pair.X_AB().rotation;
  const Vector3 point_a_B = R.transpose() * (optimum.point_a - pair.X_AB().translation);
  const double of_b = upper_distance_of(pair.a(), optimum.point_b, optimum.normal, optimum.lower);
  const double of_a = upper_distance_of(pair.b(), point_a_B, R.transpose() * optimum.normal, optimum.lower);
  return std::min(of_a, of_b) + 16.0 * kEpsilon * pair.scale();
}

}  // namespace tactum
