// SPDX-License-Identifier: BSD-2-Clause
// The inputs of the comparison: families of shape pairs, and the cells of each. Everything follows
// from the seed and the names.
//
// Shapes have (half) sizes of 0.1 to 0.5 m; hullN is the hull of N points on a random ellipsoid.
// Poses are of two kinds, both made by moving B along the normal until the signed distance is the
// one wanted:
// - "approach": B starts far away in a random direction, so the normal stays near the line between
// the centers;
// - "offset": elongated shapes, and B starts at a random place of a box around A, so the normal may
// be anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "library.hpp"

namespace tactum::compare {

const char* task_name(Task task);

struct Plan {
  int pairs = 20;
  int poses = 50;  ///< of each pair
  std::uint64_t seed = 0;
};

/// A cell that is not drawn yet; names and order do not depend on the plan.
struct CellPlan {
  std::string family;
  std::string poses;
  Task task;
  double gap;
  std::string name() const;
};

/// All cells of queries, those with the same family and poses in a row.
std::vector<CellPlan> narrow_cells();

/// All cells of derivatives, in the same order.
std::vector<CellPlan> derivative_cells();

Family make_family(const CellPlan& cell, const Plan& plan);

/// Draws the queries: shuffled, never two of one pair in a row. Throws std::runtime_error when a
/// pose with the wanted distance cannot be found.
Cell make_cell(const CellPlan& cell, const Family& family, const Plan& plan);

}  // namespace tactum::compare
