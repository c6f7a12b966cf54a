// SPDX-License-Identifier: BSD-2-Clause
// Python arguments to C++ values, and C++ values to text and arrays.
//
// Every function takes any Python object and either returns a value or throws: TypeError for an
// object of the wrong type, InvalidInput for a bad value. Both messages read "field: got value;
// remedy". Whether numbers are finite and in range is left to the library, so that C++ and Python
// have the same messages.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "tactum/pose.hpp"
#include "tactum/shape.hpp"

namespace tactum::python {

/// The most points a hull is made from: 240 MB, so that a mistaken array is refused before anything
/// is copied.
inline constexpr Py_ssize_t kMaxPoints = 10'000'000;

/// Name of the type of an object, "None" for None.
std::string type_text(nanobind::handle value);

/// TypeError "field: got value; remedy".
[[noreturn]] void throw_type_error(const std::string& field, const std::string& value,
                                   const std::string& remedy);

/// A real number; bool, complex and text are refused.
double to_double(nanobind::handle value, const char* field);

/// An integer in the range of int32; floats are refused.
int to_int(nanobind::handle value, const char* field);

/// Three real numbers.
Vector3 to_vector3(nanobind::handle value, const std::string& field);

/// (N, 3) real numbers, as columns.
Points to_points(nanobind::handle value, const char* field);

/// (M, 3) integers, as columns.
Triangles to_triangles(nanobind::handle value, const char* field);

/// A pose as it was given: None for the identity, a (3,) translation, a (4, 4) array, (7,)
/// xyz_xyzw, a pair (R, t), or an object that has a matrix: Pinocchio's SE3 (`homogeneous`),
/// SciPy's RigidTransform (`as_matrix`), anything with __array__. The rotation is unchecked, except
/// that a quaternion is normalized; `corrected` says that it needed it by more than 1e-12.
CheckedPose to_pose(nanobind::handle value, const char* field);

/// The matrix of an object that has one as an attribute; null where it has none.
nanobind::object matrix_of(nanobind::handle value);

/// Any array of real numbers with a last axis of length `last`, as a new C-contiguous float64
/// array.
nanobind::object to_float_array(nanobind::handle value, const char* field, Py_ssize_t last);

/// Any array-like of real numbers or of integers as a numpy array of at least one axis, not copied
/// where it is one already.
nanobind::object as_real_array(nanobind::handle value, const char* field, const char* remedy);
nanobind::object as_integer_array(nanobind::handle value, const char* field, const char* remedy);

/// "an array of shape (3, 4)".
std::string shape_text(nanobind::handle array);

nanobind::module_ numpy();

/// First item of a C-contiguous float64 array made by to_float_array, and how many there are.
struct FloatSpan {
  double* data;
  Py_ssize_t size;
};
FloatSpan float_span(nanobind::handle array);

/// The shape inside a Python object; it lives as long as the object.
const Shape& to_shape(nanobind::handle value, const char* field);

/// Text of numbers in Python's notation: 1.0, and (1.0, 2.0, 3.0).
std::string repr(double value);
std::string repr(const Vector3& value);
/// (0.123, -1.0, 2.0): five digits, for texts that fit a line.
std::string short_repr(const Vector3& value);

/// A new (3,) float64 array. Reading a vector of a result is as frequent as the query: this is five
/// times faster than a caster.
nanobind::object to_array(const Vector3& value);

/// The array itself, made read-only: properties hand out copies, and writing to one would be lost.
nanobind::object frozen(nanobind::object array);
/// A new read-only (3,) float64 array.
nanobind::object to_frozen_array(const Vector3& value);

/// (1.0, 2.0, 3.0) as a tuple, for pickles.
nanobind::tuple to_tuple(const Vector3& value);

}  // namespace tactum::python
