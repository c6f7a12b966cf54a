// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/size_motion.hpp"

#include "narrow/derivative_fixtures.hpp"

namespace tactum::size_motion_test {
namespace {

using namespace tactum::testing;

/// Motions of the shape A under a ball, straight below it.
std::vector<SizeMotion> motions(const Shape& a, double height, bool& has_kink) {
  const Shape ball = Sphere{.radius = 0.1};
  const Pose X = at(0.02, 0.03, height);
  const WitnessPair pair = make_witness_pair(a, {}, ball, X, distance(a, {}, ball, X));
  return size_motions(pair, a, pair.a, true, has_kink);
}

TEST(SizeMotion, FacesMoveWithTheSizesThatPushThem) {
  bool has_kink = false;
  const std::vector<SizeMotion> of = motions(Box{.half_extents = {0.2, 0.3, 0.4}}, 1.0, has_kink);
  ASSERT_EQ(of.size(), 4U);
  EXPECT_EQ(of[0].name, "half_extents[0]");
  EXPECT_EQ(of[3].name, "margin");
  EXPECT_EQ(to_vector3(of[0].shift), Vector3::Zero());
  EXPECT_LT((to_vector3(of[2].shift) - Vector3::UnitZ()).norm(), 1e-12);
  EXPECT_LT((to_vector3(of[3].shift) - Vector3::UnitZ()).norm(), 1e-12);
  EXPECT_FALSE(has_kink);
}

TEST(SizeMotion, VerticesTurnTheirTriangle) {
  const Convex hull = hull_of({{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, -1}});
  bool has_kink = false;
  const std::vector<SizeMotion> of = motions(hull, 1.0, has_kink);
  EXPECT_FALSE(has_kink);
  Vector3 lifted = Vector3::Zero();
  for (int vertex = 0; vertex < hull.num_vertices(); ++vertex) {
    const SizeMotion& up = of[static_cast<std::size_t>(3 * vertex + 2)];
    lifted += to_vector3(up.shift);
    const bool on_face = hull.vertex(vertex).z() == 0.0;
    EXPECT_EQ(up.turn.norm() > 0.1, on_face) << vertex;
  }
  EXPECT_LT((lifted - Vector3::UnitZ()).norm(), 1e-12);  // all of them lift the face
}

TEST(SizeMotion, FacesOfFourCornersFold) {
  const Convex hull = hull_of({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, -1}});
  bool has_kink = false;
  motions(hull, 1.0, has_kink);
  EXPECT_TRUE(has_kink);
}

}  // namespace
}  // namespace tactum::size_motion_test
