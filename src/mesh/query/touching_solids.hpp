// SPDX-License-Identifier: BSD-2-Clause
// Solids whose surfaces touch without crossing: in contact, or one reaches into the other where
// their edges meet, as where faces of both lie in one plane.
//
// Contact    is proved by a step that parts the two: a solid that a step of length e parts from
//            another is at most e deep in it, because depth changes no faster than place.
// Overlap    is proved by a point next to a contact that is inside both, or on a surface and inside
//            the other solid.
#pragma once

#include "mesh/query/placed_meshes.hpp"

namespace tactum {

/// Whether B, moved by a vector in the frame of A, is apart from A for sure.
bool is_parted_by(const PlacedMeshes& pair, Double3 step);

/// The direction of the sum of the normals of all triangles in contact; zero where they cancel.
Double3 sum_of_contact_normals(const PlacedMeshes& pair, const NodePairBound& bound);

/// The depth, in m, that points next to the contacts prove; 0 where they prove none.
double depth_at_contacts(const PlacedMeshes& pair, const NodePairBound& bound);

}  // namespace tactum
