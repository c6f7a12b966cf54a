// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/newton_finish.hpp"

#include <Eigen/LU>

#include "math/tangent_basis.hpp"

namespace tactum {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Active pieces with their weights and, after an evaluation, their points.
struct ActiveSet {
  std::array<MinkowskiPiece, 3> pieces;
  std::array<double, 3> weights = {0.0, 0.0, 0.0};
  int size = 0;

  int find(const PiecePair& piece) const {
    for (int k = 0; k < size; ++k) {
      if (pieces[static_cast<std::size_t>(k)].point.piece == piece) return k;
    }
    return -1;
  }
  void add(const PiecePair& piece, double weight) {
    const int k = find(piece);
    if (k >= 0) {
      weights[static_cast<std::size_t>(k)] += weight;
      return;
    }
    pieces[static_cast<std::size_t>(size)].point.piece = piece;
    weights[static_cast<std::size_t>(size++)] = weight;
  }
  void remove(int k) {
    --size;
    pieces[static_cast<std::size_t>(k)] = pieces[static_cast<std::size_t>(size)];
    weights[static_cast<std::size_t>(k)] = weights[static_cast<std::size_t>(size)];
  }
  int smallest() const {
    int best = 0;
    for (int k = 1; k < size; ++k) {
      if (weights[static_cast<std::size_t>(k)] < weights[static_cast<std::size_t>(best)]) best = k;
    }
    return best;
  }
  void evaluate(const CorePair& pair, const Vector3& n) {
    for (int k = 0; k < size; ++k) {
      MinkowskiPiece& piece = pieces[static_cast<std::size_t>(k)];
      piece = pair.piece(piece.point.piece, n);
    }
  }
};

ActiveSet active_set_of(const Simplex& simplex) {
  ActiveSet active;
  for (int i = 0; i < simplex.size && active.size < 3; ++i) {
    active.add(simplex.points[static_cast<std::size_t>(i)].piece, simplex.weights[static_cast<std::size_t>(i)]);
  }
  return active;
}

/// One Newton step at n with evaluated pieces; sets the weights, returns the step in the tangent plane or false when singular.
bool newton_step(const Vector3& n, const Eigen::Matrix<double, 3, 2>& tangent, double scale, ActiveSet& active, Eigen::Vector2d& delta) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 4, 4>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 4, 1>;
  const Vector3& w0 = active.pieces[0].point.w;
  const int extra = active.size - 1;
  Matrix3 hessian = Matrix3::Zero();
  for (int k = 0; k < active.size; ++k) hessian += active.weights[static_cast<std::size_t>(k)] * active.pieces[static_cast<std::size_t>(k)].hessian;

  Matrix matrix = Matrix::Zero(2 + extra, 2 + extra);
  Vector right = Vector::Zero(2 + extra);
  matrix.topLeftCorner<2, 2>() = -(tangent.transpose() * hessian * tangent);
  matrix.topLeftCorner<2, 2>().diagonal().array() -= n.dot(w0);
  right.head<2>() = -(tangent.transpose() * w0);
  for (int k = 0; k < extra; ++k) {
    const Vector3 edge = active.pieces[static_cast<std::size_t>(k + 1)].point.w - w0;
    const double length = edge.norm();
    if (!(length > kEpsilon * scale)) return false;
    matrix.block<2, 1>(0, 2 + k) = tangent.transpose() * edge;
    matrix.block<1, 2>(2 + k, 0) = (tangent.transpose() * edge).transpose() / length;
    right[2 + k] = -edge.dot(n) / length;
  }
  const Eigen::FullPivLU<Matrix> lu(matrix);
  if (!lu.isInvertible()) return false;
  const Vector solution = lu.solve(right);
  if (!solution.allFinite()) return false;
  delta = solution.head<2>();
  double rest = 1.0;
  for (int k = 0; k < extra; ++k) {
    active.weights[static_cast<std::size_t>(k + 1)] = solution[2 + k];
    rest -= solution[2 + k];
  }
  active.weights[0] = rest;
  return true;
}

/// Newton on a fixed set of pieces. Leaves the pieces evaluated at the final n.
bool solve_fixed_set(const CorePair& pair, ActiveSet& active, Vector3& n) {
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 16; ++iteration) {
    active.evaluate(pair, n);
    Eigen::Vector2d delta;
    const Eigen::Matrix<double, 3, 2> tangent = tangent_basis(n);
    if (!newton_step(n, tangent, pair.scale(), active, delta)) return false;
    const double length = delta.norm();
    if (length <= 4.0 * kEpsilon || (length < 1e-9 && length >= 0.5 * previous)) return true;
    if (length > 0.5) delta *= 0.5 / length;
    n = (n + tangent * delta).normalized();
    previous = length;
  }
  return false;
}

Optimum optimum_of(const ActiveSet& active, const Vector3& n, double lower) {
  Optimum result;
  result.normal = n;
  result.lower = lower;
  double sum = 0.0;
  for (int k = 0; k < active.size; ++k) {
    const double weight = std::max(0.0, active.weights[static_cast<std::size_t>(k)]);
    result.point_a += weight * active.pieces[static_cast<std::size_t>(k)].point.a;
    result.point_b += weight * active.pieces[static_cast<std::size_t>(k)].point.b;
    sum += weight;
  }
  if (!(sum > 0.0)) return result;
  result.point_a /= sum;
  result.point_b /= sum;
  result.residual = (result.point_b - result.point_a - lower * n).norm();
  return result;
}

}  // namespace

Optimum optimum_of(const Simplex& simplex, const Vector3& normal, double lower) {
  Optimum result;
  result.normal = normal;
  result.lower = lower;
  result.point_a = simplex.point_a();
  result.point_b = simplex.point_b();
  result.residual = (result.point_b - result.point_a - lower * normal).norm();
  return result;
}

bool newton_finish(CorePair& pair, const Simplex& simplex, const Vector3& normal, Optimum& optimum) {
  ActiveSet active = active_set_of(simplex);
  Vector3 n = normal;
  const double rounding = 16.0 * kEpsilon * pair.scale();
  for (int round = 0; round < 8; ++round) {
    if (!solve_fixed_set(pair, active, n)) return false;
    const int smallest = active.smallest();
    if (active.weights[static_cast<std::size_t>(smallest)] < -1e-10) {
      active.remove(smallest);
      continue;
    }
    const MinkowskiPoint support = pair.support(n);
    const double lower = n.dot(support.w);
    if (lower >= n.dot(active.pieces[0].point.w) - rounding) {
      const Optimum found = optimum_of(active, n, lower);
      if (found.residual > 64.0 * kEpsilon * pair.scale() || found.lower < optimum.lower - rounding) return false;
      optimum = found;
      return true;
    }
    // another piece cuts lower: it becomes active, in place of the least important one when there are three
    if (active.find(support.piece) >= 0) return false;
    if (active.size == 3) active.remove(smallest);
    active.add(support.piece, 0.0);
  }
  return false;
}

}  // namespace tactum
