// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/direction_search.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "math/tangent_basis.hpp"

namespace tactum {
namespace {

using Vector2 = Eigen::Vector2d;

struct Corner {
  Vector3 n;
  MinkowskiPoint point;
};

/// Directions with s in [s[0], s[1]] and e on the arc from e[0] to e[1] (at most a quarter circle); corner 2 i + j is at s[i], e[j].
struct Cell {
  std::array<double, 2> s;
  std::array<Vector2, 2> e;
  std::array<Corner, 4> corners;
  double bound = std::numeric_limits<double>::infinity();  ///< no direction of the cell has a larger separation
};

double cross(const Vector2& a, const Vector2& b) { return a.x() * b.y() - a.y() * b.x(); }

/// Maximum over the cell of c . (sqrt(1 - s^2) e, s), c in the frame of the cells.
double maximum(const Cell& cell, const Vector3& c) {
  const Vector2 flat = c.head<2>();
  const bool inside = cross(cell.e[0], flat) >= 0.0 && cross(flat, cell.e[1]) >= 0.0;
  const double radial = inside ? flat.norm() : std::max(flat.dot(cell.e[0]), flat.dot(cell.e[1]));
  const auto value = [&](double s) { return c.z() * s + std::sqrt(std::max(0.0, 1.0 - s * s)) * radial; };
  double best = std::max(value(cell.s[0]), value(cell.s[1]));
  if (radial > 0.0) {
    // concave in s: the top may be inside
    const double length = std::hypot(radial, c.z());
    const double top = c.z() / length;
    if (top > cell.s[0] && top < cell.s[1]) best = length;
  }
  return best;
}

/// The bounds sep(n) <= n.linear_j - constant_j of the four corners, linear in the frame of the cells.
struct Columns {
  std::array<Vector3, 4> linear;
  std::array<double, 4> constant;
};

/// Weights on up to three columns.
struct Mixture {
  std::array<std::size_t, 3> column;
  std::array<double, 3> weight;
};

double bound_of(const Cell& cell, const Columns& columns, const Mixture& mixture) {
  Vector3 linear = Vector3::Zero();
  double constant = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    linear += mixture.weight[k] * columns.linear[mixture.column[k]];
    constant += mixture.weight[k] * columns.constant[mixture.column[k]];
  }
  return maximum(cell, linear) - constant;
}

/// The search proper, on a stack of cells: depth first, the better half first.
class Search {
 public:
  Search(CorePair& pair, double gap, int max_cells, Optimum& optimum)
      : pair_(pair), gap_(gap), budget_(max_cells), optimum_(optimum), axis_a_(minorant_axis(pair.a())), axis_b_(minorant_axis(pair.b())) {
    const Matrix3& R = pair.X_AB().rotation;
    const Vector3 z = axis_a_ >= 0 ? Vector3(Vector3::Unit(axis_a_)) : axis_b_ >= 0 ? Vector3(R.col(axis_b_).normalized()) : Vector3(Vector3::UnitZ());
    frame_ << tangent_basis(z), z;
    if (axis_a_ >= 0) axis_of_a_ = frame_.transpose() * Vector3::Unit(axis_a_);
    if (axis_b_ >= 0) axis_of_b_ = -(frame_.transpose() * R.col(axis_b_));
  }

  bool run() {
    const std::array<Vector2, 5> around = {Vector2(1, 0), Vector2(0, 1), Vector2(-1, 0), Vector2(0, -1), Vector2(1, 0)};
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
      for (const double low : {-1.0, 0.0}) {
        Cell cell{{low, low + 1.0}, {around[quarter], around[quarter + 1]}, {}};
        for (std::size_t i = 0; i < 4; ++i) cell.corners[i] = corner(cell.s[i / 2], cell.e[i % 2]);
        refine(cell);
        push(cell);
      }
    }
    while (depth_ > 0) {
      const Cell cell = stack_[static_cast<std::size_t>(--depth_)];
      if (cell.bound <= optimum_.lower + gap_ || budget_-- <= 0) {
        proved_ = std::max(proved_, cell.bound);
      } else {
        split(cell);
      }
    }
    return proved_ <= optimum_.lower + gap_;
  }

