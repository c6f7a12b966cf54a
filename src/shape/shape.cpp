// SPDX-License-Identifier: BSD-2-Clause
// The immutable handle on a convex shape: validation, the core of the queries, supports, boxes,
// text, equality and hash.
#include "tactum/shape.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include "core/format_number.hpp"
#include "math/constants.hpp"
#include "shape/check/shape_checks.hpp"
#include "shape/hull/convex_polytope.hpp"
#include "shape/stp/stp_surface.hpp"
#include "shape/support/core_support.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

// -------------------------------------------------------------------------------------------------
// validation

void validate(const Sphere& sphere) {
  check_size(sphere.radius, "Sphere.radius", ZeroSize::allowed);
}
void validate(const Ellipsoid& ellipsoid) {
  check_sizes(ellipsoid.semi_axes, "Ellipsoid.semi_axes");
}
void validate(const Box& box) { check_sizes(box.half_extents, "Box.half_extents"); }
void validate(const Capsule& capsule) {
  check_size(capsule.radius, "Capsule.radius");
  check_size(capsule.half_length, "Capsule.half_length", ZeroSize::allowed);
}
void validate(const Cylinder& cylinder) {
  check_size(cylinder.radius, "Cylinder.radius");
  check_size(cylinder.half_length, "Cylinder.half_length");
}
void validate(const Cone& cone) {
  check_size(cone.radius, "Cone.radius");
  check_size(cone.half_length, "Cone.half_length");
}
void validate(HalfSpace& half_space) {
  half_space.normal = checked_direction(half_space.normal, "HalfSpace.normal");
  check_coordinate(half_space.offset, "HalfSpace.offset");
}
void validate(const Convex& /*convex*/) {}  // from_points and from_mesh have checked everything but
                                            // the margin
void validate(const Stp& /*stp*/) {}

// -------------------------------------------------------------------------------------------------
// core

using Kind = CoreShape::Kind;

CoreShape core_of(const Sphere& sphere) { return {.kind = Kind::point, .radius = sphere.radius}; }

CoreShape core_of(const Ellipsoid& ellipsoid) {
  const Vector3& axes = ellipsoid.semi_axes;
  if (axes.x() == axes.y() && axes.y() == axes.z())
    return {.kind = Kind::point, .radius = axes.x()};
  return {.kind = Kind::ellipsoid,
          .size = axes,
          .inner_radius = ellipsoid_inner_radius(axes),
          .bounding_radius = axes.maxCoeff()};
}

CoreShape core_of(const Box& box) {
  return {.kind = Kind::box, .size = box.half_extents, .bounding_radius = box.half_extents.norm()};
}

CoreShape core_of(const Capsule& capsule) {
  if (capsule.half_length == 0.0) return {.kind = Kind::point, .radius = capsule.radius};
  return {.kind = Kind::segment,
          .radius = capsule.radius,
          .size = {0.0, 0.0, capsule.half_length},
          .bounding_radius = capsule.half_length};
}

CoreShape core_of(const Cylinder& cylinder) {
  return {.kind = Kind::cylinder,
          .size = {cylinder.radius, cylinder.half_length, 0.0},
          .bounding_radius = std::hypot(cylinder.radius, cylinder.half_length)};
}

CoreShape core_of(const Cone& cone) {
  return {.kind = Kind::cone,
          .size = {cone.radius, cone.half_length, 0.0},
          .bounding_radius = std::hypot(cone.radius, cone.half_length)};
}

CoreShape core_of(const HalfSpace& half_space) {
  return {.kind = Kind::half_space,
          .size = half_space.normal,
          .offset = half_space.offset,
          .bounding_radius = kInfinity};
}

