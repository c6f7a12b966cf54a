// SPDX-License-Identifier: BSD-2-Clause
// Pickles: the state is a tuple of plain values, and whatever comes back goes through the same
// checks as any argument.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <utility>

#include "convert.hpp"
#include "tactum/status.hpp"

namespace tactum::python {

/// The items of the state of a pickle, in order. Throws when there are more or fewer than `size`.
class StateReader {
 public:
  StateReader(const nanobind::tuple& state, size_t size) : state_(state) {
    if (state.size() != size)
      throw InvalidInput("state", std::to_string(state.size()) + " items", remedy);
  }
  nanobind::object next() { return nanobind::borrow(state_[index_++]); }
  double number() { return to_double(next(), "state"); }
  int integer() { return to_int(next(), "state"); }
  bool flag() { return integer() != 0; }
  Vector3 vector() { return to_vector3(next(), "state"); }
  Status status() {
    const int value = integer();
    if (value < 0 || value > static_cast<int>(Status::invalid_input))
      throw InvalidInput("state", std::to_string(value), remedy);
    return static_cast<Status>(value);
  }
  nanobind::tuple tuple() {
    const nanobind::object item = next();
    if (!PyTuple_Check(item.ptr())) throw_type_error("state", type_text(item), remedy);
    return nanobind::borrow<nanobind::tuple>(item);
  }
  /// A tuple, or nothing where None was written.
  std::optional<nanobind::tuple> optional_tuple() {
    if (!nanobind::object(state_[index_]).is_none()) return tuple();
    ++index_;
    return std::nullopt;
  }

 private:
  static constexpr const char* remedy = "unpickle what was pickled";
  nanobind::tuple state_;
  size_t index_ = 0;
};

/// Adds pickling by get_state(value) -> tuple and from_state(tuple) -> value, and copies that are
/// the object itself.
template <class Class, class GetState, class FromState>
void bind_immutable(Class& type, GetState get_state, FromState from_state) {
  using T = typename Class::Type;
  type.def("__getstate__", get_state, nanobind::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__",
          [from_state](T* self, const nanobind::tuple& state) { new (self) T(from_state(state)); },
          nanobind::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"))
      .def("__copy__", [](nanobind::handle self) { return nanobind::borrow(self); })
      .def(
          "__deepcopy__",
          [](nanobind::handle self, nanobind::handle) { return nanobind::borrow(self); },
          nanobind::arg("memo"));
}

}  // namespace tactum::python
