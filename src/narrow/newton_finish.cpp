// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/newton_finish.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "math/tangent_basis.hpp"

namespace tactum {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNegative = 2e-14;   ///< a weight below minus this is negative for good
constexpr double kLevelAngle = 1e-8;  ///< rad: pieces that need a turn of less than this are level

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

using Matrix2 = Eigen::Matrix2d;
using Vector2 = Eigen::Vector2d;
using Tangent = Eigen::Matrix<double, 3, 2>;

/// The conditions at n in tangent coordinates: g = T'w_0, edges E = T'(w_k - w_0), slopes n.(w_k - w_0), A = T'HT + d I.
struct System {
  Vector2 g;
  Matrix2 edges;
  Vector2 slopes;
  Matrix2 A;
};

/// Weights for which sum l_k w_k has no tangential part (m = 3), or the least (m = 2).
bool set_weights(const System& system, ActiveSet& active) {
  if (active.size == 1) {
    active.weights[0] = 1.0;
    return true;
  }
  if (active.size == 2) {
    const double squared = system.edges.col(0).squaredNorm();
    if (!(squared > 0.0)) return false;
    active.weights[1] = -system.edges.col(0).dot(system.g) / squared;
    active.weights[0] = 1.0 - active.weights[1];
    return true;
  }
  const double determinant = system.edges.determinant();
  if (!(std::abs(determinant) > 64.0 * kEpsilon * system.edges.col(0).norm() * system.edges.col(1).norm())) return false;
  // solved twice: edges that are long and almost parallel would leave a tangential rest
  Vector2 shares = Vector2::Zero();
  for (int step = 0; step < 2; ++step) {
    const Vector2 rest = system.g + system.edges * shares;
    shares += Vector2(system.edges(0, 1) * rest[1] - system.edges(1, 1) * rest[0],
                      system.edges(1, 0) * rest[0] - system.edges(0, 0) * rest[1]) /
              determinant;
  }
  active.weights[1] = shares[0];
  active.weights[2] = shares[1];
  active.weights[0] = 1.0 - active.weights[1] - active.weights[2];
  return true;
}

/// Evaluates the pieces at n, finds their weights and sets up the conditions.
bool set_up(const CorePair& pair, const Vector3& n, const Tangent& tangent, ActiveSet& active, System& system) {
  active.evaluate(pair, n);
  const Vector3& w0 = active.pieces[0].point.w;
  system.g = tangent.transpose() * w0;
  for (int k = 1; k < active.size; ++k) {
    const Vector3 edge = pair.edge(active.pieces[0].point, active.pieces[static_cast<std::size_t>(k)].point);
    system.edges.col(k - 1) = tangent.transpose() * edge;
    system.slopes[k - 1] = n.dot(edge);
  }
  if (!set_weights(system, active)) return false;
  Matrix3 hessian = Matrix3::Zero();
  for (int k = 0; k < active.size; ++k)
    hessian += active.weights[static_cast<std::size_t>(k)] * active.pieces[static_cast<std::size_t>(k)].hessian;
  system.A = tangent.transpose() * hessian * tangent;
  system.A.diagonal().array() += n.dot(w0);
  return true;
}

/// Step along a free direction in which sep has the given slope and curvature -`curvature`. Where the optimum fills a circle, or almost
/// does, there is next to no curvature: stay where there is no slope either, else climb. False where sep curves upwards: no
/// maximum is near.
bool stationary_step(double curvature, double slope, double scale, double& step) {
  const bool almost_level = std::abs(curvature) <= 1e-6 * scale;
  if (almost_level && std::abs(slope) <= 16.0 * kEpsilon * scale) {
    step = 0.0;
    return true;
  }
  step = curvature > 0.0 ? slope / curvature : std::copysign(0.3, slope);
  return curvature > 0.0 || almost_level;
}

/// Step in the tangent plane; false where there is none.
bool newton_step(const System& system, int size, double scale, Vector2& delta) {
  if (size == 1) {
    // principal axes of the symmetric 2 x 2 matrix A
    const double half_angle = 0.5 * std::atan2(2.0 * system.A(0, 1), system.A(0, 0) - system.A(1, 1));
    const Vector2 first(std::cos(half_angle), std::sin(half_angle));
    const Vector2 second(-first.y(), first.x());
    double along_first = 0.0, along_second = 0.0;
    if (!stationary_step(first.dot(system.A * first), first.dot(system.g), scale, along_first)) return false;
    if (!stationary_step(second.dot(system.A * second), second.dot(system.g), scale, along_second)) return false;
    delta = along_first * first + along_second * second;
    return true;
  }
  if (size == 2) {
    // along the edge the pieces must stay level, across it the separation is stationary
    const double length = system.edges.col(0).norm();
    const Vector2 along = system.edges.col(0) / length;
    const Vector2 across(-along.y(), along.x());
    const double level = -system.slopes[0] / length;
    double step = 0.0;
    const double slope = across.dot(system.g) - level * across.dot(system.A * along);
    // pieces that are not level yet may show a curvature of the wrong sign: they are made level first
    if (!stationary_step(across.dot(system.A * across), slope, scale, step)) {
      if (std::abs(level) <= kLevelAngle) return false;
      step = 0.0;
    }
    delta = level * along + step * across;
    return true;
  }
  // three pieces at one level fix the normal
  const double determinant = system.edges.determinant();
  delta = Vector2(system.edges(1, 0) * system.slopes[1] - system.edges(1, 1) * system.slopes[0],
                  system.edges(0, 1) * system.slopes[0] - system.edges(0, 0) * system.slopes[1]) /
          determinant;
  return true;
}

/// What is left of the conditions: the tangential part of sum l_k w_k, and the differences of level.
double residual_of(const System& system, int size) {
  if (size == 1) return system.g.norm();
  const Vector2& edge = system.edges.col(0);
  if (size == 2)
    return std::max(std::abs(system.g[1] * edge[0] - system.g[0] * edge[1]) / edge.norm(), std::abs(system.slopes[0]));
  return system.slopes.cwiseAbs().maxCoeff();
}

/// Newton on a fixed set of pieces. Leaves the pieces and weights as they are at the final n.
bool solve_fixed_set(const CorePair& pair, ActiveSet& active, Vector3& n) {
  double previous = std::numeric_limits<double>::infinity();
  int idle = 0;  // steps in a row that did not shrink
  for (int iteration = 0; iteration < 24; ++iteration) {
    const Tangent tangent = tangent_basis(n);
    System system;
    Vector2 delta;
    if (!set_up(pair, n, tangent, active, system) || !newton_step(system, active.size, pair.scale(), delta) || !delta.allFinite())
      return false;
    // a rim turns fast when its axis is almost the normal: the step may be far below eps and still matter
    if (residual_of(system, active.size) <= 4.0 * kEpsilon * pair.scale()) return true;
    const double length = delta.norm();
    idle = length < 1e-10 && length >= 0.5 * previous ? idle + 1 : 0;
    if (idle == 3) return true;
    if (length > 0.5) delta *= 0.5 / length;
    n = (n + tangent * delta).normalized();
    previous = length;
  }
  return false;
}

Optimum optimum_of(const ActiveSet& active, const Vector3& n, double lower) {
  Simplex simplex;
  for (int k = 0; k < active.size; ++k) {
    simplex.weights[static_cast<std::size_t>(k)] = active.weights[static_cast<std::size_t>(k)];
    simplex.push(active.pieces[static_cast<std::size_t>(k)].point);
  }
  return optimum_of(simplex, n, lower);
}

/// A piece has a negative weight: it goes. Where two that are left have no optimum of their own, the separation rises along the edge
/// away from the dropped piece until another one stops it: that one comes in.
bool drop(CorePair& pair, int leaving, ActiveSet& active, Vector3& n) {
  const Vector3 dropped = active.pieces[static_cast<std::size_t>(leaving)].point.w;
  const PiecePair dropped_piece = active.pieces[static_cast<std::size_t>(leaving)].point.piece;
  active.remove(leaving);
  ActiveSet pair_left = active;
  Vector3 n_left = n;
  if (solve_fixed_set(pair, pair_left, n_left)) {
    active = pair_left;
    n = n_left;
    return true;
  }
  if (active.size != 2) return false;
  const Vector3& w0 = active.pieces[0].point.w;
  Vector3 rising = n.cross(active.pieces[1].point.w - w0);
  const double length = rising.norm();
  if (!(length > 0.0)) return false;
  rising *= (rising.dot(dropped - w0) < 0.0 ? -1.0 : 1.0) / length;
  for (const double step : {1e-6, 1e-3, 1e-1, 0.5}) {
    const MinkowskiPoint blocking = pair.support((n + step * rising).normalized());
    if (blocking.piece == dropped_piece || active.find(blocking.piece) >= 0) continue;
    active.add(blocking.piece, 0.0);
    return solve_fixed_set(pair, active, n);
  }
  return false;
}

/// A piece cuts lower than the active ones: it becomes active. With three already there one has to go: the one without which the other
/// weights stay positive and its own piece stays above, as in the simplex method; else the least important one.
bool take_in(const CorePair& pair, const PiecePair& piece, double rounding, ActiveSet& active, Vector3& n) {
  if (active.size < 3) {
    active.add(piece, 0.0);
    return solve_fixed_set(pair, active, n);
  }
  ActiveSet best;
  Vector3 best_n = n;
  double best_weight = -std::numeric_limits<double>::infinity();
  for (int leaving = 0; leaving < 3; ++leaving) {
    ActiveSet trial = active;
    Vector3 trial_n = n;
    trial.remove(leaving);
    trial.add(piece, 0.0);
    if (!solve_fixed_set(pair, trial, trial_n)) continue;
    const PiecePair& left_out = active.pieces[static_cast<std::size_t>(leaving)].point.piece;
    const double above = trial_n.dot(pair.piece(left_out, trial_n).point.w) - trial_n.dot(trial.pieces[0].point.w);
    const double weight = trial.weights[static_cast<std::size_t>(trial.smallest())] - (above < -rounding ? 1e3 : 0.0);
    if (weight <= best_weight) continue;
    best_weight = weight;
    best = trial;
    best_n = trial_n;
  }
  if (best.size == 0) return false;
  active = best;
  n = best_n;
  return true;
}

}  // namespace

