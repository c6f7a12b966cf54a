// SPDX-License-Identifier: BSD-2-Clause
// Triangles of a mesh as plain numbers, boxes of two trees against each other, and supports.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "math/double3.hpp"
#include "math/epsilon.hpp"
#include "math/relative_pose.hpp"
#include "mesh/query/node_pair_bound.hpp"
#include "mesh/query/triangle_pair.hpp"
#include "mesh/surface/mesh_tree.hpp"
#include "tactum/interrupt.hpp"
#include "tactum/mesh.hpp"

namespace tactum {

inline Double3 mesh_vertex(const Mesh& mesh, std::int32_t index) {
  const double* const at = mesh.vertices().data() + 3 * static_cast<std::ptrdiff_t>(index);
  return {at[0], at[1], at[2]};
}

inline Triangle3 mesh_triangle(const Mesh& mesh, std::int32_t triangle) {
  const std::int32_t* const at = mesh.triangles().data() +
                                 3 * static_cast<std::ptrdiff_t>(triangle);
  return {mesh_vertex(mesh, at[0]), mesh_vertex(mesh, at[1]), mesh_vertex(mesh, at[2])};
}

inline Double3 placed(const Pose& X, Double3 p) {
  return product(X.rotation, p) + to_double3(X.translation);
}

inline Triangle3 placed(const Pose& X, const Triangle3& t) {
  return {placed(X, t[0]), placed(X, t[1]), placed(X, t[2])};
}

/// The largest n.x over the vertices, and one that has it.
struct MeshSupport {
  double height;
  Double3 point;
};
inline MeshSupport mesh_support(const Mesh& mesh, Double3 n) {
  MeshSupport best{-std::numeric_limits<double>::infinity(), {0.0, 0.0, 0.0}};
  const Double3 positive = {std::abs(n.x), std::abs(n.y), std::abs(n.z)};
  mesh.tree().least(
      std::numeric_limits<double>::infinity(),
      [&](const MeshTree::Node& node) {
        const double size = dot(positive, node.half());
        return -(dot(n, node.center()) + size * (1.0 + 1e-14));
      },
      [&](std::int32_t triangle) {
        for (const Double3 corner : mesh_triangle(mesh, triangle))
          if (dot(n, corner) > best.height) best = {dot(n, corner), corner};
        return -best.height;
      });
  return best;
}

/// Calls visit(triangle_a, triangle_b) for pairs of leaves whose bound is at most what the last
/// visit returned (at first `largest`), nearer ones first at every branching. Returns the smallest
/// bound of all pairs that were left out.
template <class Visit>
double visit_near_triangles(const MeshTree& a, const MeshTree& b, const NodePairBound& bound,
                            double largest, Visit&& visit) {
  struct Entry {
    double bound;
    std::int32_t a, b;
  };
  // a step goes down a level in one of the trees and leaves one pair behind
  Entry stack[2 * MeshTree::kMostDepth + 4];
  int size = 0;
  double left_out = std::numeric_limits<double>::infinity();
  const auto bounded = [&](std::int32_t i, std::int32_t j) {
    return Entry{bound(a.node(i), b.node(j), largest), i, j};
  };
  stack[size++] = bounded(0, 0);
  for (unsigned step = 0; size > 0; ++step) {
    if (step % 256 == 0) check_interrupt();
    const Entry entry = stack[--size];
    if (entry.bound > largest) {
      left_out = std::min(left_out, entry.bound);
      continue;
    }
    const MeshTree::Node &node_a = a.node(entry.a), &node_b = b.node(entry.b);
    if (node_a.is_leaf() && node_b.is_leaf()) {
      largest = visit(node_a.triangle, node_b.triangle);
      continue;
    }
    const Double3 half_a = node_a.half(), half_b = node_b.half();
    const bool split_a = node_b.is_leaf() ||
                         (!node_a.is_leaf() &&
                          half_a.x + half_a.y + half_a.z >= half_b.x + half_b.y + half_b.z);
    Entry first = split_a ? bounded(entry.a + 1, entry.b) : bounded(entry.a, entry.b + 1);
    Entry second = split_a ? bounded(node_a.second, entry.b) : bounded(entry.a, node_b.second);
    if (second.bound < first.bound) std::swap(first, second);
    stack[size++] = second;
    stack[size++] = first;
  }
  return left_out;
}

}  // namespace tactum
