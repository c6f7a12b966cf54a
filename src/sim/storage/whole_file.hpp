// SPDX-License-Identifier: BSD-2-Clause
// Text files as a whole.
#pragma once

#include <string>

namespace tactum::sim {

/// Writes a file; an old one stays until the new one is complete. Throws InvalidInput where it
/// cannot be written.
void write_whole_file(const std::string& path, const std::string& text);

/// Reads a file of at most 2 GiB. Throws InvalidInput where that cannot be done.
std::string read_whole_file(const std::string& path);

}  // namespace tactum::sim
