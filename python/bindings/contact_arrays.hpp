// SPDX-License-Identifier: BSD-2-Clause
// Vectors and matrices of contact problems to and from numpy, and the Python form of a solution.
#pragma once

#include <nanobind/nanobind.h>

#include <Eigen/Core>
#include <optional>
#include <string>

#include "tactum/contact_solver.hpp"

namespace tactum::python {

/// A solution and the problem that it solves, from which the internal force is computed when it is
/// read.
struct BoundSolution : ContactSolution {
  std::optional<ContactProblem> problem;
};

/// Reads (n,) real numbers. Throws InvalidInput or a TypeError with the field.
Eigen::VectorXd to_vector(nanobind::handle value, const std::string& field);
/// Reads (n,) real numbers, or one number, which is repeated `size` times. None gives no numbers.
Eigen::VectorXd to_vector_or_number(nanobind::handle value, const std::string& field,
                                    Eigen::Index size);
/// Reads (m, n) real numbers.
Eigen::MatrixXd to_matrix(nanobind::handle value, const std::string& field);

nanobind::object vector_array(const Eigen::VectorXd& values);
nanobind::object matrix_array(const Eigen::MatrixXd& values);

const ContactProblem& to_problem(nanobind::handle value, const char* field);
const BoundSolution& to_solution(nanobind::handle value, const char* field);

}  // namespace tactum::python
