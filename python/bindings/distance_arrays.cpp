// SPDX-License-Identifier: BSD-2-Clause
#include "distance_arrays.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "bindings.hpp"
#include "convert.hpp"
#include "pickle.hpp"
#include "tactum/status.hpp"
#include "warm_start.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {

const std::array<FieldInfo, num_fields> distance_fields = {{
    {"status", 'B', "uint8", 1, "(N,) outcome of each query: numbers of Status. `r.status == Status.touching` is a mask."},
    {"distance", 'd', "float64", 1, "(N,) signed distances in metres: minus the depth in penetration."},
    {"normal", 'd', "float64", 3, "(N, 3) unit normals from A to B, world frame."},
    {"point_a", 'd', "float64", 3, "(N, 3) witness points on A, world frame, in metres."},
    {"point_b", 'd', "float64", 3, "(N, 3) witness points on B, world frame, in metres."},
    {"lower", 'd', "float64", 1, "(N,) proved lower bounds of the true distances, in metres."},
    {"upper", 'd', "float64", 1, "(N,) proved upper bounds of the true distances, in metres."},
    {"iterations", 'i', "int32", 1, "(N,) iterations of the main loop."},
    {"support_calls", 'i', "int32", 1, "(N,) how often a support point was computed."},
    {"vertices_visited", 'i', "int32", 1, "(N,) hull vertices looked at in all supports."},
    {"pose_corrected", '?', "bool", 1, "(N,) whether a rotation was off by 1e-12 to 1e-6 and was made orthonormal."},
    {"warm_start", '\0', nullptr, 1, "N warm starts: give them to the next call for the same pairs."},
}};

