// SPDX-License-Identifier: BSD-2-Clause
// Alg. 5 of Le Lidec et al. 2023, pass by pass.
#include "solver/as_printed/second_writing.hpp"

namespace tactum::testing {
namespace {

TEST(PrintedNcpPgs, PassByPass) {
  for (const ContactScene& scene : listed_scenes()) {
    const Listing listing = listing_of(scene);
    const auto pass = [&](Vector& f) {
      for (int i = 0; i < listing.contacts(); ++i) {
        const int n = 3 * i + 2;
        f[n] -= (listing.G.row(n).dot(f) + listing.g[n]) / listing.G(n, n);
        f[n] = std::max<Real>(0, f[n]);
        const Real least = std::min(listing.G(n - 2, n - 2), listing.G(n - 1, n - 1));
        const Eigen::Matrix<Real, 2, 1> s = listing.G.middleRows(n - 2, 2) * f +
                                            listing.g.segment(n - 2, 2);
        f.segment(n - 2, 2) -= s / least;
        clamp_tangent(f, n - 2, listing.mu[i] * f[n], false);
      }
    };
    for (const double relaxation : {0.7, 1.0, 1.2})
      expect_same_passes(scene, ContactSolver::ncp_pgs, relaxation, 30, pass);
  }
}

}  // namespace
}  // namespace tactum::testing
