// SPDX-License-Identifier: BSD-2-Clause
#include "scene/relative_motion.hpp"
#include "math/constants.hpp"

#include <algorithm>
#include <cmath>

namespace tactum {
namespace {

/// The velocity at p of the field that moves a body.
Vector3 velocity_at(const ScrewMotion& motion, const Pose& X, const Vector3& p) {
  const Vector3 p_B = X.rotation.transpose() * (p - X.translation);
  return X.rotation * (motion.twist.v + motion.twist.w.cross(p_B));
}

/// A bounded body, seen from the other one.
struct View {
  View(const MovingBody& body, const MovingBody& other, double time)
      : radius(body.ball.radius),
        speed((body.motion.twist.v + body.motion.twist.w.cross(body.ball.center)).norm()),
        other_turn(other.motion.twist.w.norm()) {
    const Pose X = body.motion.at(time), X_other = other.motion.at(time);
    const Vector3 center = X * body.ball.center;
    velocity = velocity_at(body.motion, X, center) - velocity_at(other.motion, X_other, center);
    turn = X.rotation * body.motion.twist.w - X_other.rotation * other.motion.twist.w;
  }

  double radius;      ///< m, of the ball around the body
  double speed;       ///< of the center of the ball
  double other_turn;  ///< the angular speed of the other body
  Vector3 velocity;   ///< of the center, relative to the other body
  Vector3 turn;       ///< of the body, relative to the other one
};

/// The first h > 0 at which gap + rate h - deceleration h^2 / 2 is 0, for gap > 0 and deceleration
/// >= 0.
double first_root(double gap, double rate, double deceleration) {
  if (deceleration == 0.0) return rate < 0.0 ? gap / -rate : kInfinity;
  const double root = std::sqrt(rate * rate + 2.0 * deceleration * gap);
  return rate > 0.0 ? (rate + root) / deceleration : 2.0 * gap / (root - rate);
}

/// The best of both views; of an unbounded body there is none.
template <class Time>
double best_of_views(const MovingBody& a, const MovingBody& b, double time, Time&& time_of) {
  double best = 0.0;
  if (b.is_bounded()) best = time_of(View(b, a, time), 1.0);
  if (a.is_bounded()) best = std::max(best, time_of(View(a, b, time), -1.0));
  return best;
}

}  // namespace

double MovingBody::longest_path() const {
  const double speed = (motion.twist.v + motion.twist.w.cross(ball.center)).norm();
  return speed + motion.twist.w.norm() * ball.radius;
}

double RelativeMotion::safe_time(double time, double gap) const {
  if (!(gap > 0.0)) return 0.0;
  return best_of_views(a_, b_, time, [&](const View& view, double) {
    const double turn = view.turn.norm();
    return first_root(gap, -(view.velocity.norm() + turn * view.radius), turn * view.speed);
  });
}

double RelativeMotion::safe_time_along(const Vector3& n, double time, double gap) const {
  if (!(gap > 0.0)) return 0.0;
  return best_of_views(a_, b_, time, [&](const View& view, double sign) {
    const double turn = view.turn.norm(),
                 fastest = view.velocity.norm() + turn * view.speed * (1.0 - time);
    const double rate = sign * n.dot(view.velocity) - n.cross(view.turn).norm() * view.radius;
    const double deceleration = turn * view.speed +
                                view.other_turn * (fastest + turn * view.radius);
    return first_root(gap, rate, deceleration);
  });
}

double RelativeMotion::rate_along(const Vector3& n, const Vector3& p, double time) const {
  return n.dot(velocity_at(b_.motion, b_.motion.at(time), p) -
               velocity_at(a_.motion, a_.motion.at(time), p));
}

double RelativeMotion::farthest_approach(double time) const {
  const double left = 1.0 - time;
  double least = kInfinity;
  best_of_views(a_, b_, time, [&](const View& view, double) {
    const double turn = view.turn.norm();
    least = std::min(
        least, left * (view.velocity.norm() + turn * view.radius + 0.5 * turn * view.speed * left));
    return 0.0;
  });
  return least;
}

}  // namespace tactum
