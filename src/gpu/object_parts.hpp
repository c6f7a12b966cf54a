// SPDX-License-Identifier: BSD-2-Clause
// Which parts of two objects may be near each other: bounds of parts, for host and device.
//
// Each part has a ball and a box about one center, the box along the axes of its object. All parts
// of a pair of objects share one relative rotation, so the box of a part in the frame of the other
// object costs nine products, once a part and not once a pair of parts. What is computed is a lower
// bound of the signed distance of two parts: the largest separation along the six axes of the
// frames and along the line of centers, or the gap of the boxes where that is larger.
//
// Single precision: a pose rounded to floats and the sums behind a bound are off by less than 16
// units of the extent of the pair (distance of the origins, and how far the objects reach from
// them); `slack` is twice that. Half-spaces have boxes of 1e30 m, which no bound excludes.
#pragma once

#include "gpu/relative_pose.hpp"
#include "gpu/warp.hpp"

namespace tactum::gpu {

inline constexpr int kMostParts = 64;  ///< of one object

/// Ball and box of a part, or of a whole object, in the frame of its object.
struct alignas(16) PartBounds {
  Vector<float> center;
  float radius;
  Vector<float> half;
  std::int32_t part;  ///< its record in the table of shapes
};

struct ObjectRecord {
  PartBounds whole;
  std::int32_t first_part;
  std::int32_t num_parts;
  double reach;  ///< m: no part is farther from the origin of the object
};

struct BoundingBox {
  Vector<float> center, half;
};

/// A part as both objects see it. Its 80 bytes are five times sixteen: eight lanes that read eight
/// parts side by side meet in no bank of shared memory.
struct alignas(16) PlacedPart {
  PartBounds own;     ///< in the frame of its object
  BoundingBox other;  ///< in the frame of the other object
  float unused[6];
};
static_assert(sizeof(PlacedPart) == 80);

/// The pose of object B in the frame of object A, for bounds.
struct ObjectFrames {
  RelativePose<float> X_AB;
  float slack;  ///< m: what rounding can do to a bound
};

/// Beyond this distance squares of lengths leave the range of a float, and nothing is excluded.
inline constexpr float kFarthestBounds = 1e15F;

TACTUM_HOST_DEVICE ObjectFrames object_frames(const RelativePose<double>& X_AB,
                                              const ObjectRecord& a, const ObjectRecord& b) {
  ObjectFrames frames{converted<float>(X_AB), 0.0F};
  const float far = norm(frames.X_AB.translation);
  const float extent = far + static_cast<float>(a.reach) + static_cast<float>(b.reach);
  frames.slack = far < kFarthestBounds ? 32 * kUnit<float> * extent
                                       : std::numeric_limits<float>::infinity();
  return frames;
}

namespace detail {

TACTUM_HOST_DEVICE Vector<float> absolute(Vector<float> v) {
  return {std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)};
}

}  // namespace detail

/// A part of A, and its box in the frame of B.
TACTUM_HOST_DEVICE PlacedPart placed_part_of_a(const ObjectFrames& frames, const PartBounds& part) {
  const RelativePose<float>& X = frames.X_AB;
  return {part,
          {turned_to_b(X, part.center - X.translation),
           part.half.x * detail::absolute(X.row_x) + part.half.y * detail::absolute(X.row_y) +
               part.half.z * detail::absolute(X.row_z)},
          {}};
}

/// A part of B, and its box in the frame of A.
TACTUM_HOST_DEVICE PlacedPart placed_part_of_b(const ObjectFrames& frames, const PartBounds& part) {
  const RelativePose<float>& X = frames.X_AB;
  return {part,
          {moved_to_a(X, part.center),
           {dot(detail::absolute(X.row_x), part.half), dot(detail::absolute(X.row_y), part.half),
            dot(detail::absolute(X.row_z), part.half)}},
          {}};
}

/// Lower bound of the signed distance of two parts, but for the slack of their frames.
TACTUM_HOST_DEVICE float lower_bound(const PlacedPart& a, const PlacedPart& b) {
  const Vector<float> between_A = b.other.center - a.own.center,
                      between_B = a.other.center - b.own.center;
  const Vector<float> gap_A = detail::absolute(between_A) - (a.own.half + b.other.half),
                      gap_B = detail::absolute(between_B) - (b.own.half + a.other.half);
  const float along_axes = larger(larger(larger(gap_A.x, gap_A.y), gap_A.z),
                                  larger(larger(gap_B.x, gap_B.y), gap_B.z));
  const float of_balls = norm(between_A) - (a.own.radius + b.own.radius);
  const auto positive = [](Vector<float> v) {
    return Vector<float>{larger(v.x, 0.0F), larger(v.y, 0.0F), larger(v.z, 0.0F)};
  };
  const float squared = larger(squared_norm(positive(gap_A)), squared_norm(positive(gap_B)));
  return larger(of_balls, along_axes > 0 ? std::sqrt(squared) : along_axes);
}

