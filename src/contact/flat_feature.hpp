// SPDX-License-Identifier: BSD-2-Clause
// The features of all kinds of cores, and the heights of their surfaces.
//
// Caps       16 corners on the rim, fixed to the shape. Generators of cylinders and cones lie at
//            the azimuth of the direction; their ends move with it (`curvature_radius`, from the
//            Hessian of the support function at a rim: shape/support/support_hessian.hpp).
#pragma once

#include "contact/feature.hpp"

namespace tactum {

/// The feature of a core that faces its outward direction. Features of hulls end one vertex beyond
/// the drop; others are complete.
void find_flat_feature(const SeenCore& seen, const FeatureReach& reach, FlatFeature& feature);

/// Height and slope of the surface of a feature over a place inside it.
FeatureHeight height_at(const SeenCore& seen, const FlatFeature& feature, Double2 at);

/// Whether the slope at a place is not unique, or is that of a face seen from the side.
bool has_kink_at(const SeenCore& seen, const FeatureHeight& surface, Double2 at);

/// Height of the straight line from a corner to the next, at a fraction of its length.
double chord_height(const FlatFeature& feature, int edge, double fraction);

/// Height of the surface over a place on the straight line from a corner to the next: the line
/// itself, or the hull above it where the outline joins vertices that no edge of the hull joins.
double height_over_edge(const SeenCore& seen, const FlatFeature& feature, int edge, double fraction,
                        Double2 at);

}  // namespace tactum
