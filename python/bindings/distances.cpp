// SPDX-License-Identifier: BSD-2-Clause
// ShapeTable, WarmStarts and distances.
//
// All arguments are checked before anything is written; then the rows are computed without the GIL.
// The memory of every array is held meanwhile, and Python's signal handlers run about 100 times a
// second, so that Ctrl-C ends the call.
#include "tactum/distances.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "distance_arrays.hpp"
#include "estimators.hpp"
#include "geometry.hpp"
#include "keywords.hpp"
#include "method.hpp"
#include "pickle.hpp"
#include "shape_of.hpp"
#include "warm_start.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

// -------------------------------------------------------------------------------------------------
// shape table
ShapeTable make_table(nb::handle shapes) {
  if (!PyTuple_Check(shapes.ptr()) && !PyList_Check(shapes.ptr()))
    throw_type_error("ShapeTable.shapes", type_text(shapes), "give a list or tuple of shapes");
  std::vector<Geometry> items;
  for (nb::handle shape : nb::borrow<nb::object>(shapes))
    items.push_back(
        to_geometry(shape, ("ShapeTable.shapes[" + std::to_string(items.size()) + "]").c_str()));
  return ShapeTable::of_geometries(std::move(items));
}

std::size_t checked_index(nb::handle index, std::size_t size) {
  const int number = to_int(index, "index");
  const std::int64_t place = number < 0 ? number + static_cast<std::int64_t>(size) : number;
  // IndexError, not InvalidInput: it is what ends a loop over a sequence
  if (place < 0 || place >= static_cast<std::int64_t>(size))
    throw nb::index_error(
        ("index: got " + std::to_string(number) + "; there are " + std::to_string(size) + " items")
            .c_str());
  return static_cast<std::size_t>(place);
}

nb::tuple get_table_state(const ShapeTable& self) {
  nb::list shapes;
  for (std::size_t i = 0; i < self.size(); ++i) shapes.append(to_python(self.geometry(i)));
  return nb::make_tuple(nb::tuple(shapes));
}

void bind_shape_table(nb::module_& m) {
  static constexpr const char* kTable =
      "def __init__(self, shapes: collections.abc.Sequence[" TACTUM_GEOMETRY "]) -> None";
  nb::class_<ShapeTable> type(
      m, "ShapeTable",
      R"(Many shapes in one immutable list, for batches that refer to them by index.

    table = ShapeTable([Sphere(radius=1.0), Box(half_extents=(1, 1, 1))])
    distances((table, [0, 1, 1]), X_WA, (table, [1, 0, 1]), X_WB))");
  type.def(
          "__init__",
          [](ShapeTable* self, const nb::args& args, const nb::kwargs& kwargs) {
            const Keywords given("ShapeTable", kTable, args, kwargs, {"shapes"}, {}, {"shapes"});
            new (self) ShapeTable(make_table(given["shapes"]));
          },
          nb::sig(kTable),
          "shapes: a list or tuple of shapes, compounds and meshes; index i of a batch means "
          "shapes[i].")
      .def(
          "__len__", [](const ShapeTable& self) { return self.size(); }, "Number of shapes.")
      .def(
          "__getitem__",
          [](const ShapeTable& self, nb::handle index) {
            return to_python(self.geometry(checked_index(index, self.size())));
          },
          "index"_a.none(), nb::sig("def __getitem__(self, index: int, /) -> " TACTUM_GEOMETRY),
          "The shape of that index.")
      .def(
          "__iter__",
          [](const ShapeTable& self) { return nb::iter(nb::object(get_table_state(self)[0])); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[" TACTUM_GEOMETRY "]"),
          "The shapes in order.")
      .def_prop_ro("nbytes", &ShapeTable::nbytes,
                   "Memory held, in bytes; hull tables that shapes share count once.")
      .def("__repr__",
           [](const ShapeTable& self) {
             return "ShapeTable(" + std::to_string(self.size()) + " shapes)";
           })
      .def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"),
           "Equal shapes in the same order.")
      .def(
          "__hash__", [](const ShapeTable& self) { return nb::hash(get_table_state(self)); },
          "Equal tables have equal hashes.");
  bind_immutable(type, &get_table_state,
                 [](const nb::tuple& state) { return make_table(StateReader(state, 1).next()); });
}

