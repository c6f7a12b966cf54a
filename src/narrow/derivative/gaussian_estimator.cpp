// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/gaussian_estimator.hpp"

#include "math/counter_random.hpp"
#include "narrow/derivative/smoothing_scale.hpp"
#include "shape/support/core_support.hpp"
#include "tactum/interrupt.hpp"

namespace tactum {
namespace {

/// Mean of independent triples and the covariance of that mean. The sums are of differences from
/// the first triple, so that equal triples have no spread.
class TripleStatistics {
 public:
  void add(Double3 sample) {
    if (count_ == 0.0) first_ = sample;
    count_ += 1.0;
    const Double3 d = sample - first_;
    sum_ = sum_ + d;
    squares_ = squares_ + Double3{d.x * d.x, d.y * d.y, d.z * d.z};
    products_ = products_ + Double3{d.y * d.z, d.x * d.z, d.x * d.y};
  }
  SampledHessian result() const {
    SampledHessian hessian;
    const Double3 mean = (1.0 / count_) * sum_;
    hessian.mean = to_vector3(first_ + mean);
    hessian.has_covariance = count_ > 1.0;
    if (!hessian.has_covariance) return hessian;
    const double factor = 1.0 / (count_ * (count_ - 1.0));
    const Double3 s = factor *
                      (squares_ - Double3{mean.x * sum_.x, mean.y * sum_.y, mean.z * sum_.z});
    const Double3 p = factor *
                      (products_ - Double3{mean.y * sum_.z, mean.x * sum_.z, mean.x * sum_.y});
    hessian.covariance << s.x, p.z, p.y, p.z, s.y, p.x, p.y, p.x, s.z;
    return hessian;
  }

 private:
  double count_ = 0.0;
  Double3 first_{0.0, 0.0, 0.0}, sum_ = first_, squares_ = first_, products_ = first_;
};

/// The Hessian that replaces a feature by a smoothed shape. A plane has nothing to smooth.
SampledHessian smooth_side(const Gaussian& estimator, const Shape& shape, double scale, double sign,
                           std::uint64_t stream, const TangentPlane& plane, WitnessSide& side) {
  if (shape.core().kind == CoreShape::Kind::half_space) return {};
  const TangentPlane local = plane.in_frame(side.rotation);
  const SampledHessian hessian = gaussian_hessian(shape.core(), local, sign * local.normal, scale,
                                                  estimator, stream);
  side.feature = SupportFeature{};
  side.feature.hessian = hessian.matrix();
  return hessian;
}

/// Covariance of a vector in the tangent plane.
struct Covariance {
  double xx, xy, yy;

