// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/query/mesh_signed_distance.hpp"

#include <Eigen/Geometry>

#include "mesh/query/nearest_triangle.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "shape/check/triangle_plane.hpp"

namespace tactum {

SignedDistance mesh_signed_distance(const Mesh& mesh, const Pose& X, const Vector3& point) {
  const Vector3 to_point = point - X.translation, local = X.rotation.transpose() * to_point;
  const NearestTriangle near = nearest_triangle(mesh, to_double3(local));
  const double scale = std::max(mesh.reach(), to_point.stableNorm());
  const bool inside = mesh.has_inside() && winding_number(mesh, local) > 0;
  SignedDistance result;
  result.distance = inside ? -near.distance : near.distance;
  const Triangle3 t = mesh_triangle(mesh, near.triangle);
  Vector3 gradient = triangle_plane(to_vector3(t[0]), to_vector3(t[1]), to_vector3(t[2])).normal;
  if (gradient.isZero(0.0)) gradient = Vector3::UnitZ();
  const Vector3 away = (local - to_vector3(near.point)) * (inside ? -1.0 : 1.0);
  // where the point is on the surface but for rounding, its normal says more than the difference
  if (near.distance > kContactBand * scale) gradient = away.normalized();
  result.gradient = (X.rotation * gradient).normalized();
  const bool touching = near.distance <= kContactBand * scale;
  result.status = touching ? Status::touching : (inside ? Status::penetrating : Status::separated);
  return result;
}

}  // namespace tactum