// -------------------------------------------------------------------------------------------------
// warm starts
WarmStarts make_warm_starts(nb::handle items) {
  if (PyIndex_Check(items.ptr()) && !nb::hasattr(items, "__len__")) {
    const int size = to_int(items, "WarmStarts.items");
    if (size < 0)
      throw InvalidInput("WarmStarts.items", std::to_string(size), "give a number >= 0");
    return {std::vector<WarmStart>(static_cast<std::size_t>(size))};
  }
  if (!PyTuple_Check(items.ptr()) && !PyList_Check(items.ptr()))
    throw_type_error("WarmStarts.items", type_text(items), "give how many, or a list of WarmStart");
  WarmStarts all;
  for (nb::handle item : nb::borrow<nb::object>(items)) {
    const WarmStart* one = nullptr;
    if (!nb::try_cast<const WarmStart*>(item, one) || one == nullptr)
      throw_type_error("WarmStarts.items[" + std::to_string(all.items.size()) + "]",
                       type_text(item), "give a WarmStart");
    all.items.push_back(*one);
  }
  return all;
}

/// Many by slice, mask or array of numbers; one by a number that is not an int, such as those of
/// numpy.
nb::object select(const WarmStarts& self, nb::handle index) {
  if (PyIndex_Check(index.ptr()) && !nb::hasattr(index, "__len__"))
    return nb::cast(self.items[checked_index(index, self.items.size())]);
  const nb::object places = numpy().attr("ascontiguousarray")(
      numpy().attr("arange")(self.items.size())[nb::borrow(index)], "int64");
  const Buffer buffer(places);
  const auto* const place = static_cast<const std::int64_t*>(buffer.data());
  WarmStarts chosen;
  for (Py_ssize_t i = 0; i < buffer.nbytes() / Py_ssize_t{sizeof(std::int64_t)}; ++i)
    chosen.items.push_back(self.items[static_cast<std::size_t>(place[i])]);
  return nb::cast(std::move(chosen));
}

nb::tuple get_starts_state(const WarmStarts& self) {
  nb::list items;
  for (const WarmStart& item : self.items) items.append(nb::cast(item));
  return nb::make_tuple(items);
}

