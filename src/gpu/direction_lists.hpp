// SPDX-License-Identifier: BSD-2-Clause
// Which vertices of a hull can be the farthest along a direction, by cells of directions: a search
// then looks at two or three vertices and not at all of them.
//
// Cells      directions seen from the middle of a cube, five by five on each of its sides. A vertex
//            is left out of the list of a cell where one other vertex is farther at all four
//            corners of the cell, and so for every direction in it. Cells are a little larger than
//            they need be, so that a direction which rounding puts next door finds its vertex all
//            the same: a list holds every vertex that can win.
// Lists      eight bytes, numbers of vertices in ascending order, the last one repeated. All eight
//            are looked at, without a branch between the loads. A bit says where eight are not
//            enough and all vertices are to be looked at.
#pragma once

#include "gpu/support.hpp"

namespace tactum::gpu {

inline constexpr int kCellsAlongSide = 5;
inline constexpr int kNumCells = 6 * kCellsAlongSide * kCellsAlongSide;
inline constexpr std::uint32_t kLongList = 0x80U;  ///< in the first byte
inline constexpr int kMostListedVertices = 64;

struct alignas(8) DirectionList {
  std::uint32_t first, second;
};

/// The cell of a direction that is not zero.
TACTUM_HOST_DEVICE int direction_cell(Vector<float> u) {
  const float x = std::fabs(u.x), y = std::fabs(u.y), z = std::fabs(u.z);
  const bool along_x = x >= y && x >= z, along_y = !along_x && y >= z;
  const float major = along_x ? u.x : along_y ? u.y : u.z;
  const float a = along_x ? u.y : along_y ? u.z : u.x, b = along_x ? u.z : along_y ? u.x : u.y;
  const float half = 0.5F * static_cast<float>(kCellsAlongSide), unit = half / std::fabs(major);
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

namespace detail {

struct ListedBest {
  float value;
  int index;
};

template <int kReplicas>
TACTUM_HOST_DEVICE void see_vertex(ListedBest& best, const CoreRecord<float>& core,
                                   const ListedView<kReplicas>& view, Vector<float> u, int index) {
  const FourFloats v = view.vertex(core, index);
  const float value = dot_of(v.x, v.y, v.z, u);
  best.index = value > best.value ? index : best.index;
  best.value = larger(value, best.value);
}

template <int kReplicas>
TACTUM_HOST_DEVICE void see_four(ListedBest& best, const CoreRecord<float>& core,
                                 const ListedView<kReplicas>& view, Vector<float> u,
                                 std::uint32_t four) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int i = 0; i < 4; ++i)
    see_vertex(best, core, view, u, static_cast<int>((four >> (8 * i)) & 0x3FU));
}

/// The farthest vertex of a hull, by the list of the cell of the direction.
template <int kReplicas>
TACTUM_HOST_DEVICE SupportPoint<float> hull_support(const CoreRecord<float>& core,
                                                    const ListedView<kReplicas>& view,
                                                    Vector<float> u) {
  const DirectionList list = view.lists[core.first_list + direction_cell(u)];
  ListedBest best{-kLargest<float>, 0};
  see_four(best, core, view, u, list.first);
  see_four(best, core, view, u, list.second);
  if ((list.first & kLongList) != 0) {
    best = {-kLargest<float>, 0};
    for (int i = 0; i < 4 * core.num_blocks; ++i) see_vertex(best, core, view, u, i);
  }
  const FourFloats v = view.vertex(core, best.index);
  return {{v.x, v.y, v.z}, best.index};
}

}  // namespace detail

/// Support by lists, for tables of hulls alone.
template <KindSet kKinds, int kReplicas>
TACTUM_HOST_DEVICE SupportPoint<float> support(const CoreRecord<float>& core,
                                               const ListedView<kReplicas>& view, Vector<float> u) {
  static_assert(kKinds == set_of(CoreKind::polytope));
  return detail::hull_support(core, view, u);
}

}  // namespace tactum::gpu
