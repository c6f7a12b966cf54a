// SPDX-License-Identifier: BSD-2-Clause
#include "sim/derivative/contact_law.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace tactum::sim {
namespace {

/// The solution in the units of the problem.
ContactSolution scaled_solution(const StepTape& tape) {
  ContactSolution solution = tape.solution;
  solution.force /= tape.force_unit;
  return solution;
}

/// kappa of each block: s^2 / G of its normal row, for a row velocity s of v / dt.
Eigen::VectorXd kappa_of(const StepTape& tape, double relaxation) {
  const std::vector<ContactBlock>& blocks = tape.problem.blocks();
  const Eigen::VectorXd diagonal = tape.problem.diagonal_G() + tape.problem.R();
  const double speed = relaxation / (tape.dt * tape.force_unit * tape.inverse_mass_unit);
  Eigen::VectorXd out(static_cast<Eigen::Index>(blocks.size()));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int normal = blocks[i].row + row_count(blocks[i].kind) - 1;
    out[static_cast<Eigen::Index>(i)] = speed * speed /
                                        std::max(diagonal[normal], 1e-12 * diagonal.maxCoeff());
  }
  return out;
}

/// dt L^-T W f: the change of the velocity by a change of forces in the units of the problem.
Eigen::VectorXd velocity_change(const StepTape& tape, const Eigen::VectorXd& force) {
  const ModelData& model = tape.model.data();
  const double unit = tape.force_unit * tape.dt * std::sqrt(tape.inverse_mass_unit);
  Eigen::VectorXd out = unit * (tape.problem.dense_W() * force);
  for (const Tree& tree : model.trees) {
    const auto index = static_cast<std::size_t>(tree.index);
    if (tree.carrier == Carrier::free_body) {
      auto part = out.segment<6>(tree.v);
      model.free_bodies[index].factor.triangularView<Eigen::Lower>().transpose().solveInPlace(part);
    } else {
      tape.factors[index].apply_inverse_transpose(out.segment(tree.v, tree.nv));
    }
  }
  return out;
}

}  // namespace

RelaxedTape relaxed_tape(const StepTape& tape, double relaxation) {
  RelaxedForces forces(tape.problem, kappa_of(tape, relaxation));
  auto changed = std::make_shared<StepTape>(tape);
  const Eigen::VectorXd added = forces.force() - tape.solution.force / tape.force_unit;
  if (added.size() > 0) changed->velocity += velocity_change(tape, added);
  changed->solution.force = tape.force_unit * forces.force();
  for (ContactMode& mode : changed->solution.modes) mode = ContactMode::sticking;
  return {std::move(changed), std::move(forces)};
}

ContactLaw::ContactLaw(const StepTape& tape)
    : exact_(solution_derivative(tape.problem, scaled_solution(tape))),
      islands_(tape.problem.data().islands()) {}

ContactLaw::ContactLaw(const StepTape& tape, RelaxedForces forces)
    : relaxed_(std::move(forces)), islands_(tape.problem.data().islands()) {}

Eigen::MatrixXd ContactLaw::force_change(const Eigen::MatrixXd& b,
                                         const Eigen::MatrixXd& d_mu) const {
  return exact_ ? exact_->force_change(b, d_mu) : relaxed_->force_change(b, d_mu);
}

Eigen::MatrixXd ContactLaw::island_force_pullback(int island,
                                                  const Eigen::MatrixXd& by_force) const {
  if (exact_) return exact_->island_force_pullback(island, by_force);
  const std::vector<int>& rows = islands_[static_cast<std::size_t>(island)].rows;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(relaxed_->force().size(), by_force.cols());
  all(rows, Eigen::all) = by_force;
  return relaxed_->pullback(all)(rows, Eigen::all);
}

ContactLaw::Pullback ContactLaw::pullback(const Eigen::VectorXd& by_force) const {
  if (exact_) {
    ContactCotangent found = exact_->vjp(by_force);
    return {std::move(found.g), std::move(found.mu)};
  }
  return {relaxed_->pullback(by_force), relaxed_->pullback_to_mu(by_force)};
}

}  // namespace tactum::sim
