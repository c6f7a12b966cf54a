// SPDX-License-Identifier: BSD-2-Clause
// The Gauss-Newton method with backtracking for the contact-pose problem, eq. (30) of Montaut et
// al. 2023.
//
// Residual   r = (p_A - target_a, p_B - X target_b, p_A - p_B), nine numbers, in the frame of A;
//            the cost is |r|^2 / 2.
// Variables  X exp([v; w / L]), the local tangent of B, L the size of the pair: all six are
//            lengths.
// Step       s = -(J'J + l m I)^-1 J'r, l the damping and m the largest diagonal entry of J'J. The
//            damping keeps the step zero along directions that do not change the cost, such as
//            turns about the normal. No step is longer than half a turn.
// Search     s, s / 2, s / 4, ... until the cost falls by 1e-4 of what the slope promises (Armijo).
//            The cost is piecewise smooth: the witness points of polytopes jump, and a short step
//            may not reach what a long one does.
// Smoothing  without an estimator of the caller's, the Hessian of each support function that has
//            none is that of a soft maximum over vertices (Gumbel) or an average over directions
//            (Gaussian), in the order of kSmoothing: the next one whenever a search fails or hardly
//            lowers the cost. Where the right features touch, each leads to the same point, since a
//            motion along the normal needs no curvature. So the smoothing need not shrink in the
//            end.
#include "narrow/derivative/contact_pose.hpp"

#include <Eigen/Cholesky>
#include <array>
#include <numbers>

#include "core/format_number.hpp"
#include "math/pose_check.hpp"
#include "math/pose_exponential.hpp"
#include "narrow/derivative/finite_difference_estimator.hpp"
#include "narrow/derivative/gaussian_estimator.hpp"
#include "narrow/derivative/gumbel_estimator.hpp"
#include "narrow/derivative/witness_pair.hpp"
#include "narrow/derivative/zeroth_order_estimator.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "narrow/query/try_distance.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

using Vector9 = Eigen::Matrix<double, 9, 1>;
using Matrix9x6 = Eigen::Matrix<double, 9, 6>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// How curvature is spread: over the neighbors of a vertex, by a temperature in mean edge lengths;
/// over directions, by an angle in rad; or not at all. For shapes without vertices the first number
/// is an angle as well.
struct Smoothing {
  enum class Over : std::uint8_t { vertices, directions, nothing } over;
  double scale;
};
constexpr std::array<Smoothing, 5> kSmoothing = {{{Smoothing::Over::vertices, 0.1},
                                                  {Smoothing::Over::directions, 0.3},
                                                  {Smoothing::Over::nothing, 0.0},
                                                  {Smoothing::Over::vertices, 0.03},
                                                  {Smoothing::Over::directions, 1.0}}};
constexpr double kHardlyDown = 0.9;      // of the cost before: above this the next smoothing may do
                                         // better
constexpr double kSlopeFraction = 1e-4;  // slope fraction of Armijo's condition
constexpr int kTrials = 30;              // most steps of a search without another smoothing to try
constexpr int kAdaptiveTrials = 8;       // most steps of a search with another smoothing to try

/// A pose of B with its query and its cost.
struct Trial {
  Pose X_AB;
  Distance value;
  Vector9 residual;
  double cost = 0.0;
};

bool is_sampled(const Estimator& estimator) {
  return std::holds_alternative<ZerothOrder>(estimator) ||
         std::holds_alternative<Gaussian>(estimator);
}

/// The given estimator with other random numbers for each iteration.
Estimator drawn_anew(Estimator estimator, int iteration) {
  const std::uint64_t shift = 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(iteration);
  if (auto* zeroth = std::get_if<ZerothOrder>(&estimator)) zeroth->seed += shift;
  if (auto* gaussian = std::get_if<Gaussian>(&estimator)) gaussian->seed += shift;
  return estimator;
}

/// The nearest rotation, to second order in the rounding of a product of rotations.
Matrix3 renormalized(const Matrix3& R) {
  return R * (1.5 * Matrix3::Identity() - 0.5 * (R.transpose() * R));
}

