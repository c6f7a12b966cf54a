// SPDX-License-Identifier: BSD-2-Clause
// Judges an answer of the library against what can be proved without it.
//
// With n the claimed normal and c_A, c_B the claimed points moved back onto the cores, everything
// in the frame of A and extended:
//   sep(n) <= d for every unit n, so the claimed normal proves a lower bound, d <= |c_B - c_A| +
//   dist(c_A) + dist(c_B) - r_A - r_B by exact membership, so the claimed points prove an upper
//   bound,
// and when these two do not meet within 16 eps scale (always in penetration) the oracle's certified
// search is run as well. The claim must then hold from both sides: a depth from a local minimum is
// found by the search, a wrong normal by sep(n), a wrong point by membership, a wrong bound by the
// interval of the truth.
#pragma once

#include <string>

#include "support/oracle.hpp"
#include "support/random_shapes.hpp"
#include "tactum/distance.hpp"

namespace tactum::testing {

struct CheckOptions {
  double tolerance = 1e-10;    ///< the tolerance the query was given
  bool always_search = false;  ///< run the oracle even where the answer proves itself
  int budget = 1500;           ///< of the search
};

struct ClaimReport {
  std::string failure;  ///< the first broken requirement; empty when all hold
  Real scale = 0;
  Real lower = 0, upper = 0;  ///< proved: lower <= true distance <= upper
  Real distance_error = 0;    ///< |claimed - best known| / scale
  Real normal_error = -1;     ///< rad; negative where the normal is not unique or badly conditioned
  Real gap = 0;               ///< (claimed upper - claimed lower) / scale
  bool not_converged = false;
  bool wrong_sign = false;
  bool proved = true;  ///< the truth is known within the accuracy that is asked for
};

/// Whether the pair is held to 1e-12 scale instead of 64 eps scale: an ellipsoid, a cylinder or a
/// cone is involved.
bool is_smooth_pair(const Shape& a, const Shape& b);

/// Checks a result of distance() for this pair.
ClaimReport check_distance(const PairSample& sample, const Distance& claim,
                           const CheckOptions& options = {});

/// Checks a result of collide() against what check_distance proved. Empty when it holds.
std::string check_collision(const PairSample& sample, const Collision& claim,
                            const ClaimReport& known);

/// Asks distance() and collide() for this pair and checks both answers. A pair far from the origin
/// is also asked in the frame of A: both are checked, and they must agree within what polytopes are
/// allowed, 64 eps scale.
ClaimReport query_and_check(const PairSample& sample, const CheckOptions& options = {});

}  // namespace tactum::testing
