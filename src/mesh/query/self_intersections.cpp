// SPDX-License-Identifier: BSD-2-Clause
// Triangles of one mesh that meet where they should not: the tree against itself.
//
// Neighbors share what they should, a corner or a side: what is left of one of them must not meet
// the other. Contact within rounding counts, as it does for two meshes.
#include <algorithm>
#include <array>
#include <vector>

#include "math/epsilon.hpp"
#include "mesh/query/placed_mesh.hpp"
#include "mesh/surface/weld.hpp"

namespace tactum {
namespace {

using Index = std::int32_t;

class Finder {
 public:
  Finder(const Mesh& mesh, std::size_t max_pairs)
      : mesh_(mesh),
        max_pairs_(max_pairs),
        place_(welded(mesh.vertices(), weld_tolerance(mesh.vertices()))),
        band_(64.0 * kEpsilon * mesh.reach()) {}

  std::vector<std::array<Index, 2>> find() {
    std::vector<std::array<Index, 2>> open(1, {0, 0});
    const auto add = [&](Index p, Index q) { open.push_back({p, q}); };
    const MeshTree& tree = mesh_.tree();
    for (unsigned step = 0; !open.empty() && found_.size() < max_pairs_; ++step) {
      if (step % 256 == 0) check_interrupt();
      const auto [i, j] = open.back();
      open.pop_back();
      const MeshTree::Node &a = tree.node(i), &b = tree.node(j);
      if (i == j) {
        if (a.is_leaf()) continue;
        add(i + 1, i + 1), add(a.second, a.second), add(i + 1, a.second);
      } else if (!are_near(a, b)) {
        continue;
      } else if (a.is_leaf() && b.is_leaf()) {
        look(a.triangle, b.triangle);
      } else if (b.is_leaf() || (!a.is_leaf() && size(a) >= size(b))) {
        add(i + 1, j), add(a.second, j);
      } else {
        add(i, j + 1), add(i, b.second);
      }
    }
    std::ranges::sort(found_);
    return std::move(found_);
  }

 private:
  static double size(const MeshTree::Node& node) {
    const Double3 half = node.half();
    return half.x + half.y + half.z;
  }

  bool are_near(const MeshTree::Node& a, const MeshTree::Node& b) const {
    const Double3 before = a.low() - b.high(), behind = b.low() - a.high();
    return std::max(before.largest(), behind.largest()) <= band_;
  }

  Index place(Index k, Index t) const {
    return place_[static_cast<std::size_t>(mesh_.triangles()(k, t))];
  }

  void look(Index s, Index t) {
    // corners of each in an order that begins with the shared ones
    std::array<Index, 3> own = {0, 1, 2}, other = {0, 1, 2};
    std::size_t shared = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = shared; j < 3; ++j) {
        if (place(own[i], s) != place(other[j], t)) continue;
        std::swap(own[shared], own[i]);
        std::swap(other[shared], other[j]);
        ++shared;
        break;
      }
    }
    const Triangle3 in_order = mesh_triangle(mesh_, s), in_order_t = mesh_triangle(mesh_, t);
    Triangle3 a, b;
    for (std::size_t k = 0; k < 3; ++k) {
      a[k] = in_order[static_cast<std::size_t>(own[k])];
      b[k] = in_order_t[static_cast<std::size_t>(other[k])];
    }
    if (meet(a, b, shared)) found_.push_back({std::min(s, t), std::max(s, t)});
  }

  /// Whether they share more than their first `shared` corners and what lies between these.
  bool meet(const Triangle3& a, const Triangle3& b, std::size_t shared) const {
    const auto touch = [&](const Triangle3& p, const Triangle3& q) {
      return triangle_distance(p, q).lower <= band_;
    };
    switch (shared) {
      case 0: return touch(a, b);
      case 1: return touch({a[1], a[2], a[2]}, b) || touch(a, {b[1], b[2], b[2]});
      case 2: return are_folded(a, b);
      default: return false;  // the same triangle twice is a duplicate
    }
  }

  /// Whether two triangles with a common side lie on each other.
  bool are_folded(const Triangle3& a, const Triangle3& b) const {
    const Double3 side = a[1] - a[0];
    const double square = side.squared_norm();
    if (!(square > 0.0)) return false;
    const auto across = [&](Double3 corner) {
      const Double3 v = corner - a[0];
      return v - (dot(side, v) / square) * side;
    };
    const Double3 u = across(a[2]), v = across(b[2]);
    const double nearer = std::min(u.norm(), v.norm());
    // how far the nearer corner is from the plane of the other triangle
    const double farther = std::max(u.norm(), v.norm());
    return dot(u, v) > 0.0 && nearer > band_ && cross(u, v).norm() <= band_ * farther;
  }

  const Mesh& mesh_;
  std::size_t max_pairs_;
  std::vector<Index> place_;  // for every vertex the first one in the same place
  double band_;               // m: contact within it counts
  std::vector<std::array<Index, 2>> found_;
};

}  // namespace

std::vector<std::array<std::int32_t, 2>> self_intersections(const Mesh& mesh,
                                                            std::size_t max_pairs) {
  return Finder(mesh, max_pairs).find();
}

}  // namespace tactum
