// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/pair/pair_frame.hpp"

#include <algorithm>

#include "core/format_number.hpp"
#include "math/exact_pose.hpp"
#include "math/pose_check.hpp"
#include "math/relative_pose.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

/// A point well inside the core.
Vector3 middle_of(const CoreShape& core) {
  return core.polytope != nullptr ? core.polytope->centroid() : core.center;
}

/// Unit vector along v, or nothing when v is too short to have a direction.
std::optional<Vector3> unit(const Vector3& v) {
  const double squared = v.squaredNorm();
  if (squared > 1e-280 && squared < 1e280) return v / std::sqrt(squared);
  const double largest = v.cwiseAbs().maxCoeff();
  if (!(largest > 1e-300)) return std::nullopt;
  return (v / largest).normalized();
}

void check_finite(const Vector3& v, const char* field) {
  for (int i = 0; i < 3; ++i) {
    if (!std::isfinite(v[i]))
      throw InvalidInput(std::string(field) + "[" + std::to_string(i) + "]", exact_text(v[i]),
                         "give finite numbers");
  }
}

std::int32_t climb_start(const CoreShape& core, std::int32_t vertex) {
  return core.polytope != nullptr && vertex >= 0 && vertex < core.polytope->num_vertices() ? vertex
                                                                                           : 0;
}

}  // namespace

bool try_pair_frame(const CoreShape& a, const Pose& X_WA, const CoreShape& b, const Pose& X_WB,
                    PairFrame& frame) {
  if (a.kind == Kind::half_space && b.kind == Kind::half_space) return false;
  frame.X_WA = X_WA;
  frame.corrected = false;
  if (are_exact_poses(X_WA, X_WB, 1e-12)) {
    frame.X_AB = pose_in_frame(X_WA, X_WB);
  } else {
    if (pose_quality(X_WA) == PoseQuality::bad || pose_quality(X_WB) == PoseQuality::bad)
      return false;
    const CheckedPose checked_a = check_pose(X_WA, "X_WA");
    const CheckedPose checked_b = check_pose(X_WB, "X_WB");
    frame.X_WA = checked_a.pose;
    frame.corrected = checked_a.corrected || checked_b.corrected;
    frame.X_AB = pose_in_frame(checked_a.pose, checked_b.pose);
  }
  frame.scale = pair_scale(a, b, to_double3(frame.X_AB.translation));
  return true;
}

PairFrame make_pair_frame(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  PairFrame frame;
  if (try_pair_frame(a.core(), X_WA, b.core(), X_WB, frame)) return frame;
  if (a.core().kind == Kind::half_space && b.core().kind == Kind::half_space)
    throw InvalidInput(
        "b", b.to_string(),
        "two half-spaces have no finite distance: at most one shape may be a HalfSpace");
  check_pose(X_WA, "X_WA");
  check_pose(X_WB, "X_WB");
  throw InvalidInput("X_WA", "not a rigid transform", "give rigid poses");
}

CorePair make_core_pair(const CoreShape& a, const CoreShape& b, const PairFrame& frame,
                        const WarmStart* warm_start) {
  CorePair pair(a, b, frame.X_AB, frame.scale);
  if (warm_start != nullptr)
    pair.hints = {climb_start(a, warm_start->vertices[0]), climb_start(b, warm_start->vertices[1])};
  return pair;
}

Vector3 first_direction(const CoreShape& a, const CoreShape& b, const PairFrame& frame,
                        const Vector3& initial_direction_W, const WarmStart* warm_start) {
  if (const auto given = unit(initial_direction_W))
    return (frame.X_WA.rotation.transpose() * *given).normalized();
  if (warm_start != nullptr) {
    if (const auto previous = unit(warm_start->direction_A)) return *previous;
  }
  return unit(frame.X_AB * middle_of(b) - middle_of(a)).value_or(Vector3::UnitX());
}

void check_options(double tolerance, int max_iterations, const Vector3& initial_direction,
                   const WarmStart* warm_start) {
  if (!std::isfinite(tolerance) || tolerance < kSmallestTolerance || tolerance > 1.0) {
    throw InvalidInput("tolerance", exact_text(tolerance),
                       "give a number from 64 eps = " + exact_text(kSmallestTolerance) +
                           " to 1, relative to the scale of the pair");
  }
  if (max_iterations < 1 || max_iterations > static_cast<int>(kMostIterations)) {
    throw InvalidInput("max_iterations", std::to_string(max_iterations),
                       "give a whole number from 1 to 100000");
  }
  check_finite(initial_direction, "initial_direction");
  if (warm_start != nullptr) check_finite(warm_start->direction_A, "warm_start.direction_A");
}

double pair_scale(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  return make_pair_frame(a, X_WA, b, X_WB).scale;
}

}  // namespace tactum
