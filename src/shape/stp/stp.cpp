// SPDX-License-Identifier: BSD-2-Clause
// The public handle on a sphere-torus-patch volume: checks of its input, views of its patches.
#include <cmath>

#include "core/format_number.hpp"
#include "shape/check/shape_checks.hpp"
#include "shape/check/smallest_sphere.hpp"
#include "shape/stp/stp_builder.hpp"
#include "shape/stp/stp_surface.hpp"
#include "tactum/shape.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr double kRoom = 1.0 + 1e-12;  // at the minimal radius the volume is the smallest enclosing
                                       // ball, and rounding would decide which points touch it

/// The least R for which R - small_radius >= alpha holds as evaluated.
double least_big_radius(double small_radius, double alpha) {
  double big_radius = small_radius + alpha;
  while (big_radius - small_radius < alpha)
    big_radius = std::nextafter(big_radius, 2.0 * big_radius);
  return big_radius;
}

}  // namespace

Stp Stp::from_points(const Points& points, const StpSizes& sizes) {
  check_size(sizes.small_radius, "Stp.small_radius", ZeroSize::allowed);
  check_size(sizes.big_radius, "Stp.big_radius");
  check_size(sizes.margin, "Stp.margin", ZeroSize::allowed);
  check_points(points, "Stp.points");
  const double alpha = sizes.big_radius - sizes.small_radius,
               least = kRoom * smallest_sphere(points).radius;
  if (!(alpha >= least) || !(alpha > 0.0)) {
    const double needed = least_big_radius(sizes.small_radius, std::max(least, 1e-30));
    throw InvalidInput("Stp.big_radius", exact_text(sizes.big_radius),
                       "give at least " + exact_text(needed) +
                           " m, the small radius and that of the smallest ball around the points");
  }
  const StpTopology topology = build_stp(points, alpha);
  return Stp(std::make_shared<const StpSurface>(points, topology, alpha), sizes);
}

int Stp::num_points() const { return static_cast<int>(surface_->vertices().size()); }

int Stp::num_edges() const { return static_cast<int>(surface_->edges().size()); }

int Stp::num_faces() const { return static_cast<int>(surface_->faces().size()); }

Points Stp::points() const {
  Points result(3, num_points());
  for (int i = 0; i < num_points(); ++i) result.col(i) = to_vector3(surface_->vertices()[i].point);
  return result;
}

Triangles Stp::faces() const {
  Triangles result(3, num_faces());
  for (int f = 0; f < num_faces(); ++f) {
    for (int k = 0; k < 3; ++k) result(k, f) = surface_->faces()[f].vertices[k];
  }
  return result;
}

}  // namespace tactum
