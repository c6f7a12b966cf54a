// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjk/newton_refinement.hpp"

#include "math/epsilon.hpp"
#include "math/tangent_plane.hpp"
#include "math/unit_vector.hpp"
#include "narrow/pair/curved_pieces.hpp"

namespace tactum {
namespace {

constexpr double kNegative = 2e-14;  ///< a weight below minus this is negative even after rounding
constexpr double kClearlyNegative = 0.1;  ///< a weight below minus this is negative even before the
                                          ///< pieces are level
constexpr double kNear = 0.1;  ///< rad: steps below this are small enough to test the weights
constexpr double kLevelAngle = 1e-8;  ///< rad: pieces that need a turn of less than this are level
constexpr double kShortWay = 1e-10;   ///< of the scale: longest way that shift() goes along a
                                      ///< tangent
constexpr int kMaxSteps = 24;

/// Active pieces with their weights and, after an evaluation, their points.
struct ActiveSet {
  std::array<PiecePairAnchor, 3> pieces;
  std::array<Double3, 3> w, a;
  std::array<double, 3> weights = {0.0, 0.0, 0.0};
  int size = 0;
  bool patient = false;  ///< negative weights count at the stationary point only

  int find(const PiecePair& piece) const {
    for (int k = 0; k < size; ++k) {
      if (pieces[static_cast<std::size_t>(k)].piece == piece) return k;
    }
    return -1;
  }
  void add(const CorePair& pair, const PiecePair& piece) {
    const PiecePair name = joined(pair, piece);
    if (find(name) < 0) pieces[static_cast<std::size_t>(size++)] = anchor(pair, name);
  }
  void remove(int k) {
    --size;
    pieces[static_cast<std::size_t>(k)] = pieces[static_cast<std::size_t>(size)];
    w[static_cast<std::size_t>(k)] = w[static_cast<std::size_t>(size)];
    a[static_cast<std::size_t>(k)] = a[static_cast<std::size_t>(size)];
    weights[static_cast<std::size_t>(k)] = weights[static_cast<std::size_t>(size)];
  }
  int smallest() const {
    int best = 0;
    for (int k = 1; k < size; ++k) {
      if (weights[static_cast<std::size_t>(k)] < weights[static_cast<std::size_t>(best)]) best = k;
    }
    return best;
  }
};

double norm(Double2 a) { return std::sqrt(dot(a, a)); }
/// The unit vector n turned by delta in its tangent plane, by half a radian at most.
Double3 moved(Double3 n, const TangentBasis& plane, Double2 delta, double square) {
  if (square > 0.25) {
    delta = (0.5 / std::sqrt(square)) * delta;
    square = 0.25;
  }
  const double length = 1.0 + square;
  return (std::sqrt(length) * (1.0 / length)) * (n + plane.lift(delta));
}

/// The optimality conditions at n in the tangent plane T: g = T'w_0, edges T'(w_k - w_0),
/// slopes n.(w_k - w_0), A = T'HT + d I.
struct System {
  Double2 g;
  Double2 first, second;
  double first_slope, second_slope;
  Symmetric2 A;
};

/// Step along a free direction in which sep has the given slope and the second derivative
/// -`curvature`. Where the optima fill a circle, or almost do, there is next to no curvature. The
/// step is then zero if there is no slope either, or if `rest`, the residual of the conditions
/// across, may cause the slope; otherwise it climbs. False where sep curves upwards: no maximum is
/// near.
bool stationary_step(double curvature, double slope, double rest, double scale, double& step) {
  const bool almost_level = std::abs(curvature) <= 1e-6 * scale;
  if (almost_level && std::abs(slope) <= std::max(16.0 * kEpsilon * scale, std::abs(rest))) {
    step = 0.0;
    return true;
  }
  step = curvature > 0.0 ? slope / curvature : std::copysign(0.3, slope);
  return curvature > 0.0 || almost_level;
}

/// Step for one active piece: along both principal axes of A.
bool smooth_step(const System& system, double scale, Double2& delta) {
  const Symmetric2& A = system.A;
  const double determinant = A.determinant();
  if (A.trace() > 0.0 && determinant > 1e-6 * scale * A.trace()) {
    delta = (1.0 / determinant) *
            Double2{A.yy * system.g.x - A.xy * system.g.y, A.xx * system.g.y - A.xy * system.g.x};
    return true;
  }
  const double half = 0.5 * (A.xx - A.yy), spread = std::sqrt(half * half + A.xy * A.xy),
               mean = 0.5 * A.trace();
  Double2 first = half < 0.0 ? Double2{A.xy, spread - half} : Double2{spread + half, A.xy};
  first = spread > 0.0 ? (1.0 / norm(first)) * first : Double2{1.0, 0.0};
  const Double2 second = {-first.y, first.x};
  double along_first = 0.0, along_second = 0.0;
  const double first_slope = dot(first, system.g), second_slope = dot(second, system.g);
  if (!stationary_step(mean + spread, first_slope, 0.0, scale, along_first)) return false;
  if (!stationary_step(mean - spread, second_slope, first_slope, scale, along_second)) return false;
  delta = along_first * first + along_second * second;
  return true;
}

/// Step for two active pieces: they must stay level along their edge, and the separation is
/// stationary across it. `inverse` is 1 / |edge|^2.
bool edge_step(const System& system, double inverse, double scale, Double2& delta) {
  const Double2 along = system.first, across = {-along.y, along.x};
  const double level = -inverse * system.first_slope, squared = dot(along, along);
  const double slope = dot(across, system.g) - level * dot(across, system.A * along),
               curvature = dot(across, system.A * across);
  double step = 0.0;
  if (curvature > 1e-6 * scale * squared) {
    step = slope / curvature;
  } else {
    const double root = std::sqrt(inverse);
    // pieces that are not level yet may show a curvature of the wrong sign; making them level comes
    // first
    if (!stationary_step(inverse * curvature, root * slope, system.first_slope, scale, step)) {
      if (level * level * squared <= kLevelAngle * kLevelAngle) return false;
      step = 0.0;
    }
    step *= root;
  }
  delta = level * along + step * across;
  return true;
}

/// Newton on `Size` active pieces. All but the pieces themselves fits in registers.
template <int Size>
class FixedSet {
 public:
  FixedSet(const CorePair& pair, ActiveSet& active)
      : pair_(pair), active_(active), scale_(pair.scale()) {
    if constexpr (Size > 1) first_ = PieceEdge(pair, active.pieces[0], active.pieces[1]);
    if constexpr (Size > 2) second_ = PieceEdge(pair, active.pieces[0], active.pieces[2]);
  }

