// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/size_motion.hpp"

#include "narrow/derivative/hull_feature_at_point.hpp"
#include "shape/support/core_support.hpp"

namespace tactum {
namespace {

constexpr Double3 kStill{0.0, 0.0, 0.0};
constexpr double kFree = 1e-10;  // rad: a surface that is parallel to an axis within this angle is
                                 // free to slide along it
constexpr double kKink = 1e-9;   // rad: within this angle of a direction across a segment, neither
                                 // end is the support point

/// Effect of one unit of a size: the shift in the frame of the shape, the turn in coordinates of
/// the tangent plane.
struct LocalMotion {
  Double3 shift = kStill;
  Double2 turn{0.0, 0.0};
};

/// The witness point of one shape, in its own frame.
struct LocalWitness {
  TangentPlane plane;  // its normal points from A to B
  Double3 u;           // outward unit normal of the shape
  Double3 point;       // point of the core
  SupportFeature feature;

  /// Turn of the normal when the free direction `edge` changes by `change`.
  Double2 turn_of(Double3 edge, Double3 change) const {
    const Double2 along = plane.project(edge);
    return (-dot(plane.normal, change) / dot(along, along)) * along;
  }
};

/// Motions of one shape by its sizes, in the order of their names.
class SizeColumns {
 public:
  SizeColumns(const Matrix3& rotation, std::vector<SizeMotion>& out)
      : rotation_(rotation), out_(out) {}
  void add(std::string name, const LocalMotion& motion) {
    out_.push_back({std::move(name), product(rotation_, motion.shift), motion.turn});
  }

