// SPDX-License-Identifier: BSD-2-Clause
// Checks of the numbers that shapes are made of. Each check throws InvalidInput with the field, the
// value and the remedy.
#pragma once

#include <cmath>
#include <string>

#include "core/format_number.hpp"
#include "tactum/shape.hpp"
#include "tactum/status.hpp"

namespace tactum {

enum class ZeroSize { allowed, refused };

/// Checks a size: 1e-30 to 1e30 m, or zero where that means something.
inline void check_size(double size, const std::string& field, ZeroSize zero = ZeroSize::refused) {
  if (zero == ZeroSize::allowed && size == 0.0) return;
  if (std::isfinite(size) && size >= 1e-30 && size <= 1e30) return;
  throw InvalidInput(field, exact_text(size),
                     zero == ZeroSize::allowed ? "give zero or a size from 1e-30 to 1e30 m"
                                               : "give a size from 1e-30 to 1e30 m");
}

inline void check_sizes(const Vector3& sizes, const std::string& field) {
  for (int i = 0; i < 3; ++i) check_size(sizes[i], field + "[" + std::to_string(i) + "]");
}

/// Checks a coordinate: finite, at most 1e30 m away from zero.
inline bool is_coordinate(double coordinate) {
  return std::isfinite(coordinate) && std::abs(coordinate) <= 1e30;
}

inline void check_coordinate(double coordinate, const std::string& field) {
  if (is_coordinate(coordinate)) return;
  throw InvalidInput(field, exact_text(coordinate), "give a finite coordinate of at most 1e30 m");
}

inline constexpr Eigen::Index kLargestCount = 100'000'000;  // half edges must fit 32 bits

/// Checks points: at least one, all coordinates finite.
inline void check_points(const Points& points, const std::string& field) {
  if (points.cols() == 0) throw InvalidInput(field, "no points", "give at least one point");
  if (points.cols() > kLargestCount) {
    throw InvalidInput(field, std::to_string(points.cols()) + " points",
                       "give at most " + std::to_string(kLargestCount));
  }
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    if (is_coordinate(points(0, i)) && is_coordinate(points(1, i)) && is_coordinate(points(2, i)))
      continue;
    for (int k = 0; k < 3; ++k)
      check_coordinate(points(k, i), field + "[" + std::to_string(i) + "]");
  }
}

/// Checks a direction, finite and at least 1e-30 long, and returns it at unit length.
inline Vector3 checked_direction(const Vector3& direction, const std::string& field) {
  for (int i = 0; i < 3; ++i) {
    if (!std::isfinite(direction[i])) {
      throw InvalidInput(field + "[" + std::to_string(i) + "]", exact_text(direction[i]),
                         "give a finite direction");
    }
  }
  const double largest = direction.cwiseAbs().maxCoeff();
  if (largest < 1e-30)
    throw InvalidInput(field, "a vector of norm " + exact_text(largest),
                       "give a direction that is not zero");
  // a vector that is unit length already keeps its bits, so that a copy of a shape equals the shape
  if (std::abs(direction.squaredNorm() - 1.0) <= 1e-15) return direction;
  return (direction / largest).normalized();
}

}  // namespace tactum
