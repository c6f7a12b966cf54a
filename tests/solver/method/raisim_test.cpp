// SPDX-License-Identifier: BSD-2-Clause
// The angles of a sliding contact are compared with a dense scan of all angles.
#include "solver/method/raisim.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "support/random.hpp"
#include "support/repetitions.hpp"

namespace tactum::testing {
namespace {

BlockMatrix random_block(Random& random) {
  Matrix3 root;
  for (int i = 0; i < 3; ++i) root.col(i) = random.in_box(1);
  const Matrix3 product = root * root.transpose() + 0.05 * Matrix3::Identity();
  BlockMatrix block;
  Eigen::Map<Matrix3>(block.data()) = product;
  return block;
}

double energy(const SlidingContact& contact, Double3 f) {
  return 0.5 * (dot(f, contact.velocity(f)) + dot(f, contact.free));
}

TEST(Raisim, LeastEnergyOfAllAngles) {
  Random random(8);
  for (int i = 0; i < repetitions(500); ++i) {
    const BlockMatrix block = random_block(random);
    const SlidingContact contact{
        block,
        random.log_uniform(0.05, 2),
        {random.uniform(-2, 2), random.uniform(-2, 2), -random.uniform(0.1, 1)}};
    const Double3 found = least_energy_angle(contact, {});
    EXPECT_NEAR(contact.velocity(found).z, 0, 1e-11 * (1 + found.norm()));
    EXPECT_NEAR(tangent_norm(found), contact.mu * found.z, 1e-12 * found.norm());
    double least = 1e300;
    for (int k = 0; k < 3600; ++k) {
      Double3 f;
      if (contact.force(std::cos(k * M_PI / 1800), std::sin(k * M_PI / 1800), f))
        least = std::min(least, energy(contact, f));
    }
    EXPECT_LE(energy(contact, found), least + 1e-9 * std::abs(least));
  }
}

TEST(Raisim, MostDissipationOpposesTheVelocity) {
  Random random(9);
  int slides = 0;
  for (int i = 0; i < repetitions(2000); ++i) {
    const BlockMatrix G = random_block(random);
    const double mu = random.log_uniform(0.05, 0.8);
    const Double3 free{random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-1, 0.3)};
    const Double3 f = contact_by_case(G, mu, {0, 0, 0}, free, most_dissipation_angle);
    const SlidingContact contact{G, mu, free};
    const Double3 s = contact.velocity(f), x = desaxce(s, mu);
    // in the ncp of one contact f is in the cone, x is in its dual cone, and both are orthogonal
    EXPECT_LE(tangent_norm(f), mu * f.z + 1e-12);
    EXPECT_LE(dual_cone_distance(x, mu), 1e-11 * (1 + s.norm()));
    EXPECT_NEAR(dot(f, x), 0, 1e-11 * (1 + f.norm() * s.norm()));
    slides += f.z > 0 && tangent_norm(s) > 1e-6;
  }
  EXPECT_GT(slides, repetitions(500));
}

TEST(Raisim, DegenerateContacts) {
  const BlockMatrix zero{}, line{0, 0, 0, 0, 0, 0, 0, 0, 2};
  EXPECT_EQ(contact_by_case(zero, 0.5, {0, 0, 0}, {1, 1, -1}, least_energy_angle).norm(), 0);
  const Double3 f = contact_by_case(line, 0.5, {0, 0, 0}, {0, 0, -1}, most_dissipation_angle);
  EXPECT_EQ(f.z, 0.5);
}

}  // namespace
}  // namespace tactum::testing
