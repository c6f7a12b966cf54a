// SPDX-License-Identifier: BSD-2-Clause
#include "neural/tensor_file.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "neural/random_network.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

using test::file_bytes;

std::string entry(const std::string& name, const std::string& shape, int first, int last,
                  const std::string& dtype = "F32") {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":[)" + shape +
         R"(],"data_offsets":[)" + std::to_string(first) + "," + std::to_string(last) + "]}";
}

TEST(TensorFile, ReadsArraysAndMetadata) {
  const std::string header = "{\"__metadata__\":{\"a\":\"1\"}," + entry("x", "2,2", 0, 16) + " , " +
                             entry("y", "1", 16, 20) + "}   ";
  const TensorFile file = parse_tensor_file(file_bytes(header, {1, 2, 3, 4, 5}), "f");
  ASSERT_EQ(file.tensors.size(), 2U);
  EXPECT_EQ(file.tensors.at("x").values, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(file.tensors.at("x").shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(file.tensors.at("y").values, (std::vector<float>{5}));
  EXPECT_EQ(file.metadata.at("a"), "1");
}

TEST(TensorFile, RefusesWhatIsNotAFile) {
  const std::vector<float> four = {1, 2, 3, 4};
  const std::string bad[] = {
      "",
      "1234567",
      std::string(8, '\xff'),
      file_bytes("", {}),
      file_bytes("{}", {}),
      file_bytes("[1]", {}),
      file_bytes("{" + entry("x", "4", 0, 16) + "}x", four),
      file_bytes("{" + entry("x", "4", 0, 16), four),
      file_bytes("{" + entry("x", "4", 0, 20) + "}", four),
      file_bytes("{" + entry("x", "4", 8, 4) + "}", four),
      file_bytes("{" + entry("x", "3", 0, 16) + "}", four),
      file_bytes("{" + entry("x", "0", 0, 16) + "}", four),
      file_bytes("{" + entry("x", "1,1,1,1,1,4", 0, 16) + "}", four),
      file_bytes("{" + entry("x", "-4", 0, 16) + "}", four),
      file_bytes("{" + entry("x", "4294967296,4294967296", 0, 16) + "}", four),
      file_bytes("{" + entry("x", "99999999999999999999", 0, 16) + "}", four),
      file_bytes("{" + entry("x", "4", 0, 16, "F16") + "}", four),
      file_bytes("{" + entry("x", "4", 0, 16) + "," + entry("x", "0", 0, 0) + "}", four),
      file_bytes("{" + entry("x", "4", 0, 16) + "," + entry("y", "4", 0, 16) + "}", four),
      file_bytes("{" + entry("x\\n", "4", 0, 16) + "}", four),
      file_bytes("{" + entry("\xff", "4", 0, 16) + "}", four),
      file_bytes(R"({"x":{"dtype":"F32","extra":[4]}})", four),
      file_bytes("{" + entry("x", "1", 0, 4) + "}", {std::numeric_limits<float>::infinity()}),
      file_bytes("{" + entry("x", "1", 0, 4) + "}", {std::numeric_limits<float>::quiet_NaN()}),
  };
  for (const std::string& bytes : bad)
    EXPECT_THROW(parse_tensor_file(bytes, "f"), InvalidInput) << bytes;
}

TEST(TensorFile, SurvivesEveryCutAndRandomBytes) {
  const std::string good = test::network_bytes();
  for (std::size_t length = 0; length < good.size(); length += 1 + length / 16)
    EXPECT_THROW(parse_tensor_file(good.substr(0, length), "f"), InvalidInput) << length;
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = good;
    for (int k = 0; k < 4; ++k) bytes[random() % 3000] = static_cast<char>(random());
    try {
      EXPECT_LE(parse_tensor_file(bytes, "f").tensors.size(), 1000U);
    } catch (const InvalidInput& error) {
      EXPECT_EQ(error.field(), "f");
    }
  }
}

}  // namespace
}  // namespace tactum
