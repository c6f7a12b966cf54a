// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gaussian_estimator.hpp"

#include "math/counter_random.hpp"
#include "narrow/smoothing_scale.hpp"
#include "shape/core_support.hpp"

namespace tactum {
namespace {

/// Mean of independent triples and the covariance of that mean.
class TripleStatistics {
 public:
  void add(const Vector3& sample) {
    ++count_;
    const Vector3 before = sample - mean_;
    mean_ += before / count_;
    spread_ += before * (sample - mean_).transpose();
  }
  SampledHessian result() const {
    SampledHessian hessian;
    hessian.mean = mean_;
    hessian.has_covariance = count_ > 1.0;
    if (hessian.has_covariance) hessian.covariance = spread_ / (count_ * (count_ - 1.0));
    return hessian;
  }

 private:
  double count_ = 0.0;
  Vector3 mean_ = Vector3::Zero();
  Matrix3 spread_ = Matrix3::Zero();
};

/// Feature that stands for a smoothed shape: a plane has nothing to smooth.
SampledHessian smooth_side(const Gaussian& estimator, const Shape& shape, double scale, double sign, std::uint64_t stream,
                           const TangentPlane& plane, WitnessSide& side) {
  if (shape.core().kind == CoreShape::Kind::half_space) return {};
  const TangentPlane local = plane.in_frame(side.rotation);
  const SampledHessian hessian = gaussian_hessian(shape.core(), local, sign * local.normal, scale, estimator, stream);
  side.feature = SupportFeature{};
  side.feature.hessian = hessian.matrix();
  return hessian;
}

using Matrix2x3 = Eigen::Matrix<double, 2, 3>;
using Matrix3x2 = Eigen::Matrix<double, 3, 2>;

/// H y as a linear map of (xx, xy, yy).
Matrix2x3 applied_to(Double2 y) {
  Matrix2x3 map;
  map << y.x, y.y, 0.0, 0.0, y.x, y.y;
  return map;
}

Eigen::Matrix2d eigen(const Matrix22& m) {
  Eigen::Matrix2d result;
  result << m.xx, m.xy, m.yx, m.yy;
  return result;
}

/// How the tangential dn and dp_A of one column depend on the two Hessians.
struct Sensitivity {
  Matrix2x3 normal_a, normal_b, point_a, point_b;  // of dn and dp_A, by the Hessian of A and of B
};

/// Root of the variance of base * (map_a * H_A + map_b * H_B), row by row.
Vector3 deviation(const Matrix3x2& base, const Matrix2x3& map_a, const Matrix2x3& map_b, const Matrix3& covariance_a,
                  const Matrix3& covariance_b) {
  const Eigen::Matrix2d c = map_a * covariance_a * map_a.transpose() + map_b * covariance_b * map_b.transpose();
  return (base * c * base.transpose()).diagonal().cwiseMax(0.0).cwiseSqrt();
}

}  // namespace

SampledHessian gaussian_hessian(const CoreShape& core, const TangentPlane& plane, Double3 u, double scale,
                                const Gaussian& estimator, std::uint64_t stream) {
  const CounterRandom random(estimator.seed, stream);
  const bool reduced = estimator.variance_reduction;
  int visited = 0;
  const Double3 baseline = reduced ? core_support(core, u, visited).point : Double3{0.0, 0.0, 0.0};
  const auto sample = [&](Double3 z) -> Vector3 {
    const Double3 direction = u + scale * z;
    const Double3 s = core_support(core, (1.0 / direction.norm()) * direction, visited).point - baseline;
    const Double2 at = plane.coordinates(s), along = (1.0 / scale) * plane.coordinates(z);
    return {at.x * along.x, 0.5 * (at.x * along.y + at.y * along.x), at.y * along.y};
  };
  TripleStatistics statistics;
  for (int j = 0; j < estimator.samples; ++j) {
    const Double3 z = random.normal3(static_cast<std::uint64_t>(reduced ? j / 2 : j));
    Vector3 h = sample(z);
    if (reduced && j + 1 < estimator.samples) {
      h = 0.5 * (h + sample(-z));
      ++j;
    }
    statistics.add(h);
  }
  SampledHessian hessian = statistics.result();
  const double swept = core.radius + core.rounding;
  hessian.mean += Vector3(swept, 0.0, swept);
  return hessian;
}

void fill_standard_errors(const WitnessPair& pair, const MotionResponse& response, const Matrix3& covariance_a,
                          const Matrix3& covariance_b, TangentFrame frame, DistanceJacobians& out) {
  DistanceJacobians mean;
  fill_jacobians(pair, response, frame, mean);
  Matrix3x2 base;
  base << tactum::eigen(pair.plane.first), tactum::eigen(pair.plane.second);
  const Eigen::Matrix2d inverse = eigen(response.normal_by_shift), hessian_a = eigen(pair.a.feature.hessian);
  out.distance_jacobian.setZero();
  for (int column = 0; column < 12; ++column) {
    const WitnessSide& side = column < 6 ? pair.a : pair.b;
    Double2 turn{0.0, 0.0};
    if (column % 6 >= 3) {
      const int i = column % 3;
      const Vector3 axis = frame == TangentFrame::local ? Vector3(side.rotation.col(i)) : Vector3(Vector3::Unit(i));
      const Double2 c = pair.plane.coordinates(plain(axis));
      turn = {c.y, -c.x};
    }
    const Double2 dn = pair.plane.coordinates(plain(mean.normal_jacobian.col(column))), still{0.0, 0.0};
    const Matrix2x3 lag_a = applied_to((column < 6 ? turn : still) - dn), lag_b = applied_to((column < 6 ? still : turn) - dn);
    Sensitivity s{inverse * lag_a, inverse * lag_b, hessian_a * inverse * lag_a - lag_a, hessian_a * inverse * lag_b};
    if (pair.a.feature.dimension == 2) s.point_b = lag_b;  // the point on a wall follows the one on B
    const double d = pair.distance;
    out.normal_jacobian.col(column) = deviation(base, s.normal_a, s.normal_b, covariance_a, covariance_b);
    out.separation_jacobian.col(column) = std::abs(d) * out.normal_jacobian.col(column);
    out.point_a_jacobian.col(column) = deviation(base, s.point_a, s.point_b, covariance_a, covariance_b);
    out.point_b_jacobian.col(column) =
        deviation(base, s.point_a + d * s.normal_a, s.point_b + d * s.normal_b, covariance_a, covariance_b);
  }
}

void estimate(const Gaussian& estimator, const Shape& a, const Shape& b, WitnessPair& pair, TangentFrame frame,
              DistanceDerivative& result) {
  const double scale = angle_of(estimator.scale, estimator.relative_to, pair);
  const SampledHessian hessian_a = smooth_side(estimator, a, scale, 1.0, 0, pair.plane, pair.a);
  const SampledHessian hessian_b = smooth_side(estimator, b, scale, -1.0, 1, pair.plane, pair.b);
  const MotionResponse response = response_of(pair.a.feature, pair.b.feature, pair.distance, pair.scale);
  fill_jacobians(pair, response, frame, result);
  if (hessian_a.has_covariance || hessian_b.has_covariance)
    fill_standard_errors(pair, response, hessian_a.covariance, hessian_b.covariance, frame, result.standard_error.emplace());
}

}  // namespace tactum
