// SPDX-License-Identifier: BSD-2-Clause
// What a lane of the GPU computes, on the host, against the certified library: every ordered pair
// of kinds, poses of every class.
#include "gpu/distance_pair.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "gpu/packed_shapes.hpp"
#include "support/random_shapes.hpp"
#include "support/repetitions.hpp"
#include "tactum/distance.hpp"
#include "tactum/distance_derivative.hpp"
#include "tactum/signed_distance.hpp"

namespace tactum::gpu {
namespace distance_pair_tests {

/// A pair as the kernels see it, and as the library does: the same fourteen numbers.
struct TwoShapes {
  TwoShapes(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB)
      : shapes{a, b},
        packed(pack_shapes(shapes)),
        numbers_a(pose_xyz_xyzw(X_WA)),
        numbers_b(pose_xyz_xyzw(X_WB)) {}

  TableView<1> table() const {
    return {packed.single.data(),
            packed.exact.data(),
            {packed.blocks.data(), packed.vertices.data(), 0}};
  }
  WorldPose pose_a() const { return read_pose(numbers_a.data()); }
  WorldPose pose_b() const { return read_pose(numbers_b.data()); }
  PairAnswer answer(double tolerance, bool depth = true) const {
    return distance_of_pair<kAllKinds>(table(), 0, pose_a(), 1, pose_b(), tolerance, depth);
  }
  Pose X_WA() const { return pose_from_xyz_xyzw(numbers_a); }
  Pose X_WB() const { return pose_from_xyz_xyzw(numbers_b); }
  /// By GJK and the exact stage behind it, so that no closed form of the library is between the
  /// two.
  Distance exact() const {
    return distance(shapes[0], X_WA(), shapes[1], X_WB(), {.method = Method::gjk});
  }
  double scale() const { return pair_scale(shapes[0], X_WA(), shapes[1], X_WB()); }

