// SPDX-License-Identifier: BSD-2-Clause
// Arguments are read in two ways: a float64 buffer of the right shape is read in place through the
// buffer protocol; everything else goes through numpy.asarray, sequences as lists of checked
// length, so that no object (range(10**12), say) makes numpy fill the memory.
#include "convert.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "buffer.hpp"
#include "tactum/status.hpp"
#include "text_enum.hpp"

namespace nb = nanobind;

namespace tactum::python {
namespace {

constexpr Py_ssize_t kLongestRow = 16;  // of a nested sequence; no argument has rows of more than 4
const char* const kNumberRemedy = "give a real number";
const char* const kVectorRemedy = "give three real numbers";
const char* const kPoseRemedy =
    "give a (4, 4) matrix, a (7,) array x, y, z, qx, qy, qz, qw, a pair (R, t), a (3,) "
    "translation, "
    "or None";

/// str() of an object.
std::string text(const nb::object& value) {
  const nb::object text = nb::steal(PyObject_Str(value.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  return nb::cast<std::string>(text);
}

bool is_text(nb::handle value) {
  return PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr()) ||
         PyByteArray_Check(value.ptr());
}

/// Converts sequences to lists, at every depth; arrays, numbers and other objects stay unchanged.
/// Refuses a sequence that is longer than an argument can be before it is expanded, and reads only
/// as many items as its length says: numpy would iterate without end.
nb::object plain_sequence(nb::handle value, Py_ssize_t longest, int depth, const char* field,
                          const char* remedy) {
  if (!PySequence_Check(value.ptr()) || PyUnicode_Check(value.ptr()) ||
      PyObject_CheckBuffer(value.ptr()) || nb::hasattr(value, "__array__") ||
      nb::hasattr(value, "__array_interface__"))
    return nb::borrow(value);
  const Py_ssize_t length = PySequence_Size(value.ptr());
  if (length < 0) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    throw_type_error(field, type_text(value) + " without a length", remedy);
  }
  if (length > longest)
    throw InvalidInput(field, "a sequence of length " + std::to_string(length), remedy);
  if (depth == 4) throw InvalidInput(field, "a sequence nested more than 4 deep", remedy);
  nb::list items;
  for (Py_ssize_t i = 0; i < length; ++i) {
    const nb::object item = nb::steal(PySequence_GetItem(value.ptr(), i));
    if (!item.is_valid()) throw nb::python_error();
    items.append(plain_sequence(item, kLongestRow, depth + 1, field, remedy));
  }
  return items;
}

/// Any array-like of one of the dtype kinds ("f" float, "i" int, "u" unsigned) as a numpy array,
/// not copied where it is one.
nb::object as_array(nb::handle value, const char* kinds, Py_ssize_t longest, const char* field,
                    const char* remedy) {
  if (is_text(value)) throw_type_error(field, type_text(value), remedy);
  const nb::object items = plain_sequence(value, longest, 0, field, remedy);
  nb::object array;
  try {
    array = numpy().attr("asarray")(items);
  } catch (nb::python_error& error) {
    if (error.matches(PyExc_ValueError))
      throw InvalidInput(field, type_text(value) + " that is not a regular array", remedy);
    if (error.matches(PyExc_TypeError)) throw_type_error(field, type_text(value), remedy);
    throw;
  }
  if (nb::cast<int>(array.attr("ndim")) == 0) throw_type_error(field, type_text(value), remedy);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  // N.B. numpy makes an empty list an array of floats
  const bool empty = nb::cast<Py_ssize_t>(array.attr("size")) == 0;
  if (!empty && std::strchr(kinds, kind[0]) == nullptr)
    throw_type_error(field, "an array of dtype " + text(array.attr("dtype")), remedy);
  return array;
}

bool has_shape(nb::handle array, std::initializer_list<Py_ssize_t> shape) {
  const nb::tuple actual = nb::cast<nb::tuple>(array.attr("shape"));
  if (actual.size() != shape.size()) return false;
  size_t axis = 0;
  for (const Py_ssize_t length : shape)
    if (nb::cast<Py_ssize_t>(actual[axis++]) != length) return false;
  return true;
}

nb::object as_float64(nb::handle array) {
  return numpy().attr("ascontiguousarray")(array, "float64");
}

/// The rotation itself, or the matrix of an object that has one, such as SciPy's Rotation.
nb::object rotation_numbers(nb::handle value) {
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(value.ptr()));
  if (PyObject_HasAttrString(type, "as_matrix") == 0) return nb::borrow(value);
  return value.attr("as_matrix")();
}

CheckedPose pose_from_rows(const std::array<double, 16>& m, const char* field) {
  const Matrix4 matrix = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(m.data());
  // the library decides about a last row that is not exact, and words the error; for a good row
  // these comparisons are the whole cost
  if (m[12] != 0.0 || m[13] != 0.0 || m[14] != 0.0 || m[15] != 1.0) pose_from_matrix(matrix, field);
  return {Pose{matrix.topLeftCorner<3, 3>(), matrix.topRightCorner<3, 1>()}, false};
}

CheckedPose pose_from_seven(const Vector7& v, const char* field) {
  const double norm = v.tail<4>().norm();
  return {pose_from_xyz_xyzw(v, field), std::abs(norm - 1.0) > 1e-12};
}

Matrix3 to_matrix3(nb::handle value, const char* field) {
  const nb::object own = rotation_numbers(value);
  const nb::object array = as_array(own, "fiu", 3, field, "give a (3, 3) rotation matrix");
  if (!has_shape(array, {3, 3}))
    throw InvalidInput(field, shape_text(array), "give a (3, 3) rotation matrix");
  const nb::object values = as_float64(array);
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(float_span(values).data);
}

}  // namespace

