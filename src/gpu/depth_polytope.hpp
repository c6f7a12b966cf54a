// SPDX-License-Identifier: BSD-2-Clause
// The expanding polytope (van den Bergen 2001) of one pair whose cores overlap, by a warp.
//
// Computes   a polytope of points of M = B - A around the origin, cores without their swept radii,
//            in the frame of A, whose nearest face lies on the boundary of M.
// Claims     nothing. It ends with names of corners and triples of them; what these prove is found
//            in double by `depth_proof.hpp`.
// Fails      where rounding turns a face over, or where there is no room for another corner.
//
// The polytope lies in shared memory; face i belongs to lane i mod 32, and lanes work on 32 faces
// at a time, a round. A new corner takes away the faces that see it; each edge that only one of
// them has gets a new face with the new corner. Sets of edges are bits: row u, bit v for the edge
// from u to v, so that one look tells whether the neighbor across an edge goes too.
#pragma once

#include "gpu/certificate.hpp"
#include "gpu/warp.hpp"

// Rounds are few, mostly one: code that is repeated for more of them would not fit the cache of
// instructions, in which every warp is somewhere else.
#ifdef __CUDACC__
#define TACTUM_NOT_UNROLLED _Pragma("unroll 1")
#else
#define TACTUM_NOT_UNROLLED
#endif

namespace tactum::gpu {

/// Outward unit normal of a face, and its distance from the origin.
template <class Real>
struct alignas(16) FacePlane {
  Vector<Real> normal;
  Real offset;
};
template <class Real>
struct alignas(16) CornerPoint {
  Vector<Real> point;
};

template <class Real, class SomeTag, int kMostRounds>
struct DepthPolytope {
  using Number = Real;
  using Tag = SomeTag;
  static constexpr int kRounds = kMostRounds;
  static constexpr int kFaces = kWarpLanes * kRounds;
  static constexpr int kCorners = kFaces / 2;  ///< a triangulated sphere has 2 n - 4 faces
  static constexpr int kWords = kCorners / kWarpLanes;
  static constexpr std::uint32_t kNoFace = 0xFFFFFFFFU;
  static_assert(kCorners <= 256 && kCorners % kWarpLanes == 0);

  FacePlane<Real> planes[kFaces];
  CornerPoint<Real> corners[kCorners];
  Tag tags[kCorners];
  std::uint32_t faces[kFaces];  ///< three corners, counterclockwise seen from outside, eight bits
                                ///< each; kNoFace: none
  std::uint32_t edges[kCorners][kWords];
  std::uint16_t horizon[kFaces];  ///< edges that get a new face: from, to, eight bits each

