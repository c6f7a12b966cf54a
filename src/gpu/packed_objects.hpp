// SPDX-License-Identifier: BSD-2-Clause
// Objects of one or more convex parts as arrays that a kernel can read, made on the host.
//
// Parts that can be moved into the frame of their object are: points, segments and hulls, and boxes
// as hulls of eight vertices. The poses of such parts are those of their objects, and the length
// that rounding is relative to is how far the part reaches from the origin of the object. Other
// parts keep a pose; their records say that they reach twice as far as they do, so that it also
// covers the rounding of the product of the two poses.
#pragma once

#include <span>
#include <vector>

#include "gpu/object_parts.hpp"
#include "gpu/packed_shapes.hpp"
#include "tactum/geometry.hpp"

namespace tactum::gpu {

struct PackedObjects {
  PackedShapes shapes;  ///< of all parts of all objects
  std::vector<ObjectRecord> objects;
  std::vector<PartBounds> bounds;  ///< one for each part
  std::vector<double> poses;       ///< seven for each part, in its object
  bool is_posed = false;           ///< whether any of them is not the identity
};

/// Throws InvalidInput as pack_shapes does, and for compounds of more than 64 parts.
PackedObjects pack_objects(std::span<const Geometry> objects);

/// Appends an object that is a point at its origin, for queries of points.
void append_point(PackedObjects& packed);

}  // namespace tactum::gpu
