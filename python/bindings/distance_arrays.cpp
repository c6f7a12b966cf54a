// SPDX-License-Identifier: BSD-2-Clause
#include "distance_arrays.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "bindings.hpp"
#include "convert.hpp"
#include "pickle.hpp"
#include "tactum/status.hpp"
#include "text_enum.hpp"
#include "warm_start.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {

namespace {

using Group = FieldGroup;
constexpr const char* kBySizes =
    "By the sizes of A, then those of B, in the order of parameters_a and parameters_b; exact.";

}  // namespace

const std::array<FieldInfo, kNumFields> kDistanceFields = {{
    {"status", Group::value, 'B', "uint8", 0, 0,
     "(N,) outcome of each query: numbers of Status. `r.status == Status.touching` is a mask."},
    {"distance", Group::value, 'd', "float64", 0, 0,
     "(N,) signed distances in metres: minus the depth in penetration."},
    {"normal", Group::value, 'd', "float64", 0, 3, "(N, 3) unit normals from A to B, world frame."},
    {"point_a", Group::value, 'd', "float64", 0, 3,
     "(N, 3) witness points on A, world frame, in metres."},
    {"point_b", Group::value, 'd', "float64", 0, 3,
     "(N, 3) witness points on B, world frame, in metres."},
    {"lower", Group::value, 'd', "float64", 0, 0,
     "(N,) proved lower bounds of the true distances, in metres."},
    {"upper", Group::value, 'd', "float64", 0, 0,
     "(N,) proved upper bounds of the true distances, in metres."},
    {"iterations", Group::value, 'i', "int32", 0, 0, "(N,) iterations of the main loop."},
    {"support_calls", Group::value, 'i', "int32", 0, 0,
     "(N,) how often a support point was computed."},
    {"vertices_visited", Group::value, 'i', "int32", 0, 0,
     "(N,) hull vertices looked at in all supports."},
    {"pose_corrected", Group::value, '?', "bool", 0, 0,
     "(N,) whether a rotation was off by 1e-12 to 1e-6 and was made orthonormal."},
    {"warm_start", Group::value, '\0', nullptr, 0, 0,
     "N warm starts: give them to the next call for the same pairs."},
    {"smooth", Group::derivative, '?', "bool", 0, 0,
     "(N,) whether the exact derivative exists and is unique."},
    {"distance_jacobian", Group::derivative, 'd', "float64", 0, 12,
     "(N, 12), columns [v; w] of A, then of B."},
    {"normal_jacobian", Group::derivative, 'd', "float64", 3, 12,
     "(N, 3, 12), rows in the world, columns [v; w] of A, then of B."},
    {"point_a_jacobian", Group::derivative, 'd', "float64", 3, 12,
     "(N, 3, 12), rows in the world, columns [v; w] of A, then of B."},
    {"point_b_jacobian", Group::derivative, 'd', "float64", 3, 12,
     "(N, 3, 12), rows in the world, columns [v; w] of A, then of B."},
    {"separation_jacobian", Group::derivative, 'd', "float64", 3, 12,
     "(N, 3, 12), of point_b - point_a, rows in the world, columns [v; w] of A, then of B."},
    {"standard_error", Group::standard_error, '\0', nullptr, 0, 0,
     "Standard errors of the Jacobians of sampled estimators: a Distances that has these alone."},
    {"distance_parameter_jacobian", Group::parameter, 'd', "float64", 0, kByParameters, kBySizes},
    {"normal_parameter_jacobian", Group::parameter, 'd', "float64", 3, kByParameters, kBySizes},
    {"point_a_parameter_jacobian", Group::parameter, 'd', "float64", 3, kByParameters, kBySizes},
    {"point_b_parameter_jacobian", Group::parameter, 'd', "float64", 3, kByParameters, kBySizes},
    {"separation_parameter_jacobian", Group::parameter, 'd', "float64", 3, kByParameters, kBySizes},
}};

bool FieldChoice::has(FieldGroup group) const {
  switch (group) {
    case FieldGroup::value: return true;
    case FieldGroup::derivative: return derivative;
    case FieldGroup::standard_error: return standard_error;
    default: return parameters;
  }
}

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
  warm_start,
  smooth,
  distance_jacobian,
  normal_jacobian,
  point_a_jacobian,
  point_b_jacobian,
  separation_jacobian,
  standard_error,
  distance_parameter_jacobian,
  normal_parameter_jacobian,
  point_a_parameter_jacobian,
  point_b_parameter_jacobian,
  separation_parameter_jacobian
};

