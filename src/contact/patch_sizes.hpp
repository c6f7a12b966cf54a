// SPDX-License-Identifier: BSD-2-Clause
// How the core of a shape moves with each of its sizes, at the places that the points of a contact
// patch follow.
//
// Scaling    sizes of boxes, cylinders, cones and capsules stretch the shape along its axes: a
//            point moves by its coordinate over the size. That holds at corners and on edges, and
//            along the normal of a face.
// Vertices   a place on a hull moves with a vertex by its weight in the corner, edge or triangle
//            that holds the place.
// Swept      radii and margins move no core; they are added along the normal.
#pragma once

#include <string>
#include <vector>

#include "contact/patch_response.hpp"

namespace tactum {

/// Corners of a hull whose weighted sum is a place, and their weights.
struct PlaceWeights {
  int count = 0;
  std::array<std::uint32_t, 3> vertices{};
  std::array<double, 3> weights{};
  bool folds = false;  ///< the place is on a face with other corners as well
};

/// Weights of the places of one shape that a point of a patch follows: the corner or the place on
/// an edge of its own feature, and the place on its surface.
struct PatchPlaces {
  PlaceWeights feature, surface;
};
PatchPlaces patch_places(const PatchGeometry& patch, const PatchPoint& point, bool of_a);

class PatchSizes {
 public:
  /// `normal` is the outward normal of the shape at the patch.
  PatchSizes(const Shape& shape, const Pose& X, Double3 normal)
      : shape_(&shape), X_(&X), normal_(normal) {}

  /// Number of sizes, in the order of ParameterDerivative.
  static int count(const Shape& shape);
  static std::vector<std::string> names(const Shape& shape);
  /// Velocity of a point of the core by a size, in the world.
  Double3 velocity(int size, Double3 point, const PlaceWeights& weights) const;
  /// Change of the radius swept around the core by a size: 0 or 1.
  double radius_rate(int size) const;

 private:
  const Shape* shape_;
  const Pose* X_;
  Double3 normal_;
};

}  // namespace tactum
