// SPDX-License-Identifier: BSD-2-Clause
// Text of unknown origin: whether it is UTF-8, and how to quote it in a message that is UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace tactum {

/// Whether all bytes are well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing
/// above U+10FFFF.
bool is_utf8(std::string_view text);

/// The text in single quotes: at most 40 bytes of it and an ellipsis, never cut inside a character.
/// Control characters and bytes that are not UTF-8 are written as \xNN.
std::string quoted_text(std::string_view text);

}  // namespace tactum
