// SPDX-License-Identifier: BSD-2-Clause
// Alg. 2 of Le Lidec et al. 2023, pass by pass.
#include "solver/as_printed/second_writing.hpp"

namespace tactum::testing {
namespace {

TEST(PrintedCcpPgs, PassByPass) {
  for (const ContactScene& scene : listed_scenes()) {
    const Listing listing = listing_of(scene);
    const auto pass = [&](Vector& f) {
      for (int i = 0; i < listing.contacts(); ++i) {
        const Real step = 3 / listing.G.block(3 * i, 3 * i, 3, 3).trace();
        const Vec3 s = listing.G.middleRows(3 * i, 3) * f + listing.g.segment(3 * i, 3);
        f.segment(3 * i, 3) = nearest_in_cone(f.segment(3 * i, 3) - step * s, listing.mu[i]);
      }
    };
    for (const double relaxation : {0.7, 1.0, 1.2})
      expect_same_passes(scene, ContactSolver::ccp_pgs, relaxation, 30, pass);
  }
}

}  // namespace
}  // namespace tactum::testing