/// Replaces a feature without curvature of its own by a smoothed one.
void smooth_side(const Shape& shape, const Smoothing& smoothing, double sign, int stream,
                 const TangentPlane& plane, WitnessSide& side) {
  const CoreShape& core = shape.core();
  const bool settled = core.kind == Kind::half_space || core.kind == Kind::ellipsoid ||
                       core.kind == Kind::point;
  if (settled || smoothing.over == Smoothing::Over::nothing) return;
  const TangentPlane local = plane.in_frame(side.rotation);
  const Double3 u = sign * local.normal;
  side.feature = SupportFeature{};
  if (smoothing.over == Smoothing::Over::vertices && has_vertices(shape)) {
    side.feature.hessian = gumbel_hessian(core, local, u, 1,
                                          smoothing.scale * mean_edge_length(core, u));
  } else {
    const auto number = static_cast<std::uint64_t>(stream);
    side.feature.hessian =
        gaussian_hessian(core, local, u, smoothing.scale, Gaussian{}, number).matrix();
  }
}

class ContactPoseSearch {
 public:
  ContactPoseSearch(const Shape& a, const Shape& b, const Vector3& target_a,
                    const Vector3& target_b, const ContactPoseOptions& options)
      : a_(a),
        b_(b),
        target_a_(target_a),
        target_b_(target_b),
        options_(options),
        size_(contact_pose_size(a, b)) {}

  bool solve(const Pose& start, std::span<double> history, ContactPose& result) {
    Trial current;
    if (!evaluate(start, WarmStart{}, current)) return false;
    if (!history.empty()) history[0] = current.cost;
    result.status = descend(current, history, result.iterations);
    for (auto k = static_cast<std::size_t>(result.iterations) + 1; k < history.size(); ++k)
      history[k] = current.cost;
    result.pose = current.X_AB;
    result.cost = current.cost;
    result.residual_a = current.residual.head<3>();
    result.residual_b = current.X_AB.rotation.transpose() * current.residual.segment<3>(3);
    result.separation = -current.residual.tail<3>();
    result.queries = queries_;
    return true;
  }

 private:
  ContactPoseStatus descend(Trial& current, std::span<double> history, int& iteration) {
    const std::size_t choices = options_.estimator ? 1 : kSmoothing.size();
    const bool drawn = options_.estimator && is_sampled(*options_.estimator);
    std::size_t choice = 0, failures = 0;
    for (iteration = 0;;) {
      if (current.cost <= options_.tolerance * size_ * size_) return ContactPoseStatus::converged;
      if (failures == choices && !drawn) return ContactPoseStatus::stalled;
      if (iteration == options_.max_iterations) return ContactPoseStatus::max_iterations;
      const double before = current.cost;
      const bool down = search(jacobian(current, choice, iteration), current);
      failures = down ? 0 : failures + 1;
      if (!down || current.cost > kHardlyDown * before) choice = (choice + 1) % choices;
      ++iteration;
      if (static_cast<std::size_t>(iteration) < history.size())
        history[static_cast<std::size_t>(iteration)] = current.cost;
    }
  }

  bool evaluate(const Pose& X_AB, const WarmStart& warm_start, Trial& trial) {
    DistanceOptions query = options_.query;
    query.warm_start = &warm_start;
    ++queries_;
    trial.X_AB = X_AB;
    if (!try_distance(a_, Pose{}, b_, X_AB, query, trial.value)) return false;
    const Vector3 &p_a = trial.value.point_a, &p_b = trial.value.point_b;
    trial.residual << p_a - target_a_, p_b - X_AB * target_b_, p_a - p_b;
    trial.cost = 0.5 * trial.residual.squaredNorm();
    return true;
  }

