// SPDX-License-Identifier: BSD-2-Clause
// The checks before a query, and the frame in which it works.
#include "narrow/pair/pair_frame.hpp"

#include "narrow/narrow_fixtures.hpp"

namespace tactum::pair_frame_test {
namespace {

using namespace tactum::testing;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const Shape box = Box{.half_extents = {0.5, 0.4, 0.3}};
const Shape ball = Sphere{.radius = 0.2};

TEST(PairFrame, RelativePoseInExtendedPrecision) {
  Random random(141);
  for (int i = 0; i < 500; ++i) {
    const Pose X_WA = random_pose(random, 2.0), X_WB = random_pose(random, 2.0);
    const PairFrame frame = make_pair_frame(box, X_WA, ball, X_WB);
    const Mat3 R = widen(X_WA.rotation).transpose() * widen(X_WB.rotation);
    const Vec3 t = widen(X_WA.rotation).transpose() *
                   (widen(X_WB.translation) - widen(X_WA.translation));
    EXPECT_LE((widen(frame.X_AB.rotation) - R).cwiseAbs().maxCoeff(), 4.0 * kEps);
    EXPECT_LE((widen(frame.X_AB.translation) - t).norm(), 8.0 * kEps * t.norm());
    EXPECT_FALSE(frame.corrected);
    EXPECT_EQ(frame.X_WA.rotation, X_WA.rotation);
  }
}

TEST(PairFrame, FarFromTheOriginNothingIsLost) {
  // both shapes far away: differences of equal numbers are exact, so the frame has the same bits as
  // near the origin
  Random random(142);
  for (int i = 0; i < 200; ++i) {
    const Matrix3 R_A = random.rotation(), R_B = random.rotation();
    const Vector3 far = (1e6 * random.direction()).array().round();
    const Vector3 step = (64.0 * random.in_box(1.0)).array().round() / 64.0;
    const PairFrame away = make_pair_frame(box, {R_A, far}, ball, {R_B, far + step});
    const PairFrame home = make_pair_frame(box, {R_A, Vector3::Zero()}, ball, {R_B, step});
    EXPECT_EQ(away.X_AB.translation, home.X_AB.translation);
    EXPECT_EQ(away.X_AB.rotation, home.X_AB.rotation);
    EXPECT_EQ(away.scale, home.scale);
  }
}

TEST(PairFrame, ScaleIsTheLargestOfDistanceAndRadii) {
  const double radius = Vector3(0.5, 0.4, 0.3).norm();
  EXPECT_NEAR(pair_scale(box, {}, ball, at(3.0, 0.0, 4.0)), 5.0, 4.0 * kEps);
  EXPECT_NEAR(pair_scale(box, {}, ball, at(0.1, 0.0, 0.0)), radius, 4.0 * kEps);
  EXPECT_NEAR(pair_scale(ball, {}, box, at(0.1, 0.0, 0.0)), radius, 4.0 * kEps);
  EXPECT_NEAR(pair_scale(Sphere{.radius = 7.0, .margin = 1.0}, {}, box, {}), 8.0, 8.0 * kEps);
  EXPECT_EQ(pair_scale(Sphere{}, {}, Sphere{}, {}), 0.0);
  Random random(143);
  for (int i = 0; i < 200; ++i) {
    const Shape a = random_hull(random, 10),
                b = Capsule{.radius = 0.1, .half_length = random.uniform(0.1, 1.0)};
    const Pose X_AB = random_pose(random, 1.0);
    EXPECT_NEAR(pair_scale(a, {}, b, X_AB),
                static_cast<double>(oracle_scale(ConvexBody(a, Pose{}), ConvexBody(b, X_AB))),
                8.0 * kEps);
  }
}

TEST(PairFrame, AHalfSpaceCountsByTheDistanceOfItsPlaneFromItsOrigin) {
  Random random(144);
  for (int i = 0; i < 200; ++i) {
    const Shape plane = HalfSpace{
        .normal = random.direction(), .offset = random.uniform(-2.0, 2.0), .margin = 0.25};
    const Pose X_AB = random_pose(random, 3.0);
    // margin and offset move the plane; its tilt does not matter
    const double expected = std::max(
        {X_AB.translation.norm(), std::abs(plane.core().offset), Vector3(0.5, 0.4, 0.3).norm()});
    EXPECT_NEAR(plane.core().offset, std::get<HalfSpace>(plane.parameters()).offset + 0.25,
                2.0 * kEps);
    EXPECT_NEAR(pair_scale(plane, {}, box, X_AB), expected, 4.0 * kEps) << i;
    EXPECT_NEAR(pair_scale(box, {}, plane, X_AB), expected, 4.0 * kEps) << i;
  }
}

TEST(PairFrame, RefusesBadPosesByName) {
  Pose bad;
  bad.translation.y() = kNan;
  EXPECT_EQ(rejected_field([&] { make_pair_frame(box, bad, ball, {}); }).find("X_WA"), 0U);
  EXPECT_EQ(rejected_field([&] { make_pair_frame(box, {}, ball, bad); }).find("X_WB"), 0U);
  Pose scaled;
  scaled.rotation *= 1.01;
  EXPECT_EQ(rejected_field([&] { make_pair_frame(box, scaled, ball, {}); }).find("X_WA"), 0U);
  Pose mirrored;
  mirrored.rotation(2, 2) = -1.0;
  EXPECT_EQ(rejected_field([&] { make_pair_frame(box, {}, ball, mirrored); }).find("X_WB"), 0U);
  Pose infinite_rotation;
  infinite_rotation.rotation(0, 1) = kInfinity;
  EXPECT_EQ(rejected_field([&] { make_pair_frame(box, {}, ball, infinite_rotation); }).find("X_WB"),
            0U);
  EXPECT_EQ(rejected_field([&] { make_pair_frame(box, {}, ball, {}); }), "");
}

TEST(PairFrame, RefusesTwoHalfSpaces) {
  const Shape plane = HalfSpace{};
  EXPECT_EQ(rejected_field([&] { make_pair_frame(plane, {}, plane, at(0, 0, 1)); }), "b");
  EXPECT_EQ(rejected_field([&] { make_pair_frame(plane, {}, box, {}); }), "");
  EXPECT_EQ(rejected_field([&] { make_pair_frame(box, {}, plane, {}); }), "");
}

TEST(PairFrame, CorrectsAndFlagsRotationsThatAreAlmostRight) {
  Random random(145);
  for (const double error : {1e-13, 1e-10, 1e-7}) {
    Pose X;
    X.rotation = random.rotation() * (1.0 + 0.3 * error);
    const PairFrame frame = make_pair_frame(box, {}, ball, X);
    EXPECT_EQ(frame.corrected, error > 1e-12) << error;
    EXPECT_LE((frame.X_AB.rotation.transpose() * frame.X_AB.rotation - Matrix3::Identity())
                  .cwiseAbs()
                  .maxCoeff(),
              error > 1e-12 ? 8.0 * kEps : 1e-12);
    EXPECT_TRUE(make_pair_frame(box, X, ball, {}).corrected == frame.corrected);
  }
}

TEST(PairFrame, FirstDirectionByPriority) {
  Random random(146);
  const Pose X_WA{random.rotation(), {1, 2, 3}}, X_WB{random.rotation(), {2, 2, 3}};
  const PairFrame frame = make_pair_frame(box, X_WA, ball, X_WB);
  WarmStart warm;
  warm.direction_A = {0, 3, 4};
  const Vector3 none = Vector3::Zero();
  // the direction of the caller comes first, rotated into the frame of A
  EXPECT_LE((first_direction(box.core(), ball.core(), frame, {0, 0, 7}, &warm) -
             X_WA.rotation.row(2).transpose())
                .norm(),
            4.0 * kEps);
  // then the direction of the warm start
  EXPECT_LE(
      (first_direction(box.core(), ball.core(), frame, none, &warm) - Vector3(0, 0.6, 0.8)).norm(),
      4.0 * kEps);
  // then the line of centers
  const WarmStart empty;
  for (const WarmStart* start : {static_cast<const WarmStart*>(nullptr), &empty}) {
    EXPECT_LE((first_direction(box.core(), ball.core(), frame, none, start) -
               X_WA.rotation.row(0).transpose())
                  .norm(),
              8.0 * kEps);
  }
}

TEST(PairFrame, FirstDirectionIsAlwaysAUnitVector) {
  const PairFrame same = make_pair_frame(box, {}, ball, {});
  for (const Vector3& given : {Vector3(0, 0, 0), Vector3(1e-320, 0, 0), Vector3(1e-200, 0, 1e-200),
                               Vector3(1e300, 1e308, 0), Vector3(-0.0, 0.0, -0.0)}) {
    EXPECT_NEAR(first_direction(box.core(), ball.core(), same, given, nullptr).norm(), 1.0,
                4.0 * kEps)
        << given.transpose();
  }
  // centers of hulls that are not at their origins
  const Shape hull = hull_of({{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2}});
  EXPECT_LE((first_direction(hull.core(), ball.core(), make_pair_frame(hull, {}, ball, {}),
                             Vector3::Zero(), nullptr) +
             Vector3::Ones().normalized())
                .norm(),
            8.0 * kEps);
}

TEST(PairFrame, WarmStartVerticesOutOfRangeAreIgnored) {
  Random random(147);
  const Shape a = random_hull(random, 20), b = random_hull(random, 20);
  const int last = std::get<Convex>(a.parameters()).num_vertices() - 1;
  const PairFrame frame = make_pair_frame(a, {}, b, at(1, 0, 0));
  for (const std::int32_t vertex : {-1, -2147483647, last + 1, 2147483647}) {
    WarmStart warm;
    warm.vertices = {vertex, vertex};
    const CorePair pair = make_core_pair(a.core(), b.core(), frame, &warm);
    EXPECT_GE(pair.hints[0], 0);
    EXPECT_LE(pair.hints[0], last);
  }
  WarmStart warm;
  warm.vertices = {last, 1};
  EXPECT_EQ(make_core_pair(a.core(), b.core(), frame, &warm).hints, (PiecePair{last, 1}));
}

TEST(PairFrame, OptionsAreCheckedByField) {
  const Vector3 none = Vector3::Zero();
  const auto check = [](double tolerance, int iterations, const Vector3& direction,
                        const WarmStart* warm) {
    return rejected_field([&] { check_options(tolerance, iterations, direction, warm); });
  };
  EXPECT_EQ(check(1e-10, 128, none, nullptr), "");
  EXPECT_EQ(check(64.0 * kEps, 1, none, nullptr), "");
  EXPECT_EQ(check(1.0, 100000, none, nullptr), "");
  for (const double tolerance : {0.0, -1.0, 63.0 * kEps, 1.1, kNan, kInfinity})
    EXPECT_EQ(check(tolerance, 128, none, nullptr), "tolerance");
  for (const int iterations : {0, -1, 100001})
    EXPECT_EQ(check(1e-10, iterations, none, nullptr), "max_iterations");
  EXPECT_EQ(check(1e-10, 128, {0, kNan, 0}, nullptr), "initial_direction[1]");
  EXPECT_EQ(check(1e-10, 128, {0, 0, -kInfinity}, nullptr), "initial_direction[2]");
  WarmStart warm;
  warm.direction_A.x() = kNan;
  EXPECT_EQ(check(1e-10, 128, none, &warm), "warm_start.direction_A[0]");
}

}  // namespace
}  // namespace tactum::pair_frame_test