namespace {

enum Field : std::size_t {
  status,
  distance,
  normal,
  point_a,
  point_b,
  lower,
  upper,
  iterations,
  support_calls,
  vertices_visited,
  pose_corrected,
  warm_start
};

std::string all_names() {
  std::string names;
  for (const FieldInfo& info : distance_fields) names += (names.empty() ? "" : ", ") + std::string(info.name);
  return names;
}

std::size_t field_number(nb::handle name, const char* argument) {
  if (!PyUnicode_Check(name.ptr())) throw_type_error(argument, type_text(name), "give names of fields: " + all_names());
  for (std::size_t i = 0; i < num_fields; ++i)
    if (PyUnicode_CompareWithASCIIString(name.ptr(), distance_fields[i].name) == 0) return i;
  const nb::object text = nb::steal(PyObject_ASCII(name.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  throw InvalidInput(argument, nb::cast<std::string>(text).substr(0, 80), "give names of fields: " + all_names());
}

std::vector<std::size_t> sorted_fields(std::vector<std::size_t> fields, const char* argument) {
  std::sort(fields.begin(), fields.end());
  if (const auto twice = std::adjacent_find(fields.begin(), fields.end()); twice != fields.end())
    throw InvalidInput(argument, std::string(distance_fields[*twice].name) + " twice", "give every field once");
  return fields;
}

std::vector<std::size_t> named_fields(nb::handle fields) {
  if (!PyTuple_Check(fields.ptr()) && !PyList_Check(fields.ptr()))
    throw_type_error("fields", type_text(fields), "give None for all, or a tuple of names: " + all_names());
  std::vector<std::size_t> numbers;
  for (nb::handle name : nb::borrow<nb::object>(fields)) numbers.push_back(field_number(name, "fields"));
  return sorted_fields(numbers, "fields");
}

/// Array of a field in `out`: a dict of arrays, or an earlier result. Null when it has none.
nb::object array_of(nb::handle out, std::size_t field) {
  if (const DistanceArrays* earlier = nullptr; nb::try_cast<const DistanceArrays*>(out, earlier) && earlier != nullptr)
    return earlier->arrays[field];
  PyObject* const item = PyDict_GetItemString(out.ptr(), distance_fields[field].name);
  return item == nullptr ? nb::object() : nb::borrow(item);
}

std::vector<std::size_t> fields_of_output(nb::handle out) {
  std::vector<std::size_t> numbers;
  if (const DistanceArrays* earlier = nullptr; nb::try_cast<const DistanceArrays*>(out, earlier) && earlier != nullptr) {
    for (std::size_t i = 0; i < num_fields; ++i)
      if (earlier->arrays[i].is_valid()) numbers.push_back(i);
  } else if (PyDict_Check(out.ptr())) {
    for (const auto& [name, array] : nb::borrow<nb::dict>(out)) numbers.push_back(field_number(name, "out"));
  } else {
    throw_type_error("out", type_text(out), "give a dict of arrays by field, or an earlier Distances");
  }
  return sorted_fields(numbers, "out");
}

nb::object new_array(const FieldInfo& info, std::size_t num_rows) {
  if (info.format == '\0') return nb::cast(WarmStarts{std::vector<WarmStart>(num_rows)});
  const nb::object shape = info.width == 1 ? nb::object(nb::make_tuple(num_rows)) : nb::make_tuple(num_rows, info.width);
  return numpy().attr("empty")(shape, info.dtype);
}

std::string shape_of(const FieldInfo& info, std::size_t num_rows) {
  return info.width == 1 ? "(" + std::to_string(num_rows) + ",)" : "(" + std::to_string(num_rows) + ", 3)";
}

std::size_t alignment(char format) {
  switch (format) {
    case 'd': return alignof(double);
    case 'i': return alignof(std::int32_t);
    default: return 1;
  }
}

bool fits(const Buffer& buffer, const FieldInfo& info, std::size_t num_rows) {
  const int ndim = info.width == 1 ? 1 : 2;
  return buffer.is(info.format) && buffer.ndim() == ndim && buffer.shape(0) == static_cast<Py_ssize_t>(num_rows) &&
         (ndim == 1 || buffer.shape(1) == info.width) &&
         reinterpret_cast<std::uintptr_t>(buffer.data()) % alignment(info.format) == 0;
}

template <class Item>
std::span<Item> span_of(const Buffer& buffer) {
  return {static_cast<Item*>(buffer.data()), static_cast<std::size_t>(buffer.nbytes()) / sizeof(Item)};
}

void set_column(DistanceColumns& columns, std::size_t field, const Buffer& buffer) {
  static_assert(sizeof(Vector3) == 3 * sizeof(double) && sizeof(Status) == 1 && sizeof(bool) == 1);
  switch (field) {
    case status: columns.status = span_of<Status>(buffer); break;
    case distance: columns.distance = span_of<double>(buffer); break;
    case normal: columns.normal = span_of<Vector3>(buffer); break;
    case point_a: columns.point_a = span_of<Vector3>(buffer); break;
    case point_b: columns.point_b = span_of<Vector3>(buffer); break;
    case lower: columns.lower = span_of<double>(buffer); break;
    case upper: columns.upper = span_of<double>(buffer); break;
    case iterations: columns.iterations = span_of<std::int32_t>(buffer); break;
    case support_calls: columns.support_calls = span_of<std::int32_t>(buffer); break;
    case vertices_visited: columns.vertices_visited = span_of<std::int32_t>(buffer); break;
    default: columns.pose_corrected = span_of<bool>(buffer); break;
  }
}

}  // namespace

std::vector<std::size_t> wanted_fields(nb::handle fields, nb::handle out) {
  std::vector<std::size_t> all(num_fields);
  for (std::size_t i = 0; i < num_fields; ++i) all[i] = i;
  if (out.is_none()) return fields.is_none() ? all : named_fields(fields);
  const std::vector<std::size_t> given = fields_of_output(out);
  if (!fields.is_none() && named_fields(fields) != given)
    throw InvalidInput("fields", "other names than those of out", "leave fields out, or name exactly the arrays in out");
  return given;
}

OutputArrays::OutputArrays(const std::vector<std::size_t>& fields, std::size_t num_rows, nb::handle out) {
  arrays_.size = num_rows;
  for (const std::size_t field : fields)
    take(field, out.is_none() ? new_array(distance_fields[field], num_rows) : array_of(out, field));
}

void OutputArrays::take(std::size_t field, nb::handle array) {
  const FieldInfo& info = distance_fields[field];
  const std::string name = std::string("out.") + info.name;
  arrays_.arrays[field] = nb::borrow(array);
  if (field == warm_start) {
    WarmStarts* starts = nullptr;
    if (!nb::try_cast<WarmStarts*>(array, starts) || starts == nullptr)
      throw_type_error(name, type_text(array), "give a WarmStarts");
    if (starts->items.size() != arrays_.size)
      throw InvalidInput(name, std::to_string(starts->items.size()) + " warm starts", "give " + std::to_string(arrays_.size));
    columns_.warm_start = starts->items;
    return;
  }
  const std::string remedy =
      "give a writable C-contiguous " + std::string(info.dtype) + " array of shape " + shape_of(info, arrays_.size);
  if (!nb::isinstance(array, numpy().attr("ndarray"))) throw_type_error(name, type_text(array), remedy);
  const Buffer& buffer = buffers_.emplace_back(array, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE);
  if (!buffer.held()) {
    const bool writable = nb::cast<bool>(array.attr("flags").attr("writeable"));
    throw InvalidInput(name, writable ? "an array that is not C-contiguous" : "an array that is read-only", remedy);
  }
  if (!fits(buffer, info, arrays_.size))
    throw InvalidInput(
        name, shape_text(array) + " and dtype " + nb::cast<std::string>(nb::object(array.attr("dtype").attr("str"))), remedy);
  const auto* const begin = static_cast<const char*>(buffer.data());
  memory_.emplace_back(Memory{begin, begin + buffer.nbytes()}, field);
  set_column(columns_, field, buffer);
}

void OutputArrays::check_overlap(const std::vector<Memory>& inputs) const {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const auto& [own, field] = memory_[i];
    const std::string name = std::string("out.") + distance_fields[field].name;
    for (std::size_t j = 0; j < i; ++j) {
      if (own.overlaps(memory_[j].first))
        throw InvalidInput(name, std::string("the memory of out.") + distance_fields[memory_[j].second].name,
                           "give arrays of their own");
    }
    for (const Memory& input : inputs)
      if (own.overlaps(input)) throw InvalidInput(name, "the memory of an input", "give arrays of their own");
  }
}

// -------------------------------------------------------------------------------------------------------------------- class
namespace {

/// The array of a field, or AttributeError.
nb::object get(const DistanceArrays& self, std::size_t field) {
  if (self.arrays[field].is_valid()) return self.arrays[field];
  const std::string name = distance_fields[field].name;
  throw nb::attribute_error((name + ": was not asked for; add '" + name + "' to fields").c_str());
}

nb::tuple present(const DistanceArrays& self) {
  nb::list names;
  for (std::size_t i = 0; i < num_fields; ++i)
    if (self.arrays[i].is_valid()) names.append(distance_fields[i].name);
  return nb::tuple(names);
}

nb::object status_names(const DistanceArrays& self) {
  nb::list names;
  for (int i = 0; i <= static_cast<int>(Status::invalid_input); ++i) {
    const std::string_view name = to_string(static_cast<Status>(i));
    names.append(nb::str(name.data(), name.size()));
  }
  return numpy().attr("array")(names)[get(self, status)];
}

std::string describe(const DistanceArrays& self) {
  std::string text = "Distances(" + std::to_string(self.size) + " pairs";
  if (self.arrays[status].is_valid()) {
    const nb::object counts = numpy().attr("bincount")(self.arrays[status], nb::arg("minlength") = 6);
    for (int i = 0; i <= static_cast<int>(Status::invalid_input); ++i) {
      const auto count = nb::cast<Py_ssize_t>(counts[i]);
      if (count > 0) text += ", " + std::to_string(count) + " " + std::string(to_string(static_cast<Status>(i)));
    }
  }
  return text + "; fields " + nb::cast<std::string>(nb::str(", ").attr("join")(present(self))) + ")";
}

nb::tuple get_arrays_state(const DistanceArrays& self) {
  nb::list state;
  state.append(self.size);
  for (const nb::object& array : self.arrays) state.append(array.is_valid() ? array : nb::none());
  return nb::tuple(state);
}

/// The arrays come back through the checks of out=.
DistanceArrays arrays_from_state(const nb::tuple& state) {
  StateReader read(state, num_fields + 1);
  const auto size = static_cast<std::size_t>(std::max(0, read.integer()));
  nb::dict given;
  for (const FieldInfo& info : distance_fields) {
    const nb::object array = read.next();
    if (!array.is_none()) given[info.name] = array;
  }
  return OutputArrays(wanted_fields(nb::none(), given), size, given).result();
}

}  // namespace

void bind_distance_arrays(nb::module_& m) {
  nb::class_<DistanceArrays> type(m, "Distances",
                                  R"(Answer of distances(): the fields of Distance as arrays with a leading axis of N pairs.

A field that was not asked for raises AttributeError. Rows with status invalid_input have distance 0, lower -inf, upper inf.)");
  for (std::size_t i = 0; i < num_fields; ++i) {
    const FieldInfo& info = distance_fields[i];
    const char* const kind = i == warm_start      ? "WarmStarts"
                             : info.format == 'd' ? TACTUM_FLOAT_ARRAY
                             : info.format == 'i' ? TACTUM_INT_ARRAY
                             : info.format == 'B' ? "numpy.typing.NDArray[numpy.uint8]"
                                                  : "numpy.typing.NDArray[numpy.bool_]";
    const std::string signature = std::string("def ") + info.name + "(self) -> " + kind;
    type.def_prop_ro(info.name, [i](const DistanceArrays& self) { return get(self, i); }, nb::sig(signature.c_str()), info.doc);
  }
  type.def_prop_ro("status_names", &status_names, nb::sig("def status_names(self) -> numpy.typing.NDArray[numpy.str_]"),
                   "(N,) names of the statuses, such as 'touching'; a new array each time.")
      .def_prop_ro("fields", &present, nb::sig("def fields(self) -> tuple[str, ...]"), "Names of the fields that were asked for.")
      .def(
          "__len__", [](const DistanceArrays& self) { return self.size; }, "Number of pairs.")
      .def("__repr__", &describe);
  bind_immutable(type, &get_arrays_state, &arrays_from_state);
}

}  // namespace tactum::python
