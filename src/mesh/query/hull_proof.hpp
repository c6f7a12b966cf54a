// SPDX-License-Identifier: BSD-2-Clause
// Proofs by the convex hulls of two geometries about the geometries inside them.
//
// A mesh is inside its hull, so it is no nearer to anything than its hull is. Where the nearest
// points of the hulls are points of the meshes, which is the rule for objects that do not embrace
// each other, the distance of the hulls is that of the meshes, and no other triangle has to be
// looked at. The query of two hulls takes a microsecond.
#pragma once

#include <limits>

#include "math/double3.hpp"
#include "tactum/distance.hpp"
#include "tactum/mesh.hpp"

namespace tactum {

/// A mesh and a convex geometry around another one, in the frame of the mesh.
struct HullPair {
  const Shape& a;
  const Shape& b;
  Pose X_AB;
  double slack;  ///< m: how far what is inside may reach beyond its hull
};

/// How far a vertex of a mesh may lie outside its hull.
double hull_slack(const Mesh& mesh);

/// The separation along a unit vector from A to B in the frame of A; a lower bound of the distance.
double hull_separation(const HullPair& pair, Double3 n);

struct HullProof {
  double lower = -std::numeric_limits<double>::infinity();  ///< m, of what is inside
  double upper = std::numeric_limits<double>::infinity();   ///< m, of the hulls
  Double3 normal = {0.0, 0.0, 1.0};                         ///< unit, from A to B, frame of A
  Double3 point_a = {0.0, 0.0, 0.0};                        ///< of the hull of A, frame of A
  Double3 point_b = {0.0, 0.0, 0.0};                        ///< of the hull of B, frame of A
};

/// The distance of hulls that are apart, or at least a bound above `cutoff`; the default where they
/// are not proved to be apart. `direction` is from A to B in the frame of A; zero: none is known.
HullProof hull_distance(const HullPair& pair, double cutoff, const Vector3& direction);

/// A lower bound along a normal, without points: stops at the first plane between the hulls.
HullProof hull_plane(const HullPair& pair, const Vector3& direction);

/// The depth of hulls that overlap: no shorter translation than along the normal parts them, and it
/// parts what is inside them. Points are those of the hulls.
HullProof hull_depth(const HullPair& pair);

}  // namespace tactum
