// SPDX-License-Identifier: BSD-2-Clause
// GJK in uniform flow, for host and device: the same instructions for every pair of hulls, however
// soon its answer is known (see include/tactum/gpu/uniform_flow.hpp).
#pragma once

#include "gpu/gjk_lane.hpp"

namespace tactum::gpu {

namespace detail {

/// Support of a hull over `num_blocks` blocks: those behind its own repeat its last one.
template <int kReplicas>
TACTUM_HOST_DEVICE Vector<float> padded_support(const CoreRecord<float>& core,
                                                const VertexView<kReplicas>& view, int num_blocks,
                                                Vector<float> u) {
  float best = -kLargest<float>;
  Vector<float> point{0, 0, 0};
  for (int i = 0; i < num_blocks; ++i) {
    const int block = core.first_block + (i < core.num_blocks ? i : core.num_blocks - 1);
    const FourFloats x = view.coordinate(block, 0), y = view.coordinate(block, 1),
                     z = view.coordinate(block, 2);
    const FourValues value = values_of(view, block, u);
    const auto see = [&](float found, Vector<float> vertex) {
      point = chosen(found > best, vertex, point);
      best = larger(found, best);
    };
    see(value.a, {x.x, y.x, z.x});
    see(value.b, {x.y, y.y, z.y});
    see(value.c, {x.z, y.z, z.z});
    see(value.d, {x.w, y.w, z.w});
  }
  return point;
}

}  // namespace detail

/// Whether the search seems to find the origin in B - A. `num_blocks` is the largest of all hulls.
template <int kReplicas>
TACTUM_HOST_DEVICE bool uniform_flow_hit(const CoreRecord<float>& a, const CoreRecord<float>& b,
                                         const VertexView<kReplicas>& view,
                                         const RelativePose<float>& X_AB, int num_blocks,
                                         int iterations) {
  GjkLane<float, PieceTag> lane;
  lane.X_AB = X_AB;
  begin(lane, a, b, 0.0F, 0.0F);
  bool hit = false, apart = false;
  for (int i = 0; i < iterations; ++i) {
    const Vector<float> direction = lane.nearest;
    const Vector<float> of_a = detail::padded_support(a, view, num_blocks, direction);
    const Vector<float> of_b = detail::padded_support(b, view, num_blocks,
                                                      -turned_to_b(X_AB, direction));
    const Vector<float> point = moved_to_a(X_AB, of_b) - of_a;
    GjkLane<float, PieceTag> next = lane;
    detail::insert(next, point, PieceTag{0});
    float share = 0;
    const bool holds_origin = detail::reduce(next, share) || !(next.squared > 0);
    const bool ended = hit || apart;
    apart = apart || (!ended && dot(direction, point) > 0);
    hit = hit || (!ended && !apart && holds_origin);
    if (!hit && !apart) lane = next;
  }
  return hit;
}

}  // namespace tactum::gpu