/// Parts of one side of a row that may be near the other object. Room for one warp.
struct NearParts {
  PlacedPart parts[kMostParts];
};

/// Collects the parts of an object whose bounds are within `limit` of the whole other object, in
/// order; returns how many. `place` gives a part as both objects see it.
template <class Warp, class Place>
TACTUM_WARP_CODE int gather_parts(const Warp& warp, NearParts& near, const PartBounds* parts,
                                  int num_parts, const PlacedPart& other_whole, float limit,
                                  Place place) {
  int count = 0;
  for (int first = 0; first < num_parts; first += kWarpLanes) {
    typename Warp::template PerLane<PlacedPart> mine;
    const unsigned kept = warp.ballot([&](int lane) {
      if (first + lane >= num_parts) return false;
      mine[lane] = place(parts[first + lane]);
      return lower_bound(mine[lane], other_whole) <= limit;
    });
    warp.each([&](int lane) {
      if ((kept >> lane & 1U) != 0)
        near.parts[count + count_bits(kept & ((1U << lane) - 1U))] = mine[lane];
    });
    count += count_bits(kept);
  }
  return count;
}

/// Both sides of a row.
struct NearObjects {
  NearParts a, b;
};
struct NearCounts {
  int a, b;
};

/// Collects the parts of both objects that may be within `limit` of the other object.
template <class Warp>
TACTUM_WARP_CODE NearCounts gather_objects(const Warp& warp, NearObjects& near,
                                           const PartBounds* parts, const ObjectRecord& a,
                                           const ObjectRecord& b, const ObjectFrames& frames,
                                           float limit) {
  const PlacedPart whole_a = placed_part_of_a(frames, a.whole),
                   whole_b = placed_part_of_b(frames, b.whole);
  NearCounts counts{0, 0};
  if (!(lower_bound(whole_a, whole_b) <= limit)) return counts;
  counts.a = gather_parts(warp, near.a, parts + a.first_part, a.num_parts, whole_b, limit,
                          [&](const PartBounds& part) { return placed_part_of_a(frames, part); });
  if (counts.a == 0) return {0, 0};
  counts.b = gather_parts(warp, near.b, parts + b.first_part, b.num_parts, whole_a, limit,
                          [&](const PartBounds& part) { return placed_part_of_b(frames, part); });
  return counts.b == 0 ? NearCounts{0, 0} : counts;
}

/// Two places among the near parts.
struct NearPair {
  int a, b;
};
/// Pair number `at` of the product of both sides, which has at most 4096: the quotient is exact,
/// and the division is that of a constant of the row.
TACTUM_HOST_DEVICE NearPair near_pair(int at, NearCounts counts) {
  const int inverse = ((1 << 20) + counts.b - 1) / counts.b, row = at * inverse >> 20;
  return {row, at - row * counts.b};
}

/// Which of the 32 pairs of parts from `first` on are within `limit`, as bits.
template <class Warp>
TACTUM_WARP_CODE unsigned near_pairs(const Warp& warp, const NearObjects& near, NearCounts counts,
                                     int first, float limit) {
  return warp.ballot([&](int lane) {
    if (first + lane >= counts.a * counts.b) return false;
    const NearPair pair = near_pair(first + lane, counts);
    return lower_bound(near.a.parts[pair.a], near.b.parts[pair.b]) <= limit;
  });
}

/// The pair of parts with the smallest lower bound: where to look first.
template <class Warp>
TACTUM_WARP_CODE int most_promising_pair(const Warp& warp, const NearObjects& near,
                                         NearCounts counts) {
  return warp
      .template largest<float>([&](int lane) {
        Best<float> mine{-kLargest<float>, 0};
        for (int at = lane; at < counts.a * counts.b; at += kWarpLanes) {
          const NearPair pair = near_pair(at, counts);
          const float value = -lower_bound(near.a.parts[pair.a], near.b.parts[pair.b]);
          if (value > mine.value) mine = {value, at};
        }
        return mine;
      })
      .name;
}

/// The pose of a part in the world, from the poses of its object and of the part in the object.
TACTUM_HOST_DEVICE WorldPose part_pose(const WorldPose& X_WO, const double* X_OP) {
  const Quaternion in_object{X_OP[3], X_OP[4], X_OP[5], X_OP[6]};
  return {product(X_WO.rotation, in_object),
          X_WO.translation + rotated(X_WO.rotation, {X_OP[0], X_OP[1], X_OP[2]}), X_WO.valid};
}

}  // namespace tactum::gpu
