// SPDX-License-Identifier: BSD-2-Clause
#include "neural/network_weights.hpp"

#include <charconv>
#include <cmath>
#include <initializer_list>

#include "core/quote_text.hpp"
#include "tactum/status.hpp"

namespace tactum {
namespace {

constexpr float kLargestWeight = 1e4F;  // so that no number of the network can overflow

/// Takes arrays out of a file by name and shape.
class WeightReader {
 public:
  WeightReader(const TensorFile& file, const std::string& name) : file_(file), name_(name) {}

  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const {
    throw InvalidInput(name_, what, remedy);
  }

  std::string text(const char* key) const {
    const auto found = file_.metadata.find(key);
    if (found == file_.metadata.end()) {
      refuse("no metadata " + std::string(key), "give weights that tactum neural train wrote");
    }
    return found->second;
  }

  int number(const char* key, int least, int most) const {
    const std::string value = text(key);
    int found = 0;
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, found);
    if (error != std::errc{} || stop != end || found < least || found > most) {
      refuse(std::string(key) + " = " + quoted_text(value),
             "give from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return found;
  }

  const std::vector<float>& values(const std::string& key, std::initializer_list<int> shape) const {
    const auto found = file_.tensors.find(key);
    if (found == file_.tensors.end())
      refuse("no array " + key, "give weights that tactum neural train wrote");
    const std::vector<std::int64_t> expected(shape.begin(), shape.end());
    if (found->second.shape != expected)
      refuse("an array " + key + " of another shape", "give weights whose sizes agree");
    for (const float value : found->second.values) {
      if (!(std::abs(value) <= kLargestWeight))
        refuse("an array " + key + " with a number beyond 1e4",
               "give weights of a trained network");
    }
    return found->second.values;
  }

  Eigen::VectorXd vector(const std::string& key, int size) const {
    const std::vector<float>& found = values(key, {size});
    return Eigen::Map<const Eigen::VectorXf>(found.data(), size).cast<double>();
  }

  LinearLayer linear(const std::string& key, int inputs, int outputs) const {
    using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const std::vector<float>& found = values(key + ".weight", {outputs, inputs});
    return {Eigen::Map<const Rows>(found.data(), outputs, inputs).cast<double>(),
            vector(key + ".bias", outputs)};
  }

  NormLayer norm(const std::string& key, int size) const {
    return {vector(key + ".weight", size), vector(key + ".bias", size)};
  }

  DenseLayer dense(const std::string& key, int inputs, int outputs) const {
    return {linear(key + ".0", inputs, outputs), norm(key + ".2", outputs)};
  }

  /// Weights of PyTorch: (outputs, inputs, 3, 3, 3), for a transposed convolution (inputs, outputs,
  /// 3, 3, 3).
  GridLayer grid(const std::string& key, int inputs, int outputs, bool transposed) const {
    const std::vector<float>& found = transposed
                                          ? values(key + ".conv.weight", {inputs, outputs, 3, 3, 3})
                                          : values(key + ".conv.weight",
                                                   {outputs, inputs, 3, 3, 3});
    GridLayer layer;
    for (std::size_t offset = 0; offset < 27; ++offset) {
      Eigen::MatrixXd& weight = layer.weight[offset];
      weight.resize(outputs, inputs);
      for (int o = 0; o < outputs; ++o) {
        for (int i = 0; i < inputs; ++i) {
          const int row = transposed ? i * outputs + o : o * inputs + i;
          weight(o, i) = static_cast<double>(found[static_cast<std::size_t>(row) * 27 + offset]);
        }
      }
    }
    layer.bias = vector(key + ".conv.bias", outputs);
    layer.norm = norm(key + ".norm", outputs);
    return layer;
  }

 private:
  const TensorFile& file_;
  const std::string& name_;
};

}  // namespace

NetworkWeights make_network_weights(const TensorFile& file, const std::string& name) {
  const WeightReader read(file, name);
  NetworkWeights w;
  if (const std::string crop = read.text("crop"); crop != "field")
    read.refuse("crop = " + quoted_text(crop), "give weights of a network with the crop field");
  w.size = {.cells = read.number("cells", 3, 16),
            .width = read.number("width", 1, 1024),
            .channels = read.number("channels", 1, 512),
            .features = read.number("features", 2, 512),
            .vectors = read.number("vectors", 0, 170),
            .hidden = read.number("hidden", 1, 1024),
            .points = read.number("points", 1, 100'000)};
  if (w.size.features % 2 != 0 || w.size.vectors % 2 != 0 || 3 * w.size.vectors > w.size.features) {
    read.refuse("features = " + std::to_string(w.size.features),
                "give even numbers of features and vectors, three features for each vector");
  }
  const int H = w.size.width, C = w.size.channels, F = w.size.features, P = w.size.hidden;
  w.point1 = read.linear("encoder.point1", 9, H);
  w.point2 = read.linear("encoder.point2", H, H);
  w.point3 = read.linear("encoder.point3", H, H);
  w.down1 = read.grid("encoder.down1", H + 7, C, false);
  w.down2 = read.grid("encoder.down2", C, C, false);
  w.down3 = read.grid("encoder.down3", C, C, false);
  w.up3 = read.grid("encoder.up3", C, C, false);
  w.up2 = read.grid("encoder.up2", 2 * C, C, false);
  w.up1 = read.grid("encoder.up1", 2 * C, C, true);
  w.cell = read.linear("encoder.cell", 2 * C + H + 7, F);
  w.first = read.dense("predictor.first", 2 * F + kViewInputs, P);
  w.second = read.dense("predictor.second", P, P);
  w.third = read.dense("predictor.third", P, P);
  w.joint = read.dense("predictor.joint", P, P);
  w.out = read.linear("predictor.out", P, 2);
  return w;
}

}  // namespace tactum
