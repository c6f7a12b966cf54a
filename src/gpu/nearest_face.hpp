// SPDX-License-Identifier: BSD-2-Clause
// Finds the face nearest to the origin among those of a tetrahedron that holds the origin, and a
// ball about the origin inside the tetrahedron. Both are in the precision of the search. They are
// the result of a search for which the caller asked bounds of the depth only.
//
// With u the unit of the precision, E the largest distance of a point of M = B - A from the origin
// and D the largest distance of two of its points, a computed point of M is within 8 u E of a true
// one (collide_pair.hpp). Then
//   a determinant of three points errs by less than 24 u E E D from the points and 8 u E D D from
//   its products, that of three edges by less than 64 u E D D, so all four shares by less than
//   128 u E D (D + E);
//   the normal of a face errs by less than 44 u E D, a sum of three of them by less than 160 u E D.
// So a ball of radius (share - 128 u E D (D + E)) / (|normal| + 160 u E D) about the origin does
// not reach the face, and where this is positive for all four, it lies in M.
#pragma once

#include "gpu/gjk_lane.hpp"

namespace tactum::gpu {

/// The result of a lane whose four points hold the origin: the names of the nearest face first, and
/// the radius of a ball inside, zero where rounding leaves none.
template <class Real, class Tag>
TACTUM_HOST_DEVICE LaneResult<Tag> faced_result(const GjkLane<Real, Tag>& lane,
                                                const CoreRecord<Real>& a,
                                                const CoreRecord<Real>& b) {
  const Real extent = norm(lane.X_AB.translation) + a.reach + b.reach,
             spread = 2 * (a.reach + b.reach);
  const Real area_error = 160 * kUnit<Real> * extent * spread,
             share_error = 128 * kUnit<Real> * extent * spread * (spread + extent);
  const Vector<Real> edge_1 = lane.point_1 - lane.point_0, edge_2 = lane.point_2 - lane.point_0,
                     edge_3 = lane.point_3 - lane.point_0;
  const Vector<Real> normal_1 = cross(edge_2, edge_3), normal_2 = cross(edge_3, edge_1),
                     normal_3 = cross(edge_1, edge_2);
  const Real volume = dot(normal_3, edge_3), sign = volume < 0 ? Real(1) : Real(-1);
  const Real share_1 = sign * dot(normal_1, lane.point_0),
             share_2 = sign * dot(normal_2, lane.point_0),
             share_3 = sign * dot(normal_3, lane.point_0),
             share_0 = std::fabs(volume) - share_1 - share_2 - share_3;
  const auto inverse = [area_error](Vector<Real> normal) {
    return 1 / (norm(normal) + area_error);
  };
  const Real inverse_0 = inverse(normal_1 + normal_2 + normal_3), inverse_1 = inverse(normal_1),
             inverse_2 = inverse(normal_2), inverse_3 = inverse(normal_3);
  const Real height_0 = share_0 * inverse_0, height_1 = share_1 * inverse_1,
             height_2 = share_2 * inverse_2, height_3 = share_3 * inverse_3;
  const Real radius = smaller(
      smaller(height_0 - share_error * inverse_0, height_1 - share_error * inverse_1),
      smaller(height_2 - share_error * inverse_2, height_3 - share_error * inverse_3));
  LaneResult<Tag> result = lane.result(LaneState::overlapping);
  // less than the radius also after it is rounded to single precision
  result.inside = larger(static_cast<float>((1 - 16 * static_cast<Real>(kUnit<float>)) * radius),
                         0.0F);
  // the corner that is not of the face comes last
  const Real nearest = smaller(smaller(height_0, height_1), smaller(height_2, height_3));
  const bool is_0 = height_0 == nearest, is_1 = !is_0 && height_1 == nearest,
             is_2 = !is_0 && !is_1 && height_2 == nearest;
  result.tag_3 = is_0 ? lane.tag_0 : is_1 ? lane.tag_1 : is_2 ? lane.tag_2 : lane.tag_3;
  if (is_0) result.tag_0 = lane.tag_3;
  if (is_1) result.tag_1 = lane.tag_3;
  if (is_2) result.tag_2 = lane.tag_3;
  return result;
}

}  // namespace tactum::gpu
