// SPDX-License-Identifier: BSD-2-Clause
#include "gpu/packed_objects.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "tactum/status.hpp"

namespace tactum::gpu {
namespace {

/// Half a side of the box of a half-space.
constexpr float kEndless = 1e30F;

struct MovedPart {
  CoreRecord<double> record;
  std::vector<Vector3> vertices;
  Pose left;  ///< the part of the pose that the record does not hold
};

Vector<double> vector_of(const Vector3& v) { return {v.x(), v.y(), v.z()}; }
Vector3 eigen_vector(const Vector<double>& v) { return {v.x, v.y, v.z}; }

bool is_identity(const Pose& X) { return X.rotation.isIdentity(0.0) && X.translation.isZero(0.0); }

std::vector<Vector3> box_vertices(const Vector3& half) {
  std::vector<Vector3> vertices;
  for (int i = 0; i < 8; ++i) {
    vertices.emplace_back((i & 1) != 0 ? -half.x() : half.x(), (i & 2) != 0 ? -half.y() : half.y(),
                          (i & 4) != 0 ? -half.z() : half.z());
  }
  return vertices;
}

/// A hull of the given vertices at the pose.
void move_hull(MovedPart& part, const Pose& X) {
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  part.record.kind = CoreKind::polytope;
  part.record.reach = 0.0;
  for (Vector3& vertex : part.vertices) {
    vertex = X * vertex;
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
    part.record.reach = std::max(part.record.reach, vertex.norm());
  }
  part.record.center = vector_of(0.5 * (low + high));
}

MovedPart moved_part(const CoreShape& core, const Pose& X, const std::string& field) {
  MovedPart part{core_record(core, field), core_vertices(core), {}};
  CoreRecord<double>& record = part.record;
  const Vector3 center = X * eigen_vector(record.center), size = eigen_vector(record.size);
  switch (record.kind) {
    case CoreKind::box: part.vertices = box_vertices(size); [[fallthrough]];
    case CoreKind::polytope: move_hull(part, X); break;
    case CoreKind::segment: record.size = vector_of(X.rotation * size); [[fallthrough]];
    case CoreKind::point:
      record.center = vector_of(center);
      record.reach = center.norm() + (record.kind == CoreKind::segment ? size.norm() : 0.0);
      break;
    case CoreKind::half_space: break;  // never a part of a compound
    case CoreKind::ellipsoid:
    case CoreKind::cylinder:
    case CoreKind::cone:
      if (is_identity(X)) break;
      part.left = X;
      record.reach = 2.0 * (record.reach + X.translation.norm());
      break;
  }
  return part;
}

/// Not below `value`, in single precision.
float rounded_up(double value) {
  return static_cast<float>(value * (1.0 + 4.0 * static_cast<double>(kUnit<float>)));
}

/// A box with its center in single precision, and what rounding moves the center by at most.
struct RoundedBox {
  explicit RoundedBox(const Aabb& box)
      : middle(0.5 * (box.lower + box.upper)),
        moved(2.0 * static_cast<double>(kUnit<float>) * middle.cwiseAbs()),
        half(0.5 * (box.upper - box.lower) + moved) {}

  PartBounds bounds(double radius, std::int32_t part) const {
    return {converted<float>(vector_of(middle)),
            rounded_up(std::min(half.norm(), radius + moved.norm())),
            {rounded_up(half.x()), rounded_up(half.y()), rounded_up(half.z())},
            part};
  }

  Vector3 middle, moved, half;
};

/// Ball and box of a shape at a pose in its object.
PartBounds bounds_of(const Shape& shape, const Pose& X, std::span<const Vector3> vertices,
                     std::int32_t part) {
  if (shape.kind() == ShapeKind::half_space)
    return {{0, 0, 0}, kEndless, {kEndless, kEndless, kEndless}, part};
  const RoundedBox box(shape.aabb(X));
  const CoreShape& core = shape.core();
  double radius = (box.middle - X.translation).norm() + core.bounding_radius;
  if (!vertices.empty()) {
    double of_vertices = 0.0;
    for (const Vector3& vertex : vertices)
      of_vertices = std::max(of_vertices, (vertex - box.middle).norm());
    radius = std::min(radius, of_vertices + core.radius);
  }
  return box.bounds(radius, part);
}

/// Ball and box of all parts.
PartBounds whole_of(const Geometry& geometry, std::span<const PartBounds> parts) {
  if (parts.size() == 1) return parts[0];
  const RoundedBox box(geometry.aabb());
  double radius = 0.0;
  for (const PartBounds& part : parts) {
    const Vector<double> away = converted<double>(part.center) - vector_of(box.middle);
    radius = std::max(radius, norm(away) + static_cast<double>(part.radius));
  }
  return box.bounds(radius, 0);
}

void append_part(PackedObjects& packed, const Shape& shape, const Pose& X,
                 const std::string& field) {
  const MovedPart part = moved_part(shape.core(), X, field);
  const auto index = static_cast<std::int32_t>(packed.bounds.size());
  packed.bounds.push_back(bounds_of(shape, X, part.vertices, index));
  append_record(packed.shapes, part.record, part.vertices);
  const Vector7 numbers = pose_xyz_xyzw(part.left);
  packed.poses.insert(packed.poses.end(), numbers.begin(), numbers.end());
  packed.is_posed = packed.is_posed || !is_identity(part.left);
}

void append_object(PackedObjects& packed, const Geometry& geometry, const std::string& field) {
  if (geometry.mesh() != nullptr)
    throw InvalidInput(field, "a mesh", "give its convex hull, or a compound of convex parts");
  ObjectRecord object{};
  object.first_part = static_cast<std::int32_t>(packed.bounds.size());
  object.num_parts = geometry.num_parts();
  if (const Shape* const shape = geometry.shape()) {
    append_part(packed, *shape, {}, field);
  } else {
    const std::span<const CompoundPart> parts = geometry.compound()->parts();
    if (parts.size() > static_cast<std::size_t>(kMostParts)) {
      throw InvalidInput(field, "a compound of " + std::to_string(parts.size()) + " parts",
                         "give one of at most " + std::to_string(kMostParts) + " parts");
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      append_part(packed, parts[i].shape, parts[i].X_CP,
                  field + ".parts[" + std::to_string(i) + "]");
    }
  }
  object.whole = whole_of(
      geometry, std::span(packed.bounds).subspan(static_cast<std::size_t>(object.first_part)));
  for (int part = object.first_part; part < object.first_part + object.num_parts; ++part) {
    const CoreRecord<double>& record = packed.shapes.exact[static_cast<std::size_t>(part)];
    const double reach = record.kind == CoreKind::half_space ? std::abs(record.offset)
                                                             : record.reach + record.radius;
    object.reach = std::max(object.reach, reach);
  }
  packed.objects.push_back(object);
}

}  // namespace

void append_point(PackedObjects& packed) {
  const auto index = static_cast<std::int32_t>(packed.bounds.size());
  const PartBounds bounds{{0, 0, 0}, 0, {0, 0, 0}, index};
  ObjectRecord object{};
  object.first_part = index;
  object.num_parts = 1;
  object.whole = bounds;
  packed.objects.push_back(object);
  packed.bounds.push_back(bounds);
  append_point(packed.shapes);
  for (const double number : {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) packed.poses.push_back(number);
}

PackedObjects pack_objects(std::span<const Geometry> objects) {
  PackedObjects packed;
  for (std::size_t i = 0; i < objects.size(); ++i)
    append_object(packed, objects[i], "shapes[" + std::to_string(i) + "]");
  return packed;
}

}  // namespace tactum::gpu
