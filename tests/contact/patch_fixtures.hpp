// SPDX-License-Identifier: BSD-2-Clause
// Pairs of shapes in flat contact, for tests of derivatives of patches.
#pragma once

#include <map>

#include "narrow/derivative_fixtures.hpp"
#include "tactum/contact_patch.hpp"

namespace tactum::testing {

struct Stack {
  Shape a, b;
  Pose X_WA, X_WB;
  ContactPatchOptions options = {};

  ContactPatch patch(const Pose& X_A, const Pose& X_B) const {
    const Distance value = sharpened(a, X_A, b, X_B,
                                     distance(a, X_A, b, X_B, {.tolerance = 1e-13}));
    return contact_patch(value, a, X_A, b, X_B, options);
  }
  ContactPatch moved(int column, double step, TangentFrame frame) const {
    if (column < 6) return patch(moved_along(X_WA, column, step, frame), X_WB);
    return patch(X_WA, moved_along(X_WB, column - 6, step, frame));
  }
  ContactPatchDerivative derivative(TangentFrame frame) const {
    const Distance value = sharpened(a, X_WA, b, X_WB,
                                     distance(a, X_WA, b, X_WB, {.tolerance = 1e-13}));
    return contact_patch_derivative(a, X_WA, b, X_WB,
                                    {.patch = options, .value = &value, .frame = frame});
  }
};

inline std::map<std::uint64_t, int> by_id(const ContactPatch& patch) {
  std::map<std::uint64_t, int> result;
  for (int i = 0; i < patch.count; ++i) result[patch.feature_ids[static_cast<std::size_t>(i)]] = i;
  return result;
}

/// B above A along z of the world before both are turned together.
inline Stack stacked(const Shape& a, const Shape& b, const Pose& X_AB, const Pose& world,
                     double depth = 1e-3) {
  Pose X = X_AB;
  X.translation.z() += 5.0;
  for (int i = 0; i < 3; ++i) {
    const Distance r = distance(a, {}, b, X);
    X.translation.z() -= r.distance / r.normal.z();
  }
  X.translation.z() -= depth;
  return {a, b, world, world * X, {}};
}

inline const Shape kTable = Box{.half_extents = {1.0, 1.2, 0.3}};
inline const Pose kWorld = turned({1.0, 2.0, -0.5}, 0.7, {0.3, -0.2, 0.5});

inline Pose tilted(double tilt, double x, double y) {
  return {
      Random::turn(Vector3(2.0, 1.0, 0.0).normalized(), tilt) * Random::turn(Vector3::UnitZ(), 0.4),
      {x, y, 0.0}};
}

}  // namespace tactum::testing
