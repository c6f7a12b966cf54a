// SPDX-License-Identifier: BSD-2-Clause
// Where the parameters of a model enter a step: columns for each entry of a parameter.
#pragma once

#include <Eigen/SparseCore>

#include "sim/derivative/parameter_entries.hpp"

namespace tactum::sim {

/// The changes that a parameter makes by itself, by entries of the parameter.
struct ParameterEffect {
  using Matrix = Eigen::SparseMatrix<double>;
  Matrix force;        ///< nv x n: generalized forces, N and N m
  Matrix velocity;     ///< nv x n: of the velocity at constant forces
  Matrix asked_for;    ///< rows x n: velocities of rows, m/s
  Matrix friction;     ///< blocks x n: coefficients of contacts
  Matrix next_q;       ///< nv x n: of the motion after the velocity is known
  Matrix next_v;       ///< nv x n
  bool smooth = true;  ///< whether the effect is unique
};

/// Effect of one parameter.
ParameterEffect parameter_effect(const LinearizedStep& step, StepParameter parameter);

}  // namespace tactum::sim
