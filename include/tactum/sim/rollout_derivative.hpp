// SPDX-License-Identifier: BSD-2-Clause
// Derivatives through many steps: forward, how a trajectory follows its start and its controls; and
// backward, the gradient of a scalar of the whole trajectory.
//
// Memory     Backward, the tapes of `segment` steps are held at once, and the states at the
//            beginning of all segments. The steps are made again from these states, which gives the
//            same bits, since a step depends on its input alone. A segment as long as the
//            trajectory makes every step once more; a shorter one twice more.
// Controls   They count as numbers: where a controller computed them from the state, its own
//            derivative is for the caller to add.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tactum/sim/rollout.hpp"
#include "tactum/sim/step_derivative.hpp"

namespace tactum::sim {

struct RolloutDerivativeOptions {
  /// Steps whose tapes are held at once, >= 0; 0: the square root of the number of steps.
  int segment = 0;
  StepDerivativeOptions step = {};  ///< parameters to differentiate by, and what is smoothed. With
                                    ///< a relaxation each step is followed by the derivative of the
                                    ///< relaxed one
};

/// A change of what a trajectory depends on. Empty parts are zero.
struct RolloutInputTangent {
  Eigen::VectorXd q = {}, v = {};  ///< nv numbers, of the start
  TrajectoryMatrix controls = {};  ///< steps x nv
  StepParameterValues parameters = {};
};

/// A change of a trajectory, or the gradient of a scalar by it: rows are times, nv numbers each,
/// one more than there are steps. Empty parts are zero.
struct RolloutOutputTangent {
  TrajectoryMatrix q = {}, v = {};
  // of a derivative that was computed
  bool smooth = true;        ///< whether every step is (StepDerivative::smooth)
  double mode_margin = 1.0;  ///< least of all steps
};

struct RolloutGradient {
  RolloutInputTangent input;
  double value = 0.0;        ///< of the loss, where one was given
  bool smooth = true;        ///< whether every step is (StepDerivative::smooth)
  double mode_margin = 1.0;  ///< least of all steps
};

/// Change of a trajectory for a change of its input. Throws InvalidInput for wrong sizes, numbers
/// that are not finite, and a trajectory of another model.
RolloutOutputTangent rollout_jvp(const Model& model, const Trajectory& trajectory,
                                 const RolloutInputTangent& change,
                                 const RolloutDerivativeOptions& options = {});

/// Changes of a trajectory for many changes of its input, in one pass: each step is made again and
/// linearized once for all of them. Each is that of rollout_jvp(), to the bit.
std::vector<RolloutOutputTangent> rollout_columns(const Model& model, const Trajectory& trajectory,
                                                  std::span<const RolloutInputTangent> changes,
                                                  const RolloutDerivativeOptions& options = {});

/// Gradient of a scalar by the input of a trajectory, from its gradient by all states. Throws as
/// rollout_jvp() does.
RolloutGradient rollout_vjp(const Model& model, const Trajectory& trajectory,
                            const RolloutOutputTangent& gradient,
                            const RolloutDerivativeOptions& options = {});

/// A scalar of a trajectory: it fills in its gradient by all states and returns its value.
using RolloutLoss = std::function<double(const Trajectory&, RolloutOutputTangent& gradient)>;

/// Value of a loss and its gradient by the input of a trajectory. Throws as rollout_jvp() does.
RolloutGradient rollout_gradient(const Model& model, const Trajectory& trajectory,
                                 const RolloutLoss& loss,
                                 const RolloutDerivativeOptions& options = {});

}  // namespace tactum::sim
