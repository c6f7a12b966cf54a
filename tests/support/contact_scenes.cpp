// SPDX-License-Identifier: BSD-2-Clause
#include "support/contact_scenes.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>

namespace tactum::testing {

Eigen::VectorXd ContactScene::g() const { return J * free_motion; }
Eigen::MatrixXd ContactScene::G() const { return J * M.ldlt().solve(J.transpose()); }
Eigen::MatrixXd ContactScene::factor() const { return M.llt().matrixL(); }

ContactProblem ContactScene::problem(const Eigen::VectorXd& R) const {
  return {G(), {.g = g(), .mu = mu, .R = R}};
}

ContactProblem ContactScene::operator_problem(const Eigen::VectorXd& R) const {
  return ContactProblem::from_operator(J, factor(), {.g = g(), .mu = mu, .R = R});
}

Eigen::Matrix<double, 3, 6> point_rows(const Vector3& arm) {
  Eigen::Matrix<double, 3, 6> rows = Eigen::Matrix<double, 3, 6>::Zero();
  rows.leftCols<3>().setIdentity();
  rows.rightCols<3>() << 0, arm.z(), -arm.y(), -arm.z(), 0, arm.x(), arm.y(), -arm.x(), 0;
  return rows;
}

ContactScene stack_scene(const std::vector<double>& masses, double mu, const Vector3& push,
                         double spin) {
  const int bodies = static_cast<int>(masses.size()), contacts = 4 * bodies;
  ContactScene scene;
  scene.M = Eigen::MatrixXd::Zero(6 * bodies, 6 * bodies);
  scene.J = Eigen::MatrixXd::Zero(3 * contacts, 6 * bodies);
  scene.free_motion = Eigen::VectorXd::Zero(6 * bodies);
  scene.mu = Eigen::VectorXd::Constant(contacts, mu);
  for (int b = 0; b < bodies; ++b) {
    scene.M.diagonal().segment<3>(6 * b).setConstant(masses[b]);
    scene.M.diagonal().segment<3>(6 * b + 3).setConstant(masses[b] * 0.04 / 6);
    scene.free_motion[6 * b + 2] = -kGravity;
    for (int c = 0; c < 4; ++c) {
      const double x = c % 2 == 0 ? 0.1 : -0.1, y = c < 2 ? 0.1 : -0.1;
      scene.J.block<3, 6>(12 * b + 3 * c, 6 * b) = point_rows({x, y, -0.1});
      if (b > 0) scene.J.block<3, 6>(12 * b + 3 * c, 6 * (b - 1)) = -point_rows({x, y, 0.1});
    }
  }
  scene.free_motion.head<3>() += push / kTimeStep;
  scene.free_motion[5] += spin / kTimeStep;
  return scene;
}

ContactScene random_scene(Random& random, int bodies, int contacts, double mass_ratio) {
  ContactScene scene;
  scene.M = Eigen::MatrixXd::Zero(6 * bodies, 6 * bodies);
  scene.J = Eigen::MatrixXd::Zero(3 * contacts, 6 * bodies);
  scene.free_motion.resize(6 * bodies);
  scene.mu.resize(contacts);
  for (int b = 0; b < bodies; ++b) {
    const double mass = random.log_uniform(1 / std::sqrt(mass_ratio), std::sqrt(mass_ratio));
    const Matrix3 turn = random.rotation();
    const Vector3 inertia(random.uniform(0.005, 0.02), random.uniform(0.01, 0.02),
                          random.uniform(0.01, 0.02));
    scene.M.diagonal().segment<3>(6 * b).setConstant(mass);
    scene.M.block<3, 3>(6 * b + 3, 6 * b + 3) = mass * turn * inertia.asDiagonal() *
                                                turn.transpose();
    for (int k = 0; k < 6; ++k) scene.free_motion[6 * b + k] = random.uniform(-10, 10);
    scene.free_motion[6 * b + 2] -= kGravity;
  }
  for (int c = 0; c < contacts; ++c) {
    const int first = c % bodies, second = random.below(bodies);
    const Matrix3 frame = random.rotation();
    scene.J.block<3, 6>(3 * c, 6 * first) = frame * point_rows(0.15 * random.direction());
    if (second != first)
      scene.J.block<3, 6>(3 * c, 6 * second) = -frame * point_rows(0.15 * random.direction());
    scene.mu[c] = random.uniform(0.1, 1.0);
  }
  return scene;
}

ContactProblem hostile_problem(Random& random) {
  ContactScene scene = random_scene(random, 1 + random.below(3), random.below(8),
                                    random.log_uniform(1, 1e12));
  const int rows = static_cast<int>(scene.J.rows());
  for (int c = 0; c < scene.mu.size(); ++c)
    scene.mu[c] = random.chance(0.2) ? 0.0 : random.log_uniform(1e-3, 10);
  if (rows > 0 && random.chance(0.2)) scene.J.middleRows(3 * random.below(rows / 3), 3).setZero();
  if (rows > 0 && random.chance(0.2)) scene.J.row(random.below(rows)).setZero();
  if (rows > 3 && random.chance(0.3)) scene.J.middleRows(0, 3) = scene.J.middleRows(rows - 3, 3);
  ContactTerms terms{.g = scene.g(), .mu = scene.mu};
  if (random.chance(0.3)) terms.g *= random.log_uniform(1e-9, 1e9);
  if (random.chance(0.3)) terms.R = Eigen::VectorXd::Constant(rows, random.log_uniform(1e-9, 1e3));
  if (random.chance(0.3)) {  // the same rows as other kinds, infeasible more often than not
    terms.kinds.assign(static_cast<std::size_t>(rows), ContactKind::bilateral);
    terms.mu.resize(0);
    for (ContactKind& kind : terms.kinds) kind = static_cast<ContactKind>(1 + random.below(4));
    terms.bounds.resize(rows, 2);
    for (int i = 0; i < rows; ++i) terms.bounds.row(i) << -random.uniform(), random.uniform();
  }
  if (random.chance(0.5)) return ContactProblem::from_operator(scene.J, scene.factor(), terms);
  return {scene.G(), terms, false};
}

bool all_finite(const ContactSolution& s) {
  bool good = s.force.allFinite() && s.velocity.allFinite() && s.mode_margin.allFinite();
  for (const double number : {s.residual, s.primal, s.dual, s.complementarity, s.ncp_residual,
                              s.signorini, s.coulomb, s.dissipation})
    good &= std::isfinite(number);
  return good;
}

}  // namespace tactum::testing
