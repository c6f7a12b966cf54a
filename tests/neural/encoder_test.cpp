// SPDX-License-Identifier: BSD-2-Clause
// Exact agreement with PyTorch is tested in tests/python/test_neural.py; here are the symmetries.
#include "neural/encoder.hpp"

#include <gtest/gtest.h>

#include "neural/random_network.hpp"

namespace tactum {
namespace {

NetworkWeights small_weights() {
  return make_network_weights(parse_tensor_file(test::network_bytes(), "f"), "f");
}

TEST(Encoder, GridHoldsThePoints) {
  const test::Cloud cloud = test::ellipsoid_cloud({0.05, 0.1, 0.02}, {0.3, -0.2, 0.1}, 200, 1);
  const ObjectCode code = encode_points(small_weights(), cloud.points, cloud.normals);
  EXPECT_LT((code.origin - Vector3(0.3, -0.2, 0.1)).norm(), 0.02);
  EXPECT_NEAR(code.half_side, 0.11, 5e-3);
  EXPECT_DOUBLE_EQ(code.cell_size, 2.0 * code.half_side / 4);
  ASSERT_EQ(code.features.cols(), code.centers.cols());
  // every point shares its cell with a center, and no two centers share one
  const auto cell_of = [&](const Vector3& p) {
    return ((p.array() + code.half_side) / code.cell_size).floor().cast<int>().eval();
  };
  for (Eigen::Index i = 0; i < cloud.points.cols(); ++i) {
    const auto cell = cell_of(cloud.points.col(i) - code.origin);
    int found = 0;
    for (Eigen::Index j = 0; j < code.centers.cols(); ++j)
      found += (cell_of(code.centers.col(j)) == cell).all() ? 1 : 0;
    EXPECT_EQ(found, 1);
  }
  EXPECT_LT(code.centers.cols(), 64);
}

TEST(Encoder, OrderOfPointsDoesNotMatter) {
  const test::Cloud cloud = test::ellipsoid_cloud({0.05, 0.1, 0.02}, Vector3::Zero(), 100, 2);
  const NetworkWeights weights = small_weights();
  const ObjectCode one = encode_points(weights, cloud.points, cloud.normals);
  const ObjectCode other = encode_points(weights, cloud.points.rowwise().reverse(),
                                         cloud.normals.rowwise().reverse());
  ASSERT_EQ(one.features.cols(), other.features.cols());
  EXPECT_LT((one.features - other.features).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(one.field, other.field);
}

TEST(Encoder, TranslationMovesTheOriginAlone) {
  const NetworkWeights weights = small_weights();
  const test::Cloud here = test::ellipsoid_cloud({0.05, 0.1, 0.02}, Vector3::Zero(), 100, 3);
  const Vector3 shift(0.5, 0.25, -1.0);
  const ObjectCode one = encode_points(weights, here.points, here.normals);
  const ObjectCode other = encode_points(weights, here.points.colwise() + shift, here.normals);
  EXPECT_LT((other.origin - one.origin - shift).norm(), 1e-14);
  EXPECT_LT((one.features - other.features).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Encoder, OnePointIsEnough) {
  const Points point = Points::Zero(3, 1), normal = Vector3::UnitZ();
  const ObjectCode code = encode_points(small_weights(), point, normal);
  EXPECT_EQ(code.features.cols(), 1);
  EXPECT_TRUE(code.features.allFinite() && code.field.allFinite());
  EXPECT_DOUBLE_EQ(code.half_side, kBoxGrowth);
}

}  // namespace
}  // namespace tactum
