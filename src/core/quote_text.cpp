// SPDX-License-Identifier: BSD-2-Clause
#include "core/quote_text.hpp"

#include <algorithm>
#include <cstdint>

namespace tactum {
namespace {

constexpr std::size_t kMostShown = 40;  // bytes

std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0;
}

/// Number of bytes of the character that the text begins with; 0 where its bytes are not UTF-8.
std::size_t character_size(std::string_view text) {
  const std::uint8_t first = byte_at(text, 0);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  // the second byte reveals overlong forms, surrogates and numbers that are too large
  const std::uint8_t low = first == 0xE0   ? 0xA0
                           : first == 0xF0 ? 0x90
                                           : 0x80,
                     high = first == 0xED   ? 0x9F
                            : first == 0xF4 ? 0x8F
                                            : 0xBF;
  if (byte_at(text, 1) < low || byte_at(text, 1) > high) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if (byte_at(text, i) < 0x80 || byte_at(text, i) > 0xBF) return 0;
  }
  return size;
}

std::string escaped(char c) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = static_cast<std::uint8_t>(c);
  return {'\\', 'x', digits[byte / 16], digits[byte % 16]};
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string quoted_text(std::string_view text) {
  std::string shown = "'";
  std::size_t taken = 0;
  while (taken < text.size()) {
    const std::string_view rest = text.substr(taken);
    const std::size_t size = std::max<std::size_t>(character_size(rest), 1);
    if (taken + size > kMostShown) break;
    const auto first = static_cast<std::uint8_t>(rest[0]);
    const bool is_plain = character_size(rest) > 0 && first >= 0x20 && first != 0x7F;
    shown += is_plain ? std::string(rest.substr(0, size)) : escaped(rest[0]);
    taken += size;
  }
  return shown + (taken < text.size() ? "...'" : "'");
}

}  // namespace tactum