void bind_warm_starts(nb::module_& m) {
  nb::class_<WarmStarts> type(
      m, "WarmStarts",
      R"(Where the last queries of many pairs ended: give it to the next distances() of the same
pairs.

Index it like an array: a number gives a WarmStart; a slice, a mask or an array of numbers gives a
WarmStarts.)");
  type.def(
          "__init__",
          [](WarmStarts* self, nb::handle items) {
            new (self) WarmStarts(make_warm_starts(items));
          },
          "items"_a.none(),
          nb::sig(
              "def __init__(self, items: int | list[WarmStart] | tuple[WarmStart, ...]) -> None"),
          "items: how many, each without knowledge; or a list of them.")
      .def(
          "__len__", [](const WarmStarts& self) { return self.items.size(); },
          "How many there are.")
      .def(
          "__getitem__",
          [](const WarmStarts& self, const nb::int_& index) {
            return self.items[checked_index(index, self.items.size())];
          },
          "index"_a, nb::sig("def __getitem__(self, index: int, /) -> WarmStart"), "One by number.")
      .def("__getitem__", &select, "index"_a.none(),
           nb::sig("def __getitem__(self, index: slice | " TACTUM_ARRAY_LIKE ", /) -> WarmStarts"),
           "Many by slice, mask or array of numbers, with numpy's rules.")
      .def(
          "__iter__",
          [](const WarmStarts& self) { return nb::iter(nb::object(get_starts_state(self)[0])); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[WarmStart]"),
          "The warm starts in order.")
      .def_prop_ro(
          "nbytes",
          [](const WarmStarts& self) {
            return sizeof(WarmStarts) + self.items.size() * sizeof(WarmStart);
          },
          "Memory held, in bytes.")
      .def("__repr__",
           [](const WarmStarts& self) {
             return "WarmStarts(" + std::to_string(self.items.size()) + ")";
           })
      .def(
          "__eq__",
          [](const WarmStarts& self, const WarmStarts& other) { return self.items == other.items; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"),
          "The same warm starts in the same order.");
  bind_immutable(type, &get_starts_state, [](const nb::tuple& state) {
    return make_warm_starts(StateReader(state, 1).next());
  });
}

// -------------------------------------------------------------------------------------------------
// distances
const WarmStarts* to_warm_starts(nb::handle value) {
  if (value.is_none()) return nullptr;
  const WarmStarts* starts = nullptr;
  if (!nb::try_cast<const WarmStarts*>(value, starts) || starts == nullptr)
    throw_type_error("warm_start", type_text(value),
                     "give the warm_start of an earlier distances(), or None");
  return starts;
}

void add(std::vector<Memory>& inputs, const std::optional<Memory>& memory) {
  if (memory) inputs.push_back(*memory);
}

/// The derivative of a call, from its three arguments.
struct DerivativeArgument {
  Estimator estimator = Exact{};
  TangentFrame frame = TangentFrame::local;
  FieldChoice choice;
};

DerivativeArgument to_derivative(nb::handle derivative, nb::handle frame, nb::handle parameters) {
  DerivativeArgument argument;
  argument.frame = to_frame(frame);
  argument.choice.parameters = to_flag(parameters, "parameters");
  if (derivative.is_none()) {
    if (argument.choice.parameters)
      throw InvalidInput("derivative", "None", "give derivative=Exact() with parameters=True");
    return argument;
  }
  argument.estimator = to_estimator(derivative, "derivative");
  argument.choice.derivative = true;
  argument.choice.standard_error = has_standard_error(argument.estimator);
  return argument;
}

DistanceArrays call_distances(nb::handle a, nb::handle X_WA, nb::handle b, nb::handle X_WB,
                              nb::handle fields, nb::handle derivative, nb::handle frame,
                              nb::handle parameters, nb::handle method, nb::handle tolerance,
                              nb::handle max_iterations, nb::handle cutoff, nb::handle warm_start,
                              nb::handle num_threads, nb::handle out) {
  RowCount rows;
  const ShapeArgument shape_a(a, "a", rows, Accepts::any), shape_b(b, "b", rows, Accepts::any);
  const PoseArgument pose_a(X_WA, "X_WA", rows), pose_b(X_WB, "X_WB", rows);
  const WarmStarts* const starts = to_warm_starts(warm_start);
  if (starts != nullptr) rows.add(static_cast<Py_ssize_t>(starts->items.size()), "warm_start");

  PairBatch pairs{.size = rows.get(), .a = {.poses = pose_a.span()}, .b = {.poses = pose_b.span()}};
  shape_a.fill(pairs.a, pairs.size);
  shape_b.fill(pairs.b, pairs.size);
  if (starts != nullptr) pairs.warm_start = starts->items;
  const DerivativeArgument wanted = to_derivative(derivative, frame, parameters);
  const DistancesOptions options{.method = to_method(method),
                                 .tolerance = to_double(tolerance, "tolerance"),
                                 .max_iterations = to_int(max_iterations, "max_iterations"),
                                 .cutoff = to_double(cutoff, "cutoff"),
                                 .derivative = wanted.estimator,
                                 .frame = wanted.frame,
                                 .num_threads = to_int(num_threads, "num_threads")};
  DistanceArrays form;
  form.size = pairs.size;
  if (wanted.choice.parameters) {
    form.parameters_a = parameter_names(pairs.a, "a");
    form.parameters_b = parameter_names(pairs.b, "b");
  }
  const OutputArrays output(wanted_fields(fields, out, wanted.choice), form, out);
  std::vector<Memory> inputs;
  for (const auto& memory : {pose_a.memory(), pose_b.memory(), shape_a.memory(), shape_b.memory()})
    add(inputs, memory);
  output.check_overlap(inputs);

  WorkspaceLease lease;
  interruptible([&] { distances(pairs, options, lease.get(), output.columns()); });
  return output.result();
}

#define TACTUM_SIDE TACTUM_GEOMETRY " | tuple[ShapeTable, " TACTUM_ARRAY_LIKE "]"

}  // namespace

void bind_distances(nb::module_& m) {
  bind_shape_table(m);
  bind_warm_starts(m);
  bind_distance_arrays(m);
  m.def(
      "distances", &call_distances, "a"_a.none(), "X_WA"_a.none(), "b"_a.none(), "X_WB"_a.none(),
      nb::kw_only(), "fields"_a.none() = nb::none(), "derivative"_a.none() = nb::none(),
      "frame"_a.none() = "local", "parameters"_a.none() = false, "method"_a.none() = "auto",
      "tolerance"_a.none() = 1e-10, "max_iterations"_a.none() = 128,
      "cutoff"_a.none() = std::numeric_limits<double>::infinity(),
      "warm_start"_a.none() = nb::none(), "num_threads"_a.none() = 0, "out"_a.none() = nb::none(),
      nb::sig(
          "def distances(a: " TACTUM_SIDE ", X_WA: " TACTUM_POSE_LIKE ", b: " TACTUM_SIDE
          ", X_WB: " TACTUM_POSE_LIKE
          ", *, fields: collections.abc.Sequence[str] | None = None, derivative: " TACTUM_ESTIMATOR
          " | None = None, frame: " TACTUM_FRAME " = 'local', "
          "parameters: bool = False, method: " TACTUM_METHOD " = 'auto', "
          "tolerance: float = 1e-10, max_iterations: int = 128, cutoff: float = math.inf, "
          "warm_start: WarmStarts | None = None, num_threads: int = 0, "
          "out: Distances | dict[str, typing.Any] | None = None) -> Distances"),
      R"(Signed distances of N pairs of shapes, compounds and meshes, and their derivatives, in
one call, on all cores.

a, b: a shape, a compound or a mesh for all pairs, or a tuple (ShapeTable, index) with an int32 array of one index for
each pair.
X_WA, X_WB: poses in the world, (4, 4), (N, 4, 4), (7,) or (N, 7) numbers. A pose without a
leading axis, or with one of length 1, is used for all pairs. C-contiguous float64 arrays are read
in place, others are copied.
fields: names of the fields that are wanted; the other fields are not written, and not computed
where that saves time. None: all.
derivative: an estimator, such as Exact(): how distance, normal and points of each pair move with
its shapes, as distance_derivative() returns it. The seed of a sampled estimator is used for every
row. "distance_jacobian" alone costs next to nothing.
frame: of the small motions, as for distance_derivative(). parameters: also differentiate by the
sizes of the shapes; then all shapes a must be convex and of one kind, hulls with equally many vertices, and
so must all shapes b.
method, tolerance, max_iterations, cutoff: as for distance().
warm_start: the warm_start of an earlier result for the same pairs.
num_threads: at most that many; 0: all cores. The answer has the same bits for any number.
out: arrays to write to, as a dict by field name or as an earlier Distances; they must have the
right shape and dtype, be C-contiguous, and share no memory with each other or with the input.
Nothing is written before all arguments are checked.
Returns Distances; row i has the bits of distance() and distance_derivative() for pair i. A pair
that these would refuse because of its numbers has status invalid_input, distance 0, lower -inf
and upper inf, Jacobians of zeros and smooth False. Raises InvalidInput (a ValueError) on shapes
that do not fit, on indices out of range and on bad options, TypeError on objects of the wrong
type.
The GIL is released. Ctrl-C ends the call with KeyboardInterrupt; arrays in out then hold some new
rows and some old ones.)");
}

}  // namespace tactum::python
