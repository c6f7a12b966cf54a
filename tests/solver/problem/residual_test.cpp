// SPDX-License-Identifier: BSD-2-Clause
#include "solver/problem/residual.hpp"

#include <gtest/gtest.h>

#include "support/contact_scenes.hpp"
#include "support/repetitions.hpp"

namespace tactum::testing {
namespace {

/// One friction contact with G = I: the velocity is whatever g makes it.
ContactProblem contact_with(const Vector3& force, const Vector3& velocity, double mu) {
  return {Eigen::MatrixXd::Identity(3, 3),
          {.g = velocity - force, .mu = Eigen::VectorXd::Constant(1, mu)}};
}

ContactResidual residual(ContactModel model, const Vector3& force, const Vector3& velocity,
                         double mu = 0.5) {
  return contact_residual(contact_with(force, velocity, mu), force, model);
}

TEST(Cone, ProjectionIsTheNearestPoint) {
  Random random(3);
  for (int i = 0; i < repetitions(2000); ++i) {
    const double mu = random.chance(0.1) ? 0.0 : random.log_uniform(0.01, 10);
    const Double3 x = to_double3(random.in_box(1)), p = project_cone(x, mu);
    EXPECT_LE(tangent_norm(p), mu * p.z + 1e-15);
    // the error is in the polar cone and orthogonal to the answer (Moreau)
    const Double3 error = x - p;
    EXPECT_NEAR(dot(error, p), 0, 1e-14);
    EXPECT_LE(mu * tangent_norm(error), -error.z + 1e-14);
    EXPECT_NEAR(dual_cone_distance(x, mu),
                p.z == 0 && tangent_norm(x) == 0 ? 0 : project_cone(-x, mu).norm(), 0);
  }
}

TEST(Cone, SlopeOfTheProjectionIsItsDerivative) {
  Random random(4);
  for (int i = 0; i < repetitions(500); ++i) {
    const double mu = random.log_uniform(0.1, 2);
    const Vector3 x = random.in_box(1), d = random.direction();
    const ConeProjectionSlope slope = project_cone_slope(to_double3(x), mu);
    Vector3 change = Vector3::Zero();
    for (int k = 0; k < slope.rank; ++k)
      change += to_vector3(slope.columns[k]) * to_vector3(slope.columns[k]).dot(d);
    const Vector3 ahead = x + 1e-6 * d, behind = x - 1e-6 * d;
    if (project_cone_slope(to_double3(ahead), mu).rank != slope.rank ||
        project_cone_slope(to_double3(behind), mu).rank != slope.rank)
      continue;
    const Vector3 difference = (to_vector3(project_cone(to_double3(ahead), mu)) -
                                to_vector3(project_cone(to_double3(behind), mu))) /
                               2e-6;
    EXPECT_LT((change - difference).norm(), 1e-6);
  }
}

TEST(Cone, PolygonAgainstItsCornersAndSides) {
  Random random(5);
  for (const int facets : {3, 4, 6, 8, 17}) {
    const double angle = random.uniform(-1, 1), step = 2 * M_PI / facets;
    const Polygon polygon(facets, angle);
    for (int i = 0; i < repetitions(400); ++i) {
      const Double2 x{random.uniform(-3, 3), random.uniform(-3, 3)};
      double nearest = 1e9, support = 0;
      bool inside = true;
      for (int k = 0; k < facets; ++k) {
        const Double2 d{std::cos(angle + k * step), std::sin(angle + k * step)};
        inside &= d.x * x.x + d.y * x.y <= 1;
        const double half = std::tan(step / 2),
                     along = std::min(half, std::max(-half, d.x * x.y - d.y * x.x));
        for (const double t : {along, half, -half}) {  // the nearest point of this side, and its
                                                       // ends
          const Double2 p{d.x - d.y * t, d.y + d.x * t};
          nearest = std::min(nearest, Double2{x.x - p.x, x.y - p.y}.norm());
          support = std::max(support, p.x * x.x + p.y * x.y);
        }
      }
      EXPECT_NEAR(polygon.distance(x, 1.0), inside ? 0.0 : nearest, 1e-14 * (1 + nearest))
          << facets;
      EXPECT_NEAR(polygon.support(x), support, 1e-12 + 1e-12 * support);
    }
  }
}

TEST(Residual, SolutionsHaveNone) {
  for (const ContactModel model :
       {ContactModel::ncp, ContactModel::lcp, ContactModel::raisim, ContactModel::ccp}) {
    EXPECT_EQ(residual(model, {0.3, 0.1, 1}, {0, 0, 0}).worst(), 0);  // sticks
    EXPECT_EQ(residual(model, {0, 0, 0}, {0.1, 0, 2}).worst(), 0);    // breaks
  }
  // slides against its velocity
  EXPECT_NEAR(residual(ContactModel::ncp, {-0.5, 0, 1}, {3, 0, 0}).worst(), 0, 1e-15);
  EXPECT_NEAR(residual(ContactModel::raisim, {-0.5, 0, 1}, {3, 0, 0}).worst(), 0, 1e-15);
  // in the corner of the square
  EXPECT_NEAR(residual(ContactModel::lcp, {-0.5, 0.5, 1}, {3, -1, 0}).worst(), 0, 1e-15);
  // lifts off by mu |s_T|
  EXPECT_NEAR(residual(ContactModel::ccp, {-0.5, 0, 1}, {3, 0, 1.5}).worst(), 0, 1e-15);
}

TEST(Residual, NamesWhatIsWrong) {
  const double root = std::sqrt(1.25);
  // 1 too long, sideways
  EXPECT_NEAR(residual(ContactModel::ncp, {1.5, 0, 1}, {0, 0, 0}).primal, 1 / root, 1e-15);
  EXPECT_NEAR(residual(ContactModel::ncp, {0, 0, 0}, {0, 0, -2}).dual, 2, 1e-15);
  EXPECT_NEAR(residual(ContactModel::ncp, {0, 0, 1}, {0, 0, 2}).complementarity, 2, 1e-15);
  // does not oppose the velocity
  EXPECT_NEAR(residual(ContactModel::ncp, {0, -0.5, 1}, {3, 0, 0}).complementarity, 1.5, 1e-15);
  EXPECT_NEAR(residual(ContactModel::ccp, {-0.5, 0, 1}, {3, 0, 0}).dual, 1.5 / root, 1e-15);
  EXPECT_NEAR(residual(ContactModel::lcp, {-0.5, 0, 1}, {3, -1, 0}).complementarity, 0.5, 1e-15);
  EXPECT_NEAR(residual(ContactModel::raisim, {-0.5, 0, 1}, {0, 3, 0}).complementarity, 1.5, 1e-15);
}

TEST(Residual, RowsOfOneKind) {
  ContactTerms terms{.g = Eigen::VectorXd::Constant(4, 2.0)};
  terms.kinds = {ContactKind::bilateral, ContactKind::limit, ContactKind::box, ContactKind::box};
  terms.bounds.resize(2, 2);
  terms.bounds << -1, 1, -std::numeric_limits<double>::infinity(), 1;
  const ContactProblem problem(Eigen::MatrixXd::Zero(4, 4), terms);
  const auto with = [&](double a, double b, double c, double d) {
    return contact_residual(problem, Eigen::Vector4d(a, b, c, d));
  };
  EXPECT_EQ(with(5, 0, -1, 0).dual, 2);  // bilateral moves, and nothing bounds the last from below
  EXPECT_EQ(with(0, 3, -1, 0).complementarity, 6);
  EXPECT_EQ(with(0, 0, 0.5, 0).complementarity, 3);  // 1.5 above the bound it should rest on
  EXPECT_EQ(with(0, -3, -2, 4).primal, 3);
}

TEST(Residual, PrinciplesOfTheSurvey) {
  const Vector3 force(-0.5, 0, 1), velocity(3, 0, 1.5);  // a ccp solution: it takes off while it
                                                         // pushes
  const ContactPrinciples principles = contact_principles(contact_with(force, velocity, 0.5),
                                                          force);
  EXPECT_NEAR(principles.signorini, 1.5, 1e-15);
  EXPECT_NEAR(principles.coulomb, 0, 1e-15);
  EXPECT_NEAR(principles.dissipation, 0, 1e-15);
  const Vector3 square(-0.5, 0.5, 1);
  EXPECT_NEAR(contact_principles(contact_with(square, {3, -3, 0}, 0.5), square).coulomb,
              std::sqrt(0.5) - 0.5, 1e-15);
  EXPECT_NEAR(contact_principles(contact_with(force, {0, 3, 0}, 0.5), force).dissipation,
              std::sqrt(0.5), 1e-15);
}

TEST(Residual, InternalForceIsWhatMovesNothing) {
  const ContactProblem problem = stack_scene({1.0}, 0.5).problem();
  Eigen::VectorXd squeeze = Eigen::VectorXd::Zero(12);
  squeeze[0] = 1;  // contacts 0 and 1 lie side by side along x
  squeeze[3] = -1;
  EXPECT_NEAR(internal_force(problem, squeeze), std::sqrt(2), 1e-12);
  EXPECT_NEAR(internal_force(stack_scene({1.0}, 0.5).operator_problem(), squeeze), std::sqrt(2),
              1e-12);
  const Eigen::VectorXd real = problem.G() * Eigen::VectorXd::LinSpaced(12, 0, 1);
  EXPECT_NEAR(internal_force(problem, real), 0, 1e-11);
}

TEST(Residual, RefusesForcesOfTheWrongSize) {
  const ContactProblem problem = stack_scene({1.0}, 0.5).problem();
  EXPECT_THROW(contact_residual(problem, Eigen::VectorXd::Zero(3)), InvalidInput);
  EXPECT_THROW(contact_principles(problem, Eigen::VectorXd::Zero(3)), InvalidInput);
  EXPECT_THROW(internal_force(
                   problem, Eigen::VectorXd::Constant(12, std::numeric_limits<double>::infinity())),
               InvalidInput);
}

}  // namespace
}  // namespace tactum::testing
