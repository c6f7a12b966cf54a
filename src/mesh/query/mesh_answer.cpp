// SPDX-License-Identifier: BSD-2-Clause
#include "mesh/query/mesh_answer.hpp"

#include <tuple>

#include "math/constants.hpp"
#include "narrow/pair/bounds_and_status.hpp"

namespace tactum {
namespace {}  // namespace

NearestPair::NearestPair(const MeshFrame& frame, double cutoff)
    : frame_(frame),
      cutoff_(cutoff + 2.0 * frame.slack),
      farthest_(std::max(cutoff_, contact_reach(frame.scale, 0.0) + 2.0 * frame.slack)) {
  best_.lower = best_.upper = kInfinity;
}

bool NearestPair::take(const TrianglePair& pair, std::int32_t part_a, std::int32_t part_b) {
  lower_ = std::min(lower_, pair.lower);
  if (!(std::tie(pair.upper, part_a, part_b) < std::tie(best_.upper, part_a_, part_b_)))
    return false;
  best_ = pair;
  part_a_ = part_a;
  part_b_ = part_b;
  found_ = true;
  return true;
}

GeometryDistance NearestPair::in_world(const TrianglePair& pair, double distance) const {
  GeometryDistance result;
  result.distance = distance;
  result.normal = (frame_.X_WA.rotation * to_vector3(pair.normal)).normalized();
  result.point_a = frame_.X_WA * to_vector3(pair.point_a);
  result.point_b = frame_.X_WA * to_vector3(pair.point_b);
  result.pose_corrected = frame_.corrected;
  result.part_a = part_a_;
  result.part_b = part_b_;
  result.warm_start.direction_A = to_vector3(pair.normal);
  result.warm_start.vertices = {part_a_, part_b_};
  return result;
}

GeometryDistance NearestPair::surface_answer(const DistanceOptions& options) const {
  const double lower = std::min(lower_, best_.lower) - frame_.slack;
  // apart the points are as far apart as the upper bound says
  const double distance = best_.lower > 0.0 ? best_.upper : best_.lower;
  GeometryDistance result = in_world(best_, distance);
  result.lower = lower;
  result.upper = best_.upper + frame_.slack;
  if (!found_ || (lower > options.cutoff && lower > contact_reach(frame_.scale, 0.0))) {
    result.status = Status::beyond_cutoff;
    result.distance = result.lower;
    result.upper = kInfinity;
    return result;
  }
  const bool proved = result.upper - result.lower <= options.tolerance * frame_.scale;
  result.status = proved ? status_of(distance, result.lower, result.upper, frame_.scale)
                         : Status::not_converged;
  return result;
}

GeometryDistance NearestPair::touching_answer(const DistanceOptions& options, double lower) const {
  GeometryDistance result = surface_answer(options);
  result.lower = std::min(result.lower, lower - frame_.slack);
  if (result.upper - result.lower > options.tolerance * frame_.scale)
    result.status = Status::not_converged;
  return result;
}

GeometryDistance NearestPair::overlap_answer(const DistanceOptions& options, const Parting& parting,
                                             double depth, bool has_solid) const {
  TrianglePair pair = best_;
  pair.normal = parting.normal;
  pair.point_a = parting.point_a;
  pair.point_b = parting.point_a + parting.separation * parting.normal;
  GeometryDistance result = in_world(pair, parting.separation);
  result.lower = parting.separation - frame_.slack;
  const double crossing = found_ ? best_.upper : 0.0;
  result.upper = std::max(result.lower, std::min(crossing, -depth) + frame_.slack);
  if (result.upper - result.lower <= options.tolerance * frame_.scale)
    result.status = status_of(result.distance, result.lower, result.upper, frame_.scale);
  else
    result.status = has_solid ? Status::not_converged : Status::penetrating;
  return result;
}

Collision NearestPair::collision(bool inside) const {
  Collision result;
  const GeometryDistance near = in_world(best_, best_.lower);
  result.colliding = inside || touches();
  result.normal = near.normal;
  result.pose_corrected = frame_.corrected;
  result.warm_start = near.warm_start;
  result.lower = result.colliding ? -kInfinity : std::min(lower_, best_.lower) - frame_.slack;
  if (result.colliding) {
    const bool deep = inside || (crosses() && best_.lower < -frame_.band());
    result.status = deep ? Status::penetrating : Status::touching;
  } else {
    result.status = Status::separated;
  }
  return result;
}

}  // namespace tactum
