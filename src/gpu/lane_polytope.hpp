// SPDX-License-Identifier: BSD-2-Clause
// The expanding polytope of one pair of polyhedral cores that overlap, by one lane: most pairs need
// few corners, and 32 lanes with a pair each do ten times the work of a warp with one pair.
//
// Computes   what depth_polytope.hpp does, with at most 16 corners.
// Claims     nothing. It ends with names of corners and triples of them; `deepest_face_of_lane`
//            says in double what they prove.
// Fails      where there is no room for another corner or face, or where rounding turned a face
//            over: a warp with more room takes the pair then.
//
// The polytope of a lane lies in shared memory, word i of all lanes side by side.
#pragma once

#include <bit>

#include "gpu/depth_proof.hpp"

namespace tactum::gpu {

inline constexpr int kLaneCorners = 16;
inline constexpr int kLaneFaces = 2 * kLaneCorners - 4;

/// The polytope with which a lane ended; a face names each corner by four bits.
struct alignas(16) EndedPolytope {
  std::uint32_t tags[kLaneCorners / 2];  ///< two in a word
  std::uint32_t faces[kLaneFaces / 2];   ///< two in a word
  std::uint8_t num_corners, num_faces, nearest;
  PolytopeState state;
  std::uint32_t unused;

  TACTUM_HOST_DEVICE PieceTag tag(int i) const { return {tags[i / 2] >> (16 * (i % 2)) & 0xFFFFU}; }
  TACTUM_HOST_DEVICE std::uint32_t face(int i) const {
    return faces[i / 2] >> (16 * (i % 2)) & 0xFFFFU;
  }
};
static_assert(sizeof(EndedPolytope) == 96);

TACTUM_HOST_DEVICE std::uint32_t short_face(int a, int b, int c) {
  return static_cast<std::uint32_t>(a | b << 4 | c << 8);
}
TACTUM_HOST_DEVICE int short_corner(std::uint32_t face, int which) {
  return static_cast<int>(face >> (4 * which) & 0xFU);
}

/// The words of one lane, kStride apart.
template <int kStride>
class LanePolytope {
 public:
  static constexpr int kCornerWords = 3 * kLaneCorners;
  static constexpr int kPlaneWords = 4 * kLaneFaces;
  static constexpr int kWords = kCornerWords + kPlaneWords + kLaneFaces + kLaneCorners;

  int num_corners = 0, num_faces = 0, nearest = 0;
  PolytopeState state = PolytopeState::growing;

  TACTUM_HOST_DEVICE explicit LanePolytope(std::uint32_t* words) : words_(words) {}

  TACTUM_HOST_DEVICE Vector<float> corner(int i) const { return vector_at(3 * i); }
  TACTUM_HOST_DEVICE FacePlane<float> plane(int i) const {
    return {vector_at(kCornerWords + 4 * i), offset(i)};
  }
  TACTUM_HOST_DEVICE float offset(int i) const { return number_at(kCornerWords + 4 * i + 3); }
  TACTUM_HOST_DEVICE std::uint32_t& face(int i) const {
    return word(kCornerWords + kPlaneWords + i);
  }
  /// Name of the corner: the pieces of A and B, eight bits each.
  TACTUM_HOST_DEVICE std::uint32_t tag(int i) const { return named_edges(i) >> 16; }
  /// Bit v of row u: the edge from u to v belongs to a face that is taken away.
  TACTUM_HOST_DEVICE std::uint32_t edges(int i) const { return named_edges(i) & 0xFFFFU; }
  TACTUM_HOST_DEVICE void mark_edge(int from, int to) { named_edges(from) |= 1U << to; }
  TACTUM_HOST_DEVICE void clear_edges(int from) { named_edges(from) &= 0xFFFF0000U; }

  TACTUM_HOST_DEVICE void add_corner(Vector<float> point, std::uint32_t pieces) {
    put(3 * num_corners, point);
    named_edges(num_corners) = pieces << 16;
    ++num_corners;
  }

  /// Gives the face its corners and its plane; false where the origin is not behind it. A face
  /// without area has no plane: it is never the nearest and sees nothing.
  TACTUM_HOST_DEVICE bool place_face(int at, int i, int j, int k) {
    const Vector<float> a = corner(i), ab = corner(j) - a, ac = corner(k) - a,
                        normal = cross(ab, ac);
    const float area = squared_norm(normal), thin = 16 * kUnit<float>;
    const bool spans = area > thin * thin * squared_norm(ab) * squared_norm(ac);
    const float unit = spans ? 1 / std::sqrt(area) : 0.0F, distance = unit * dot(normal, a);
    face(at) = short_face(i, j, k);
    put(kCornerWords + 4 * at, unit * normal);
    word(kCornerWords + 4 * at + 3) = bits_of(spans ? distance : kLargest<float>);
    return !spans || distance > 0;
  }

