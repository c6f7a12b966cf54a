// SPDX-License-Identifier: BSD-2-Clause
#include "gpu/packed_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "shape/hull/convex_polytope.hpp"
#include "tactum/status.hpp"

namespace tactum::gpu {
namespace {

using Kind = CoreShape::Kind;
static_assert(static_cast<int>(CoreKind::point) == static_cast<int>(Kind::point));
static_assert(static_cast<int>(CoreKind::segment) == static_cast<int>(Kind::segment));
static_assert(static_cast<int>(CoreKind::ellipsoid) == static_cast<int>(Kind::ellipsoid));
static_assert(static_cast<int>(CoreKind::box) == static_cast<int>(Kind::box));
static_assert(static_cast<int>(CoreKind::cylinder) == static_cast<int>(Kind::cylinder));
static_assert(static_cast<int>(CoreKind::cone) == static_cast<int>(Kind::cone));
static_assert(static_cast<int>(CoreKind::polytope) == static_cast<int>(Kind::polytope));
static_assert(static_cast<int>(CoreKind::half_space) == static_cast<int>(Kind::half_space));

Vector<double> plain_vector(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

void check_shape(const CoreShape& core, const std::string& field) {
  if (core.kind == Kind::stp) {
    throw InvalidInput(field, "a volume of spheres and tori",
                       "give a shape of another kind; queries on the CPU take all");
  }
  if (core.kind == Kind::polytope && core.polytope->num_vertices() > kMostHullVertices) {
    throw InvalidInput(field, std::to_string(core.polytope->num_vertices()) + " vertices",
                       "give a hull of at most " + std::to_string(kMostHullVertices) + " vertices");
  }
}

/// The record in double. The bounding radius of a core holds its swept radius; the kernels want
/// them apart.
CoreRecord<double> record_of(const CoreShape& core) {
  CoreRecord<double> record{static_cast<CoreKind>(core.kind),
                            0,
                            0,
                            core.radius,
                            0.0,
                            core.offset,
                            plain_vector(core.size),
                            plain_vector(core.center)};
  if (core.kind == Kind::ellipsoid) {
    record.offset = core.inner_radius;
    record.radius += core.inner_radius;
  }
  if (core.kind != Kind::half_space)
    record.reach = std::max(0.0, core.bounding_radius - record.radius);
  return record;
}

CoreRecord<float> rounded(const CoreRecord<double>& record) {
  const auto number = [](double x) { return static_cast<float>(x); };
  return {record.kind,
          record.first_block,
          record.num_blocks,
          number(record.radius),
          number(record.reach),
          number(record.offset),
          converted<float>(record.size),
          converted<float>(record.center)};
}

void append_vertices(PackedShapes& packed, CoreRecord<double>& record,
                     std::span<const Vector3> vertices) {
  record.first_block = static_cast<std::int32_t>(packed.blocks.size() / 3);
  record.num_blocks = static_cast<std::int32_t>((vertices.size() + 3) / 4);
  for (std::size_t first = 0; first < vertices.size(); first += 4) {
    float rows[3][4];
    for (std::size_t i = 0; i < 4; ++i) {
      const Vector3& vertex = vertices[std::min(first + i, vertices.size() - 1)];
      for (int axis = 0; axis < 3; ++axis) {
        rows[axis][i] = static_cast<float>(vertex[axis]);
        packed.vertices.push_back(vertex[axis]);
      }
    }
    for (const auto& row : rows) packed.blocks.push_back({row[0], row[1], row[2], row[3]});
  }
}

}  // namespace

CoreRecord<double> core_record(const CoreShape& core, const std::string& field) {
  check_shape(core, field);
  return record_of(core);
}

std::vector<Vector3> core_vertices(const CoreShape& core) {
  std::vector<Vector3> vertices;
  if (core.kind != Kind::polytope) return vertices;
  for (int i = 0; i < core.polytope->num_vertices(); ++i)
    vertices.push_back(core.polytope->vertex(i));
  return vertices;
}

void append_record(PackedShapes& packed, CoreRecord<double> record,
                   std::span<const Vector3> vertices) {
  if (record.kind == CoreKind::polytope) append_vertices(packed, record, vertices);
  packed.exact.push_back(record);
  packed.single.push_back(rounded(record));
  packed.kinds |= set_of(record.kind);
}

void append_point(PackedShapes& packed) {
  append_record(packed, {CoreKind::point, 0, 0, 0.0, 0.0, 0.0, {0, 0, 0}, {0, 0, 0}}, {});
}

PackedShapes pack_shapes(std::span<const Shape> shapes) {
  PackedShapes packed;
  packed.single.reserve(shapes.size());
  packed.exact.reserve(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const CoreShape& core = shapes[i].core();
    append_record(packed, core_record(core, "shapes[" + std::to_string(i) + "]"),
                  core_vertices(core));
  }
  return packed;
}

}  // namespace tactum::gpu
