// SPDX-License-Identifier: BSD-2-Clause
// Throw a cube so that it is at a given pose after a bounce: Gauss-Newton on exact derivatives.
#include <tactum/sim/rollout_derivative.hpp>

#include <Eigen/LU>
#include <cstdio>

using namespace tactum;

static sim::Trajectory throw_cube(const sim::Model& model, const Eigen::VectorXd& velocity) {
  sim::StepOptions options;
  options.tolerance = 1e-12;
  options.max_iterations = 5000;
  sim::State state = model.state();
  state.v = velocity;
  sim::StepWorkspace work;
  sim::Trajectory trajectory;
  sim::rollout(model, state, sim::TrajectoryMatrix::Zero(70, model.nv()), 5e-3, options, work,
               trajectory);
  return trajectory;
}

int main() {
  sim::ModelBuilder builder;
  builder.add_ground({.friction = 0.5, .restitution = 0.4});
  sim::BodyOptions options;
  options.mass = 1.0;
  options.X.translation.z() = 0.4;
  builder.add_body(Shape{Box{.half_extents = {0.1, 0.1, 0.1}}}, options);
  const sim::Model model = builder.build();

  Eigen::VectorXd aim(6), velocity(6), error;
  aim << 1.0, 0.3, 0.5, 1.0, 2.0, -1.0;
  velocity << 1.02, 0.32, 0.48, 0.95, 2.05, -1.05;
  const Eigen::VectorXd target = throw_cube(model, aim).last.q;  // a pose that can be reached

  for (int iteration = 0; iteration < 20; ++iteration) {
    const sim::Trajectory trajectory = throw_cube(model, velocity);
    error = model.difference(target, trajectory.last.q);
    if (error.norm() < 1e-10) break;
    Eigen::MatrixXd jacobian(6, 6);  // of the last pose, forward through all steps
    for (int i = 0; i < 6; ++i) {
      sim::RolloutInputTangent change;
      change.v = Eigen::VectorXd::Unit(6, i);
      const sim::RolloutOutputTangent moved = sim::rollout_jvp(model, trajectory, change);
      jacobian.col(i) = moved.q.row(moved.q.rows() - 1).transpose();
    }
    velocity -= jacobian.lu().solve(error);
  }
  std::printf("hit the pose to 1e-10: %s\n", error.norm() < 1e-10 ? "True" : "False");
  std::printf("velocity %.6f %.6f %.6f %.6f %.6f %.6f\n", velocity[0], velocity[1], velocity[2],
              velocity[3], velocity[4], velocity[5]);
}
