// SPDX-License-Identifier: BSD-2-Clause
#include "neural/distance_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "neural/network_weights.hpp"

namespace tactum {
namespace {

constexpr int kNodes = kFieldNodes;
constexpr double kSoftening = 1e-6;  // m: rounds the kink of the distance outside of the cube

}  // namespace

Eigen::VectorXd distance_field(const Points& points, const Points& normals, double half_side) {
  Eigen::VectorXd field(kNodes * kNodes * kNodes);
  const auto coordinate = [&](int i) { return half_side * (2.0 * i / (kNodes - 1) - 1.0); };
  for (int i = 0; i < field.size(); ++i) {
    const Vector3 node(coordinate(i / (kNodes * kNodes)), coordinate(i / kNodes % kNodes),
                       coordinate(i % kNodes));
    Eigen::Index nearest = 0;
    (points.colwise() - node).colwise().squaredNorm().minCoeff(&nearest);
    const Vector3 away = node - points.col(nearest);
    const double length = away.norm();
    field[i] = away.dot(normals.col(nearest)) < 0.0 ? -length : length;
  }
  return field;
}

FieldSample sample_field(const ObjectCode& code, const Vector3& place) {
  const double half = code.half_side;
  const Vector3 inside = place.cwiseMax(-half).cwiseMin(half);
  const Vector3 beyond = place - inside;
  const double outside = std::sqrt(beyond.squaredNorm() + kSoftening * kSoftening);

  std::array<int, 3> low = {};
  std::array<std::array<double, 2>, 3> weight = {};  // of the lower and the upper node
  Vector3 slope;                                     // of the upper weight by the place
  const double spacing = 2.0 * half / (kNodes - 1);
  for (int k = 0; k < 3; ++k) {
    const double scaled = (inside[k] + half) / spacing;
    const auto axis = static_cast<std::size_t>(k);
    low[axis] = std::clamp(static_cast<int>(scaled), 0, kNodes - 2);
    const double step = scaled - low[axis];
    weight[axis][1] = step * step * (3.0 - 2.0 * step);
    weight[axis][0] = 1.0 - weight[axis][1];
    // the field does not change with a coordinate that was cut off
    slope[k] = beyond[k] == 0.0 ? 6.0 * step * (1.0 - step) / spacing : 0.0;
  }

  FieldSample sample{outside - kSoftening, beyond / outside};
  for (std::size_t corner = 0; corner < 8; ++corner) {
    const std::array<std::size_t, 3> bit = {corner >> 2 & 1, corner >> 1 & 1, corner & 1};
    int node = 0;
    for (std::size_t k = 0; k < 3; ++k) node = node * kNodes + low[k] + static_cast<int>(bit[k]);
    const double value = code.field[node];
    sample.value += value * weight[0][bit[0]] * weight[1][bit[1]] * weight[2][bit[2]];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
      const double sign = bit[k] == 1 ? 1.0 : -1.0;
      sample.gradient[static_cast<int>(k)] += value * sign * slope[static_cast<int>(k)] *
                                              weight[i][bit[i]] * weight[j][bit[j]];
    }
  }
  return sample;
}

}  // namespace tactum
