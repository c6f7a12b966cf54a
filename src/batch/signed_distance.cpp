// SPDX-License-Identifier: BSD-2-Clause
// Signed distance of points: a point is a ball of radius zero, and the normal of the pair is the
// gradient of its distance.
#include "tactum/signed_distance.hpp"

#include <string>

#include "core/format_number.hpp"
#include "core/thread_team.hpp"
#include "math/pose_check.hpp"
#include "tactum/distance.hpp"

namespace tactum {
namespace {

constexpr std::size_t kLargestChunk = 256;

void check_column(std::size_t size, std::size_t expected, const char* field) {
  if (size != 0 && size != expected)
    throw InvalidInput(std::string("out.") + field, std::to_string(size) + " items",
                       "give " + std::to_string(expected) + ", one for each point");
}

/// The shape at its checked pose: any thread may query any point.
class Field {
 public:
  Field(const Shape& shape, const Pose& X) : shape_(shape), X_(check_pose(X, "X").pose) {}

  SignedDistance at(const Vector3& point) const {
    if (!is_point(point)) return {0.0, Vector3::UnitZ(), Status::invalid_input};
    const Distance result = distance(shape_, X_, point_,
                                     {.rotation = Matrix3::Identity(), .translation = point});
    return {result.distance, result.normal, result.status};
  }

  void fill(std::span<const Vector3> points, std::size_t begin, std::size_t end,
            const SignedDistanceColumns& out) const {
    for (std::size_t row = begin; row < end; ++row) {
      const SignedDistance value = at(points[row]);
      if (!out.distance.empty()) out.distance[row] = value.distance;
      if (!out.gradient.empty()) out.gradient[row] = value.gradient;
      if (!out.status.empty()) out.status[row] = value.status;
    }
  }

 private:
  const Shape& shape_;
  Pose X_;
  Shape point_{Sphere{}};
};

}  // namespace

bool signed_distance(const Shape& shape, const Pose& X, std::span<const Vector3> points,
                     const SignedDistanceOptions& options, BatchWorkspace& work,
                     const SignedDistanceColumns& out) {
  check_num_threads(options.num_threads);
  check_column(out.distance.size(), points.size(), "distance");
  check_column(out.gradient.size(), points.size(), "gradient");
  check_column(out.status.size(), points.size(), "status");
  const Field field(shape, X);
  const auto chunk = [&](std::size_t begin, std::size_t end) {
    field.fill(points, begin, end, out);
  };
  return parallel_for(work.team(), points.size(),
                      {.num_threads = options.num_threads,
                       .largest_chunk = kLargestChunk,
                       .interrupted = options.interrupted ? &options.interrupted : nullptr},
                      std::ref(chunk));  // N.B. by reference: a function object with three captures
                                         // would be allocated
}

SignedDistance signed_distance(const Shape& shape, const Pose& X, const Vector3& point) {
  const SignedDistance value = Field(shape, X).at(point);
  if (value.status != Status::invalid_input) return value;
  int i = 0;
  while (i < 2 && is_point({point[i], 0.0, 0.0})) ++i;
  throw InvalidInput("point[" + std::to_string(i) + "]", exact_text(point[i]),
                     "give a finite coordinate of at most 1e30 m");
}

}  // namespace tactum
