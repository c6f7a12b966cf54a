// SPDX-License-Identifier: BSD-2-Clause
// Which force of the step before each contact begins with.
#include <gtest/gtest.h>

#include "sim/scenes.hpp"
#include "sim/step/step_data.hpp"

namespace tactum::sim::start_forces_test {
namespace {

/// Contacts along the x axis, each with its pair, its feature and its place.
struct Contact {
  int geometry_a, geometry_b;
  std::uint64_t feature_id;
  double x;
};

FoundContact present(const Contact& contact) {
  return {contact.geometry_a,
          contact.geometry_b,
          {contact.x, 0, 0},
          0.0,
          contact.feature_id,
          Matrix3::Identity(),
          {}};
}

/// A contact of the step before, with the normal force `force` in N.
RememberedForce past(const Contact& contact, double force) {
  return {contact.geometry_a,
          contact.geometry_b,
          contact.feature_id,
          {contact.x, 0, 0},
          {0, 0, force},
          Vector3(0, 0, 0.25),
          0.5};
}

/// Normal forces that contacts begin with.
std::vector<double> started(const std::vector<Contact>& contacts, const ContactMemory& memory) {
  StepWorkspace workspace;
  StepData& work = workspace.data();
  for (const Contact& contact : contacts) {
    work.contacts.push_back(present(contact));
    RowBlock block{};
    block.row = static_cast<int>(3 * work.blocks.size());
    block.size = 3;
    work.blocks.push_back(block);
  }
  work.g.assign(3 * contacts.size(), 0.0);
  EXPECT_TRUE(set_start(&memory, work));
  std::vector<double> forces;
  for (std::size_t i = 0; i < contacts.size(); ++i)
    forces.push_back(work.start.force[static_cast<Eigen::Index>(3 * i + 2)]);
  return forces;
}

TEST(StartForces, AContactOfTheSameFeaturesTakesItsForceWhereverItIs) {
  const ContactMemory memory{{past({0, 1, 7, 0.0}, 1.0), past({0, 1, 8, 1.0}, 2.0)}, {}, {}, {}};
  EXPECT_EQ(started({{0, 1, 8, 0.0}, {0, 1, 7, 1.0}}, memory), (std::vector{2.0, 1.0}));
}

TEST(StartForces, AContactThatChangesItsNameKeepsItsForce) {
  const ContactMemory memory{
      {past({0, 1, 7, 0.0}, 1.0), past({0, 1, 8, 1.0}, 2.0), past({0, 1, 9, 2.0}, 4.0)},
      {},
      {},
      {}};
  // the force of 7 belongs to the contact of that name, though another one is nearer to its place
  EXPECT_EQ(started({{0, 1, 5, 0.9}, {0, 1, 6, 2.1}, {0, 1, 7, 1.0}}, memory),
            (std::vector{2.0, 4.0, 1.0}));
}

TEST(StartForces, AContactInAdditionBeginsWithoutAForce) {
  const ContactMemory memory{{past({0, 1, 7, 0.0}, 1.0)}, {}, {}, {}};
  EXPECT_EQ(started({{0, 1, 5, 0.1}, {0, 1, 7, 1.0}, {0, 2, 7, 0.0}}, memory),
            (std::vector{0.0, 1.0, 0.0}));
}

TEST(StartForces, PairsThatNoLongerTouchAreForgotten) {
  const ContactMemory memory{
      {past({0, 1, 7, 0.0}, 1.0), past({0, 3, 7, 0.0}, 2.0), past({2, 3, 7, 0.0}, 4.0)},
      {},
      {},
      {}};
  EXPECT_EQ(started({{0, 2, 7, 0.0}, {0, 3, 7, 0.0}, {2, 4, 7, 0.0}}, memory),
            (std::vector{0.0, 2.0, 0.0}));
}

TEST(StartForces, WithoutAMemoryAllIsZero) {
  StepWorkspace workspace;
  StepData& work = workspace.data();
  work.contacts.push_back(present({0, 1, 7, 0.0}));
  RowBlock block{};
  block.size = 3;
  work.blocks.push_back(block);
  work.g.assign(3, 0.0);
  EXPECT_TRUE(set_start(nullptr, work));
  EXPECT_EQ(work.start.force, Eigen::Vector3d::Zero());
}

/// Cubes at rest whose contacts change their names from step to step are no harder than others.
TEST(StartForces, APileAtRestIsSolvedAtOnce) {
  ModelBuilder builder;
  builder.add_ground({.friction = 0.5});
  for (int i = 0; i < 4; ++i)
    builder.add_body(scenes::cube(0.1), scenes::body(1.0, scenes::at(0, 0, 0.1 + 0.2 * i)));
  const Model model = builder.build();
  StepResult result = step(model, model.state(), {}, 2e-3);
  auto renamed = std::make_shared<ContactMemory>(*result.state.memory);
  for (std::size_t i = 0; i < renamed->contacts.size(); ++i)
    renamed->contacts[i].feature_id = 1000 + i;
  State state = result.state;
  state.memory = renamed;
  result = step(model, state, {}, 2e-3);
  EXPECT_EQ(result.status, StepStatus::converged);
  EXPECT_LE(result.solution.iterations, 1);
}

}  // namespace
}  // namespace tactum::sim::start_forces_test
