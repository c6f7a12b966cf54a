// SPDX-License-Identifier: BSD-2-Clause
#include "neural/predictor.hpp"

#include <array>
#include <cmath>

#include "neural/distance_field.hpp"

namespace tactum {
namespace {

using Vector = Eigen::VectorXd;

// Margin and width of the two weights of a cell, in sizes of that cell; below kFar the sum of
// weights fades to nothing.
constexpr std::array<double, 2> kMargin = {1.2, 0.4};
constexpr std::array<double, 2> kWidth = {0.25, 0.2};
constexpr double kFar = 1e-4;

double sigmoid(double x) {
  if (x >= 0.0) return 1.0 / (1.0 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1.0 + e);
}

/// Two weighted averages over the cells of one object.
struct Pooled {
  Vector average;                                  // of the features, by the weight of their half
  Eigen::Matrix<double, 3, 2> center;              // of the centers
  Eigen::Vector2d gap = Eigen::Vector2d::Zero();   // of the distances from the other object
  Eigen::Vector2d mass = Eigen::Vector2d::Zero();  // sums of weights
  Eigen::Matrix2Xd weights;                        // a column for each cell
  Vector gaps;                                     // at the center of each cell
  Points slopes;                                   // their gradients
};

/// Derivatives of the logit by what was pooled.
struct Sensitivity {
  explicit Sensitivity(int features) : average(Vector::Zero(features)) {}
  Vector average;
  Eigen::Matrix<double, 3, 2> center = Eigen::Matrix<double, 3, 2>::Zero();
  Eigen::Vector2d gap = Eigen::Vector2d::Zero(), mass = Eigen::Vector2d::Zero();
};

/// Derivatives of the logit by a pose.
struct PoseSensitivity {
  Vector3 force = Vector3::Zero();  // by the translation
  Matrix3 turn = Matrix3::Zero();   // by the rotation matrix
};

/// `X_OtherOwn` is the pose of the center frame of `own` in that of `other`.
Pooled pool(const ObjectCode& own, const ObjectCode& other, const Pose& X_OtherOwn) {
  const Eigen::Index cells = own.centers.cols(), half = own.features.rows() / 2;
  Pooled pooled;
  pooled.weights.resize(2, cells);
  pooled.gaps.resize(cells);
  pooled.slopes.resize(3, cells);
  for (Eigen::Index i = 0; i < cells; ++i) {
    const FieldSample gap = sample_field(other, X_OtherOwn * Vector3(own.centers.col(i)));
    pooled.gaps[i] = gap.value;
    pooled.slopes.col(i) = gap.gradient;
    for (std::size_t j = 0; j < 2; ++j) {
      const double share = gap.value / own.cell_size;
      pooled.weights(static_cast<Eigen::Index>(j), i) = sigmoid((kMargin[j] - share) / kWidth[j]);
    }
  }
  pooled.mass = pooled.weights.rowwise().sum();
  pooled.average.resize(2 * half);
  for (Eigen::Index j = 0; j < 2; ++j) {
    const Vector share = pooled.weights.row(j).transpose() / (pooled.mass[j] + kFar);
    pooled.average.segment(j * half, half) = own.features.middleRows(j * half, half) * share;
    pooled.center.col(j) = own.centers * share;
    pooled.gap[j] = pooled.gaps.dot(share);
  }
  return pooled;
}

/// Adds what the derivatives by the averages mean for the pose of `own` in `other`.
void pool_backward(const ObjectCode& own, const Pooled& pooled, const Sensitivity& d,
                   PoseSensitivity& pose) {
  const Eigen::Index half = own.features.rows() / 2;
  for (Eigen::Index i = 0; i < own.centers.cols(); ++i) {
    double d_gap = 0.0;
    for (Eigen::Index j = 0; j < 2; ++j) {
      const auto rows = Eigen::seqN(j * half, half);
      const Vector feature = own.features.col(i)(rows) - pooled.average(rows);
      const Vector3 center = own.centers.col(i) - pooled.center.col(j);
      const double per_mass = 1.0 / (pooled.mass[j] + kFar);
      const double d_weight = per_mass *
                                  (feature.dot(d.average(rows)) + center.dot(d.center.col(j)) +
                                   (pooled.gaps[i] - pooled.gap[j]) * d.gap[j]) +
                              d.mass[j];
      const double w = pooled.weights(j, i);
      d_gap += w * per_mass * d.gap[j];
      d_gap -= d_weight * w * (1.0 - w) / (kWidth[static_cast<std::size_t>(j)] * own.cell_size);
    }
    const Vector3 d_place = d_gap * pooled.slopes.col(i);
    pose.force += d_place;
    pose.turn += d_place * own.centers.col(i).transpose();
  }
}

/// Values inside a dense layer that its derivative needs.
struct DenseTape {
  Vector active;      // after ReLU
  Vector normalized;  // before scale and shift
  double deviation = 1.0;
};

Vector forward(const DenseLayer& layer, const Vector& x, DenseTape& tape) {
  tape.active = (layer.linear.weight * x + layer.linear.bias).cwiseMax(0.0);
  const Vector centered = tape.active.array() - tape.active.mean();
  tape.deviation = std::sqrt(centered.squaredNorm() / static_cast<double>(centered.size()) +
                             kNormEpsilon);
  tape.normalized = centered / tape.deviation;
  return tape.normalized.cwiseProduct(layer.norm.scale) + layer.norm.shift;
}

Vector backward(const DenseLayer& layer, const DenseTape& tape, const Vector& d_out) {
  const Vector d = d_out.cwiseProduct(layer.norm.scale);
  const double along = d.dot(tape.normalized) / static_cast<double>(d.size());
  Vector d_active = (d.array() - d.mean() - along * tape.normalized.array()) / tape.deviation;
  d_active = (tape.active.array() > 0.0).select(d_active, 0.0);
  return layer.linear.weight.transpose() * d_active;
}

struct ViewTape {
  std::array<DenseTape, 3> layers;
};

/// Calls a function with the place of each vector among the features: the first of each half.
template <class Function>
void for_each_vector(const CollisionNetworkSize& size, Function function) {
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < size.vectors / 2; ++i) function(half * (size.features / 2) + 3 * i);
  }
}

