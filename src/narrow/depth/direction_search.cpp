// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/depth/direction_search.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "math/constants.hpp"
#include "math/epsilon.hpp"
#include "math/tangent_plane.hpp"
#include "shape/support/support_minorant.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

using Vector2 = Eigen::Vector2d;

constexpr double kBoundRounding = 16.0 * kEpsilon;

/// An arc of the unit circle of at most a quarter turn, counter-clockwise from its first to its
/// second end.
struct Arc {
  std::array<Vector2, 2> end;

  Vector2 middle() const { return (end[0] + end[1]).normalized(); }
  double width() const { return (end[1] - end[0]).norm(); }
};

/// Largest c.u for u on the arc.
double maximum(const Arc& arc, const Vector2& c) {
  const auto cross = [](const Vector2& a, const Vector2& b) {
    return a.x() * b.y() - a.y() * b.x();
  };
  if (cross(arc.end[0], c) >= 0.0 && cross(c, arc.end[1]) >= 0.0) return c.norm();
  return std::max(c.dot(arc.end[0]), c.dot(arc.end[1]));
}

struct Corner {
  Vector3 n;
  MinkowskiPoint point;
};

/// A cell of directions n = sin(theta) e + cos(theta) z with (cos, sin)(theta) on one arc and e on
/// another; corner 2 i + j is at end i of theta and end j of e.
struct Cell {
  Arc theta;
  Arc e;
  std::array<Corner, 4> corners;
  double bound = kInfinity;  ///< no direction of the cell has a larger separation
};

/// A bound on a whole cell: sep(n) <= n.linear - radial sin(theta) - constant, in the frame of the
/// cells.
struct Column {
  Vector3 linear = Vector3::Zero();
  double radial = 0.0;
  double constant = 0.0;

  double at(const Vector3& n) const {
    return n.dot(linear) - radial * std::hypot(n.x(), n.y()) - constant;
  }
};

Column operator*(double weight, const Column& c) {
  return {weight * c.linear, weight * c.radial, weight * c.constant};
}
Column operator+(const Column& a, const Column& b) {
  return {a.linear + b.linear, a.radial + b.radial, a.constant + b.constant};
}

/// Largest value of the bound on the cell, in closed form.
double maximum(const Cell& cell, const Column& column) {
  const double outward = maximum(cell.e, column.linear.head<2>()) - column.radial;
  return maximum(cell.theta, {column.linear.z(), outward}) - column.constant;
}

using Columns = std::array<Column, 4>;
using Payoff = Eigen::Matrix4d;  ///< value of the bound of column j at corner i

/// The bound by the mixture of two columns that are equal at their own corners.
double pair_bound(const Cell& cell, const Columns& columns, const Payoff& payoff, int i, int j) {
  const double rise = (payoff(i, i) - payoff(j, i)) - (payoff(i, j) - payoff(j, j));
  if (!(std::abs(rise) > 0.0)) return kInfinity;
  const double weight = std::clamp((payoff(j, j) - payoff(i, j)) / rise, 0.0, 1.0);
  return maximum(cell, weight * columns[static_cast<std::size_t>(i)] +
                           (1.0 - weight) * columns[static_cast<std::size_t>(j)]);
}

/// The bound by the mixture of three columns that are equal at their own corners.
double triple_bound(const Cell& cell, const Columns& columns, const Payoff& payoff, int i, int j,
                    int k) {
  const Vector3 first(payoff(i, i) - payoff(k, i), payoff(i, j) - payoff(k, j),
                      payoff(i, k) - payoff(k, k));
  const Vector3 second(payoff(j, i) - payoff(k, i), payoff(j, j) - payoff(k, j),
                       payoff(j, k) - payoff(k, k));
  const Vector3 weights = first.cross(second);
  const double sum = weights.sum();
  if (!(std::abs(sum) > 0.0)) return kInfinity;
  const Vector3 normalized = weights / sum;
  if (!(normalized.minCoeff() >= 0.0)) return kInfinity;
  return maximum(cell, normalized[0] * columns[static_cast<std::size_t>(i)] +
                           normalized[1] * columns[static_cast<std::size_t>(j)] +
                           normalized[2] * columns[static_cast<std::size_t>(k)]);
}

/// The best bound by single columns, pairs and triples.
double bound_of(const Cell& cell, const Columns& columns, const Payoff& payoff) {
  double best = kInfinity;
  for (int i = 0; i < 4; ++i) {
    best = std::min(best, maximum(cell, columns[static_cast<std::size_t>(i)]));
    for (int j = i + 1; j < 4; ++j) {
      best = std::min(best, pair_bound(cell, columns, payoff, i, j));
      for (int k = j + 1; k < 4; ++k)
        best = std::min(best, triple_bound(cell, columns, payoff, i, j, k));
    }
  }
  return best;
}

