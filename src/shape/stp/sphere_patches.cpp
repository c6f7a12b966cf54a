// SPDX-License-Identifier: BSD-2-Clause
#include "shape/stp/sphere_patches.hpp"

#include "shape/stp/stp_builder.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

Points centers_of(const Stp& stp) {
  if (stp.num_faces() == 0)
    throw InvalidInput("stp", std::to_string(stp.num_points()) + " points",
                       "give a volume with faces: three points or more");
  Points centers(3, stp.num_faces());
  for (int f = 0; f < stp.num_faces(); ++f)
    centers.col(f) = to_vector3(stp.surface().faces()[static_cast<std::size_t>(f)].center);
  return centers;
}

StpSurface dual_surface(const Points& centers, double big_radius) {
  return {centers, build_stp(centers, big_radius), big_radius};
}

}  // namespace

SpherePatches::SpherePatches(const Stp& stp)
    : dual_(dual_surface(centers_of(stp), stp.big_radius())) {
  core_ = {.kind = CoreShape::Kind::sphere_patches, .radius = stp.margin, .stp = &dual_};
  Vector3 low, high;
  for (int i = 0; i < 3; ++i) {
    const auto reach = [&](double sign) {
      int visited = 0;
      const Double3 u = to_double3(sign * Vector3::Unit(i));
      return to_vector3(sphere_patch_point(dual_, dual_.patch(-u, visited), u))[i];
    };
    low[i] = reach(-1.0);
    high[i] = reach(1.0);
  }
  core_.center = 0.5 * (low + high);
  core_.bounding_radius = low.cwiseAbs().cwiseMax(high.cwiseAbs()).norm() + core_.radius;
}

}  // namespace tactum
