// SPDX-License-Identifier: BSD-2-Clause
// A taped step as a chain of linear maps, from changes of its input to changes of its result, and
// the same chain backwards.
//
// Chain      du   = dv + dc + dt M^-1 (force_by_q dq + force_by_v dv + dtau)   at constant forces
//            b    = (J du + velocity_by_q dq + velocity_by_v dv) / dt
//            df   = force_change(b)                                           the contact law
//            du  += dt M^-1 J^T df
//            dq+  = q_by_q dq + q_by_u du,   dv+ = v_by_u du
// Parameters Each of them adds to one of these lines: to the force, to the velocity that is asked
//            for, to the friction coefficients, or to the result.
#pragma once

#include <optional>

#include "sim/derivative/contact_law.hpp"
#include "sim/derivative/row_derivative.hpp"
#include "sim/derivative/step_parameters.hpp"
#include "tactum/sim/step_derivative.hpp"

struct tactum::sim::StepDerivativeWorkspace::Data {
  std::optional<Model> model;  ///< that the robots belong to
  std::vector<ArticulationDerivative> robots;

  void prepare(const Model& given);
};

namespace tactum::sim {

class StepLinearization {
 public:
  StepLinearization(std::shared_ptr<const StepTape> tape, const StepDerivativeOptions& options,
                    StepDerivativeWorkspace::Data& work);

  /// Jacobians of the next q and v by q, v and tau (defined in step_jacobians.cpp).
  void jacobians(StepJacobians& out) const;
  StepParameterJacobians jacobians(StepParameter parameter) const;
  StepOutputTangent jvp(const StepInputTangent& change) const;
  StepInputTangent vjp(const StepOutputTangent& gradient) const;

  const StepTape& tape() const { return *tape_; }
  const ModelData& model() const { return model_; }
  bool has(StepParameter parameter) const {
    return effects_[static_cast<std::size_t>(parameter)].has_value();
  }
  bool smooth() const { return smooth_; }
  double mode_margin() const { return mode_margin_; }
  HyperstaticRule rule() const { return law_.rule(); }

 private:
  /// Changes on their way through the chain, one column for each.
  struct Columns {
    Eigen::MatrixXd velocity;       ///< nv x n: du
    Eigen::MatrixXd asked_for;      ///< rows x n, m/s: of the rows besides J du
    Eigen::MatrixXd friction = {};  ///< blocks x n, or empty
  };

  struct Group;
  class GroupJacobian;
  /// Trees that contacts and closures join, with what joins them.
  std::vector<Group> groups() const;

  ContactLaw relax(double relaxation);
  class WrenchSum;
  void add_wrenches(std::vector<ArticulationDerivative>& robots);
  void set_acting();
  void set_smooth();
  int rows() const { return tape_->problem.rows(); }
  /// Replaces forces by the accelerations that they make.
  void apply_inverse_mass(Eigen::Ref<Eigen::MatrixXd> forces) const;
  void add_contact_forces(Columns& columns) const;
  /// Adds the motion of du to dq+ and dv+.
  void add_motion(const Eigen::MatrixXd& du, Eigen::MatrixXd& next_q,
                  Eigen::MatrixXd& next_v) const;
  struct Gradients;
  /// Lines of the chain backwards: the motion, the contact forces, the velocity at constant forces.
  void pull_motion(const Eigen::VectorXd& by_q, const Eigen::VectorXd& by_v, Gradients& out) const;
  void pull_contact_forces(Gradients& out) const;
  void pull_free_velocity(Gradients& out) const;
  /// b of a change of q and v, before forces change.
  Eigen::VectorXd probe() const;
  /// du and the changes of rows for a change of the input, at constant forces.
  Columns start(const StepInputTangent& change) const;

  std::shared_ptr<const StepTape> tape_;
  const ModelData& model_;
  std::vector<TreeDerivative> trees_;
  std::vector<RowDerivative> blocks_;
  ContactLaw law_;          ///< after the tape, which it replaces where it is relaxed
  Eigen::VectorXd acting_;  ///< 1, or 0 where a force is beyond the limit of its joint
  std::array<std::optional<ParameterEffect>, step_parameter_count> effects_;
  bool smooth_ = false;
  double mode_margin_ = 1.0;
};

}  // namespace tactum::sim
