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

/// The weighted averages of the features of one object.
struct Pooled {
  Vector average;
  Eigen::Vector2d mass = Eigen::Vector2d::Zero();  // sums of weights
  Eigen::Matrix2Xd weights;                        // a column for each cell
  Points slopes;                                   // gradient of the distance at each cell's center
};

/// `X_OtherOwn` is the pose of the center frame of `own` in that of `other`.
Pooled pool(const ObjectCode& own, const ObjectCode& other, const Pose& X_OtherOwn) {
  const Eigen::Index cells = own.centers.cols(), half = own.features.rows() / 2;
  Pooled pooled;
  pooled.weights.resize(2, cells);
  pooled.slopes.resize(3, cells);
  for (Eigen::Index i = 0; i < cells; ++i) {
    const FieldSample gap = sample_field(other, X_OtherOwn * Vector3(own.centers.col(i)));
    pooled.slopes.col(i) = gap.gradient;
    for (std::size_t j = 0; j < 2; ++j) {
      const double share = gap.value / own.cell_size;
      pooled.weights(static_cast<Eigen::Index>(j), i) = sigmoid((kMargin[j] - share) / kWidth[j]);
    }
  }
  pooled.mass = pooled.weights.rowwise().sum();
  pooled.average.resize(2 * half);
  for (Eigen::Index j = 0; j < 2; ++j) {
    pooled.average.segment(j * half, half) = own.features.middleRows(j * half, half) *
                                             pooled.weights.row(j).transpose() /
                                             (pooled.mass[j] + kFar);
  }
  return pooled;
}

/// Adds what the derivatives by average and mass mean for the pose of `own` in `other`: `force` by
/// its translation, `turn` by its rotation matrix.
void pool_backward(const ObjectCode& own, const Pooled& pooled, const Vector& d_average,
                   const Eigen::Vector2d& d_mass, Vector3& force, Matrix3& turn) {
  const Eigen::Index half = own.features.rows() / 2;
  for (Eigen::Index i = 0; i < own.centers.cols(); ++i) {
    double d_gap = 0.0;
    for (Eigen::Index j = 0; j < 2; ++j) {
      const auto offset = own.features.col(i).segment(j * half, half) -
                          pooled.average.segment(j * half, half);
      const double d_weight =
          offset.dot(d_average.segment(j * half, half)) / (pooled.mass[j] + kFar) + d_mass[j];
      const double w = pooled.weights(j, i);
      d_gap -= d_weight * w * (1.0 - w) / (kWidth[static_cast<std::size_t>(j)] * own.cell_size);
    }
    const Vector3 d_place = d_gap * pooled.slopes.col(i);
    force += d_place;
    turn += d_place * own.centers.col(i).transpose();
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

/// The features with their vectors turned.
Vector turned(const Vector& average, int vectors, const Matrix3& R) {
  Vector out = average;
  for (int i = 0; i < vectors; ++i) out.segment<3>(3 * i) = R * average.segment<3>(3 * i);
  return out;
}

/// What `own` sees of `other`, whose center frame has the pose X in that of `own`.
Vector view(const NetworkWeights& w, const ObjectCode& own, const Pooled& own_pool,
            const ObjectCode& other, const Pooled& other_pool, const Pose& X, ViewTape& tape) {
  const int F = w.size.features;
  Vector x(2 * F + 22);
  x.head(F) = own_pool.average;
  x.segment(F, F) = turned(other_pool.average, w.size.vectors, X.rotation);
  x.segment<3>(2 * F) = own.extents / kNetworkUnit;
  x.segment<3>(2 * F + 3) = other.extents / kNetworkUnit;
  x.segment<3>(2 * F + 6) = X.translation / kNetworkUnit;
  for (int row = 0; row < 3; ++row) x.segment<3>(2 * F + 9 + 3 * row) = X.rotation.row(row);
  x.segment<2>(2 * F + 18) = own_pool.mass.array().log1p();
  x.segment<2>(2 * F + 20) = other_pool.mass.array().log1p();
  Vector h = forward(w.first, x, tape.layers[0]);
  h += forward(w.second, h, tape.layers[1]);
  h += forward(w.third, h, tape.layers[2]);
  return h;
}

/// Derivatives of the logit by everything that enters the two views.
struct Sensitivity {
  Vector average;
  Eigen::Vector2d mass = Eigen::Vector2d::Zero();
};

void view_backward(const NetworkWeights& w, const ViewTape& tape, const Pooled& own_pool,
                   const Pooled& other_pool, const Pose& X, Vector d, Sensitivity& own,
                   Sensitivity& other, Vector3& force, Matrix3& turn) {
  const int F = w.size.features;
  d += backward(w.third, tape.layers[2], d);
  d += backward(w.second, tape.layers[1], d);
  const Vector dx = backward(w.first, tape.layers[0], d);
  own.average += dx.head(F);
  const Vector d_turned = dx.segment(F, F);
  other.average += turned(d_turned, w.size.vectors, X.rotation.transpose());
  for (int i = 0; i < w.size.vectors; ++i)
    turn += d_turned.segment<3>(3 * i) * other_pool.average.segment<3>(3 * i).transpose();
  force += dx.segment<3>(2 * F + 6) / kNetworkUnit;
  for (int row = 0; row < 3; ++row) turn.row(row) += dx.segment<3>(2 * F + 9 + 3 * row);
  own.mass.array() += dx.segment<2>(2 * F + 18).array() / (1.0 + own_pool.mass.array());
  other.mass.array() += dx.segment<2>(2 * F + 20).array() / (1.0 + other_pool.mass.array());
}

/// All values of one prediction.
struct PairTape {
  Pose X;  // of the center frame of B in that of A
  Pooled a, b;
  ViewTape view_a, view_b;
  DenseTape joint;
  CollisionPrediction value;
};

PairTape run(const NetworkWeights& w, const ObjectCode& a, const ObjectCode& b,
             const Pose& X_AB) {
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
  Sensitivity on_a{Vector::Zero(weights.size.features)}, on_b = on_a;
  // by translation and rotation matrix of B in A, and of A in B
  Vector3 force = Vector3::Zero(), back_force = Vector3::Zero();
  Matrix3 turn = Matrix3::Zero(), back_turn = Matrix3::Zero();
  const Pose back = inverse(tape.X);
  view_backward(weights, tape.view_a, tape.a, tape.b, tape.X, d, on_a, on_b, force, turn);
  view_backward(weights, tape.view_b, tape.b, tape.a, back, d, on_b, on_a, back_force, back_turn);
  pool_backward(a, tape.a, on_a.average, on_a.mass, back_force, back_turn);
  pool_backward(b, tape.b, on_b.average, on_b.mass, force, turn);

  // the inverse pose is (R^T, -R^T t)
  const Matrix3& R = tape.X.rotation;
  force -= R * back_force;
  turn += back_turn.transpose() - tape.X.translation * back_force.transpose();
  // the center of B lies at R origin + t
  turn += force * b.origin.transpose();

  CollisionPredictionDerivative found;
  found.value = tape.value;
  found.logit_gradient.head<3>() = R.transpose() * force;
  const Matrix3 local = R.transpose() * turn;
  found.logit_gradient.tail<3>() =
      Vector3(local(2, 1) - local(1, 2), local(0, 2) - local(2, 0), local(1, 0) - local(0, 1));
  return found;
}

}  // namespace tactum
