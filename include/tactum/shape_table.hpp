// SPDX-License-Identifier: BSD-2-Clause
// Many geometries in one array, for batches that refer to them by index.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tactum/geometry.hpp"
#include "tactum/shape.hpp"

namespace tactum {

/// An immutable list of convex shapes, or of geometries of any kind: cheap to copy, safe to use
/// from many threads.
class ShapeTable {
 public:
  explicit ShapeTable(std::vector<Shape> shapes);
  /// Where all of them are convex, the table is one of shapes.
  static ShapeTable of_geometries(std::vector<Geometry> geometries);

  std::size_t size() const { return data_->shapes.size() + data_->geometries.size(); }
  /// The shape of a table of convex shapes.
  const Shape& operator[](std::size_t index) const { return data_->shapes[index]; }
  Geometry geometry(std::size_t index) const;
  /// All shapes; empty where the table has a geometry that is not convex.
  std::span<const Shape> shapes() const { return data_->shapes; }
  /// All geometries of a table that has one that is not convex; else empty.
  std::span<const Geometry> geometries() const { return data_->geometries; }
  // NOLINTNEXTLINE(google-explicit-constructor): a table of convex shapes is one
  operator std::span<const Shape>() const { return data_->shapes; }

  /// Bytes held; the tables of hulls that several shapes share count once.
  std::size_t nbytes() const;

  friend bool operator==(const ShapeTable& a, const ShapeTable& b) {
    return a.data_ == b.data_ ||
           (a.data_->shapes == b.data_->shapes && a.data_->geometries == b.data_->geometries);
  }

 private:
  struct Data {
    std::vector<Shape> shapes;
    std::vector<Geometry> geometries;
  };
  ShapeTable(std::vector<Shape> shapes, std::vector<Geometry> geometries);
  std::shared_ptr<const Data> data_;
};

}  // namespace tactum
