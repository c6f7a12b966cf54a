// SPDX-License-Identifier: BSD-2-Clause
// Projection of a point on a hull, by a walk from vertex to vertex.
//
// Computes   the point of a hull nearest to x outside. At a vertex v it takes, of the edges along
//            which x lies ahead, the one that comes nearest to x, and of the neighbors beside that
//            edge the one whose triangle comes nearer still. A projection beyond the far end moves
//            the walk there. The distance falls with every move. A projection that no neighbor
//            improves is the nearest point, if x is on that side of the hull.
// Proof      is left to the caller: one support along x minus its projection shows whether the
//            projection is right.
#pragma once

#include "math/double3.hpp"
#include "shape/hull/convex_polytope.hpp"

namespace tactum {

class HullProjection {
 public:
  /// Takes a hull of dimension 3. The walk begins at the vertex farthest along `direction`.
  HullProjection(const ConvexPolytope& hull, Double3 direction) : hull_(&hull) {
    vertex_ = hull.support_vertex(&direction.x, visited_);
  }

  double support(Double3 n) {
    return dot(n, to_double3(hull_->vertex(hull_->support_vertex(&n.x, visited_))));
  }

  /// A point of the hull: the nearest one to x or, where the walk does not end, a vertex on its
  /// way.
  Double3 nearest_point(Double3 x) {
    Double3 found;
    for (int step = 0; step < kMostSteps; ++step) {
      if (search_around(x, found)) return found;
    }
    return to_double3(hull_->vertex(vertex_));
  }

  int visited() const { return visited_; }  ///< vertices evaluated for supports

 private:
  static constexpr int kMostSteps = 32, kMostTurns = 4;
  static constexpr double kThinnest = 1e-12;  ///< smallest squared sine of a corner of a triangle

  /// The edge at the vertex that comes nearest to r, as its far vertex; r starts at the vertex. -1
  /// where r lies ahead along none. It has no branches, because they could not be predicted.
  std::int32_t best_edge(Double3 origin, Double3 r) const {
    std::int32_t best = -1;
    double best_gain = 0.0;
    for (const std::int32_t neighbor : hull_->neighbors(vertex_)) {
      const Double3 edge = to_double3(hull_->vertex(neighbor)) - origin;
      const double square = edge.squared_norm(), ahead = dot(edge, r);
      const double t = std::min(1.0, std::max(0.0, ahead / square)),
                   gain = t * (2.0 * ahead - t * square);
      best = gain > best_gain ? neighbor : best;
      best_gain = std::max(best_gain, gain);
    }
    return best;
  }

  /// The neighbor whose triangle with the edge to `first` comes nearest to `rest`, which is
  /// orthogonal to that edge; -1 where none lies ahead.
  std::int32_t best_side(std::int32_t first, Double3 origin, Double3 edge, double inverse,
                         Double3 rest) const {
    std::int32_t best = -1;
    double best_gain = 0.0;
    for (const std::int32_t neighbor : hull_->neighbors(vertex_)) {
      const Double3 side = to_double3(hull_->vertex(neighbor)) - origin;
      const double square = side.squared_norm(), along = dot(side, edge),
                   ahead = std::max(0.0, dot(side, rest));
      const double gain = ahead * ahead /
                          std::max(square - along * along * inverse, kThinnest * square);
      const double counted = neighbor == first ? 0.0 : gain;
      best = counted > best_gain ? neighbor : best;
      best_gain = std::max(best_gain, counted);
    }
    return best;
  }

  /// Looks for the projection around the vertex. False where it is not there; then the vertex has
  /// moved on.
  bool search_around(Double3 x, Double3& found) {
    const Double3 origin = to_double3(hull_->vertex(vertex_)), r = x - origin;
    found = origin;
    std::int32_t first = best_edge(origin, r);
    for (int turn = 0; turn < kMostTurns && first >= 0; ++turn) {
      const Double3 edge = to_double3(hull_->vertex(first)) - origin;
      const double inverse = 1.0 / edge.squared_norm(), t = inverse * dot(edge, r);
      if (t >= 1.0) {
        vertex_ = first;
        return false;
      }
      found = origin + std::max(t, 0.0) * edge;
      const Double3 rest = r - t * edge;
      const std::int32_t second = best_side(first, origin, edge, inverse, rest);
      if (second < 0) return true;
      const Double3 side = to_double3(hull_->vertex(second)) - origin;
      const double along = inverse * dot(side, edge);
      const Double3 across = side - along * edge;
      const double of_second = dot(side, rest) / across.squared_norm(),
                   of_first = t - of_second * along;
      found = origin + t * edge + of_second * across;
      if (of_first >= 0.0) {
        if (of_first + of_second <= 1.0) return true;
        vertex_ = of_first > of_second ? first : second;
        return false;
      }
      first = second;  // the projection is past that edge
    }
    found = origin;  // the last point found lies past an edge, outside
    return true;
  }

  const ConvexPolytope* hull_;
  std::int32_t vertex_ = 0;
  int visited_ = 0;
};

}  // namespace tactum