/// The features with their vectors turned.
Vector turned(const CollisionNetworkSize& size, const Vector& average, const Matrix3& R) {
  Vector out = average;
  for_each_vector(size, [&](int at) { out.segment<3>(at) = R * average.segment<3>(at); });
  return out;
}

/// Where the inputs of a view lie behind the features of both objects.
enum ViewInput {
  kExtents = 0,
  kTranslation = 6,
  kCenters = 9,
  kGaps = 21,
  kRotation = 25,
  kMass = 34
};

/// The features that `own` sees of `other`, whose center frame has the pose X in that of `own`.
Vector view(const NetworkWeights& w, const ObjectCode& own, const Pooled& own_pool,
            const ObjectCode& other, const Pooled& other_pool, const Pose& X, ViewTape& tape) {
  const int F = w.size.features;
  Vector x(2 * F + kViewInputs);
  x.head(F) = own_pool.average;
  x.segment(F, F) = turned(w.size, other_pool.average, X.rotation);
  auto rest = x.tail<kViewInputs>();
  rest.segment<3>(kExtents) = own.extents;
  rest.segment<3>(kExtents + 3) = other.extents;
  rest.segment<3>(kTranslation) = X.translation;
  rest.segment<6>(kCenters) = own_pool.center.reshaped();
  const Eigen::Matrix<double, 3, 2> seen = X.rotation * other_pool.center;
  rest.segment<6>(kCenters + 6) = seen.reshaped();
  rest.segment<2>(kGaps) = own_pool.gap;
  rest.segment<2>(kGaps + 2) = other_pool.gap;
  rest.head<kRotation>() /= kNetworkUnit;
  for (int row = 0; row < 3; ++row)
    rest.segment<3>(kRotation + 3 * row) = X.rotation.row(row).transpose();
  rest.segment<2>(kMass) = own_pool.mass.array().log1p();
  rest.segment<2>(kMass + 2) = other_pool.mass.array().log1p();
  Vector h = forward(w.first, x, tape.layers[0]);
  h += forward(w.second, h, tape.layers[1]);
  h += forward(w.third, h, tape.layers[2]);
  return h;
}