/// Names of all fields, with one word for the five derivatives by sizes.
std::string all_names() {
  std::string names;
  for (const FieldInfo& info : kDistanceFields)
    if (info.group != FieldGroup::parameter) names += std::string(info.name) + ", ";
  return names + "*_parameter_jacobian";
}

std::size_t field_number(nb::handle name, const char* argument) {
  if (!PyUnicode_Check(name.ptr()))
    throw_type_error(argument, type_text(name), "give names of fields: " + all_names());
  for (std::size_t i = 0; i < kNumFields; ++i)
    if (PyUnicode_CompareWithASCIIString(name.ptr(), kDistanceFields[i].name) == 0) return i;
  const nb::object text = nb::steal(PyObject_ASCII(name.ptr()));
  if (!text.is_valid()) throw nb::python_error();
  throw InvalidInput(argument, nb::cast<std::string>(text).substr(0, 80),
                     "give names of fields: " + all_names());
}

std::vector<std::size_t> sorted_fields(std::vector<std::size_t> fields, const char* argument) {
  std::sort(fields.begin(), fields.end());
  if (const auto twice = std::adjacent_find(fields.begin(), fields.end()); twice != fields.end())
    throw InvalidInput(argument, std::string(kDistanceFields[*twice].name) + " twice",
                       "give every field once");
  return fields;
}

std::vector<std::size_t> named_fields(nb::handle fields) {
  if (!PyTuple_Check(fields.ptr()) && !PyList_Check(fields.ptr()))
    throw_type_error("fields", type_text(fields),
                     "give None for all, or a tuple of names: " + all_names());
  std::vector<std::size_t> numbers;
  for (nb::handle name : nb::borrow<nb::object>(fields))
    numbers.push_back(field_number(name, "fields"));
  return sorted_fields(numbers, "fields");
}

const char* remedy_of(FieldGroup group) {
  if (group == FieldGroup::derivative) return "give derivative=Exact() or another estimator";
  return group == FieldGroup::parameter
             ? "give derivative=Exact() and parameters=True"
             : "give derivative=ZerothOrder(...) or Gaussian(...) with some samples";
}

void check_choice(const std::vector<std::size_t>& fields, const FieldChoice& choice,
                  const char* argument) {
  for (const std::size_t field : fields) {
    const FieldInfo& info = kDistanceFields[field];
    if (!choice.has(info.group)) throw InvalidInput(argument, info.name, remedy_of(info.group));
  }
}

/// Array of a field in `out`: a dict of arrays, or an earlier result. Null when it has none.
nb::object array_of(nb::handle out, std::size_t field) {
  if (const DistanceArrays* earlier = nullptr;
      nb::try_cast<const DistanceArrays*>(out, earlier) && earlier != nullptr)
    return earlier->arrays[field];
  PyObject* const item = PyDict_GetItemString(out.ptr(), kDistanceFields[field].name);
  return item == nullptr ? nb::object() : nb::borrow(item);
}

std::vector<std::size_t> fields_of_output(nb::handle out) {
  std::vector<std::size_t> numbers;
  if (const DistanceArrays* earlier = nullptr;
      nb::try_cast<const DistanceArrays*>(out, earlier) && earlier != nullptr) {
    for (std::size_t i = 0; i < kNumFields; ++i)
      if (earlier->arrays[i].is_valid()) numbers.push_back(i);
  } else if (PyDict_Check(out.ptr())) {
    for (const auto& [name, array] : nb::borrow<nb::dict>(out))
      numbers.push_back(field_number(name, "out"));
  } else {
    throw_type_error("out", type_text(out),
                     "give a dict of arrays by field, or an earlier Distances");
  }
  return sorted_fields(numbers, "out");
}

std::vector<Py_ssize_t> shape_of(const FieldInfo& info, const DistanceArrays& form) {
  std::vector<Py_ssize_t> shape = {static_cast<Py_ssize_t>(form.size)};
  if (info.rows > 0) shape.push_back(info.rows);
  if (info.columns == kByParameters)
    shape.push_back(static_cast<Py_ssize_t>(form.parameters_a.size() + form.parameters_b.size()));
  else if (info.columns > 0)
    shape.push_back(info.columns);
  return shape;
}

nb::tuple shape_tuple(const FieldInfo& info, const DistanceArrays& form) {
  nb::list shape;
  for (const Py_ssize_t length : shape_of(info, form)) shape.append(length);
  return nb::tuple(shape);
}

nb::object new_array(std::size_t field, const DistanceArrays& form) {
  const FieldInfo& info = kDistanceFields[field];
  if (field == warm_start) return nb::cast(WarmStarts{std::vector<WarmStart>(form.size)});
  if (field == standard_error) return nb::none();
  const nb::object array = numpy().attr("empty")(shape_tuple(info, form), info.dtype);
  return field == status ? enum_array(array, "StatusArray") : array;
}

