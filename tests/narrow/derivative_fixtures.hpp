// SPDX-License-Identifier: BSD-2-Clause
// Helpers of the derivative tests: answers at moved poses, their differences on the group, and
// pairs away from kinks.
#pragma once

#include "math/pose_exponential.hpp"
#include "narrow/gjk/newton_refinement.hpp"
#include "narrow/narrow_fixtures.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "tactum/distance_derivative.hpp"

namespace tactum::testing {

using Vector6 = Eigen::Matrix<double, 6, 1>;

/// The pose X moved along one direction of its tangent.
inline Pose moved_along(const Pose& X, int direction, double step, TangentFrame frame) {
  const Vector6 d = step * Vector6::Unit(direction);
  const Vector3 v = d.head<3>(), w = d.tail<3>();
  switch (frame) {
    case TangentFrame::local: return X * pose_exponential(v, w);
    case TangentFrame::world: return pose_exponential(v, w) * X;
    case TangentFrame::local_world_aligned: break;
  }
  return {pose_exponential(Vector3::Zero(), w).rotation * X.rotation, X.translation + v};
}

/// The answer with its normal and points refined to rounding. In penetration a query proves its
/// depth, which determines the normal of curved shapes only to the square root of the tolerance:
/// too little for a difference over a small step.
inline Distance sharpened(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                          Distance r) {
  const auto is_half_space = [](const Shape& shape) {
    return shape.kind() == ShapeKind::half_space;
  };
  if (r.status != Status::penetrating || is_half_space(a) || is_half_space(b)) return r;
  const PairFrame frame = make_pair_frame(a, X_WA, b, X_WB);
  CorePair pair = make_core_pair(a.core(), b.core(), frame, nullptr);
  SeparationOptimum optimum;
  optimum.normal = (frame.X_WA.rotation.transpose() * r.normal).normalized();
  optimum.lower = r.distance + pair.radius();
  if (!refine_nearby_by_newton(pair, optimum)) return r;
  r.distance = optimum.lower - pair.radius();
  r.normal = frame.X_WA.rotation * optimum.normal;
  r.point_a = frame.X_WA * (optimum.point_a + pair.radius_a() * optimum.normal);
  r.point_b = frame.X_WA * (optimum.point_b - pair.radius_b() * optimum.normal);
  return r;
}

/// Two shapes in the world.
struct PosedPair {
  Shape a, b;
  Pose X_WA, X_WB;

  Distance answer(const Pose& X_A, const Pose& X_B) const {
    return sharpened(a, X_A, b, X_B, distance(a, X_A, b, X_B, {.tolerance = 1e-13}));
  }
  Distance moved(int column, double step, TangentFrame frame) const {
    if (column < 6) return answer(moved_along(X_WA, column, step, frame), X_WB);
    return answer(X_WA, moved_along(X_WB, column - 6, step, frame));
  }
  DistanceDerivative derivative(const DistanceDerivativeOptions& options = {}) const {
    return distance_derivative(a, X_WA, b, X_WB, options);
  }
};

/// One column of all Jacobians.
struct Column {
  double distance;
  Vector3 normal, point_a, point_b;

