// SPDX-License-Identifier: BSD-2-Clause
// Close a loop: two boxes hang from the ceiling by ball joints and hold a bar between them.
#include <tactum/sim/rollout.hpp>

#include <cstdio>

namespace {

tactum::sim::BodyOptions at(double x, double z) {
  tactum::sim::BodyOptions options;
  options.mass = 1.0;
  options.X.translation = {x, 0.0, z};
  return options;
}

}  // namespace

int main() {
  using namespace tactum;
  sim::ModelBuilder builder;
  const Shape rod{Box{.half_extents = {0.02, 0.02, 0.25}}},
      bar{Box{.half_extents = {0.25, 0.02, 0.02}}};
  const int left = builder.add_body(rod, at(-0.25, -0.25));
  const int right = builder.add_body(rod, at(0.25, -0.25));
  const int middle = builder.add_body(bar, at(0.0, -0.5));
  for (const int body : {left, right}) {
    builder.add_connection(body, 0, {0.0, 0.0, 0.25});  // to the world
    builder.add_connection(body, middle, {0.0, 0.0, -0.25});
  }
  builder.forbid(0, 2);  // the bar overlaps the rods
  builder.forbid(1, 2);
  const sim::Model model = builder.build();

  sim::State state = model.state();
  state.v[0] = state.v[6] = 0.3;  // a push along x
  state.v[12] = 0.6;
  state.v[4] = state.v[10] = -1.2;  // rad/s about y
  sim::StepWorkspace work;
  sim::Trajectory trajectory;
  sim::rollout(model, state, sim::TrajectoryMatrix::Zero(1000, model.nv()), 1e-3, {}, work,
               trajectory);
  const sim::StepResult result = sim::step(model, trajectory.last, {}, 1e-3);
  std::printf("the bar swings between %.3f and %.3f m\n", trajectory.q.col(16).minCoeff(),
              trajectory.q.col(16).maxCoeff());
  std::printf("both rods pull at the ceiling: %zu closures hold\n", result.closure_force.size());
}