std::size_t alignment(char format) {
  switch (format) {
    case 'd': return alignof(double);
    case 'i': return alignof(std::int32_t);
    default: return 1;
  }
}

bool fits(const Buffer& buffer, const FieldInfo& info, const DistanceArrays& form) {
  const std::vector<Py_ssize_t> shape = shape_of(info, form);
  if (!buffer.is(info.format) || buffer.ndim() != static_cast<int>(shape.size())) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (buffer.shape(static_cast<int>(i)) != shape[i]) return false;
  return reinterpret_cast<std::uintptr_t>(buffer.data()) % alignment(info.format) == 0;
}

template <class Item>
std::span<Item> span_of(const Buffer& buffer) {
  return {static_cast<Item*>(buffer.data()),
          static_cast<std::size_t>(buffer.nbytes()) / sizeof(Item)};
}

void set_column(DistanceColumns& columns, std::size_t field, const Buffer& buffer) {
  static_assert(sizeof(Vector3) == 3 * sizeof(double) && sizeof(Status) == 1 && sizeof(bool) == 1);
  static_assert(sizeof(Packed3x12) == 36 * sizeof(double) &&
                alignof(Packed3x12) == alignof(double));
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
    case pose_corrected: columns.pose_corrected = span_of<bool>(buffer); break;
    case smooth: columns.smooth = span_of<bool>(buffer); break;
    case distance_jacobian:
      columns.jacobian.distance_jacobian = span_of<PackedRow12>(buffer);
      break;
    case normal_jacobian: columns.jacobian.normal_jacobian = span_of<Packed3x12>(buffer); break;
    case point_a_jacobian: columns.jacobian.point_a_jacobian = span_of<Packed3x12>(buffer); break;
    case point_b_jacobian: columns.jacobian.point_b_jacobian = span_of<Packed3x12>(buffer); break;
    case separation_jacobian:
      columns.jacobian.separation_jacobian = span_of<Packed3x12>(buffer);
      break;
    case distance_parameter_jacobian:
      columns.parameter.distance_jacobian = span_of<double>(buffer);
      break;
    case normal_parameter_jacobian:
      columns.parameter.normal_jacobian = span_of<double>(buffer);
      break;
    case point_a_parameter_jacobian:
      columns.parameter.point_a_jacobian = span_of<double>(buffer);
      break;
    case point_b_parameter_jacobian:
      columns.parameter.point_b_jacobian = span_of<double>(buffer);
      break;
    default: columns.parameter.separation_jacobian = span_of<double>(buffer); break;
  }
}

}  // namespace

std::vector<std::size_t> wanted_fields(nb::handle fields, nb::handle out,
                                       const FieldChoice& choice) {
  std::vector<std::size_t> wanted;
  if (fields.is_none() && out.is_none()) {
    for (std::size_t i = 0; i < kNumFields; ++i)
      if (choice.has(kDistanceFields[i].group)) wanted.push_back(i);
    return wanted;
  }
  wanted = out.is_none() ? named_fields(fields) : fields_of_output(out);
  if (!out.is_none() && !fields.is_none() && named_fields(fields) != wanted)
    throw InvalidInput("fields", "other names than those of out",
                       "leave fields out, or name exactly the arrays in out");
  check_choice(wanted, choice, out.is_none() ? "fields" : "out");
  return wanted;
}

OutputArrays::OutputArrays(const std::vector<std::size_t>& fields, const DistanceArrays& form,
                           nb::handle out, const std::string& prefix)
    : prefix_(prefix), arrays_(form) {
  for (const std::size_t field : fields) {
    const nb::object array = out.is_none() ? new_array(field, arrays_) : array_of(out, field);
    if (field == warm_start)
      take_warm_starts(array);
    else if (field == standard_error)
      take_standard_errors(fields, array);
    else
      take(field, array);
  }
}

void OutputArrays::take_warm_starts(nb::handle array) {
  const std::string name = prefix_ + "warm_start";
  WarmStarts* starts = nullptr;
  if (!nb::try_cast<WarmStarts*>(array, starts) || starts == nullptr)
    throw_type_error(name, type_text(array), "give a WarmStarts");
  if (starts->items.size() != arrays_.size)
    throw InvalidInput(name, std::to_string(starts->items.size()) + " warm starts",
                       "give " + std::to_string(arrays_.size));
  arrays_.arrays[warm_start] = nb::borrow(array);
  columns_.warm_start = starts->items;
}

