// SPDX-License-Identifier: BSD-2-Clause
// PLY files in text and both binary orders, good and bad.
#include <gtest/gtest.h>

#include "mesh/file/file_checks.hpp"

namespace tactum::read_ply_test {
namespace {

using testing::append;
using testing::append_float;
using testing::Order;

std::string refused(std::string_view bytes) { return testing::refusal(bytes, MeshFormat::ply); }
Mesh read(std::string_view bytes) { return parse_mesh(bytes, MeshFormat::ply, "file"); }

/// Four vertices of a square and one quadrilateral, with properties and elements that do not count.
std::string header(const std::string& format, int vertices = 4, int faces = 1) {
  return "ply\nformat " + format + " 1.0\ncomment made by hand\nobj_info x\nelement vertex " +
         std::to_string(vertices) +
         "\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n"
         "property list uchar float weights\nelement face " +
         std::to_string(faces) +
         "\nproperty short flag\nproperty list uchar int vertex_indices\nproperty double quality\n"
         "element edge 1\nproperty int a\nend_header\n";
}

std::string binary(Order order, int corner = 3) {
  std::string bytes = header(order == Order::little ? "binary_little_endian" : "binary_big_endian");
  for (int i = 0; i < 4; ++i) {
    append_float(bytes, i == 1 || i == 2 ? 1.5F : 0.0F, order);
    append_float(bytes, i >= 2 ? 2.0F : 0.0F, order);
    append_float(bytes, 0.0F, order);
    append(bytes, std::uint8_t{200}, order);
    append(bytes, static_cast<std::uint8_t>(i), order);  // lists of 0 to 3 weights
    for (int k = 0; k < i; ++k) append_float(bytes, 7.0F, order);
  }
  append(bytes, std::uint16_t{0xffff}, order);
  append(bytes, std::uint8_t{4}, order);
  for (const int index : {0, 1, 2, corner}) append(bytes, static_cast<std::uint32_t>(index), order);
  append(bytes, std::bit_cast<std::uint64_t>(1.0), order);
  append(bytes, std::uint32_t{9}, order);
  return bytes;
}

const std::string text_body =
    "0 0 0 200 0\n1.5 0 0 200 1 7\n1.5 2 0 200 2 7 7\n0 2 0 200 3 7 7 7\n-1 4 0 1 2 3 1.0\n9";

TEST(ReadPly, AllThreeEncodingsSayTheSame) {
  const Mesh text = read(header("ascii") + text_body);
  EXPECT_NEAR(text.area(), 3.0, 1e-15);
  EXPECT_EQ(text.triangles().cols(), 2);
  EXPECT_EQ(read(binary(Order::little)), text);
  EXPECT_EQ(read(binary(Order::big)), text);
}

TEST(ReadPly, RefusesBadHeaders) {
  EXPECT_EQ(refused(""), "file: got another first line; begin a PLY file with the line ply");
  EXPECT_EQ(refused("plx\n").find("file:1: got another first line"), 0U);
  EXPECT_EQ(refused("ply\nformat utf8 1.0\n"),
            "file:2: got 'utf8'; give ascii, binary_little_endian or binary_big_endian");
  EXPECT_EQ(refused("ply\nelement vertex -1\n"),
            "file:2: got -1 elements; give a count of zero or more");
  EXPECT_EQ(refused("ply\nelement vertex x\n"), "file:2: got 'x'; give an integer");
  EXPECT_EQ(refused("ply\nproperty float x\n"), "file:2: got a property; name its element first");
  EXPECT_EQ(refused("ply\nelement vertex 1\nproperty half x\n").find("file:3: got 'half'"), 0U);
  EXPECT_EQ(refused("ply\nelement f 1\nproperty list float int x\n").find("file:3: got a list"),
            0U);
  EXPECT_EQ(refused("ply\nnonsense\n").find("file:2: got 'nonsense'"), 0U);
  EXPECT_EQ(refused("ply\nend_header\n"), "file:2: got no format; name the format in the header");
  EXPECT_EQ(refused("ply\nformat ascii 1.0\n"),
            "file:2: got the end of the file; end the header with end_header");
  std::string many = "ply\n";
  for (int i = 0; i < 2000; ++i) many += "element vertex 0\n";
  EXPECT_EQ(refused(many), "file:1002: got more lines than 1000; give a shorter header");
}

TEST(ReadPly, CountsBeyondTheFileAreRefusedBeforeAnythingIsAllocated) {
  for (const char* const format : {"ascii", "binary_little_endian", "binary_big_endian"}) {
    EXPECT_NE(refused(header(format, 2000000000))
                  .find("got 2000000000 elements 'vertex' with 0 "
                        "bytes behind the header"),
              std::string::npos);
  }
  EXPECT_NE(refused("ply\nformat ascii 1.0\nelement vertex 9000000000000000000\nend_header\n")
                .find("got 9000000000000000000 elements"),
            std::string::npos);
  std::string list = header("binary_little_endian", 0, 1);
  list.replace(list.find("uchar int vertex"), 5, "uint");
  append(list, std::uint16_t{0});
  append(list, std::uint32_t{4000000000U});
  list += std::string(40, '\0');
  EXPECT_NE(refused(list).find("got a list of 4000000000 items with 40 bytes left"),
            std::string::npos)
      << refused(list);
  EXPECT_NE(refused(header("ascii", 0, 1) + "0 999999 1 2 3").find("got a list of 999999 items"),
            std::string::npos);
  EXPECT_NE(refused(header("ascii", 0, 1) + "0 -1 1 2 3").find("got a list of -1 items"),
            std::string::npos);
}

TEST(ReadPly, RefusesBadValues) {
  EXPECT_EQ(refused(binary(Order::little, 4)),
            "file: got face 0 with vertex 4; the file has 4 vertices");
  EXPECT_NE(refused(binary(Order::big, -1)).find("got vertex -1 at byte "), std::string::npos);
  const std::string whole = binary(Order::little);
  for (std::size_t size = header("binary_little_endian").size(); size < whole.size(); ++size)
    EXPECT_NE(refused(whole.substr(0, size)), "") << size;
  EXPECT_EQ(refused(header("ascii") + "0 0 nan 200 0\n" + text_body)
                .find("file:18: got 'nan'; give a finite number"),
            0U);
  EXPECT_EQ(refused(header("ascii") + text_body.substr(0, 40)).find("file:"), 0U);
  std::string flat =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
      "end_header\n0 0\n";
  EXPECT_EQ(refused(flat), "file:7: got vertices without x, y and z; give all three");
  std::string floats = header("binary_little_endian", 0, 1);
  floats.replace(floats.find("uchar int vertex"), 9, "uchar float");
  floats += std::string(40, '\1');
  EXPECT_NE(refused(floats).find("got indices that are no integers"), std::string::npos);
  std::string huge = binary(Order::little);
  std::string infinite;
  append_float(infinite, std::numeric_limits<float>::infinity());
  huge.replace(header("binary_little_endian").size(), 4, infinite);
  EXPECT_NE(refused(huge).find("got a coordinate that is not finite or above 1e30 at byte "),
            std::string::npos);
}

TEST(ReadPly, AMeshWithoutFacesIsRefused) {
  EXPECT_EQ(refused("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float "
                    "y\nproperty float z\nend_header\n0 0 0"),
            "file: got no faces; give a mesh with faces");
}

}  // namespace
}  // namespace tactum::read_ply_test