nb::module_ numpy() { return nb::module_::import_("numpy"); }

std::string type_text(nb::handle value) {
  if (value.is_none()) return "None";
  return text(value.type().attr("__name__"));
}

void throw_type_error(const std::string& field, const std::string& value,
                      const std::string& remedy) {
  throw nb::type_error((field + ": got " + value + "; " + remedy).c_str());
}

double to_double(nb::handle value, const char* field) {
  if (PyFloat_CheckExact(value.ptr())) return PyFloat_AsDouble(value.ptr());
  if (PyBool_Check(value.ptr())) throw_type_error(field, "bool", kNumberRemedy);
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred()) {
    const bool overflow = PyErr_ExceptionMatches(PyExc_OverflowError);
    if (!overflow && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    if (overflow)
      throw InvalidInput(field, "an integer beyond the range of a float", kNumberRemedy);
    throw_type_error(field, type_text(value), kNumberRemedy);
  }
  return number;
}

int to_int(nb::handle value, const char* field) {
  if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr()))
    throw_type_error(field, type_text(value), "give an integer");
  const nb::object integer = nb::steal(PyNumber_Index(value.ptr()));
  if (!integer.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long number = PyLong_AsLongAndOverflow(integer.ptr(), &overflow);
  if (overflow != 0 || number > std::numeric_limits<int>::max() ||
      number < std::numeric_limits<int>::min())
    throw InvalidInput(field, "an integer beyond 32 bits", "give a smaller integer");
  return static_cast<int>(number);
}

Vector3 to_vector3(nb::handle value, const std::string& field) {
  if (const Buffer buffer(value); buffer.is_double(1) && buffer.shape(0) == 3)
    return {buffer.at(0), buffer.at(1), buffer.at(2)};
  const nb::object array = as_array(value, "fiu", 3, field.c_str(), kVectorRemedy);
  if (!has_shape(array, {3})) throw InvalidInput(field, shape_text(array), kVectorRemedy);
  const nb::object values = as_float64(array);
  return Eigen::Map<const Vector3>(float_span(values).data);
}

Points to_points(nb::handle value, const char* field) {
  const char* const remedy = "give an (N, 3) array of real numbers, N at most 10000000";
  const nb::object array = as_array(value, "fiu", kMaxPoints, field, remedy);
  const nb::tuple shape = nb::cast<nb::tuple>(array.attr("shape"));
  // N.B. an empty list has shape (0,): the library says what is wrong with no points
  if (has_shape(array, {0})) return Points(3, 0);
  if (shape.size() != 2 || nb::cast<Py_ssize_t>(shape[1]) != 3 ||
      nb::cast<Py_ssize_t>(shape[0]) > kMaxPoints)
    throw InvalidInput(field, shape_text(array), remedy);
  const nb::object values = as_float64(array);
  return Eigen::Map<const Points>(float_span(values).data, 3, nb::cast<Py_ssize_t>(shape[0]));
}

