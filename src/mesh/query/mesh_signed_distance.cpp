// SPDX-License-Identifier: BSD-2-Clause
// Distance of points from a mesh: the nearest triangle by branch and bound, the sign by the winding
// number.
#include <Eigen/Geometry>
#include <cmath>

#include "core/format_number.hpp"
#include "core/thread_team.hpp"
#include "math/pose_check.hpp"
#include "mesh/query/nearest_triangle.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "shape/check/triangle_plane.hpp"
#include "tactum/mesh_query.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr std::size_t kLargestChunk = 64;

void check_column(std::size_t size, std::size_t expected, const char* field) {
  if (size != 0 && size != expected)
    throw InvalidInput(std::string("out.") + field, std::to_string(size) + " items",
                       "give " + std::to_string(expected) + ", one for each point");
}

/// A mesh at its checked pose: any thread may ask it for any point.
class Field {
 public:
  Field(const Mesh& mesh, const Pose& X)
      : mesh_(mesh), X_(check_pose(X, "X").pose), has_inside_(mesh.has_inside()) {}

  SignedDistance at(const Vector3& point) const {
    if (!is_point(point)) return {0.0, Vector3::UnitZ(), Status::invalid_input};
    const Vector3 to_point = point - X_.translation, local = X_.rotation.transpose() * to_point;
    const NearestTriangle near = nearest_triangle(mesh_, to_double3(local));
    const double scale = std::max(mesh_.reach(), to_point.stableNorm());
    const bool inside = has_inside_ && winding_number(mesh_, local) > 0;
    SignedDistance result;
    result.distance = inside ? -near.distance : near.distance;
    const Triangle3 t = mesh_triangle(mesh_, near.triangle);
    Vector3 gradient = triangle_plane(to_vector3(t[0]), to_vector3(t[1]), to_vector3(t[2])).normal;
    if (gradient.isZero(0.0)) gradient = Vector3::UnitZ();
    const Vector3 away = (local - to_vector3(near.point)) * (inside ? -1.0 : 1.0);
    // where the point is on the surface but for rounding, its normal says more than the difference
    if (near.distance > kContactBand * scale) gradient = away.normalized();
    result.gradient = (X_.rotation * gradient).normalized();
    const bool touching = near.distance <= kContactBand * scale;
    result.status = touching ? Status::touching
                             : (inside ? Status::penetrating : Status::separated);
    return result;
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
  const Mesh& mesh_;
  Pose X_;
  bool has_inside_;
};

}  // namespace

bool signed_distance(const Mesh& mesh, const Pose& X, std::span<const Vector3> points,
                     const SignedDistanceOptions& options, BatchWorkspace& work,
                     const SignedDistanceColumns& out) {
  check_num_threads(options.num_threads);
  check_column(out.distance.size(), points.size(), "distance");
  check_column(out.gradient.size(), points.size(), "gradient");
  check_column(out.status.size(), points.size(), "status");
  const Field field(mesh, X);
  const auto chunk = [&](std::size_t begin, std::size_t end) {
    field.fill(points, begin, end, out);
  };
  return parallel_for(work.team(), points.size(),
                      {.num_threads = options.num_threads,
                       .largest_chunk = kLargestChunk,
                       .interrupted = options.interrupted ? &options.interrupted : nullptr},
                      std::ref(chunk));
}

SignedDistance signed_distance(const Mesh& mesh, const Pose& X, const Vector3& point) {
  const SignedDistance value = Field(mesh, X).at(point);
  if (value.status != Status::invalid_input) return value;
  int i = 0;
  while (i < 2 && is_point({point[i], 0.0, 0.0})) ++i;
  throw InvalidInput("point[" + std::to_string(i) + "]", exact_text(point[i]),
                     "give a finite coordinate of at most 1e30 m");
}

}  // namespace tactum
