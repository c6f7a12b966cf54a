// SPDX-License-Identifier: BSD-2-Clause
// Solids of unit cubes on a grid, and their exact signed distance in whole numbers: an oracle that
// shares nothing with the library. Such solids touch, nest, fit into each other and have faces in
// one plane at nearly every place.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "mesh/mesh_fixtures.hpp"

namespace tactum::testing {

using Cell = std::array<int, 3>;

/// Cubes of side 2 with corners at even places, so that odd places are half a cube away.
struct Voxels {
  std::set<Cell> cells;  ///< lowest corners divided by 2

  static Voxels random(Random& random, int size, double share) {
    Voxels result;
    for (int x = 0; x < size; ++x)
      for (int y = 0; y < size; ++y)
        for (int z = 0; z < size; ++z)
          if (random.chance(share)) result.cells.insert({x, y, z});
    if (result.cells.empty()) result.cells.insert({0, 0, 0});
    return result;
  }

  bool has_block(const Cell& lowest, const Cell& size) const {
    for (int x = 0; x < size[0]; ++x)
      for (int y = 0; y < size[1]; ++y)
        for (int z = 0; z < size[2]; ++z)
          if (!cells.contains({lowest[0] + x, lowest[1] + y, lowest[2] + z})) return false;
    return true;
  }

  /// All blocks of one or two cubes along each axis, as the lowest cube and the numbers of cubes:
  /// the union of their insides is the inside, faces between cubes included.
  std::vector<std::pair<Cell, Cell>> blocks() const {
    std::vector<std::pair<Cell, Cell>> result;
    for (const Cell& cell : cells) {
      for (int i = 0; i < 8; ++i) {
        const Cell size = {1 + (i & 1), 1 + ((i >> 1) & 1), 1 + (i >> 2)};
        if (has_block(cell, size)) result.emplace_back(cell, size);
      }
    }
    return result;
  }

  /// The squares between a cube and no cube, counter-clockwise seen from outside.
  std::vector<std::array<Cell, 4>> faces() const {
    std::vector<std::array<Cell, 4>> result;
    for (const Cell& cell : cells) {
      for (int axis = 0; axis < 3; ++axis) {
        for (const int side : {0, 1}) {
          Cell next = cell;
          next[static_cast<std::size_t>(axis)] += side == 1 ? 1 : -1;
          if (cells.contains(next)) continue;
          std::array<Cell, 4> square;
          for (std::size_t k = 0; k < 4; ++k) {
            Cell corner = cell;
            const auto u = static_cast<std::size_t>((axis + 1) % 3),
                       v = static_cast<std::size_t>((axis + 2) % 3);
            corner[static_cast<std::size_t>(axis)] += side;
            corner[u] += k == 1 || k == 2 ? 1 : 0;
            corner[v] += k >= 2 ? 1 : 0;
            square[side == 1 ? k : 3 - k] = {2 * corner[0], 2 * corner[1], 2 * corner[2]};
          }
          result.push_back(square);
        }
      }
    }
    return result;
  }

