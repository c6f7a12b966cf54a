// SPDX-License-Identifier: BSD-2-Clause
// Where the parameters of a model enter a step: columns for each entry of a parameter.
#pragma once

#include <Eigen/SparseCore>

#include "sim/derivative/row_derivative.hpp"
#include "tactum/sim/step_derivative.hpp"

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

/// Entries of the matrices, until their sizes are known.
struct ParameterEntries {
  using Target = std::vector<Eigen::Triplet<double>>;
  Target force, velocity, asked_for, friction, next_q, next_v;
  bool smooth = true;

  static void add(Target& target, Eigen::Index row, Eigen::Index column, double value) {
    if (value != 0.0) target.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
  }
  template <class Vector>
  static void add_vector(Target& target, Eigen::Index row, Eigen::Index column,
                         const Vector& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) add(target, row + i, column, values[i]);
  }
};

/// A taped step as far as it is linearized before parameters are looked at.
struct LinearizedStep {
  const StepTape& tape;
  const BodyMotion& motion;
  const std::vector<RowDerivative>& blocks;
  const std::vector<TreeDerivative>& trees;
  std::vector<ArticulationDerivative>& robots;
};

/// Effect of one parameter.
ParameterEffect parameter_effect(const LinearizedStep& step, StepParameter parameter);

}  // namespace tactum::sim