/// Adds the derivatives of the logit by everything that enters a view; `d` is the one by its
/// result.
void view_backward(const NetworkWeights& w, const ViewTape& tape, const Pooled& own_pool,
                   const Pooled& other_pool, const Pose& X, Vector d, Sensitivity& own,
                   Sensitivity& other, PoseSensitivity& pose) {
  const int F = w.size.features;
  d += backward(w.third, tape.layers[2], d);
  d += backward(w.second, tape.layers[1], d);
  Vector dx = backward(w.first, tape.layers[0], d);
  own.average += dx.head(F);
  const Vector d_turned = dx.segment(F, F);
  other.average += turned(w.size, d_turned, X.rotation.transpose());
  for_each_vector(w.size, [&](int at) {
    pose.turn += d_turned.segment<3>(at) * other_pool.average.segment<3>(at).transpose();
  });
  auto rest = dx.tail<kViewInputs>();
  rest.head<kRotation>() /= kNetworkUnit;
  pose.force += rest.segment<3>(kTranslation);
  own.center += rest.segment<6>(kCenters).reshaped(3, 2);
  const Eigen::Matrix<double, 3, 2> d_center = rest.segment<6>(kCenters + 6).reshaped(3, 2);
  other.center += X.rotation.transpose() * d_center;
  pose.turn += d_center * other_pool.center.transpose();
  own.gap += rest.segment<2>(kGaps);
  other.gap += rest.segment<2>(kGaps + 2);
  for (int row = 0; row < 3; ++row)
    pose.turn.row(row) += rest.segment<3>(kRotation + 3 * row).transpose();
  own.mass.array() += rest.segment<2>(kMass).array() / (1.0 + own_pool.mass.array());
  other.mass.array() += rest.segment<2>(kMass + 2).array() / (1.0 + other_pool.mass.array());
}

/// All values of one prediction.
struct PairTape {
  Pose X;  // of the center frame of B in that of A
  Pooled a, b;
  ViewTape view_a, view_b;
  DenseTape joint;
  CollisionPrediction value;
};

PairTape run(const NetworkWeights& w, const ObjectCode& a, const ObjectCode& b, const Pose& X_AB) {
  PairTape tape;
  tape.X = {X_AB.rotation, X_AB * b.origin - a.origin};
  const Pose back = inverse(tape.X);
  tape.a = pool(a, b, back);
  tape.b = pool(b, a, tape.X);
  const Vector h = view(w, a, tape.a, b, tape.b, tape.X, tape.view_a) +
                   view(w, b, tape.b, a, tape.a, back, tape.view_b);
  const Vector out = w.out.weight * forward(w.joint, h, tape.joint) + w.out.bias;
  tape.value = {out[0], out[1] * kNetworkUnit};
  return tape;
}

}  // namespace

CollisionPrediction predict_pair(const NetworkWeights& weights, const ObjectCode& a,
                                 const ObjectCode& b, const Pose& X_AB) {
  return run(weights, a, b, X_AB).value;
}

CollisionPredictionDerivative predict_pair_derivative(const NetworkWeights& weights,
                                                      const ObjectCode& a, const ObjectCode& b,
                                                      const Pose& X_AB) {
  const PairTape tape = run(weights, a, b, X_AB);
  const Vector d = backward(weights.joint, tape.joint, weights.out.weight.row(0).transpose());
  Sensitivity on_a(weights.size.features), on_b(weights.size.features);
  PoseSensitivity there, back;  // by the pose of B in A, and of A in B
  const Pose inverse_pose = inverse(tape.X);
  view_backward(weights, tape.view_a, tape.a, tape.b, tape.X, d, on_a, on_b, there);
  view_backward(weights, tape.view_b, tape.b, tape.a, inverse_pose, d, on_b, on_a, back);
  pool_backward(a, tape.a, on_a, back);
  pool_backward(b, tape.b, on_b, there);

  // the inverse pose is (R^T, -R^T t)
  const Matrix3& R = tape.X.rotation;
  there.force -= R * back.force;
  there.turn += back.turn.transpose() - tape.X.translation * back.force.transpose();
  // the center of B lies at R origin + t
  there.turn += there.force * b.origin.transpose();

  CollisionPredictionDerivative found;
  found.value = tape.value;
  found.logit_gradient.head<3>() = R.transpose() * there.force;
  const Matrix3 local = R.transpose() * there.turn;
  found.logit_gradient.tail<3>() = Vector3(local(2, 1) - local(1, 2), local(0, 2) - local(2, 0),
                                           local(1, 0) - local(0, 1));
  return found;
}

}  // namespace tactum
