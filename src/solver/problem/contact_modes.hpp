// SPDX-License-Identifier: BSD-2-Clause
// Which of its cases each block of a solution is in, how far from the next one, and the equations
// of that case.
#pragma once

#include "solver/problem/residual.hpp"

namespace tactum {

struct BlockMode {
  ContactMode mode;
  double margin;  ///< to the next case, as a share of |f| + |s| / scale; 0 on the boundary
  // of the lcp: the side or corner of the polygon that the force is on
  bool on_corner = false;
  Double2 outward = {0, 0};
};

/// From the natural map f - s / scale: where it lies relative to the cone says which case it is,
/// without a threshold.
BlockMode block_mode(const ResidualRule& rule, const ContactBlock& block,
                     const BlockMatrix& diagonal, Double3 f, Double3 s);

/// Equations value(f, s, mu) = 0 of a case, and their derivatives. Blocks of one row use the first
/// entries.
struct BlockEquations {
  Eigen::Matrix3d by_force = Eigen::Matrix3d::Zero();
  Eigen::Matrix3d by_velocity = Eigen::Matrix3d::Zero();
  Eigen::Vector3d by_mu = Eigen::Vector3d::Zero();
  Eigen::Vector3d value = Eigen::Vector3d::Zero();
  // raisim: the third equation reads G_TN / G_NN too: by_coupling . d(G_TN / G_NN)
  Eigen::Vector2d by_coupling = Eigen::Vector2d::Zero();
};

BlockEquations block_equations(const ResidualRule& rule, const ContactBlock& block,
                               const BlockMatrix& diagonal, const BlockMode& mode, Double3 f,
                               Double3 s);

}  // namespace tactum
