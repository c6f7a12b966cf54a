// SPDX-License-Identifier: BSD-2-Clause
// A short list of hull vertices for every direction, which contains the farthest one.
//
// Frame      coordinates in units of the bounding box, x' = (x - c) / e with half extents e (at
//            least 2^-10 of the largest), and directions d' = (e / max e) d, so that d'.x' orders
//            vertices as d.x does and long or flat hulls fill the table evenly.
// Cells      the octahedron |d'|_1 = 1: its eight faces, each cut into squares of side 1 /
//            resolution in (|d'_x|, |d'_y|), triangles along the diagonal. A cell lists every
//            vertex that is farthest, within rounding, along some direction of the cell. Small
//            hulls have no cells and one list of all vertices (resolution 0), tiny ones their
//            coordinates in double.
// Blocks     lists lie in blocks of sixteen, coordinates in float. The first block of a cell is
//            found from the index of the cell alone, one dependent read less; the rest of a long
//            list follows in other blocks. Float heights only discard: vertices that they leave
//            undecided are compared in double, so the answer is that of a full scan in double, to
//            the bit.
// Error      float heights are off by at most (6.1 u + 4 v r) |d'|_1, u = 2^-24, v = 2^-53, r the
//            largest |x| / e; the double heights that decide by 3 v r |d'|_1. `tolerance` is above
//            twice their sum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tactum/pose.hpp"

namespace tactum {

/// Vertex of a hull and the place of its neighbors: one aligned record, so that reading a vertex
/// touches one cache line.
struct alignas(32) HullVertex {
  Vector3 point;
  std::int32_t first_neighbor = 0;
  std::int32_t num_neighbors = 0;
};

/// Sixteen entries of a list. Unused places at the end of a list repeat its last vertex.
struct alignas(64) SupportBlock {
  static constexpr int kWidth = 16;
  std::array<float, kWidth> x, y, z;
  std::array<std::int32_t, kWidth> vertex;
};

/// All vertices of a tiny hull, in double; unused places repeat the last vertex.
struct alignas(64) TinyHull {
  static constexpr int kMostVertices = 16;
  std::array<double, kMostVertices> x, y, z;
};

/// Number of vertices of a cell, and the block where the list goes on beyond its first block.
struct SupportList {
  std::uint32_t next_block = 0;
  std::uint32_t num_vertices = 0;
};

struct SupportView;

/// Index of the farthest vertex along three numbers, the lowest among equals. Where all are zero it
/// is vertex 0; where one is not finite it may be any vertex. Adds the number of vertices looked at
/// to `visited`.
using SupportScan = int(const SupportView& view, const double* direction, int& visited);

/// The fields that a scan reads first, in one cache line. They point into a DirectionTable and the
/// vertices it was made of.
struct alignas(64) SupportView {
  SupportScan* scan = nullptr;
  const HullVertex* vertices = nullptr;
  const SupportList* lists = nullptr;    ///< one a cell, octant by octant, row by row
  const SupportBlock* blocks = nullptr;  ///< one a cell in the same order, then the rest of long
                                         ///< lists
  const TinyHull* tiny = nullptr;
  std::array<float, 3> scale{1.0F, 1.0F, 1.0F};  ///< e / max e
  float tolerance = 0.0F;       ///< heights nearer than tolerance |d'|_1 are told apart in double
  std::int32_t resolution = 0;  ///< cells along an edge of the octahedron; 0: one list of all
  std::int32_t num_vertices = 0;
};

/// Owner of the lists. Moving it leaves views valid; it is never copied.
class DirectionTable {
 public:
  DirectionTable() = default;
  /// Table of at least one vertex; with cells it takes at most `budget` bytes. The vertices must
  /// stay where they are. Their neighbors only make lists shorter: wrong ones do no harm.
  DirectionTable(std::span<const HullVertex> vertices, std::span<const std::int32_t> neighbors,
                 std::size_t budget);
  DirectionTable(DirectionTable&&) = default;
  DirectionTable& operator=(DirectionTable&&) = default;
  DirectionTable(const DirectionTable&) = delete;
  DirectionTable& operator=(const DirectionTable&) = delete;

  /// Sets everything but the scan function.
  const SupportView& view() const { return view_; }
  std::span<const SupportList> lists() const { return lists_; }
  std::span<const SupportBlock> blocks() const { return blocks_; }

  /// Number of cells of one octant: rows of resolution, resolution - 1, ... 1.
  static constexpr std::uint32_t cells_in_octant(std::uint32_t resolution) {
    return resolution * (resolution + 1) / 2;
  }
  static constexpr std::uint32_t row_start(std::uint32_t row, std::uint32_t resolution) {
    return row * (2 * resolution + 1 - row) / 2;
  }

  /// Bytes of memory that the table owns, without its own fields.
  std::size_t nbytes() const;

 private:
  void set_cells(std::span<const Vector3> points, std::span<const std::int32_t> neighbors,
                 double double_error, std::size_t budget);
  void set_blocks(std::span<const Vector3> points,
                  const std::vector<std::vector<std::int32_t>>& cells);
  void set_tiny(std::span<const HullVertex> vertices);

  SupportView view_;
  std::vector<SupportList> lists_;
  std::vector<SupportBlock> blocks_;
  std::vector<TinyHull> tiny_;  // one for a tiny hull, else none
};

}  // namespace tactum
