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
                            plain_vector(core.center),
                            0};
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
          converted<float>(record.center),
          record.first_list};
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

/// A direction on a side of the cube, at a place counted in cells as direction_cell does.
Vector3 cell_corner(int side, double a, double b) {
  const int axis = side / 2;
  const double half = 0.5 * kCellsAlongSide;
  Vector3 corner;
  corner[axis] = side % 2 == 0 ? half : -half;
  corner[(axis + 1) % 3] = a - half;
  corner[(axis + 2) % 3] = b - half;
  return corner;
}

/// Numbers of the vertices that can be the farthest in a cell, in ascending order.
std::vector<std::uint32_t> cell_vertices(const Eigen::Matrix3Xd& vertices, int cell) {
  constexpr double grow = 1e-4;  // of a cell: far more than rounding moves a direction
  const int side = cell / (kCellsAlongSide * kCellsAlongSide);
  const int a = cell / kCellsAlongSide % kCellsAlongSide, b = cell % kCellsAlongSide;
  Eigen::Matrix<double, 3, 4> corners;
  for (int i = 0; i < 4; ++i)
    corners.col(i) = cell_corner(side, i % 2 == 0 ? a - grow : a + 1 + grow,
                                 i / 2 == 0 ? b - grow : b + 1 + grow);
  const Eigen::MatrixX4d heights = vertices.transpose() * corners;
  std::vector<std::uint32_t> found;
  for (Eigen::Index v = 0; v < heights.rows(); ++v) {
    // the last block of a hull repeats its last vertex
    bool beaten = v > 0 && vertices.col(v) == vertices.col(v - 1);
    for (Eigen::Index w = 0; w < heights.rows() && !beaten; ++w)
      beaten = (heights.row(w).array() > heights.row(v).array()).all();
    if (!beaten) found.push_back(static_cast<std::uint32_t>(v));
  }
  return found;
}

/// Four of the vertices from `first` on as a list.
DirectionList four_from(const std::vector<std::uint32_t>& found, std::size_t first) {
  DirectionList list = 0;
  for (std::size_t i = 0; i < 4; ++i)
    list |= found[std::min(first + i, found.size() - 1)] << (6 * i);
  return list;
}

/// The lists of all cells of a hull, behind them their second words.
std::vector<DirectionList> lists_of(const Eigen::Matrix3Xd& vertices) {
  std::vector<DirectionList> lists(kNumCells), second;
  for (int cell = 0; cell < kNumCells; ++cell) {
    const std::vector<std::uint32_t> found = cell_vertices(vertices, cell);
    std::uint32_t more = kShortList;
    if (found.size() > 8 || (found.size() > 4 && second.size() + 1 == kAllVertices)) {
      more = kAllVertices;
    } else if (found.size() > 4) {
      second.push_back(four_from(found, 4));
      more = static_cast<std::uint32_t>(second.size());
    }
    lists[static_cast<std::size_t>(cell)] = four_from(found, 0) | more << 24U;
  }
  lists.insert(lists.end(), second.begin(), second.end());
  return lists;
}

}  // namespace

void append_lists(PackedShapes& packed) {
  for (const CoreRecord<double>& record : packed.exact)
    if (record.kind != CoreKind::polytope || 4 * record.num_blocks > kMostListedVertices) return;
  for (std::size_t i = 0; i < packed.exact.size(); ++i) {
    const CoreRecord<double>& record = packed.exact[i];
    packed.exact[i].first_list = static_cast<std::int32_t>(packed.lists.size());
    packed.single[i].first_list = packed.exact[i].first_list;
    const Eigen::Map<const Eigen::Matrix3Xd> vertices(
        packed.vertices.data() + 12 * record.first_block, 3, 4 * record.num_blocks);
    const std::vector<DirectionList> lists = lists_of(vertices);
    packed.lists.insert(packed.lists.end(), lists.begin(), lists.end());
  }
}

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
  append_record(packed, {CoreKind::point, 0, 0, 0.0, 0.0, 0.0, {0, 0, 0}, {0, 0, 0}, 0}, {});
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
