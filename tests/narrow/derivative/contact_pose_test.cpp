// SPDX-License-Identifier: BSD-2-Clause
// Contact poses against their geometric definition: the targets coincide, and the outward normals
// there are opposite.
#include "narrow/derivative/contact_pose.hpp"

#include <vector>

#include "narrow/narrow_fixtures.hpp"
#include "support/allocation_guard.hpp"

namespace tactum::contact_pose_test {
namespace {

using namespace tactum::testing;

Pose random_start(Random& random, double reach) {
  return {random.rotation(), reach * random.direction()};
}

/// Twelve vertices on an ellipsoid.
Shape polyhedral_ellipsoid(Random& random) {
  const Vector3 axes(random.uniform(0.1, 0.3), random.uniform(0.1, 0.3), random.uniform(0.1, 0.3));
  const double golden = 0.5 * (1.0 + std::sqrt(5.0));
  Points points(3, 12);
  int column = 0;
  for (const double s : {-1.0, 1.0}) {
    for (const double t : {-golden, golden}) {
      points.col(column++) = Vector3(0.0, s, t).cwiseProduct(axes);
      points.col(column++) = Vector3(s, t, 0.0).cwiseProduct(axes);
      points.col(column++) = Vector3(t, 0.0, s).cwiseProduct(axes);
    }
  }
  return Shape(Convex::from_points(points));
}

double cost_of(const Shape& a, const Shape& b, const Vector3& target_a, const Vector3& target_b,
               const Pose& X_AB) {
  const Distance r = distance(a, {}, b, X_AB);
  return 0.5 * ((r.point_a - target_a).squaredNorm() + (r.point_b - X_AB * target_b).squaredNorm() +
                (r.point_a - r.point_b).squaredNorm());
}

TEST(ContactPose, BallsTouchAtTheTargets) {
  Random random(701);
  for (int k = 0; k < 100; ++k) {
    const double r_a = random.uniform(0.1, 0.5), r_b = random.uniform(0.1, 0.5);
    const Shape a(Sphere{.radius = r_a}), b(Sphere{.radius = r_b});
    const Vector3 n_a = random.direction(), n_b = random.direction();
    const ContactPose found = contact_pose(a, b, r_a * n_a, r_b * n_b, random_start(random, 1.0));
    ASSERT_EQ(found.status, ContactPoseStatus::converged) << k;
    EXPECT_LT((found.pose.rotation * n_b + n_a).norm(), 1e-10);
    EXPECT_LT((found.pose.translation - (r_a + r_b) * n_a).norm(), 1e-10);
  }
}

TEST(ContactPose, EllipsoidsTouchWithOppositeNormals) {
  Random random(702);
  int converged = 0;
  for (int k = 0; k < 100; ++k) {
    const Vector3 axes_a(random.uniform(0.2, 0.3), random.uniform(0.2, 0.3),
                         random.uniform(0.2, 0.3));
    const Vector3 axes_b(random.uniform(0.2, 0.3), random.uniform(0.2, 0.3),
                         random.uniform(0.2, 0.3));
    const Shape a(Ellipsoid{.semi_axes = axes_a}), b(Ellipsoid{.semi_axes = axes_b});
    const Vector3 target_a = axes_a.cwiseProduct(random.direction()),
                  target_b = axes_b.cwiseProduct(random.direction());
    const Pose start = random_start(random, 0.6);
    const ContactPose found = contact_pose(a, b, target_a, target_b, start);
    if (found.status != ContactPoseStatus::converged) continue;
    ++converged;
    const Vector3 n_a = target_a.cwiseQuotient(axes_a.cwiseAbs2()).normalized();
    const Vector3 n_b = target_b.cwiseQuotient(axes_b.cwiseAbs2()).normalized();
    EXPECT_LT((found.pose.rotation * n_b + n_a).norm(), 1e-9) << k;
    EXPECT_LT((found.pose * target_b - target_a).norm(), 1e-11) << k;
    // the derivative of smooth shapes is unique, so finite differences lead there too, except for
    // the turn about the normal that the cost leaves free
    const ContactPose differences = contact_pose(
        a, b, target_a, target_b, start,
        {.estimator = FiniteDifference{.step = 1e-5}, .tolerance = 1e-20});
    EXPECT_EQ(differences.status, ContactPoseStatus::converged);
    EXPECT_LT((differences.pose.rotation * n_b + n_a).norm(), 1e-8) << k;
  }
  EXPECT_GE(converged, 95);
}

TEST(ContactPose, VerticesOfPolytopesMeet) {
  Random random(703);
  int adaptive = 0, exact = 0;
  constexpr int kProblems = 200;
  for (int k = 0; k < kProblems; ++k) {
    const Shape a = polyhedral_ellipsoid(random), b = polyhedral_ellipsoid(random);
    const Vector3 target_a = a.support(random.direction()),
                  target_b = b.support(random.direction());
    const Pose start = random_start(random, 0.6);
    const ContactPose found = contact_pose(a, b, target_a, target_b, start);
    exact += contact_pose(a, b, target_a, target_b, start, {.estimator = Exact{}}).cost < 1e-12 ? 1
                                                                                                : 0;
    EXPECT_NEAR(found.cost, cost_of(a, b, target_a, target_b, found.pose), 1e-12);
    if (found.status != ContactPoseStatus::converged) continue;
    ++adaptive;
    EXPECT_LT((found.pose * target_b - target_a).norm(), 1e-11);
    // the oracle is independent of the query: the shapes touch
    EXPECT_NEAR(static_cast<double>(oracle_distance(a, b, found.pose).distance), 0.0, 1e-9);
  }
  EXPECT_GE(adaptive, kProblems * 95 / 100);
  EXPECT_LE(exact, kProblems * 6 / 10);  // a vertex has no curvature, which is why smoothing is
                                         // needed
}

TEST(ContactPose, EveryKindReachesPointsThatWereInContact) {
  Random random(704);
  for (const ShapeKind kind : {ShapeKind::box, ShapeKind::capsule, ShapeKind::cylinder,
                               ShapeKind::cone, ShapeKind::half_space}) {
    int reached = 0;
    for (int k = 0; k < 20; ++k) {
      const Shape a = kind == ShapeKind::half_space ? Shape(HalfSpace{})
                      : kind == ShapeKind::box      ? Shape(Box{.half_extents = {0.1, 0.2, 0.15}})
                      : kind == ShapeKind::capsule
                          ? Shape(Capsule{.radius = 0.1, .half_length = 0.1})
                      : kind == ShapeKind::cylinder
                          ? Shape(Cylinder{.radius = 0.1, .half_length = 0.1})
                          : Shape(Cone{.radius = 0.15, .half_length = 0.1});
      const Shape b = polyhedral_ellipsoid(random);
      const Pose goal{random.rotation(), Vector3(random.in_box(0.2)) + Vector3(0.0, 0.0, 1.0)};
      const Distance touched = distance(a, {}, b, goal);
      const Pose turn{Random::turn(random.direction(), 1.0), Vector3(0.1, 0.0, 0.2)};
      const ContactPose found = contact_pose(a, b, touched.point_a, inverse(goal) * touched.point_b,
                                             goal * turn);
      EXPECT_TRUE(std::isfinite(found.cost));
      reached += found.status == ContactPoseStatus::converged ? 1 : 0;
    }
    EXPECT_GE(reached, 15) << to_string(kind);
  }
}

TEST(ContactPose, CostNeverGoesUpAndIsWhatTheResidualsSay) {
  Random random(705);
  const std::vector<std::optional<Estimator>> estimators = {
      std::nullopt,
      Exact{},
      FiniteDifference{.step = 1e-3},
      ZerothOrder{.samples = 10},
      Gaussian{},
      Gumbel{},
      Gumbel{.temperature = 1e-4, .relative_to = RelativeTo::separation}};
  for (const auto& estimator : estimators) {
    const Shape a = polyhedral_ellipsoid(random), b = polyhedral_ellipsoid(random);
    const Vector3 target_a = a.support(random.direction()),
                  target_b = b.support(random.direction());
    const Pose start = random_start(random, 0.6);
    std::vector<double> history(31, -1.0);
    const ContactPose found = contact_pose(a, b, target_a, target_b, start,
                                           {.estimator = estimator, .max_iterations = 30}, history);
    EXPECT_DOUBLE_EQ(history.front(), cost_of(a, b, target_a, target_b, start));
    EXPECT_EQ(history.back(), found.cost);
    EXPECT_TRUE(std::is_sorted(history.rbegin(), history.rend()));
    EXPECT_LT(found.cost, history.front());
    EXPECT_EQ(history[static_cast<std::size_t>(found.iterations)], found.cost);
    EXPECT_GT(found.queries, found.iterations);
    EXPECT_NEAR(found.cost,
                0.5 * (found.residual_a.squaredNorm() + found.residual_b.squaredNorm() +
                       found.separation.squaredNorm()),
                1e-15);
    const Distance r = distance(a, {}, b, found.pose);
    EXPECT_LT((found.residual_b - (inverse(found.pose) * r.point_b - target_b)).norm(), 1e-9);
    EXPECT_LT((found.separation - (r.point_b - r.point_a)).norm(), 1e-9);
  }
}

TEST(ContactPose, BudgetAndToleranceEndIt) {
  const Shape ball(Sphere{.radius = 1.0});
  const Pose start{.rotation = Matrix3::Identity(), .translation = {4.0, 0.0, 0.0}};
  const ContactPose none = contact_pose(ball, ball, Vector3::UnitY(), Vector3::UnitX(), start,
                                        {.max_iterations = 0});
  EXPECT_EQ(none.status, ContactPoseStatus::max_iterations);
  EXPECT_EQ(none.pose.translation, start.translation);
  EXPECT_EQ(none.queries, 1);
  EXPECT_DOUBLE_EQ(none.cost, 0.5 * (2.0 + 4.0 + 4.0));
  const ContactPose loose = contact_pose(ball, ball, Vector3::UnitY(), Vector3::UnitX(), start,
                                         {.tolerance = 2.0});
  EXPECT_EQ(loose.status, ContactPoseStatus::converged);
  EXPECT_EQ(loose.iterations, 0);
  // a target off the surface: the witness points come as near as possible, and the search ends
  const ContactPose off = contact_pose(ball, ball, Vector3(2.0, 0.0, 0.0), Vector3(-1.0, 0.0, 0.0),
                                       start);
  EXPECT_EQ(off.status, ContactPoseStatus::stalled);
  EXPECT_GT(off.cost, 0.1);
}

TEST(ContactPose, BadInputNamesTheArgument) {
  const Shape ball(Sphere{.radius = 1.0}), wall(HalfSpace{}),
      box(Box{.half_extents = {1.0, 1.0, 1.0}});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto field = [&](const Shape& a, const Shape& b, const Vector3& target_a,
                         const Vector3& target_b, const Pose& start,
                         const ContactPoseOptions& options) -> std::string {
    try {
      contact_pose(a, b, target_a, target_b, start, options);
    } catch (const InvalidInput& error) {
      return error.field();
    }
    return "nothing";
  };
  const Vector3 x = Vector3::UnitX();
  EXPECT_EQ(field(ball, ball, Vector3(1.0, nan, 0.0), x, {}, {}), "target_a[1]");
  EXPECT_EQ(field(ball, ball, x, Vector3(0.0, 0.0, 1e31), {}, {}), "target_b[2]");
  EXPECT_EQ(field(ball, ball, x, x, {.rotation = 2.0 * Matrix3::Identity()}, {}).substr(0, 5),
            "start");
  EXPECT_EQ(field(ball, ball, x, x, {}, {.max_iterations = -1}), "max_iterations");
  EXPECT_EQ(field(ball, ball, x, x, {}, {.tolerance = nan}), "tolerance");
  EXPECT_EQ(field(ball, ball, x, x, {}, {.damping = 0.0}), "damping");
  EXPECT_EQ(field(ball, ball, x, x, {}, {.estimator = ZerothOrder{.samples = 0}}),
            "ZerothOrder.samples");
  EXPECT_EQ(field(box, ball, x, x, {}, {.estimator = Gumbel{}}), "estimator");
  EXPECT_EQ(field(ball, ball, x, x, {}, {.query = {.tolerance = -1.0}}), "tolerance");
  EXPECT_NE(field(wall, wall, x, x, {}, {}), "nothing");
  EXPECT_EQ(field(box, wall, x, x, {}, {.estimator = Gumbel{}}), "nothing");
}

TEST(ContactPose, NeverAllocates) {
  Random random(706);
  const Shape a = polyhedral_ellipsoid(random), b(Cylinder{.radius = 0.1, .half_length = 0.2});
  const Vector3 target_a = a.support(Vector3::UnitX()), target_b = b.support(Vector3::UnitY());
  const Pose start = random_start(random, 0.6);
  ContactPose result;
  const AllocationGuard guard;
  for (const auto& estimator : {std::optional<Estimator>{}, std::optional<Estimator>{Gaussian{}},
                                std::optional<Estimator>{Exact{}}})
    EXPECT_TRUE(
        try_contact_pose(a, b, target_a, target_b, start, {.estimator = estimator}, {}, result));
  EXPECT_EQ(guard.count(), 0U);
}

}  // namespace
}  // namespace tactum::contact_pose_test
