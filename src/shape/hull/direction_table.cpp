// SPDX-License-Identifier: BSD-2-Clause
// Construction of the lists of a direction table.
//
// A vertex i can be farthest within a convex set of directions only if d.(x_i - x_j) >= -slack
// somewhere in it for every other vertex j, and each j bounds that part of the set by a plane. So
// any choice of j gives a valid reason to drop i, and none to keep it: lists may be too long and
// never too short, whatever the faces of the hull. From an octant down to its cells, ranges are
// halved and lists filtered: first by vertices that win at every corner of the range, in the end by
// cutting the cell, plane by plane.
//
// Slack      twice the rounding error of heights in double. Every cell is also widened by 2^-20 of
//            the octahedron, more than the error of float directions and of the index of a cell.
#include "shape/hull/direction_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

constexpr std::size_t kLargestScan = 64;  // up to here one list of all vertices is faster than a
                                          // table
constexpr std::size_t kMostNeighbors = 24, kMostRivals = 8;  // vertices that a cell is cut by; a
                                                             // flat cap would have thousands
constexpr double kWidening = 0x1p-20;

/// A convex polygon of directions. Cutting off a corner adds one: there is room for the cell's five
/// corners and one for every cut.
struct Polygon {
  // entries from `size` on are not set
  std::array<Vector3, 5 + kMostNeighbors + kMostRivals> corners;
  std::size_t size = 0;

  void push(const Vector3& corner) { corners[size++] = corner; }
  Vector3 center() const {
    Vector3 sum = Vector3::Zero();
    for (std::size_t k = 0; k < size; ++k) sum += corners[k];
    return sum / static_cast<double>(size);
  }
};

/// Writes the part of the polygon where normal . d + offset >= 0.
void cut(const Polygon& polygon, const Vector3& normal, double offset, Polygon& result) {
  result.size = 0;
  const Vector3* from = &polygon.corners[polygon.size - 1];
  double at_from = normal.dot(*from) + offset;
  for (std::size_t k = 0; k < polygon.size; ++k) {
    const Vector3* to = &polygon.corners[k];
    const double at_to = normal.dot(*to) + offset;
    if ((at_from >= 0.0) != (at_to >= 0.0))
      result.push(*from + (at_from / (at_from - at_to)) * (*to - *from));
    if (at_to >= 0.0) result.push(*to);
    from = to;
    at_from = at_to;
  }
}

/// Whether a point of the polygon has normal . d + offset < 0.
bool is_cut_by(const Polygon& polygon, const Vector3& normal, double offset) {
  for (std::size_t k = 0; k < polygon.size; ++k) {
    if (normal.dot(polygon.corners[k]) + offset < 0.0) return true;
  }
  return false;
}

/// A hull in the frame of the table.
struct PlacedHull {
  std::span<const Vector3> points;
  const HullVertex* vertices;
  std::span<const std::int32_t> neighbors;

  std::span<const std::int32_t> some_neighbors(std::int32_t i) const {
    if (neighbors.empty()) return {};
    const auto count = std::min(static_cast<std::size_t>(vertices[i].num_neighbors),
                                kMostNeighbors);
    return neighbors.subspan(static_cast<std::size_t>(vertices[i].first_neighbor), count);
  }
};

std::size_t blocks_of(const std::vector<std::int32_t>& list) {
  return (list.size() + SupportBlock::kWidth - 1) / SupportBlock::kWidth;
}

/// Fills the lists for one resolution, or stops where they take more bytes than there are.
class TableFiller {
 public:
  TableFiller(const PlacedHull& hull, double slack, std::int32_t resolution, std::size_t budget)
      : points_(hull.points), hull_(hull), slack_(slack), resolution_(resolution), budget_(budget) {
    cells.resize(8 * static_cast<std::size_t>(cells_in_octant()));
    bytes_ = cells.size() * sizeof(SupportList);
    std::vector<std::int32_t> all(points_.size());
    std::iota(all.begin(), all.end(), 0);
    for (std::uint32_t octant = 0; octant < 8; ++octant) {
      octant_ = octant;
      refine({0, resolution, 0, resolution}, all);
    }
  }

  bool is_within_budget() const { return bytes_ <= budget_; }

  std::vector<std::vector<std::int32_t>> cells;  // vertices of each, ascending

