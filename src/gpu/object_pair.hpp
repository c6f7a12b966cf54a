// SPDX-License-Identifier: BSD-2-Clause
// Pairs of objects of many parts: how the answers of pairs of parts make the answer of the objects,
// and, on the host, all stages for one pair of objects.
//
// Distance   the smallest of all pairs of parts. The pair with the most promising bounds is asked
//            first; its upper bound is one of the objects, and only parts whose bounds reach below
//            it are asked. Where parts overlap, a bound of the depth of boxes and balls excludes
//            the shallow ones in the same way.
// Collision  overlap of any pair of parts is one of the objects; they are apart where all are.
#pragma once

#include "gpu/collide_pair.hpp"
#include "gpu/object_parts.hpp"

namespace tactum::gpu {

/// Objects and their parts, as host or device memory.
struct ObjectArrays {
  const ObjectRecord* objects;
  const PartBounds* bounds;
  const double* poses;  ///< seven for each part, in its object
  int num_objects;
};

/// The length that tolerances of two objects are relative to.
TACTUM_HOST_DEVICE double object_scale(const ObjectRecord& a, const ObjectRecord& b,
                                       Vector<double> translation) {
  return larger(norm(translation), larger(a.reach, b.reach));
}

/// The poses of both objects, moved so that the origin of A is that of the world: parts far from
/// the origin of the world are then as exact as others.
struct ObjectPoses {
  WorldPose a, b;
};
TACTUM_HOST_DEVICE ObjectPoses poses_near_a(const WorldPose& X_WA, const WorldPose& X_WB) {
  return {{X_WA.rotation, {0.0, 0.0, 0.0}, X_WA.valid},
          {X_WB.rotation, X_WB.translation - X_WA.translation, X_WB.valid}};
}

/// How much the collision of a pair of parts says about the objects: the largest wins.
TACTUM_HOST_DEVICE unsigned weight_of(Status status) {
  return status == Status::penetrating     ? 4U
         : status == Status::not_converged ? 3U
         : status == Status::touching      ? 2U
                                           : 1U;
}
TACTUM_HOST_DEVICE Status status_of_weight(unsigned weight) {
  return weight == 4U   ? Status::penetrating
         : weight == 3U ? Status::not_converged
         : weight == 2U ? Status::touching
                        : Status::separated;
}

/// Status of two objects: `nearest` is the answer of the pair of parts with the smallest upper
/// bound, with the lower bound of all pairs of parts. Points and normal are those of that pair, so
/// the objects are not proved where it is not.
TACTUM_HOST_DEVICE Status object_status(const PairAnswer& nearest, double scale, double tolerance) {
  if (nearest.status == Status::not_converged) return Status::not_converged;
  return detail::status_of_bounds(nearest.lower, nearest.upper, nearest.distance, scale, tolerance);
}

/// Distance that parts are asked for, given what is known of the distance of the objects.
TACTUM_HOST_DEVICE float limit_of(double upper, const ObjectFrames& frames) {
  // a product of the larger side rounds up
  const auto rounded = static_cast<float>(upper);
  return rounded + (4 * kUnit<float> * std::fabs(rounded) + frames.slack);
}

#ifndef __CUDACC__

/// One pair of objects on the host, stage after stage as the kernels run them.
template <KindSet kKinds>
class HostObjectPair {
 public:
  HostObjectPair(const TableView<1>& parts, const ObjectArrays& arrays, int index_a,
                 const WorldPose& X_WA, int index_b, const WorldPose& X_WB)
      : parts_(parts),
        arrays_(arrays),
        a_(arrays.objects[index_a]),
        b_(arrays.objects[index_b]),
        poses_(poses_near_a(X_WA, X_WB)),
        X_AB_(relative_pose(X_WA, X_WB)),
        frames_(object_frames(X_AB_, a_, b_)) {}

  bool is_refused() const {
    const auto is_endless = [this](const ObjectRecord& object) {
      return parts_.exact[object.first_part].kind == CoreKind::half_space;
    };
    return !poses_.a.valid || !poses_.b.valid || (is_endless(a_) && is_endless(b_));
  }

  Status collision() {
    if (is_refused()) return Status::invalid_input;
    unsigned weight = weight_of(Status::separated);
    for_pairs(0.0, [&](int part_a, int part_b) {
      const Status found = collision_of_pair<kKinds>(parts_, part_a, pose_a(part_a), part_b,
                                                     pose_b(part_b));
      weight = std::max(weight, weight_of(found));
    });
    return status_of_weight(weight);
  }

  /// Points are relative to the origin of A, in the axes of the world.
  PairAnswer distance(double tolerance, bool depth = true) {
    if (is_refused()) return refused_answer();
    const NearCounts all = gather_objects(HostWarp{}, near_, arrays_.bounds, a_, b_, frames_,
                                          std::numeric_limits<float>::infinity());
    const NearPair first = near_pair(most_promising_pair(HostWarp{}, near_, all), all);
    const double upper = part_distance(near_.a.parts[first.a].own.part,
                                       near_.b.parts[first.b].own.part, tolerance, depth)
                             .upper;
    PairAnswer best = refused_answer();
    double lower = kInfinity, least_upper = kInfinity;
    for_pairs(upper, [&](int part_a, int part_b) {
      const PairAnswer found = part_distance(part_a, part_b, tolerance, depth);
      lower = smaller(lower, found.lower);
      if (found.upper < least_upper) {
        least_upper = found.upper;
        best = found;
      }
    });
    best.lower = lower;
    best.status = object_status(best, scale(), tolerance);
    return best;
  }

  double scale() const { return object_scale(a_, b_, X_AB_.translation); }
  int num_asked() const { return num_asked_; }  ///< pairs of parts of the last query

 private:
  WorldPose pose_a(int part) const { return part_pose(poses_.a, arrays_.poses + 7 * part); }
  WorldPose pose_b(int part) const { return part_pose(poses_.b, arrays_.poses + 7 * part); }

  PairAnswer part_distance(int part_a, int part_b, double tolerance, bool depth) const {
    const WorldPose X_WA = pose_a(part_a);
    PairAnswer answer = distance_of_pair<kKinds>(parts_, part_a, X_WA, part_b, pose_b(part_b),
                                                 tolerance, depth);
    answer.normal = rotated(X_WA.rotation, answer.normal);
    answer.point_a = rotated(X_WA.rotation, answer.point_a) + X_WA.translation;
    answer.point_b = rotated(X_WA.rotation, answer.point_b) + X_WA.translation;
    return answer;
  }

  template <class Visit>
  void for_pairs(double upper, Visit visit) {
    num_asked_ = 0;
    const float limit = limit_of(upper, frames_);
    const NearCounts counts = gather_objects(HostWarp{}, near_, arrays_.bounds, a_, b_, frames_,
                                             limit);
    for (int at = 0; at < counts.a * counts.b; at += kWarpLanes) {
      const unsigned kept = near_pairs(HostWarp{}, near_, counts, at, limit);
      for (int lane = 0; lane < kWarpLanes; ++lane) {
        if ((kept >> lane & 1U) == 0) continue;
        const NearPair pair = near_pair(at + lane, counts);
        ++num_asked_;
        visit(near_.a.parts[pair.a].own.part, near_.b.parts[pair.b].own.part);
      }
    }
  }

  TableView<1> parts_;
  ObjectArrays arrays_;
  ObjectRecord a_, b_;
  ObjectPoses poses_;
  RelativePose<double> X_AB_;
  ObjectFrames frames_;
  NearObjects near_;
  int num_asked_ = 0;
};

#endif

}  // namespace tactum::gpu
