// SPDX-License-Identifier: BSD-2-Clause
#include "neural/network_weights.hpp"

#include <gtest/gtest.h>

#include "neural/random_network.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

TensorFile small_file() { return parse_tensor_file(test::network_bytes(), "f"); }

TEST(NetworkWeights, HaveTheOrderOfTheFile) {
  const TensorFile file = small_file();
  const NetworkWeights w = make_network_weights(file, "f");
  const int H = w.size.width, C = w.size.channels;
  const auto at = [&](const std::string& key, std::size_t i) {
    return static_cast<double>(file.tensors.find(key)->second.values[i]);
  };
  // output 2, input 3; offset (1, 0, 2)
  EXPECT_EQ(w.point1.weight(2, 3), at("encoder.point1.weight", 2 * 9 + 3));
  const auto plain = static_cast<std::size_t>((2 * (H + 7) + 3) * 27 + 11);
  EXPECT_EQ(w.down1.weight[11](2, 3), at("encoder.down1.conv.weight", plain));
  const auto transposed = static_cast<std::size_t>((3 * C + 2) * 27 + 11);
  EXPECT_EQ(w.up1.weight[11](2, 3), at("encoder.up1.conv.weight", transposed));
  EXPECT_EQ(w.out.bias[1], at("predictor.out.bias", 1));
}

TEST(NetworkWeights, RefuseWhatIsMissingOrDoesNotFit) {
  for (const auto& [key, shape] : test::network_shapes(test::kSmallNetwork)) {
    TensorFile file = small_file();
    file.tensors.erase(key);
    EXPECT_THROW(make_network_weights(file, "f"), InvalidInput) << key;
    file = small_file();
    file.tensors.find(key)->second.shape.back() += 1;
    EXPECT_THROW(make_network_weights(file, "f"), InvalidInput) << key;
    file = small_file();
    file.tensors.find(key)->second.values.back() = 2e4F;
    EXPECT_THROW(make_network_weights(file, "f"), InvalidInput) << key;
  }
  const std::pair<const char*, const char*> bad[] = {
      {"cells", "2"},    {"cells", "17"},    {"width", "0"},    {"width", "many"},
      {"vectors", "9"},  {"features", "7"},  {"points", "-1"},  {"points", "1000000"},
      {"hidden", "7.0"}, {"hidden", "4096"}, {"crop", "local"}, {"channels", ""}};
  for (const auto& [key, value] : bad) {
    TensorFile file = small_file();
    file.metadata.insert_or_assign(key, value);
    EXPECT_THROW(make_network_weights(file, "f"), InvalidInput) << key << value;
    file.metadata.erase(key);
    EXPECT_THROW(make_network_weights(file, "f"), InvalidInput) << key;
  }
}

}  // namespace
}  // namespace tactum