/// One core in the frame of the cells; u = sign * n is the direction along which it is supported.
struct Side {
  const CoreShape* core;
  Matrix3 rotation;  ///< from the frame of the shape to that of the cells
  Vector3 origin;    ///< of the shape, in the frame of the cells
  double sign;       ///< +1 for A, -1 for B
  int axis;          ///< axis of revolution in the frame of the shape; -1: none
  bool aligned;      ///< that axis is the axis of the cells, within rounding

  Side(const CoreShape& shape, const Matrix3& rotation_, const Vector3& origin_, double sign_)
      : core(&shape),
        rotation(rotation_),
        origin(origin_),
        sign(sign_),
        axis(minorant_axis(shape)) {
    aligned = axis >= 0 && rotation.col(axis).head<2>().norm() <= 2.0 * kEpsilon;
  }

  /// Adds the bound of the core on the cell to the column, given its support point at a corner
  /// (frame of the cells) and the piece of that point.
  void add_to(Column& column, const Cell& cell, const Vector3& point, std::int32_t piece) const {
    if (aligned) {
      // rotated about the axis the point describes a ring, which the core contains
      const Vector3 r = point - origin;
      column.linear -= sign * (origin + Vector3(0.0, 0.0, r.z()));
      column.radial += std::hypot(r.x(), r.y());
      return;
    }
    std::array<double, 2> range = {0.0, 0.0};
    if (axis >= 0) {
      const Vector3 along = sign * rotation.col(axis);
      range = {std::max(-1.0, -maximum(cell, Column{-along})),
               std::min(1.0, maximum(cell, Column{along}))};
    }
    const SupportMinorant minorant = support_minorant(
        *core, {rotation.transpose() * (point - origin), piece}, range[0], range[1]);
    column.linear -= sign * (origin + rotation * minorant.linear);
    column.constant += minorant.constant;
  }

  /// Size of the error of the bound by the curvature of the core when n turns by `step`.
  double curvature_error(const Vector3& step, bool around_axis) const {
    if (is_polyhedral(*core) || (aligned && around_axis)) return 0.0;
    const double turn = axis >= 0 && !aligned ? rotation.col(axis).dot(step) : step.norm();
    return core->size.maxCoeff() * turn * turn;
  }
};

/// The search itself, depth first on a stack of cells.
class Search {
 public:
  Search(CorePair& pair, double gap, int max_cells, SeparationOptimum& optimum)
      : pair_(pair),
        gap_(gap),
        budget_(max_cells),
        optimum_(optimum),
        frame_(frame_for(pair)),
        a_(pair.a(), frame_.transpose(), Vector3::Zero(), 1.0),
        b_(pair.b(), frame_.transpose() * pair.X_AB().rotation,
           frame_.transpose() * pair.X_AB().translation, -1.0) {}

