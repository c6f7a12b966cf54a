// SPDX-License-Identifier: BSD-2-Clause
// Quoted text is UTF-8 whatever was quoted; the check of UTF-8 against an encoder and against all
// short strings of bytes.
#include "core/quote_text.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/random.hpp"

namespace tactum::quote_text_test {
namespace {

/// The plain definition: bits in groups of six.
std::string encoded(std::uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | (code >> 6)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

TEST(QuoteText, EveryCharacterIsUtf8AndNoOtherShortString) {
  std::set<std::string> all;
  for (std::uint32_t code = 0; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    const std::string text = encoded(code);
    ASSERT_TRUE(is_utf8(text)) << code;
    if (text.size() <= 3) all.insert(text);
  }
  // strings of two and of three bytes, the last from all classes of bytes
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string two{static_cast<char>(first), static_cast<char>(second)};
      ASSERT_EQ(is_utf8(two), all.contains(two) || (first < 0x80 && second < 0x80))
          << first << " " << second;
      if (first < 0x80 || second < 0x80) continue;
      for (const int third : {0x00, 0x41, 0x7F, 0x80, 0x8F, 0xBF, 0xC0, 0xE0, 0xF4, 0xFF}) {
        const std::string three = two + static_cast<char>(third);
        ASSERT_EQ(is_utf8(three), all.contains(three) || (all.contains(two) && third < 0x80))
            << first << " " << second << " " << third;
      }
    }
  }
  EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // above U+10FFFF
  EXPECT_FALSE(is_utf8("\xF0\x8F\xBF\xBF"));  // overlong
  EXPECT_TRUE(is_utf8(""));
}

TEST(QuoteText, IsNeverCutInsideACharacter) {
  std::string long_text = "x";
  for (int i = 0; i < 30; ++i) long_text += "\xC3\xA9";
  EXPECT_TRUE(is_utf8(quoted_text(long_text)));
  EXPECT_EQ(quoted_text(long_text).substr(0, 4), "'x\xC3\xA9");
  EXPECT_TRUE(quoted_text(long_text).ends_with("...'"));
  EXPECT_EQ(quoted_text("plain"), "'plain'");
  EXPECT_EQ(quoted_text("\x01\x7F\xFF\xC3"), "'\\x01\\x7f\\xff\\xc3'");
  EXPECT_EQ(quoted_text(std::string(40, 'a')), "'" + std::string(40, 'a') + "'");
  EXPECT_EQ(quoted_text(std::string(41, 'a')), "'" + std::string(40, 'a') + "...'");
}

TEST(QuoteText, RandomBytesBecomeUtf8) {
  testing::Random random(71);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes;
    for (int k = random.below(60); k > 0; --k)
      bytes += random.chance(0.3) ? encoded(static_cast<std::uint32_t>(random.below(0xD800)))
                                  : std::string(1, static_cast<char>(random.below(256)));
    const std::string shown = quoted_text(bytes);
    ASSERT_TRUE(is_utf8(shown));
    ASSERT_LE(shown.size(), 4 * 40U + 6U);
  }
}

}  // namespace
}  // namespace tactum::quote_text_test
