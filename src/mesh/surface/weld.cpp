// SPDX-License-Identifier: BSD-2-Clause
// Points go into cells of a grid, 16 tolerances wide; a point looks into the cells that the cube of
// half side `tolerance` around it meets, nearly always one. Points of one cell that are not merged
// keep a tolerance apart, so that a cell holds few.
#include "mesh/surface/weld.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "math/epsilon.hpp"
#include "tactum/mesh.hpp"

namespace tactum {
namespace {

using Cell = std::array<std::int64_t, 3>;

struct CellHash {
  std::size_t operator()(const Cell& cell) const {
    std::uint64_t state = 0;
    for (const std::int64_t part : cell) {
      state = (state ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15U;
      state ^= state >> 29U;
    }
    return state;
  }
};

class Grid {
 public:
  Grid(const Points& points, double tolerance)
      : points_(points),
        tolerance_(tolerance),
        // without a tolerance only equal points meet, and any width does
        width_(std::max(16.0 * tolerance, std::numeric_limits<double>::min() * 0x1p60)),
        origin_(points.rowwise().minCoeff()),
        next_(static_cast<std::size_t>(points.cols()), -1) {
    first_.reserve(static_cast<std::size_t>(points.cols()));
  }

  /// The first point in the same place; else -1, and the point is kept.
  std::int32_t find_or_keep(std::int32_t index) {
    const Vector3 point = points_.col(index);
    const Cell low = cell_of(point - Vector3::Constant(tolerance_)),
               high = cell_of(point + Vector3::Constant(tolerance_));
    std::int32_t found = -1;
    for (std::int64_t x = low[0]; x <= high[0]; ++x)
      for (std::int64_t y = low[1]; y <= high[1]; ++y)
        for (std::int64_t z = low[2]; z <= high[2]; ++z) {
          const std::int32_t near = first_in({x, y, z}, point);
          if (near >= 0 && (found < 0 || near < found)) found = near;
        }
    if (found >= 0) return found;
    const auto [place, is_new] = first_.try_emplace(cell_of(point), index);
    if (!is_new) {
      next_[static_cast<std::size_t>(index)] = place->second;
      place->second = index;
    }
    return -1;
  }

 private:
  Cell cell_of(const Vector3& point) const {
    Cell cell;
    for (int i = 0; i < 3; ++i) {
      // beyond 2^60 cells, which only a tolerance of zero gives, all are one
      const double at = std::floor((point[i] - origin_[i]) / width_);
      cell[static_cast<std::size_t>(i)] = std::abs(at) < 0x1p60 ? static_cast<std::int64_t>(at)
                                                                : std::int64_t{1} << 60;
    }
    return cell;
  }

  std::int32_t first_in(const Cell& cell, const Vector3& point) const {
    const auto place = first_.find(cell);
    std::int32_t found = -1;
    for (std::int32_t i = place == first_.end() ? -1 : place->second; i >= 0;
         i = next_[static_cast<std::size_t>(i)]) {
      if ((points_.col(i) - point).cwiseAbs().maxCoeff() <= tolerance_) found = i;
    }
    return found;  // the list goes from late points to early ones
  }

  const Points& points_;
  double tolerance_, width_;
  Vector3 origin_;
  std::unordered_map<Cell, std::int32_t, CellHash> first_;
  std::vector<std::int32_t> next_;
};

}  // namespace

std::vector<std::int32_t> welded(const Points& points, double tolerance) {
  Grid grid(points, tolerance);
  std::vector<std::int32_t> result(static_cast<std::size_t>(points.cols()));
  for (std::int32_t i = 0; i < points.cols(); ++i) {
    const std::int32_t found = grid.find_or_keep(i);
    result[static_cast<std::size_t>(i)] = found < 0 ? i : found;
  }
  return result;
}

double weld_tolerance(const Points& points) {
  const Vector3 extent = points.rowwise().maxCoeff() - points.rowwise().minCoeff();
  return 4.0 * kEpsilon * extent.maxCoeff();
}

Mesh merge_duplicates(const Mesh& mesh) {
  Points vertices = mesh.vertices();
  Triangles triangles = mesh.triangles();
  const std::vector<std::int32_t> first = welded(vertices, weld_tolerance(vertices));
  std::vector<std::int32_t> number(first.size(), -1);  // of a vertex that stays: its new index
  Eigen::Index num_triangles = 0;
  for (Eigen::Index t = 0; t < triangles.cols(); ++t) {
    Eigen::Vector3i corners = triangles.col(t);
    for (std::int32_t& corner : corners) corner = first[static_cast<std::size_t>(corner)];
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) continue;
    for (const std::int32_t corner : corners) number[static_cast<std::size_t>(corner)] = 0;
    triangles.col(num_triangles++) = corners;
  }
  std::int32_t num_vertices = 0;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i] < 0) continue;
    vertices.col(num_vertices) = mesh.vertices().col(static_cast<Eigen::Index>(i));
    number[i] = num_vertices++;
  }
  vertices.conservativeResize(3, num_vertices);
  triangles.conservativeResize(3, num_triangles);
  for (std::int32_t& corner : triangles.reshaped())
    corner = number[static_cast<std::size_t>(corner)];
  return {std::move(vertices), std::move(triangles), mesh.is_solid()};
}

}  // namespace tactum