Triangles to_triangles(nb::handle value, const char* field) {
  const char* const remedy = "give an (M, 3) array of integers, M at most 20000000";
  const nb::object array = as_array(value, "iu", 2 * kMaxPoints, field, remedy);
  if (has_shape(array, {0})) return Triangles(3, 0);
  const nb::tuple shape = nb::cast<nb::tuple>(array.attr("shape"));
  if (shape.size() != 2 || nb::cast<Py_ssize_t>(shape[1]) != 3 ||
      nb::cast<Py_ssize_t>(shape[0]) > 2 * kMaxPoints)
    throw InvalidInput(field, shape_text(array), remedy);
  // unsigned 64-bit indices beyond the signed range wrap to negative ones, which are refused below
  // all the same
  const nb::object values = numpy().attr("ascontiguousarray")(array, "int64");
  const Buffer buffer(values);
  const auto* const index = static_cast<const std::int64_t*>(buffer.data());
  Triangles triangles(3, nb::cast<Py_ssize_t>(shape[0]));
  for (Eigen::Index i = 0; i < triangles.size(); ++i) {
    if (index[i] < 0 || index[i] > std::numeric_limits<std::int32_t>::max())
      throw InvalidInput(
          std::string(field) + "[" + std::to_string(i / 3) + ", " + std::to_string(i % 3) + "]",
          std::to_string(index[i]), "give the index of a vertex");
    triangles.data()[i] = static_cast<std::int32_t>(index[i]);
  }
  return triangles;
}

nb::object matrix_of(nb::handle value) {
  // the type is asked: an instance that lacks the name would build an error message
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(value.ptr()));
  if (PyObject_HasAttrString(type, "homogeneous") != 0) return value.attr("homogeneous");
  if (PyObject_HasAttrString(type, "as_matrix") != 0) return value.attr("as_matrix")();
  return {};
}

CheckedPose to_pose(nb::handle value, const char* field) {
  if (value.is_none()) return {};
  if (const Buffer buffer(value);
      buffer.is_double(2) && buffer.shape(0) == 4 && buffer.shape(1) == 4) {
    std::array<double, 16> m;
    for (int i = 0; i < 16; ++i) m[i] = buffer.at(i / 4, i % 4);
    return pose_from_rows(m, field);
  } else if (buffer.is_double(1) && buffer.shape(0) == 7) {
    Vector7 v;
    for (int i = 0; i < 7; ++i) v[i] = buffer.at(i);
    return pose_from_seven(v, field);
  } else if (!buffer.held() && !PyTuple_Check(value.ptr()) && !PyList_Check(value.ptr())) {
    if (const nb::object matrix = matrix_of(value); matrix.is_valid()) {
      if (nb::hasattr(matrix, "homogeneous") || nb::hasattr(matrix, "as_matrix"))
        throw_type_error(field, type_text(value), kPoseRemedy);
      return to_pose(matrix, field);
    }
  }
  if ((PyTuple_Check(value.ptr()) || PyList_Check(value.ptr())) &&
      PySequence_Size(value.ptr()) == 2) {
    const std::string name = field;
    const nb::object rotation = nb::steal(PySequence_GetItem(value.ptr(), 0));
    const nb::object translation = nb::steal(PySequence_GetItem(value.ptr(), 1));
    if (!rotation.is_valid() || !translation.is_valid()) throw nb::python_error();
    return {
        Pose{to_matrix3(rotation, (name + "[0]").c_str()), to_vector3(translation, name + "[1]")},
        false};
  }
  const nb::object array = as_array(value, "fiu", 7, field, kPoseRemedy);
  if (has_shape(array, {3})) return {Pose{.translation = to_vector3(array, field)}, false};
  const bool matrix = has_shape(array, {4, 4});
  if (!matrix && !has_shape(array, {7})) throw InvalidInput(field, shape_text(array), kPoseRemedy);
  const nb::object values = as_float64(array);
  const double* const data = float_span(values).data;
  if (!matrix) return pose_from_seven(Eigen::Map<const Vector7>(data), field);
  std::array<double, 16> m;
  std::copy(data, data + 16, m.begin());
  return pose_from_rows(m, field);
}

