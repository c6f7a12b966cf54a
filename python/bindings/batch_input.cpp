// SPDX-License-Identifier: BSD-2-Clause
#include "batch_input.hpp"

#include <nanobind/stl/string.h>

#include <limits>

#include "convert.hpp"
#include "tactum/shape_table.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;

namespace tactum::python {
namespace {

constexpr int kContiguous = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
const char* const kPosesRemedy =
    "give (4, 4), (N, 4, 4), (7,) or (N, 7) numbers, or a tuple (R, t) of one pose";
const char* const kSideRemedy =
    "give a shape, or a tuple (ShapeTable, index) with an int32 array of one index for each pair";
const char* const kIndexRemedy = "give a one-dimensional int32 array of one index for each pair";

bool holds_poses(const HeldArray& array) {
  const int last = array.ndim() - 1;
  if (last < 0) return false;
  if (array.shape(last) == 7) return last <= 1;
  return (last == 1 || last == 2) && array.shape(last) == 4 && array.shape(last - 1) == 4;
}

}  // namespace

nb::object to_int32(nb::handle array, const char* field, const char* remedy) {
  const bool is_unsigned = nb::cast<std::string>(array.attr("dtype").attr("kind")) == "u";
  const nb::object wide = numpy().attr("ascontiguousarray")(array,
                                                            is_unsigned ? "uint64" : "int64");
  const Buffer buffer(wide, kContiguous);
  const auto* const numbers = static_cast<const std::int64_t*>(buffer.data());
  for (Py_ssize_t i = 0; i < buffer.nbytes() / Py_ssize_t{sizeof(std::int64_t)}; ++i) {
    if (numbers[i] >= 0 && numbers[i] <= std::numeric_limits<std::int32_t>::max()) continue;
    const std::string text = is_unsigned ? std::to_string(static_cast<std::uint64_t>(numbers[i]))
                                         : std::to_string(numbers[i]);
    throw InvalidInput(std::string(field) + "[" + std::to_string(i) + "]", text, remedy);
  }
  return wide.attr("astype")("int32");
}

HeldArray::HeldArray(nb::handle value, char format, const char* dtype) : array_(nb::borrow(value)) {
  buffer_.emplace(value, kContiguous);
  // N.B. an unaligned view of a byte array is contiguous as well
  const auto address = reinterpret_cast<std::uintptr_t>(buffer_->data());
  if (buffer_->is(format) && address % sizeof(std::int32_t) == 0 &&
      (format != 'd' || address % sizeof(double) == 0))
    return;
  array_ = numpy().attr("require")(value, dtype, nb::make_tuple("C", "A"));
  buffer_.emplace(array_, kContiguous);
}

Memory HeldArray::memory() const {
  const auto* const begin = static_cast<const char*>(buffer_->data());
  return {begin, begin + buffer_->nbytes()};
}

void RowCount::add(Py_ssize_t length, const char* field) {
  if (length == 1 || length == length_) return;
  if (length_ != 1)
    throw InvalidInput(field, std::to_string(length) + " rows",
                       "give " + std::to_string(length_) + " as in " + field_ + ", or one");
  length_ = length;
  field_ = field;
}

PoseArgument::PoseArgument(nb::handle value, const char* field, RowCount& rows) {
  if (PyTuple_Check(value.ptr()) && PyTuple_Size(value.ptr()) == 2) {
    single_ = to_pose(value, field).pose;
    return;
  }
  const nb::object array = as_real_array(value, field, kPosesRemedy);
  array_.emplace(array, 'd', "float64");
  if (!holds_poses(*array_)) throw InvalidInput(field, shape_text(array), kPosesRemedy);
  const int last = array_->ndim() - 1;
  const bool many = array_->shape(last) == 7 ? last == 1 : last == 2;
  if (many) rows.add(array_->shape(0), field);
}

PoseSpan PoseArgument::span() const {
  if (!array_) return single_;
  const auto numbers = array_->items<double>();
  return array_->shape(array_->ndim() - 1) == 7 ? PoseSpan::from_xyz_xyzw(numbers)
                                                : PoseSpan::from_matrices(numbers);
}

std::optional<Memory> PoseArgument::memory() const {
  return array_ ? std::optional(array_->memory()) : std::nullopt;
}

ShapeArgument::ShapeArgument(nb::handle value, const char* field, RowCount& rows) {
  const ShapeTable* table = nullptr;
  if (!PyTuple_Check(value.ptr())) {
    if (const Shape* shape = nullptr;
        !value.is_none() && nb::try_cast<const Shape*>(value, shape) && shape != nullptr) {
      shapes_ = {shape, 1};
      return;
    }
    throw_type_error(field, type_text(value), kSideRemedy);
  }
  const nb::tuple pair = nb::borrow<nb::tuple>(value);
  if (pair.size() != 2 || !nb::try_cast<const ShapeTable*>(nb::object(pair[0]), table) ||
      table == nullptr)
    throw_type_error(field, "a tuple that is not (ShapeTable, index)", kSideRemedy);
  shapes_ = table->shapes();
  const std::string name = std::string(field) + ".index";
  const nb::object array = as_integer_array(pair[1], name.c_str(), kIndexRemedy);
  if (nb::cast<int>(array.attr("ndim")) != 1)
    throw InvalidInput(name, shape_text(array), kIndexRemedy);
  const bool ready = Buffer(array).is('i');
  index_.emplace(ready ? array : to_int32(array, name.c_str(), "give an index of the table"), 'i',
                 "int32");
  rows.add(index_->shape(0), name.c_str());
}

void ShapeArgument::fill(BatchSide& side, std::size_t num_rows) const {
  side.shapes = shapes_;
  if (!index_) return;
  side.index = index_->items<std::int32_t>();
  if (side.index.size() == num_rows) return;
  // one index for all rows
  const std::int32_t index = side.index[0];
  if (index < 0 || static_cast<std::size_t>(index) >= shapes_.size())
    throw InvalidInput(
        "index[0]", std::to_string(index),
        "give an index of the table, which has " + std::to_string(shapes_.size()) + " shapes");
  side.shapes = shapes_.subspan(static_cast<std::size_t>(index), 1);
  side.index = {};
}

std::optional<Memory> ShapeArgument::memory() const {
  return index_ ? std::optional(index_->memory()) : std::nullopt;
}

}  // namespace tactum::python
