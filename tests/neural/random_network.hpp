// SPDX-License-Identifier: BSD-2-Clause
// A small network with random weights, as the bytes of a file, and point clouds to give it.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tactum/collision_network.hpp"

namespace tactum::test {

using Shapes = std::map<std::string, std::vector<int>>;

inline const CollisionNetworkSize kSmallNetwork = {
    .cells = 4, .width = 6, .channels = 5, .features = 8, .vectors = 2, .hidden = 7, .points = 80};

inline void add_grid_shapes(Shapes& shapes, const std::string& key, int first, int second,
                            int channels) {
  shapes[key + ".conv.weight"] = {first, second, 3, 3, 3};
  for (const char* name : {".conv.bias", ".norm.weight", ".norm.bias"})
    shapes[key + name] = {channels};
}

/// Names and shapes of all arrays of a network.
inline Shapes network_shapes(const CollisionNetworkSize& size) {
  const int H = size.width, C = size.channels, F = size.features, P = size.hidden;
  Shapes shapes;
  const auto linear = [&](const std::string& key, int in, int out) {
    shapes[key + ".weight"] = {out, in};
    shapes[key + ".bias"] = {out};
  };
  linear("encoder.point1", 9, H), linear("encoder.point2", H, H), linear("encoder.point3", H, H);
  add_grid_shapes(shapes, "encoder.down1", C, H + 7, C);
  for (const char* key : {"encoder.down2", "encoder.down3", "encoder.up3"})
    add_grid_shapes(shapes, key, C, C, C);
  add_grid_shapes(shapes, "encoder.up2", C, 2 * C, C);
  add_grid_shapes(shapes, "encoder.up1", 2 * C, C, C);  // transposed: inputs come first
  linear("encoder.cell", 2 * C + H + 7, F);
  const auto dense = [&](const std::string& key, int in) {
    linear(key + ".0", in, P);
    shapes[key + ".2.weight"] = {P}, shapes[key + ".2.bias"] = {P};
  };
  dense("predictor.first", 2 * F + 38);
  for (const char* key : {"predictor.second", "predictor.third", "predictor.joint"}) dense(key, P);
  linear("predictor.out", P, 2);
  return shapes;
}

/// Eight bytes with the length of the header, the header, the numbers.
inline std::string file_bytes(const std::string& header, const std::vector<float>& values) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  bytes += header;
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(bits >> (8 * i) & 0xff);
  }
  return bytes;
}

inline std::string metadata_text(const CollisionNetworkSize& size, const std::string& crop) {
  std::string text = R"("__metadata__":{"crop":")" + crop + "\"";
  const std::pair<const char*, int> numbers[] = {
      {"cells", size.cells},       {"width", size.width},     {"channels", size.channels},
      {"features", size.features}, {"vectors", size.vectors}, {"hidden", size.hidden},
      {"points", size.points}};
  for (const auto& [key, value] : numbers)
    text += std::string(",\"") + key + "\":\"" + std::to_string(value) + "\"";
  return text + "}";
}

/// The file of a network with weights of about unit gain.
inline std::string network_bytes(const CollisionNetworkSize& size = kSmallNetwork,
                                 unsigned seed = 1, const std::string& crop = "field") {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::string header = "{" + metadata_text(size, crop);
  std::vector<float> values;
  for (const auto& [key, shape] : network_shapes(size)) {
    std::size_t count = 1;
    std::string axes;
    for (const int n : shape) {
      count *= static_cast<std::size_t>(n);
      axes += (axes.empty() ? "" : ",") + std::to_string(n);
    }
    const std::size_t first = 4 * values.size();
    const float gain = 1.5F / std::sqrt(static_cast<float>(count) / static_cast<float>(shape[0]));
    for (std::size_t i = 0; i < count; ++i) values.push_back(gain * normal(random));
    header += ",\"" + key + R"(":{"dtype":"F32","shape":[)" + axes + R"(],"data_offsets":[)" +
              std::to_string(first) + "," + std::to_string(4 * values.size()) + "]}";
  }
  return file_bytes(header + "}", values);
}

/// Points of an ellipsoid with their normals.
struct Cloud {
  Points points, normals;
};

inline Cloud ellipsoid_cloud(const Vector3& semi_axes, const Vector3& center, int count,
                             unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Cloud cloud{Points(3, count), Points(3, count)};
  for (int i = 0; i < count; ++i) {
    const Vector3 u = Vector3(normal(random), normal(random), normal(random)).normalized();
    cloud.points.col(i) = center + semi_axes.cwiseProduct(u);
    cloud.normals.col(i) = u.cwiseQuotient(semi_axes).normalized();
  }
  return cloud;
}

}  // namespace tactum::test