  /// Iterates until n is stationary; false where there is no stationary point. Leaves the points
  /// and weights of the final n.
  bool solve(Double3& n) {
    double previous = std::numeric_limits<double>::infinity();
    int idle = 0;  // steps in a row that did not shrink
    for (int iteration = 0; iteration < kMaxSteps; ++iteration) {
      const PairProfile profile(pair_, n);
      set_up(profile, n);
      Double2 delta;
      if (!set_weights()) return false;
      set_matrix(profile);
      if (!find_step(delta)) return false;
      const double square = dot(delta, delta);
      if (!(square < std::numeric_limits<double>::max())) return false;
      // a rim point moves fast when its axis is almost the normal: a step far below eps may still
      // matter
      idle = square < 1e-20 && square >= 0.25 * previous ? idle + 1 : 0;
      if (residual() <= 4.0 * kEpsilon * scale_ || idle == 3 ||
          (!active_.patient && square < kNear * kNear && smallest_weight() < -kClearlyNegative)) {
        store(profile, idle == 3 ? delta : Double2{0.0, 0.0});
        return true;
      }
      n = moved(n, profile.plane, delta, square);
      previous = square;
    }
    return false;
  }

 private:
  void set_up(const PairProfile& profile, Double3 n) {
    const Double3 w = active_.pieces[0].point(profile);
    level_ = dot(n, w);
    system_.g = profile.plane.project(w);
    if constexpr (Size > 1) {
      const Double3 along = first_.along(profile);
      system_.first = profile.plane.project(along);
      system_.first_slope = dot(n, along);
    }
    if constexpr (Size > 2) {
      const Double3 along = second_.along(profile);
      system_.second = profile.plane.project(along);
      system_.second_slope = dot(n, along);
    }
  }

