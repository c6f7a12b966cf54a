// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/gjkpp/hill_climbing_pair.hpp"

namespace tactum {
namespace {

CoreShape whole(CoreShape core) {
  core.inner_radius = 0.0;
  return core;
}

PlainCorePoint climb_support(const CoreShape& core, Double3 direction, std::int32_t start,
                             int& visited) {
  const int vertex = climb(*core.polytope, direction, start, visited);
  return {to_double3(core.polytope->vertex(vertex)), vertex};
}

PlainCorePoint closed_form_support(const CoreShape& core, Double3 direction, std::int32_t,
                                   int& visited) {
  // the patches of an STP volume are distinguished by unit vectors
  if (core.stp != nullptr) direction = (1.0 / direction.norm()) * direction;
  return core_support(core, direction, visited);
}

}  // namespace

int climb(const ConvexPolytope& polytope, Double3 direction, int start, int& visited) {
  int best = start, previous = start;
  double farthest = dot(to_double3(polytope.vertex(start)), direction);
  ++visited;
  while (true) {
    const int vertex = best;
    for (const std::int32_t neighbor : polytope.neighbors(vertex)) {
      if (neighbor == previous) continue;  // the vertex that the climb came from
      ++visited;
      const double value = dot(to_double3(polytope.vertex(neighbor)), direction);
      if (value > farthest) {
        farthest = value;
        best = neighbor;
      }
    }
    if (best == vertex) return best;
    previous = vertex;
  }
}

ClimbingPair::Support ClimbingPair::support_of(const CoreShape& core) {
  return core.kind == CoreShape::Kind::polytope ? &climb_support : &closed_form_support;
}

ClimbingPair::ClimbingPair(const CorePair& pair)
    : hints(pair.hints),
      a_(whole(pair.a())),
      b_(whole(pair.b())),
      support_a_(support_of(a_)),
      support_b_(support_of(b_)),
      X_AB_(pair.X_AB()),
      scale_(pair.scale()) {}

MinkowskiPoint ClimbingPair::support(const Vector3& direction) {
  ++support_calls;
  const Double3 d = to_double3(direction);
  const PlainCorePoint a = support_a_(a_, d, hints[0], vertices_visited);
  const PlainCorePoint b = support_b_(b_, -transposed_product(X_AB_.rotation, d), hints[1],
                                      vertices_visited);
  hints = {a.piece, b.piece};
  MinkowskiPoint result = point(to_vector3(a.point), to_vector3(b.point));
  result.piece = hints;
  return result;
}

MinkowskiPoint ClimbingPair::point(const Vector3& a, const Vector3& b_B) const {
  const Double3 w = product(X_AB_.rotation, to_double3(b_B)) + to_double3(X_AB_.translation) -
                    to_double3(a);
  return {to_vector3(w), a, {0, 0}, b_B};
}

}  // namespace tactum
