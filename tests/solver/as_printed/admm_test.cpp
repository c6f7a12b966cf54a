// SPDX-License-Identifier: BSD-2-Clause
// Alg. 3 of Le Lidec et al. 2023, pass by pass, and with Gamma in its linear term.
#include "solver/as_printed/second_writing.hpp"

namespace tactum::testing {
namespace {

/// Lines 3 to 5 with eq. 22 on the force of line 3 and the rule for rho that the library states.
class WrittenAdmm {
 public:
  WrittenAdmm(const Listing& listing, bool with_shift, double relaxation)
      : listing_(listing),
        with_shift_(with_shift),
        relaxation_(relaxation),
        z_(Vector::Zero(listing.g.size())),
        gamma_(z_),
        mean_(listing.G.trace() / Real(listing.G.rows())),
        rho_(mean_) {}

  void pass(Vector& f) {
    Vector linear = listing_.g;
    for (int i = 0; with_shift_ && i < listing_.contacts(); ++i)
      linear[3 * i + 2] += listing_.mu[i] * std::hypot(gamma_[3 * i], gamma_[3 * i + 1]);
    const Matrix shifted = listing_.G + rho_ * Matrix::Identity(f.size(), f.size());
    const Vector solved = -shifted.ldlt().solve(linear - rho_ * z_ + gamma_);
    f = relaxation_ * solved + (1 - relaxation_) * f;
    const Vector last = z_;
    for (int i = 0; i < listing_.contacts(); ++i)
      z_.segment(3 * i, 3) = nearest_in_cone(f.segment(3 * i, 3) + gamma_.segment(3 * i, 3) / rho_,
                                             listing_.mu[i]);
    gamma_ += rho_ * (f - z_);
    if (++passes_ % 10 != 0) return;
    const Real primal = mean_ * (f - z_).cwiseAbs().maxCoeff(),
               dual = rho_ * (z_ - last).cwiseAbs().maxCoeff();
    if (primal > 10 * dual || dual > 10 * primal)
      rho_ *= std::sqrt(std::min<Real>(1e4L, std::max<Real>(1e-4L, primal / dual)));
  }

 private:
  const Listing& listing_;
  bool with_shift_;
  Real relaxation_;
  Vector z_, gamma_;
  Real mean_, rho_;
  int passes_ = 0;
};

TEST(PrintedAdmm, PassByPass) {
  for (const ContactScene& scene : listed_scenes()) {
    const Listing listing = listing_of(scene, 1e-3);
    for (const bool shift : {false, true}) {
      for (const double relaxation : {0.7, 1.0, 1.5}) {
        WrittenAdmm written(listing, shift, relaxation);
        expect_same_passes(
            scene, shift ? ContactSolver::ncp_admm : ContactSolver::ccp_admm, relaxation, 40,
            [&](Vector& f) { written.pass(f); }, 1e-3, 1e-8, Relaxed::within);
      }
    }
  }
}

TEST(PrintedAdmm, WarmStartBeginsWithForceMultiplierAndRho) {
  const ContactProblem problem = stack_scene({1.0, 5.0}, 0.7, {0.05, 0.1, 0.0}).problem();
  SolveOptions options{.solver = ContactSolver::ccp_admm,
                       .tolerance = 1e-10,
                       .max_iterations = 2000,
                       .as_printed = true};
  const ContactSolution cold = solve(problem, options);
  ASSERT_EQ(cold.status, ContactStatus::converged);
  options.warm_start = &cold;
  const ContactSolution warm = solve(problem, options);
  EXPECT_EQ(warm.status, ContactStatus::converged);
  EXPECT_LE(warm.iterations, 2);
  EXPECT_GT(cold.iterations, 10);
}

}  // namespace
}  // namespace tactum::testing