  /// Writes everything, in step with other lanes; what is behind the last corner and the last face
  /// means nothing.
  TACTUM_HOST_DEVICE void write_to(EndedPolytope& to) const {
    for (int i = 0; i < kLaneCorners / 2; ++i) to.tags[i] = tag(2 * i) | tag(2 * i + 1) << 16;
    for (int i = 0; i < kLaneFaces / 2; ++i)
      to.faces[i] = (face(2 * i) & 0xFFFFU) | face(2 * i + 1) << 16;
    to.num_corners = static_cast<std::uint8_t>(num_corners);
    to.num_faces = static_cast<std::uint8_t>(num_faces);
    to.nearest = static_cast<std::uint8_t>(nearest);
    to.state = state;
    to.unused = 0;
  }

 private:
  static TACTUM_HOST_DEVICE std::uint32_t bits_of(float value) {
    return std::bit_cast<std::uint32_t>(value);
  }
  TACTUM_HOST_DEVICE std::uint32_t& word(int i) const { return words_[i * kStride]; }
  TACTUM_HOST_DEVICE std::uint32_t& named_edges(int i) const {
    return word(kCornerWords + kPlaneWords + kLaneFaces + i);
  }
  TACTUM_HOST_DEVICE float number_at(int i) const { return std::bit_cast<float>(word(i)); }
  TACTUM_HOST_DEVICE Vector<float> vector_at(int i) const {
    return {number_at(i), number_at(i + 1), number_at(i + 2)};
  }
  TACTUM_HOST_DEVICE void put(int i, Vector<float> v) {
    word(i) = bits_of(v.x), word(i + 1) = bits_of(v.y), word(i + 2) = bits_of(v.z);
  }

  std::uint32_t* words_;
};

/// The pair that a lane works on.
struct LanePair {
  RelativePose<float> X_AB;
  float gap;     ///< a point nearer than this beyond the nearest face ends the search
  float margin;  ///< what rounding can do to the place of a point
};

namespace detail {

/// A vertex of a polyhedral core in single precision.
template <KindSet kKinds, class View>
TACTUM_HOST_DEVICE Vector<float> rounded_piece(const CoreRecord<float>& core, const View& view,
                                               std::uint32_t piece) {
  if (is<kKinds>(core.kind, CoreKind::polytope))
    return view.rounded_vertex(core.first_block, static_cast<int>(piece));
  return box_corner(core.size, static_cast<std::int32_t>(piece));
}

/// Marks the edges of the faces that see the point; returns these faces as bits.
template <int kStride>
TACTUM_HOST_DEVICE unsigned mark_visible(LanePolytope<kStride>& polytope, Vector<float> point,
                                         float margin) {
  unsigned visible = 0;
  for (int i = 0; i < polytope.num_faces; ++i) {
    const FacePlane<float> plane = polytope.plane(i);
    visible |= dot(plane.normal, point) - plane.offset > margin ? 1U << i : 0U;
  }
  for (unsigned left = visible; left != 0; left &= left - 1) {
    const std::uint32_t corners = polytope.face(lowest_bit(left));
    const int a = short_corner(corners, 0), b = short_corner(corners, 1),
              c = short_corner(corners, 2);
    polytope.mark_edge(a, b);
    polytope.mark_edge(b, c);
    polytope.mark_edge(c, a);
  }
  return visible;
}

/// Edges around the faces that see a new corner, eight bits each: at most one from each of fifteen
/// other corners.
class Horizon {
 public:
  int count = 0;

  TACTUM_HOST_DEVICE void add(int from, int to) {
    const auto edge = static_cast<std::uint64_t>(from | to << 4);
    (count < 8 ? first_ : last_) |= edge << (8 * (count % 8));
    ++count;
  }
  TACTUM_HOST_DEVICE int from(int i) const { return edge(i) & 0xF; }
  TACTUM_HOST_DEVICE int to(int i) const { return edge(i) >> 4; }

