// SPDX-License-Identifier: BSD-2-Clause
// Which shape decides the normal of a contact patch, and whether its derivative is unique.
//
// Normal     dn comes from narrow/derivative/witness_jacobian.hpp, unless one shape decides alone:
//            a half-space, or the face whose outline contains that of the other strictly inside
//            (docs/theory/06-contact-patches.md, section 4).
#pragma once

#include "contact/patch_response.hpp"
#include "math/exact_pose.hpp"
#include "narrow/derivative/witness_pair.hpp"

namespace tactum {

/// The shape that alone decides the normal of parallel features.
enum class DecidingShape : std::uint8_t { both, a, b };
DecidingShape deciding_shape(const PatchGeometry& patch, const WitnessPair& pair);

/// A patch, its witness pair, the response of that pair to a motion, and the shape that decides the
/// normal: the input from which the patch is linearized.
struct PatchNormal {
  const PatchGeometry& patch;
  const WitnessPair& pair;
  const MotionResponse& response;
  DecidingShape decides;

  /// Whether points and normal have a unique derivative, where `value` is the answer of the query
  /// that gave the patch and `use` says what the points follow.
  bool is_smooth(const Pose& X_WA, const Pose& X_WB, const Distance& value,
                 const PatchUse& use) const;
};

/// A patch with its derivative: the value of the options where they carry one, then
/// differentiate(X_WA, X_WB, result) with poses whose rotations are proper to rounding.
template <class Result, class Differentiate>
Result differentiated_patch(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                            const ContactPatchDerivativeOptions& options,
                            const Differentiate& differentiate) {
  Result result;
  result.value = options.value != nullptr
                     ? contact_patch(*options.value, a, X_WA, b, X_WB, options.patch)
                     : contact_patch(a, X_WA, b, X_WB, options.patch);
  if (are_exact_poses(X_WA, X_WB, 1e-12)) {
    differentiate(X_WA, X_WB, result);
  } else {
    differentiate(check_pose(X_WA, "X_WA").pose, check_pose(X_WB, "X_WB").pose, result);
  }
  return result;
}

}  // namespace tactum
