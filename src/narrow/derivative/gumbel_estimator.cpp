// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/derivative/gumbel_estimator.hpp"

#include <array>
#include <bitset>

#include "narrow/derivative/smoothing_scale.hpp"
#include "shape/support/core_support.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;
constexpr double kRelativeTemperature = 0.1;  // of the mean edge length
constexpr int kMaxVertices = 1024;  // most vertices in all rings together; farther ones weigh
                                    // nothing

/// Softmax-weighted moments of the vertices about the support vertex, in the plane. The support
/// vertex is highest, so no weight exceeds 1.
class SoftMoments {
 public:
  SoftMoments(const TangentPlane& plane, Double3 u, Double3 support, double temperature)
      : plane_(plane), u_(u), support_(support), temperature_(temperature) {}

  void add(Double3 vertex) {
    const Double3 edge = vertex - support_;
    const double exponent = dot(edge, u_) / temperature_;
    if (exponent < -700.0) return;  // the weight would underflow
    const double weight = std::exp(exponent);
    const Double2 at = plane_.project(edge);
    weight_ += weight;
    first_ = first_ + weight * at;
    second_ = second_ + weight * Matrix22::outer(at, at);
  }
  Matrix22 hessian() const {
    const Double2 mean = (1.0 / weight_) * first_;
    return (1.0 / temperature_) * ((1.0 / weight_) * second_ - Matrix22::outer(mean, mean));
  }

 private:
  const TangentPlane& plane_;
  Double3 u_, support_;
  double temperature_;
  double weight_ = 0.0;
  Double2 first_{0.0, 0.0};
  Matrix22 second_ = Matrix22::zero();
};

Double3 box_vertex(Double3 half, int index) {
  return {index & 1 ? -half.x : half.x, index & 2 ? -half.y : half.y, index & 4 ? -half.z : half.z};
}

/// Calls add(vertex) for every vertex of a box or segment within the given number of edges of the
/// support vertex.
template <class Add>
void visit_small(const CoreShape& core, int support, int rings, const Add& add) {
  if (core.kind == Kind::segment) {
    add(core_piece(core, support, Vector3::UnitX()).point);
    if (rings > 0) add(core_piece(core, 1 - support, Vector3::UnitX()).point);
    return;
  }
  for (int index = 0; index < 8; ++index) {
    if (static_cast<int>(std::bitset<3>(static_cast<unsigned>(index ^ support)).count()) <= rings)
      add(to_vector3(box_vertex(to_double3(core.size), index)));
  }
}

/// A set of vertices, by open addressing: a hull may have so many vertices that one bit for each
/// would be slow to clear.
class SeenVertices {
 public:
  SeenVertices() { slots_.fill(-1); }
  /// Inserts a vertex; false when it is in the set already.
  bool insert(std::int32_t vertex) {
    std::size_t slot = static_cast<std::uint32_t>(vertex) * 0x9e3779b9U >> (32U - kSlotBits);
    while (slots_[slot] != vertex) {
      if (slots_[slot] < 0) {
        slots_[slot] = vertex;
        return true;
      }
      slot = (slot + 1) % slots_.size();
    }
    return false;
  }

 private:
  static constexpr unsigned kSlotBits = 11;
  static_assert((1 << kSlotBits) >= 2 * kMaxVertices);
  std::array<std::int32_t, 1 << kSlotBits> slots_;
};

/// Calls add(vertex) for every vertex of a hull within the given number of edges of the support
/// vertex, breadth first, ring by ring.
template <class Add>
void visit_hull(const ConvexPolytope& hull, int support, int rings, const Add& add) {
  add(hull.vertex(support));
  if (rings == 1) {
    for (const std::int32_t neighbor : hull.neighbors(support)) add(hull.vertex(neighbor));
    return;
  }
  SeenVertices seen;
  std::array<std::int32_t, kMaxVertices> found;
  found[0] = support;
  seen.insert(support);
  std::size_t ring_begin = 0, count = 1;
  for (int ring = 0; ring < rings && ring_begin < count; ++ring) {
    const std::size_t ring_end = count;
    for (; ring_begin < ring_end; ++ring_begin) {
      for (const std::int32_t neighbor : hull.neighbors(found[ring_begin])) {
        if (count == found.size()) return;
        if (!seen.insert(neighbor)) continue;
        found[count++] = neighbor;
        add(hull.vertex(neighbor));
      }
    }
  }
}

template <class Add>
void visit_vertices(const CoreShape& core, int support, int rings, const Add& add) {
  if (core.kind == Kind::polytope) {
    visit_hull(*core.polytope, support, rings, add);
  } else {
    visit_small(core, support, rings, add);
  }
}

double mean_edge_length(const CoreShape& core, int support, const Vector3& at) {
  double sum = 0.0;
  int count = 0;
  visit_vertices(core, support, 1, [&](const Vector3& vertex) {
    const double length = (vertex - at).norm();
    if (length == 0.0) return;
    sum += length;
    ++count;
  });
  return count > 0 ? sum / count : 0.0;
}

void smooth_side(const Gumbel& estimator, std::optional<double> temperature, const Shape& shape,
                 double sign, const TangentPlane& plane, WitnessSide& side) {
  if (shape.core().kind == Kind::half_space) return;
  const TangentPlane local = plane.in_frame(side.rotation);
  side.feature = SupportFeature{};
  side.feature.hessian = gumbel_hessian(shape.core(), local, sign * local.normal, estimator.rings,
                                        temperature);
}

}  // namespace

bool has_vertices(const Shape& shape) {
  return shape.kind() == ShapeKind::box || shape.kind() == ShapeKind::capsule ||
         shape.kind() == ShapeKind::convex;
}

double mean_edge_length(const CoreShape& core, Double3 u) {
  if (core.kind == Kind::point) return 0.0;
  int visited = 0;
  const PlainCorePoint support = core_support(core, u, visited);
  return mean_edge_length(core, support.piece, to_vector3(support.point));
}

Matrix22 gumbel_hessian(const CoreShape& core, const TangentPlane& plane, Double3 u, int rings,
                        std::optional<double> temperature) {
  if (core.kind == Kind::point) return Matrix22::scaled_identity(core.radius);
  int visited = 0;
  const PlainCorePoint support = core_support(core, u, visited);
  const double used = temperature
                          ? *temperature
                          : kRelativeTemperature *
                                mean_edge_length(core, support.piece, to_vector3(support.point));
  SoftMoments moments(plane, u, support.point, used);
  visit_vertices(core, support.piece, rings,
                 [&](const Vector3& vertex) { moments.add(to_double3(vertex)); });
  return moments.hessian() + Matrix22::scaled_identity(core.radius);
}

void estimate(const Gumbel& estimator, const Shape& a, const Shape& b, WitnessPair& pair,
              TangentFrame frame, DistanceDerivative& result) {
  std::optional<double> temperature = estimator.temperature;
  if (temperature) temperature = angle_of(*temperature, estimator.relative_to, pair);
  smooth_side(estimator, temperature, a, 1.0, pair.plane, pair.a);
  smooth_side(estimator, temperature, b, -1.0, pair.plane, pair.b);
  fill_jacobians(pair, response_of(pair.a.feature, pair.b.feature, pair.distance, pair.scale),
                 frame, result);
}

}  // namespace tactum
