// SPDX-License-Identifier: BSD-2-Clause
// Two triangles as flat convex sets: their signed distance with a certificate.
//
// Apart      the least of 9 pairs of edges and 6 pairs of a corner and a face gives two points and
//            so an upper bound; the separation along their difference is a lower bound.
// Crossing   the difference B - A is a polytope whose facets have the normals of the two triangles
//            and the cross products of edges: the largest separation over these is the signed
//            distance, minus the length of the shortest translation that parts the triangles.
// Degenerate triangles: segments and points as such, those thinner than 1e-12 of their length as
//            their longest side. Triangles that overlap in one plane touch, at distance 0.
#pragma once

#include <array>

#include "math/double3.hpp"

namespace tactum {

using Triangle3 = std::array<Double3, 3>;

struct TrianglePair {
  double lower = 0.0;  ///< proved but for rounding, which the caller adds
  double upper = 0.0;
  Double3 normal = {0.0, 0.0, 1.0};  ///< unit, from A to B; `lower` is the separation along it
  Double3 point_a = {0.0, 0.0, 0.0};
  Double3 point_b = {0.0, 0.0, 0.0};
};

/// The point of a triangle, a segment or a point (corners may coincide) that is nearest to p.
Double3 nearest_on_triangle(const Triangle3& t, Double3 p);

/// Smallest n.b - n.a over corners a of A and b of B.
double separation(const Triangle3& a, const Triangle3& b, Double3 n);

/// The larger of the separations along the normals of both triangles: a lower bound of their signed
/// distance, for a tenth of its time. Minus infinity where both are degenerate.
double face_separation(const Triangle3& a, const Triangle3& b);

/// The largest separation along the cross products of edges, or the first above `enough`, which is
/// not negative: a lower bound of the signed distance. Minus infinity where none is positive.
double edge_separation(const Triangle3& a, const Triangle3& b, double enough);

TrianglePair triangle_distance(const Triangle3& a, const Triangle3& b);

}  // namespace tactum
