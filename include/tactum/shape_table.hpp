// SPDX-License-Identifier: BSD-2-Clause
// Many shapes in one array, for batches that refer to them by index.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tactum/shape.hpp"

namespace tactum {

/// An immutable list of shapes: cheap to copy, safe to use from many threads.
class ShapeTable {
 public:
  explicit ShapeTable(std::vector<Shape> shapes);

  std::size_t size() const { return shapes_->size(); }
  const Shape& operator[](std::size_t index) const { return (*shapes_)[index]; }
  std::span<const Shape> shapes() const { return *shapes_; }
  operator std::span<const Shape>() const {
    return *shapes_;
  }  // NOLINT(google-explicit-constructor): it is one

  /// Bytes held; the tables of hulls that several shapes share count once.
  std::size_t nbytes() const;

  friend bool operator==(const ShapeTable& a, const ShapeTable& b) {
    return a.shapes_ == b.shapes_ || *a.shapes_ == *b.shapes_;
  }

 private:
  std::shared_ptr<const std::vector<Shape>> shapes_;
};

}  // namespace tactum
