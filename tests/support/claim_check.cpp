// SPDX-License-Identifier: BSD-2-Clause
#include "support/claim_check.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "support/sphere_search.hpp"

namespace tactum::testing {
namespace {

constexpr Real kBand = 64 * kDoubleEpsilon;

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[400];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

// Eigen's allFinite subtracts, which trips the floating-point traps on an infinity
bool is_finite(const Vector3& v) {
  return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

bool is_finite(const Distance& r) {
  return std::isfinite(r.distance) && is_finite(r.normal) && is_finite(r.point_a) &&
         is_finite(r.point_b) && !std::isnan(r.lower) && !std::isnan(r.upper);
}

// One claim, brought into the frame of A.
class Judge {
 public:
  Judge(const PairSample& sample, const Distance& claim, const CheckOptions& options)
      : claim_(claim),
        options_(options),
        a_(sample.a, Pose{}),
        b_(sample.b, pose_in_frame_of_a(sample.X_WA, sample.X_WB)) {
    // two points that coincide have no scale: the answer is then asked to be exact
    report_.scale = std::max(pair_scale(sample.a, sample.X_WA, sample.b, sample.X_WB),
                             std::numeric_limits<double>::min());
    limit_ = (is_smooth_pair(sample.a, sample.b) ? 1e-12L : kBand) * report_.scale;
    // the world coordinates of points are rounded at their own magnitude
    const Vector3 &t_a = sample.X_WA.translation, &t_b = sample.X_WB.translation;
    rounding_ = 4 * kDoubleEpsilon * (report_.scale + Real(t_a.norm()) + Real(t_b.norm()));
    const Mat3 to_a = widen(sample.X_WA.rotation).transpose();
    normal_ = (to_a * widen(claim.normal)).normalized();
    point_a_ = to_a * (widen(claim.point_a) - widen(t_a));
    point_b_ = to_a * (widen(claim.point_b) - widen(t_a));
  }

  ClaimReport run() {
    check_scale();
    report_.gap = (Real(claim_.upper) - claim_.lower) / report_.scale;
    bracket_truth();
    report_.distance_error = std::abs(claim_.distance - best_) / report_.scale;
    check_bounds();
    if (claim_.status == Status::not_converged) {
      report_.not_converged = true;
      report_.distance_error = 0;
      return report_;
    }
    check_sign();
    check_value();
    check_points();
    check_normal();
    return report_;
  }

 private:
  const Distance& claim_;
  const CheckOptions& options_;
  ConvexBody a_, b_;
  ClaimReport report_;
  Real limit_ = 0, rounding_ = 0, best_ = 0;
  Vec3 normal_, point_a_, point_b_;
  Truth truth_;
  bool searched_ = false;

  void fail(std::string what) {
    if (report_.failure.empty()) report_.failure = std::move(what);
  }

  // an inflated scale would loosen every other check
  void check_scale() {
    const Real expected = std::max<Real>(oracle_scale(a_, b_), std::numeric_limits<double>::min());
    if (!(report_.scale <= 2 * expected && report_.scale >= expected / 2)) {
      fail(text("pair_scale %.17Lg, by its definition %.17Lg", report_.scale, expected));
    }
  }

  // `closely`: proved to rounding; else well below the limit, with a value that is sharp although
  // not proved to be
  void search(bool closely) {
    const Real tolerance = closely ? kDoubleEpsilon / 2
                                   : std::max(limit_ / report_.scale / 10, kDoubleEpsilon / 2);
    truth_ = oracle_distance(
        a_, b_, report_.scale,
        {.tolerance = tolerance, .budget = closely ? 6000 : options_.budget, .guess = normal_});
    searched_ = true;
    best_ = std::max(best_, truth_.distance);
    report_.lower = std::max(report_.lower, truth_.distance);
    report_.upper = std::min(report_.upper, truth_.distance + truth_.error);
  }

  void bracket_truth() {
    best_ = report_.lower = separation(a_, b_, normal_);
    const Vec3 core_a = point_a_ - a_.radius * normal_, core_b = point_b_ + b_.radius * normal_;
    report_.upper = (core_b - core_a).norm() + a_.distance_to_core(core_a) +
                    b_.distance_to_core(core_b) - a_.radius - b_.radius;
    if (options_.always_search ||
        report_.upper - report_.lower > 16 * kDoubleEpsilon * report_.scale)
      search(options_.always_search);
    // a bound beyond the best value found looks false: prove it
    const Real slack = 4 * kDoubleEpsilon * report_.scale;
    if (searched_ && claim_.lower > best_ + slack && claim_.lower <= report_.upper + slack)
      search(true);
    report_.proved = report_.upper - report_.lower <= limit_;
  }

  void check_bounds() {
    const Real slack = 4 * kDoubleEpsilon * report_.scale;
    if (claim_.lower > report_.upper + slack)
      fail(text("lower bound %.17g above the truth %.17Lg", claim_.lower, report_.upper));
    if (claim_.upper < report_.lower - slack)
      fail(text("upper bound %.17g below the truth %.17Lg", claim_.upper, report_.lower));
    if (claim_.distance < claim_.lower - slack || claim_.distance > claim_.upper + slack) {
      fail(text("distance %.17g outside its own bounds [%.17g, %.17g]", claim_.distance,
                claim_.lower, claim_.upper));
    }
    if (claim_.status != Status::not_converged && report_.gap > options_.tolerance)
      fail(text("gap %.3Lg scale above the tolerance", report_.gap));
  }

  void check_sign() {
    const Real width = kBand * report_.scale, d = claim_.distance;
    if ((report_.lower > width && (d <= 0 || claim_.status == Status::penetrating)) ||
        (report_.upper < -width && (d >= 0 || claim_.status == Status::separated))) {
      report_.wrong_sign = true;
      fail(text("wrong sign: claimed %.17Lg, truth in [%.17Lg, %.17Lg]", d, report_.lower,
                report_.upper));
    }
    const Real rounding = kDoubleEpsilon * report_.scale;
    // beyond the contact band a sign that the bounds leave open counts as touching
    const bool consistent = claim_.status == Status::separated     ? d > width - rounding
                            : claim_.status == Status::penetrating ? d < -width + rounding
                            : claim_.status == Status::touching
                                ? std::abs(d) <= width + rounding ||
                                      (claim_.lower <= 0 && claim_.upper >= 0)
                                : false;
    if (!consistent)
      fail(text("status %s does not fit distance %.17Lg",
                std::string(to_string(claim_.status)).c_str(), d));
  }

  void check_value() {
    const Real d = claim_.distance;
    if (d > report_.upper + limit_ || d < best_ - limit_) {
      fail(text("distance %.17Lg, truth %.17Lg to %.17Lg: off by %.3Lg scale", d, best_,
                report_.upper, report_.distance_error));
    }
    const Real attained = separation(a_, b_, normal_);
    if (attained < best_ - limit_ || attained < d - limit_) {
      fail(text("the normal attains %.17Lg, not %.17Lg: %.3Lg scale less", attained, best_,
                (best_ - attained) / report_.scale));
    }
    const Real length = widen(claim_.normal).norm();
    if (std::abs(length - 1) > 4 * kDoubleEpsilon)
      fail(text("normal of length 1 + %.3Lg", length - 1));
  }

  void check_points() {
    const Real allowed = 1e-12L * report_.scale + rounding_;
    const Real outside_a = a_.distance_to_core(point_a_) - a_.radius,
               outside_b = b_.distance_to_core(point_b_) - b_.radius;
    if (outside_a > allowed)
      fail(text("point_a is outside A by %.3Lg scale", outside_a / report_.scale));
    if (outside_b > allowed)
      fail(text("point_b is outside B by %.3Lg scale", outside_b / report_.scale));
    const Real mismatch = (point_b_ - point_a_ - Real(claim_.distance) * normal_).norm();
    if (mismatch > allowed)
      fail(text("point_b - point_a differs from distance * normal by %.3Lg scale",
                mismatch / report_.scale));
  }

  // the true direction where it is unique: by descent where the problem is convex, else from the
  // search
  bool find_true_normal(Vec3& direction) {
    const Real core_distance = best_ + a_.radius + b_.radius;
    if (searched_ || core_distance <= 0 || a_.is_half_space() || b_.is_half_space()) {
      if (!searched_) search(false);
      direction = truth_.normal;
      return truth_.normal_unique && truth_.error <= limit_;
    }
    const SphereMinimum minimum = descend_support(a_, b_, normal_, 1e-4L, report_.scale);
    direction = minimum.direction;
    return minimum.unique;
  }

  void check_normal() {
    Vec3 direction;
    if (!find_true_normal(direction)) return;
    const Real error = angle_between(direction, normal_),
               core_distance = best_ + a_.radius + b_.radius;
    // where the separation hardly falls on the way from one to the other, the direction is badly
    // conditioned on that way
    const Real loss = separation(a_, b_, direction) - separation(a_, b_, normal_);
    if (error > 1e-6L && loss < 0.005L * error * error * report_.scale) return;
    // between cores that nearly touch the direction is that of a tiny vector between rounded points
    const Real rounding = core_distance > 0 ? kBand * report_.scale / core_distance : Real(0);
    if (rounding <= 1e-6L) report_.normal_error = error;
    if (error > 1e-6L + rounding)
      fail(text("normal off by %.3Lg rad (%.3Lg allowed)", error, 1e-6L + rounding));
  }
};

}  // namespace

bool is_smooth_pair(const Shape& a, const Shape& b) {
  const auto is_smooth = [](ShapeKind k) {
    return k == ShapeKind::ellipsoid || k == ShapeKind::cylinder || k == ShapeKind::cone;
  };
  return is_smooth(a.kind()) || is_smooth(b.kind());
}

ClaimReport check_distance(const PairSample& sample, const Distance& claim,
                           const CheckOptions& options) {
  if (!is_finite(claim)) {
    ClaimReport report;
    report.failure = "not finite";
    return report;
  }
  return Judge(sample, claim, options).run();
}

std::string check_collision(const PairSample& sample, const Collision& claim,
                            const ClaimReport& known) {
  if (!is_finite(claim.normal) || std::isnan(claim.lower)) return "collide: not finite";
  const Real clear = 2 * kBand * known.scale;
  if (claim.status == Status::not_converged) return {};
  if (known.lower > clear && claim.colliding)
    return text("collide: says colliding at a distance of %.17Lg", known.lower);
  if (known.upper < -clear && !claim.colliding)
    return text("collide: misses a penetration of %.17Lg", -known.upper);
  if (claim.colliding)
    return claim.lower <= 0 ? ""
                            : text("collide: colliding, yet a proved gap of %.17g", claim.lower);
  if (claim.status != Status::separated) return "collide: not colliding, yet not separated";
  if (claim.lower < 0) return text("collide: separated, yet lower is %.17g", claim.lower);
  const ConvexBody a(sample.a, Pose{}), b(sample.b, pose_in_frame_of_a(sample.X_WA, sample.X_WB));
  const Real gap = separation(
      a, b, (widen(sample.X_WA.rotation).transpose() * widen(claim.normal)).normalized());
  if (gap < claim.lower - 4 * kDoubleEpsilon * known.scale)
    return text("collide: plane with a gap of %.17g, in truth %.17Lg", claim.lower, gap);
  return {};
}

ClaimReport query_and_check(const PairSample& sample, const CheckOptions& options) {
  const Distance answer = distance(sample.a, sample.X_WA, sample.b, sample.X_WB,
                                   {.tolerance = options.tolerance});
  ClaimReport report = check_distance(sample, answer, options);
  if (sample.pose_class == PoseClass::far_from_origin && report.failure.empty() &&
      !report.not_converged) {
    const PairSample local{sample.a, sample.b, Pose{}, pose_in_frame_of_a(sample.X_WA, sample.X_WB),
                           sample.pose_class};
    const Distance local_answer = distance(local.a, local.X_WA, local.b, local.X_WB,
                                           {.tolerance = options.tolerance});
    report = check_distance(local, local_answer, options);
    const Real change = std::abs(Real(answer.distance) - local_answer.distance) / report.scale;
    if (report.failure.empty() && change > 64 * kDoubleEpsilon)
      report.failure = text("distance changes by %.3Lg scale in the frame of A", change);
  }
  if (!report.failure.empty()) return report;
  const Collision collision = collide(sample.a, sample.X_WA, sample.b, sample.X_WB,
                                      {.tolerance = options.tolerance});
  report.not_converged |= collision.status == Status::not_converged;
  report.failure = check_collision(sample, collision, report);
  return report;
}

}  // namespace tactum::testing