 private:
  const Matrix3& rotation_;
  std::vector<SizeMotion>& out_;
};

std::string indexed(const char* name, int i) {
  return std::string(name) + "[" + std::to_string(i) + "]";
}

Double3 axis(int i) { return {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0}; }
double entry(Double3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

/// Derivative of s = A u / h by a_i: 2 a_i u_i e_i / h - s a_i u_i^2 / h^2.
Double3 semi_axis_shift(const LocalWitness& w, const Ellipsoid& ellipsoid, int i) {
  const Double3 axes = to_double3(ellipsoid.semi_axes), scaled = axes * w.u;
  const double h = scaled.norm(), a = entry(axes, i), u = entry(w.u, i);
  const Double3 s = (1.0 / h) * (axes * scaled);
  return (2.0 * a * u / h) * axis(i) - (a * u * u / (h * h)) * s;
}

/// Shift of the surface along axis i by the size, towards the side of the witness point: that of u,
/// which is exact where a coordinate of the point would be rounding. A point that is free to slide
/// along the axis is not shifted.
Double3 half_size_shift(const LocalWitness& w, int i) {
  const double along = entry(w.u, i);
  return std::abs(along) <= kFree ? kStill : std::copysign(1.0, along) * axis(i);
}

Double3 outward_of(const LocalWitness& w) {
  const double radial = std::sqrt(w.u.x * w.u.x + w.u.y * w.u.y);
  return radial > 0.0 ? Double3{w.u.x / radial, w.u.y / radial, 0.0} : kStill;
}

void add_cylinder(const LocalWitness& w, SizeColumns& columns) {
  columns.add("radius", {w.feature.dimension == 2 ? kStill : outward_of(w), {0.0, 0.0}});
  columns.add(
      "half_length",
      {w.feature.dimension == 1 ? kStill : std::copysign(1.0, w.u.z) * axis(2), {0.0, 0.0}});
}

void add_cone(const LocalWitness& w, const Cone& cone, SizeColumns& columns) {
  const double half_length = cone.half_length;
  const Double3 up = axis(2), outward = outward_of(w);
  if (w.feature.dimension == 2) {
    columns.add("radius", {});
    columns.add("half_length", {-up, {0.0, 0.0}});
    return;
  }
  // from 0 at the apex to 1 at the rim; on a generator the slope changes as well
  const double place = std::min(1.0, std::max(0.0, 0.5 * (half_length - w.point.z) / half_length));
  const double fraction = w.feature.dimension == 1 ? place : std::round(place);
  LocalMotion radius{fraction * outward, {0.0, 0.0}},
      length{(1.0 - 2.0 * fraction) * up, {0.0, 0.0}};
  if (w.feature.dimension == 1) {
    const Double3 edge = cone.radius * outward - 2.0 * half_length * up;
    radius.turn = w.turn_of(edge, outward);
    length.turn = w.turn_of(edge, -2.0 * up);
  }
  columns.add("radius", radius);
  columns.add("half_length", length);
}

/// The corners of the feature around the witness point, and their weights.
struct Corners {
  int count = 0;
  std::array<std::int32_t, 3> vertices{};
  std::array<double, 3> weights{};
};

Corners corners_of(const LocalWitness& w, const Convex& hull, bool& has_kink) {
  if (hull.num_vertices() == 1) return {1, {0, 0, 0}, {1.0, 0.0, 0.0}};
  const PolytopeSimplex simplex = polytope_simplex(hull.polytope(), w.plane, w.u, w.point,
                                                   w.feature.dimension);
  has_kink = has_kink || simplex.more;
  return {simplex.count, simplex.vertices, simplex.weights};
}

/// Turn of the normal when one corner of the feature moves along `change`.
Double2 corner_turn(const LocalWitness& w, const Convex& hull, const Corners& corners, int moving,
                    Double3 change) {
  if (corners.count == 1) return {0.0, 0.0};
  const auto corner = [&](int i) {
    return to_double3(hull.vertex(corners.vertices[static_cast<std::size_t>(i % corners.count)]));
  };
  if (corners.count == 2) return w.turn_of(corner(moving + 1) - corner(moving), -change);
  // both edges at the corner turn, the opposite one stays: dn is orthogonal to that one
  const Double2 opposite = w.plane.project(corner(moving + 2) - corner(moving + 1));
  const Double2 height{-opposite.y, opposite.x};
  const double reach = dot(height, w.plane.project(corner(moving + 1) - corner(moving)));
  return (dot(w.plane.normal, change) / reach) * height;
}

void add_vertices(const LocalWitness& w, const Convex& hull, SizeColumns& columns, bool& has_kink) {
  const Corners corners = corners_of(w, hull, has_kink);
  for (int vertex = 0; vertex < hull.num_vertices(); ++vertex) {
    int moving = 0;
    while (moving < corners.count && corners.vertices[static_cast<std::size_t>(moving)] != vertex)
      ++moving;
    for (int i = 0; i < 3; ++i) {
      LocalMotion motion;
      if (moving < corners.count) {
        motion.shift = corners.weights[static_cast<std::size_t>(moving)] * axis(i);
        motion.turn = corner_turn(w, hull, corners, moving, axis(i));
      }
      columns.add("vertices[" + std::to_string(vertex) + "][" + std::to_string(i) + "]", motion);
    }
  }
}

/// Adds the columns of the radii of an Stp. With alpha = R - r, the point of the core moves by n -
/// d c*, and the small sphere moves it along n.
void add_radii(const LocalWitness& w, const Stp& stp, SizeColumns& columns) {
  int visited = 0;
  const StpSurface& surface = stp.surface();
  const Double3 core_shift = surface.alpha_shift(surface.patch(w.u, visited), w.u);
  columns.add("small_radius", {w.u - core_shift, {0.0, 0.0}});
  columns.add("big_radius", {core_shift, {0.0, 0.0}});
}

/// Adds the columns of a shape. `has_kink` is set where the derivative by some size depends on the
/// sign of its change.
struct AddSizes {
  const LocalWitness& w;
  SizeColumns& columns;
  bool& has_kink;

  void operator()(const Sphere&) const { columns.add("radius", {w.u, {0.0, 0.0}}); }
  void operator()(const Ellipsoid& ellipsoid) const {
    for (int i = 0; i < 3; ++i)
      columns.add(indexed("semi_axes", i), {semi_axis_shift(w, ellipsoid, i), {0.0, 0.0}});
  }
  void operator()(const Box&) const {
    for (int i = 0; i < 3; ++i)
      columns.add(indexed("half_extents", i), {half_size_shift(w, i), {0.0, 0.0}});
  }
  void operator()(const Capsule& capsule) const {
    // without length a capsule grows towards u from either end, and towards neither where u is
    // orthogonal to the axis
    has_kink = has_kink || (capsule.half_length == 0.0 && std::abs(w.u.z) <= kKink);
    columns.add("radius", {w.u, {0.0, 0.0}});
    columns.add("half_length", {half_size_shift(w, 2), {0.0, 0.0}});
  }
  void operator()(const Cylinder&) const { add_cylinder(w, columns); }
  void operator()(const Cone& cone) const { add_cone(w, cone, columns); }
  void operator()(const HalfSpace&) const { columns.add("offset", {w.u, {0.0, 0.0}}); }
  void operator()(const Stp& stp) const { add_radii(w, stp, columns); }
  void operator()(const Convex& hull) const { add_vertices(w, hull, columns, has_kink); }
};

std::size_t size_count(const Shape& shape) {
  if (const auto* hull = std::get_if<Convex>(&shape.parameters()))
    return 3 * static_cast<std::size_t>(hull->num_vertices()) + 1;
  return 4;
}

}  // namespace

std::vector<SizeMotion> size_motions(const WitnessPair& pair, const Shape& shape,
                                     const WitnessSide& side, bool is_a, bool& has_kink) {
  const TangentPlane local = pair.plane.in_frame(side.rotation);
  const Double3 u = is_a ? local.normal : -local.normal;
  const Double3 p = transposed_product(side.rotation, side.arm) - shape.core().radius * u;
  const LocalWitness witness{local, u, p, side.feature};
  std::vector<SizeMotion> out;
  out.reserve(size_count(shape));
  SizeColumns columns(side.rotation, out);
  std::visit(AddSizes{witness, columns, has_kink}, shape.parameters());
  columns.add("margin", {u, {0.0, 0.0}});
  return out;
}

}  // namespace tactum