  double proved() const { return std::max(proved_, optimum_.lower); }

 private:
  static constexpr int kMaxDepth = 160;

  Corner corner(double s, const Vector2& e) {
    const double flat = std::sqrt(std::max(0.0, 1.0 - s * s));
    const Vector3 n = (frame_ * Vector3(flat * e.x(), flat * e.y(), s)).normalized();
    const Corner result{n, pair_.support(n)};
    const double lower = n.dot(result.point.w);
    if (lower > optimum_.lower) {
      Simplex single;
      single.push(result.point);
      single.weights[0] = 1.0;
      optimum_ = optimum_of(single, n, lower);
      improved_ = true;
    }
    return result;
  }

  /// Range over the cell of the coordinate that a core of revolution depends on.
  std::array<double, 2> range(const Cell& cell, int axis, const Vector3& direction) const {
    if (axis < 0) return {0.0, 0.0};
    return {std::max(-1.0, -maximum(cell, -direction)), std::min(1.0, maximum(cell, direction))};
  }

  Columns columns_of(const Cell& cell) const {
    const std::array<double, 2> range_a = range(cell, axis_a_, axis_of_a_), range_b = range(cell, axis_b_, axis_of_b_);
    Columns columns;
    for (std::size_t j = 0; j < 4; ++j) {
      const SupportMinorant minorant = pair_.minorant(cell.corners[j].point, range_a, range_b);
      columns.linear[j] = frame_.transpose() * minorant.linear;
      columns.constant[j] = minorant.constant;
    }
    return columns;
  }

