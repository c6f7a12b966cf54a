// SPDX-License-Identifier: BSD-2-Clause
#include "contact/patch_normal.hpp"

#include "narrow/derivative/ambiguous_normal.hpp"

namespace tactum {
namespace {

constexpr double kOutsideOfCap = 1.0195911582083184;  // 1 / cos(pi / 16): from the polygon
                                                      // inscribed in a disc to the circumscribed
                                                      // one

/// The corners of a feature that are as far ahead as its farthest; for a cap, those of the polygon
/// around the disc.
FlatFeature level_part(const FlatFeature& feature, double sign, double level, bool is_cap) {
  FlatFeature part;
  part.unbounded = feature.unbounded;
  double farthest = -std::numeric_limits<double>::infinity();
  Double2 mean{0.0, 0.0};
  for (std::size_t i = 0; i < static_cast<std::size_t>(feature.count); ++i) {
    farthest = std::max(farthest, sign * feature.height[i]);
    mean = mean + (1.0 / feature.count) * Double2{feature.x[i], feature.y[i]};
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(feature.count); ++i) {
    if (sign * feature.height[i] < farthest - level) continue;
    const auto at = static_cast<std::size_t>(part.count++);
    const double stretch = is_cap ? kOutsideOfCap : 1.0;
    part.x[at] = mean.x + stretch * (feature.x[i] - mean.x);
    part.y[at] = mean.y + stretch * (feature.y[i] - mean.y);
  }
  return part;
}

bool is_cap(const SeenCore& seen, const FlatFeature& feature) {
  return feature.count > 2 &&
         (seen.core->kind == CoreShape::Kind::cylinder || seen.core->kind == CoreShape::Kind::cone);
}

/// Whether overlapping cores have another normal that is as good.
bool is_tied(const PatchGeometry& patch, const Pose& X_WA, const Pose& X_WB, const Distance& value,
             double scale) {
  const PosedCore a{patch.seen_a.core, &X_WA.rotation, to_double3(X_WA.translation),
                    to_double3(value.point_a)};
  const PosedCore b{patch.seen_b.core, &X_WB.rotation, to_double3(X_WB.translation),
                    to_double3(value.point_b)};
  return has_other_normal(a, b, patch.plane.normal, value.distance, 1e-9 * scale);
}

/// Whether a cap lies flat: with the slightest tilt, the deepest point of its rim becomes a point
/// of its own.
bool has_flat_cap(const PatchGeometry& patch) {
  const auto flat = [](const SeenCore& seen, const FlatFeature& feature) {
    return is_cap(seen, feature) && std::abs(feature.slope.x) + std::abs(feature.slope.y) < 1e-8;
  };
  return patch.count > 1 && (flat(patch.seen_a, patch.a) || flat(patch.seen_b, patch.b));
}

bool is_settled(Status status) {
  return status == Status::separated || status == Status::touching || status == Status::penetrating;
}

}  // namespace

DecidingShape deciding_shape(const PatchGeometry& patch, const WitnessPair& pair) {
  if (patch.a.unbounded) return DecidingShape::a;
  if (patch.b.unbounded) return DecidingShape::b;
  if (pair.a.feature.dimension + pair.b.feature.dimension <= 2) return DecidingShape::both;
  const double margin = 1e-9 * patch.size;
  const auto inside = [&](const SeenCore& inner, const FlatFeature& in, const SeenCore& outer,
                          const FlatFeature& out) {
    return lies_strictly_inside(level_part(in, inner.sign, patch.level, is_cap(inner, in)),
                                level_part(out, outer.sign, patch.level, false), margin);
  };
  if (inside(patch.seen_b, patch.b, patch.seen_a, patch.a)) return DecidingShape::a;
  return inside(patch.seen_a, patch.a, patch.seen_b, patch.b) ? DecidingShape::b
                                                              : DecidingShape::both;
}

bool PatchNormal::is_smooth(const Pose& X_WA, const Pose& X_WB, const Distance& value,
                            const PatchUse& use) const {
  const bool unique = pair.smooth && response.unique;
  const bool normal_is_smooth = decides == DecidingShape::both
                                    ? unique
                                    : !is_tied(patch, X_WA, X_WB, value, pair.scale);
  return is_settled(value.status) && patch.count > 0 && normal_is_smooth &&
         (unique || !use.witness) && !patch.borderline && !has_flat_cap(patch) && !use.kink;
}

}  // namespace tactum