  /// Computes the damped Gauss-Newton step; false where there is none.
  bool find_step(const Matrix9x6& J, const Vector6& gradient, Vector6& step) const {
    Matrix6 normal_matrix = J.transpose() * J;
    const double largest = normal_matrix.diagonal().maxCoeff();
    if (!(largest > 0.0)) return false;
    normal_matrix.diagonal().array() += options_.damping * largest;
    const Eigen::LLT<Matrix6> factor(normal_matrix);
    if (factor.info() != Eigen::Success) return false;
    step = -factor.solve(gradient);
    const double turn = step.tail<3>().norm() / size_;
    if (turn > std::numbers::pi) step *= std::numbers::pi / turn;
    return step.allFinite();
  }

  /// Takes the first of ever shorter steps that lowers the cost; false when none does.
  bool search(const Matrix9x6& J, Trial& current) {
    const Vector6 gradient = J.transpose() * current.residual;
    Vector6 step;
    if (!find_step(J, gradient, step)) return false;
    const double slope = gradient.dot(step);
    if (!(slope < 0.0)) return false;
    Trial trial;
    double fraction = 1.0;
    for (int k = options_.estimator ? kTrials : kAdaptiveTrials; k > 0; --k, fraction *= 0.5) {
      Pose X_AB = current.X_AB *
                  pose_exponential(fraction * step.head<3>(), (fraction / size_) * step.tail<3>());
      X_AB.rotation = renormalized(X_AB.rotation);
      if (!evaluate(X_AB, current.value.warm_start, trial)) continue;
      if (trial.cost > current.cost + kSlopeFraction * fraction * slope) continue;
      current = trial;
      return true;
    }
    return false;
  }

  Matrix9x6 jacobian(const Trial& at, std::size_t choice, int iteration) const {
    DistanceJacobians d;
    if (options_.estimator) {
      d = estimated(at, drawn_anew(*options_.estimator, iteration));
    } else {
      WitnessPair pair = make_witness_pair(a_, Pose{}, b_, at.X_AB, at.value,
                                           ValueOrigin::computed);
      smooth_side(a_, kSmoothing[choice], 1.0, 2 * iteration, pair.plane, pair.a);
      smooth_side(b_, kSmoothing[choice], -1.0, 2 * iteration + 1, pair.plane, pair.b);
      fill_jacobians(pair, response_of(pair.a.feature, pair.b.feature, pair.distance, pair.scale),
                     TangentFrame::local, d);
    }
    Matrix9x6 J;
    J << d.point_a_jacobian.rightCols<6>(), d.point_b_jacobian.rightCols<6>(),
        -d.separation_jacobian.rightCols<6>();
    // the target on B moves with B: X exp([v; w]) t = X t + R (v - t x w)
    Matrix3 cross;
    cross << 0.0, -target_b_.z(), target_b_.y(), target_b_.z(), 0.0, -target_b_.x(), -target_b_.y(),
        target_b_.x(), 0.0;
    J.block<3, 3>(3, 0) -= at.X_AB.rotation;
    J.block<3, 3>(3, 3) += at.X_AB.rotation * cross;
    J.rightCols<3>() /= size_;
    return J;
  }

  DistanceJacobians estimated(const Trial& at, const Estimator& estimator) const {
    DistanceDerivative result;
    result.value = at.value;
    const DistanceDerivativeOptions options{.estimator = estimator, .query = options_.query};
    if (const auto* differences = std::get_if<FiniteDifference>(&estimator)) {
      estimate(*differences, a_, Pose{}, b_, at.X_AB, options, result);
      return result;
    }
    if (const auto* zeroth = std::get_if<ZerothOrder>(&estimator)) {
      estimate(*zeroth, a_, Pose{}, b_, at.X_AB, options, result);
      return result;
    }
    WitnessPair pair = make_witness_pair(a_, Pose{}, b_, at.X_AB, at.value, ValueOrigin::computed);
    if (const auto* gaussian = std::get_if<Gaussian>(&estimator)) {
      estimate(*gaussian, a_, b_, pair, TangentFrame::local, result);
    } else if (const auto* gumbel = std::get_if<Gumbel>(&estimator)) {
      estimate(*gumbel, a_, b_, pair, TangentFrame::local, result);
    } else {
      fill_jacobians(pair, response_of(pair.a.feature, pair.b.feature, pair.distance, pair.scale),
                     TangentFrame::local, result);
    }
    return result;
  }