  double bound(const Cell& cell, const Columns& columns) const {
    // what column j promises at corner i
    Eigen::Matrix4d payoff;
    for (std::size_t i = 0; i < 4; ++i) {
      const Vector3 n = frame_.transpose() * cell.corners[i].n;
      for (std::size_t j = 0; j < 4; ++j) payoff(static_cast<int>(i), static_cast<int>(j)) = n.dot(columns.linear[j]) - columns.constant[j];
    }
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 4; ++i) {
      best = std::min(best, bound_of(cell, columns, {{i, i, i}, {1.0, 0.0, 0.0}}));
      for (std::size_t j = i + 1; j < 4; ++j) {
        best = std::min(best, pair_bound(cell, columns, payoff, i, j));
        for (std::size_t k = j + 1; k < 4; ++k) best = std::min(best, triple_bound(cell, columns, payoff, i, j, k));
      }
    }
    return best;
  }

  /// Two columns, equal at their own corners.
  static double pair_bound(const Cell& cell, const Columns& columns, const Eigen::Matrix4d& payoff, std::size_t a, std::size_t b) {
    const int i = static_cast<int>(a), j = static_cast<int>(b);
    const double rise = (payoff(i, i) - payoff(j, i)) - (payoff(i, j) - payoff(j, j));
    if (!(std::abs(rise) > 0.0)) return std::numeric_limits<double>::infinity();
    const double share = std::clamp((payoff(j, j) - payoff(i, j)) / rise, 0.0, 1.0);
    return bound_of(cell, columns, {{a, b, b}, {share, 1.0 - share, 0.0}});
  }

  /// Three columns, equal at their own corners.
  static double triple_bound(const Cell& cell, const Columns& columns, const Eigen::Matrix4d& payoff, std::size_t a, std::size_t b, std::size_t c) {
    const std::array<int, 3> index = {static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)};
    Vector3 first, second;
    for (int k = 0; k < 3; ++k) {
      const int column = index[static_cast<std::size_t>(k)];
      first[k] = payoff(index[0], column) - payoff(index[2], column);
      second[k] = payoff(index[1], column) - payoff(index[2], column);
    }
    const Vector3 weights = first.cross(second);
    const double sum = weights.sum();
    if (!(std::abs(sum) > 0.0)) return std::numeric_limits<double>::infinity();
    const Vector3 share = weights / sum;
    if (!(share.minCoeff() >= 0.0)) return std::numeric_limits<double>::infinity();
    return bound_of(cell, columns, {{a, b, c}, {share[0], share[1], share[2]}});
  }

  void push(Cell cell) {
    const Columns columns = columns_of(cell);
    cell.bound = std::min(cell.bound, bound(cell, columns));
    if (cell.bound <= optimum_.lower + gap_ || depth_ == kMaxDepth) {
      proved_ = std::max(proved_, cell.bound);
    } else {
      stack_[static_cast<std::size_t>(depth_++)] = cell;
    }
  }

  /// How much the bounds of the cell change across s and across e: linear parts of the columns, and curvature of the profiles.
  std::array<double, 2> variation(const Cell& cell) const {
    const Columns columns = columns_of(cell);
    const double flat = std::sqrt(std::max(0.0, 1.0 - std::min(cell.s[0] * cell.s[0], cell.s[1] * cell.s[1])));
    const std::array<Vector3, 2> along = {frame_.transpose() * (cell.corners[2].n - cell.corners[0].n),
                                          frame_.transpose() * (cell.corners[3].n - cell.corners[1].n)};
    const Vector2 arc = flat * (cell.e[1] - cell.e[0]);
    std::array<double, 2> result = {0.0, 0.0};
    for (const Vector3& linear : columns.linear) {
      result[0] = std::max({result[0], std::abs(linear.dot(along[0])), std::abs(linear.dot(along[1]))});
      result[1] = std::max(result[1], std::abs(linear.head<2>().dot(arc)));
    }
    const auto add_curvature = [&](const CoreShape& core, int axis, const Vector3& direction) {
      if (axis < 0) return;
      const double size = core.size.maxCoeff();
      const double across_s = std::max(std::abs(direction.dot(along[0])), std::abs(direction.dot(along[1])));
      const double across_e = std::abs(direction.head<2>().dot(arc));
      result[0] += size * across_s * across_s;
      result[1] += size * across_e * across_e;
    };
    add_curvature(pair_.a(), axis_a_, axis_of_a_);
    add_curvature(pair_.b(), axis_b_, axis_of_b_);
    return result;
  }

  void split(const Cell& cell) {
    const std::array<double, 2> change = variation(cell);
    Cell first = cell, second = cell;
    if (change[0] >= change[1]) {
      const double middle = 0.5 * (cell.s[0] + cell.s[1]);
      const Corner left = corner(middle, cell.e[0]), right = corner(middle, cell.e[1]);
      first.s[1] = second.s[0] = middle;
      first.corners[2] = second.corners[0] = left;
      first.corners[3] = second.corners[1] = right;
    } else {
      const Vector2 middle = (cell.e[0] + cell.e[1]).normalized();
      const Corner low = corner(cell.s[0], middle), high = corner(cell.s[1], middle);
      first.e[1] = second.e[0] = middle;
      first.corners[1] = second.corners[0] = low;
      first.corners[3] = second.corners[2] = high;
    }
    refine(first);
    push(first);
    push(second);
  }

  /// After a new best direction: let Newton take it to the bottom of its basin, so that fewer cells survive.
  void refine(const Cell& cell) {
    if (!improved_) return;
    improved_ = false;
    Simplex simplex;
    for (std::size_t i = 0; i < 3; ++i) {
      simplex.push(cell.corners[i + 1].point);
      simplex.weights[i] = 1.0 / 3.0;
    }
    newton_finish(pair_, simplex, optimum_.normal, optimum_);
  }

  CorePair& pair_;
  double gap_;
  int budget_;
  Optimum& optimum_;
  int axis_a_;
  int axis_b_;
  Matrix3 frame_;  ///< columns: two directions around, the axis z of the cells; from the frame of the cells to that of A
  Vector3 axis_of_a_ = Vector3::Zero();  ///< axis of A in the frame of the cells
  Vector3 axis_of_b_ = Vector3::Zero();  ///< minus the axis of B: B is supported along -n
  bool improved_ = false;
  int depth_ = 0;
  double proved_ = -std::numeric_limits<double>::infinity();
  std::array<Cell, kMaxDepth> stack_;
};

}  // namespace

bool search_sphere(CorePair& pair, double gap, int max_cells, Optimum& optimum, double& upper) {
  Search search(pair, gap, max_cells, optimum);
  const bool complete = search.run();
  upper = std::min(upper, search.proved());
  return complete;
}

}  // namespace tactum
