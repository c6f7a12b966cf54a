// SPDX-License-Identifier: BSD-2-Clause
#include "batch_input.hpp"

#include <nanobind/stl/string.h>

#include <limits>

#include "convert.hpp"
#include "geometry.hpp"
#include "tactum/shape_table.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;

namespace tactum::python {
namespace {

constexpr int kContiguous = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
const char* const kPosesRemedy =
    "give (4, 4), (N, 4, 4), (7,) or (N, 7) numbers, a (3,) translation, a tuple (R, t) of one "
    "pose "
    "or of many, a list of poses, or None";
const char* const kSideRemedy =
    "give a shape, or a tuple (ShapeTable, index) with an int32 array of one index for each pair";
constexpr const char* kAnySideRemedy =
    "give a shape, a Compound, a Mesh, or a tuple (ShapeTable, index) with an int32 array of one "
    "index for each pair";
const char* const kIndexRemedy = "give a one-dimensional int32 array of one index for each pair";

/// Matrices (N, 4, 4) of rotations (N, 3, 3) or (3, 3) and translations (N, 3) or (3,).
nb::object joined_matrices(nb::handle rotations, nb::handle translations, const char* field) {
  const nb::object own = matrix_of(rotations);
  const nb::object R = as_real_array(own.is_valid() ? nb::handle(own) : rotations, field,
                                     kPosesRemedy),
                   t = as_real_array(translations, field, kPosesRemedy);
  const auto last_is_three = [](nb::handle array) {
    return nb::cast<int>(array.attr("shape")[-1]) == 3;
  };
  const int axes_R = nb::cast<int>(R.attr("ndim")), axes_t = nb::cast<int>(t.attr("ndim"));
  if (axes_R < 2 || axes_R > 3 || axes_t > 2 || !last_is_three(R) || !last_is_three(t) ||
      nb::cast<int>(R.attr("shape")[-2]) != 3)
    throw InvalidInput(field, shape_text(R) + " and " + shape_text(t), kPosesRemedy);
  const Py_ssize_t of_R = axes_R == 3 ? nb::cast<Py_ssize_t>(R.attr("shape")[0]) : 1,
                   of_t = axes_t == 2 ? nb::cast<Py_ssize_t>(t.attr("shape")[0]) : 1;
  if (of_R != of_t && of_R != 1 && of_t != 1)
    throw InvalidInput(
        field, std::to_string(of_R) + " rotations and " + std::to_string(of_t) + " translations",
        "give as many of both");
  const Py_ssize_t count = of_R == 1 ? of_t : of_R;
  const nb::object X = numpy().attr("zeros")(nb::make_tuple(count, 4, 4));
  const HeldArray turns(R, 'd', "float64"), moves(t, 'd', "float64");
  const double *const r = turns.items<double>().data(), *const p = moves.items<double>().data();
  double* out = float_span(X).data;
  for (Py_ssize_t i = 0; i < count; ++i, out += 16) {
    Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> matrix(out);
    matrix.topLeftCorner<3, 3>() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
        r + (of_R == 1 ? 0 : 9 * i));
    matrix.topRightCorner<3, 1>() = Eigen::Map<const Vector3>(p + (of_t == 1 ? 0 : 3 * i));
    matrix(3, 3) = 1.0;
  }
  return X;
}

/// Matrices (N, 4, 4) of a list whose items are poses one by one.
nb::object listed_matrices(nb::handle list, const char* field) {
  const Py_ssize_t count = PySequence_Size(list.ptr());
  const nb::object X = numpy().attr("empty")(nb::make_tuple(count, 4, 4));
  double* out = float_span(X).data;
  for (Py_ssize_t i = 0; i < count; ++i, out += 16) {
    const nb::object item = nb::steal(PySequence_GetItem(list.ptr(), i));
    if (!item.is_valid()) throw nb::python_error();
    const std::string name = std::string(field) + "[" + std::to_string(i) + "]";
    Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>{out} = pose_matrix(
        to_pose(item, name.c_str()).pose);
  }
  return X;
}

/// Whether a list holds poses that numpy cannot stack: None, pairs (R, t), objects with a matrix.
bool is_list_of_poses(nb::handle value) {
  if (!PyList_Check(value.ptr()) || PyList_Size(value.ptr()) == 0) return false;
  const nb::handle first(PyList_GetItem(value.ptr(), 0));
  if (first.is_none() || matrix_of(first).is_valid()) return true;
  if (!PyTuple_Check(first.ptr()) || PyTuple_Size(first.ptr()) != 2) return false;
  return PySequence_Check(PyTuple_GetItem(first.ptr(), 0)) != 0;
}

/// Whether the argument is a tuple (R, t) of one pose, not of many.
bool is_single_pair(nb::handle value) {
  if (!PyTuple_Check(value.ptr()) || PyTuple_Size(value.ptr()) != 2) return false;
  const auto axes = [&](Py_ssize_t i) {
    const nb::object item = nb::borrow(PyTuple_GetItem(value.ptr(), i));
    const nb::object matrix = matrix_of(item);
    return nb::cast<int>(numpy().attr("ndim")(matrix.is_valid() ? matrix : item));
  };
  return axes(0) <= 2 && axes(1) <= 1;
}

/// The argument as numbers: what has one array already, else matrices made here.
nb::object pose_numbers(nb::handle value, const char* field) {
  if (PyTuple_Check(value.ptr()) && PyTuple_Size(value.ptr()) == 2)
    return joined_matrices(nb::borrow(PyTuple_GetItem(value.ptr(), 0)),
                           nb::borrow(PyTuple_GetItem(value.ptr(), 1)), field);
  if (is_list_of_poses(value)) return listed_matrices(value, field);
  if (!PyObject_CheckBuffer(value.ptr()) && !PyList_Check(value.ptr()) &&
      !PyTuple_Check(value.ptr())) {
    if (const nb::object matrix = matrix_of(value); matrix.is_valid()) return matrix;
  }
  const nb::object array = as_real_array(value, field, kPosesRemedy);
  const nb::tuple shape = nb::cast<nb::tuple>(array.attr("shape"));
  if (shape.size() == 1 && nb::cast<Py_ssize_t>(shape[0]) == 3)
    return joined_matrices(numpy().attr("eye")(3), array, field);
  return array;
}

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
  if (value.is_none()) return;
  if (is_single_pair(value)) {
    single_ = to_pose(value, field).pose;
    return;
  }
  const nb::object array = pose_numbers(value, field);
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

ShapeArgument::ShapeArgument(nb::handle value, const char* field, RowCount& rows, Accepts accepts) {
  const ShapeTable* table = nullptr;
  if (!PyTuple_Check(value.ptr())) {
    if (const Shape* shape = nullptr;
        !value.is_none() && nb::try_cast<const Shape*>(value, shape) && shape != nullptr) {
      shapes_ = {shape, 1};
      return;
    }
    if (accepts == Accepts::any && !value.is_none() &&
        (nb::isinstance<Compound>(value) || nb::isinstance<Mesh>(value))) {
      single_ = ShapeTable::of_geometries({to_geometry(value, field)});
      geometries_ = single_->geometries();
      return;
    }
    throw_type_error(field, type_text(value),
                     accepts == Accepts::any ? kAnySideRemedy : kSideRemedy);
  }
  const nb::tuple pair = nb::borrow<nb::tuple>(value);
  if (pair.size() != 2 || !nb::try_cast<const ShapeTable*>(nb::object(pair[0]), table) ||
      table == nullptr)
    throw_type_error(field, "a tuple that is not (ShapeTable, index)", kSideRemedy);
  shapes_ = table->shapes();
  geometries_ = table->geometries();
  if (accepts == Accepts::convex && !geometries_.empty())
    throw_type_error(field, "a ShapeTable with a compound or a mesh", "give convex shapes");
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
  side.geometries = geometries_;
  const std::size_t count = shapes_.size() + geometries_.size();
  if (!index_) return;
  side.index = index_->items<std::int32_t>();
  if (side.index.size() == num_rows) return;
  // one index for all rows
  const std::int32_t index = side.index[0];
  if (index < 0 || static_cast<std::size_t>(index) >= count)
    throw InvalidInput(
        "index[0]", std::to_string(index),
        "give an index of the table, which has " + std::to_string(count) + " shapes");
  const auto at = static_cast<std::size_t>(index);
  if (geometries_.empty()) side.shapes = shapes_.subspan(at, 1);
  if (!geometries_.empty()) side.geometries = geometries_.subspan(at, 1);
  side.index = {};
}

std::optional<Memory> ShapeArgument::memory() const {
  return index_ ? std::optional(index_->memory()) : std::nullopt;
}

}  // namespace tactum::python
