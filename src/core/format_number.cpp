// SPDX-License-Identifier: BSD-2-Clause
#include "core/format_number.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace tactum {
namespace {

std::string not_finite_text(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

}  // namespace

std::string shortest_text(double value) {
  if (!std::isfinite(value)) return not_finite_text(value);
  // Python writes a plain decimal for 1e-4 <= |value| < 1e16 and an exponent elsewhere
  const double size = std::abs(value);
  const bool plain = size == 0.0 || (size >= 1e-4 && size < 1e16);
  std::array<char, 32> buffer;
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
  std::string text(buffer.data(), end);
  if (plain && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string exact_text(double value) {
  std::string text = shortest_text(value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace tactum