  /// Computes the weights for which sum l_k w_k has no tangential part (three pieces) or the
  /// smallest one (two pieces).
  bool set_weights() {
    if constexpr (Size == 2) {
      const double squared = dot(system_.first, system_.first);
      if (!(squared > 0.0)) return false;
      inverse_ = 1.0 / squared;
      later_weights_ = {-inverse_ * dot(system_.first, system_.g), 0.0};
    }
    if constexpr (Size == 3) {
      const Double2 first = system_.first, second = system_.second;
      const double determinant = cross(first, second);
      if (!(determinant * determinant >
            (64.0 * kEpsilon) * (64.0 * kEpsilon) * dot(first, first) * dot(second, second)))
        return false;
      // solved twice, because edges that are long and almost parallel would leave a tangential
      // residual
      inverse_ = 1.0 / determinant;
      later_weights_ = inverse_ * Double2{cross(second, system_.g), cross(system_.g, first)};
      const Double2 rest = system_.g + later_weights_.x * first + later_weights_.y * second;
      later_weights_ = later_weights_ + inverse_ * Double2{cross(second, rest), cross(rest, first)};
    }
    return true;
  }

  void set_matrix(const PairProfile& profile) {
    double factor_a = active_.pieces[0].a.factor, factor_b = active_.pieces[0].b.factor;
    if constexpr (Size > 1) {
      factor_a += later_weights_.x * first_.factor_a;
      factor_b += later_weights_.x * first_.factor_b;
    }
    if constexpr (Size > 2) {
      factor_a += later_weights_.y * second_.factor_a;
      factor_b += later_weights_.y * second_.factor_b;
    }
    const Symmetric2 &a = profile.a.hessian, &b = profile.b.hessian;
    system_.A = {factor_a * a.xx + factor_b * b.xx + level_, factor_a * a.xy + factor_b * b.xy,
                 factor_a * a.yy + factor_b * b.yy + level_};
  }

  bool find_step(Double2& delta) const {
    if constexpr (Size == 1) return smooth_step(system_, scale_, delta);
    if constexpr (Size == 2) return edge_step(system_, inverse_, scale_, delta);
    // three level pieces determine the normal
    const Double2 first = system_.first, second = system_.second;
    delta = inverse_ * Double2{first.y * system_.second_slope - second.y * system_.first_slope,
                               second.x * system_.first_slope - first.x * system_.second_slope};
    return true;
  }

  /// Residual of the conditions: the tangential part of sum l_k w_k and the differences between
  /// levels.
  double residual() const {
    if constexpr (Size == 1) return norm(system_.g);
    if constexpr (Size == 2)
      return std::max(std::abs(cross(system_.first, system_.g)) * std::sqrt(inverse_),
                      std::abs(system_.first_slope));
    return std::max(std::abs(system_.first_slope), std::abs(system_.second_slope));
  }

  double smallest_weight() const {
    if constexpr (Size == 1) return 1.0;
    return std::min(1.0 - later_weights_.x - later_weights_.y,
                    Size == 2 ? later_weights_.x : std::min(later_weights_.x, later_weights_.y));
  }

  /// Stores the points of the pieces. `rest` is a step too small to change the normal in floating
  /// point, by which flat pieces still move.
  void store(const PairProfile& profile, Double2 rest) {
    active_.weights = {1.0 - later_weights_.x - later_weights_.y, later_weights_.x,
                       later_weights_.y};
    for (std::size_t k = 0; k < Size; ++k) {
      const PiecePairAnchor& piece = active_.pieces[k];
      const Double3 a = shift(profile.plane, profile.a.hessian, piece.a.factor, rest);
      const Double3 b = shift(profile.plane, profile.b.hessian, piece.b.factor, rest);
      active_.w[k] = piece.point(profile) - a - b;
      active_.a[k] = piece.point_a(profile) + a;
    }
  }

