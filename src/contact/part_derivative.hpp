// SPDX-License-Identifier: BSD-2-Clause
// Derivatives of patches of geometries from those of pairs of their parts.
#pragma once

#include <vector>

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

/// The point of a patch nearest to a place on A.
std::size_t nearest_point(const ContactPatch& patch, const Vector3& place);

/// The derivative of the points of a query that are a patch by themselves, with a normal that
/// stays.
void fill_without_parts(const Pose& X_WA, const Pose& X_WB, TangentFrame frame,
                        ContactPatchDerivative& result);

/// Derivatives of all contact patches of two geometries by the sizes of those that are convex
/// shapes, appended to `out` in the order of contact_patches(). A compound or a mesh has no
/// columns. Where a patch is made of no parts its Jacobians are zero and `smooth` is false. Of the
/// options `patch` is read.
void contact_patches_parameter_derivative(const Geometry& a, const Pose& X_WA, const Geometry& b,
                                          const Pose& X_WB,
                                          const ContactPatchDerivativeOptions& options,
                                          std::vector<ContactPatchParameterDerivative>& out);

}  // namespace tactum