nb::object as_real_array(nb::handle value, const char* field, const char* remedy) {
  return as_array(value, "fiu", kMaxPoints, field, remedy);
}

nb::object as_integer_array(nb::handle value, const char* field, const char* remedy) {
  return as_array(value, "iu", kMaxPoints, field, remedy);
}

std::string shape_text(nb::handle array) {
  return "an array of shape " + text(array.attr("shape"));
}

nb::object to_float_array(nb::handle value, const char* field, Py_ssize_t last) {
  const std::string remedy = "give an array of real numbers whose last axis has length " +
                             std::to_string(last);
  const nb::object array = as_array(value, "fiu", kMaxPoints, field, remedy.c_str());
  const nb::tuple shape = nb::cast<nb::tuple>(array.attr("shape"));
  if (shape.size() == 0 || nb::cast<Py_ssize_t>(shape[shape.size() - 1]) != last ||
      nb::cast<Py_ssize_t>(array.attr("size")) > 4 * kMaxPoints)
    throw InvalidInput(field, shape_text(array), remedy);
  return numpy().attr("array")(array, "float64", nb::arg("order") = "C", nb::arg("copy") = true);
}

FloatSpan float_span(nb::handle array) {
  const Buffer buffer(array);
  return {static_cast<double*>(buffer.data()),
          buffer.nbytes() / static_cast<Py_ssize_t>(sizeof(double))};
}

const Shape& to_shape(nb::handle value, const char* field) {
  const Shape* shape = nullptr;
  if (value.is_none() || !nb::try_cast<const Shape*>(value, shape) || shape == nullptr)
    throw_type_error(field, type_text(value),
                     "give a tactum shape, such as tactum.Sphere(radius=1.0)");
  return *shape;
}

std::string repr(double value) { return nb::cast<std::string>(nb::repr(nb::float_(value))); }

std::string repr(const Vector3& value) {
  return "(" + repr(value[0]) + ", " + repr(value[1]) + ", " + repr(value[2]) + ")";
}

std::string short_repr(const Vector3& value) {
  const auto text = [](double x) {
    std::array<char, 32> buffer;
    std::snprintf(buffer.data(), buffer.size(), "%.5g", x);
    return std::string(buffer.data());
  };
  return "(" + text(value[0]) + ", " + text(value[1]) + ", " + text(value[2]) + ")";
}

nb::object to_array(const Vector3& value) {
  // N.B. no static initializer: importing numpy may hand the GIL to a thread that would then wait
  // for the initializer
  static PyObject* empty = nullptr;
  static PyObject* const kThree = PyLong_FromLong(3);
  if (empty == nullptr) {
    // kept for the life of the process, like numpy itself
    empty = nb::object(numpy().attr("empty")).release().ptr();
  }
  nb::object array = nb::steal(PyObject_CallFunctionObjArgs(empty, kThree, nullptr));
  if (!array.is_valid()) throw nb::python_error();
  std::memcpy(float_span(array).data, value.data(), 3 * sizeof(double));
  return array;
}

nb::object frozen(nb::object array) {
  static PyObject* const kSetFlags = PyUnicode_InternFromString("setflags");
  // setflags(write): the first argument by position
  static PyObject* const kRefused = Py_False;
  PyObject* const arguments[] = {array.ptr(), kRefused};
  const nb::object done = nb::steal(
      PyObject_VectorcallMethod(kSetFlags, arguments, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  if (!done.is_valid()) throw nb::python_error();
  return array;
}

nb::object enum_array(nb::handle array, const char* enumeration) {
  return nb::module_::import_("tactum._enum_array").attr("view")(array, enumeration);
}

nb::object to_frozen_array(const Vector3& value) { return frozen(to_array(value)); }

nb::tuple to_tuple(const Vector3& value) { return nb::make_tuple(value[0], value[1], value[2]); }

}  // namespace tactum::python
