// SPDX-License-Identifier: BSD-2-Clause
// The exact derivative of the public query against central differences of the query itself, through
// contact, and where it is not unique.
#include "tactum/distance_derivative.hpp"

#include <cstdlib>

#include "narrow/derivative_fixtures.hpp"
#include "support/allocation_guard.hpp"

namespace tactum::distance_derivative_test {
namespace {

using namespace tactum::testing;

bool is_curved(ShapeKind kind) { return kind == ShapeKind::sphere || kind == ShapeKind::ellipsoid; }

/// Number of poses for each pair of kinds: the two programs that run longer ask for more.
int poses_per_pair() {
  const char* text = std::getenv("TACTUM_ORACLE_POSES");
  const int poses = text != nullptr ? std::atoi(text) : 1000;
  return std::max(20, std::min(1000, poses / 10));
}

TEST(DistanceDerivative, EveryPairOfKindsAgreesWithCentralDifferences) {
  const int poses = poses_per_pair();
  for (const auto& [kind_a, kind_b] : kAllPairs) {
    Random random(601, stream_of(kind_a, kind_b));
    int smooth = 0, compared = 0;
    for (int k = 0; k < poses; ++k) {
      const PosedPair pair{random_shape_of(kind_a, random), random_shape_of(kind_b, random),
                           random_pose(random, 0.3), random_pose(random, k % 2 == 0 ? 0.4 : 1.2)};
      const auto frame = static_cast<TangentFrame>(k % 3);
      const DistanceDerivative derivative = pair.derivative(
          {.frame = frame, .query = {.tolerance = 1e-13}});
      SCOPED_TRACE(::testing::Message()
                   << k << " " << pair.a.to_string() << " " << pair.b.to_string());
      ASSERT_TRUE(all_finite(derivative));
      smooth += derivative.smooth ? 1 : 0;
      if (!derivative.smooth) continue;
      // one direction of each pose, another one each time
      const int column = random.below(12);
      const double error = column_error(pair, derivative, size_of(derivative), column, frame);
      if (error == kInfinity) continue;
      ++compared;
      EXPECT_LE(error, 1e-6) << "column " << column << " distance " << derivative.value.distance;
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GE(compared, poses * 8 / 10) << to_string(kind_a) << " " << to_string(kind_b);
    if (is_curved(kind_a) || is_curved(kind_b)) {
      EXPECT_GE(smooth, poses - poses / 100 - 1) << to_string(kind_a) << " " << to_string(kind_b);
    }
  }
}

TEST(DistanceDerivative, DistanceAloneIsTheSameRow) {
  Random random(602);
  for (int k = 0; k < 50; ++k) {
    const PosedPair pair{random_solid(random), random_solid(random), random_pose(random, 0.4),
                         random_pose(random, 1.0)};
    for (const TangentFrame frame :
         {TangentFrame::local, TangentFrame::world, TangentFrame::local_world_aligned}) {
      const DistanceDerivative full = pair.derivative({.frame = frame});
      const RowVector12 row = distance_jacobian(pair.X_WA, pair.X_WB, full.value, frame);
      EXPECT_LE((row - full.distance_jacobian).cwiseAbs().maxCoeff(), 1e-14);
      EXPECT_EQ(full.separation_jacobian.rows(), 3);
      EXPECT_LE((full.point_b_jacobian - full.point_a_jacobian - full.separation_jacobian)
                    .cwiseAbs()
                    .maxCoeff(),
                1e-13 * size_of(full));
    }
  }
}

/// Two balls: d = |c| - r - s, all in closed form.
TEST(DistanceDerivative, BallsInClosedForm) {
  Random random(603);
  const double r = 0.3, s = 0.2;
  for (int k = 0; k < 20; ++k) {
    const Vector3 n = random.direction();
    const double gap = random.uniform(-0.2, 0.5), length = gap + r + s;
    const PosedPair pair{Sphere{.radius = r}, Sphere{.radius = s}, at(1, 2, 3), at(0, 0, 0)};
    PosedPair placed = pair;
    placed.X_WB.translation = pair.X_WA.translation + length * n;
    const DistanceDerivative d = placed.derivative({.frame = TangentFrame::local_world_aligned});
    EXPECT_TRUE(d.smooth);
    const Matrix3 P = Matrix3::Identity() - n * n.transpose();
    EXPECT_LE((d.normal_jacobian.middleCols<3>(6) - P / length).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LE((d.normal_jacobian.leftCols<3>() + P / length).cwiseAbs().maxCoeff(), 1e-13);
    // turning a ball changes nothing
    EXPECT_LE(d.normal_jacobian.middleCols<3>(3).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LE(d.normal_jacobian.rightCols<3>().cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LE((d.point_a_jacobian.middleCols<3>(6) - r / length * P).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LE((d.point_b_jacobian.middleCols<3>(6) - Matrix3::Identity() + s / length * P)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-13);
    EXPECT_LE((d.distance_jacobian.segment<3>(6) - n.transpose()).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(DistanceDerivative, ContinuousThroughContact) {
  Random random(604);
  const auto smooth_shape = [&](int k) -> Shape {
    const double margin = 0.05;
    if (k % 4 == 0) return Sphere{.radius = 0.3};
    if (k % 4 == 1) return Ellipsoid{.semi_axes = random_sizes(random)};
    if (k % 4 == 2) return Box{.half_extents = random_sizes(random), .margin = margin};
    return Capsule{.radius = 0.2, .half_length = 0.3};
  };
  for (int k = 0; k < 16; ++k) {
    PosedPair pair{smooth_shape(k), smooth_shape(k / 4), random_pose(random, 0.3),
                   random_pose(random, 1.0)};
    pair.X_WB.translation += 2.0 * random.direction();
    SCOPED_TRACE(pair.a.to_string() + " " + pair.b.to_string());
    const Distance apart = distance(pair.a, pair.X_WA, pair.b, pair.X_WB);
    const Vector3 contact = pair.X_WB.translation - apart.distance * apart.normal;
    std::vector<DistanceDerivative> row;
    for (const double gap : {1e-3, 1e-6, 1e-9, 1e-13, 0.0, -1e-13, -1e-9, -1e-6, -1e-3}) {
      pair.X_WB.translation = contact + gap * apart.normal;
      row.push_back(pair.derivative());
      EXPECT_TRUE(row.back().smooth) << gap;
      EXPECT_TRUE(all_finite(row.back())) << gap;
      EXPECT_NEAR(row.back().value.distance, gap, 1e-12);
    }
    // a jump would remain when the step shrinks; the derivative itself has a bounded slope, as the
    // least radius of curvature is 0.03 m
    const double size = size_of(row[4]), curvature = 4.0 / 0.03;
    for (std::size_t i = 0; i < row.size(); ++i) {
      EXPECT_LE(difference(row[i], row[4]),
                curvature * size * std::abs(row[i].value.distance) + 1e-7 * size)
          << i;
    }
  }
}

TEST(DistanceDerivative, SaysWhereItIsNotUnique) {
  const Shape box = Box{.half_extents = {0.3, 0.2, 0.1}}, ball = Sphere{.radius = 0.1};
  const Shape cylinder = Cylinder{.radius = 0.2, .half_length = 0.3},
              cone = Cone{.radius = 0.2, .half_length = 0.3};
  const auto is_smooth = [](const Shape& a, const Shape& b, const Pose& X) {
    return distance_derivative(a, {}, b, X).smooth;
  };
  const Vector3 y = Vector3::UnitY(), x = Vector3::UnitX();
  EXPECT_FALSE(is_smooth(box, box, at(0.1, 0.0, 0.5)));   // faces
  EXPECT_FALSE(is_smooth(box, box, at(0.1, 0.0, 0.2)));   // faces in contact
  EXPECT_FALSE(is_smooth(box, box, at(0.1, 0.0, 0.15)));  // faces overlap
  // an edge above a face
  EXPECT_FALSE(is_smooth(box, box, turned(x, 0.6, {0.0, 0.0, 0.7})));
  // parallel generators
  EXPECT_FALSE(is_smooth(cylinder, cylinder, at(1.0, 0.0, 0.1)));
  EXPECT_FALSE(is_smooth(cylinder, box, at(0.0, 0.0, 1.0)));  // cap above a face
  EXPECT_FALSE(is_smooth(ball, box, at(0.0, 0.0, 0.0)));      // two faces as near as each other
  EXPECT_FALSE(is_smooth(box, ball, at(0.2, 0.1, 0.0)));      // three faces at the same distance
  EXPECT_FALSE(is_smooth(ball, ball, at(0.0, 0.0, 0.0)));     // every normal is optimal
  // a circle of normals
  EXPECT_FALSE(is_smooth(cylinder, ball, at(0.0, 0.0, 0.0)));
  // two opposite normals
  EXPECT_FALSE(is_smooth(Ellipsoid{.semi_axes = {0.1, 0.2, 0.3}}, ball, at(0, 0, 0)));
  EXPECT_FALSE(is_smooth(box, ball, at(0.3, 0.0, 0.4)));  // where face and edge regions meet
  // a point on a vertex
  EXPECT_FALSE(is_smooth(box, Convex::from_points(Vector3(0.3, 0.2, 0.1)), {}));
  EXPECT_TRUE(is_smooth(box, ball, at(0.1, 0.0, 0.4)));
  EXPECT_TRUE(is_smooth(box, ball, at(0.1, 0.0, 0.12)));
  EXPECT_TRUE(is_smooth(box, ball, at(0.5, 0.5, 0.5)));
  EXPECT_TRUE(is_smooth(box, ball, at(0.5, 0.0, 0.5)));
  EXPECT_TRUE(is_smooth(cylinder, ball, at(0.05, 0.0, 1.0)));
  EXPECT_TRUE(is_smooth(cylinder, ball, at(1.0, 0.0, 0.1)));
  EXPECT_TRUE(is_smooth(cylinder, cylinder, turned(y, 1.2, {0.05, 1.0, 0.0})));
  EXPECT_TRUE(is_smooth(cone, ball, at(0.0, 0.0, 1.0)));
  EXPECT_TRUE(is_smooth(cone, ball, at(1.0, 0.0, 0.0)));
  EXPECT_TRUE(is_smooth(HalfSpace{}, ball, at(0, 0, 1)));
  EXPECT_FALSE(is_smooth(HalfSpace{}, box, at(0, 0, 1)));
}

TEST(DistanceDerivative, TakesAKnownValueAndRefusesAnother) {
  Random random(605);
  for (int k = 0; k < 100; ++k) {
    const PosedPair pair{random_solid(random), random_solid(random), random_pose(random, 0.4),
                         random_pose(random, 1.0)};
    const Distance value = distance(pair.a, pair.X_WA, pair.b, pair.X_WB);
    SCOPED_TRACE(::testing::Message()
                 << k << " " << pair.a.to_string() << " " << pair.b.to_string());
    const DistanceDerivative given = pair.derivative({.value = &value}), own = pair.derivative();
    EXPECT_EQ(difference(given, own), 0.0);
    EXPECT_EQ(given.smooth, own.smooth);
    const PosedPair other{random_solid(random), random_solid(random), random_pose(random, 0.4),
                          random_pose(random, 1.0)};
    EXPECT_EQ(rejected_field([&] { other.derivative({.value = &value}); }), "value");
    PosedPair shifted = pair;
    shifted.X_WA.translation += Vector3(0.3, 0.1, 0.2),
        shifted.X_WB.translation += Vector3(0.3, 0.1, 0.2);
    EXPECT_EQ(rejected_field([&] { shifted.derivative({.value = &value}); }), "value");
    Distance broken = value;
    broken.point_a.x() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(rejected_field([&] { pair.derivative({.value = &broken}); }), "value");
  }
}

TEST(DistanceDerivative, AnswersThatDidNotConvergeAreFlagged) {
  Random random(606);
  for (int k = 0; k < 100; ++k) {
    const PosedPair pair{random_solid(random), random_solid(random), random_pose(random, 0.4),
                         random_pose(random, 1.0)};
    // a result of a query that ran out of iterations: the points are the best found, the bounds are
    // wide
    Distance poor = distance(pair.a, pair.X_WA, pair.b, pair.X_WB);
    poor.status = Status::not_converged;
    poor.upper += 0.1;
    poor.point_a += 0.05 * random.direction();
    poor.point_b += 0.05 * random.direction();
    const DistanceDerivative d = pair.derivative({.value = &poor});
    EXPECT_TRUE(all_finite(d));
    EXPECT_FALSE(d.smooth);
  }
  const PosedPair far{Sphere{.radius = 0.1}, Box{.half_extents = {0.1, 0.1, 0.1}}, at(0, 0, 0),
                      at(5, 0, 0)};
  const DistanceDerivative beyond = far.derivative({.query = {.cutoff = 1.0}});
  EXPECT_EQ(beyond.value.status, Status::beyond_cutoff);
  EXPECT_FALSE(beyond.smooth);
  EXPECT_TRUE(all_finite(beyond));
}

/// Every class of difficult pose gives finite numbers, and those of smooth ones agree with
/// differences of the distance.
TEST(DistanceDerivative, DifficultPosesAreFinite) {
  const Shape needle = Ellipsoid{.semi_axes = {1e-3, 1e-3, 1.0}},
              plate = Box{.half_extents = {1.0, 1.0, 1e-6}};
  const Shape giant = Sphere{.radius = 1e9}, dot_shape = Sphere{.radius = 0.0};
  Random random(607);
  for (int k = 0; k < 50; ++k) {
    const Shape other = random_solid(random);
    for (const Shape& shape : {needle, plate, giant, dot_shape}) {
      for (const double far : {0.0, 1e6}) {
        PosedPair pair{shape, other, random_pose(random, 0.5), random_pose(random, 0.5)};
        pair.X_WA.translation.x() += far, pair.X_WB.translation.x() += far;
        EXPECT_TRUE(all_finite(pair.derivative())) << shape.to_string() << other.to_string();
      }
    }
  }
}

TEST(DistanceDerivative, AllocatesNothing) {
  Random random(608);
  const Shape hull = random_hull(random, 40), ellipsoid = Ellipsoid{.semi_axes = {0.1, 0.2, 0.3}};
  const Pose X = random_pose(random, 0.7);
  for (const Estimator& estimator :
       {Estimator(Exact{}), Estimator(FiniteDifference{}), Estimator(ZerothOrder{.samples = 6}),
        Estimator(Gaussian{}), Estimator(Gumbel{.rings = 3})}) {
    const Shape& a = std::holds_alternative<Gumbel>(estimator) ? hull : ellipsoid;
    const AllocationGuard guard;
    const DistanceDerivative d = distance_derivative(a, {}, hull, X, {.estimator = estimator});
    EXPECT_EQ(guard.count(), 0U);
    EXPECT_TRUE(all_finite(d));
    EXPECT_EQ(d.estimator, estimator);
  }
}

}  // namespace
}  // namespace tactum::distance_derivative_test
