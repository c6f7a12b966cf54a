// SPDX-License-Identifier: BSD-2-Clause
// The mode of each block of a solution, its margin to the next mode, and the equations of the mode.
#pragma once

#include "solver/problem/residual.hpp"

namespace tactum {

struct BlockMode {
  ContactMode mode;
  double margin;  ///< distance from the next mode, as a share of |f| + |s| / scale
  // in the lcp, the side or corner of the polygon that the force is on
  bool on_corner = false;
  Double2 outward = {0, 0};
};

/// Determines the mode without a threshold, from the place of the natural map f - s / scale
/// relative to the cone.
BlockMode block_mode(const ResidualRule& rule, const ContactBlock& block,
                     const BlockMatrix& diagonal, Double3 f, Double3 s);

/// Equations value(f, s, mu) = 0 of a mode, and their derivatives. Blocks of one row use the first
/// entries.
struct BlockEquations {
  Eigen::Matrix3d by_force = Eigen::Matrix3d::Zero();
  Eigen::Matrix3d by_velocity = Eigen::Matrix3d::Zero();
  Eigen::Vector3d by_mu = Eigen::Vector3d::Zero();
  Eigen::Vector3d value = Eigen::Vector3d::Zero();
  // the second equation of raisim depends on G_TN / G_NN too; it changes by by_coupling . d(G_TN /
  // G_NN)
  Eigen::Vector2d by_coupling = Eigen::Vector2d::Zero();
};

BlockEquations block_equations(const ResidualRule& rule, const ContactBlock& block,
                               const BlockMatrix& diagonal, const BlockMode& mode, Double3 f,
                               Double3 s);

}  // namespace tactum
