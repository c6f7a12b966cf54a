// SPDX-License-Identifier: BSD-2-Clause
// The face and the ball that a lane leaves behind, against the same four points in double.
#include "gpu/nearest_face.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "gpu/distance_pair.hpp"
#include "gpu/packed_shapes.hpp"
#include "support/random_shapes.hpp"

namespace tactum::gpu {
namespace nearest_face_tests {

constexpr KindSet kHulls = set_of(CoreKind::polytope);

Vector3 eigen(Vector<double> v) { return {v.x, v.y, v.z}; }

/// Distance of the origin from the plane of three points, positive on the side of a fourth.
double height(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& inner) {
  const Vector3 normal = (b - a).cross(c - a).normalized();
  return normal.dot(inner - a) > 0.0 ? -normal.dot(a) : normal.dot(a);
}

struct Tally {
  int proved = 0, open = 0;
};

/// One pair of hulls whose origins are `apart`: what its search leaves, if it ends with four
/// points.
void check_pair(const PackedShapes& packed, testing::Random& random, double apart, Tally& tally) {
  const TableView<1> table{
      packed.single.data(), packed.exact.data(), {packed.blocks.data(), packed.vertices.data(), 0}};
  const Vector7 here = pose_xyz_xyzw({random.rotation(), Vector3::Zero()}),
                there = pose_xyz_xyzw({random.rotation(), apart * random.direction()});
  const DoublePair pair = double_pair(table, 0, read_pose(here.data()), 1, read_pose(there.data()),
                                      1e-6);
  const auto result = searched<kHulls>(pair, packed.single[0], packed.single[1], table.vertices,
                                       5e-7, kSingleIterations, false);
  if (result.state != LaneState::overlapping) return;
  if (!(result.inside > 0.0F)) {
    ++tally.open;
    return;
  }
  ++tally.proved;
  std::array<Vector3, 4> p;
  const std::array<PieceTag, 4> tags = {result.tag_0, result.tag_1, result.tag_2, result.tag_3};
  for (std::size_t i = 0; i < 4; ++i)
    p[i] = eigen(detail::corner_of<kHulls>(pair, table.vertices, tags[i]).point);
  const double face = height(p[0], p[1], p[2], p[3]);
  const double nearest = std::min({face, height(p[0], p[1], p[3], p[2]),
                                   height(p[0], p[2], p[3], p[1]), height(p[1], p[2], p[3], p[0])});
  // the ball is inside, and the face is the nearest within rounding
  EXPECT_LE(static_cast<double>(result.inside), nearest);
  EXPECT_LE(face, nearest + 1e-3 * pair.scale);
}

TEST(GpuNearestFace, ABallInsideIsKnownWhereFourPointsHoldTheOrigin) {
  testing::Random random(1);
  Tally tally;
  for (int i = 0; i < 300; ++i) {
    std::vector<Shape> shapes;
    for (int k = 0; k < 2; ++k) {
      Points points(3, 27);
      const Vector3 axes(random.uniform(0.02, 0.5), random.uniform(0.1, 0.5), 0.4);
      for (int v = 0; v < 27; ++v) points.col(v) = axes.cwiseProduct(random.direction());
      shapes.push_back(Convex::from_points(points));
    }
    const PackedShapes packed = pack_shapes(shapes);
    for (int k = 0; k < 100; ++k) check_pair(packed, random, random.uniform(0.0, 0.8), tally);
  }
  EXPECT_GT(tally.proved, 5000);
  EXPECT_LT(tally.open, tally.proved / 20);
}

}  // namespace nearest_face_tests
}  // namespace tactum::gpu
