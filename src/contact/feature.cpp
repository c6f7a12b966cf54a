// SPDX-License-Identifier: BSD-2-Clause
#include "contact/feature.hpp"

#include <algorithm>

#include "shape/hull/convex_polytope.hpp"

namespace tactum {
namespace {

constexpr std::uint32_t kVertex = 1U << 30, kEdge = 2U << 30, kFace = 3U << 30,
                        kNumber = kVertex - 1;

}  // namespace

std::uint32_t vertex_name(std::uint32_t vertex) { return kVertex | (vertex & kNumber); }
std::uint32_t face_name(std::uint32_t face) { return kFace | (face & kNumber); }
std::uint32_t edge_name(std::uint32_t vertex, std::uint32_t other) {
  const std::uint32_t low = std::min(vertex, other), high = std::max(vertex, other);
  // beyond 15 bits a hash of both, which two edges of one patch hardly ever share
  const std::uint32_t number = high < 0x8000U ? (low << 15U) | high
                                              : low * 0x9E3779B1U + high * 0x85EBCA77U;
  return kEdge | (number & kNumber);
}

void FlatFeature::add(const SeenCore& seen, std::int32_t vertex) {
  add(seen, to_double3(seen.core->polytope->vertex(vertex)), static_cast<std::uint32_t>(vertex));
}

std::uint32_t FlatFeature::name() const {
  if (count == 1) return vertex_name(vertices[0]);
  return count == 2 ? edge_name(vertices[0], vertices[1]) : face_name(face);
}
std::uint32_t FlatFeature::name_of_corner(int i) const {
  return vertex_name(vertices[static_cast<std::size_t>(i)]);
}
std::uint32_t FlatFeature::name_of_edge(int i) const {
  return edge_name(vertices[static_cast<std::size_t>(i)],
                   vertices[static_cast<std::size_t>(next(i))]);
}

}  // namespace tactum
