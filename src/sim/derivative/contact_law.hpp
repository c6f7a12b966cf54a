// SPDX-License-Identifier: BSD-2-Clause
// How contact forces follow changes of the rows of a taped step: by the modes of its solution, or
// by relaxed complementarity. Everything is in the units of the contact problem.
//
// Relaxed    A contact with relaxation v m/s has f . s = kappa with kappa = m v^2 / dt, where 1/m
// is
//            what a force does along its normal. So a contact is felt while it closes about as fast
//            as v, or slides about as slowly. The derivative holds kappa.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "sim/step/step_tape.hpp"
#include "solver/problem/problem_data.hpp"
#include "solver/query/relaxed_forces.hpp"
#include "tactum/solution_derivative.hpp"

namespace tactum::sim {

/// A tape whose forces obey relaxed complementarity, with the velocity that they make. No contact
/// of it is open.
struct RelaxedTape {
  std::shared_ptr<const StepTape> tape;
  RelaxedForces forces;
};
RelaxedTape relaxed_tape(const StepTape& tape, double relaxation);

/// It refers to the problem on the tape, which must stay.
class ContactLaw {
 public:
  explicit ContactLaw(const StepTape& tape);
  ContactLaw(const StepTape& tape, RelaxedForces forces);

  bool is_relaxed() const { return relaxed_.has_value(); }
  bool converged() const { return !relaxed_ || relaxed_->converged(); }
  HyperstaticRule rule() const { return exact_ ? exact_->rule() : HyperstaticRule::regularized; }
  bool velocity_is_unique() const { return !exact_ || exact_->velocity_is_unique(); }
  bool keeps_modes(const Eigen::VectorXd& b) const { return !exact_ || exact_->keeps_modes(b); }

  /// Change of the forces and their islands, with the meaning that SolutionDerivative gives them.
  Eigen::MatrixXd force_change(const Eigen::MatrixXd& b, const Eigen::MatrixXd& d_mu) const;
  int islands() const { return static_cast<int>(islands_.size()); }
  std::span<const int> island_rows(int island) const {
    return islands_[static_cast<std::size_t>(island)].rows;
  }
  Eigen::MatrixXd island_force_pullback(int island, const Eigen::MatrixXd& by_force) const;
  /// Gradients by b and by the friction coefficient of each block.
  struct Pullback {
    Eigen::VectorXd b, mu;
  };
  Pullback pullback(const Eigen::VectorXd& by_force) const;

 private:
  std::optional<SolutionDerivative> exact_;
  std::optional<RelaxedForces> relaxed_;
  std::span<const ContactIsland> islands_;  ///< of the problem on the tape
};

}  // namespace tactum::sim
