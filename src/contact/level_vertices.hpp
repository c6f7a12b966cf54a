// SPDX-License-Identifier: BSD-2-Clause
// The level vertices of a hull: those that are support points of directions within an angle of the
// outward one.
//
// contact/hull_feature.hpp has the definition and says why a search along level edges finds all of
// them. A drop bounds the search: vertices farther than that below the support point are accepted
// as ends of level edges, and nothing beyond them.
#pragma once

#include "contact/feature.hpp"
#include "shape/hull/level_walk.hpp"

namespace tactum {

struct LevelVertex {
  double x, y;  ///< as it is seen, from the origin of the shape
  std::int32_t vertex;
  std::int32_t face;  ///< a triangle that it belongs to; -1: not known
};

class LevelVertices {
 public:
  static constexpr int kCapacity = 256;

  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): no vertex is in use
  LevelVertices() {}

  /// Finds all level vertices, the support vertex first. False when there are more than fit.
  /// `borderline` is set where a vertex or an edge is so close to a limit that rounding could
  /// decide.
  bool find(const SeenCore& seen, std::int32_t support, const FeatureReach& reach,
            bool& borderline);
  /// Adds a vertex unless it is there; false when there is no room.
  bool insert(const SeenCore& seen, std::int32_t vertex, std::int32_t face);

  std::size_t size() const { return static_cast<std::size_t>(met_.size()); }
  LevelVertex& operator[](std::size_t i) { return items_[i]; }
  LevelVertex* begin() { return items_.data(); }
  LevelVertex* end() { return items_.data() + met_.size(); }

 private:
  bool find_on_solid(const SeenCore& seen, const FeatureReach& reach, bool& borderline);
  bool find_on_polygon(const SeenCore& seen, const FeatureReach& reach, bool& borderline);
  /// The side of a polygon seen edge-on that is most level, if it is within the angle. It begins at
  /// the support vertex, because sides are steeper the farther they are from there.
  void add_level_side(const SeenCore& seen, const AngleLimit& angle, bool& borderline);

  std::array<LevelVertex, kCapacity> items_;  // those of met_, then in the order of a caller
  VertexSet<kCapacity> met_;
};

}  // namespace tactum