  static Column of(const DistanceJacobians& j, int column) {
    return {j.distance_jacobian[column], j.normal_jacobian.col(column),
            j.point_a_jacobian.col(column), j.point_b_jacobian.col(column)};
  }
  static Column of(const Distance& r) { return {r.distance, r.normal, r.point_a, r.point_b}; }
  friend Column operator-(const Column& x, const Column& y) {
    return {x.distance - y.distance, x.normal - y.normal, x.point_a - y.point_a,
            x.point_b - y.point_b};
  }
  friend Column operator*(double s, const Column& x) {
    return {s * x.distance, s * x.normal, s * x.point_a, s * x.point_b};
  }
  double largest() const {
    return std::max({std::abs(distance), normal.cwiseAbs().maxCoeff(),
                     point_a.cwiseAbs().maxCoeff(), point_b.cwiseAbs().maxCoeff()});
  }
};

/// Central difference of fourth order, with two measures of a kink nearby: the differences of two
/// steps disagree, or those to the two sides do (a kink much nearer than the step, of which a
/// central difference gives the mean).
struct DifferenceQuotient {
  Column value;
  double spread;           ///< difference between the steps
  double side_difference;  ///< difference between the sides
};
inline DifferenceQuotient difference_quotient(const PosedPair& pair, int column, double step,
                                              TangentFrame frame) {
  const auto at_step = [&](double h) { return Column::of(pair.moved(column, h, frame)); };
  const Column here = at_step(0.0), ahead = at_step(step), behind = at_step(-step);
  const Column near = (0.5 / step) * (ahead - behind),
               far = (0.25 / step) * (at_step(2.0 * step) - at_step(-2.0 * step));
  const Column side_difference = (1.0 / step) * ((ahead - here) - (here - behind));
  return {(4.0 / 3.0) * near - (1.0 / 3.0) * far, (near - far).largest(),
          side_difference.largest()};
}

/// Error of one column relative to the size of the Jacobians, at the best step; infinite next to a
/// kink.
inline double column_error(const PosedPair& pair, const DistanceJacobians& jacobians, double size,
                           int column, TangentFrame frame) {
  double error = kInfinity;
  const DifferenceQuotient finest = difference_quotient(pair, column, 1e-5, frame);
  if (finest.side_difference > 1e-2 * size || finest.spread > 1e-2 * size) return error;
  for (const double step : {1e-3, 1e-4, 1e-5, 3e-4, 3e-5, 3e-6}) {
    const DifferenceQuotient quotient = difference_quotient(pair, column, step, frame);
    if (quotient.spread > 1e-3 * size || quotient.side_difference > 300.0 * step * size) continue;
    error = std::min(error, (quotient.value - Column::of(jacobians, column)).largest() / size);
    if (error <= 1e-7) break;
  }
  return error;
}

/// Largest entry of all Jacobians; errors are relative to it.
inline double size_of(const DistanceJacobians& j) {
  return std::max({1.0, j.normal_jacobian.cwiseAbs().maxCoeff(),
                   j.point_a_jacobian.cwiseAbs().maxCoeff(),
                   j.point_b_jacobian.cwiseAbs().maxCoeff()});
}

inline bool all_finite(const DistanceJacobians& j) {
  return j.distance_jacobian.allFinite() && j.normal_jacobian.allFinite() &&
         j.point_a_jacobian.allFinite() && j.point_b_jacobian.allFinite() &&
         j.separation_jacobian.allFinite();
}

/// Largest difference of two sets of Jacobians.
inline double difference(const DistanceJacobians& x, const DistanceJacobians& y) {
  return std::max({(x.distance_jacobian - y.distance_jacobian).cwiseAbs().maxCoeff(),
                   (x.normal_jacobian - y.normal_jacobian).cwiseAbs().maxCoeff(),
                   (x.point_a_jacobian - y.point_a_jacobian).cwiseAbs().maxCoeff(),
                   (x.point_b_jacobian - y.point_b_jacobian).cwiseAbs().maxCoeff(),
                   (x.separation_jacobian - y.separation_jacobian).cwiseAbs().maxCoeff()});
}

/// The shape with one of its sizes changed; `name` is that of the derivative.
inline Shape with_size(const Shape& shape, const std::string& name, double by) {
  Shape::Parameters parameters = shape.parameters();
  const auto bracket = name.find('[');
  const std::string field = name.substr(0, bracket);
  const int i = bracket == std::string::npos ? 0 : std::stoi(name.substr(bracket + 1));
  if (field == "margin") {
    std::visit([&](auto& p) { p.margin += by; }, parameters);
    return parameters;
  }
  if (auto* sphere = std::get_if<Sphere>(&parameters)) sphere->radius += by;
  if (auto* ellipsoid = std::get_if<Ellipsoid>(&parameters)) ellipsoid->semi_axes[i] += by;
  if (auto* box = std::get_if<Box>(&parameters)) box->half_extents[i] += by;
  if (auto* capsule = std::get_if<Capsule>(&parameters))
    (field == "radius" ? capsule->radius : capsule->half_length) += by;
  if (auto* cylinder = std::get_if<Cylinder>(&parameters))
    (field == "radius" ? cylinder->radius : cylinder->half_length) += by;
  if (auto* cone = std::get_if<Cone>(&parameters))
    (field == "radius" ? cone->radius : cone->half_length) += by;
  if (auto* wall = std::get_if<HalfSpace>(&parameters)) wall->offset += by;
  if (auto* hull = std::get_if<Convex>(&parameters)) {
    Points points = hull->vertices();
    points(std::stoi(name.substr(name.rfind('[') + 1)), i) += by;
    return Convex::from_points(points, hull->margin);
  }
  if (const auto* stp = std::get_if<Stp>(&parameters)) {
    StpSizes sizes{stp->small_radius(), stp->big_radius(), stp->margin};
    (field == "small_radius" ? sizes.small_radius : sizes.big_radius) += by;
    return Stp::from_points(stp->points(), sizes);
  }
  return parameters;
}

}  // namespace tactum::testing
