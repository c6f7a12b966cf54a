// SPDX-License-Identifier: BSD-2-Clause
// Random shapes of every kind and random poses of every class of trouble, from explicit seeds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/convex_body.hpp"
#include "support/kinds.hpp"
#include "support/random.hpp"
#include "tactum/shape.hpp"

namespace tactum::testing {

/// Sizes 0.1 to 0.5 m times `unit`, sometimes with extreme proportions, sometimes with a margin;
/// hulls of 1 to 200 vertices, one in five flat.
Shape random_shape(ShapeKind kind, Random& random, double unit = 1.0);

enum class PoseClass : std::uint8_t {
  apart,
  grazing,
  shallow,
  deep,
  contained,
  concentric,
  parallel,
  far_from_origin,
  far_apart
};
inline constexpr int kNumPoseClasses = 9;
std::string_view to_string(PoseClass pose_class);

struct PairSample {
  Shape a;
  Shape b;
  Pose X_WA;
  Pose X_WB;
  PoseClass pose_class;

  /// Everything needed to run the case again: shapes, and poses in hexadecimal.
  std::string describe() const;
};

/// Relative pose of one class for a given pair; at most one is a half-space.
Pose random_relative_pose(PoseClass pose_class, const ConvexBody& a, const ConvexBody& b,
                          Random& random);

/// Shapes made once, pairs and poses drawn from them. Sample i depends on the seed, the kinds and i
/// alone.
class PairSampler {
 public:
  PairSampler(ShapeKind kind_a, ShapeKind kind_b, std::uint64_t seed, int num_shapes = 48);
  PairSample sample(std::uint64_t index) const;

 private:
  struct Entry {
    Shape shape;
    ConvexBody body;
  };
  std::vector<Entry> a_, b_;
  std::uint64_t seed_;
};

}  // namespace tactum::testing
