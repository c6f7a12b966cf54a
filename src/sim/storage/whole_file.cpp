// SPDX-License-Identifier: BSD-2-Clause
#include "sim/storage/whole_file.hpp"

#include <array>
#include <filesystem>
#include <fstream>

#include "tactum/status.hpp"

namespace tactum::sim {

void write_whole_file(const std::string& path, const std::string& text) {
  const std::string beside = path + ".partial";
  std::ofstream file(beside, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(beside, path, error);
  if (!file || error) {
    std::filesystem::remove(beside, error);
    throw InvalidInput("path", path, "give a place that can be written to");
  }
}

std::string read_whole_file(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 31;
  std::error_code error;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, error))
    throw InvalidInput("path", path, "give a file that can be read");
  std::string text;
  std::array<char, 1 << 16> part;
  while (file.read(part.data(), part.size()) || file.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMostBytes) throw InvalidInput("path", path, "give a file of at most 2 GiB");
  }
  return text;
}

}  // namespace tactum::sim
