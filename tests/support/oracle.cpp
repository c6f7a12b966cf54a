// SPDX-License-Identifier: BSD-2-Clause
#include "support/oracle.hpp"

#include <algorithm>

#include "support/feature_enumeration.hpp"
#include "support/sphere_search.hpp"

namespace tactum::testing {
namespace {

// least height of a core above the plane of a half-space, without swept radii
Real height_above(const ConvexBody& half_space, const ConvexBody& other) {
  const Vec3 n = (half_space.rotation * half_space.size).normalized();
  return n.dot(other.support(-n) - half_space.translation) - half_space.offset;
}

bool has_few_features(const ConvexBody& a, const ConvexBody& b) {
  return a.is_polytope() && b.is_polytope() && a.edges.size() * b.edges.size() <= 4000;
}

}  // namespace

Pose pose_in_frame_of_a(const Pose& X_WA, const Pose& X_WB) {
  return {X_WA.rotation.transpose() * X_WB.rotation,
          X_WA.rotation.transpose() * (X_WB.translation - X_WA.translation)};
}

Real separation(const ConvexBody& a, const ConvexBody& b, const Vec3& n) {
  if (!a.is_half_space() && !b.is_half_space())
    return -support_value(a, b, n) - a.radius - b.radius;
  const ConvexBody& plane = a.is_half_space() ? a : b;
  const Vec3 outward = (plane.rotation * plane.size).normalized() *
                       Real(a.is_half_space() ? 1 : -1);
  // the library gives directions in double: that much tilt is rounding, not a claim
  if (angle_between(outward, n) > 16 * kDoubleEpsilon) return -infinite;
  return height_above(plane, a.is_half_space() ? b : a) - a.radius - b.radius;
}

Real oracle_scale(const ConvexBody& a, const ConvexBody& b) {
  const auto size = [](const ConvexBody& body) {
    return body.is_half_space() ? std::abs(body.offset + body.radius) : body.extent + body.radius;
  };
  return std::max({(b.translation - a.translation).norm(), size(a), size(b)});
}

Truth oracle_distance(const ConvexBody& a, const ConvexBody& b, Real scale,
                      const OracleOptions& options) {
  Truth truth;
  if (a.is_half_space() || b.is_half_space()) {
    const ConvexBody& plane = a.is_half_space() ? a : b;
    truth.normal = (plane.rotation * plane.size).normalized() * Real(a.is_half_space() ? 1 : -1);
    truth.core_distance = height_above(plane, a.is_half_space() ? b : a);
    truth.normal_unique = true;
  } else {
    const SphereMinimum minimum = minimize_support(a, b,
                                                   {.tolerance = options.tolerance * scale,
                                                    .scale = scale,
                                                    .budget = options.budget,
                                                    .first_direction = options.guess});
    truth.normal = minimum.direction;
    truth.core_distance = -minimum.value;
    truth.normal_unique = minimum.unique;
    truth.error = minimum.value - minimum.bound;
    if (truth.error > 2 * options.tolerance * scale && has_few_features(a, b)) {
      truth.core_distance = enumerate_features(a, b);
      truth.error = 1e-18L * scale;
    }
  }
  truth.distance = truth.core_distance - a.radius - b.radius;
  return truth;
}

Truth oracle_distance(const Shape& a, const Shape& b, const Pose& X_AB) {
  const ConvexBody body_a(a, Pose{}), body_b(b, X_AB);
  return oracle_distance(body_a, body_b, oracle_scale(body_a, body_b), {});
}

}  // namespace tactum::testing
