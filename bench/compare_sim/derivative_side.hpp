// SPDX-License-Identifier: BSD-2-Clause
// The derivative of a step by one simulator, with a model and a state of its own.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

namespace tactum::compare {

/// What one call takes, and whether it may be timed at all.
struct Call {
  std::string name;
  std::vector<double> us = {};
};

class DerivativeSide {
 public:
  virtual ~DerivativeSide() = default;
  virtual int num_velocities() = 0;
  virtual int num_contacts() = 0;  ///< of the step from the present state
  /// Moves the state by steps.
  virtual void advance(int count) = 0;
  /// Times each of its calls once at the present state, which stays, and adds to `calls`.
  virtual void measure(std::vector<Call>& calls) = 0;
  /// Derivative of the next state, position above velocity, by entry `i` of position and velocity,
  /// as the side computes it at its usual settings; `measure` comes before.
  virtual Eigen::VectorXd column(int i) = 0;
  /// The next state for a change of that entry by h, as a tangent vector from the state that
  /// follows without a change, by a step that is solved as exactly as the side can.
  virtual Eigen::VectorXd moved(int i, double h) = 0;
  /// Whether the side itself says that the derivative exists here.
  virtual bool smooth() = 0;
};

std::unique_ptr<DerivativeSide> make_mujoco_derivative(const std::string& file, double dt);
std::unique_ptr<DerivativeSide> make_tactum_derivative(const std::string& file, double dt);

/// A derivative from differences over steps that shrink, extrapolated to a step of zero, and how
/// far its best two estimates are apart.
struct Extrapolated {
  Eigen::VectorXd value;
  double error = 0.0;
};
Extrapolated extrapolated_column(DerivativeSide& side, int i);

}  // namespace tactum::compare
