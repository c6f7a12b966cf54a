// SPDX-License-Identifier: BSD-2-Clause
#include "gpu/distance_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/random_shapes.hpp"

namespace tactum::gpu {
namespace distance_grid_tests {

/// A grid of a function of the nodes.
struct Sampled {
  template <class Function>
  explicit Sampled(Function function) {
    for (int z = 0; z < grid.num_z; ++z) {
      for (int y = 0; y < grid.num_y; ++y) {
        for (int x = 0; x < grid.num_x; ++x) {
          values.push_back(
              function(Vector<float>{grid.origin.x + grid.spacing * static_cast<float>(x),
                                     grid.origin.y + grid.spacing * static_cast<float>(y),
                                     grid.origin.z + grid.spacing * static_cast<float>(z)}));
        }
      }
    }
  }
  float at(Vector<float> p) const { return grid_distance(grid, values.data(), p); }

  GridRecord grid{{-1.0F, -0.8F, -0.6F}, 0.1F, 21, 17, 13, 0, 0, 0};
  std::vector<float> values;
};

Vector<float> rounded(const Vector3& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

TEST(GpuDistanceGrid, IsExactForWhatIsLinear) {
  const Vector<float> n{0.36F, 0.48F, 0.8F};
  const Sampled plane([&](Vector<float> p) { return dot(n, p) - 0.1F; });
  testing::Random random(1);
  for (int i = 0; i < 500; ++i) {
    const Vector3 p = random.in_box(1.0).cwiseProduct(Vector3(0.99, 0.79, 0.59));
    EXPECT_NEAR(plane.at(rounded(p)), dot(n, rounded(p)) - 0.1F, 2e-6F);
  }
}

TEST(GpuDistanceGrid, OfABallIsRightToTheCurvatureOfACell) {
  const Sampled ball([](Vector<float> p) { return norm(p) - 0.4F; });
  testing::Random random(2);
  for (int i = 0; i < 500; ++i) {
    const Vector3 p = (0.3 + 0.25 * (i % 10) / 10.0) * random.direction();
    // a cell errs by at most spacing^2 / 8 for each axis, times the curvature
    const double bound = 3.0 * 0.01 / 8.0 / (p.norm() - 0.1);
    EXPECT_NEAR(ball.at(rounded(p)), static_cast<float>(p.norm() - 0.4), bound);
  }
}

TEST(GpuDistanceGrid, OutsideItIsNeverLessThanTheDistance) {
  const Sampled ball([](Vector<float> p) { return norm(p) - 0.4F; });
  testing::Random random(3);
  for (int i = 0; i < 500; ++i) {
    const Vector3 p = (2.0 + i * 0.01) * random.direction();
    EXPECT_GE(ball.at(rounded(p)), static_cast<float>(p.norm() - 0.4) - 1e-2F);
    EXPECT_LE(ball.at(rounded(p)), static_cast<float>(p.norm() - 0.4) + 1.5F);
  }
  // the corners belong to the grid
  EXPECT_NEAR(ball.at({1.0F, 0.8F, 0.6F}), std::sqrt(2.0F) - 0.4F, 1e-5F);
  EXPECT_NEAR(ball.at({-1.0F, -0.8F, -0.6F}), std::sqrt(2.0F) - 0.4F, 1e-5F);
}

}  // namespace distance_grid_tests
}  // namespace tactum::gpu
