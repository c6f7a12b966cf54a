// SPDX-License-Identifier: BSD-2-Clause
// Alg. 6 of Le Lidec et al. 2023, pass by pass. The second writing solves both programs by
// projected gradients, on scenes whose parts are well conditioned by compliance.
#include <Eigen/Eigenvalues>

#include "solver/as_printed/second_writing.hpp"

namespace tactum::testing {
namespace {

constexpr double kCompliance = 0.5;

/// Rows of the normal (remainder 2) or tangential forces.
std::vector<int> rows_of(const Listing& listing, bool normal) {
  std::vector<int> rows;
  for (int i = 0; i < 3 * listing.contacts(); ++i)
    if ((i % 3 == 2) == normal) rows.push_back(i);
  return rows;
}

template <class Project>
void minimize(const Listing& listing, bool normal, Vector& f, const Project& project) {
  const std::vector<int> rows = rows_of(listing, normal);
  const Matrix G = listing.G(rows, rows);
  const Real step = 1 / Eigen::SelfAdjointEigenSolver<Matrix>(G).eigenvalues().maxCoeff();
  for (int k = 0; k < 40000; ++k) {
    const Vector s = listing.G * f + listing.g;
    const Vector before = f;
    for (const int row : rows) f[row] -= step * s[row];
    project(f);
    if ((f - before).cwiseAbs().maxCoeff() < 1e-17L) break;
  }
}

TEST(PrintedStaggered, PassByPass) {
  for (const ContactScene& scene : listed_scenes()) {
    const Listing listing = listing_of(scene, kCompliance);
    for (const bool square : {false, true}) {
      const auto pass = [&](Vector& f) {
        minimize(listing, true, f, [&](Vector& x) {
          for (int i = 0; i < listing.contacts(); ++i)
            x[3 * i + 2] = std::max<Real>(0, x[3 * i + 2]);
        });
        minimize(listing, false, f, [&](Vector& x) {
          for (int i = 0; i < listing.contacts(); ++i)
            clamp_tangent(x, 3 * i, listing.mu[i] * x[3 * i + 2], square);
        });
      };
      const ContactSolver solver = square ? ContactSolver::lcp_staggered
                                          : ContactSolver::ncp_staggered;
      for (const double relaxation : {0.7, 1.0, 1.2})
        expect_same_passes(scene, solver, relaxation, 8, pass, kCompliance, 1e-7);
    }
  }
}

}  // namespace
}  // namespace tactum::testing
