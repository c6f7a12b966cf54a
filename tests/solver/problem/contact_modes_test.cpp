// SPDX-License-Identifier: BSD-2-Clause
#include "solver/problem/contact_modes.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"
#include "support/repetitions.hpp"

namespace tactum::testing {
namespace {

const BlockMatrix kUnit{1, 0, 0, 0, 1, 0, 0, 0, 1};
const ContactBlock kFriction{.kind = ContactKind::friction, .mu = 0.5};

BlockMode mode_of(ContactModel model, Double3 f, Double3 s, const ContactBlock& block = kFriction) {
  return block_mode(ResidualRule(model, {}, {}), block, kUnit, f, s);
}

TEST(ContactModes, OfExactSolutions) {
  for (const ContactModel model :
       {ContactModel::ncp, ContactModel::lcp, ContactModel::raisim, ContactModel::ccp}) {
    EXPECT_EQ(mode_of(model, {0, 0, 0}, {1, 0, 2}).mode, ContactMode::breaking);
    EXPECT_EQ(mode_of(model, {0.1, 0.2, 1}, {0, 0, 0}).mode, ContactMode::sticking);
    const Double3 speed{3, 0, model == ContactModel::ccp ? 1.5 : 0};
    EXPECT_EQ(mode_of(model, {-0.5, 0, 1}, speed).mode, ContactMode::sliding);
    EXPECT_GT(mode_of(model, {-0.5, 0, 1}, speed).margin, 0.05);
  }
}

TEST(ContactModes, MarginVanishesAtTheBoundary) {
  // about to slide
  EXPECT_NEAR(mode_of(ContactModel::ncp, {-0.5, 0, 1}, {0, 0, 0}).margin, 0, 1e-15);
  // just slides
  EXPECT_NEAR(mode_of(ContactModel::ncp, {-0.5, 0, 1}, {1e-9, 0, 0}).margin, 0, 1e-8);
  // just lifts off
  EXPECT_NEAR(mode_of(ContactModel::ncp, {0, 0, 0}, {1, 0, 1e-9}).margin, 0, 1e-8);
  EXPECT_EQ(mode_of(ContactModel::ncp, {0, 0, 0}, {0, 0, 0}).margin, 0);
  EXPECT_NEAR(mode_of(ContactModel::ccp, {-0.5, 0, 1}, {1e-9, 0, 0.5e-9}).margin, 0, 1e-8);
  // leaves the corner
  EXPECT_NEAR(mode_of(ContactModel::lcp, {-0.5, 0.5, 1}, {1, -1e-9, 0}).margin, 0, 1e-8);
  // scale-free: a problem in other units has the same margin
  const double margin = mode_of(ContactModel::ncp, {-0.25, 0, 1}, {0, 0, 0}).margin;
  EXPECT_NEAR(mode_of(ContactModel::ncp, {-2.5e8, 0, 1e9}, {0, 0, 0}).margin, margin, 1e-15);
}

TEST(ContactModes, OfRows) {
  const ContactBlock box{.kind = ContactKind::box, .lower = -1, .upper = 2};
  EXPECT_EQ(mode_of(ContactModel::ncp, {-1, 0, 0}, {3, 0, 0}, box).mode, ContactMode::sliding);
  EXPECT_EQ(mode_of(ContactModel::ncp, {0.5, 0, 0}, {0, 0, 0}, box).mode, ContactMode::sticking);
  EXPECT_EQ(mode_of(ContactModel::ncp, {0, 0, 0}, {3, 0, 0}, {.kind = ContactKind::limit}).mode,
            ContactMode::breaking);
  EXPECT_EQ(mode_of(ContactModel::ncp, {2, 0, 0}, {0, 0, 0}, {.kind = ContactKind::limit}).mode,
            ContactMode::sticking);
  EXPECT_EQ(
      mode_of(ContactModel::ncp, {-2, 0, 0}, {0, 0, 0}, {.kind = ContactKind::bilateral}).mode,
      ContactMode::sticking);
}

/// Derivatives of the equations against central differences, with the mode held.
TEST(ContactModes, EquationsAndTheirDerivatives) {
  Random random(6);
  for (int i = 0; i < repetitions(400); ++i) {
    const ContactModel model = static_cast<ContactModel>(random.below(4));
    Matrix3 root;
    for (int k = 0; k < 3; ++k) root.col(k) = random.in_box(1);
    BlockMatrix G;
    Eigen::Map<Matrix3>(G.data()) = root * root.transpose() + Matrix3::Identity();
    ContactBlock block = kFriction;
    block.mu = random.uniform(0.1, 1);
    Vector3 f = random.in_box(1), s = random.in_box(1);
    if (model == ContactModel::raisim) {  // its equation is linearized where s_T is against w, as
                                          // in a solution
      const Double2 w = raisim_direction(G, block.mu, to_double3(f));
      s.head<2>() = -random.uniform(0.1, 2) * Eigen::Vector2d(w.x, w.y);
    }
    const ResidualRule rule(model, {.facets = 5, .angle = 0.2}, {});
    BlockMode mode = block_mode(rule, block, G, to_double3(f), to_double3(s));
    mode.mode = static_cast<ContactMode>(random.below(3));
    const auto value = [&](const Vector3& force, const Vector3& speed, double mu) {
      ContactBlock changed = block;
      changed.mu = mu;
      return block_equations(rule, changed, G, mode, to_double3(force), to_double3(speed)).value;
    };
    const BlockEquations e = block_equations(rule, block, G, mode, to_double3(f), to_double3(s));
    const double step = 1e-6;
    for (int k = 0; k < 3; ++k) {
      const Vector3 d = step * Vector3::Unit(k);
      EXPECT_LT(
          (e.by_force.col(k) - (value(f + d, s, block.mu) - value(f - d, s, block.mu)) / (2 * step))
              .norm(),
          1e-6);
      EXPECT_LT((e.by_velocity.col(k) -
                 (value(f, s + d, block.mu) - value(f, s - d, block.mu)) / (2 * step))
                    .norm(),
                1e-6 / s.head<2>().norm());
    }
    EXPECT_LT((e.by_mu - (value(f, s, block.mu + step) - value(f, s, block.mu - step)) / (2 * step))
                  .norm(),
              1e-6);
  }
}

}  // namespace
}  // namespace tactum::testing
