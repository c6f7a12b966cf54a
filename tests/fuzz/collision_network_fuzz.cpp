// SPDX-License-Identifier: BSD-2-Clause
// libFuzzer target: bytes as a file of weights. What is accepted must encode and predict finite
// numbers; what is refused is named in UTF-8.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/quote_text.hpp"
#include "tactum/tactum.hpp"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactum;
  try {
    const CollisionNetwork network = CollisionNetwork::parse(
        {reinterpret_cast<const char*>(data), size}, "fuzz");
    const Points points = Points::Identity(3, 3), normals = Points::Identity(3, 3);
    const ObjectCode code = network.encode(points, normals);
    require(code.features.cols() == code.centers.cols());
    const CollisionPredictionDerivative found = network.predict_derivative(code, code, {});
    require(std::isfinite(found.value.logit) && std::isfinite(found.value.distance));
    require(found.logit_gradient.allFinite());
  } catch (const InvalidInput& error) {
    require(is_utf8(error.what()));
  }
  return 0;
}
