// SPDX-License-Identifier: BSD-2-Clause
// Signed distance of points: a point is a ball of radius zero, and the normal of the pair is the
// gradient of its distance. A mesh has a query of its own, which knows inside from outside.
#include "tactum/signed_distance.hpp"

#include <string>

#include "core/format_number.hpp"
#include "core/thread_team.hpp"
#include "math/pose_check.hpp"
#include "mesh/query/mesh_signed_distance.hpp"
#include "tactum/distance.hpp"

namespace tactum {
namespace {

constexpr std::size_t kLargestPointChunk = 256;

void check_column(std::size_t size, std::size_t expected, const char* field) {
  if (size != 0 && size != expected)
    throw InvalidInput(std::string("out.") + field, std::to_string(size) + " items",
                       "give " + std::to_string(expected) + ", one for each point");
}

/// The geometry at its checked pose: any thread may query any point.
class Field {
 public:
  Field(const Geometry& geometry, const Pose& X)
      : geometry_(geometry), X_(check_pose(X, "X").pose) {}

  SignedDistance at(const Vector3& point) const {
    if (!is_point(point)) return {0.0, Vector3::UnitZ(), Status::invalid_input};
    if (geometry_.mesh() != nullptr) return mesh_signed_distance(*geometry_.mesh(), X_, point);
    const Pose X_WP{.rotation = Matrix3::Identity(), .translation = point};
    const Distance result = geometry_.shape() != nullptr
                                ? distance(*geometry_.shape(), X_, *point_.shape(), X_WP)
                                : distance(geometry_, X_, point_, X_WP);
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
  const Geometry& geometry_;
  Pose X_;
  Geometry point_{Shape(Sphere{})};
};

}  // namespace

bool signed_distance(const Geometry& geometry, const Pose& X, std::span<const Vector3> points,
                     const SignedDistanceOptions& options, BatchWorkspace& work,
                     const SignedDistanceColumns& out) {
  check_num_threads(options.num_threads);
  check_column(out.distance.size(), points.size(), "distance");
  check_column(out.gradient.size(), points.size(), "gradient");
  check_column(out.status.size(), points.size(), "status");
  const Field field(geometry, X);
  const auto chunk = [&](std::size_t begin, std::size_t end) {
    field.fill(points, begin, end, out);
  };
  return parallel_for(work.team(), points.size(),
                      {.num_threads = options.num_threads,
                       .largest_chunk = kLargestPointChunk,
                       .interrupted = options.interrupted ? &options.interrupted : nullptr},
                      std::ref(chunk));  // N.B. by reference: a function object with three captures
                                         // would be allocated
}

SignedDistance signed_distance(const Geometry& geometry, const Pose& X, const Vector3& point) {
  const SignedDistance value = Field(geometry, X).at(point);
  if (value.status != Status::invalid_input) return value;
  int i = 0;
  while (i < 2 && is_point({point[i], 0.0, 0.0})) ++i;
  throw InvalidInput("point[" + std::to_string(i) + "]", exact_text(point[i]),
                     "give a finite coordinate of at most 1e30 m");
}

}  // namespace tactum
