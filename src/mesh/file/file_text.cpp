// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/file/file_text.hpp"

#include <charconv>

#include "core/quote_text.hpp"
#include "tactum/status.hpp"

namespace tactum {

void refuse_file(const std::string& name, std::size_t line, const std::string& value,
                 const std::string& remedy) {
  throw InvalidInput(line == 0 ? name : name + ":" + std::to_string(line), value, remedy);
}

bool TextLines::next(std::string_view& line) {
  if (at_ >= text_.size()) return false;
  ++line_;
  const std::size_t found = text_.find_first_of("\r\n", at_);
  const std::size_t end = found == std::string_view::npos ? text_.size() : found;
  if (end - at_ > max_line_bytes_)
    refuse("a line of " + std::to_string(end - at_) + " bytes",
           "give lines of at most " + std::to_string(max_line_bytes_) + " bytes");
  line = text_.substr(at_, end - at_);
  at_ = end;
  if (at_ < text_.size()) at_ += text_.substr(at_, 2) == "\r\n" ? 2 : 1;
  return true;
}

std::string_view take_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

double to_number(std::string_view word, const TextLines& lines) {
  std::string_view digits = word;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size() && !digits.empty();
  const bool tiny = error == std::errc::result_out_of_range &&
                    word.find_first_of("eE") != std::string_view::npos &&
                    word.substr(word.find_first_of("eE") + 1).starts_with('-');
  if (whole && tiny) return 0.0;
  if (!whole || (error != std::errc() && error != std::errc::result_out_of_range))
    lines.refuse(quoted_text(word), word.find(',') != std::string_view::npos
                                        ? "write numbers with a point, as 1.5"
                                        : "give a number, as 1.5");
  if (error != std::errc() || !is_in_range(value))
    lines.refuse(quoted_text(word), "give a finite number of at most 1e30");
  return value;
}

std::int64_t to_integer(std::string_view word, const TextLines& lines) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || word.empty())
    lines.refuse(quoted_text(word), "give an integer");
  return value;
}

}  // namespace tactum
