// SPDX-License-Identifier: BSD-2-Clause
// Headers of PLY files: every type by both of its names.
#include "mesh/file/ply_header.hpp"

#include <gtest/gtest.h>

namespace tactum::ply_header_test {
namespace {

TEST(PlyHeader, KnowsEveryTypeByBothNames) {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
      {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};
  const std::vector<std::size_t> sizes = {1, 1, 2, 2, 4, 4, 4, 8};
  const std::string name = "file";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string text = "ply\nformat ascii 1.0\nelement a 0\nproperty " + names[i].first +
                             " p\nproperty list uchar " + names[i].second + " q\nend_header\n";
    TextLines lines(text, name, 100);
    const PlyHeader header = read_ply_header(lines);
    ASSERT_EQ(header.elements.size(), 1U);
    const auto& properties = header.elements[0].properties;
    ASSERT_EQ(properties.size(), 2U);
    EXPECT_EQ(properties[0].type, properties[1].type);
    EXPECT_EQ(properties[0].count, PlyType::none);
    EXPECT_EQ(properties[1].count, PlyType::u8);
    EXPECT_EQ(size_of(properties[0].type), sizes[i]);
    EXPECT_EQ(properties[1].name, "q");
  }
}

}  // namespace
}  // namespace tactum::ply_header_test
