// SPDX-License-Identifier: BSD-2-Clause
#include "sim/step/step_tape.hpp"

namespace tactum::sim {

std::shared_ptr<const StepTape> make_tape(const Model& model, const State& state,
                                          const Eigen::VectorXd& tau, double dt,
                                          const StepOptions& options, const StepData& work,
                                          const ContactSolution& solution) {
  StepOptions acting = options;
  if (!work.is_corrected) acting.position_correction = 0.0;
  std::vector<TreeFactor> factors;
  for (const ArticulationData& robot : work.robots) factors.push_back(robot.factor());
  return std::make_shared<const StepTape>(StepTape{model,
                                                   state.q,
                                                   state.v,
                                                   tau,
                                                   dt,
                                                   acting,
                                                   work.is_corrected,
                                                   work.is_bounded,
                                                   work.body_poses,
                                                   work.geometry_poses,
                                                   work.reach,
                                                   work.contacts,
                                                   work.queries,
                                                   work.joint_rows,
                                                   work.blocks,
                                                   std::move(factors),
                                                   *work.problem,
                                                   work.inverse_mass_unit,
                                                   solution,
                                                   work.force_unit,
                                                   work.velocity});
}

}  // namespace tactum::sim