  bool run() {
    const std::array<Vector2, 5> around = {Vector2(1, 0), Vector2(0, 1), Vector2(-1, 0),
                                           Vector2(0, -1), Vector2(1, 0)};
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
      for (std::size_t half = 0; half < 2; ++half) {
        Cell cell{{{around[half], around[half + 1]}}, {{around[quarter], around[quarter + 1]}}, {}};
        for (std::size_t i = 0; i < 4; ++i)
          cell.corners[i] = corner(cell.theta.end[i / 2], cell.e.end[i % 2]);
        refine(cell);
        push(cell);
      }
    }
    for (int step = 0; depth_ > 0; ++step) {
      if (step % 64 == 63) check_interrupt();
      // the most promising cell comes first while there is room, so that no ridge uses up the
      // budget; else the last one, which keeps the stack short
      if (depth_ < kMaxDepth / 2) {
        const auto best = std::max_element(
            stack_.begin(), stack_.begin() + depth_,
            [](const Cell& x, const Cell& y) { return x.bound < y.bound; });
        std::swap(*best, stack_[static_cast<std::size_t>(depth_ - 1)]);
      }
      const Cell cell = stack_[static_cast<std::size_t>(--depth_)];
      if (cell.bound <= optimum_.lower + gap_ || budget_-- <= 0) {
        proved_ = std::max(proved_, cell.bound);
      } else {
        split(cell);
      }
    }
    return proved_ <= optimum_.lower + gap_;
  }

  /// Largest separation that is still possible. The bounds of cells are sums of some ten rounded
  /// terms.
  double proved() const {
    return std::max(proved_ + kBoundRounding * pair_.scale(), optimum_.lower);
  }

 private:
  static constexpr int kMaxDepth = 160;

  /// The frame of the cells. Its axis z is an axis of revolution where there is one: that of the
  /// larger core, and that of a cone before others of its size, since the corner of its support
  /// function runs around it.
  static Matrix3 frame_for(const CorePair& pair) {
    const int axis_a = minorant_axis(pair.a()), axis_b = minorant_axis(pair.b());
    const auto weight = [](const CoreShape& core) {
      return core.size.maxCoeff() * (core.kind == CoreShape::Kind::cone ? 8.0 : 1.0);
    };
    const bool b_first = axis_b >= 0 && weight(pair.b()) > weight(pair.a());
    Vector3 z = Vector3::UnitZ();
    if (axis_a >= 0 && !b_first) {
      z = Vector3::Unit(axis_a);
    } else if (axis_b >= 0) {
      z = pair.X_AB().rotation.col(axis_b).normalized();
    }
    Matrix3 frame;
    frame << tangent_basis(z), z;
    return frame;
  }

  Corner corner(const Vector2& theta, const Vector2& e) {
    const Vector3 n =
        (frame_ * Vector3(theta.y() * e.x(), theta.y() * e.y(), theta.x())).normalized();
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

  Columns columns_of(const Cell& cell) const {
    Columns columns;
    for (std::size_t j = 0; j < 4; ++j) {
      const MinkowskiPoint& point = cell.corners[j].point;
      a_.add_to(columns[j], cell, frame_.transpose() * point.a, point.piece[0]);
      b_.add_to(columns[j], cell, frame_.transpose() * point.b(), point.piece[1]);
    }
    return columns;
  }

  Payoff payoff_of(const Cell& cell, const Columns& columns) const {
    Payoff payoff;
    for (int i = 0; i < 4; ++i) {
      const Vector3 n = frame_.transpose() * cell.corners[static_cast<std::size_t>(i)].n;
      for (int j = 0; j < 4; ++j) payoff(i, j) = columns[static_cast<std::size_t>(j)].at(n);
    }
    return payoff;
  }

  void push(Cell cell) {
    const Columns columns = columns_of(cell);
    cell.bound = std::min(cell.bound, bound_of(cell, columns, payoff_of(cell, columns)));
    if (cell.bound <= optimum_.lower + gap_ || depth_ == kMaxDepth) {
      proved_ = std::max(proved_, cell.bound);
    } else {
      stack_[static_cast<std::size_t>(depth_++)] = cell;
    }
  }

  /// Variation of the bounds of the cell from end to end of an arc; `stride` is the difference of
  /// the corner numbers of its two ends.
  double variation(const Cell& cell, const Payoff& payoff, int stride, bool around_axis) const {
    const int other = 3 - stride;
    const double levels = std::max((payoff.row(0) - payoff.row(stride)).cwiseAbs().maxCoeff(),
                                   (payoff.row(other) - payoff.row(3)).cwiseAbs().maxCoeff());
    const Vector3 step = frame_.transpose() *
                         (cell.corners[3].n - cell.corners[static_cast<std::size_t>(other)].n);
    const Vector3 opposite = frame_.transpose() *
                             (cell.corners[static_cast<std::size_t>(stride)].n - cell.corners[0].n);
    const Vector3& longer = step.squaredNorm() > opposite.squaredNorm() ? step : opposite;
    return levels + a_.curvature_error(longer, around_axis) +
           b_.curvature_error(longer, around_axis);
  }

  void split(const Cell& cell) {
    const Payoff payoff = payoff_of(cell, columns_of(cell));
    Cell first = cell, second = cell;
    if (variation(cell, payoff, 2, false) >= variation(cell, payoff, 1, true)) {
      const Vector2 middle = cell.theta.middle();
      const Corner left = corner(middle, cell.e.end[0]), right = corner(middle, cell.e.end[1]);
      first.theta.end[1] = second.theta.end[0] = middle;
      first.corners[2] = second.corners[0] = left;
      first.corners[3] = second.corners[1] = right;
    } else {
      const Vector2 middle = cell.e.middle();
      const Corner low = corner(cell.theta.end[0], middle),
                   high = corner(cell.theta.end[1], middle);
      first.e.end[1] = second.e.end[0] = middle;
      first.corners[1] = second.corners[0] = low;
      first.corners[3] = second.corners[2] = high;
    }
    refine(first);
    push(first);
    push(second);
  }

  /// Refines a new best direction by Newton, so that fewer cells remain.
  void refine(const Cell& cell) {
    if (!improved_) return;
    improved_ = false;
    Simplex simplex;
    for (std::size_t i = 0; i < 3; ++i) {
      simplex.push(cell.corners[i + 1].point);
      simplex.weights[i] = 1.0 / 3.0;
    }
    if (!refine_by_newton(pair_, simplex, optimum_.normal, optimum_))
      refine_nearby_by_newton(pair_, optimum_);
  }

  CorePair& pair_;
  double gap_;
  int budget_;
  SeparationOptimum& optimum_;
  Matrix3 frame_;  ///< from the frame of the cells to that of A
  Side a_;
  Side b_;
  bool improved_ = false;
  int depth_ = 0;
  double proved_ = -kInfinity;
  std::array<Cell, kMaxDepth> stack_;
};

}  // namespace

bool search_sphere(CorePair& pair, double gap, int max_cells, SeparationOptimum& optimum,
                   double& upper) {
  Search search(pair, gap, max_cells, optimum);
  const bool complete = search.run();
  upper = std::min(upper, search.proved());
  return complete;
}

}  // namespace tactum
