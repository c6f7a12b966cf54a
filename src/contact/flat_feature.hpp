// SPDX-License-Identifier: BSD-2-Clause
// The features of all kinds of cores, and the heights of their surfaces.
//
// Caps       16 corners on the rim, fixed to the shape. Generators of cylinders and cones lie at
//            the azimuth of the direction; their ends move with it (`bend`, the Hessian of the
//            support function at a rim: shape/support/support_hessian.hpp).
#pragma once

#include "contact/feature.hpp"

namespace tactum {

/// The feature of a core that faces its outward direction. Hulls end one vertex beyond the drop;
/// the others are taken whole.
void find_flat_feature(const SeenCore& seen, const FeatureReach& reach, FlatFeature& feature);

/// The surface of a feature above or below a place of the plane inside it.
FeatureHeight height_at(const SeenCore& seen, const FlatFeature& feature, Double2 at);

/// Whether the slope at a place is not unique, or is that of a face seen from the side.
bool has_kink_at(const SeenCore& seen, const FeatureHeight& surface, Double2 at);

/// Height of the straight line from a corner to the next, at a share of it.
double chord_height(const FlatFeature& feature, int edge, double share);

/// Height of the surface over a place on that line: the line itself, or the hull above it where the
/// outline goes from vertex to vertex without an edge of the hull.
double height_over_edge(const SeenCore& seen, const FlatFeature& feature, int edge, double share,
                        Double2 at);

}  // namespace tactum
