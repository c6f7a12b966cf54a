// SPDX-License-Identifier: BSD-2-Clause
// Robot files of the tests, whole and damaged.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tactum/status.hpp"

namespace tactum::sim::robot_files {

inline std::string path(const std::string& name) {
  return std::string(TACTUM_TEST_DATA) + "/robots/" + name;
}

inline std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A file that is gone with its name.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& ending)
      : path_(std::filesystem::temp_directory_path() /
              ("tactum_" + std::to_string(std::random_device{}()) + ending)) {}
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

 private:
  std::filesystem::path path_;
};

/// A text with a few bytes or words changed, taken out or repeated.
inline std::string damaged(std::string text, std::mt19937& random) {
  static const std::string kPieces[] = {"<",     ">",  "\"", "-", "0", "nan",
                                        "1e400", "-1", " ",  "/", "a"};
  for (std::uint32_t k = 0; k <= random() % 3; ++k) {
    const std::size_t at = random() % text.size(), size = random() % 20;
    switch (random() % 4) {
      case 0: text.erase(at, size); break;
      case 1: text.insert(at, kPieces[random() % std::size(kPieces)]); break;
      case 2: text.insert(at, text.substr(random() % text.size(), size)); break;
      default: text.replace(at, 1, kPieces[random() % std::size(kPieces)]);
    }
  }
  return text;
}

/// The contents of the files that a fuzz target begins with.
inline std::vector<std::string> fuzz_seeds(const std::string& target) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TACTUM_TEST_DATA) +
                                                               "/../fuzz/corpus/" + target))
    out.push_back(content(entry.path().string()));
  return out;
}

/// The message of what a call refuses; empty: it refuses nothing.
template <typename Function>
std::string message(const Function& function) {
  try {
    static_cast<void>(function());
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return {};
}

}  // namespace tactum::sim::robot_files
