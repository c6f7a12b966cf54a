// SPDX-License-Identifier: BSD-2-Clause
// Bad input throws, and says which field, which value, and what to give instead.
#include <cmath>
#include <cstdio>
#include <functional>

#include "tactum/tactum.hpp"

void attempt(const char* what, const std::function<void()>& call) {
  try {
    call();
  } catch (const tactum::InvalidInput& error) {
    std::printf("%s: field %s, value %s\n", what, error.field().c_str(), error.value().c_str());
    std::printf("    %s\n", error.what());
  }
}

int main() {
  const tactum::Shape sphere{tactum::Sphere{.radius = 1.0}};
  const tactum::Shape ground{tactum::HalfSpace{}};
  tactum::Pose mirrored, not_finite;
  mirrored.rotation(2, 2) = -1.0;
  not_finite.translation.x() = std::nan("");

  attempt("negative size",
          [] { const tactum::Shape box{tactum::Box{.half_extents = {0.1, -0.2, 0.3}}}; });
  attempt("no points", [] { tactum::Convex::from_points(tactum::Points(3, 0)); });
  attempt("mirrored pose", [&] { tactum::distance(sphere, mirrored, sphere, {}); });
  attempt("pose with NaN", [&] { tactum::distance(sphere, {}, sphere, not_finite); });
  attempt("two half-spaces", [&] { tactum::distance(ground, {}, ground, {}); });

  // nothing changed: the same shapes go on working
  std::printf("distance %.6f\n",
              tactum::distance(sphere, {}, ground, {.translation = {0.0, 0.0, -3.0}}).distance);
  return 0;
}
