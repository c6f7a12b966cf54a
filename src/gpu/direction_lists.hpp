// SPDX-License-Identifier: BSD-2-Clause
// Which vertices of a hull can be the farthest along a direction, by cells of directions: a search
// then looks at two or three vertices and not at all of them.
//
// Cells      directions seen from the middle of a cube, eight by eight on each of its sides. A
//            vertex is left out of the list of a cell where one other vertex is farther at all four
//            corners of the cell, and so for every direction in it. Cells are a little larger than
//            they need be, so that a direction which rounding puts next door finds its vertex all
//            the same: a list holds every vertex that can win.
// Lists      one word, four numbers of vertices of six bits each, the last one repeated: of 27
//            vertices one in a hundred cells sees more. All four are looked at, without a branch
//            between the loads. The last eight bits name a second word of such a list, or say that
//            all vertices are to be looked at.
#pragma once

#include "gpu/support.hpp"

namespace tactum::gpu {

inline constexpr int kCellsAlongSide = 8;
inline constexpr int kNumCells = 6 * kCellsAlongSide * kCellsAlongSide;
inline constexpr int kMostListedVertices = 64;
/// In the last eight bits of a list: the first word is the whole list, or all vertices can win.
/// Any other number n stands for word kNumCells + n - 1 of the hull.
inline constexpr std::uint32_t kShortList = 0, kAllVertices = 255;

using DirectionList = std::uint32_t;

/// The cell of a direction that is not zero.
TACTUM_HOST_DEVICE int direction_cell(Vector<float> u) {
  const float x = std::fabs(u.x), y = std::fabs(u.y), z = std::fabs(u.z);
  const bool along_x = x >= y && x >= z, along_y = !along_x && y >= z;
  const float major = along_x ? u.x : along_y ? u.y : u.z;
  const float a = along_x ? u.y : along_y ? u.z : u.x, b = along_x ? u.z : along_y ? u.x : u.y;
  const float half = 0.5F * static_cast<float>(kCellsAlongSide);
  const float unit = half * (1.0F / std::fabs(major));
  const auto place = [half, unit](float t) {
    const int cell = static_cast<int>(t * unit + half);
    return cell < kCellsAlongSide ? cell : kCellsAlongSide - 1;
  };
  const int side = (along_x ? 0 : along_y ? 2 : 4) + (major < 0 ? 1 : 0);
  return (side * kCellsAlongSide + place(a)) * kCellsAlongSide + place(b);
}

/// A hull as searches read it: vertices as x, y, z and a number that nobody reads, so many copies
/// of each side by side, and the lists of all cells.
template <int kReplicas>
struct ListedView {
  const FourFloats* vertices;
  const DirectionList* lists;
  int replica;

  TACTUM_HOST_DEVICE FourFloats vertex(const CoreRecord<float>& core, int index) const {
    return vertices[(4 * core.first_block + index) * kReplicas + replica];
  }
};

/// A hull as proofs and polytopes read it: vertices as they lie without lists, and the lists.
struct ListedBlocks {
  VertexView<1> vertices;
  const DirectionList* lists;

  TACTUM_HOST_DEVICE Vector<float> rounded_vertex(int first_block, int index) const {
    return vertices.rounded_vertex(first_block, index);
  }
};

namespace detail {

TACTUM_HOST_DEVICE int listed_vertex(DirectionList list, int i) {
  return static_cast<int>((list >> (6 * i)) & 0x3FU);
}
TACTUM_HOST_DEVICE std::uint32_t words_behind(DirectionList list) { return list >> 24U; }
TACTUM_HOST_DEVICE DirectionList second_word(const DirectionList* lists, std::uint32_t more) {
  return lists[kNumCells + static_cast<int>(more) - 1];
}

struct ListedBest {
  float value;
  int index;
};

TACTUM_HOST_DEVICE Vector<float> vertex_of(const CoreRecord<float>& core, const ListedBlocks& view,
                                           int index) {
  return view.rounded_vertex(core.first_block, index);
}
template <int kReplicas>
TACTUM_HOST_DEVICE Vector<float> vertex_of(const CoreRecord<float>& core,
                                           const ListedView<kReplicas>& view, int index) {
  const FourFloats v = view.vertex(core, index);
  return {v.x, v.y, v.z};
}

template <class View>
TACTUM_HOST_DEVICE void see_vertex(ListedBest& best, const CoreRecord<float>& core,
                                   const View& view, Vector<float> u, int index) {
  const Vector<float> v = vertex_of(core, view, index);
  const float value = dot_of(v.x, v.y, v.z, u);
  best.index = value > best.value ? index : best.index;
  best.value = larger(value, best.value);
}

template <class View>
TACTUM_HOST_DEVICE void see_four(ListedBest& best, const CoreRecord<float>& core, const View& view,
                                 Vector<float> u, DirectionList list) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int i = 0; i < 4; ++i) see_vertex(best, core, view, u, listed_vertex(list, i));
}