 private:
  TACTUM_HOST_DEVICE int edge(int i) const {
    return static_cast<int>((i < 8 ? first_ : last_) >> (8 * (i % 8)) & 0xFFU);
  }
  std::uint64_t first_ = 0, last_ = 0;
};

/// The edges that only one of the marked faces has; takes the marks away.
template <int kStride>
TACTUM_HOST_DEVICE Horizon collected_horizon(LanePolytope<kStride>& polytope) {
  Horizon horizon;
  for (int from = 0; from < polytope.num_corners; ++from) {
    for (unsigned all = polytope.edges(from); all != 0; all &= all - 1) {
      const int to = lowest_bit(all);
      const bool inner = (polytope.edges(to) >> from & 1U) != 0;
      if (!inner && horizon.count < kLaneCorners) horizon.add(from, to);
    }
  }
  for (int i = 0; i < polytope.num_corners; ++i) polytope.clear_edges(i);
  return horizon;
}

/// Joins each edge of the horizon with the new corner, the last one, in the places of the faces
/// that see it first. All edges are known before the first face is made, so that lanes make their
/// faces in step.
template <int kStride>
TACTUM_HOST_DEVICE PolytopeState join_corner(LanePolytope<kStride>& polytope,
                                             const Horizon& horizon, unsigned visible) {
  PolytopeState state = PolytopeState::growing;
  for (int i = 0; i < horizon.count; ++i) {
    const int at = visible != 0 ? lowest_bit(visible) : polytope.num_faces;
    if (at >= kLaneFaces) return PolytopeState::full;
    polytope.num_faces += visible != 0 ? 0 : 1;
    visible &= visible - 1;
    if (!polytope.place_face(at, horizon.from(i), horizon.to(i), polytope.num_corners - 1))
      state = PolytopeState::broken;
  }
  // a disc of faces has two more edges around it than it has faces
  return visible != 0 ? PolytopeState::broken : state;
}

}  // namespace detail

/// Begins with the four points that a search ended with.
template <KindSet kKinds, int kStride, class View>
TACTUM_HOST_DEVICE void begin_polytope(LanePolytope<kStride>& polytope, const LanePair& pair,
                                       const CoreRecord<float>& a, const CoreRecord<float>& b,
                                       const View& view, const LaneResult<PieceTag>& result) {
  polytope.num_corners = 0;
  polytope.num_faces = 4;
  polytope.nearest = 0;
  const PieceTag tags[4] = {result.tag_0, result.tag_1, result.tag_2, result.tag_3};
  for (const PieceTag tag : tags) {
    const Vector<float> on_a = detail::rounded_piece<kKinds>(a, view, tag.pieces & 0xFFU),
                        on_b = detail::rounded_piece<kKinds>(b, view, tag.pieces >> 8 & 0xFFU);
    polytope.add_corner(moved_to_a(pair.X_AB, on_b) - on_a, tag.pieces);
  }
  const Vector<float> first = polytope.corner(0);
  const bool turned = dot(cross(polytope.corner(1) - first, polytope.corner(2) - first),
                          polytope.corner(3) - first) > 0;
  const int p = turned ? 2 : 1, q = turned ? 1 : 2;
  // all four faces are placed, also behind one that is turned over
  const bool good[4] = {polytope.place_face(0, 0, p, q), polytope.place_face(1, 0, 3, p),
                        polytope.place_face(2, 0, q, 3), polytope.place_face(3, p, 3, q)};
  polytope.state = good[0] && good[1] && good[2] && good[3] ? PolytopeState::growing
                                                            : PolytopeState::broken;
}

/// One more corner: the point of M farthest along the normal of the nearest face.
template <KindSet kKinds, int kStride, class View>
TACTUM_HOST_DEVICE void grow_polytope(LanePolytope<kStride>& polytope, const LanePair& pair,
                                      const CoreRecord<float>& a, const CoreRecord<float>& b,
                                      const View& view) {
  int nearest = 0;
  float least = polytope.offset(0);
  for (int i = 1; i < polytope.num_faces; ++i) {
    const float offset = polytope.offset(i);
    nearest = offset < least ? i : nearest;
    least = smaller(offset, least);
  }
  polytope.nearest = nearest;
  const Vector<float> outward = polytope.plane(nearest).normal;
  const SupportPoint<float> of_a = support<kKinds>(a, view, -outward),
                            of_b = support<kKinds>(b, view, turned_to_b(pair.X_AB, outward));
  const Vector<float> point = moved_to_a(pair.X_AB, of_b.point) - of_a.point;
  const auto pieces = static_cast<std::uint32_t>(of_a.piece | (of_b.piece << 8));
  bool known = !(dot(outward, point) - least > pair.gap);
  for (int i = 0; i < polytope.num_corners; ++i) known = known || polytope.tag(i) == pieces;
  if (known) {
    polytope.state = PolytopeState::converged;
    return;
  }
  if (polytope.num_corners == kLaneCorners) {
    polytope.state = PolytopeState::full;
    return;
  }
  const unsigned visible = detail::mark_visible(polytope, point, pair.margin);
  const detail::Horizon horizon = detail::collected_horizon(polytope);
  polytope.add_corner(point, pieces);
  polytope.state = detail::join_corner(polytope, horizon, visible);
}

TACTUM_HOST_DEVICE LanePair lane_pair(const RelativePose<float>& X_AB, float scale,
                                      float tolerance) {
  return {X_AB, larger(0.5F * tolerance, 8 * kUnit<float>) * scale, 4 * kUnit<float> * scale};
}

namespace detail {

TACTUM_HOST_DEVICE ExactFace exact_face(const EndedPolytope& polytope, const Vector<double>* points,
                                        int at) {
  const std::uint32_t corners = polytope.face(at);
  return {points[short_corner(corners, 0)], points[short_corner(corners, 1)],
          points[short_corner(corners, 2)]};
}

/// Whether the faces are a closed surface: no edge twice, and each with its reverse.
TACTUM_HOST_DEVICE bool is_closed(const EndedPolytope& polytope) {
  std::uint16_t edges[kLaneCorners] = {};
  bool closed = true;
  for (int i = 0; i < polytope.num_faces; ++i) {
    for (int k = 0; k < 3; ++k) {
      const int from = short_corner(polytope.face(i), k),
                to = short_corner(polytope.face(i), (k + 1) % 3);
      closed = closed && (edges[from] >> to & 1) == 0;
      edges[from] = static_cast<std::uint16_t>(edges[from] | 1 << to);
    }
  }
  for (int i = 0; i < polytope.num_faces; ++i) {
    for (int k = 0; k < 3; ++k) {
      const int from = short_corner(polytope.face(i), k),
                to = short_corner(polytope.face(i), (k + 1) % 3);
      closed = closed && (edges[to] >> from & 1) != 0;
    }
  }
  return closed;
}

}  // namespace detail

/// Finds by one lane what `deepest_face` finds by a warp.
template <KindSet kKinds, int kReplicas>
TACTUM_HOST_DEVICE DeepestFace<PieceTag> deepest_face_of_lane(const EndedPolytope& polytope,
                                                              const DoublePair& pair,
                                                              const VertexView<kReplicas>& view) {
  const DeepestFace<PieceTag> nothing{-kLargest<double>, {}, {}, {}, 0};
  if (polytope.state != PolytopeState::converged || !detail::is_closed(polytope)) return nothing;
  Vector<double> points[kLaneCorners];
  for (int i = 0; i < polytope.num_corners; ++i)
    points[i] = detail::corner_of<kKinds>(pair, view, polytope.tag(i)).point;
  double inside = kLargest<double>;
  float offsets[kLaneFaces];  // of the faces, for a first look at which are as far as another
  int nearest = 0;
  for (int i = 0; i < polytope.num_faces; ++i) {
    const double proved = detail::exact_face(polytope, points, i).proved_offset();
    offsets[i] = static_cast<float>(proved);
    nearest = proved < inside ? i : nearest;
    inside = smaller(proved, inside);
  }
  if (!(inside > 0.0) || polytope.num_faces == 0) return nothing;
  const auto offset_of = [&](int face) {
    const detail::ExactFace exact = detail::exact_face(polytope, points, face);
    return dot(exact.normal, exact.a) / norm(exact.normal);
  };
  double offset = offset_of(polytope.nearest);
  if (offset > inside + 0.25 * pair.tolerance * pair.scale) offset = offset_of(nearest);
  int chosen_face = nearest;
  double share = -kLargest<double>;
  for (int i = 0; i < polytope.num_faces; ++i) {
    if (!(std::fabs(static_cast<double>(offsets[i]) - offset) <= 1e-5 * pair.scale)) continue;
    const detail::ExactFace exact = detail::exact_face(polytope, points, i);
    if (!exact.is_as_far(offset)) continue;
    const double found = exact.projection_share();
    chosen_face = found > share ? i : chosen_face;
    share = larger(found, share);
  }
  const std::uint32_t corners = polytope.face(chosen_face);
  const auto tag = [&](int which) { return polytope.tag(short_corner(corners, which)); };
  return {inside, tag(0), tag(1), tag(2), polytope.num_corners - 4};
}

#ifndef __CUDACC__

/// The depth of one pair by one lane, on the host.
template <KindSet kKinds, int kReplicas>
PairAnswer depth_by_lane(const DoublePair& pair, const CoreRecord<float>& a,
                         const CoreRecord<float>& b, const VertexView<kReplicas>& view,
                         const LaneResult<PieceTag>& result) {
  std::uint32_t words[LanePolytope<1>::kWords];
  LanePolytope<1> polytope(words);
  const LanePair in_single = lane_pair(converted<float>(pair.X_AB), static_cast<float>(pair.scale),
                                       static_cast<float>(pair.tolerance));
  begin_polytope<kKinds>(polytope, in_single, a, b, view, result);
  while (polytope.state == PolytopeState::growing)
    grow_polytope<kKinds>(polytope, in_single, a, b, view);
  EndedPolytope ended{};
  polytope.write_to(ended);
  return certified_depth<kKinds>(pair, view, deepest_face_of_lane<kKinds>(ended, pair, view),
                                 result.iterations);
}

#endif

}  // namespace tactum::gpu
