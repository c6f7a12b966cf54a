// SPDX-License-Identifier: BSD-2-Clause
// Lines, words and numbers of text files.
#include "mesh/file/file_text.hpp"

#include <gtest/gtest.h>

#include "tactum/status.hpp"

namespace tactum::file_text_test {
namespace {

const std::string name = "a.obj";

TEST(FileText, LinesEndInThreeWaysOrNotAtAll) {
  TextLines lines("one\ntwo\r\nthree\r\rfive", name, 100);
  std::vector<std::string> found;
  for (std::string_view line; lines.next(line);) found.emplace_back(line);
  EXPECT_EQ(found, (std::vector<std::string>{"one", "two", "three", "", "five"}));
  EXPECT_EQ(lines.line(), 5U);
  EXPECT_EQ(lines.bytes_left(), 0U);
}

TEST(FileText, ALongLineIsRefusedByItsNumber) {
  const std::string text = "short\n" + std::string(101, 'x') + "\n";
  TextLines lines(text, name, 100);
  std::string_view line;
  EXPECT_TRUE(lines.next(line));
  try {
    lines.next(line);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "a.obj:2: got a line of 101 bytes; give lines of at most 100 bytes");
  }
}

TEST(FileText, WordsArePartedBySpacesAndTabs) {
  std::string_view line = "  v\t1.5   x ";
  EXPECT_EQ(take_word(line), "v");
  EXPECT_EQ(take_word(line), "1.5");
  EXPECT_EQ(take_word(line), "x");
  EXPECT_EQ(take_word(line), "");
  EXPECT_EQ(take_word(line), "");
}

TEST(FileText, NumbersDoNotDependOnTheLocale) {
  const TextLines lines("", name, 100);
  EXPECT_EQ(to_number("1.5", lines), 1.5);
  EXPECT_EQ(to_number("+1e-3", lines), 1e-3);
  EXPECT_EQ(to_number("-.5", lines), -0.5);
  EXPECT_EQ(to_number("1e-400", lines), 0.0);
  for (const char* const bad :
       {"", "1,5", "nan", "inf", "-inf", "1e400", "1e31", "0x10", "1.5x", "+-1", "--1", "+", "1 "})
    EXPECT_THROW(to_number(bad, lines), InvalidInput) << bad;
  EXPECT_EQ(to_integer("-12", lines), -12);
  for (const char* const bad : {"", "1.0", "1e3", "99999999999999999999", "+1", "x"})
    EXPECT_THROW(to_integer(bad, lines), InvalidInput) << bad;
}

}  // namespace
}  // namespace tactum::file_text_test
