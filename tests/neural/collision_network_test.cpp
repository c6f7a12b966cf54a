// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/collision_network.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "neural/random_network.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

Mesh tetrahedron(double size) {
  Points vertices(3, 4);
  vertices << 0, size, 0, 0, 0, 0, size, 0, 0, 0, 0, size;
  Triangles triangles(3, 4);
  triangles << 0, 0, 0, 1, 2, 1, 3, 2, 1, 3, 2, 3;
  return {vertices, triangles};
}

TEST(CollisionNetwork, EncodesAMeshAlwaysAlike) {
  const CollisionNetwork network = CollisionNetwork::parse(test::network_bytes(), "f");
  EXPECT_EQ(network.size().cells, 4);
  const ObjectCode one = network.encode(tetrahedron(0.1)), other = network.encode(tetrahedron(0.1));
  EXPECT_EQ(one.features, other.features);
  const Pose X{.rotation = Matrix3::Identity(), .translation = Vector3(0.05, 0.0, 0.0)};
  EXPECT_EQ(network.predict(one, other, X).logit,
            network.predict_derivative(one, other, X).value.logit);
}

TEST(CollisionNetwork, ReadsAFile) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) /
                                     "tactum_network_test.safetensors";
  std::ofstream(path, std::ios::binary) << test::network_bytes();
  const CollisionNetwork network = CollisionNetwork::read(path);
  std::filesystem::remove(path);
  EXPECT_EQ(network.size().points, 80);
  EXPECT_THROW(CollisionNetwork::read(path), InvalidInput);
  EXPECT_THROW(CollisionNetwork::read(testing::TempDir()), InvalidInput);
}

TEST(CollisionNetwork, RefusesBadInput) {
  const CollisionNetwork network = CollisionNetwork::parse(test::network_bytes(), "f");
  const ObjectCode code = network.encode(tetrahedron(0.1));
  Pose bad;
  bad.translation[0] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(network.predict(code, code, bad), InvalidInput);
  EXPECT_THROW(network.predict(code, {}, {}), InvalidInput);
  EXPECT_THROW(network.predict_derivative({}, code, {}), InvalidInput);
  EXPECT_THROW(network.encode(tetrahedron(0.0)), InvalidInput);
  EXPECT_THROW(network.encode(tetrahedron(1e7)), InvalidInput);
  EXPECT_THROW(network.encode(Points(3, 0), Points(3, 0)), InvalidInput);
  EXPECT_THROW(network.encode(Points::Zero(3, 2), Points::Zero(3, 1)), InvalidInput);
  Points points = Points::Zero(3, 2);
  points(1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(network.encode(points, Points::Zero(3, 2)), InvalidInput);
  EXPECT_THROW(CollisionNetwork::parse("", "f"), InvalidInput);
}

TEST(CollisionNetwork, TinyAndHugeMeshesGiveFiniteNumbers) {
  const CollisionNetwork network = CollisionNetwork::parse(test::network_bytes(), "f");
  for (const double size : {1e-9, 1e-3, 1e3, 9e5}) {
    const ObjectCode code = network.encode(tetrahedron(size));
    const CollisionPredictionDerivative found = network.predict_derivative(code, code, {});
    EXPECT_TRUE(std::isfinite(found.value.logit) && std::isfinite(found.value.distance)) << size;
    EXPECT_TRUE(found.logit_gradient.allFinite()) << size;
  }
}

}  // namespace
}  // namespace tactum
