// SPDX-License-Identifier: BSD-2-Clause
// A warm start carries the end of one query of a pair to the next: a plain value of fixed size,
// owned by the caller.
//
// A warm start is a hint. The query that reads it proves its answer anew, so a warm start that is
// old, or of other shapes, costs time and never changes the answer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "tactum/pose.hpp"

namespace tactum {

/// Points of the Minkowski difference B - A, named by the vertices of A and of B they come from,
/// and triangles between them.
///
/// Without triangles it is the simplex where GJK ended: one to four points. With triangles it is
/// the polytope that proved a depth, the face nearest to the origin first. Invariant: the triangles
/// are a closed surface, every edge is run along once in each direction. Only what is in use is
/// copied or compared; the rest of the storage is never touched.
class WarmPolytope {
 public:
  static constexpr int max_vertices = 32;
  static constexpr int max_triangles = 2 * max_vertices - 4;
  static constexpr int largest_vertex = 0xFFFF;     ///< of a hull: those beyond have no name here
  using VertexPair = std::array<std::uint16_t, 2>;  ///< of A and of B
  using Triangle = std::array<std::uint8_t, 3>;  ///< into vertices(), counter-clockwise seen from
                                                 ///< outside

  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): nothing is in use
  WarmPolytope() {}
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): what is in use is copied
  WarmPolytope(const WarmPolytope& other) { copy(other); }
  WarmPolytope& operator=(const WarmPolytope& other) {
    if (this != &other) copy(other);
    return *this;
  }
  ~WarmPolytope() = default;

  std::span<const VertexPair> vertices() const { return {vertices_.data(), num_vertices_}; }
  std::span<const Triangle> triangles() const { return {triangles_.data(), num_triangles_}; }
  const VertexPair& largest() const { return largest_; }  ///< the largest vertex of A and of B

  /// Takes points and triangles. Returns false, and is empty afterwards, where they are too many or
  /// the triangles are not a closed surface.
  bool assign(std::span<const VertexPair> vertices, std::span<const Triangle> triangles);
  void clear() {
    num_vertices_ = num_triangles_ = 0;
    largest_ = {0, 0};
  }

  friend bool operator==(const WarmPolytope& a, const WarmPolytope& b) {
    return std::ranges::equal(a.vertices(), b.vertices()) &&
           std::ranges::equal(a.triangles(), b.triangles());
  }

 private:
  void copy(const WarmPolytope& other) {
    num_vertices_ = other.num_vertices_;
    num_triangles_ = other.num_triangles_;
    largest_ = other.largest_;
    std::copy_n(other.vertices_.data(), num_vertices_, vertices_.data());
    std::copy_n(other.triangles_.data(), num_triangles_, triangles_.data());
  }

  std::uint16_t num_vertices_ = 0;
  std::uint16_t num_triangles_ = 0;
  VertexPair largest_ = {0, 0};
  std::array<VertexPair, max_vertices> vertices_;
  std::array<Triangle, max_triangles> triangles_;
};

/// Where the last query of this pair ended. A default one means no knowledge; give it to the first
/// query of a pair that is to be tracked: a query without a warm start returns a direction and no
/// polytope.
struct WarmStart {
  Vector3 direction_A = Vector3::Zero();          ///< last normal in the frame of A; zero: none
  std::array<std::int32_t, 2> vertices = {0, 0};  ///< where the hull supports of A and B ended
  WarmPolytope polytope = {};  ///< of polyhedral shapes: what proved the last answer
  friend bool operator==(const WarmStart&, const WarmStart&) = default;
};

}  // namespace tactum
