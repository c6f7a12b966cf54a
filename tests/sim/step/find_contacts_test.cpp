// SPDX-License-Identifier: BSD-2-Clause
// Contacts of a step against distances of all pairs, for few geometries and for many.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "sim/scenes.hpp"
#include "sim/step/step_data.hpp"

namespace tactum::sim::find_contacts_test {
namespace {

using scenes::at;
using scenes::ball;
using scenes::body;
using scenes::cube;

void find(const Model& model, const State& state, double dt, StepData& work) {
  work.prepare(model);
  work.tau.setZero(model.nv());
  set_kinematics(model.data(), state, work);
  set_free_velocity(model.data(), state, dt, work);
  find_pairs(model.data(), dt, work);
  find_contacts(model.data(), {}, work);
}

TEST(FindContacts, AllPairsThatMayMeetInTheStep) {
  for (const int count : {12, 120}) {  // tried one by one, and by a tree
    std::mt19937_64 random(9);
    std::uniform_real_distribution<double> place(-0.6, 0.6), speed(-1.0, 1.0);
    ModelBuilder builder;
    builder.add_ground();
    for (int i = 0; i < count; ++i)
      builder.add_body(i % 2 == 0 ? ball(0.1) : cube(0.09),
                       body(1.0, at(place(random), place(random), 0.3 + place(random))));
    const Model model = builder.build();
    State state = model.state();
    for (double& entry : state.v) entry = speed(random);
    StepWorkspace workspace;
    StepData& work = workspace.data();
    find(model, state, 1e-3, work);
    std::set<std::pair<int, int>> found;
    for (const FoundContact& contact : work.contacts)
      found.emplace(contact.geometry_a, contact.geometry_b);
    int touching = 0;
    for (int a = 0; a < model.num_geometries(); ++a) {
      for (int b = a + 1; b < model.num_geometries(); ++b) {
        const Distance value = distance(
            *model.geometry(a).shape(), work.geometry_poses[static_cast<std::size_t>(a)],
            *model.geometry(b).shape(), work.geometry_poses[static_cast<std::size_t>(b)]);
        const double reach = work.reach[static_cast<std::size_t>(a)] +
                             work.reach[static_cast<std::size_t>(b)];
        touching += value.distance < 0.0 ? 1 : 0;
        if (std::abs(value.distance - reach) > 1e-9) {
          EXPECT_EQ(found.contains({a, b}), value.distance < reach) << a << " " << b;
        }
      }
    }
    EXPECT_GT(touching, 3);
  }
}

TEST(FindContacts, PointsLieMidwayAndFramesHoldTheNormal) {
  ModelBuilder builder;
  builder.add_ground();
  BodyOptions options = body(1.0, at(0, 0, 0.105));
  options.margin = 0.02;
  builder.add_body(cube(0.1), options);
  const Model model = builder.build();
  StepWorkspace workspace;
  StepData& work = workspace.data();
  find(model, model.state(), 1e-3, work);
  ASSERT_EQ(work.contacts.size(), 4U);
  for (const FoundContact& contact : work.contacts) {
    EXPECT_NEAR(contact.distance, 0.005, 1e-12);
    EXPECT_NEAR(contact.point.z(), 0.0025, 1e-12);
    EXPECT_LT((contact.frame.col(2) - Vector3::UnitZ()).norm(), 1e-12);
  }
}

TEST(FindContacts, FastBodiesAreSeenBeforeTheyPass) {
  ModelBuilder builder(Vector3::Zero());
  builder.add_ground();
  builder.add_body(ball(0.1), body(1.0, at(0, 0, 1.0)));
  const Model model = builder.build();
  State state = model.state();
  StepWorkspace workspace;
  StepData& work = workspace.data();
  find(model, state, 1e-2, work);
  EXPECT_TRUE(work.contacts.empty());
  state.v[2] = -200.0;
  find(model, state, 1e-2, work);
  EXPECT_EQ(work.contacts.size(), 1U);
}

TEST(FindContacts, CompoundsHaveContactsOfTheirParts) {
  ModelBuilder builder;
  builder.add_ground();
  const Compound dumbbell({{ball(0.1), at(-0.3, 0, 0)}, {ball(0.1), at(0.3, 0, 0)}});
  builder.add_body(dumbbell, body(1.0, at(0, 0, 0.1)));
  const Model model = builder.build();
  StepWorkspace workspace;
  StepData& work = workspace.data();
  find(model, model.state(), 1e-3, work);
  ASSERT_EQ(work.contacts.size(), 2U);
  EXPECT_NEAR(std::abs(work.contacts[0].point.x()), 0.3, 1e-12);
}

}  // namespace
}  // namespace tactum::sim::find_contacts_test
