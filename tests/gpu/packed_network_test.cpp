// SPDX-License-Identifier: BSD-2-Clause
// The tables of the device, read back in plain loops: they must say what src/neural computes.
#include "gpu/packed_network.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <random>

#include "gpu/cell_field.hpp"
#include "gpu/half_bits.hpp"
#include "neural/encoder.hpp"
#include "neural/predictor.hpp"
#include "neural/random_network.hpp"
#include "tactum/status.hpp"

namespace tactum::gpu {
namespace packed_network_tests {

const CollisionNetworkSize kSize = {.cells = 5,
                                    .width = 8,
                                    .channels = 6,
                                    .features = 64,
                                    .vectors = 16,
                                    .hidden = 64,
                                    .points = 300};

Pose random_pose(std::mt19937& random, double reach) {
  std::uniform_real_distribution<double> uniform(-reach, reach);
  std::normal_distribution<double> normal;
  const Vector3 t(uniform(random), uniform(random), uniform(random));
  const Eigen::Quaterniond q(normal(random), normal(random), normal(random), normal(random));
  return {q.normalized().toRotationMatrix(), t};
}

/// What is averaged over the cells of one object, in the columns of the table.
struct Pooled {
  std::vector<float> columns;
  std::array<float, 2> mass = {}, gap = {};
};

/// `X` is the pose of the center frame of `own` in that of `other`.
Pooled pool(const PackedCodes& codes, int features, int own, int other, const Pose& X) {
  const CodeRecord& a = codes.records[static_cast<std::size_t>(own)];
  const CodeRecord& b = codes.records[static_cast<std::size_t>(other)];
  const int per_half = 8 * tiles_per_half(features);
  Pooled out{std::vector<float>(static_cast<std::size_t>(2 * per_half), 0.0F)};
  const float spacing = b.half_side / 5.5F;
  for (int k = 0; k < kCellsPerTile * a.num_tiles; ++k) {
    const CellCenter& c = codes.centers[static_cast<std::size_t>(kCellsPerTile * a.first_tile + k)];
    const Vector3 place = (X * Vector3(c.x, c.y, c.z)) / spacing + Vector3::Constant(5.0);
    const FieldPlace at = field_place({static_cast<float>(place.x()), static_cast<float>(place.y()),
                                       static_cast<float>(place.z())});
    const float gap = field_value(codes.fields.data() + kFieldWords * other, at) +
                      spacing * at.outside;
    const CellWeights w = cell_weights(gap / a.cell_size);
    const std::size_t first = static_cast<std::size_t>(kCellsPerTile * a.first_tile) *
                              static_cast<std::size_t>(2 * per_half);
    for (int n = 0; n < 2 * per_half; ++n) {
      const auto place_in = static_cast<std::size_t>(place_of_cell(k, n, features));
      out.columns[static_cast<std::size_t>(n)] += (n < per_half ? w.wide : w.near) *
                                                  from_half_bits(codes.cells[first + place_in]);
    }
    out.gap[0] += w.wide * gap;
    out.gap[1] += w.near * gap;
  }
  for (int half = 0; half < 2; ++half) {
    const int mass_column = half * per_half + features / 2 + 6;
    const float mass = out.columns[static_cast<std::size_t>(mass_column)];
    out.mass[static_cast<std::size_t>(half)] = mass;
    out.gap[static_cast<std::size_t>(half)] /= mass + 1e-4F;
    for (int n = 0; n < per_half; ++n)
      out.columns[static_cast<std::size_t>(half * per_half + n)] /= mass + 1e-4F;
  }
  return out;
}

Vector3 center_of(const Pooled& pooled, int features, int half) {
  const int first = half * 8 * tiles_per_half(features) + features / 2;
  return {pooled.columns[static_cast<std::size_t>(first)],
          pooled.columns[static_cast<std::size_t>(first + 2)],
          pooled.columns[static_cast<std::size_t>(first + 4)]};
}

/// The inputs of a view in the columns of the first layer.
Eigen::VectorXd view_columns(const PackedCodes& codes, int F, int own, const Pooled& own_pool,
                             int other, const Pooled& other_pool, const Pose& X) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(2 * F + kSlots);
  const int tiles = F / 16, per_half = 8 * tiles_per_half(F);
  for (int half = 0; half < 2; ++half) {
    for (int q = 0; q < F / 2; ++q) {
      const auto at = static_cast<std::size_t>(half * per_half + q);
      x[half * F / 2 + q] = own_pool.columns[at];
      x[F + half * F / 2 + q] = other_pool.columns[at];
    }
    for (int v = 0; v < kVectorsPerHalf; ++v) {  // x, y and z lie eight columns apart
      const int at = F + half * 8 * tiles + v;
      const Vector3 turned = X.rotation * Vector3(x[at], x[at + 8], x[at + 16]);
      for (int k = 0; k < 3; ++k) x[at + 8 * k] = turned[k];
    }
  }
  const CodeRecord& a = codes.records[static_cast<std::size_t>(own)];
  const CodeRecord& b = codes.records[static_cast<std::size_t>(other)];
  std::array<double, 38> input = {};
  const Vector3 extents_a(a.extents.x, a.extents.y, a.extents.z);
  const Vector3 extents_b(b.extents.x, b.extents.y, b.extents.z);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    input[k] = extents_a[axis] / kNetworkUnit;
    input[3 + k] = extents_b[axis] / kNetworkUnit;
    input[6 + k] = X.translation[axis] / kNetworkUnit;
    for (int half = 0; half < 2; ++half) {
      const auto offset = static_cast<std::size_t>(3 * half);
      input[9 + offset + k] = center_of(own_pool, F, half)[axis];
      input[15 + offset + k] = (X.rotation * center_of(other_pool, F, half))[axis];
    }
    for (std::size_t j = 0; j < 3; ++j)
      input[25 + 3 * k + j] = X.rotation(axis, static_cast<Eigen::Index>(j));
  }
  for (std::size_t half = 0; half < 2; ++half) {
    input[21 + half] = static_cast<double>(own_pool.gap[half]) / kNetworkUnit;
    input[23 + half] = static_cast<double>(other_pool.gap[half]) / kNetworkUnit;
    input[34 + half] = std::log1p(own_pool.mass[half]);
    input[36 + half] = std::log1p(other_pool.mass[half]);
  }
  for (int t = 0; t < 4; ++t)
    for (int s = 0; s < kSlotsPerLane; ++s)
      if (input_of_slot(t, s) >= 0)
        x[2 * F + column_of_slot(t, s)] = input[static_cast<std::size_t>(input_of_slot(t, s))];
  return x;
}

