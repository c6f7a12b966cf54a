// SPDX-License-Identifier: BSD-2-Clause
// Between a dense W and its entries by body and block.
#pragma once

#include "solver/problem/problem_data.hpp"

namespace tactum {

/// Sets entries and islands of an operator whose blocks are set, and whose `matrix` is W. Rows of W
/// that the same blocks use become a body.
void set_dense_operator(ContactProblem::Data& data);

/// W of an operator (motions x rows).
Eigen::MatrixXd dense_operator(const ContactProblem::Data& data);

}  // namespace tactum