  std::vector<Shape> shapes;
  PackedShapes packed;
  Vector7 numbers_a, numbers_b;
};

bool all_finite(const PairAnswer& answer) {
  double sum = answer.distance + answer.lower + answer.upper;
  for (const Vector<double>& v : {answer.normal, answer.point_a, answer.point_b})
    sum += v.x + v.y + v.z;
  return std::isfinite(sum);
}

/// Everything that an answer claims, against the library's.
void check_answer(const TwoShapes& pair, const PairAnswer& answer, double tolerance,
                  const std::string& what) {
  const Distance exact = pair.exact();
  const double scale = pair.scale();
  ASSERT_TRUE(all_finite(answer)) << what;
  EXPECT_LE(answer.lower, answer.distance) << what;
  EXPECT_LE(answer.distance, answer.upper) << what;
  // both intervals hold the true distance, so they meet
  EXPECT_LE(answer.lower, exact.upper) << what;
  EXPECT_GE(answer.upper, exact.lower) << what;
  EXPECT_NEAR(norm(answer.normal), 1.0, 1e-14) << what;
  if (answer.status == Status::not_converged) return;
  EXPECT_LE(answer.upper - answer.lower, tolerance * scale * (1.0 + 1e-12)) << what;
  EXPECT_NEAR(answer.distance, exact.distance, 1.01 * tolerance * scale + 1e-10 * scale) << what;
  EXPECT_FALSE(answer.status == Status::separated && exact.status == Status::penetrating) << what;
  EXPECT_FALSE(answer.status == Status::penetrating && exact.status == Status::separated) << what;
  const Vector<double> off = answer.point_b - answer.point_a - answer.distance * answer.normal;
  EXPECT_LE(norm(off), 2.0 * std::sqrt(tolerance) * scale) << what;
}

struct KindPair {
  ShapeKind a, b;
};

class GpuEveryPair : public ::testing::TestWithParam<KindPair> {};

TEST_P(GpuEveryPair, AgreesWithTheLibrary) {
  const auto [kind_a, kind_b] = GetParam();
  const testing::PairSampler sampler(kind_a, kind_b, 2718);
  constexpr int num_samples = testing::repetitions(400);
  int proved = 0, overlapping = 0;
  for (int i = 0; i < num_samples; ++i) {
    const testing::PairSample sample = sampler.sample(static_cast<std::uint64_t>(i));
    const TwoShapes pair(sample.a, sample.X_WA, sample.b, sample.X_WB);
    const double tolerance = i % 2 == 0 ? 1e-6 : 1e-10;
    const PairAnswer answer = pair.answer(tolerance);
    check_answer(pair, answer, tolerance, sample.describe());
    if (::testing::Test::HasFailure()) return;
    proved += answer.status != Status::not_converged ? 1 : 0;
    overlapping += answer.status == Status::not_converged && answer.overlapping ? 1 : 0;
    // without its depth, a pair is bounded by what the search left
    check_answer(pair, pair.answer(tolerance, false), tolerance, sample.describe());
    if (::testing::Test::HasFailure()) return;
  }
  // nearly all that is not proved is proved to overlap; a tenth of these poses is made to be
  // degenerate
  EXPECT_GE(proved + overlapping, num_samples * 8 / 10);
  EXPECT_GE(proved, num_samples * 6 / 10);
}

std::vector<KindPair> all_pairs() {
  std::vector<KindPair> pairs;
  for (const ShapeKind a : testing::kGpuKinds) {
    for (const ShapeKind b : testing::kGpuKinds) {
      if (a != ShapeKind::half_space || b != ShapeKind::half_space) pairs.push_back({a, b});
    }
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(AllKinds, GpuEveryPair, ::testing::ValuesIn(all_pairs()),
                         [](const auto& pair) {
                           return std::string(to_string(pair.param.a)) + "_" +
                                  std::string(to_string(pair.param.b));
                         });

Shape random_hull(testing::Random& random, int num_vertices, double unit = 1.0) {
  Points points(3, num_vertices);
  for (int i = 0; i < num_vertices; ++i) points.col(i) = unit * random.direction();
  return Convex::from_points(points);
}

TEST(GpuDistancePair, HullsApartAreProvedToTenDigits) {
  // the kernel for hulls alone: names of vertices instead of directions
  testing::Random random(5);
  int proved = 0, apart = 0;
  for (int i = 0; i < 500; ++i) {
    const Shape a = random_hull(random, 27), b = random_hull(random, 27);
    const TwoShapes pair(a, {random.rotation(), random.in_box(0.5)}, b,
                         {random.rotation(), 2.2 * random.direction()});
    const PairAnswer answer = distance_of_pair<set_of(CoreKind::polytope)>(
        pair.table(), 0, pair.pose_a(), 1, pair.pose_b(), 1e-10);
    check_answer(pair, answer, 1e-10, std::to_string(i));
    if (pair.exact().status != Status::separated) continue;
    ++apart;
    proved += answer.status == Status::separated ? 1 : 0;
    EXPECT_NEAR(answer.distance, pair.exact().distance, 1e-13);
  }
  EXPECT_GT(apart, 250);
  EXPECT_EQ(proved, apart);
}

TEST(GpuDistancePair, OverlapIsProvedAndItsDepthBounded) {
  testing::Random random(6);
  for (int i = 0; i < 300; ++i) {
    const Shape a = random_hull(random, 27), b = Box{.half_extents = {0.5, 0.6, 0.7}};
    const TwoShapes pair(a, {random.rotation(), random.in_box(0.5)}, b,
                         {random.rotation(), random.in_box(0.5)});
    const PairAnswer answer = pair.answer(1e-6, false);
    const Distance exact = pair.exact();
    ASSERT_EQ(exact.status, Status::penetrating);
    EXPECT_EQ(pair.answer(1e-6).status, Status::penetrating);
    EXPECT_NEAR(pair.answer(1e-6).distance, exact.distance, 1e-6);
    EXPECT_TRUE(answer.overlapping);
    EXPECT_LE(answer.lower, exact.upper);
    EXPECT_GE(answer.upper, exact.lower);
    // the separation along the normal: moving B so far along it separates them
    Pose moved = pair.X_WB();
    const Vector<double> n = rotated(pair.pose_a().rotation, answer.normal);
    moved.translation -= (answer.lower - 1e-6) * Vector3(n.x, n.y, n.z);
    EXPECT_EQ(distance(a, pair.X_WA(), b, moved).status, Status::separated);
  }
}

TEST(GpuDistancePair, ScalesOutsideSinglePrecisionAreSearchedInDouble) {
  testing::Random random(7);
  for (const double unit : {1e-25, 1e-12, 1e-5, 1e7, 1e15, 1e25}) {
    for (int i = 0; i < 20; ++i) {
      const Shape a = random_hull(random, 20, unit),
                  b = Cylinder{.radius = unit, .half_length = 0.5 * unit};
      const TwoShapes pair(a, {random.rotation(), unit * random.in_box(1.0)}, b,
                           {random.rotation(), 4.0 * unit * random.direction()});
      const PairAnswer answer = pair.answer(1e-6);
      check_answer(pair, answer, 1e-6, std::to_string(unit));
      EXPECT_NE(answer.status, Status::not_converged) << unit;
    }
  }
}

TEST(GpuDistancePair, BadRowsAreRefused) {
  const Shape plane = HalfSpace{}, ball = Sphere{.radius = 1.0};
  const TwoShapes planes(plane, {}, plane, {.translation = {0, 0, 5}});
  EXPECT_EQ(planes.answer(1e-6).status, Status::invalid_input);
  TwoShapes pair(ball, {}, ball, {.translation = {0, 0, 5}});
  EXPECT_EQ(pair.answer(1e-6).status, Status::separated);
  pair.numbers_b[6] = 0.0;
  const PairAnswer refused = pair.answer(1e-6);
  EXPECT_EQ(refused.status, Status::invalid_input);
  EXPECT_EQ(refused.distance, 0.0);
  EXPECT_EQ(refused.lower, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(refused.upper, std::numeric_limits<double>::infinity());
}

TEST(GpuDistancePair, ConcentricShapesHaveAnAnswer) {
  const std::array<Shape, 4> shapes = {Sphere{.radius = 1.0}, Box{.half_extents = {1, 1, 1}},
                                       Cylinder{.radius = 1.0, .half_length = 1.0},
                                       Capsule{.radius = 0.5, .half_length = 1.0}};
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      const TwoShapes pair(a, {}, b, {});
      const PairAnswer answer = pair.answer(1e-6);
      EXPECT_TRUE(all_finite(answer));
      EXPECT_LE(answer.lower, pair.exact().upper);
      EXPECT_GE(answer.upper, pair.exact().lower);
    }
  }
}

TEST(GpuDistancePair, APointIsAShapeWithoutExtent) {
  testing::Random random(9);
  for (const ShapeKind kind : testing::kGpuKinds) {
    int proved = 0;
    constexpr int num_samples = testing::repetitions(100);
    for (int i = 0; i < num_samples; ++i) {
      const Shape shape = testing::random_shape(kind, random);
      const Pose X{random.rotation(), random.in_box(1.0)};
      const double reach = kind == ShapeKind::half_space ? 1.0 : shape.core().bounding_radius;
      const Vector3 point = X.translation + 1.5 * reach * random.in_box(1.0);
      PackedShapes packed = pack_shapes({&shape, 1});
      append_point(packed);
      const Vector7 numbers = pose_xyz_xyzw(X);
      const double there[7] = {point.x(), point.y(), point.z(), 0.0, 0.0, 0.0, 1.0};
      const TableView<1> table{packed.single.data(),
                               packed.exact.data(),
                               {packed.blocks.data(), packed.vertices.data(), 0}};
      const PairAnswer answer = distance_of_pair<kAllKinds>(table, 0, read_pose(numbers.data()), 1,
                                                            read_pose(there), 1e-6);
      const SignedDistance expected = signed_distance(shape, pose_from_xyz_xyzw(numbers), point);
      const double scale = std::max(reach, (point - X.translation).norm());
      EXPECT_LE(answer.lower, expected.distance + 1e-10 * scale);
      EXPECT_GE(answer.upper, expected.distance - 1e-10 * scale);
      if (answer.status == Status::not_converged) continue;
      ++proved;
      EXPECT_NEAR(answer.distance, expected.distance, 1.01e-6 * scale);
    }
    EXPECT_GE(proved, num_samples * 9 / 10) << to_string(kind);
  }
}

TEST(GpuDistancePair, JacobianIsThatOfTheLibrary) {
  testing::Random random(8);
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    const Shape a = random_hull(random, 30),
                b = i % 2 == 0 ? Shape(Capsule{.radius = 0.2, .half_length = 0.7})
                               : random_hull(random, 12);
    const TwoShapes pair(a, {random.rotation(), random.in_box(0.5)}, b,
                         {random.rotation(), 3.0 * random.direction()});
    const PairAnswer answer = pair.answer(1e-10);
    const Distance exact = pair.exact();
    if (answer.status != Status::separated) continue;
    const DistanceDerivative expected = distance_derivative(a, pair.X_WA(), b, pair.X_WB(),
                                                            {.value = &exact});
    if (!expected.smooth) continue;
    const DistanceJacobian found = distance_jacobian(relative_pose(pair.pose_a(), pair.pose_b()),
                                                     answer);
    int k = 0;
    for (const Vector<double>& v :
         {found.linear_a, found.angular_a, found.linear_b, found.angular_b}) {
      EXPECT_NEAR(v.x, expected.distance_jacobian[k], 1e-9);
      EXPECT_NEAR(v.y, expected.distance_jacobian[k + 1], 1e-9);
      EXPECT_NEAR(v.z, expected.distance_jacobian[k + 2], 1e-9);
      k += 3;
    }
    ++compared;
  }
  EXPECT_GT(compared, 200);
}

}  // namespace distance_pair_tests
}  // namespace tactum::gpu
