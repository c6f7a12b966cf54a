// SPDX-License-Identifier: BSD-2-Clause
// XML: what is well formed comes back, what is not is refused with its line, and no text at all can
// do harm.
#include "core/xml_element.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tactum/status.hpp"

namespace tactum::xml_element_test {
namespace {

TEST(XmlElement, ElementsAttributesAndText) {
  const XmlElement root = parse_xml(
      "\xEF\xBB\xBF<?xml version='1.0'?>\n<!-- <b> -->\n<a x=\"1 &lt; 2\" y='&#65;&#x20AC;\"'>\n"
      "one<b/> &amp; <![CDATA[<two>]]><b z=''>in\n</b></a>\n<!-- end -->",
      "file");
  EXPECT_EQ(root.name, "a");
  EXPECT_EQ(root.line, 3u);
  EXPECT_EQ(*root.find("x"), "1 < 2");
  EXPECT_EQ(*root.find("y"), "A\xE2\x82\xAC\"");
  EXPECT_EQ(root.find("z"), nullptr);
  EXPECT_EQ(root.text, "\none & <two>");
  ASSERT_EQ(root.children.size(), 2u);
  EXPECT_EQ(root.child("b"), &root.children[0]);
  EXPECT_EQ(root.children[1].text, "in\n");
  EXPECT_EQ(*root.children[1].find("z"), "");
  EXPECT_EQ(root.children[1].line, 4u);
}

TEST(XmlElement, EscapedTextComesBack) {
  const std::string text = "a<b>&'\"&amp; \xC3\xA4";
  const std::string escaped = xml_escaped(text);
  const XmlElement root = parse_xml("<a x=\"" + escaped + "\">" + escaped + "</a>", "file");
  EXPECT_EQ(*root.find("x"), text);
  EXPECT_EQ(root.text, text);
}

std::string message(const std::string& text, const XmlLimits& limits = {}) {
  try {
    static_cast<void>(parse_xml(text, "file", limits));
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "no error";
}

TEST(XmlElement, RefusesWhatIsNotWellFormedWithItsLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "file:1"},
      {"<a>\n<b></a>", "'b' of line 2"},
      {"<a>\n\n", "file:3"},
      {"<a/>\n<b/>", "second root"},
      {"<a/>text", "inside the root"},
      {"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "DOCTYPE"},
      {"<a>&x;</a>", "entity 'x'"},
      {"<a>&#0;</a>", "entity '#0'"},
      {"<a>&#xD800;</a>", "entity"},
      {"<a>&", "&amp;"},
      {"<a x='1' x='2'/>", "'x' twice"},
      {"<a x/>", "give it a value"},
      {"<a x=1/>", "quotation marks"},
      {"<a x='1'y='2'/>", "spaces"},
      {"<a x='1", "without an end"},
      {"<!-- ", "comment"},
      {"<a><![CDATA[x</a>", "CDATA"},
      {"<1/>", "name of an element"},
      {"</a>", "open it first"},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_NE(message(text).find(expected), std::string::npos) << text << ": " << message(text);
}

TEST(XmlElement, LimitsHold) {
  std::string deep;
  for (int i = 0; i < 257; ++i) deep += "<a>";
  EXPECT_NE(message(deep).find("nest at most 256"), std::string::npos);
  std::string many = "<r>";
  for (int i = 0; i < 100; ++i) many += "<a/>";
  EXPECT_NE(message(many + "</r>", {.max_elements = 100}).find("at most 100"), std::string::npos);
  EXPECT_EQ(message(many + "</r>", {.max_elements = 101}), "no error");
  EXPECT_NE(message("<a/>   ", {.max_bytes = 6}).find("7 bytes"), std::string::npos);
}

TEST(XmlElement, NoTextDoesHarm) {
  const std::string seed =
      "<?xml?><a x='1' y=\"&lt;\"><!-- c --><b>t&#65;</b><![CDATA[d]]><c/></a>";
  const std::string bytes = "<>/!?'\"&;#=-[] abx\n\x80";
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = seed;
    for (std::uint32_t k = 0; k <= random() % 4; ++k) {
      const std::size_t at = random() % text.size();
      const char c = bytes[random() % bytes.size()];
      if (random() % 3 == 0) {
        text.erase(at, 1);
      } else if (random() % 2 == 0) {
        text.insert(at, 1, c);
      } else {
        text[at] = c;
      }
    }
    refused += message(text) != "no error";
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 20000);
}

}  // namespace
}  // namespace tactum::xml_element_test
