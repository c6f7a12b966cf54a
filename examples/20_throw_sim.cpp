// SPDX-License-Identifier: BSD-2-Clause
// Throw a box: it flies, hits the ground, slides, and comes to rest.
#include <tactum/sim/rollout.hpp>

#include <cstdio>

int main() {
  using namespace tactum;
  sim::ModelBuilder builder;
  builder.add_ground({.friction = 0.4});
  sim::BodyOptions options;
  options.mass = 1.0;
  options.X.translation.z() = 0.5;
  builder.add_body(Shape{Box{.half_extents = {0.1, 0.05, 0.15}}}, options);
  const sim::Model model = builder.build();

  sim::State state = model.state();
  state.v << 1.5, 0.0, 1.0, 0.0, 4.0, 1.0;  // m/s and rad/s, in the axes of the box

  sim::StepWorkspace work;
  sim::Trajectory trajectory;
  sim::rollout(model, state, sim::TrajectoryMatrix::Zero(2000, model.nv()), 1e-3, {}, work,
               trajectory);
  const sim::StepResult result = sim::step(model, trajectory.last, {}, 1e-3);
  double weight = 0.0;
  for (const sim::StepContact& contact : result.contacts) weight += contact.force.z();
  const Eigen::VectorXd& q = trajectory.last.q;
  std::printf("came to rest at %.3f %.3f %.3f\n", q[0], q[1], q[2]);
  std::printf("%zu contact points carry %.3f N\n", result.contacts.size(), weight);
}
