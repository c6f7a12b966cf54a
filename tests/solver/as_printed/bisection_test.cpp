// SPDX-License-Identifier: BSD-2-Clause
// Alg. 4 of Le Lidec et al. 2023, pass by pass. The second writing finds the least energy on the
// ellipse by sampling near the angle of the force that stops the contact, not by its slope.
#include "solver/as_printed/second_writing.hpp"

namespace tactum::testing {
namespace {

/// Angle of the least energy in the valley of a first angle: steps of falling size downhill.
Vec3 sliding_force(const Mat3& G, const Vec3& free, Real mu, Real angle) {
  const auto force = [&](Real a) {
    const Real r = -free[2] / (G(2, 2) / mu + G(2, 0) * std::cos(a) + G(2, 1) * std::sin(a));
    return Vec3(r * std::cos(a), r * std::sin(a), r / mu);
  };
  const auto energy = [&](Real a) {
    const Vec3 f = force(a);
    return f.dot(Real(0.5) * (G * f) + free);
  };
  // differences of energies resolve an angle to about the root of rounding
  for (Real step = Real(0.01); step > Real(1e-11); step /= 3) {
    while (energy(angle + step) < energy(angle)) angle += step;
    while (energy(angle - step) < energy(angle)) angle -= step;
  }
  return force(angle);
}

Vec3 contact_force(const Mat3& G, const Vec3& free, Real mu) {
  if (free[2] > 0) return Vec3::Zero();
  const Vec3 stop = -G.fullPivLu().solve(free);
  if (std::hypot(stop[0], stop[1]) <= mu * stop[2]) return stop;
  return sliding_force(G, free, mu, std::atan2(stop[1], stop[0]));
}

TEST(PrintedBisection, PassByPass) {
  for (const ContactScene& scene : listed_scenes()) {
    const Listing listing = listing_of(scene);
    const auto pass = [&](Vector& f) {
      for (int i = 0; i < listing.contacts(); ++i) {
        f.segment(3 * i, 3).setZero();
        const Vec3 free = listing.G.middleRows(3 * i, 3) * f + listing.g.segment(3 * i, 3);
        f.segment(3 * i, 3) = contact_force(listing.G.block(3 * i, 3 * i, 3, 3), free,
                                            listing.mu[i]);
      }
    };
    for (const double relaxation : {0.7, 1.0})
      expect_same_passes(scene, ContactSolver::raisim, relaxation, 15, pass, 0, 1e-6);
  }
}

TEST(PrintedBisection, PointMassAsInClosedForm) {
  // friction of a point mass acts against its motion with mu times the weight
  const ContactProblem problem(Eigen::MatrixXd::Identity(3, 3) / 2,
                               {.g = Vector3(1.8, 2.4, -1), .mu = Eigen::VectorXd::Ones(1) / 2});
  const ContactSolution solution = solve(
      problem, {.solver = ContactSolver::raisim, .tolerance = 1e-10, .as_printed = true});
  EXPECT_EQ(solution.status, ContactStatus::converged);
  EXPECT_LT((solution.force - Vector3(-0.6, -0.8, 2)).norm(), 1e-10);
}

}  // namespace
}  // namespace tactum::testing
