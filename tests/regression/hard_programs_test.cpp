// SPDX-License-Identifier: BSD-2-Clause
// The hard cases that are more than static queries: a sweep, a long loop, and a hull to build.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "regression/hard_case_file.hpp"
#include "regression/result_checks.hpp"

namespace tactum::regression::hard_programs_test {
namespace {

const std::string kDataFile = std::string(TACTUM_TEST_DATA) + "/hard_cases.txt";

// parry 70: a capsule sinks into a large box; as long as its middle is below y = 0.5 + 0.5 the box
// acts as the half-space y <= 0
TEST(HardPrograms, CapsuleSinksIntoLargeBoxLikeIntoHalfSpace) {
  const HardCase hard_case = find_case(kDataFile, "parry-70-capsule-cuboid-sweep");
  const Shape capsule = make_shape(hard_case.shape_a), box = make_shape(hard_case.shape_b);
  const Shape ground = HalfSpace{.normal = Vector3::UnitY()};
  Pose X_WA, X_WB;
  X_WA.rotation << 1, 0, 0, 0, 0, 1, 0, -1, 0;  // the library's axis z becomes y
  X_WB.translation = {0, -50, 0};
  for (int step = 0; step < 200; ++step) {
    X_WA.translation = {0, -0.5 + step * 0.005, 0};
    const double truth = X_WA.translation.y() - 1.0;
    const Pair with_box{capsule, X_WA, box, X_WB}, with_ground{capsule, X_WA, ground, Pose{}};
    expect_answer(with_box, truth, allowed_error(with_box), Vector3(-Vector3::UnitY()));
    expect_answer(with_ground, truth, allowed_error(with_ground), Vector3(-Vector3::UnitY()));
    EXPECT_TRUE(collide(capsule, X_WA, box, X_WB).colliding) << "step " << step;
    if (HasFailure()) break;
  }
}

using Vec2 = Eigen::Matrix<long double, 2, 1>;

struct Rectangle {
  Vec2 center, x_axis, half;
  Vec2 y_axis() const { return {-x_axis[1], x_axis[0]}; }
  Vec2 corner(int i) const {
    return center + x_axis * (half[0] * (i & 1 ? 1 : -1)) + y_axis() * (half[1] * (i & 2 ? 1 : -1));
  }
  long double reach(const Vec2& n) const {
    return half[0] * std::abs(n.dot(x_axis)) + half[1] * std::abs(n.dot(y_axis()));
  }
  long double distance_to(const Vec2& p) const {
    const Vec2 r = p - center;
    return std::hypot(std::max(0.0L, std::abs(r.dot(x_axis)) - half[0]),
                      std::max(0.0L, std::abs(r.dot(y_axis())) - half[1]));
  }
};

/// Signed distance of two rectangles: four separating axes, and corners when apart.
long double rectangle_distance(const Rectangle& a, const Rectangle& b) {
  const Vec2 between = b.center - a.center;
  long double best = -1e30L;
  for (const Vec2& n : {a.x_axis, a.y_axis(), b.x_axis, b.y_axis()}) {
    best = std::max(best, std::abs(n.dot(between)) - a.reach(n) - b.reach(n));
  }
  if (best <= 0) return best;
  long double nearest = 1e30L;
  for (int i = 0; i < 4; ++i)
    nearest = std::min({nearest, a.distance_to(b.corner(i)), b.distance_to(a.corner(i))});
  return nearest;
}

// ncollide 181: a turning square is pushed into a long wall and resolved by the answer of each
// query, 200000 times
TEST(HardPrograms, TurningSquareAgainstLongWall) {
  const HardCase hard_case = find_case(kDataFile, "ncollide-181-size-ratio-2d");
  const Shape square = make_shape(hard_case.shape_a), wall = make_shape(hard_case.shape_b);
  const Pose X_WB{.rotation = Eigen::AngleAxisd(1.5, Vector3::UnitZ()).toRotationMatrix(),
                  .translation = {5, 0, 0}};
  const Rectangle wall_2d{{5, 0}, X_WB.rotation.col(0).head<2>().cast<long double>(), {300, 1.5L}};
  Pose X_WA;
  double angle = 0;
  long double worst = 0;
  int penetrations = 0;
  for (int step = 0; step < 200000; ++step) {
    X_WA.translation.x() += 0.0001;
    angle += 0.005;
    X_WA.rotation = Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix();
    const Rectangle square_2d{X_WA.translation.head<2>().cast<long double>(),
                              X_WA.rotation.col(0).head<2>().cast<long double>(),
                              {10, 10}};
    const Distance r = distance(square, X_WA, wall, X_WB);
    ASSERT_TRUE(r.status == Status::separated || r.status == Status::touching ||
                r.status == Status::penetrating)
        << "step " << step << ": " << to_string(r.status);
    worst = std::max(worst, std::abs(r.distance - rectangle_distance(square_2d, wall_2d)));
    if (r.distance < 0) {
      X_WA.translation += r.distance * r.normal;
      ++penetrations;
    }
  }
  EXPECT_LE(worst, 64 * kEpsilon * pair_scale(square, X_WA, wall, X_WB));
  EXPECT_GT(penetrations, 1000);  // the motion does press the square into the wall
}

// bullet 262: the hull must hold all eight points, be closed, and have the Euler characteristic of
// a sphere
TEST(HardPrograms, HullOfEightPointsIsClosedAndHoldsThem) {
  const HardCase hard_case = find_case(kDataFile, "bullet-262-hull");
  const std::vector<double> numbers = read_numbers(hard_case.shape_a.substr(5));
  const Points points = Eigen::Map<const Points>(numbers.data(), 3,
                                                 static_cast<Eigen::Index>(numbers.size() / 3));
  ASSERT_EQ(points.cols(), 8);
  const Convex hull = Convex::from_points(points);
  EXPECT_EQ(hull.dimension(), 3);
  const Points vertices = hull.vertices();
  const Triangles faces = hull.faces();
  std::map<std::pair<int, int>, int> directed;
  for (Eigen::Index f = 0; f < faces.cols(); ++f) {
    const Eigen::Matrix<long double, 3, 3> corner = (Matrix3() << vertices.col(faces(0, f)),
                                                     vertices.col(faces(1, f)),
                                                     vertices.col(faces(2, f)))
                                                        .finished()
                                                        .cast<long double>();
    const Eigen::Matrix<long double, 3, 1> normal =
        (corner.col(1) - corner.col(0)).cross(corner.col(2) - corner.col(0)).normalized();
    for (Eigen::Index i = 0; i < points.cols(); ++i) {
      EXPECT_LE(normal.dot(points.col(i).cast<long double>() - corner.col(0)), 8 * kEpsilon * 5)
          << "face " << f << " point " << i;
    }
    for (int k = 0; k < 3; ++k) ++directed[{faces(k, f), faces((k + 1) % 3, f)}];
  }
  for (const auto& [edge, count] : directed) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(directed.count({edge.second, edge.first}), 1U)
        << "edge " << edge.first << " " << edge.second << " has one face only";
  }
  EXPECT_EQ(
      hull.num_vertices() - static_cast<int>(directed.size()) / 2 + static_cast<int>(faces.cols()),
      2);
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    const Pair pair{Sphere{.radius = 0}, Pose{.translation = points.col(i)}, hull, Pose{}};
    expect_answer(pair, 0, 64 * kEpsilon * pair.scale());  // all eight lie on the boundary
    EXPECT_NE(pair.distance().status, Status::separated);
  }
}

}  // namespace
}  // namespace tactum::regression::hard_programs_test