  const Shape &a_, &b_;
  const Vector3 target_a_, target_b_;
  const ContactPoseOptions& options_;
  const double size_;
  int queries_ = 0;
};

void check_target(const Vector3& target, const char* field) {
  if (is_point(target)) return;
  int i = 0;
  while (i < 2 && is_point({target[i], 0.0, 0.0})) ++i;
  throw InvalidInput(std::string(field) + "[" + std::to_string(i) + "]", exact_text(target[i]),
                     "give a finite coordinate of at most 1e30 m, in the frame of the shape");
}

}  // namespace

std::string_view to_string(ContactPoseStatus status) {
  switch (status) {
    case ContactPoseStatus::converged: return "converged";
    case ContactPoseStatus::max_iterations: return "max_iterations";
    case ContactPoseStatus::stalled: return "stalled";
    case ContactPoseStatus::invalid_input: return "invalid_input";
  }
  return "unknown";
}

double contact_pose_size(const Shape& a, const Shape& b) {
  double size = 0.0;
  for (const Shape* shape : {&a, &b}) {
    if (shape->core().kind != CoreShape::Kind::half_space) size += shape->core().bounding_radius;
  }
  return size > 0.0 ? size : 1.0;  // two points at their origins have no size to be relative to
}

void check_contact_pose_options(const ContactPoseOptions& options) {
  if (options.max_iterations < 0 || options.max_iterations > 100000)
    throw InvalidInput("max_iterations", std::to_string(options.max_iterations),
                       "give a whole number from 0 to 100000");
  if (!(std::isfinite(options.tolerance) && options.tolerance >= 0.0))
    throw InvalidInput("tolerance", exact_text(options.tolerance),
                       "give a number >= 0, of the cost over the squared size");
  if (!(std::isfinite(options.damping) && options.damping >= 1e-12 && options.damping <= 1.0))
    throw InvalidInput("damping", exact_text(options.damping), "give a number from 1e-12 to 1");
  // the checks and their messages are those of the queries, run on a pair that is known to be valid
  static const Shape box{Box{.half_extents = {1.0, 1.0, 1.0}}};
  const Pose X_WB{.rotation = Matrix3::Identity(), .translation = {3.0, 0.1, 0.2}};
  const DistanceDerivativeOptions used{.estimator = options.estimator.value_or(Exact{}),
                                       .query = options.query};
  static_cast<void>(distance_derivative(box, {}, box, X_WB, used));
}

void check_contact_pose_shape(const ContactPoseOptions& options, const Shape& shape) {
  if (!options.estimator || !std::holds_alternative<Gumbel>(*options.estimator)) return;
  if (has_vertices(shape) || shape.kind() == ShapeKind::half_space) return;
  throw InvalidInput(
      "estimator", "Gumbel with a " + std::string(to_string(shape.kind())),
      "a shape without vertices has no rings of neighbors: use Exact or Gaussian, or none");
}

bool try_contact_pose(const Shape& a, const Shape& b, const Vector3& target_a,
                      const Vector3& target_b, const Pose& start, const ContactPoseOptions& options,
                      std::span<double> history, ContactPose& result) {
  if (!is_point(target_a) || !is_point(target_b)) return false;
  return ContactPoseSearch(a, b, target_a, target_b, options).solve(start, history, result);
}

ContactPose contact_pose(const Shape& a, const Shape& b, const Vector3& target_a,
                         const Vector3& target_b, const Pose& start,
                         const ContactPoseOptions& options, std::span<double> history) {
  check_contact_pose_options(options);
  check_contact_pose_shape(options, a);
  check_contact_pose_shape(options, b);
  check_target(target_a, "target_a");
  check_target(target_b, "target_b");
  const Pose X_AB = check_pose(start, "start").pose;
  make_pair_frame(a, Pose{}, b, X_AB);  // throws for two half-spaces
  ContactPose result;
  try_contact_pose(a, b, target_a, target_b, X_AB, options, history, result);
  return result;
}

}  // namespace tactum
