// SPDX-License-Identifier: BSD-2-Clause
#include "tactum/material.hpp"

#include <algorithm>
#include <cmath>

#include "core/format_number.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr double kLargest = 1e30;

void check_range(double value, double largest, const char* field, const char* remedy) {
  // the first test is quiet where floating-point traps are on
  if (!std::isfinite(value) || value < 0.0 || value > largest)
    throw InvalidInput(field, exact_text(value), remedy);
}

}  // namespace

Material pair_material(const Material& a, const Material& b) {
  // equal coefficients stay as they are to the last bit
  const double friction = a.friction == b.friction ? a.friction
                                                   : std::sqrt(a.friction) * std::sqrt(b.friction);
  return {.friction = friction,
          .restitution = std::max(a.restitution, b.restitution),
          .compliance = a.compliance + b.compliance};
}

void check_material(const Material& material) {
  check_range(material.friction, kLargest, "friction", "give zero or a finite coefficient");
  check_range(material.restitution, 1.0, "restitution", "give a number from 0 to 1");
  check_range(material.compliance, kLargest, "compliance", "give zero or a finite number of m/N");
}

}  // namespace tactum
