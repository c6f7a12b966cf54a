// SPDX-License-Identifier: BSD-2-Clause
// Volume and mass properties of shapes, margin included.
//
// Each kind has exact moments of its own (revolution_moments, ellipsoid_moments,
// rounded_polytope_moments), about a point of the shape, so that a hull far from its origin loses
// nothing. A shape without volume has no mass, no inertia, and that point as center.
#include "shape/mass/mass_properties.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/format_number.hpp"
#include "shape/hull/convex_polytope.hpp"
#include "shape/mass/ellipsoid_moments.hpp"
#include "shape/mass/revolution_moments.hpp"
#include "shape/mass/rounded_polytope_moments.hpp"
#include "shape/mass/stp_moments.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

/// Moments about an axis z turned to the given unit direction.
Moments turned_to(const Moments& moments, const Vector3& axis) {
  // for a body of revolution about z that is symmetric in z: no first moment, one value across and
  // one along
  const double across = moments.second(0, 0);
  const double along = moments.second(2, 2);
  return {moments.volume, Vector3::Zero(),
          across * Matrix3::Identity() + (along - across) * axis * axis.transpose()};
}

ShapeMoments moments_of(const Convex& hull, const CoreShape& core) {
  if (hull.dimension() == 0) return {core.center, capsule_moments(core.radius, 0.0)};
  if (hull.dimension() == 1) {
    const double half_length = core.size.norm();
    return {core.center,
            turned_to(capsule_moments(core.radius, half_length), core.size / half_length)};
  }
  return {hull.polytope().centroid(), rounded_polytope_moments(hull.polytope(), core.radius)};
}

}  // namespace

ShapeMoments shape_moments(const Shape& shape) {
  const CoreShape& core = shape.core();
  const Vector3& size = core.size;
  const Vector3 origin = Vector3::Zero();
  if (const auto* hull = std::get_if<Convex>(&shape.parameters())) return moments_of(*hull, core);
  if (std::holds_alternative<Stp>(shape.parameters()) && core.kind == CoreShape::Kind::point) {
    return {core.center, capsule_moments(core.radius, 0.0)};
  }
  switch (core.kind) {
    case CoreShape::Kind::point: return {origin, capsule_moments(core.radius, 0.0)};
    case CoreShape::Kind::segment: return {origin, capsule_moments(core.radius, size.z())};
    case CoreShape::Kind::ellipsoid: return {origin, ellipsoid_moments(size, core.radius)};
    case CoreShape::Kind::box: return {origin, rounded_box_moments(size, core.radius)};
    case CoreShape::Kind::cylinder:
      return {origin, cylinder_moments(size.x(), size.y(), core.radius)};
    case CoreShape::Kind::cone: return {origin, cone_moments(size.x(), size.y(), core.radius)};
    case CoreShape::Kind::stp:
      return {core.center, stp_moments(*core.stp, core.radius, core.center)};
    case CoreShape::Kind::polytope:
    case CoreShape::Kind::half_space: break;
  }
  return {};
}

double Shape::volume() const {
  if (core_.kind == CoreShape::Kind::half_space) return std::numeric_limits<double>::infinity();
  return std::max(0.0, shape_moments(*this).moments.volume);  // rounding could make the thinnest
                                                              // plates negative
}

MassProperties Shape::mass_properties(double density) const {
  if (!std::isfinite(density) || density <= 0.0) {
    throw InvalidInput("density", exact_text(density),
                       "give a finite density above zero, in kg/m^3");
  }
  if (core_.kind == CoreShape::Kind::half_space) {
    throw InvalidInput("HalfSpace", "an infinite volume", "ask for the mass of a bounded shape");
  }
  const auto [reference, moments] = shape_moments(*this);
  MassProperties result;
  result.center_of_mass = reference;
  if (moments.volume <= 0.0) return result;
  const Vector3 offset = moments.first / moments.volume;
  const Matrix3 central = moments.second - moments.volume * offset * offset.transpose();
  result.mass = density * moments.volume;
  result.center_of_mass = reference + offset;
  const Matrix3 inertia = density * (central.trace() * Matrix3::Identity() - central);
  result.inertia = 0.5 * (inertia + inertia.transpose());  // symmetric to the last bit
  return result;
}

}  // namespace tactum
