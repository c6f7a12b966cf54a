// SPDX-License-Identifier: BSD-2-Clause
// Second normals of overlapping shapes: by name, and none on random poses, judged by a dense set of directions.
#include "narrow/derivative/ambiguous_normal.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::normal_ties_test {
namespace {

using namespace tactum::testing;

bool ties(const Shape& a, const Shape& b, const Pose& X) {
  const Distance r = distance(a, {}, b, X);
  const Matrix3 one = Matrix3::Identity();
  return has_other_normal({&a.core(), &one, {0.0, 0.0, 0.0}, plain(r.point_a)},
                          {&b.core(), &X.rotation, plain(X.translation), plain(r.point_b)}, plain(r.normal), r.distance, 1e-9);
}

TEST(NormalTies, SymmetricPoses) {
  const Shape cube = Box{.half_extents = {0.2, 0.2, 0.2}}, ball = Sphere{.radius = 0.05};
  const Shape cylinder = Cylinder{.radius = 0.5, .half_length = 0.2},
              hull = hull_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  EXPECT_TRUE(ties(cube, ball, at(0.0, 0.0, 0.0)));
  EXPECT_TRUE(ties(ball, cube, at(0.0, 0.0, 0.0)));
  EXPECT_TRUE(ties(cube, ball, at(0.1, 0.1, 0.0)));      // +x and +y
  EXPECT_TRUE(ties(cylinder, ball, at(0.0, 0.0, 0.0)));  // both caps
  EXPECT_TRUE(ties(hull, ball, at(0.1, 0.1, 0.2)));      // x = 0 and y = 0
  EXPECT_FALSE(ties(cube, ball, at(0.11, 0.1, 0.0)));
  EXPECT_FALSE(ties(cylinder, ball, at(0.0, 0.0, 0.01)));
  EXPECT_FALSE(ties(hull, ball, at(0.09, 0.1, 0.2)));
  EXPECT_FALSE(ties(HalfSpace{}, ball, at(0.0, 0.0, -1.0)));
  const Shape square = hull_of({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}});
  EXPECT_TRUE(ties(square, ball, at(0.1, 0.2, 0.0)));  // both sides of a flat hull
  EXPECT_FALSE(ties(square, ball, at(0.1, 0.2, 0.01)));
}

TEST(NormalTies, NoneOnRandomPoses) {
  Random random(651);
  int overlapping = 0;
  for (int i = 0; i < 400; ++i) {
    const TestPair pair = random_solids(random, 0.3);
    if (distance(pair.a, {}, pair.b, pair.X_AB).distance > -1e-3) continue;
    ++overlapping;
    EXPECT_FALSE(ties(pair.a, pair.b, pair.X_AB)) << pair.a.to_string() << pair.b.to_string();
  }
  EXPECT_GT(overlapping, 100);
}

}  // namespace
}  // namespace tactum::normal_ties_test
