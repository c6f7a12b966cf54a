// SPDX-License-Identifier: BSD-2-Clause
// Lists of numbers in XML: what is a number, and what the messages say.
#include "mesh/file/xml_list.hpp"

#include <gtest/gtest.h>

#include "tactum/status.hpp"

namespace tactum::xml_list_test {
namespace {

XmlElement with_text(const std::string& text) {
  XmlElement element{.name = "p", .text = text, .file = std::make_shared<std::string>("a.dae")};
  element.line = 7;
  return element;
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(XmlList, NumbersArePartedByWhiteSpace) {
  EXPECT_EQ(number_list(with_text("")), std::vector<double>());
  EXPECT_EQ(number_list(with_text(" \n\t1 -2.5e3\r\n+4 1e-400 ")),
            (std::vector<double>{1.0, -2500.0, 4.0, 0.0}));
  EXPECT_EQ(index_list(with_text("0 12\n2147483647")),
            (std::vector<std::int32_t>{0, 12, 2147483647}));
}

TEST(XmlList, OtherWordsAreRefusedByLine) {
  EXPECT_EQ(message_of([] { number_list(with_text("1 nan")); }),
            "a.dae:7: got 'nan'; give a finite number of at most 1e30");
  for (const char* const text : {"inf", "1e400", "-1e31", "1,5", "0x10", "1.0.0", "--1", "+-1"})
    EXPECT_NE(message_of([&] { number_list(with_text(text)); }), "") << text;
  EXPECT_EQ(message_of([] { index_list(with_text("2 -1")); }),
            "a.dae:7: got '-1'; give an integer from 0 to 2147483647");
  for (const char* const text : {"2147483648", "1.5", "a", "99999999999999999999"})
    EXPECT_NE(message_of([&] { index_list(with_text(text)); }), "") << text;
}

TEST(XmlList, AttributesAndChildrenMayBeMissing) {
  XmlElement element = with_text("");
  EXPECT_EQ(index_attribute(element, "offset", 3), 3);
  element.attributes.push_back({"offset", "5"});
  EXPECT_EQ(index_attribute(element, "offset", 3), 5);
  EXPECT_EQ(required_attribute(element, "offset"), "5");
  EXPECT_EQ(message_of([&] { required_attribute(element, "source"); }),
            "a.dae:7: got <p> without source; give it the attribute source");
  EXPECT_EQ(message_of([&] { required_child(element, "vcount"); }),
            "a.dae:7: got <p> without <vcount>; give it one");
}

}  // namespace
}  // namespace tactum::xml_list_test
