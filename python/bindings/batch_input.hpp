// SPDX-License-Identifier: BSD-2-Clause
// Arguments of the batched queries, read in place where they are C-contiguous arrays of the right
// dtype, and held until the call is over.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "buffer.hpp"
#include "tactum/distances.hpp"

namespace tactum::python {

/// An array of integers of any dtype as int32. Throws InvalidInput for a number below 0 or above
/// the range of int32, which cannot be an index or an id.
nanobind::object to_int32(nanobind::handle array, const char* field, const char* remedy);

/// The memory range of an array, to tell whether two overlap.
struct Memory {
  const char* begin;
  const char* end;
  bool overlaps(const Memory& other) const { return begin < other.end && other.begin < end; }
};

/// A C-contiguous numpy array of one format, converted where it was not. N.B. neither copied nor
/// moved: it holds a buffer.
class HeldArray {
 public:
  /// `format`: 'd' or 'i', as in the struct module; `dtype`: its name in numpy. `value` has passed
  /// as_real_array or as_integer_array, or is such an array itself.
  HeldArray(nanobind::handle value, char format, const char* dtype);

  int ndim() const { return buffer_->ndim(); }
  Py_ssize_t shape(int axis) const { return buffer_->shape(axis); }
  nanobind::handle array() const { return array_; }
  template <class Item>
  std::span<const Item> items() const {
    return {static_cast<const Item*>(buffer_->data()),
            static_cast<std::size_t>(buffer_->nbytes()) / sizeof(Item)};
  }
  Memory memory() const;

 private:
  nanobind::object array_;
  std::optional<Buffer> buffer_;
};

/// The number of rows that the arguments of a call agree on: a length of 1 fits any number, the
/// others must be equal.
class RowCount {
 public:
  void add(Py_ssize_t length, const char* field);
  std::size_t get() const { return static_cast<std::size_t>(length_); }

 private:
  Py_ssize_t length_ = 1;
  std::string field_;  ///< the argument that decided
};

/// One pose or many.
class PoseArgument {
 public:
  PoseArgument(nanobind::handle value, const char* field, RowCount& rows);
  PoseSpan span() const;
  std::optional<Memory> memory() const;

 private:
  std::optional<HeldArray> array_;
  Pose single_;
};

/// The kinds of shapes that a call accepts.
enum class Accepts : std::uint8_t { convex, any };

/// A shape, or a pair (ShapeTable, index); a compound or a mesh where any is accepted.
class ShapeArgument {
 public:
  ShapeArgument(nanobind::handle value, const char* field, RowCount& rows,
                Accepts accepts = Accepts::convex);
  /// Adds the side to the batch, once the number of rows is known.
  void fill(BatchSide& side, std::size_t num_rows) const;
  std::optional<Memory> memory() const;

 private:
  std::span<const Shape> shapes_;
  std::optional<ShapeTable> single_;  ///< of one compound or mesh
  std::span<const Geometry> geometries_;
  std::optional<HeldArray> index_;
};

}  // namespace tactum::python
