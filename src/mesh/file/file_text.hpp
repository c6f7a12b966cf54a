// SPDX-License-Identifier: BSD-2-Clause
// Text files, line by line and word by word, with errors that name the file and the line.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tactum {

/// InvalidInput with the field "name:line", or "name" for line 0.
[[noreturn]] void refuse_file(const std::string& name, std::size_t line, const std::string& value,
                              const std::string& remedy);

/// Lines of a text. They end with \n, \r\n or \r; the last one need not end.
class TextLines {
 public:
  TextLines(std::string_view text, const std::string& name, std::size_t max_line_bytes)
      : text_(text), name_(name), max_line_bytes_(max_line_bytes) {}

  /// The next line without its end; false behind the last. Refuses a line that is too long.
  bool next(std::string_view& line);
  std::size_t line() const { return line_; }  ///< of the last one, from 1
  std::size_t offset() const { return at_; }  ///< of the byte after it
  std::size_t bytes_left() const { return text_.size() - at_; }
  [[noreturn]] void refuse(const std::string& value, const std::string& remedy) const {
    refuse_file(name_, line_, value, remedy);
  }

 private:
  std::string_view text_;
  const std::string& name_;
  std::size_t max_line_bytes_;
  std::size_t at_ = 0, line_ = 0;
};

/// Whether a number is finite and at most 1e30: by its bits, so that no NaN can trap.
inline bool is_in_range(double value) {
  return (std::bit_cast<std::uint64_t>(value) & 0x7fff'ffff'ffff'ffffU) <=
         std::bit_cast<std::uint64_t>(1e30);
}

/// A float as a double; what is not finite comes out as infinity, so that no NaN can trap.
inline double widened(std::uint32_t bits) {
  if ((bits & 0x7f80'0000U) == 0x7f80'0000U) return std::numeric_limits<double>::infinity();
  return static_cast<double>(std::bit_cast<float>(bits));
}

/// Takes the first word off a line; empty where there is none. Words are parted by spaces and tabs.
std::string_view take_word(std::string_view& line);

/// A finite number of at most 1e30; refuses anything else, a decimal comma among it. A number too
/// small for a double is zero.
double to_number(std::string_view word, const TextLines& lines);

/// An integer; refuses anything else.
std::int64_t to_integer(std::string_view word, const TextLines& lines);

}  // namespace tactum
