// SPDX-License-Identifier: BSD-2-Clause
// The geometries of one side of a batch, row by row.
#pragma once

#include "tactum/distances.hpp"

namespace tactum {

/// How many geometries a side refers to by index.
inline std::size_t num_geometries(const BatchSide& side) {
  return side.geometries.empty() ? side.shapes.size() : side.geometries.size();
}

class SideRows {
 public:
  explicit SideRows(const BatchSide& side)
      : shapes_(side.shapes.data()),
        geometries_(side.geometries.empty() ? nullptr : side.geometries.data()),
        index_(side.index.empty() ? &kZero : side.index.data()),
        step_(side.index.empty() ? 0 : 1) {}

  /// The convex shape of a row; null where its geometry is none.
  const Shape* shape(std::size_t row) const {
    const auto at = static_cast<std::size_t>(index_[row * step_]);
    return geometries_ == nullptr ? &shapes_[at] : geometries_[at].shape();
  }
  Geometry geometry(std::size_t row) const {
    const auto at = static_cast<std::size_t>(index_[row * step_]);
    return geometries_ == nullptr ? Geometry(shapes_[at]) : geometries_[at];
  }

 private:
  static constexpr std::int32_t kZero = 0;
  const Shape* shapes_;
  const Geometry* geometries_;
  const std::int32_t* index_;
  std::size_t step_;
};

}  // namespace tactum