CoreShape core_of(const Convex& convex) {
  const ConvexPolytope& polytope = convex.polytope();
  double reach = 0.0;
  for (int i = 0; i < polytope.num_vertices(); ++i)
    reach = std::max(reach, polytope.vertex(i).stableNorm());
  if (polytope.dimension() == 0)
    return {.kind = Kind::point, .center = polytope.vertex(0), .bounding_radius = reach};
  if (polytope.dimension() == 1) {
    const Vector3 middle = 0.5 * polytope.vertex(0) + 0.5 * polytope.vertex(1);
    return {.kind = Kind::segment,
            .size = 0.5 * polytope.vertex(1) - 0.5 * polytope.vertex(0),
            .center = middle,
            .bounding_radius = reach};
  }
  Vector3 low = polytope.vertex(0), high = low;
  for (int i = 1; i < polytope.num_vertices(); ++i) {
    low = low.cwiseMin(polytope.vertex(i));
    high = high.cwiseMax(polytope.vertex(i));
  }
  return {.kind = Kind::polytope,
          .center = 0.5 * low + 0.5 * high,
          .bounding_radius = reach,
          .polytope = &polytope};
}

/// Core of an Stp. The volume lies inside the smallest ball around its points, because all balls
/// that hold the points hold that one.
CoreShape core_of(const Stp& stp) {
  const StpSurface& surface = stp.surface();
  if (stp.num_points() == 1) {
    const Vector3 point = to_vector3(surface.vertices()[0].point);
    return {.kind = Kind::point,
            .radius = stp.small_radius(),
            .center = point,
            .bounding_radius = point.stableNorm()};
  }
  const BoundingSphere& ball = surface.smallest_ball();
  return {.kind = Kind::stp,
          .radius = stp.small_radius(),
          .center = ball.center,
          .bounding_radius = ball.center.stableNorm() + ball.radius,
          .stp = &surface,
          .support_error = surface.support_error()};
}

/// Adds the margin to a core: a swept radius, or a shift of the plane.
void add_margin(CoreShape& core, double margin) {
  if (core.kind == Kind::half_space) {
    core.offset += margin;
  } else {
    core.radius += margin;
    core.bounding_radius += core.radius;
  }
}

// -------------------------------------------------------------------------------------------------
// text and hash

std::string text_of(const Vector3& v) {
  return "(" + shortest_text(v.x()) + ", " + shortest_text(v.y()) + ", " + shortest_text(v.z()) +
         ")";
}

std::string fields_of(const Sphere& s) { return "radius=" + shortest_text(s.radius); }
std::string fields_of(const Ellipsoid& s) { return "semi_axes=" + text_of(s.semi_axes); }
std::string fields_of(const Box& s) { return "half_extents=" + text_of(s.half_extents); }
std::string fields_of(const HalfSpace& s) {
  return "normal=" + text_of(s.normal) + ", offset=" + shortest_text(s.offset);
}
std::string fields_of(const Convex& s) {
  return "vertices=" + std::to_string(s.num_vertices()) +
         ", dimension=" + std::to_string(s.dimension());
}
std::string fields_of(const Stp& s) {
  return "points=" + std::to_string(s.num_points()) +
         ", small_radius=" + shortest_text(s.small_radius()) +
         ", big_radius=" + shortest_text(s.big_radius());
}
template <class Round>
std::string fields_of(const Round& s) {
  return "radius=" + shortest_text(s.radius) + ", half_length=" + shortest_text(s.half_length);
}

/// Calls `visit` with every number that makes up the shape, in a fixed order.
template <class Visit>
void visit_numbers(const Shape::Parameters& parameters, Visit&& visit) {
  const auto vector = [&](const Vector3& v) { visit(v.x()), visit(v.y()), visit(v.z()); };
  std::visit(
      [&]<class Kind>(const Kind& s) {
        if constexpr (std::same_as<Kind, Sphere>) {
          visit(s.radius);
        } else if constexpr (std::same_as<Kind, Ellipsoid>) {
          vector(s.semi_axes);
        } else if constexpr (std::same_as<Kind, Box>) {
          vector(s.half_extents);
        } else if constexpr (std::same_as<Kind, HalfSpace>) {
          vector(s.normal), visit(s.offset);
        } else if constexpr (std::same_as<Kind, Convex>) {
          for (int i = 0; i < s.num_vertices(); ++i) vector(s.polytope().vertex(i));
        } else if constexpr (std::same_as<Kind, Stp>) {
          for (const StpSurface::Vertex& vertex : s.surface().vertices())
            vector(to_vector3(vertex.point));
          visit(s.small_radius()), visit(s.big_radius());
        } else {
          visit(s.radius), visit(s.half_length);
        }
        visit(s.margin);
      },
      parameters);
}

