// SPDX-License-Identifier: BSD-2-Clause
// Which shape decides the normal of a contact patch, and whether its derivative is unique.
//
// Normal     dn comes from narrow/derivative/witness_jacobian.hpp, unless one shape decides alone:
//            a half-space, or the face whose outline contains that of the other strictly inside
//            (docs/theory/06-contact-patches.md, section 4).
#pragma once

#include "contact/patch_response.hpp"
#include "narrow/derivative/witness_pair.hpp"

namespace tactum {

/// The shape that alone decides the normal of parallel features.
enum class DecidingShape : std::uint8_t { both, a, b };
DecidingShape deciding_shape(const PatchGeometry& patch, const WitnessPair& pair);

/// What the linearization of a patch starts from. `value` is the answer of the query, in `patch`
/// as well.
struct PatchNormal {
  const PatchGeometry& patch;
  const WitnessPair& pair;
  const MotionResponse& response;
  DecidingShape decides;

  /// Whether points and normal have a unique derivative, where `use` says what the points follow.
  bool is_smooth(const Pose& X_WA, const Pose& X_WB, const Distance& value,
                 const PatchUse& use) const;
};

}  // namespace tactum