 private:
  struct Range {
    std::int32_t first_column, last_column, first_row, last_row;  // the last ones are excluded
  };

  std::uint32_t cells_in_octant() const {
    return DirectionTable::cells_in_octant(static_cast<std::uint32_t>(resolution_));
  }

  std::vector<std::int32_t>& cell(std::int32_t column, std::int32_t row) {
    const auto in_row = static_cast<std::uint32_t>(column);
    const std::uint32_t before = DirectionTable::row_start(static_cast<std::uint32_t>(row),
                                                           static_cast<std::uint32_t>(resolution_));
    return cells[octant_ * cells_in_octant() + before + in_row];
  }

  Polygon polygon(const Range& range) const {
    const double side = 1.0 / resolution_;
    const double low_x = range.first_column * side - kWidening,
                 high_x = range.last_column * side + kWidening;
    const double low_y = range.first_row * side - kWidening,
                 high_y = range.last_row * side + kWidening;
    Polygon square;
    for (const auto& [x, y] :
         {std::pair(low_x, low_y), {high_x, low_y}, {high_x, high_y}, {low_x, high_y}}) {
      square.push({x, y, 1.0 - x - y});
    }
    Polygon result;
    cut(square, Vector3::UnitZ(), kWidening, result);
    const Vector3 signs((octant_ & 1) != 0 ? -1.0 : 1.0, (octant_ & 2) != 0 ? -1.0 : 1.0,
                        (octant_ & 4) != 0 ? -1.0 : 1.0);
    for (std::size_t k = 0; k < result.size; ++k)
      result.corners[k] = result.corners[k].cwiseProduct(signs);
    return result;
  }

  void refine(const Range& range, const std::vector<std::int32_t>& candidates) {
    if (range.first_column + range.first_row >= resolution_ || !is_within_budget()) return;
    if (range.first_column == range.last_column || range.first_row == range.last_row) return;
    check_interrupt();
    const Polygon directions = polygon(range);
    std::vector<std::int32_t> left = without_dominated(directions, candidates);
    if (range.last_column - range.first_column == 1 && range.last_row - range.first_row == 1) {
      std::vector<std::int32_t>& list = cell(range.first_column, range.first_row);
      list = after_cuts(directions, left);
      bytes_ += blocks_of(list) * sizeof(SupportBlock);
      return;
    }
    const std::int32_t column = (range.first_column + range.last_column + 1) / 2;
    const std::int32_t row = (range.first_row + range.last_row + 1) / 2;
    refine({range.first_column, column, range.first_row, row}, left);
    refine({column, range.last_column, range.first_row, row}, left);
    refine({range.first_column, column, row, range.last_row}, left);
    refine({column, range.last_column, row, range.last_row}, left);
  }

  /// Heights of the candidates, corner after corner, and at the center last.
  std::vector<double> heights_of(const Polygon& directions,
                                 const std::vector<std::int32_t>& candidates) const {
    std::vector<double> heights((directions.size + 1) * candidates.size());
    for (std::size_t k = 0; k <= directions.size; ++k) {
      const Vector3 direction = k < directions.size ? directions.corners[k] : directions.center();
      double* row = heights.data() + k * candidates.size();
      for (std::size_t i = 0; i < candidates.size(); ++i)
        row[i] = direction.dot(points_[candidates[i]]);
    }
    return heights;
  }

  /// Drops vertices that lose at every corner against one of those farthest at a corner or at the
  /// center.
  std::vector<std::int32_t> without_dominated(const Polygon& directions,
                                              const std::vector<std::int32_t>& candidates) const {
    const std::vector<double> heights = heights_of(directions, candidates);
    const std::size_t count = candidates.size();
    std::vector<std::size_t> winners;
    std::vector<double> lead(count, 0.0);  // the largest, over winners, of the least lead over
                                           // corners
    std::vector<double> least(count);
    for (std::size_t k = 0; k <= directions.size; ++k) {
      const double* row = heights.data() + k * count;
      const auto winner = static_cast<std::size_t>(std::max_element(row, row + count) - row);
      if (std::find(winners.begin(), winners.end(), winner) != winners.end()) continue;
      winners.push_back(winner);
      std::fill(least.begin(), least.end(), std::numeric_limits<double>::infinity());
      for (std::size_t corner = 0; corner < directions.size; ++corner) {
        const double* at = heights.data() + corner * count;
        const double highest = at[winner];
        for (std::size_t i = 0; i < count; ++i) least[i] = std::min(least[i], highest - at[i]);
      }
      for (std::size_t i = 0; i < count; ++i) lead[i] = std::max(lead[i], least[i]);
    }
    std::vector<std::int32_t> result;
    for (std::size_t i = 0; i < count; ++i) {
      if (lead[i] <= slack_) result.push_back(candidates[i]);
    }
    return result;
  }

