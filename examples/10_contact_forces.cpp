// SPDX-License-Identifier: BSD-2-Clause
// Contact forces: a box that is pushed along the ground, under three contact models, and how the
// forces react to friction.
#include <cmath>
#include <cstdio>
#include <string>

#include "tactum/tactum.hpp"

int main() {
  // a cube of 1 kg and side 0.2 m on its four corners; each has the rows x, y, z (normal) of J
  const double half = 0.1, gravity = 9.81, step = 0.01;
  Eigen::MatrixXd J(12, 6);
  for (int corner = 0; corner < 4; ++corner) {
    const double x = corner % 2 == 0 ? -half : half, y = corner < 2 ? -half : half, z = -half;
    J.block<3, 6>(3 * corner, 0) << 1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x, 0, 0, 1, y, -x, 0;
  }
  const double inertia = 4 * half * half / 6;
  const Eigen::MatrixXd factor =
      Eigen::VectorXd{{1, 1, 1, inertia, inertia, inertia}}.cwiseSqrt().asDiagonal();

  // it moves at 1 m/s along x and falls: the velocities of the corners without contact forces
  const Eigen::VectorXd motion{{1, 0, -gravity * step, 0, 0, 0}};
  const std::vector<tactum::ContactKind> kinds(4, tactum::ContactKind::friction);
  const Eigen::VectorXd g = tactum::contact_free_velocity(
      kinds, {.free_velocity = J * motion, .time_step = step});
  const auto problem = tactum::ContactProblem::from_operator(
      J, factor, {.g = g, .mu = Eigen::VectorXd::Constant(4, 0.5)});

  // forces over all corners: Coulomb opposes the motion with half the weight; the convex model
  // lifts the cube
  for (const auto solver : {tactum::ContactSolver::ncp_admm, tactum::ContactSolver::ccp_newton,
                            tactum::ContactSolver::lcp_pgs}) {
    const tactum::ContactSolution solution = tactum::solve(
        problem, {.solver = solver, .tolerance = 1e-10, .polish = true});
    double friction = 0, normal = 0;
    for (int corner = 0; corner < 4; ++corner) {
      friction += solution.force[3 * corner];
      normal += solution.force[3 * corner + 2];
    }
    std::printf("%-10s %s, friction %.3f N, normal %.3f N, lifts off at %.3f m/s\n",
                std::string(to_string(solver)).c_str(),
                std::string(to_string(solution.status)).c_str(), friction, normal,
                std::abs(solution.velocity[2]) * step);
  }

  // the force is not unique with four corners; a little compliance makes it so, and differentiable
  const auto solution = tactum::solve(problem, {.regularization = 1e-6, .polish = true});
  const auto derivative = tactum::solution_derivative(problem, solution);
  double by_friction = 0;
  for (int corner = 0; corner < 4; ++corner)
    by_friction += derivative.force_wrt_mu().row(3 * corner).sum();
  std::printf("first corner %s, derivative %s, smooth %s\n",
              std::string(to_string(solution.modes[0])).c_str(),
              std::string(to_string(derivative.rule())).c_str(),
              derivative.smooth() ? "True" : "False");
  std::printf("friction by mu %.3f N\n", by_friction);
  return 0;
}
