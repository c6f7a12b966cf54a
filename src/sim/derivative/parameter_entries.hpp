// SPDX-License-Identifier: BSD-2-Clause
// The input from which the effect of a parameter is computed, and the entries that collect it.
#pragma once

#include <Eigen/SparseCore>

#include "sim/derivative/row_derivative.hpp"

namespace tactum::sim {

/// A taped step as far as it is linearized before parameters are looked at.
struct LinearizedStep {
  const StepTape& tape;
  const BodyMotion& motion;
  const std::vector<RowDerivative>& blocks;
  const std::vector<TreeDerivative>& trees;
  std::vector<ArticulationDerivative>& robots;
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

}  // namespace tactum::sim
