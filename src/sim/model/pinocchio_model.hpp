// SPDX-License-Identifier: BSD-2-Clause
// The Pinocchio model behind an articulation. Only the files that compile Pinocchio include this.
#pragma once

#include <pinocchio/multibody.hpp>

namespace tactum::sim {

struct PinocchioModel {
  pinocchio::Model model;
  /// Springs have one entry for each entry of v; empty where there are none.
  Eigen::VectorXd stiffness = {}, rest_position = {};
};

}  // namespace tactum::sim