  friend Covariance operator+(const Covariance& a, const Covariance& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
  }
};

/// Covariance of H y, given that of the entries (xx, xy, yy) of H.
Covariance of_product(const Matrix3& c, Double2 y) {
  const double xx = y.x * y.x, xy = y.x * y.y, yy = y.y * y.y;
  return {xx * c(0, 0) + 2.0 * xy * c(0, 1) + yy * c(1, 1),
          xx * c(0, 1) + xy * (c(0, 2) + c(1, 1)) + yy * c(1, 2),
          xx * c(1, 1) + 2.0 * xy * c(1, 2) + yy * c(2, 2)};
}

/// Covariance of K v, given that of v.
Covariance of_image(const Matrix22& k, const Covariance& c) {
  const Matrix22 half = k * Matrix22{c.xx, c.xy, c.xy, c.yy};
  return {half.xx * k.xx + half.xy * k.xy, half.xx * k.yx + half.xy * k.yy,
          half.yx * k.yx + half.yy * k.yy};
}

/// Standard deviation of each coordinate in space.
Vector3 deviation(const TangentPlane& plane, const Covariance& c) {
  const auto root = [&](double first, double second) {
    return std::sqrt(
        std::max(0.0, first * first * c.xx + 2.0 * first * second * c.xy + second * second * c.yy));
  };
  return {root(plane.x.x, plane.y.x), root(plane.x.y, plane.y.y), root(plane.x.z, plane.y.z)};
}

}  // namespace

SampledHessian gaussian_hessian(const CoreShape& core, const TangentPlane& plane, Double3 u,
                                double scale, const Gaussian& estimator, std::uint64_t stream) {
  const CounterRandom random(estimator.seed, stream);
  const bool reduced = estimator.variance_reduction;
  int visited = 0;
  const Double3 baseline = reduced ? core_support(core, u, visited).point : Double3{0.0, 0.0, 0.0};
  const auto sample = [&](Double3 z) -> Double3 {
    const Double3 direction = u + scale * z;
    const Double3 s = core_support(core, (1.0 / direction.norm()) * direction, visited).point -
                      baseline;
    const Double2 at = plane.project(s), along = (1.0 / scale) * plane.project(z);
    return {at.x * along.x, 0.5 * (at.x * along.y + at.y * along.x), at.y * along.y};
  };
  TripleStatistics statistics;
  for (int j = 0; j < estimator.samples; ++j) {
    if (j % 256 == 0) check_interrupt();
    const Double3 z = random.normal3(static_cast<std::uint64_t>(reduced ? j / 2 : j));
    Double3 h = sample(z);
    if (reduced && j + 1 < estimator.samples) {
      h = 0.5 * (h + sample(-z));
      ++j;
    }
    statistics.add(h);
  }
  SampledHessian hessian = statistics.result();
  const double swept = core.radius + core.inner_radius;
  hessian.mean += Vector3(swept, 0.0, swept);
  return hessian;
}

void fill_standard_errors(const WitnessPair& pair, const MotionResponse& response,
                          const Matrix3& covariance_a, const Matrix3& covariance_b,
                          TangentFrame frame, const DistanceJacobians& mean,
                          DistanceJacobians& out) {
  const Matrix22 identity = Matrix22::scaled_identity(1.0), &inverse = response.normal_by_shift;
  const double d = pair.distance;
  Matrix22 point_by_b = pair.a.feature.hessian * inverse;
  const Matrix22 point_by_a = point_by_b - identity;
  if (pair.a.feature.dimension == 2)
    point_by_b = identity;  // the point on a half-space follows the one on B
  out.distance_jacobian.setZero();
  for (int column = 0; column < 12; ++column) {
    const WitnessSide& side = column < 6 ? pair.a : pair.b;
    Double2 turn{0.0, 0.0};
    if (column % 6 >= 3) {
      const int i = column % 3;
      const Vector3 axis = frame == TangentFrame::local ? Vector3(side.rotation.col(i))
                                                        : Vector3(Vector3::Unit(i));
      const Double2 c = pair.plane.project(to_double3(axis));
      turn = {c.y, -c.x};
    }
    const Double2 dn = pair.plane.project(to_double3(mean.normal_jacobian.col(column))),
                  still{0.0, 0.0};
    const Covariance a = of_product(covariance_a, (column < 6 ? turn : still) - dn);
    const Covariance b = of_product(covariance_b, (column < 6 ? still : turn) - dn);
    out.normal_jacobian.col(column) = deviation(pair.plane, of_image(inverse, a + b));
    out.separation_jacobian.col(column) = std::abs(d) * out.normal_jacobian.col(column);
    out.point_a_jacobian.col(column) = deviation(pair.plane,
                                                 of_image(point_by_a, a) + of_image(point_by_b, b));
    out.point_b_jacobian.col(column) = deviation(
        pair.plane, of_image(point_by_a + d * inverse, a) + of_image(point_by_b + d * inverse, b));
  }
}

void estimate(const Gaussian& estimator, const Shape& a, const Shape& b, WitnessPair& pair,
              TangentFrame frame, DistanceDerivative& result) {
  const double scale = angle_of(estimator.scale, estimator.relative_to, pair);
  const SampledHessian hessian_a = smooth_side(estimator, a, scale, 1.0, 0, pair.plane, pair.a);
  const SampledHessian hessian_b = smooth_side(estimator, b, scale, -1.0, 1, pair.plane, pair.b);
  const MotionResponse response = response_of(pair.a.feature, pair.b.feature, pair.distance,
                                              pair.scale);
  fill_jacobians(pair, response, frame, result);
  if (hessian_a.has_covariance || hessian_b.has_covariance)
    fill_standard_errors(pair, response, hessian_a.covariance, hessian_b.covariance, frame, result,
                         result.standard_error.emplace());
}

}  // namespace tactum