  /// Drops vertices whose part of the cell is empty after cuts by their neighbors and by the
  /// vertices highest at its center.
  std::vector<std::int32_t> after_cuts(const Polygon& directions,
                                       const std::vector<std::int32_t>& candidates) const {
    const Vector3 center = directions.center();
    std::vector<std::pair<double, std::int32_t>> by_height;
    for (const std::int32_t i : candidates) by_height.emplace_back(-center.dot(points_[i]), i);
    const std::size_t num_rivals = std::min(by_height.size(), kMostRivals);
    const auto end = by_height.begin() + static_cast<std::ptrdiff_t>(num_rivals);
    std::partial_sort(by_height.begin(), end, by_height.end());
    std::vector<std::int32_t> rivals;
    for (std::size_t k = 0; k < num_rivals; ++k) rivals.push_back(by_height[k].second);
    std::vector<std::int32_t> result;
    for (const std::int32_t i : candidates) {
      Parts parts{&directions, {}};
      if (has_remainder(parts, i, rivals) && has_remainder(parts, i, hull_.some_neighbors(i)))
        result.push_back(i);
    }
    return result;
  }

  /// The part of a cell that is left, in one of two buffers once it has been cut.
  struct Parts {
    const Polygon* left;
    std::array<Polygon, 2> buffers;
  };

  bool has_remainder(Parts& parts, std::int32_t i, std::span<const std::int32_t> rivals) const {
    for (const std::int32_t rival : rivals) {
      const Vector3 ahead = points_[i] - points_[rival];
      if (rival == i || !is_cut_by(*parts.left, ahead, slack_)) continue;
      Polygon& smaller = parts.left == &parts.buffers[0] ? parts.buffers[1] : parts.buffers[0];
      cut(*parts.left, ahead, slack_, smaller);
      if (smaller.size == 0) return false;
      parts.left = &smaller;
    }
    return true;
  }

  std::span<const Vector3> points_;
  PlacedHull hull_;
  double slack_;
  std::int32_t resolution_;
  std::uint32_t octant_ = 0;
  std::size_t budget_, bytes_ = 0;
};

std::size_t num_blocks_of(const std::vector<std::vector<std::int32_t>>& cells) {
  std::size_t result = 0;
  for (const auto& cell : cells) result += blocks_of(cell);
  return result;
}

/// The coarsest table whose lists have about nine vertices, or the finest within the budget. Around
/// a round hull a cell of area A meets 1 + m A + 2.74 sqrt(m A) of the polygons in which each
/// vertex is farthest, m of them in a unit of area (random polygons).
std::int32_t first_resolution(std::size_t num_vertices, std::size_t budget) {
  std::int32_t resolution = 1;
  for (;; ++resolution) {
    const double squares = 4.0 * resolution * resolution;
    const double cells = squares + 4.0 * resolution;  // with the triangles along the diagonals
    const double per_square = static_cast<double>(num_vertices) / squares;
    const double listed = 1.0 + per_square + 2.74 * std::sqrt(per_square);
    // a list fits its block up to ten vertices on average; beyond that the rest takes another block
    const double num_blocks = cells * std::max(1.05, (listed + 7.0) / SupportBlock::kWidth);
    if (num_blocks * sizeof(SupportBlock) + cells * sizeof(SupportList) >
        static_cast<double>(budget))
      break;
    if (listed < 9.0) return resolution;
  }
  return std::max(resolution - 1, 1);
}

/// Bounding box of the vertices: its center, its half extents and the largest coordinate of each
/// axis.
struct Extents {
  Vector3 center, half, largest;
};