std::uint64_t mixed_bits(std::uint64_t bits) {  // the finalizer of splitmix64
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

}  // namespace

std::string_view to_string(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::sphere: return "Sphere";
    case ShapeKind::ellipsoid: return "Ellipsoid";
    case ShapeKind::box: return "Box";
    case ShapeKind::capsule: return "Capsule";
    case ShapeKind::cylinder: return "Cylinder";
    case ShapeKind::cone: return "Cone";
    case ShapeKind::half_space: return "HalfSpace";
    case ShapeKind::convex: return "Convex";
    case ShapeKind::stp: return "Stp";
  }
  return "unknown";
}

Shape::Shape(Parameters parameters) : parameters_(std::move(parameters)) {
  std::visit([](auto& shape) { validate(shape); }, parameters_);
  check_size(margin(), std::string(tactum::to_string(kind())) + ".margin", ZeroSize::allowed);
  core_ = std::visit([](const auto& shape) { return core_of(shape); }, parameters_);
  add_margin(core_, margin());
}

double Shape::margin() const {
  return std::visit([](const auto& shape) { return shape.margin; }, parameters_);
}

Vector3 Shape::support(const Vector3& direction) const {
  const Vector3 u = checked_direction(direction, "direction");
  if (core_.kind == Kind::half_space) {
    if ((u - core_.size).cwiseAbs().maxCoeff() > 1e-12) {
      throw InvalidInput("direction", text_of(direction),
                         "give the normal " + text_of(core_.size) +
                             ": a half-space has a farthest point in no other direction");
    }
    return core_.offset * core_.size;
  }
  int visited = 0;
  return core_support(core_, u, visited).point + (core_.radius + core_.inner_radius) * u;
}

std::size_t Shape::nbytes() const {
  const auto* convex = std::get_if<Convex>(&parameters_);
  const auto* stp = std::get_if<Stp>(&parameters_);
  return sizeof(*this) + (convex != nullptr ? convex->polytope().nbytes()
                          : stp != nullptr  ? stp->surface().nbytes()
                                            : 0);
}

std::string Shape::to_string() const {
  std::string text = std::string(tactum::to_string(kind())) + "(";
  text += std::visit([](const auto& shape) { return fields_of(shape); }, parameters_);
  if (margin() != 0.0) text += ", margin=" + shortest_text(margin());
  return text + ")";
}

std::size_t Shape::hash() const {
  std::uint64_t state = mixed_bits(parameters_.index() + 1);
  visit_numbers(parameters_, [&](double number) {
    const double positive_zero = number + 0.0;  // -0.0 equals 0.0 and must hash alike
    state = mixed_bits(state + 0x9e3779b97f4a7c15U + std::bit_cast<std::uint64_t>(positive_zero));
  });
  return state;
}

bool operator==(const Shape& a, const Shape& b) {
  if (a.kind() != b.kind()) return false;
  if (const auto* hull = std::get_if<Convex>(&a.parameters_)) {
    const ConvexPolytope& p = hull->polytope();
    const ConvexPolytope& q = std::get<Convex>(b.parameters_).polytope();
    return a.margin() == b.margin() &&
           (&p == &q || (std::ranges::equal(p.x(), q.x()) && std::ranges::equal(p.y(), q.y()) &&
                         std::ranges::equal(p.z(), q.z())));
  }
  if (const auto* volume = std::get_if<Stp>(&a.parameters_)) {
    const auto& other = std::get<Stp>(b.parameters_);
    const auto same_point = [](const StpSurface::Vertex& p, const StpSurface::Vertex& q) {
      return p.point.x == q.point.x && p.point.y == q.point.y && p.point.z == q.point.z;
    };
    return a.margin() == b.margin() && volume->small_radius() == other.small_radius() &&
           volume->big_radius() == other.big_radius() &&
           std::ranges::equal(volume->surface().vertices(), other.surface().vertices(), same_point);
  }
  std::array<double, 8> numbers{};
  std::size_t count = 0;
  visit_numbers(a.parameters_, [&](double number) { numbers[count++] = number; });
  count = 0;
  bool equal = true;
  visit_numbers(b.parameters_, [&](double number) { equal = equal && number == numbers[count++]; });
  return equal;
}

}  // namespace tactum