  RawMesh mesh(Random& random) const {
    std::map<Cell, int> index;
    std::vector<Cell> corners;
    std::vector<Eigen::Vector3i> triangles;
    const auto at = [&](const Cell& cell) {
      const auto [place, is_new] = index.try_emplace(cell, static_cast<int>(corners.size()));
      if (is_new) corners.push_back(cell);
      return place->second;
    };
    for (const auto& f : faces()) {
      const std::size_t k = random.chance(0.5) ? 0 : 1;  // either diagonal
      triangles.emplace_back(at(f[k]), at(f[k + 1]), at(f[k + 2]));
      triangles.emplace_back(at(f[k]), at(f[k + 2]), at(f[(k + 3) % 4]));
    }
    RawMesh raw{Points(3, static_cast<Eigen::Index>(corners.size())),
                Triangles(3, static_cast<Eigen::Index>(triangles.size()))};
    for (std::size_t i = 0; i < corners.size(); ++i)
      raw.vertices.col(static_cast<Eigen::Index>(i)) = Vector3(corners[i][0], corners[i][1],
                                                               corners[i][2]);
    for (std::size_t i = 0; i < triangles.size(); ++i)
      raw.triangles.col(static_cast<Eigen::Index>(i)) = triangles[i];
    return raw;
  }
};

/// Open boxes of translations of B, with whole corners, at which some part of B is inside A.
class Obstacles {
 public:
  /// A solid and B solid.
  static Obstacles of_solids(const Voxels& a, const Voxels& b) {
    Obstacles result;
    for (const Cell& p : a.cells)
      for (const Cell& q : b.cells) result.add(p, q, {2, 2, 2});
    return result;
  }
  /// A solid and B the surface of a solid.
  static Obstacles of_surface(const Voxels& a, const Voxels& b) {
    Obstacles result;
    for (const auto& [p, size] : a.blocks()) {
      for (const auto& face : b.faces()) {
        Box box;
        for (std::size_t k = 0; k < 3; ++k) {
          const auto [low, high] = std::minmax({face[0][k], face[1][k], face[2][k], face[3][k]});
          box.low[k] = 2 * p[k] - high;
          box.high[k] = 2 * (p[k] + size[k]) - low;
        }
        result.boxes_.insert(box);
      }
    }
    return result;
  }

  /// The signed distance of A and B moved by `at`: the distance to the nearest box, or minus that
  /// to the nearest place in none.
  double signed_distance(const Cell& at) const {
    double nearest = HUGE_VAL;
    for (const Box& box : boxes_) {
      double square = 0.0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double gap = std::max({0, box.low[k] - at[k], at[k] - box.high[k]});
        square += gap * gap;
      }
      nearest = std::min(nearest, std::sqrt(square));
    }
    if (nearest > 0.0 || !covers(doubled(at))) return nearest;
    return -way_out(at);
  }

 private:
  struct Box {
    Cell low, high;
    friend auto operator<=>(const Box& a, const Box& b) = default;
  };

  void add(const Cell& p, const Cell& q, const Cell& side) {
    Box box;
    for (std::size_t k = 0; k < 3; ++k) {
      box.low[k] = 2 * (p[k] - q[k]) - side[k];
      box.high[k] = 2 * (p[k] - q[k]) + side[k];
    }
    boxes_.insert(box);
  }

  static Cell doubled(const Cell& at) { return {2 * at[0], 2 * at[1], 2 * at[2]}; }

  /// Vertices, edges, faces and cells of the whole grid by twice the place of their middle: an odd
  /// number stands for the open interval between two whole ones.
  bool covers(const Cell& feature) const {
    for (const Box& box : boxes_) {
      bool inside = true;
      for (std::size_t k = 0; k < 3; ++k)
        inside = inside && 2 * box.low[k] < feature[k] && feature[k] < 2 * box.high[k];
      if (inside) return true;
    }
    return false;
  }

  /// The distance to the nearest feature of the grid that no box covers.
  double way_out(const Cell& at) const {
    Cell low = boxes_.begin()->low, high = boxes_.begin()->high;
    for (const Box& box : boxes_)
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], box.low[k]);
        high[k] = std::max(high[k], box.high[k]);
      }
    double best = HUGE_VAL;
    for (int x = 2 * low[0]; x <= 2 * high[0]; ++x)
      for (int y = 2 * low[1]; y <= 2 * high[1]; ++y)
        for (int z = 2 * low[2]; z <= 2 * high[2]; ++z) {
          const Cell feature = {x, y, z};
          double square = 0.0;
          for (std::size_t k = 0; k < 3; ++k) {
            const double half = feature[k] % 2 != 0 ? 0.5 : 0.0;
            const double gap = std::max(0.0, std::abs(0.5 * feature[k] - at[k]) - half);
            square += gap * gap;
          }
          if (std::sqrt(square) < best && !covers(feature)) best = std::sqrt(square);
        }
    return best;
  }

  std::set<Box> boxes_;
};

}  // namespace tactum::testing
