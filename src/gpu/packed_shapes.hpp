// SPDX-License-Identifier: BSD-2-Clause
// Shapes as arrays that a kernel can read (core_record.hpp), made on the host.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu/direction_lists.hpp"
#include "tactum/shape.hpp"

namespace tactum::gpu {

struct PackedShapes {
  std::vector<CoreRecord<float>> single;
  std::vector<CoreRecord<double>> exact;
  std::vector<FourFloats> blocks;    ///< three for each block of four vertices
  std::vector<double> vertices;      ///< twelve for each block
  std::vector<DirectionList> lists;  ///< of directions, where append_lists made them
  KindSet kinds = 0;                 ///< those that occur
};

/// Makes the lists of directions, where all shapes are hulls of at most 64 vertices.
void append_lists(PackedShapes& packed);

/// The record of a core in double, without vertices. `field` names the shape in the errors of
/// pack_shapes.
CoreRecord<double> core_record(const CoreShape& core, const std::string& field);

/// The vertices of a hull, in its frame; none for other cores.
std::vector<Vector3> core_vertices(const CoreShape& core);

/// Appends a record and, where it is that of a hull, its vertices.
void append_record(PackedShapes& packed, CoreRecord<double> record,
                   std::span<const Vector3> vertices);

/// Appends a point at the origin of its frame: a shape that no user gives, for queries of points.
void append_point(PackedShapes& packed);

/// Throws InvalidInput for shapes that the kernels do not know: volumes of spheres and tori, hulls
/// of more than 256 vertices.
PackedShapes pack_shapes(std::span<const Shape> shapes);

}  // namespace tactum::gpu
