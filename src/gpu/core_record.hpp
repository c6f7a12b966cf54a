// SPDX-License-Identifier: BSD-2-Clause
// Shapes as the kernels read them: a convex core and a radius swept around it, and the vertices of
// hulls in blocks of four.
//
// Vertices  a hull takes whole blocks; the last one is filled up by repeating its last vertex. A
//           block is three records of four floats, the x, the y and the z of its vertices, so that
//           one 16-byte load brings one coordinate of four vertices. The same vertices in double
//           follow each other as x, y, z.
// Replicas  in shared memory each record of four floats may lie there eight times, side by side:
//           lane i reads copy i mod 8, and no two of the eight lanes that are served at once meet
//           in a bank, whatever hulls they look at.
#pragma once

#include "gpu/vector.hpp"

namespace tactum::gpu {

/// In the order of CoreShape::Kind.
enum class CoreKind : std::int32_t {
  point,
  segment,
  ellipsoid,
  box,
  cylinder,
  cone,
  polytope,
  half_space
};

using KindSet = unsigned;
TACTUM_HOST_DEVICE constexpr KindSet set_of(CoreKind kind) {
  return 1U << static_cast<unsigned>(kind);
}
inline constexpr KindSet kAllKinds = 0xFFU;
/// Cores whose support points are vertices, named by a number.
inline constexpr KindSet kPolyhedra = (1U << static_cast<unsigned>(CoreKind::point)) |
                                      (1U << static_cast<unsigned>(CoreKind::segment)) |
                                      (1U << static_cast<unsigned>(CoreKind::box)) |
                                      (1U << static_cast<unsigned>(CoreKind::polytope));

inline constexpr int kMostHullVertices = 256;

/// One shape. Lengths in metres, in the frame of the shape.
template <class Real>
struct CoreRecord {
  CoreKind kind;
  std::int32_t first_block;  ///< of a hull: first block of four vertices
  std::int32_t num_blocks;
  Real radius;  ///< swept around the core
  Real reach;   ///< largest distance of a point of the core from the origin of the frame
  Real offset;  ///< of a half-space; of an ellipsoid, the radius taken out of it and swept around
                ///< what is left
  Vector<Real> size;    ///< half extents; semi axes; (radius, half length, 0); unit normal of a
                        ///< half-space; half direction of a segment
  Vector<Real> center;  ///< of the bounding box of the core
  std::int32_t first_list = 0;  ///< of a hull: first of its lists of directions
};

struct alignas(16) FourFloats {
  float x, y, z, w;
};

/// Where the vertices of hulls are.
template <int kReplicas>
struct VertexView {
  const FourFloats* blocks;  ///< in single precision, kReplicas copies of each record of four
  const double* vertices;    ///< in double precision, in the same order
  int replica;               ///< which copy to read

  TACTUM_HOST_DEVICE FourFloats coordinate(int block, int axis) const {
    return blocks[(block * 3 + axis) * kReplicas + replica];
  }
  /// One vertex in single precision, where lanes look at different ones.
  TACTUM_HOST_DEVICE Vector<float> rounded_vertex(int first_block, int index) const {
    const auto* const at = reinterpret_cast<const float*>(
        blocks + ((first_block + index / 4) * 3 * kReplicas + replica));
    const int in_block = index % 4, step = 4 * kReplicas;
    return {at[in_block], at[step + in_block], at[2 * step + in_block]};
  }
  TACTUM_HOST_DEVICE Vector<double> vertex(int first_block, int index) const {
    const double* at = vertices + 3 * (4 * first_block + index);
    return {at[0], at[1], at[2]};
  }
};

}  // namespace tactum::gpu
