// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of patches of geometries from those of pairs of their parts.
#pragma once

#include "contact/geometry_patch.hpp"
#include "geometry/placed_geometry.hpp"

namespace tactum {

/// The derivative of the patch of one pair of parts by the motions of the geometries, which are
/// placed in the world. The value of the options is not read.
ContactPatchDerivative part_derivative(const PlacedGeometry& a, const PlacedGeometry& b,
                                       const PartPatch& part,
                                       const ContactPatchDerivativeOptions& options);

/// Gives point i of a patch the Jacobians of the point of `part` nearest to it.
void copy_nearest_point(const ContactPatchDerivative& part, std::size_t i,
                        ContactPatchDerivative& result);

/// The derivative of the points of a query that are a patch by themselves, with a normal that
/// stays.
void fill_without_parts(const Pose& X_WA, const Pose& X_WB, TangentFrame frame,
                        ContactPatchDerivative& result);

}  // namespace tactum