/// Standard errors of the Jacobians that are asked for, or of all where none is.
void OutputArrays::take_standard_errors(const std::vector<std::size_t>& fields, nb::handle given) {
  const std::string name = prefix_ + "standard_error";
  std::vector<std::size_t> own;
  if (given.is_none()) {
    for (std::size_t i = distance_jacobian; i <= separation_jacobian; ++i)
      if (std::find(fields.begin(), fields.end(), i) != fields.end()) own.push_back(i);
    if (own.empty())
      own = {distance_jacobian, normal_jacobian, point_a_jacobian, point_b_jacobian,
             separation_jacobian};
  } else {
    own = fields_of_output(given);
    for (const std::size_t i : own)
      if (i < distance_jacobian || i > separation_jacobian)
        throw InvalidInput(name, kDistanceFields[i].name, "only Jacobians have standard errors");
  }
  DistanceArrays form;
  form.size = arrays_.size;
  errors_ = std::make_unique<OutputArrays>(own, form, given, name + ".");
  memory_.insert(memory_.end(), errors_->memory_.begin(), errors_->memory_.end());
  columns_.standard_error = errors_->columns().jacobian;
  const bool reused = nb::isinstance<DistanceArrays>(given);
  arrays_.arrays[standard_error] = reused ? nb::borrow(given) : nb::cast(errors_->result());
}

void OutputArrays::take(std::size_t field, nb::handle array) {
  const FieldInfo& info = kDistanceFields[field];
  const std::string name = prefix_ + info.name;
  arrays_.arrays[field] = nb::borrow(array);
  // N.B. put together only when something is wrong: it takes longer than a small batch
  const auto remedy = [&] {
    return "give a writable C-contiguous " + std::string(info.dtype) + " array of shape " +
           nb::cast<std::string>(nb::repr(shape_tuple(info, arrays_)));
  };
  if (!nb::isinstance(array, numpy().attr("ndarray")))
    throw_type_error(name, type_text(array), remedy());
  const Buffer& buffer = buffers_.emplace_back(array,
                                               PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE);
  if (!buffer.held()) {
    const bool writable = nb::cast<bool>(array.attr("flags").attr("writeable"));
    throw InvalidInput(
        name, writable ? "an array that is not C-contiguous" : "an array that is read-only",
        remedy());
  }
  if (!fits(buffer, info, arrays_))
    throw InvalidInput(name,
                       shape_text(array) + " and dtype " +
                           nb::cast<std::string>(nb::object(array.attr("dtype").attr("str"))),
                       remedy());
  const auto* const begin = static_cast<const char*>(buffer.data());
  memory_.emplace_back(Memory{begin, begin + buffer.nbytes()}, name);
  set_column(columns_, field, buffer);
}

void OutputArrays::check_overlap(const std::vector<Memory>& inputs) const {
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    const auto& [own, name] = memory_[i];
    for (std::size_t j = 0; j < i; ++j)
      if (own.overlaps(memory_[j].first))
        throw InvalidInput(name, "the memory of " + memory_[j].second, "give arrays of their own");
    for (const Memory& input : inputs)
      if (own.overlaps(input))
        throw InvalidInput(name, "the memory of an input", "give arrays of their own");
  }
}