  /// Displacement of a point along the tangent when the normal turns by `rest`. The tangent leaves
  /// a circle by the square of the way, so long displacements are left out.
  Double3 shift(const TangentBasis& plane, const Symmetric2& hessian, double factor,
                Double2 rest) const {
    const Double2 way = factor * (hessian * rest);
    const bool is_short = dot(way, way) <= kShortWay * kShortWay * scale_ * scale_;
    return is_short ? plane.lift(way) : Double3{0.0, 0.0, 0.0};
  }

  const CorePair& pair_;
  ActiveSet& active_;
  double scale_;
  PieceEdge first_, second_;
  Double2 later_weights_ = {0.0, 0.0};  ///< weights of the second and the third piece
  double inverse_ = 0.0;                ///< 1 / the determinant that gave the weights
  double level_ = 0.0;
  System system_;
};

bool solve_fixed_set(const CorePair& pair, ActiveSet& active, Double3& n) {
  if (active.size == 1) return FixedSet<1>(pair, active).solve(n);
  if (active.size == 2) return FixedSet<2>(pair, active).solve(n);
  return FixedSet<3>(pair, active).solve(n);
}

/// The points that the weights give on the active pieces; negative weights count as zero.
SeparationOptimum optimum_of(const ActiveSet& active, Double3 n, double lower) {
  Double3 point_a = {0.0, 0.0, 0.0}, w = point_a;
  double sum = 0.0;
  for (int k = 0; k < active.size; ++k) {
    const double weight = std::max(0.0, active.weights[static_cast<std::size_t>(k)]);
    point_a = point_a + weight * active.a[static_cast<std::size_t>(k)];
    w = w + weight * active.w[static_cast<std::size_t>(k)];
    sum += weight;
  }
  const double inverse = 1.0 / sum;
  point_a = inverse * point_a;
  const Double3 point_b = point_a + inverse * w;
  return {to_vector3(n), lower, to_vector3(point_a), to_vector3(point_b),
          (point_b - point_a - lower * n).norm()};
}

/// Removes the piece `leaving`, which has a negative weight. Where the two that remain have no
/// optimum of their own, the separation rises along their edge, away from the removed piece, until
/// another piece stops it: that piece becomes active.
bool drop(CorePair& pair, int leaving, ActiveSet& active, Double3& n) {
  const Double3 dropped = active.w[static_cast<std::size_t>(leaving)];
  const PiecePair dropped_piece = active.pieces[static_cast<std::size_t>(leaving)].piece;
  active.remove(leaving);
  Double3 n_left = n;
  if (solve_fixed_set(pair, active, n_left)) {
    n = n_left;
    return true;
  }
  if (active.size != 2) return false;
  const Double3 w0 = active.w[0];
  Double3 rising = cross(n, active.w[1] - w0);
  const double length = rising.norm();
  if (!(length > 0.0)) return false;
  rising = ((dot(rising, dropped - w0) < 0.0 ? -1.0 : 1.0) / length) * rising;
  for (const double step : {1e-6, 1e-3, 1e-1, 0.5}) {
    MinkowskiPoint blocking;
    pair.support(unit(n + step * rising), blocking);
    const PiecePair name = joined(pair, blocking.piece);
    if (name == dropped_piece || active.find(name) >= 0) continue;
    active.add(pair, name);
    return solve_fixed_set(pair, active, n);
  }
  return false;
}

/// Makes a piece active that cuts lower than the active ones. If three are active already, one
/// leaves: the one without which the other weights stay positive and its own piece stays above, as
/// in the simplex method; otherwise the one with the smallest weight.
bool insert_piece(const CorePair& pair, const PiecePair& piece, double rounding, ActiveSet& active,
                  Double3& n) {
  if (active.size < 3) {
    active.add(pair, piece);
    return solve_fixed_set(pair, active, n);
  }
  ActiveSet best;
  Double3 best_n = n;
  double best_weight = -std::numeric_limits<double>::infinity();
  for (int leaving = 0; leaving < 3; ++leaving) {
    ActiveSet trial = active;
    Double3 trial_n = n;
    trial.remove(leaving);
    trial.add(pair, piece);
    if (!solve_fixed_set(pair, trial, trial_n)) continue;
    const Double3 left_out = active.pieces[static_cast<std::size_t>(leaving)].point(
        PairProfile(pair, trial_n));
    const double above = dot(trial_n, left_out - trial.w[0]);
    const double weight = trial.weights[static_cast<std::size_t>(trial.smallest())] -
                          (above < -rounding ? 1e3 : 0.0);
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

/// Runs the active-set method from the pieces of a simplex.
bool follow_pieces(CorePair& pair, const Simplex& simplex, Double3 n, bool patient,
                   SeparationOptimum& optimum) {
  ActiveSet active;
  active.patient = patient;
  for (int i = 0; i < simplex.size && active.size < 3; ++i)
    active.add(pair, simplex.points[static_cast<std::size_t>(i)].piece);
  const double rounding = 16.0 * kEpsilon * pair.scale();
  if (!solve_fixed_set(pair, active, n)) return false;
  for (int round = 0; round < 16; ++round) {
    const int smallest = active.smallest();
    const double least = active.weights[static_cast<std::size_t>(smallest)];
    if (!patient && least < -kClearlyNegative) {
      if (!drop(pair, smallest, active, n)) return false;
      continue;
    }
    MinkowskiPoint support;
    const double lower = pair.support(n, support);
    const SeparationOptimum found = optimum_of(active, n, lower);
    if (lower > optimum.lower + rounding ||
        (lower >= optimum.lower - rounding && found.residual < optimum.residual))
      optimum = found;
    if (least < -kNegative) {
      if (!drop(pair, smallest, active, n)) return false;
      continue;
    }
    if (lower >= dot(n, active.w[0]) - rounding)
      return optimum.residual <= 64.0 * kEpsilon * pair.scale();
    const PiecePair cutting = joined(pair, support.piece);
    if (active.find(cutting) >= 0 || !insert_piece(pair, cutting, rounding, active, n))
      return false;
  }
  return false;
}

/// Three support points along directions at the given angle from n; `turn` rotates the three about
/// n.
Simplex supports_around(CorePair& pair, const Vector3& n, double angle, double turn) {
  const Eigen::Matrix<double, 3, 2> tangent = tangent_basis(n);
  Simplex simplex;
  for (int k = 0; k < 3; ++k) {
    const double around = turn + k * 2.0 * M_PI / 3.0;
    simplex.push(pair.support(
        (n + angle * (std::cos(around) * tangent.col(0) + std::sin(around) * tangent.col(1)))
            .normalized()));
    simplex.weights[static_cast<std::size_t>(k)] = 1.0 / 3.0;
  }
  return simplex;
}

}  // namespace

SeparationOptimum optimum_of(const Simplex& simplex, const Vector3& normal, double lower) {
  SeparationOptimum result;
  result.normal = normal;
  result.lower = lower;
  // without negative weights the points stay in the cores; the residual contains the error
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

bool refine_by_newton(CorePair& pair, const Simplex& simplex, const Vector3& normal,
                      SeparationOptimum& optimum) {
  const Double3 n = to_double3(normal);
  if (!follow_pieces(pair, simplex, n, false, optimum) &&
      !follow_pieces(pair, simplex, n, true, optimum))
    return false;
  optimum.stationary = true;
  return true;
}

bool refine_nearby_by_newton(CorePair& pair, SeparationOptimum& optimum) {
  for (const double angle : {1e-7, 1e-5, 1e-3, 1e-1}) {
    for (const double turn : {0.0, M_PI / 3.0}) {
      if (refine_by_newton(pair, supports_around(pair, optimum.normal, angle, turn), optimum.normal,
                           optimum))
        return true;
    }
  }
  return false;
}

void refine_normal_by_newton(CorePair& pair, SeparationOptimum& optimum) {
  SeparationOptimum polished = optimum;
  polished.residual = std::numeric_limits<double>::infinity();
  const double rounding = 16.0 * kEpsilon * pair.scale();
  if (refine_by_newton(pair, supports_around(pair, optimum.normal, 1e-6, 0.0), optimum.normal,
                       polished) &&
      polished.residual <= rounding && polished.lower >= optimum.lower - rounding)
    optimum = polished;
}

}  // namespace tactum
