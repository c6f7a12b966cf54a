// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/ambiguous_normal.hpp"

#include "shape/support/core_support.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;
constexpr double kSameNormal = 1e-8;  // rad
constexpr double kApart = 1e-3;  // rad: a maximum is flat, so nearer directions may separate as
                                 // well within rounding
constexpr std::size_t kManyFaces = 128;
constexpr double kShallow = 0.1;  // of the smaller shape

/// Largest u . x over the posed shape.
double height(const PosedCore& shape, Double3 u) {
  int visited = 0;
  const CoreShape& core = *shape.core;
  const Double3 local = transposed_product(*shape.rotation, u);
  return dot(core_support(core, local, visited).point, local) + core.radius + core.inner_radius +
         dot(u, shape.origin);
}

Double3 to_world(const PosedCore& shape, Double3 p) {
  return shape.origin + product(*shape.rotation, p);
}

/// Middle of the shape. The middle of an Stp may lie outside of it.
Double3 middle(const PosedCore& shape) {
  const CoreShape& core = *shape.core;
  return to_world(shape,
                  to_double3(core.polytope != nullptr ? core.polytope->centroid() : core.center));
}

/// A point inside the core.
Double3 inner_point(const PosedCore& shape) {
  const CoreShape& core = *shape.core;
  if (core.kind != Kind::stp) return middle(shape);
  int visited = 0;
  const Double3 x{1.0, 0.0, 0.0};
  return to_world(
      shape, 0.5 * (core_support(core, x, visited).point + core_support(core, -x, visited).point));
}

/// Radius of a ball around inner_point() that lies in the shape.
double inner_radius(const CoreShape& core) {
  const Double3 size = to_double3(core.size);
  switch (core.kind) {
    case Kind::ellipsoid:
    case Kind::box: return core.radius + size.smallest();
    case Kind::cylinder: return core.radius + std::min(size.x, size.y);
    case Kind::point:
    case Kind::segment:
    case Kind::cone:
    case Kind::polytope:
    case Kind::half_space:
    case Kind::stp: break;
  }
  return core.radius;
}

/// The direction of `v`; 0 where it has none.
Double3 direction_of(Double3 v) {
  const double largest = std::max(std::abs(v.x), std::max(std::abs(v.y), std::abs(v.z)));
  if (!(largest > 0.0)) return v;
  v = {v.x / largest, v.y / largest, v.z / largest};  // squares of tiny lengths underflow
  return (1.0 / v.norm()) * v;
}

/// Calls test(outward normal, height) for every flat face of the core, in its own frame, until one
/// is true.
template <class Test>
bool any_face(const CoreShape& core, const Test& test) {
  const Double3 x{1.0, 0.0, 0.0}, y{0.0, 1.0, 0.0}, z{0.0, 0.0, 1.0};
  const Double3 size = to_double3(core.size);
  switch (core.kind) {
    case Kind::box:
      return test(x, size.x) || test(-x, size.x) || test(y, size.y) || test(-y, size.y) ||
             test(z, size.z) || test(-z, size.z);
    case Kind::cylinder: return test(z, size.y) || test(-z, size.y);
    case Kind::cone: return test(-z, size.y);
    case Kind::polytope:
      for (const ConvexPolytope::Plane& plane : core.polytope->planes()) {
        if (test(to_double3(plane.normal), plane.offset)) return true;
        if (core.polytope->dimension() == 2 && test(-to_double3(plane.normal), -plane.offset))
          return true;
      }
      return false;
    case Kind::point:
    case Kind::segment:
    case Kind::ellipsoid:
    case Kind::stp:
    case Kind::half_space: break;
  }
  return false;
}

/// Whether a face of `shape` separates it from `other` as well as the normal does; `n` points from
/// `shape` to `other`.
bool face_ties(const PosedCore& shape, const PosedCore& other, Double3 n, double least) {
  // sep(u) <= u . y - h_shape(u) for every point y of the other shape
  const Double3 witness = transposed_product(*shape.rotation, other.witness - shape.origin);
  const Double3 inside = transposed_product(*shape.rotation, inner_point(other) - shape.origin);
  const double swept = other.core->radius + other.core->inner_radius,
               needed = least + shape.core->radius;
  return any_face(*shape.core, [&](Double3 normal, double offset) {
    if (dot(normal, witness) - offset < needed || dot(normal, inside) - swept - offset < needed)
      return false;
    const Double3 u = product(*shape.rotation, normal);
    if ((u - n).norm() <= kSameNormal) return false;
    return -height(other, -u) - dot(u, shape.origin) - offset >= needed;
  });
}

bool has_many_faces(const CoreShape& core) {
  return core.kind == Kind::polytope && core.polytope->planes().size() > kManyFaces;
}

/// Axis of a core that is a body of revolution, in the world; 0 for other cores.
Double3 axis_of(const PosedCore& shape) {
  const Double3 size = to_double3(shape.core->size);
  switch (shape.core->kind) {
    case Kind::segment: return product(*shape.rotation, direction_of(size));
    case Kind::cylinder:
    case Kind::cone: return to_double3(shape.rotation->col(2));
    case Kind::ellipsoid:
      if (size.x == size.y) return to_double3(shape.rotation->col(2));
      if (size.y == size.z) return to_double3(shape.rotation->col(0));
      if (size.z == size.x) return to_double3(shape.rotation->col(1));
      break;
    case Kind::point:
    case Kind::box:
    case Kind::polytope:
    case Kind::half_space:
    case Kind::stp: break;
  }
  return {0.0, 0.0, 0.0};
}