// -------------------------------------------------------------------------------------------------
// class
namespace {

/// The array of a field, or AttributeError.
nb::object get(const DistanceArrays& self, std::size_t field) {
  if (self.arrays[field].is_valid()) return self.arrays[field];
  const std::string name = kDistanceFields[field].name;
  throw nb::attribute_error((name + ": was not asked for; add '" + name + "' to fields").c_str());
}

nb::tuple present(const DistanceArrays& self) {
  nb::list names;
  for (std::size_t i = 0; i < kNumFields; ++i)
    if (self.arrays[i].is_valid()) names.append(kDistanceFields[i].name);
  return nb::tuple(names);
}

nb::object status_names(const DistanceArrays& self) {
  nb::list names;
  for (int i = 0; i <= static_cast<int>(Status::invalid_input); ++i) {
    const std::string_view name = to_string(static_cast<Status>(i));
    names.append(nb::str(name.data(), name.size()));
  }
  return numpy().attr("array")(names)[numpy().attr("asarray")(get(self, status))];
}

std::string describe(const DistanceArrays& self) {
  std::string text = "Distances(" + std::to_string(self.size) + " pairs";
  if (self.arrays[status].is_valid()) {
    const nb::object counts = numpy().attr("bincount")(self.arrays[status],
                                                       nb::arg("minlength") = 6);
    for (int i = 0; i <= static_cast<int>(Status::invalid_input); ++i) {
      const auto count = nb::cast<Py_ssize_t>(counts[i]);
      if (count > 0)
        text += ", " + std::to_string(count) + " " + std::string(to_string(static_cast<Status>(i)));
    }
  }
  constexpr std::size_t longest = 100;  // a line
  const auto fields = present(self);
  const auto names = nb::cast<std::string>(nb::str(", ").attr("join")(fields));
  const std::string all = text + "; fields " + names + ")";
  if (all.size() <= longest) return all;
  const bool has_error = names.find("standard_error") != std::string::npos;
  return text + "; " + std::to_string(nb::len(fields)) + " fields" +
         (has_error ? " with standard_error)" : ")");
}

nb::object names_of(const std::vector<std::string>& names) {
  nb::list list;
  for (const std::string& name : names) list.append(name);
  return list.size() == 0 ? nb::none() : nb::object(nb::tuple(list));
}

nb::tuple get_arrays_state(const DistanceArrays& self) {
  nb::list state;
  state.append(self.size);
  state.append(names_of(self.parameters_a));
  state.append(names_of(self.parameters_b));
  for (const nb::object& array : self.arrays) state.append(array.is_valid() ? array : nb::none());
  return nb::tuple(state);
}

std::vector<std::string> names_from_state(StateReader& read) {
  std::vector<std::string> names;
  if (const auto state = read.optional_tuple()) {
    for (nb::handle name : *state) names.push_back(nb::cast<std::string>(nb::str(name)));
  }
  return names;
}

/// The arrays come back through the checks of out=.
DistanceArrays arrays_from_state(const nb::tuple& state) {
  StateReader read(state, kNumFields + 3);
  DistanceArrays form;
  form.size = static_cast<std::size_t>(std::max(0, read.integer()));
  form.parameters_a = names_from_state(read);
  form.parameters_b = names_from_state(read);
  nb::dict given;
  for (const FieldInfo& info : kDistanceFields) {
    const nb::object array = read.next();
    if (!array.is_none()) given[info.name] = array;
  }
  const FieldChoice everything{.derivative = true, .standard_error = true, .parameters = true};
  return OutputArrays(wanted_fields(nb::none(), given, everything), form, given).result();
}

}  // namespace

void bind_distance_arrays(nb::module_& m) {
  nb::class_<DistanceArrays> type(
      m, "Distances",
      R"(Answer of distances(): the fields of Distance, and of DistanceDerivative where
derivative= was given, as arrays with a leading axis of N pairs.

A field that was not asked for raises AttributeError. Rows with status invalid_input have distance
0, lower -inf, upper inf, Jacobians of zeros and smooth False.)");
  for (std::size_t i = 0; i < kNumFields; ++i) {
    const FieldInfo& info = kDistanceFields[i];
    const char* const kind = i == warm_start       ? "WarmStarts"
                             : i == standard_error ? "Distances"
                             : info.format == 'd'  ? TACTUM_FLOAT_ARRAY
                             : info.format == 'i'  ? TACTUM_INT_ARRAY
                             : info.format == 'B'  ? "numpy.typing.NDArray[numpy.uint8]"
                                                   : "numpy.typing.NDArray[numpy.bool_]";
    const std::string signature = std::string("def ") + info.name + "(self) -> " + kind;
    type.def_prop_ro(
        info.name, [i](const DistanceArrays& self) { return get(self, i); },
        nb::sig(signature.c_str()), info.doc);
  }
  type.def_prop_ro("status_names", &status_names,
                   nb::sig("def status_names(self) -> numpy.typing.NDArray[numpy.str_]"),
                   "(N,) names of the statuses, such as 'touching'; a new array each time.")
      .def_prop_ro(
          "parameters_a", [](const DistanceArrays& self) { return names_of(self.parameters_a); },
          nb::sig("def parameters_a(self) -> tuple[str, ...] | None"),
          "Names of the sizes of A, where asked for.")
      .def_prop_ro(
          "parameters_b", [](const DistanceArrays& self) { return names_of(self.parameters_b); },
          nb::sig("def parameters_b(self) -> tuple[str, ...] | None"),
          "Names of the sizes of B, where asked for.")
      .def_prop_ro("fields", &present, nb::sig("def fields(self) -> tuple[str, ...]"),
                   "Names of the fields that were asked for.")
      .def(
          "__len__", [](const DistanceArrays& self) { return self.size; }, "Number of pairs.")
      .def("__repr__", &describe);
  bind_immutable(type, &get_arrays_state, &arrays_from_state);
}

}  // namespace tactum::python