Optimum optimum_of(const Simplex& simplex, const Vector3& normal, double lower) {
  Optimum result;
  result.normal = normal;
  result.lower = lower;
  // without negative weights the points stay in the cores, and the residual tells what that costs
  double sum = 0.0;
  for (int i = 0; i < simplex.size; ++i) {
    const MinkowskiPoint& point = simplex.points[static_cast<std::size_t>(i)];
    const double weight = std::max(0.0, simplex.weights[static_cast<std::size_t>(i)]);
    result.point_a += weight * point.a;
    result.point_b += weight * point.b();
    sum += weight;
  }
  if (!(sum > 0.0)) return result;
  result.point_a /= sum;
  result.point_b /= sum;
  result.residual = (result.point_b - result.point_a - lower * normal).norm();
  return result;
}

bool newton_finish(CorePair& pair, const Simplex& simplex, const Vector3& normal, Optimum& optimum) {
  ActiveSet active = active_set_of(simplex);
  Vector3 n = normal;
  const double rounding = 16.0 * kEpsilon * pair.scale();
  if (!solve_fixed_set(pair, active, n)) return false;
  for (int round = 0; round < 16; ++round) {
    const MinkowskiPoint support = pair.support(n);
    const double lower = n.dot(support.w);
    const Optimum found = optimum_of(active, n, lower);
    if (lower > optimum.lower + rounding || (lower >= optimum.lower - rounding && found.residual < optimum.residual))
      optimum = found;
    const int smallest = active.smallest();
    if (active.weights[static_cast<std::size_t>(smallest)] < -kNegative) {
      if (!drop(pair, smallest, active, n)) return false;
      continue;
    }
    if (lower >= n.dot(active.pieces[0].point.w) - rounding) return optimum.residual <= 64.0 * kEpsilon * pair.scale();
    if (active.find(support.piece) >= 0 || !take_in(pair, support.piece, rounding, active, n)) return false;
  }
  return false;
}

bool newton_finish_nearby(CorePair& pair, Optimum& optimum) {
  const Vector3 n = optimum.normal;
  const Tangent tangent = tangent_basis(n);
  for (const double angle : {1e-7, 1e-5, 1e-3, 1e-1}) {
    for (const double turn : {0.0, M_PI / 3.0}) {
      Simplex simplex;
      for (int k = 0; k < 3; ++k) {
        const double around = turn + k * 2.0 * M_PI / 3.0;
        simplex.push(
            pair.support((n + angle * (std::cos(around) * tangent.col(0) + std::sin(around) * tangent.col(1))).normalized()));
        simplex.weights[static_cast<std::size_t>(k)] = 1.0 / 3.0;
      }
      if (newton_finish(pair, simplex, n, optimum)) return true;
    }
  }
  return false;
}

}  // namespace tactum
