// SPDX-License-Identifier: BSD-2-Clause
// Bounding boxes of shapes, rounded outward: no point R p + t of a shape, exactly evaluated, lies
// outside.
//
// Error      rounding of a core along a row u of the rotation: products and sums of three round by
//            at most 1.5 eps of the sum of their magnitudes, norms by a little more; along an axis
//            of the shape itself (u has one entry, +1 or -1) nothing rounds. The sum with
//            translation and swept radius carries its own rounding along.
// Exact      where nothing rounds, the box of a shape in its own frame has the numbers of the
//            shape.
#include <cmath>
#include <limits>

#include "math/constants.hpp"
#include "math/epsilon.hpp"
#include "math/pose_check.hpp"
#include "shape/support/core_support.hpp"
#include "tactum/shape.hpp"

namespace tactum {
namespace {

constexpr double kDotError = 1.5 * kEpsilon, kNormError = 2.5 * kEpsilon;
using Kind = CoreShape::Kind;

/// Least and greatest value of u.x over a core, and a bound of their rounding errors.
struct Range {
  double low, high, error;
};

/// Range of u.x for a vector u of length one within 1e-6. `is_axis`: one entry is +1 or -1, the
/// others are zero.
Range core_range(const CoreShape& core, const Vector3& u, bool is_axis) {
  const auto around = [is_axis](double middle, double reach, double error) {
    return Range{middle - reach, middle + reach, is_axis ? 0.0 : error};
  };
  const auto magnitude = [&](const Vector3& v) { return u.cwiseAbs().dot(v.cwiseAbs()); };
  switch (core.kind) {
    case Kind::point: return around(u.dot(core.center), 0.0, kDotError * magnitude(core.center));
    case Kind::segment: {
      Range range = around(u.dot(core.center), std::abs(u.dot(core.size)),
                           2.0 * kEpsilon * magnitude(core.size));
      // the middle and the half difference of two given points have rounded as well
      if (!core.center.isZero(0.0))
        range.error += 2.5 * kEpsilon * (magnitude(core.center) + magnitude(core.size));
      return range;
    }
    case Kind::ellipsoid: {
      const double reach = core.size.cwiseProduct(u).norm();
      return around(0.0, reach, kNormError * reach);
    }
    case Kind::box: {
      const double reach = core.size.dot(u.cwiseAbs());
      return around(0.0, reach, kDotError * reach);
    }
    case Kind::cylinder: {
      const double reach = core.size.x() * std::hypot(u.x(), u.y()) +
                           core.size.y() * std::abs(u.z());
      return around(0.0, reach, kNormError * reach);
    }
    case Kind::cone: {
      const double rim = core.size.x() * std::hypot(u.x(), u.y());
      const double apex = core.size.y() * u.z();
      const double error = is_axis ? 0.0 : kNormError * (rim + std::abs(apex));
      return {std::min(apex, -rim - apex), std::max(apex, rim - apex), error};
    }
    case Kind::polytope: {
      int visited = 0;
      const int low = core.polytope->support_vertex(Vector3(-u), visited);
      const int high = core.polytope->support_vertex(u, visited);
      // another vertex may be farther by at most the rounding of both
      const double error = is_axis ? 0.0 : kDotError * core.bounding_radius;
      return {u.dot(core.polytope->vertex(low)), u.dot(core.polytope->vertex(high)), error};
    }
    case Kind::stp: {
      int visited = 0;
      const Double3 n = to_double3(u);
      const double low = dot(n, core_support(core, -n, visited).point),
                   high = dot(n, core_support(core, n, visited).point);
      return {low, high, core.support_error + 4.0 * kEpsilon * core.bounding_radius};
    }
    case Kind::half_space: break;
  }
  // the solid is bounded along u only where u is the normal or its opposite, to the last bit
  const Vector3& n = core.size;
  return {u == -n ? -core.offset : -kInfinity, u == n ? core.offset : kInfinity, 0.0};
}

/// The rounded sum a + b, and the error of rounding [Knuth].
struct ExactSum {
  double sum, rest;

  ExactSum(double a, double b) : sum(a + b) {
    const double of_b = sum - a;
    rest = (a - (sum - of_b)) + (b - of_b);
  }
};

/// A number at most (outward = -1) or at least (+1) a + b + c, an error included.
double outward_sum(double a, double b, double c, double error, double outward) {
  if (std::isinf(b)) return b;
  const ExactSum first(a, b), second(first.sum, c);
  const double rest = first.rest + second.rest;
  if (rest == 0.0 && error == 0.0) return second.sum;
  const double value = second.sum + (rest + outward * error);
  return value + outward * (kEpsilon * std::abs(value) + std::numeric_limits<double>::min());
}

/// The radius or offset of a shape without its margin.
double own_radius(const Shape& shape) {
  if (const auto* stp = std::get_if<Stp>(&shape.parameters())) return stp->small_radius();
  if (const auto* plane = std::get_if<HalfSpace>(&shape.parameters())) return plane->offset;
  if (const auto* capsule = std::get_if<Capsule>(&shape.parameters())) return capsule->radius;
  if (const auto* sphere = std::get_if<Sphere>(&shape.parameters())) return sphere->radius;
  const auto* ball = std::get_if<Ellipsoid>(&shape.parameters());
  return ball != nullptr && shape.core().kind == Kind::point ? ball->semi_axes.x() : 0.0;
}

}  // namespace

Aabb Shape::aabb(const Pose& X) const {
  const Pose pose = check_pose(X, "X").pose;
  const double swept = core_.kind == Kind::half_space ? 0.0 : core_.radius;
  const double of_margin = std::abs(ExactSum(own_radius(*this), margin()).rest);
  Aabb box;
  for (int i = 0; i < 3; ++i) {
    const Vector3 u = pose.rotation.row(i).transpose();
    const bool is_axis = u.cwiseAbs().maxCoeff() == 1.0 && (u.array() == 0.0).count() == 2;
    const Range range = core_range(core_, u, is_axis);
    // a row a little longer than one makes the swept ball larger
    const double of_ball = is_axis
                               ? 0.0
                               : swept * (0.5 * std::max(0.0, u.squaredNorm() - 1.0) + kEpsilon);
    const double error = range.error + of_ball + of_margin;
    box.lower[i] = outward_sum(pose.translation[i], range.low, -swept, error, -1.0);
    box.upper[i] = outward_sum(pose.translation[i], range.high, swept, error, 1.0);
  }
  return box;
}

}  // namespace tactum
