// SPDX-License-Identifier: BSD-2-Clause
// Dimension and principal axes of a set of points, by farthest points.
//
// Method     take a pair far apart, then the point farthest from their line, then the one farthest
//            from that plane. Each axis is the part of a difference orthogonal to those before it,
//            at unit length, orthogonalized twice: a cross product of long edges would tilt the
//            plane of a needle, and a plate or needle 1e-8 as high as long must keep its dimension.
#include "shape/check/affine_frame.hpp"

#include <Eigen/Geometry>

namespace tactum {
namespace {

/// The longest part of (p - origin) orthogonal to the first `count` axes, and the column it belongs
/// to.
struct Farthest {
  std::int32_t column = 0;
  Vector3 part = Vector3::Zero();
};

Farthest farthest_from_span(const Points& points, const std::vector<std::int32_t>& columns,
                            const AffineFrame& frame, int count) {
  Farthest best{columns.front(), Vector3::Zero()};
  for (const std::int32_t column : columns) {
    Vector3 part = points.col(column) - frame.origin;
    for (int pass = 0; pass < 2; ++pass) {  // the second pass removes what the first one rounded
      for (int k = 0; k < count; ++k) part -= frame.axes.col(k) * frame.axes.col(k).dot(part);
    }
    if (part.squaredNorm() > best.part.squaredNorm()) best = {column, part};
  }
  return best;
}

}  // namespace

AffineFrame affine_frame(const Points& points, const std::vector<std::int32_t>& columns,
                         double flat) {
  AffineFrame frame;
  frame.origin = points.col(columns.front());
  frame.origin = points.col(farthest_from_span(points, columns, frame, 0).column);
  for (int k = 0; k < 3; ++k) {
    const Vector3 part = farthest_from_span(points, columns, frame, k).part;
    const double reach = part.norm();
    if (reach <= flat) break;
    frame.reach[k] = reach;
    frame.axes.col(k) = part / reach;
    frame.dimension = k + 1;
  }
  if (frame.dimension >= 2)
    frame.axes.col(2) = frame.axes.col(0).cross(frame.axes.col(1)).normalized();
  return frame;
}

}  // namespace tactum
