// SPDX-License-Identifier: BSD-2-Clause
// From pairs of triangles to the answer of a query: bounds, status, world frame.
#pragma once

#include "mesh/query/solid_overlap.hpp"
#include "mesh/query/triangle_pair.hpp"
#include "narrow/pair/pair_frame.hpp"
#include "tactum/geometry.hpp"

namespace tactum {

/// The frame of A, in which a query computes, and what its lengths are relative to.
struct MeshFrame {
  MeshFrame(const Pose& X_WA_, bool corrected_, double reach_a, double reach_b,
            const Vector3& between)
      : X_WA(X_WA_),
        corrected(corrected_),
        scale(std::max(between.stableNorm(), std::max(reach_a, reach_b))),
        slack(kBoundSlack * (between.stableNorm() + reach_a + reach_b)) {}

  double band() const { return kContactBand * scale; }

  Pose X_WA;
  bool corrected;
  double scale;  ///< m, of the pair
  double slack;  ///< m: what rounding of places and of a pair of triangles can move a bound by
};

/// The nearest pair of triangles so far, and what is proved of all.
class NearestPair {
 public:
  NearestPair(const MeshFrame& frame, double cutoff);

  /// Whether a separation of a pair, along any normal, settles that it does not count.
  bool settles(double separation) {
    if (!(separation > largest())) return false;
    lower_ = std::min(lower_, separation);
    return true;
  }
  /// Whether the pair is the nearest so far.
  bool take(const TrianglePair& pair, std::int32_t part_a, std::int32_t part_b);
  /// A bound of all pairs that were not looked at.
  void leave_out(double bound) { lower_ = std::min(lower_, bound); }
  /// A bound of all pairs, along a normal that the answer has where no pair was looked at.
  void leave_out_all(double bound, Double3 normal) {
    leave_out(bound);
    if (!found_) best_.normal = normal;
  }
  /// Whether a lower bound of all pairs is as large as rounding lets it be.
  bool is_attained(double bound, double gap) const { return found_ && best_.upper <= bound + gap; }

  bool found() const { return found_; }
  const TrianglePair& best() const { return best_; }
  std::int32_t part_a() const { return part_a_; }
  std::int32_t part_b() const { return part_b_; }
  /// No pair farther apart than this can count.
  double largest() const { return found_ ? std::min(farthest_, best_.upper) : farthest_; }
  /// Whether a pair shares a point for sure.
  bool crosses() const { return found_ && best_.upper + frame_.slack < 0.0; }
  /// Whether a pair is in contact, the contact band included.
  bool touches() const { return found_ && best_.lower <= frame_.band(); }

  GeometryDistance surface_answer(const DistanceOptions& options) const;
  /// The answer for solids in contact: no deeper than `lower`, which is not above 0.
  GeometryDistance touching_answer(const DistanceOptions& options, double lower) const;
  /// The answer for sets that overlap; `depth` is that of a point inside, 0 where none is known. Of
  /// surfaces the crossing is all that is claimed, of solids the shortest translation.
  GeometryDistance overlap_answer(const DistanceOptions& options, const Parting& parting,
                                  double depth, bool has_solid) const;
  Collision collision(bool inside) const;

 private:
  GeometryDistance in_world(const TrianglePair& pair, double distance) const;

  const MeshFrame& frame_;
  double cutoff_, farthest_;
  TrianglePair best_;
  std::int32_t part_a_ = 0, part_b_ = 0;
  bool found_ = false;
  double lower_ = std::numeric_limits<double>::infinity();
};

}  // namespace tactum
