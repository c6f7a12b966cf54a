// SPDX-License-Identifier: BSD-2-Clause
// Numbers as text, independent of the locale, for error messages and to_string().
#pragma once

#include <string>

namespace tactum {

/// The value with 17 significant digits, as printf's %.17g writes it, which tells every double
/// apart. For error messages.
std::string exact_text(double value);

/// The shortest decimal that reads back as the same double, written as Python's repr does: 0.1,
/// 2.0, 1e-07. For to_string().
std::string shortest_text(double value);

}  // namespace tactum
