// SPDX-License-Identifier: BSD-2-Clause
// Checks of the numbers of a contact problem. Nothing is allocated where they pass.
#pragma once

#include <cmath>
#include <string>

#include "core/format_number.hpp"
#include "tactum/contact_problem.hpp"

namespace tactum {

inline constexpr double kLargestNumber = 1e30;  // its fourth power is still a double
inline constexpr double kLargestEntry = 1e15;   // of W, so that G = W^T W has no larger number
inline constexpr double kLargestFriction = 1e6;

inline std::string entry_name(const std::string& field, Eigen::Index i) {
  return field + "[" + std::to_string(i) + "]";
}
inline std::string entry_name(const std::string& field, Eigen::Index i, Eigen::Index j) {
  return field + "[" + std::to_string(i) + ", " + std::to_string(j) + "]";
}

inline bool is_number(double value) {
  return std::isfinite(value) && std::abs(value) <= kLargestNumber;
}

inline void check_kind(ContactKind kind, const char* field, Eigen::Index index) {
  if (kind <= ContactKind::bilateral) return;
  throw InvalidInput(entry_name(field, index), std::to_string(static_cast<int>(kind)),
                     "give a kind, 0 (friction) to 4 (bilateral)");
}

inline void check_friction(double mu, const char* field, Eigen::Index index) {
  if (std::isfinite(mu) && mu >= 0 && mu <= kLargestFriction) return;
  throw InvalidInput(entry_name(field, index), exact_text(mu), "give a number from 0 to 1e6");
}

/// Checks that both bounds are numbers or infinite on their own side, and in order.
inline void check_bounds(double lower, double upper, const char* field, Eigen::Index index) {
  const auto check = [&](double bound, int side, bool good) {
    if (good) return;
    throw InvalidInput(entry_name(field, index, side), exact_text(bound),
                       "give lower <= upper, at most 1e30 or infinite");
  };
  const auto is_bound = [](double bound, bool is_lower) {
    if (std::isnan(bound)) return false;
    return std::isinf(bound) ? std::signbit(bound) == is_lower : is_number(bound);
  };
  check(lower, 0, is_bound(lower, true));
  // the bounds are compared after both were checked: a comparison with a NaN is an invalid
  // operation
  check(upper, 1, is_bound(upper, false) && lower <= upper);
}

}  // namespace tactum
