// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjkpp/nesmino.hpp"

#include <algorithm>

#include "narrow/formula/point_primitive.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

constexpr int kRootSteps = 60;
// the paper does not publish the schedule: with these values ellipsoids take about as many
// iterations as it reports
constexpr double kFirstMu = 0.07, kMuFactor = 0.1;

/// Nearest point of an ellipsoid with its interior: q_i = a_i^2 p_i / (a_i^2 + t), with t >= 0 such
/// that q is on the surface. Newton on 1 / |q / a|, which is nearly linear in t, from t = 0.
Vector3 project_on_ellipsoid(const Vector3& semi_axes, const Vector3& p) {
  const Vector3 squares = semi_axes.cwiseAbs2();
  double t = 0.0;
  for (int step = 0; step < kRootSteps; ++step) {
    const Vector3 shifted = (squares.array() + t).matrix();
    const Vector3 scaled = semi_axes.cwiseProduct(p).cwiseQuotient(shifted);
    const double n = scaled.norm();
    if (!(n > 1.0)) break;  // inside, or on the surface to rounding
    const double slope = scaled.cwiseAbs2().cwiseQuotient(shifted).sum();
    const double next = t + n * n * (n - 1.0) / slope;
    if (!(next > t)) break;
    t = next;
  }
  return squares.cwiseProduct(p).cwiseQuotient((squares.array() + t).matrix());
}

Vector3 project_on_cylinder(double radius, double half_length, const Vector3& p) {
  const double radial = std::sqrt(p.x() * p.x() + p.y() * p.y());
  const double factor = radial > radius ? radius / radial : 1.0;
  return {factor * p.x(), factor * p.y(), std::clamp(p.z(), -half_length, half_length)};
}

/// The smoothing parameter mu and the numbers that follow from it.
struct Smoothing {
  double mu;
  double step;      ///< 1 / L
  double momentum;  ///< (sqrt L - 1) / (sqrt L + 1)

  explicit Smoothing(double mu_) : mu(mu_) {
    const double lipschitz = 1.0 + 2.0 / mu, root = std::sqrt(lipschitz);
    step = 1.0 / lipschitz;
    momentum = (root - 1.0) / (root + 1.0);
  }
};

}  // namespace

bool has_projection(const CoreShape& core) {
  return core.kind != Kind::polytope && core.stp == nullptr;
}

Vector3 project_on(const CoreShape& core, const Vector3& p) {
  switch (core.kind) {
    case Kind::segment: {
      const double squared = core.size.squaredNorm();
      if (!(squared > 0.0)) return core.center;
      return core.center +
             std::clamp((p - core.center).dot(core.size) / squared, -1.0, 1.0) * core.size;
    }
    case Kind::box: return p.cwiseMin(core.size).cwiseMax(-core.size);
    case Kind::ellipsoid: return project_on_ellipsoid(core.size, p);
    case Kind::cylinder: return project_on_cylinder(core.size.x(), core.size.y(), p);
    case Kind::cone: {
      // from far away the nearest point is as inexact as p is large, so it is computed once more
      // from there
      Vector3 nearest = p;
      for (int time = 0; time < 2; ++time) {
        const SurfacePoint surface = point_cone(core.size.x(), core.size.y(), nearest);
        if (surface.distance > 0.0) nearest = surface.point;
      }
      return nearest;
    }
    case Kind::point:
    case Kind::polytope:
    case Kind::stp:
    case Kind::half_space: break;
  }
  return core.center;
}

GjkOutcome run_nesmino(ClimbingPair& pair, const Vector3& x0, const Vector3* solution,
                       const MethodLimits& limits, GjkState& state) {
  const Vector3 middle_a = pair.a().center, middle_b = pair.b().center;
  const Matrix3& R = pair.X_AB().rotation;
  const double accuracy = std::sqrt(limits.epsilon);
  const double least_mu = std::max(
      1e-8, std::min(kFirstMu, limits.epsilon / (pair.scale() * pair.scale())));
  Smoothing smoothing(kFirstMu);
  Vector3 v = x0, u = x0;
  MinkowskiPoint x;
  const auto end = [&](GjkOutcome outcome) { return leave_point(x, outcome, state); };
  for (int k = 0;; ++k) {
    const Vector3 far = u / smoothing.mu;
    x = pair.point(project_on(pair.a(), middle_a + far),
                   project_on(pair.b(), middle_b - R.transpose() * far));
    state.upper = std::min(state.upper, x.w.norm());
    if (k >= limits.max_iterations) return end(GjkOutcome::iteration_limit);
    state.iterations = k + 1;
    if (state.upper < limits.stop_below) return end(GjkOutcome::below_limit);
    if (solution != nullptr) {
      if ((x.w - *solution).squaredNorm() <= limits.epsilon) return end(GjkOutcome::converged);
    } else {
      if (vanishes(x.w, pair.scale())) return end(GjkOutcome::overlapping);
      const MinkowskiPoint s = proving_support(pair, x.w, state);
      if (state.lower > limits.stop_above) return end(GjkOutcome::above_limit);
      if (gap(x.w, s.w) <= limits.epsilon) return end(GjkOutcome::converged);
    }
    const Vector3 gradient = u - x.w;
    const Vector3 next = u - smoothing.step * gradient;
    u = next + smoothing.momentum * (next - v);
    v = next;
    if (gradient.norm() <= accuracy && smoothing.mu > least_mu)
      smoothing = Smoothing(kMuFactor * smoothing.mu);
  }
}

}  // namespace tactum
