// SPDX-License-Identifier: BSD-2-Clause
// libFuzzer target: bytes as a scene file. What is accepted must come back from its own text, and
// must answer; what is refused is named in UTF-8.
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
    Scene scene = Scene::from_text({reinterpret_cast<const char*>(data), size});
    const std::string text = scene.to_text();
    require(Scene::from_text(text).to_text() == text);
    if (scene.size() > 20) return 0;
    SceneContacts found;
    require(scene.contacts({.margin = 0.1, .num_threads = 1}, found));
    require(found.offsets.size() == found.pairs.size() + 1);
    for (const SceneContact& contact : found.contacts) {
      require(std::isfinite(contact.distance) && contact.normal.allFinite() &&
              contact.point_a.allFinite());
    }
  } catch (const InvalidInput& error) {
    require(is_utf8(error.what()));
  }
  return 0;
}