Extents extents_of(std::span<const HullVertex> vertices) {
  Vector3 low = vertices[0].point, high = vertices[0].point;
  for (const HullVertex& vertex : vertices) {
    low = low.cwiseMin(vertex.point);
    high = high.cwiseMax(vertex.point);
  }
  Vector3 half = 0.5 * high - 0.5 * low;
  const double widest = half.maxCoeff();
  half = widest > 0.0 ? Vector3(half.cwiseMax(0x1p-10 * widest)) : Vector3::Ones();
  return {0.5 * high + 0.5 * low, half, high.cwiseAbs().cwiseMax(low.cwiseAbs())};
}

}  // namespace

DirectionTable::DirectionTable(std::span<const HullVertex> vertices,
                               std::span<const std::int32_t> neighbors, std::size_t budget) {
  const Extents extents = extents_of(vertices);
  // the scale in float is exact by definition: coordinates are divided by the value it represents
  Vector3 unit;
  for (int k = 0; k < 3; ++k) {
    view_.scale[k] = static_cast<float>(extents.half[k] / extents.half.maxCoeff());
    unit[k] = static_cast<double>(view_.scale[k]) * extents.half.maxCoeff();
  }
  std::vector<Vector3> points(vertices.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = (vertices[i].point - extents.center).cwiseQuotient(unit);
  const double double_error = 0x1p-53 * extents.largest.cwiseQuotient(unit).maxCoeff();

  view_.tolerance = static_cast<float>(14.0 * 0x1p-24 + 16.0 * double_error);
  view_.num_vertices = static_cast<std::int32_t>(vertices.size());
  view_.vertices = vertices.data();
  if (vertices.size() <= TinyHull::kMostVertices) {
    set_tiny(vertices);
  } else {
    set_cells(points, neighbors, double_error, budget);
  }
}

void DirectionTable::set_tiny(std::span<const HullVertex> vertices) {
  tiny_.resize(1);
  for (std::size_t i = 0; i < TinyHull::kMostVertices; ++i) {
    const Vector3& point = vertices[std::min(i, vertices.size() - 1)].point;
    tiny_[0].x[i] = point.x();
    tiny_[0].y[i] = point.y();
    tiny_[0].z[i] = point.z();
  }
  view_.tiny = tiny_.data();
}

void DirectionTable::set_cells(std::span<const Vector3> points,
                               std::span<const std::int32_t> neighbors, double double_error,
                               std::size_t budget) {
  const double slack = 0x1p-40 + 32.0 * double_error;
  std::int32_t resolution = first_resolution(points.size(), budget);
  for (; points.size() > kLargestScan && resolution > 0;
       resolution -= std::max(1, resolution / 8)) {
    const TableFiller filler({points, view_.vertices, neighbors}, slack, resolution, budget);
    if (!filler.is_within_budget()) continue;
    view_.resolution = resolution;
    set_blocks(points, filler.cells);
    return;
  }
  std::vector<std::int32_t> all(points.size());
  std::iota(all.begin(), all.end(), 0);
  set_blocks(points, {all});
}

void DirectionTable::set_blocks(std::span<const Vector3> points,
                                const std::vector<std::vector<std::int32_t>>& cells) {
  const auto write = [&](SupportBlock& block, const std::vector<std::int32_t>& cell,
                         std::size_t first) {
    for (std::size_t lane = 0; lane < SupportBlock::kWidth; ++lane) {
      const std::int32_t vertex = cell[std::min(first + lane, cell.size() - 1)];
      block.x[lane] = static_cast<float>(points[vertex].x());
      block.y[lane] = static_cast<float>(points[vertex].y());
      block.z[lane] = static_cast<float>(points[vertex].z());
      block.vertex[lane] = vertex;
    }
  };
  lists_.resize(cells.size());
  blocks_.resize(num_blocks_of(cells));
  std::size_t next = cells.size();
  for (std::size_t c = 0; c < cells.size(); ++c) {
    lists_[c] = {static_cast<std::uint32_t>(next), static_cast<std::uint32_t>(cells[c].size())};
    write(blocks_[c], cells[c], 0);
    for (std::size_t i = SupportBlock::kWidth; i < cells[c].size(); i += SupportBlock::kWidth)
      write(blocks_[next++], cells[c], i);
  }
  view_.lists = lists_.data();
  view_.blocks = blocks_.data();
}

std::size_t DirectionTable::nbytes() const {
  const auto bytes = [](const auto& table) { return table.capacity() * sizeof(table[0]); };
  return bytes(lists_) + bytes(blocks_) + bytes(tiny_);
}

}  // namespace tactum