/// Layer `which` before its scale and shift: values with mean zero and variance one, and those two.
Eigen::VectorXd layer(const PackedNetwork& packed, int which, const Eigen::VectorXd& x,
                      bool affine = true) {
  const int P = packed.width;
  const int first = which == 0 ? 0 : (packed.inputs() + (which - 1) * P) * P;
  const float* const parameters = packed.parameters.data() + 3 * P * which;
  Eigen::VectorXd y(P);
  for (int n = 0; n < P; ++n) {
    double sum = parameters[n];
    for (int k = 0; k < static_cast<int>(x.size()); ++k) {
      const auto place = static_cast<std::size_t>(first + place_of_weight(k, n, P));
      sum += static_cast<double>(from_half_bits(packed.weights[place])) * x[k];
    }
    y[n] = std::max(sum, 0.0);
  }
  y.array() -= y.mean();
  y /= std::sqrt(y.squaredNorm() / P + kNormEpsilon);
  if (affine)
    for (int n = 0; n < P; ++n)
      y[n] = y[n] * static_cast<double>(parameters[P + n]) +
             static_cast<double>(parameters[2 * P + n]);
  return y;
}

CollisionPrediction predict(const PackedNetwork& packed, const PackedCodes& codes, const Pose& X) {
  const int F = packed.num_features, P = packed.width;
  const Pose back = inverse(X);
  const Pooled a = pool(codes, F, 0, 1, back), b = pool(codes, F, 1, 0, X);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(P);
  for (const bool swapped : {false, true}) {
    const Eigen::VectorXd x = swapped ? view_columns(codes, F, 1, b, 0, a, back)
                                      : view_columns(codes, F, 0, a, 1, b, X);
    Eigen::VectorXd h = layer(packed, 0, x);
    h += layer(packed, 1, h);
    h += layer(packed, 2, h);
    sum += h;
  }
  const Eigen::VectorXd joint = layer(packed, 3, sum, false);
  const float* const out = packed.parameters.data() + 12 * P;
  std::array<double, 2> value = {};
  for (std::size_t row = 0; row < 2; ++row) {
    value[row] = out[2 * static_cast<std::size_t>(P) + 2 * row + 1];
    for (int n = 0; n < P; ++n)
      value[row] += static_cast<double>(out[static_cast<int>(row) * P + n]) * joint[n];
  }
  return {value[0], value[1] * kNetworkUnit};
}