/// The farthest vertex of a hull, by the list of the cell of the direction.
template <class View>
TACTUM_HOST_DEVICE SupportPoint<float> listed_support(const CoreRecord<float>& core,
                                                      const View& view, Vector<float> u) {
  const DirectionList* const lists = view.lists + core.first_list;
  const DirectionList list = lists[direction_cell(u)];
  ListedBest best{-kLargest<float>, 0};
  see_four(best, core, view, u, list);
  if (const std::uint32_t more = words_behind(list); more == kAllVertices) {
    for (int i = 0; i < 4 * core.num_blocks; ++i) see_vertex(best, core, view, u, i);
  } else if (more != kShortList) {
    see_four(best, core, view, u, second_word(lists, more));
  }
  return {vertex_of(core, view, best.index), best.index};
}

/// The farthest vertex of a hull in double, by the list of the cell that holds the direction
/// rounded to single precision. The values that are compared are in double.
TACTUM_HOST_DEVICE SupportPoint<double> exact_listed_support(const CoreRecord<double>& core,
                                                             const ListedBlocks& view,
                                                             Vector<double> u) {
  const DirectionList* const lists = view.lists + core.first_list;
  const DirectionList list = lists[direction_cell(converted<float>(u))];
  int best = listed_vertex(list, 0);
  double best_value = dot(view.vertices.vertex(core.first_block, best), u);
  const auto see = [&](int index) {
    const double value = dot(view.vertices.vertex(core.first_block, index), u);
    best = value > best_value ? index : best;
    best_value = larger(value, best_value);
  };
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int i = 1; i < 4; ++i) see(listed_vertex(list, i));
  if (const std::uint32_t more = words_behind(list); more == kAllVertices) {
    for (int i = 0; i < 4 * core.num_blocks; ++i) see(i);
  } else if (more != kShortList) {
    for (int i = 0; i < 4; ++i) see(listed_vertex(second_word(lists, more), i));
  }
  return {view.vertices.vertex(core.first_block, best), best};
}

}  // namespace detail

/// Support by lists, for tables of hulls alone.
template <KindSet kKinds, int kReplicas>
TACTUM_HOST_DEVICE SupportPoint<float> support(const CoreRecord<float>& core,
                                               const ListedView<kReplicas>& view, Vector<float> u) {
  static_assert(kKinds == set_of(CoreKind::polytope));
  return detail::listed_support(core, view, u);
}
template <KindSet kKinds>
TACTUM_HOST_DEVICE SupportPoint<float> support(const CoreRecord<float>& core,
                                               const ListedBlocks& view, Vector<float> u) {
  static_assert(kKinds == set_of(CoreKind::polytope));
  return detail::listed_support(core, view, u);
}

/// Exact support by lists. No point of the core need be known before.
template <KindSet kKinds>
TACTUM_HOST_DEVICE SupportPoint<double> exact_support(const CoreRecord<double>& core,
                                                      const ListedBlocks& view, Vector<double> u,
                                                      double /*floor*/ = 0.0) {
  static_assert(kKinds == set_of(CoreKind::polytope));
  return detail::exact_listed_support(core, view, u);
}
template <KindSet kKinds>
TACTUM_HOST_DEVICE Vector<double> piece_point(const CoreRecord<double>& core,
                                              const ListedBlocks& view, std::int32_t piece,
                                              Vector<double> direction) {
  return piece_point<kKinds>(core, view.vertices, piece, direction);
}

}  // namespace tactum::gpu
