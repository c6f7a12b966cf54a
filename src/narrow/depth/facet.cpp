// SPDX-License-Identifier: BSD-2-Clause
#include "narrow/depth/facet.hpp"

#include "math/triangle_normal.hpp"

namespace tactum {
namespace {

using Kind = CoreShape::Kind;

/// Whether the weights of three vertices, some of which may be equal, define a point of the hull of
/// these vertices.
bool is_convex(const std::array<double, 3>& weight, int i, int j, int k) {
  const double at_i = weight[0] + (j == i ? weight[1] : 0.0) + (k == i ? weight[2] : 0.0);
  const double at_j = weight[1] + (i == j ? weight[0] : 0.0) + (k == j ? weight[2] : 0.0);
  const double at_k = weight[2] + (i == k ? weight[0] : 0.0) + (j == k ? weight[1] : 0.0);
  return std::min(at_i, std::min(at_j, at_k)) >= 0.0;
}

}  // namespace

Facet facet_of(const CorePair& pair, const std::array<PiecePair, 3>& vertices,
               const std::array<Double3, 3>& w) {
  Facet facet;
  set_facet(pair, vertices, w, facet);
  return facet;
}

void set_facet(const CorePair& pair, const std::array<PiecePair, 3>& vertices,
               const std::array<Double3, 3>& w, Facet& facet) {
  facet.vertices = vertices;
  for (std::size_t i = 0; i < 3; ++i) {
    facet.a[i] = core_vertex(pair.a(), vertices[i][0]);
    facet.b_B[i] = core_vertex(pair.b(), vertices[i][1]);
  }
  const auto edge = [&](std::size_t i) {
    return product(pair.X_AB().rotation, facet.b_B[i] - facet.b_B[0]) - (facet.a[i] - facet.a[0]);
  };
  const Double3 e1 = edge(1), e2 = edge(2), area = cross(e2, e1);
  const double squared = area.squared_norm();
  facet.normal = {0.0, 0.0, 0.0};
  facet.value = 0.0;
  facet.weights = {-1.0, -1.0, -1.0};
  if (!(squared > 0.0)) return;
  const double inverse = 1.0 / squared;
  facet.normal = squared > kExactSine * kExactSine * e1.squared_norm() * e2.squared_norm()
                     ? std::sqrt(inverse) * area
                     : to_double3(triangle_normal(to_vector3(e2), to_vector3(e1)));
  facet.value = std::max(dot(facet.normal, w[0]),
                         std::max(dot(facet.normal, w[1]), dot(facet.normal, w[2])));
  const Double3 around = cross(area, w[0]);
  facet.weights[1] = dot(around, e2) * inverse;
  facet.weights[2] = -dot(around, e1) * inverse;
  facet.weights[0] = 1.0 - facet.weights[1] - facet.weights[2];
}

bool contains_projection(const Facet& facet) {
  const auto& [p, q, r] = facet.vertices;
  return is_convex(facet.weights, p[0], q[0], r[0]) && is_convex(facet.weights, p[1], q[1], r[1]);
}

SeparationOptimum optimum_at_projection(const CorePair& pair, const Facet& facet, double lower) {
  const auto interpolate = [&](const std::array<Double3, 3>& corners) {
    return facet.weights[0] * corners[0] + facet.weights[1] * corners[1] +
           facet.weights[2] * corners[2];
  };
  const Double3 point_a = interpolate(facet.a);
  const Double3 point_b = product(pair.X_AB().rotation, interpolate(facet.b_B)) +
                          to_double3(pair.X_AB().translation);
  const double residual = (point_b - point_a - lower * facet.normal).norm();
  return {to_vector3(facet.normal), lower, to_vector3(point_a), to_vector3(point_b), residual};
}

}  // namespace tactum