TEST(GpuPackedNetwork, TablesSayWhatTheReferenceComputes) {
  const NetworkWeights weights = make_network_weights(
      parse_tensor_file(test::network_bytes(kSize), "f"), "f");
  const test::Cloud one = test::ellipsoid_cloud({0.05, 0.1, 0.02}, {0.01, 0.02, -0.03}, 300, 4);
  const test::Cloud two = test::ellipsoid_cloud({0.03, 0.04, 0.12}, {-0.02, 0.0, 0.05}, 300, 5);
  const std::array<ObjectCode, 2> codes = {encode_points(weights, one.points, one.normals),
                                           encode_points(weights, two.points, two.normals)};
  const PackedNetwork network = pack_network(weights);
  const PackedCodes packed = pack_codes(weights.size, codes);
  std::mt19937 random(3);
  double largest = 0.0;
  for (int i = 0; i < 60; ++i) {
    const Pose X_AB = random_pose(random, 0.15);
    const Pose centers{X_AB.rotation, X_AB * codes[1].origin - codes[0].origin};
    const CollisionPrediction exact = predict_pair(weights, codes[0], codes[1], X_AB);
    const CollisionPrediction found = predict(network, packed, centers);
    largest = std::max(largest, std::abs(exact.logit));
    EXPECT_NEAR(found.logit, exact.logit, 0.02) << i;
    EXPECT_NEAR(found.distance, exact.distance, 0.002) << i;
  }
  EXPECT_GT(largest, 1.0);  // the numbers are not all near zero
}

TEST(GpuPackedNetwork, HalvesAreTheNearestNumbers) {
  for (const float exact :
       {0.0F, 1.0F, -2.5F, 0.333251953125F, 65504.0F, 6.103515625e-5F, 5.9604645e-8F})
    EXPECT_EQ(from_half_bits(to_half_bits(exact)), exact);
  EXPECT_EQ(from_half_bits(to_half_bits(1e9F)), kLargestHalf);
  EXPECT_EQ(from_half_bits(to_half_bits(-1e9F)), -kLargestHalf);
  EXPECT_EQ(to_half_bits(2049.0F), to_half_bits(2048.0F));  // a tie goes to the even one
  std::mt19937 random(1);
  std::uniform_real_distribution<float> exponent(-20.0F, 15.0F), sign(-1.0F, 1.0F);
  for (int i = 0; i < 10000; ++i) {
    const float value = std::copysign(std::exp2(exponent(random)), sign(random));
    const float spacing = std::max(std::fabs(value) * 0x1p-11F, 0x1p-25F);
    EXPECT_LE(std::fabs(from_half_bits(to_half_bits(value)) - value), spacing);
  }
}

TEST(GpuPackedNetwork, ColumnsAreAPermutation) {
  for (const int features : {64, 96}) {
    std::vector<int> seen(static_cast<std::size_t>(2 * features + 38), 0);
    int none = 0;
    for (int column = 0; column < 2 * features + kSlots; ++column) {
      const int input = input_of_column(column, features);
      input < 0 ? ++none : ++seen[static_cast<std::size_t>(input)];
    }
    EXPECT_EQ(none, 10);
    for (const int count : seen) EXPECT_EQ(count, 1);
  }
}

TEST(GpuPackedNetwork, RefusesOtherSizesAndCodes) {
  const NetworkWeights small = make_network_weights(parse_tensor_file(test::network_bytes(), "f"),
                                                    "f");
  EXPECT_THROW(pack_network(small), InvalidInput);
  EXPECT_THROW(pack_codes(kSize, {}), InvalidInput);
  const ObjectCode empty;
  EXPECT_THROW(pack_codes(kSize, {&empty, 1}), InvalidInput);
}

}  // namespace packed_network_tests
}  // namespace tactum::gpu
