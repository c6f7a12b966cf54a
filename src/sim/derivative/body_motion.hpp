// SPDX-License-Identifier: BSD-2-Clause
// How bodies of a taped step move with the entries of q and v, seen at a point.
//
// Twists     Here a twist [v; w] is seen at a point p: v is the velocity of the body's point that
//            is at p, w its angular velocity, both in the world.
#pragma once

#include <vector>

#include "sim/derivative/articulation_derivative.hpp"
#include "sim/step/step_tape.hpp"

namespace tactum::sim {

class BodyMotion {
 public:
  /// `robots` have been set to the step of the tape.
  BodyMotion(const StepTape& tape, const std::vector<ArticulationDerivative>& robots);

  /// Entries of v that move a body; none for the world.
  const std::vector<int>& columns(int body) const {
    return columns_[static_cast<std::size_t>(body)];
  }
  /// Twists at a point by each of columns(body).
  Matrix6X twists(int body, const Vector3& point) const;

  /// The velocity before the step, or the one that the step found.
  enum class Velocity { before, found };
  Vector6 twist(int body, const Vector3& point, Velocity velocity) const;
  /// Derivative of the twist at a point that stays, by q, for constant entries of v. `twists` are
  /// those of the body there.
  Matrix6X twist_by_q(int body, const Vector3& point, const Matrix6X& twists,
                      Velocity velocity) const;

 private:
  struct RobotTwists {
    JointTwists before, found;
  };
  const JointTwists& joint_twists(int robot, Velocity velocity) const {
    const RobotTwists& both = robot_twists_[static_cast<std::size_t>(robot)];
    return velocity == Velocity::before ? both.before : both.found;
  }

  const StepTape& tape_;
  const ModelData& model_;
  const std::vector<ArticulationDerivative>& robots_;
  std::vector<std::vector<int>> columns_;
  std::vector<RobotTwists> robot_twists_;
};

}  // namespace tactum::sim
