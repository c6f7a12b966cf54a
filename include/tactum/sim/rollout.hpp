// SPDX-License-Identifier: BSD-2-Clause
// Many steps in one call, of one state or of many states on all cores.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tactum/batch.hpp"
#include "tactum/sim/step.hpp"

namespace tactum::sim {

/// Rows are times: q and v have one more than there were steps, the first of which is the start.
using TrajectoryMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Trajectory {
  TrajectoryMatrix q;
  TrajectoryMatrix v;
  std::vector<StepStatus> status;  ///< of each step
  std::vector<double> residual;    ///< of each step's contact forces
  State last;                      ///< with the contact forces that the next step begins from
  // what it was made from, for its derivative
  State start;
  TrajectoryMatrix controls;  ///< one row for each step
  double dt = 0.0;            ///< s
  StepOptions options;
};

/// Throws InvalidInput for controls that do not belong to the model or are not finite.
void check_controls(const Model& model, const TrajectoryMatrix& controls);

/// Steps with one row of generalized forces (nv numbers) for each step. An InterruptScope can end
/// it between steps. Throws InvalidInput as step() does; the message of bad controls names their
/// row.
void rollout(const Model& model, const State& state, const TrajectoryMatrix& controls, double dt,
             const StepOptions& options, StepWorkspace& work, Trajectory& out);

/// Generalized forces (nv numbers) as a function of the time in s and the state.
using Controller = std::function<Eigen::VectorXd(double, const State&)>;

/// Makes `steps` steps under the forces that the controller gives at the beginning of each.
void rollout(const Model& model, const State& state, const Controller& controller, int steps,
             double dt, const StepOptions& options, StepWorkspace& work, Trajectory& out);

struct RolloutsOptions {
  StepOptions step = {};
  int num_threads = 0;                     ///< most threads; 0 means as many as the machine has
  std::function<bool()> interrupted = {};  ///< asked now and then on the calling thread
};

/// Rolls out many states, each with its own controls; there is one trajectory for each. The bits of
/// a trajectory are those of rollout(). Returns false where it was interrupted. A step that throws
/// ends the call with its exception.
bool rollouts(const Model& model, std::span<const State> states,
              std::span<const TrajectoryMatrix> controls, double dt, const RolloutsOptions& options,
              BatchWorkspace& work, std::span<Trajectory> out);

}  // namespace tactum::sim
