// SPDX-License-Identifier: BSD-2-Clause
// A view of a Python object's memory through the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>

namespace tactum::python {

/// A buffer, held until the end of its scope: the object keeps its memory that long. Empty when the
/// object has no buffer of that format.
class Buffer {
 public:
  explicit Buffer(nanobind::handle value, int flags = PyBUF_STRIDES | PyBUF_FORMAT) {
    if (!PyObject_CheckBuffer(value.ptr())) return;
    if (PyObject_GetBuffer(value.ptr(), &view_, flags) == 0)
      held_ = true;
    else
      PyErr_Clear();
  }
  ~Buffer() {
    if (held_) PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  bool held() const { return held_; }
  /// Whether the items are of that one-letter format of the struct module.
  bool is(char format) const {
    return held_ && view_.format != nullptr && view_.format[0] == format && view_.format[1] == '\0';
  }
  bool is_double(int ndim) const {
    return is('d') && view_.ndim == ndim && view_.itemsize == sizeof(double);
  }
  int ndim() const { return view_.ndim; }
  Py_ssize_t shape(int axis) const { return view_.shape[axis]; }
  Py_ssize_t stride(int axis) const { return view_.strides[axis]; }  ///< in bytes
  // N.B. memcpy: a strided view may be unaligned
  double at(Py_ssize_t i) const { return load(i * view_.strides[0]); }
  double at(Py_ssize_t i, Py_ssize_t j) const {
    return load(i * view_.strides[0] + j * view_.strides[1]);
  }
  void* data() const { return view_.buf; }
  Py_ssize_t nbytes() const { return view_.len; }

 private:
  double load(Py_ssize_t offset) const {
    double value;
    std::memcpy(&value, static_cast<const char*>(view_.buf) + offset, sizeof(value));
    return value;
  }
  Py_buffer view_{};
  bool held_ = false;
};

}  // namespace tactum::python