  TACTUM_HOST_DEVICE Vector<Real> point(int corner) const { return corners[corner].point; }
  TACTUM_HOST_DEVICE bool has_edge(int from, int to) const {
    return (edges[from][to / kWarpLanes] >> (to % kWarpLanes) & 1U) != 0;
  }
  TACTUM_HOST_DEVICE void clear_edges(int lane) {
    for (int row = lane; row < kCorners; row += kWarpLanes) {
      for (int word = 0; word < kWords; ++word) edges[row][word] = 0;
    }
  }
};

/// Corner 0, 1 or 2 of a face.
TACTUM_HOST_DEVICE int corner_in(std::uint32_t face, int which) {
  return static_cast<int>(face >> (8 * which) & 0xFFU);
}
TACTUM_HOST_DEVICE std::uint32_t face_of(int a, int b, int c) {
  return static_cast<std::uint32_t>(a | b << 8 | c << 16);
}

enum class PolytopeState : std::uint8_t {
  growing,
  converged,  ///< the nearest face seems to be one of M
  full,       ///< there is no room for another corner
  broken      ///< rounding has turned a face over
};

/// The sizes of a polytope, which every lane knows.
struct PolytopeSize {
  int num_corners;
  int num_rounds;  ///< all faces are below 32 times this
  int nearest;     ///< the face that was last the nearest: once converged, no point is beyond it
  PolytopeState state;
};

/// The pair in the precision of the polytope. Each lane keeps one vertex of each hull, those of B
/// in the frame of A.
template <class Warp, class Real, int kReplicas>
struct WarpPair {
  const CoreRecord<Real>& a;
  const CoreRecord<Real>& b;
  const VertexView<kReplicas>& view;
  RelativePose<Real> X_AB;
  Real scale;
  Real tolerance;  ///< relative to the scale
  typename Warp::template PerLane<Vector<Real>> vertex_a, vertex_b;
};

namespace detail {

template <class Real, int kReplicas>
TACTUM_HOST_DEVICE Vector<Real> vertex_in(const VertexView<kReplicas>& view,
                                          const CoreRecord<Real>& core, int index) {
  if constexpr (sizeof(Real) == sizeof(double)) {
    return view.vertex(core.first_block, index);
  } else {
    return view.rounded_vertex(core.first_block, index);
  }
}

/// The farthest vertex of a hull, by all lanes; `kept` are its first vertices, and `later` gives
/// the others.
template <class Warp, class Real, class Later>
TACTUM_WARP_CODE SupportPoint<Real> hull_support_by_warp(
    const Warp& warp, const typename Warp::template PerLane<Vector<Real>>& kept, int num_vertices,
    Vector<Real> u, Later later) {
  const Best<Real> best = warp.template largest<Real>([&](int lane) {
    Best<Real> mine{lane < num_vertices ? dot(kept[lane], u) : -kLargest<Real>, lane};
    TACTUM_NOT_UNROLLED
    for (int i = lane + kWarpLanes; i < num_vertices; i += kWarpLanes) {
      const Real value = dot(later(i), u);
      if (value > mine.value) mine = {value, i};
    }
    return mine;
  });
  if (best.name < kWarpLanes) return {Warp::from_lane(kept, best.name), best.name};
  return {later(best.name), best.name};
}

/// The point of M farthest along the outward direction, and its name.
template <KindSet kKinds, class Warp, class Real, class Tag, int kReplicas>
TACTUM_WARP_CODE Vector<Real> point_of_warp(const Warp& warp,
                                            const WarpPair<Warp, Real, kReplicas>& pair,
                                            Vector<Real> outward, Tag& tag) {
  SupportPoint<Real> of_a, of_b;
  if (is<kKinds>(pair.a.kind, CoreKind::polytope)) {
    of_a = hull_support_by_warp<Warp, Real>(warp, pair.vertex_a, 4 * pair.a.num_blocks, -outward,
                                            [&](int i) { return vertex_in(pair.view, pair.a, i); });
  } else {
    of_a = plain_support<kKinds>(pair.a, -outward);
  }
  if (is<kKinds>(pair.b.kind, CoreKind::polytope)) {
    of_b = hull_support_by_warp<Warp, Real>(
        warp, pair.vertex_b, 4 * pair.b.num_blocks, outward,
        [&](int i) { return moved_to_a(pair.X_AB, vertex_in(pair.view, pair.b, i)); });
  } else {
    of_b = plain_support<kKinds>(pair.b, turned_to_b(pair.X_AB, outward));
    of_b.point = moved_to_a(pair.X_AB, of_b.point);
  }
  set_tag(tag, static_cast<std::uint32_t>(of_a.piece | (of_b.piece << 8)), -outward);
  return of_b.point - of_a.point;
}

/// Gives the face its corners and its plane; false where the origin is not behind it, which only
/// rounding can do. A face without area has no plane: it is never the nearest and sees nothing.
template <class Polytope>
TACTUM_HOST_DEVICE bool place_face(Polytope& polytope, int at, int i, int j, int k) {
  using Real = typename Polytope::Number;
  const Vector<Real> a = polytope.point(i), ab = polytope.point(j) - a, ac = polytope.point(k) - a,
                     normal = cross(ab, ac);
  const Real area = squared_norm(normal), thin = 16 * kUnit<Real>;
  const bool spans = area > thin * thin * squared_norm(ab) * squared_norm(ac);
  const Real unit = spans ? 1 / std::sqrt(area) : Real(0), offset = unit * dot(normal, a);
  polytope.faces[at] = face_of(i, j, k);
  polytope.planes[at] = {unit * normal, spans ? offset : kLargest<Real>};
  return !spans || offset > 0;
}

/// The face nearest to the origin.
template <class Warp, class Polytope>
TACTUM_WARP_CODE int nearest_face(const Warp& warp, const Polytope& polytope, int num_rounds) {
  using Real = typename Polytope::Number;
  return warp
      .template largest<Real>([&](int lane) {
        Best<Real> mine{-polytope.planes[lane].offset, lane};
        TACTUM_NOT_UNROLLED
        for (int round = 1; round < num_rounds; ++round) {
          const int face = lane + round * kWarpLanes;
          const Real value = -polytope.planes[face].offset;
          if (value > mine.value) mine = {value, face};
        }
        return mine;
      })
      .name;
}

/// Whether a corner of this name is there already: then there is no progress.
template <class Warp, class Polytope, class Tag>
TACTUM_WARP_CODE bool has_corner(const Warp& warp, const Polytope& polytope, int num_corners,
                                 const Tag& tag) {
  return warp.ballot([&](int lane) {
    bool known = false;
    for (int i = lane; i < Polytope::kCorners; i += kWarpLanes)
      known = known || (i < num_corners && same_point(polytope.tags[i], tag));
    return known;
  }) != 0;
}

/// Takes away the faces that see the point and marks their edges; no edge is marked before.
template <class Warp, class Polytope, class Real>
TACTUM_WARP_CODE void take_away(const Warp& warp, Polytope& polytope, const PolytopeSize& size,
                                Vector<Real> point, Real margin) {
  warp.each([&](int lane) {
    TACTUM_NOT_UNROLLED
    for (int round = 0; round < size.num_rounds; ++round) {
      const int face = lane + round * kWarpLanes;
      FacePlane<Real>& plane = polytope.planes[face];
      if (!(dot(plane.normal, point) - plane.offset > margin)) continue;
      const std::uint32_t corners = polytope.faces[face];
      for (int i = 0; i < 3; ++i) {
        const int to = corner_in(corners, (i + 1) % 3);
        Warp::set_bit(polytope.edges[corner_in(corners, i)][to / kWarpLanes], to % kWarpLanes);
      }
      plane.offset = -1;
    }
  });
}

/// Which edges of a face that is taken away get a new face, as three bits.
template <class Polytope>
TACTUM_HOST_DEVICE unsigned horizon_of_face(const Polytope& polytope, int face) {
  if (!(polytope.planes[face].offset < 0)) return 0;
  const std::uint32_t corners = polytope.faces[face];
  const int a = corner_in(corners, 0), b = corner_in(corners, 1), c = corner_in(corners, 2);
  return (polytope.has_edge(b, a) ? 0U : 1U) | (polytope.has_edge(c, b) ? 0U : 2U) |
         (polytope.has_edge(a, c) ? 0U : 4U);
}

/// Lists the edges that get a new face and frees the faces taken away. Returns how many edges there
/// are.
template <class Warp, class Polytope>
TACTUM_WARP_CODE int collect_horizon(const Warp& warp, Polytope& polytope, int num_rounds) {
  using Real = typename Polytope::Number;
  int count = 0;
  TACTUM_NOT_UNROLLED
  for (int round = 0; round < num_rounds; ++round) {
    typename Warp::template PerLane<unsigned> mine;
    warp.each([&](int lane) { mine[lane] = horizon_of_face(polytope, lane + round * kWarpLanes); });
    const unsigned first = warp.ballot([&](int lane) { return (mine[lane] & 1U) != 0; }),
                   second = warp.ballot([&](int lane) { return (mine[lane] & 2U) != 0; }),
                   third = warp.ballot([&](int lane) { return (mine[lane] & 4U) != 0; });
    warp.each([&](int lane) {
      const int face = lane + round * kWarpLanes;
      if (!(polytope.planes[face].offset < 0)) return;
      const std::uint32_t corners = polytope.faces[face];
      const unsigned before = (1U << lane) - 1U;
      int place = count + count_bits(first & before) + count_bits(second & before) +
                  count_bits(third & before);
      for (int i = 0; i < 3; ++i) {
        if ((mine[lane] >> i & 1U) == 0 || place >= Polytope::kFaces) continue;
        polytope.horizon[place++] = static_cast<std::uint16_t>(
            corner_in(corners, i) | corner_in(corners, (i + 1) % 3) << 8);
      }
      polytope.planes[face] = {{0, 0, 0}, kLargest<Real>};
      polytope.faces[face] = Polytope::kNoFace;
    });
    count += count_bits(first) + count_bits(second) + count_bits(third);
  }
  return count;
}

/// Joins each edge of the horizon with the new corner, in places that are free. False where there
/// are too few of them, or where rounding turned a face over.
template <class Warp, class Polytope>
TACTUM_WARP_CODE bool close_horizon(const Warp& warp, Polytope& polytope, PolytopeSize& size,
                                    int num_edges, int corner) {
  int placed = 0;
  unsigned turned_over = 0;
  TACTUM_NOT_UNROLLED
  for (int round = 0; round < Polytope::kRounds && placed < num_edges; ++round) {
    size.num_rounds = round < size.num_rounds ? size.num_rounds : round + 1;
    const unsigned empty = warp.ballot(
        [&](int lane) { return polytope.faces[lane + round * kWarpLanes] == Polytope::kNoFace; });
    turned_over |= warp.ballot([&](int lane) {
      const int edge = placed + count_bits(empty & ((1U << lane) - 1U));
      bool good = true;
      if ((empty >> lane & 1U) != 0 && edge < num_edges) {
        good = place_face(polytope, lane + round * kWarpLanes, polytope.horizon[edge] & 0xFF,
                          polytope.horizon[edge] >> 8, corner);
      }
      return !good;
    });
    placed += count_bits(empty);
  }
  warp.each([](int /*lane*/) {});
  return placed >= num_edges && turned_over == 0;
}

}  // namespace detail

template <KindSet kKinds, class Warp, class Real, int kReplicas>
TACTUM_WARP_CODE void keep_vertices(const Warp& warp, WarpPair<Warp, Real, kReplicas>& pair) {
  if (detail::is<kKinds>(pair.a.kind, CoreKind::polytope)) {
    warp.each([&](int lane) {
      const int last = 4 * pair.a.num_blocks - 1;
      pair.vertex_a[lane] = detail::vertex_in(pair.view, pair.a, lane < last ? lane : last);
    });
  }
  if (detail::is<kKinds>(pair.b.kind, CoreKind::polytope)) {
    warp.each([&](int lane) {
      const int last = 4 * pair.b.num_blocks - 1;
      pair.vertex_b[lane] = moved_to_a(
          pair.X_AB, detail::vertex_in(pair.view, pair.b, lane < last ? lane : last));
    });
  }
}

/// Forms the points that a search ended with, in double, from their names.
template <KindSet kKinds, class Warp, class Polytope, class ExactPair, class SearchTag,
          int kReplicas>
TACTUM_WARP_CODE void place_corners(const Warp& warp, Polytope& polytope, const ExactPair& exact,
                                    const VertexView<kReplicas>& view,
                                    const LaneResult<SearchTag>& result) {
  using Real = typename Polytope::Number;
  warp.each([&](int lane) {
    TACTUM_NOT_UNROLLED
    for (int face = lane; face < Polytope::kFaces; face += kWarpLanes) {
      polytope.faces[face] = Polytope::kNoFace;
      polytope.planes[face] = {{0, 0, 0}, kLargest<Real>};
    }
    if (lane >= result.size) return;
    const SearchTag tag = lane == 0   ? result.tag_0
                          : lane == 1 ? result.tag_1
                          : lane == 2 ? result.tag_2
                                      : result.tag_3;
    typename Polytope::Tag name;
    set_tag(name, tag.pieces, converted<Real>(direction_of(tag)));
    polytope.tags[lane] = name;
    polytope.corners[lane].point = converted<Real>(
        detail::corner_of<kKinds>(exact, view, name).point);
  });
}

/// Begins with a tetrahedron, corners 0 to 3, that seems to hold the origin.
template <class Warp, class Polytope>
TACTUM_WARP_CODE PolytopeSize begin_tetrahedron(const Warp& warp, Polytope& polytope) {
  const auto a = polytope.point(0);
  const bool turned = dot(cross(polytope.point(1) - a, polytope.point(2) - a),
                          polytope.point(3) - a) > 0;
  const unsigned turned_over = warp.ballot([&](int lane) {
    if (lane >= 4) return false;
    // opposite to corner 3, 2, 1, 0, seen from outside where corner 3 is behind 0, 1, 2
    const int i = lane == 3 ? 1 : 0,
              j = lane == 0   ? 1
                  : lane == 2 ? 2
                              : 3,
              k = lane == 1   ? 1
                  : lane == 2 ? 3
                              : 2;
    return !detail::place_face(polytope, lane, i, turned ? k : j, turned ? j : k);
  });
  warp.each([](int /*lane*/) {});
  return {4, 1, 0, turned_over == 0 ? PolytopeState::growing : PolytopeState::broken};
}

/// Makes the point of M farthest along a direction a corner.
template <KindSet kKinds, class Warp, class Polytope, class Pair>
TACTUM_WARP_CODE void place_support(const Warp& warp, Polytope& polytope, const Pair& pair,
                                    int corner, Vector<typename Polytope::Number> outward) {
  typename Polytope::Tag tag;
  const auto point = detail::point_of_warp<kKinds>(warp, pair, outward, tag);
  warp.each([&](int lane) {
    if (lane != corner) return;
    polytope.corners[corner].point = point;
    polytope.tags[corner] = tag;
  });
}

/// Begins with a triangle or a segment through the origin, corners 0 to `num_corners` - 1, as
/// shapes in line leave it: two more points along the normal of the triangle, or three around the
/// segment, make a double pyramid over three sides.
template <KindSet kKinds, class Warp, class Polytope, class Pair>
TACTUM_WARP_CODE PolytopeSize begin_double_pyramid(const Warp& warp, Polytope& polytope,
                                                   const Pair& pair, int num_corners) {
  using Real = typename Polytope::Number;
  const Vector<Real> a = polytope.point(0), along = polytope.point(1) - a;
  const bool on_triangle = num_corners == 3;
  if (on_triangle) {
    const Vector<Real> normal = cross(along, polytope.point(2) - a);
    place_support<kKinds>(warp, polytope, pair, 3, normal);
    place_support<kKinds>(warp, polytope, pair, 4, -normal);
  } else {
    // any direction across, not one that an edge of a box may have
    const Vector<Real> some = std::fabs(along.x) < std::fabs(along.y)
                                  ? Vector<Real>{Real(1), Real(0.31), Real(0.17)}
                                  : Vector<Real>{Real(0.23), Real(1), Real(0.41)};
    const Vector<Real> across = cross(along, some);
    const Real unit = 1 / larger(norm(along), kTiny<Real>);
    const Vector<Real> third = unit * cross(along, across);
    const Real half = Real(0.5), sine = Real(0.8660254037844386);
    place_support<kKinds>(warp, polytope, pair, 2, across);
    place_support<kKinds>(warp, polytope, pair, 3, sine * third - half * across);
    place_support<kKinds>(warp, polytope, pair, 4, -sine * third - half * across);
  }
  const int ring = on_triangle ? 0 : 2, top = on_triangle ? 3 : 1, bottom = on_triangle ? 4 : 0;
  const unsigned turned_over = warp.ballot([&](int lane) {
    if (lane >= 6) return false;
    const int i = ring + lane % 3, j = ring + (lane + 1) % 3;
    return !(lane < 3 ? detail::place_face(polytope, lane, i, j, top)
                      : detail::place_face(polytope, lane, j, i, bottom));
  });
  warp.each([](int /*lane*/) {});
  return {5, 1, 0, turned_over == 0 ? PolytopeState::growing : PolytopeState::broken};
}

/// Begins with the points that a search ended with.
template <KindSet kKinds, class Warp, class Polytope, class Pair, class ExactPair, class SearchTag>
TACTUM_WARP_CODE PolytopeSize begin_polytope(const Warp& warp, Polytope& polytope, const Pair& pair,
                                             const ExactPair& exact,
                                             const LaneResult<SearchTag>& result) {
  place_corners<kKinds>(warp, polytope, exact, pair.view, result);
  if constexpr (sizeof(typename Polytope::Number) == sizeof(double)) {
    if (result.size < 4) return begin_double_pyramid<kKinds>(warp, polytope, pair, result.size);
  }
  return begin_tetrahedron(warp, polytope);
}

/// One more corner: the point of M farthest along the normal of the nearest face.
template <KindSet kKinds, class Warp, class Polytope, class Pair>
TACTUM_WARP_CODE void grow_polytope(const Warp& warp, Polytope& polytope, PolytopeSize& size,
                                    const Pair& pair) {
  using Real = typename Polytope::Number;
  size.nearest = detail::nearest_face(warp, polytope, size.num_rounds);
  const FacePlane<Real> plane = polytope.planes[size.nearest];
  typename Polytope::Tag tag;
  const Vector<Real> point = detail::point_of_warp<kKinds>(warp, pair, plane.normal, tag);
  const Real gap = larger(pair.tolerance, 8 * kUnit<Real>) * pair.scale;
  if (!(dot(plane.normal, point) - plane.offset > gap) ||
      detail::has_corner(warp, polytope, size.num_corners, tag)) {
    size.state = PolytopeState::converged;
    return;
  }
  if (size.num_corners == Polytope::kCorners) {
    size.state = PolytopeState::full;
    return;
  }
  const int corner = size.num_corners++;
  warp.each([&](int lane) {
    polytope.clear_edges(lane);
    if (lane != corner % kWarpLanes) return;
    polytope.corners[corner].point = point;
    polytope.tags[corner] = tag;
  });
  detail::take_away(warp, polytope, size, point, 4 * kUnit<Real> * pair.scale);
  const int num_edges = detail::collect_horizon(warp, polytope, size.num_rounds);
  if (num_edges > Polytope::kFaces ||
      !detail::close_horizon(warp, polytope, size, num_edges, corner))
    size.state = PolytopeState::broken;
}

}  // namespace tactum::gpu