/// Searches for a second normal among directions that symmetry suggests. Only the separation along
/// a direction counts, whether the shapes have that symmetry or not.
class SymmetrySearch {
 public:
  SymmetrySearch(const PosedCore& a, const PosedCore& b, Double3 n, double least)
      : a_(a),
        b_(b),
        n_(n),
        least_(least),
        inner_a_(inner_point(a)),
        inner_b_(inner_point(b)),
        radius_a_(inner_radius(*a.core)),
        radius_b_(inner_radius(*b.core)),
        between_(direction_of(middle(b) - middle(a))),
        axis_a_(axis_of(a)),
        axis_b_(axis_of(b)) {}

  bool found() const {
    return mirrors_of(a_, axis_a_) || mirrors_of(b_, axis_b_) || mirrors_of_both() ||
           sides_of(a_, 1.0) || sides_of(b_, -1.0);
  }

 private:
  /// Whether the unit vector `u` separates the shapes as well as the normal does and differs from
  /// it.
  bool ties(Double3 u) const {
    if ((u - n_).squared_norm() < kApart * kApart) return false;
    // a ball in each shape may already prove that the separation is less
    const double bottom_b = dot(u, inner_b_) - radius_b_;
    if (bottom_b - dot(u, inner_a_) - radius_a_ < least_) return false;
    const double height_a = height(a_, u);
    return bottom_b - height_a >= least_ && -height(b_, -u) - height_a >= least_;
  }

  /// Tries the normal reflected in the plane across the unit vector `m`, and the normal turned by
  /// half a turn about `m`; tries nothing where `m` is 0.
  bool mirrored(Double3 m) const {
    if (!(m.squared_norm() > 0.0)) return false;
    const Double3 image = n_ - 2.0 * dot(m, n_) * m;
    return ties(image) || ties(-image);
  }

  /// Tries the mirrors of one shape: its axis, or its three coordinate axes and the diagonals
  /// between axes of equal extent.
  bool mirrors_of(const PosedCore& shape, Double3 axis) const {
    const CoreShape& core = *shape.core;
    if (core.kind == Kind::point) return false;
    if (axis.squared_norm() > 0.0) return mirrored(axis);
    const double half = std::sqrt(0.5);
    const Matrix3& R = *shape.rotation;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const Double3 first = to_double3(R.col(i)), second = to_double3(R.col(j));
      if (mirrored(first)) return true;
      if (core.kind == Kind::box && core.size[i] == core.size[j] &&
          (mirrored(half * (first + second)) || mirrored(half * (first - second))))
        return true;
    }
    return false;
  }

  /// Tries the mirrors that the relative pose suggests, and the two directions across both axes.
  bool mirrors_of_both() const {
    const Double3 across = direction_of(cross(axis_a_, axis_b_));
    if (mirrored(between_) || mirrored(direction_of(cross(axis_a_, between_))) ||
        mirrored(direction_of(cross(axis_b_, between_))))
      return true;
    if (!(across.squared_norm() > 0.0)) return false;
    return mirrored(across) || mirrored(direction_of(axis_a_ + axis_b_)) ||
           mirrored(direction_of(axis_a_ - axis_b_)) || ties(across) || ties(-across);
  }

  /// Tries the side of a cylinder or cone, towards the middle of the other shape and away from it;
  /// `sign` is 1 for the first shape.
  bool sides_of(const PosedCore& shape, double sign) const {
    const CoreShape& core = *shape.core;
    if (core.kind != Kind::cylinder && core.kind != Kind::cone) return false;
    const Double3 axis = to_double3(shape.rotation->col(2));
    Double3 radial = between_ - dot(axis, between_) * axis;
    radial = radial.norm() > 1e-12 ? direction_of(radial) : to_double3(shape.rotation->col(0));
    const bool is_cone = core.kind == Kind::cone;
    const Double3 up = (is_cone ? core.size[0] : 0.0) * axis,
                  out = (is_cone ? 2.0 * core.size[1] : 1.0) * radial;
    return ties(sign * direction_of(up + out)) || ties(sign * direction_of(up - out));
  }

  const PosedCore &a_, &b_;
  Double3 n_;
  double least_;
  Double3 inner_a_, inner_b_;  // centers of balls in the shapes
  double radius_a_, radius_b_;
  Double3 between_;  // from the middle of A to that of B; unit length or 0
  Double3 axis_a_, axis_b_;
};

}  // namespace

bool has_other_normal(PosedCore a, PosedCore b, Double3 n, double separation, double slack) {
  const CoreShape &core_a = *a.core, &core_b = *b.core;
  if (core_a.kind == Kind::half_space || core_b.kind == Kind::half_space) return false;
  if (separation + core_a.radius + core_a.inner_radius + core_b.radius + core_b.inner_radius >
      slack)
    return false;
  b.origin = b.origin - a.origin;  // lengths far from the origin of the world would lose digits
  b.witness = b.witness - a.origin;
  a.witness = a.witness - a.origin;
  a.origin = {0.0, 0.0, 0.0};
  const double least = separation - slack;
  if (-height(a, -n) - height(b, n) >= least) return true;
  const bool shallow = -separation <
                       kShallow * std::min(core_a.bounding_radius, core_b.bounding_radius);
  const bool skip_a = shallow && has_many_faces(core_a), skip_b = shallow && has_many_faces(core_b);
  if (!skip_a && face_ties(a, b, n, least)) return true;
  if (!skip_b && face_ties(b, a, -n, least)) return true;
  return !skip_a && !skip_b && SymmetrySearch(a, b, n, least).found();
}

}  // namespace tactum
