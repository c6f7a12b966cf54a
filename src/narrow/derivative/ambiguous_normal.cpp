// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/ambiguous_normal.hpp"

#include "shape/support/core_support.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;
constexpr double kSameNormal = 1e-8;  // rad
constexpr std::size_t kManyFaces = 128;
constexpr double kShallow = 0.1;  // of the smaller shape

/// Largest u . x over the posed shape.
double height(const PosedCore& shape, Double3 u) {
  int visited = 0;
  const CoreShape& core = *shape.core;
  const Double3 local = transposed_product(*shape.rotation, u);
  return dot(core_support(core, local, visited).point, local) + core.radius + core.rounding + dot(u, shape.origin);
}

/// A point of the shape, to rule out faces by.
Double3 middle(const PosedCore& shape) {
  const CoreShape& core = *shape.core;
  const Double3 center = plain(core.polytope != nullptr ? core.polytope->centroid() : core.center);
  return shape.origin + product(*shape.rotation, center);
}

/// Calls test(outward normal, height) for every flat face of the core, in its own frame, until one is true.
template <class Test>
bool any_face(const CoreShape& core, const Test& test) {
  const Double3 x{1.0, 0.0, 0.0}, y{0.0, 1.0, 0.0}, z{0.0, 0.0, 1.0};
  const Double3 size = plain(core.size);
  switch (core.kind) {
    case Kind::box:
      return test(x, size.x) || test(-x, size.x) || test(y, size.y) || test(-y, size.y) || test(z, size.z) || test(-z, size.z);
    case Kind::cylinder: return test(z, size.y) || test(-z, size.y);
    case Kind::cone: return test(-z, size.y);
    case Kind::polytope:
      for (const ConvexPolytope::Plane& plane : core.polytope->planes()) {
        if (test(plain(plane.normal), plane.offset)) return true;
        if (core.polytope->dimension() == 2 && test(-plain(plane.normal), -plane.offset)) return true;
      }
      return false;
    case Kind::point:
    case Kind::segment:
    case Kind::ellipsoid:
    case Kind::stp:
    case Kind::sphere_patches:
    case Kind::half_space: break;
  }
  return false;
}

/// Whether a face of `shape` separates it from `other` as well; `n` points from `shape` to `other`.
bool face_ties(const PosedCore& shape, const PosedCore& other, Double3 n, double least) {
  // sep(u) <= u . y - h_shape(u) for every point y of the other shape
  const Double3 witness = transposed_product(*shape.rotation, other.witness - shape.origin);
  const Double3 inside = transposed_product(*shape.rotation, middle(other) - shape.origin);
  const double swept = other.core->radius + other.core->rounding, needed = least + shape.core->radius;
  return any_face(*shape.core, [&](Double3 normal, double offset) {
    if (dot(normal, witness) - offset < needed || dot(normal, inside) - swept - offset < needed) return false;
    const Double3 u = product(*shape.rotation, normal);
    if ((u - n).norm() <= kSameNormal) return false;
    return -height(other, -u) - dot(u, shape.origin) - offset >= needed;
  });
}

bool has_many_faces(const CoreShape& core) { return core.kind == Kind::polytope && core.polytope->planes().size() > kManyFaces; }

}  // namespace

bool has_other_normal(const PosedCore& a, const PosedCore& b, Double3 n, double separation, double slack) {
  if (a.core->kind == Kind::half_space || b.core->kind == Kind::half_space) return false;
  const double least = separation - slack;
  if (-height(a, -n) - height(b, n) >= least) return true;
  const bool shallow = -separation < kShallow * std::min(a.core->bounding_radius, b.core->bounding_radius);
  const auto ties = [&](const PosedCore& shape, const PosedCore& other, Double3 normal) {
    return !(shallow && has_many_faces(*shape.core)) && face_ties(shape, other, normal, least);
  };
  return ties(a, b, n) || ties(b, a, -n);
}

}  // namespace tactum
