// SPDX-License-Identifier: BSD-2-Clause
// Samples of surfaces: where they lie, how many fall where, how far apart they keep.
#include <gtest/gtest.h>

#include "mesh/mesh_fixtures.hpp"
#include "tactum/status.hpp"

namespace tactum::mesh_sample_test {
namespace {

using testing::box_mesh;

TEST(MeshSample, LiesOnTheBoxWithItsNormals) {
  const Vector3 half(1, 2, 3);
  for (const SampleMethod method : {SampleMethod::uniform, SampleMethod::poisson}) {
    const MeshSamples samples = box_mesh(half).surface().sample(500, 3, method);
    ASSERT_EQ(samples.points.cols(), 500);
    for (int i = 0; i < 500; ++i) {
      const Vector3 p = samples.points.col(i), n = samples.normals.col(i);
      int axis = 0;
      EXPECT_NEAR(n.cwiseAbs().maxCoeff(&axis), 1.0, 1e-15);
      EXPECT_NEAR(p[axis], n[axis] * half[axis], 1e-14);
      EXPECT_TRUE((p.cwiseAbs().array() <= half.array() + 1e-14).all());
    }
  }
}

TEST(MeshSample, FacesGetTheirShareOfTheArea) {
  const Vector3 half(1, 2, 3);
  const int n = 100000;
  const MeshSamples samples = box_mesh(half).surface().sample(n, 1);
  for (int axis = 0; axis < 3; ++axis) {
    const double share = 8.0 * half[(axis + 1) % 3] * half[(axis + 2) % 3] / 88.0;
    const auto count = static_cast<double>((samples.normals.row(axis).array().abs() > 0.5).count());
    EXPECT_NEAR(count / n, share, 5.0 * std::sqrt(share * (1 - share) / n));
    const double mean = samples.points.row(axis).mean();
    EXPECT_NEAR(mean, 0.0, 5.0 * half[axis] / std::sqrt(n));
  }
}

TEST(MeshSample, TheSeedDecides) {
  const Mesh mesh = box_mesh({1, 1, 1}).surface();
  EXPECT_EQ(mesh.sample(20, 5).points, mesh.sample(20, 5).points);
  EXPECT_NE(mesh.sample(20, 5).points, mesh.sample(20, 6).points);
  EXPECT_EQ(mesh.sample(10, 5).points, mesh.sample(20, 5).points.leftCols(10));
  EXPECT_EQ(mesh.sample(50, 5, SampleMethod::poisson).points,
            mesh.sample(50, 5, SampleMethod::poisson).points);
}

double closest(const Points& points) {
  double least = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < points.cols(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      least = std::min(least, (points.col(i) - points.col(j)).norm());
  return least;
}

TEST(MeshSample, PoissonPointsKeepAway) {
  const int n = 400;
  const Mesh mesh = testing::torus_mesh(2.0, 0.5, 60, 30).surface();
  // what discs of the densest packing would keep
  const double densest = 2.0 * std::sqrt(mesh.area() / (2.0 * std::numbers::sqrt3 * n));
  const double poisson = closest(mesh.sample(n, 2, SampleMethod::poisson).points);
  EXPECT_GT(poisson, 0.45 * densest);
  EXPECT_LT(closest(mesh.sample(n, 2).points), 0.2 * densest);
}

TEST(MeshSample, RefusesWhatCannotBe) {
  const Mesh mesh = box_mesh({1, 1, 1}).surface();
  EXPECT_EQ(mesh.sample(0).points.cols(), 0);
  EXPECT_THROW(mesh.sample(-1), InvalidInput);
  EXPECT_THROW(mesh.sample(10'000'001), InvalidInput);
  Triangles flat(3, 1);
  flat << 0, 1, 1;
  EXPECT_THROW(Mesh(Points::Identity(3, 2), flat).sample(3), InvalidInput);
}

}  // namespace
}  // namespace tactum::mesh_sample_test
