// SPDX-License-Identifier: BSD-2-Clause
// SceneDistances, Contacts and RayHits. Their arrays are read-only; they are pickled and copied by
// these arrays, which are checked when they come back.
#include "scene_results.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <tuple>

#include "bindings.hpp"
#include "buffer.hpp"
#include "contact/contact_frame.hpp"
#include "convert.hpp"
#include "pickle.hpp"
#include "text_enum.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

/// numpy.empty and the types of numbers, kept for the life of the process like numpy itself. N.B.
/// no static initializer: importing numpy may hand the GIL to a thread that would then wait for it.
nb::object empty_array(std::size_t rows, std::size_t columns, const char* dtype) {
  static PyObject* empty = nullptr;
  static std::array<std::pair<const char*, PyObject*>, 8> types = {};
  if (empty == nullptr) empty = nb::object(numpy().attr("empty")).release().ptr();
  PyObject* type = nullptr;
  for (auto& [name, object] : types) {
    if (name == nullptr) {
      object = nb::object(numpy().attr("dtype")(dtype)).release().ptr();
      name = dtype;
    }
    if (std::strcmp(name, dtype) == 0) {
      type = object;
      break;
    }
  }
  const nb::object shape = columns == 0 ? nb::object(nb::int_(rows))
                                        : nb::object(nb::make_tuple(rows, columns));
  PyObject* const arguments[] = {shape.ptr(), type};
  nb::object array = nb::steal(PyObject_Vectorcall(empty, arguments, 2, nullptr));
  if (!array.is_valid()) throw nb::python_error();
  return array;
}

/// A new read-only array of `rows` x `columns` (columns 0: one axis), filled by write(row, first
/// number of the row).
template <class Number, class Write>
nb::object array_of(std::size_t rows, std::size_t columns, const char* dtype, Write&& write) {
  const nb::object array = empty_array(rows, columns, dtype);
  {
    const Buffer buffer(array, PyBUF_WRITABLE);
    auto* const numbers = static_cast<Number*>(buffer.data());
    for (std::size_t i = 0; i < rows; ++i)
      write(i, numbers + i * std::max<std::size_t>(columns, 1));
  }
  return frozen(array);
}

template <class Items, class Get>
nb::object numbers_of(const Items& items, Get&& get) {
  return array_of<double>(items.size(), 0, "float64",
                          [&](std::size_t i, double* out) { *out = get(items[i]); });
}

template <class Items, class Get>
nb::object vectors_of(const Items& items, Get&& get) {
  return array_of<double>(items.size(), 3, "float64", [&](std::size_t i, double* out) {
    Eigen::Map<Vector3>{out} = get(items[i]);
  });
}

// -------------------------------------------------------------------------------------------------
// classes

/// A field of a result: its name, its type for numpy, the lengths of its axes after the first, and
/// its text.
template <class Class>
struct Column {
  const char* name;
  nb::object Class::*member;
  const char* dtype;
  std::vector<int> axes;
  const char* doc;
};

template <class Class>
using Columns = std::vector<Column<Class>>;

/// An array of a result that has all of them.
template <class Class>
nb::object array_in(const Class& self, nb::object Class::*member) {
  return self.*member;
}

/// An array of distances, made now where nobody has asked for it before.
nb::object array_in(const DistancesOfScene& self, nb::object DistancesOfScene::*member);

template <class Class>
void bind_columns(nb::class_<Class>& type, const Columns<Class>& columns) {
  for (const Column<Class>& column : columns) {
    const std::string signature = std::string("def ") + column.name +
                                  "(self) -> numpy.typing.NDArray[numpy." + column.dtype + "]";
    type.def_prop_ro(
        column.name, [member = column.member](const Class& self) { return array_in(self, member); },
        nb::sig(signature.c_str()), column.doc);
  }
}

constexpr const char* kUnpickled = "unpickle what was pickled";

/// An array that a pickle holds, checked and read-only. axes: the lengths of its axes after the
/// first.
nb::object array_from_state(nb::handle value, const char* dtype, const std::vector<int>& axes) {
  const nb::object array = numpy().attr("array")(value);
  const nb::tuple shape = nb::cast<nb::tuple>(array.attr("shape"));
  const nb::object name = array.attr("dtype").attr("name");
  bool fits = nb::cast<std::string>(name) == dtype && shape.size() == axes.size() + 1;
  for (std::size_t i = 0; fits && i < axes.size(); ++i)
    fits = nb::cast<int>(shape[i + 1]) == axes[i];
  if (!fits) throw InvalidInput("state", shape_text(array), kUnpickled);
  return frozen(array);
}

template <class Class>
nb::tuple columns_state(const Columns<Class>& columns, const Class& self) {
  nb::list state;
  for (const Column<Class>& column : columns)
    state.append(numpy().attr("asarray")(array_in(self, column.member)));
  return nb::tuple(state);
}

template <class Class>
Class columns_from_state(const Columns<Class>& columns, const nb::tuple& state) {
  StateReader read(state, columns.size());
  Class result;
  for (const Column<Class>& column : columns)
    result.*column.member = array_from_state(read.next(), column.dtype, column.axes);
  return result;
}

Columns<DistancesOfScene> distance_columns() {
  using D = DistancesOfScene;
  return {
      {"pairs", &D::pairs, "int32", {2}, "(M, 2) ids of A and B."},
      {"parts",
       &D::parts,
       "int32",
       {2},
       "(M, 2) the convex parts of A and B that are nearest; 0 for a convex shape."},
      {"status", &D::status, "uint8", {}, "(M,) numbers of Status; compare with names."},
      {"distance", &D::distance, "float64", {}, "(M,) signed distances in metres."},
      {"normal", &D::normal, "float64", {3}, "(M, 3) unit normals from A to B."},
      {"point_a", &D::point_a, "float64", {3}, "(M, 3) witness points on A, in metres."},
      {"point_b", &D::point_b, "float64", {3}, "(M, 3) witness points on B, in metres."},
      {"lower", &D::lower, "float64", {}, "(M,) proved lower bounds, in metres."},
      {"upper", &D::upper, "float64", {}, "(M,) proved upper bounds, in metres."},
      {"iterations", &D::iterations, "int32", {}, "(M,) iterations of the main loop."},
  };
}

Columns<ContactsOfScene> contact_columns() {
  using C = ContactsOfScene;
  return {
      {"pairs", &C::pairs, "int32", {2}, "(M, 2) ids of A and B of each pair, ascending."},
      {"ids", &C::ids, "int32", {}, "(N,) ids of all objects of the scene, ascending."},
      {"offsets", &C::offsets, "int64", {}, "(M + 1,) where the points of each pair begin."},
      {"pair", &C::pair, "int32", {2}, "(K, 2) ids of A and B of each point."},
      {"point_a", &C::point_a, "float64", {3}, "(K, 3) points on A."},
      {"point_b", &C::point_b, "float64", {3}, "(K, 3) points on B."},
      {"normal", &C::normal, "float64", {3}, "(K, 3) unit normals from A to B."},
      {"distance", &C::distance, "float64", {}, "(K,) signed distances along the normals."},
      {"feature_id",
       &C::feature_id,
       "uint64",
       {},
       "(K,) stays while the features that make the point stay."},
      {"tangents",
       &C::tangents,
       "float64",
       {2, 3},
       "(K, 2, 3) unit tangents, which make a right-handed frame with the normal. They turn\n"
       "smoothly with it, but for one direction that is along no axis."},
      {"friction",
       &C::friction,
       "float64",
       {},
       "(K,) coefficients of friction: the geometric mean of those of both objects."},
      {"restitution",
       &C::restitution,
       "float64",
       {},
       "(K,) the larger restitution of both objects."},
      {"compliance",
       &C::compliance,
       "float64",
       {},
       "(K,) compliances in m/N: the sum of those of both objects."},
  };
}

Columns<HitsOfScene> hit_columns() {
  using H = HitsOfScene;
  return {
      {"id", &H::id, "int32", {}, "(N,) ids; -1 where nothing is hit."},
      {"distance",
       &H::distance,
       "float64",
       {},
       "(N,) from the origins along the rays; inf where nothing is hit."},
      {"point",
       &H::point,
       "float64",
       {3},
       "(N, 3) where the rays enter; zeros where nothing is hit."},
      {"normal", &H::normal, "float64", {3}, "(N, 3) unit, out of the objects."},
  };
}

using Row = DistancesOfScene::Row;

nb::object array_in(const DistancesOfScene& self, nb::object DistancesOfScene::*member) {
  using D = DistancesOfScene;
  nb::object& array = const_cast<D&>(self).*member;  // the members are mutable
  if (array.is_valid()) return array;
  const auto& rows = self.rows;
  const auto integers = [&](auto get) {
    return array_of<std::int32_t>(rows.size(), 2, "int32", [&](std::size_t i, std::int32_t* out) {
      std::tie(out[0], out[1]) = get(rows[i]);
    });
  };
  if (member == &D::pairs) {
    array = integers([](const Row& row) { return row.pair; });
  } else if (member == &D::parts) {
    array = integers([](const Row& row) { return std::pair(row.parts[0], row.parts[1]); });
  } else if (member == &D::status) {
    array = array_of<std::uint8_t>(rows.size(), 0, "uint8", [&](std::size_t i, std::uint8_t* out) {
      *out = static_cast<std::uint8_t>(rows[i].status);
    });
    array = enum_array(array, "StatusArray");
  } else if (member == &D::iterations) {
    array = array_of<std::int32_t>(rows.size(), 0, "int32", [&](std::size_t i, std::int32_t* out) {
      *out = rows[i].iterations;
    });
  } else if (member == &D::normal || member == &D::point_a || member == &D::point_b) {
    Vector3 Row::*const field = member == &D::normal    ? &Row::normal
                                : member == &D::point_a ? &Row::point_a
                                                        : &Row::point_b;
    array = vectors_of(rows, [field](const Row& row) { return row.*field; });
  } else {
    double Row::*const field = member == &D::distance ? &Row::distance
                               : member == &D::lower  ? &Row::lower
                                                      : &Row::upper;
    array = numbers_of(rows, [field](const Row& row) { return row.*field; });
  }
  return array;
}

/// One row as a Distance.
Distance row_of(const DistancesOfScene& self, Py_ssize_t index) {
  const auto count = static_cast<Py_ssize_t>(self.rows.size());
  const Py_ssize_t i = index < 0 ? index + count : index;
  if (i < 0 || i >= count) throw nb::index_error("SceneDistances: the index is out of range");
  const Row& row = self.rows[static_cast<std::size_t>(i)];
  Distance result;
  result.status = row.status;
  result.distance = row.distance;
  result.lower = row.lower;
  result.upper = row.upper;
  result.normal = row.normal;
  result.point_a = row.point_a;
  result.point_b = row.point_b;
  result.iterations = row.iterations;
  return result;
}

/// Rows from the arrays of a pickle, which are checked to fit each other.
std::vector<Row> rows_of(const DistancesOfScene& arrays) {
  std::vector<Row> rows(nb::len(arrays.pairs));
  for (const Column<DistancesOfScene>& column : distance_columns())
    if (nb::len(arrays.*column.member) != rows.size())
      throw InvalidInput("state", "arrays of different lengths", kUnpickled);
  const auto fill = [&](nb::handle array, auto set) {
    const nb::object doubles = numpy().attr("ascontiguousarray")(array, "float64");
    const double* const numbers = float_span(doubles).data;
    const std::size_t columns = rows.empty() ? 0 : nb::len(doubles.attr("ravel")()) / rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) set(rows[i], numbers + i * columns);
  };
  const auto whole = [](double x) { return static_cast<std::int32_t>(x); };
  fill(arrays.pairs, [&](Row& row, const double* x) { row.pair = {whole(x[0]), whole(x[1])}; });
  fill(arrays.parts, [&](Row& row, const double* x) { row.parts = {whole(x[0]), whole(x[1])}; });
  fill(arrays.status, [&](Row& row, const double* x) {
    if (*x > static_cast<double>(Status::invalid_input))
      throw InvalidInput("state", "a status that does not exist", kUnpickled);
    row.status = static_cast<Status>(static_cast<std::uint8_t>(*x));
  });
  fill(arrays.iterations, [&](Row& row, const double* x) { row.iterations = whole(*x); });
  fill(arrays.distance, [](Row& row, const double* x) { row.distance = *x; });
  fill(arrays.lower, [](Row& row, const double* x) { row.lower = *x; });
  fill(arrays.upper, [](Row& row, const double* x) { row.upper = *x; });
  fill(arrays.normal, [](Row& row, const double* x) { row.normal = Vector3(x[0], x[1], x[2]); });
  fill(arrays.point_a, [](Row& row, const double* x) { row.point_a = Vector3(x[0], x[1], x[2]); });
  fill(arrays.point_b, [](Row& row, const double* x) { row.point_b = Vector3(x[0], x[1], x[2]); });
  return rows;
}

nb::object jacobian_of(const DistancesOfScene& self, const char* name) {
  if (self.jacobians.is_valid() && !self.jacobians.is_none()) return self.jacobians[name];
  throw nb::attribute_error(
      (std::string(name) + ": was not asked for; call distances(derivative=Exact())").c_str());
}

/// A Jacobian of the rows, or whether they are smooth.
struct JacobianField {
  const char *name, *kind, *dtype;
  std::vector<int> axes;
  const char* doc;
};

std::vector<JacobianField> jacobian_fields() {
  constexpr const char* kShape12 = "(M, 3, 12), where derivative= was given; as in Distances.";
  return {{"distance_jacobian",
           TACTUM_FLOAT_ARRAY,
           "float64",
           {12},
           "(M, 12), where derivative= was given: columns [v; w] of A, then of B."},
          {"normal_jacobian", TACTUM_FLOAT_ARRAY, "float64", {3, 12}, kShape12},
          {"point_a_jacobian", TACTUM_FLOAT_ARRAY, "float64", {3, 12}, kShape12},
          {"point_b_jacobian", TACTUM_FLOAT_ARRAY, "float64", {3, 12}, kShape12},
          {"separation_jacobian", TACTUM_FLOAT_ARRAY, "float64", {3, 12}, kShape12},
          {"smooth",
           "numpy.typing.NDArray[numpy.bool_]",
           "bool",
           {},
           "(M,) whether the exact derivative exists and is unique, where derivative= was given."}};
}

/// The Jacobians that a pickle holds: None, or a dictionary with one array of `rows` rows for each
/// field.
nb::object jacobians_from_state(nb::handle value, std::size_t rows) {
  if (value.is_none()) return nb::none();
  const std::vector<JacobianField> fields = jacobian_fields();
  if (!PyDict_Check(value.ptr()) || nb::len(value) != fields.size())
    throw_type_error("state", type_text(value), kUnpickled);
  nb::dict checked;
  for (const JacobianField& field : fields) {
    const nb::object array = value.attr("get")(field.name);
    const nb::object of_rows = array_from_state(array, field.dtype, field.axes);
    if (nb::len(of_rows) != rows)
      throw InvalidInput("state", "arrays of different lengths", kUnpickled);
    checked[field.name] = of_rows;
  }
  return checked;
}

void bind_distances_class(nb::module_& m) {
  nb::class_<DistancesOfScene> type(
      m, "SceneDistances",
      R"(Close pairs of a scene and their distances, as arrays over the M pairs.

Pairs ascend; the smaller id is A. Fields are those of Distances, in metres, in the world frame;
result[i] is one row as a Distance.)");
  bind_columns(type, distance_columns());
  for (const auto& [name, kind, dtype, axes, doc] : jacobian_fields()) {
    const std::string signature = std::string("def ") + name + "(self) -> " + kind;
    type.def_prop_ro(
        name, [name = name](const DistancesOfScene& self) { return jacobian_of(self, name); },
        nb::sig(signature.c_str()), doc);
  }
  type.def(
          "__len__", [](const DistancesOfScene& self) { return self.rows.size(); },
          "Number of pairs.")
      .def(
          "__getitem__",
          [](const DistancesOfScene& self, nb::handle index) {
            return row_of(self, to_int(index, "index"));
          },
          "index"_a.none(), nb::sig("def __getitem__(self, index: int, /) -> Distance"),
          "One row as a Distance.")
      .def("__repr__", [](const DistancesOfScene& self) {
        return "SceneDistances(" + std::to_string(self.rows.size()) + " pairs)";
      });
  bind_immutable(
      type,
      [](const DistancesOfScene& self) {
        const nb::object jacobians = self.jacobians.is_valid() ? self.jacobians : nb::none();
        return nb::make_tuple(columns_state(distance_columns(), self), jacobians);
      },
      [](const nb::tuple& state) {
        StateReader read(state, 2);
        DistancesOfScene result = columns_from_state(distance_columns(), read.tuple());
        result.rows = rows_of(result);
        result.status = enum_array(result.status, "StatusArray");
        result.jacobians = jacobians_from_state(read.next(), result.rows.size());
        return result;
      });
}

void bind_contacts(nb::module_& m) {
  nb::class_<ContactsOfScene> type(m, "Contacts",
                                   R"(Contact points of a scene, as flat arrays over the K points.

Points offsets[i] to offsets[i + 1] are those of pairs[i]. The frame is the world, lengths are in
metres, and point_b - point_a = distance * normal.)");
  bind_columns(type, contact_columns());
  type.def(
          "world_forces",
          [](nb::handle self, nb::handle force) {
            return nb::module_::import_("tactum._contact_assembly")
                .attr("world_forces")(self, force);
          },
          "force"_a.none(),
          nb::sig("def world_forces(self, force: " TACTUM_ARRAY_LIKE ") -> " TACTUM_FLOAT_ARRAY),
          R"((K, 3) forces on B in the world, from the (3 K,) force of a solution of
ContactProblem.from_contacts: rows along the tangents and the normal. A feels the opposite.)")
      .def(
          "__len__", [](const ContactsOfScene& self) { return nb::len(self.distance); },
          "Number of points.")
      .def("__repr__", [](const ContactsOfScene& self) {
        return "Contacts(" + std::to_string(nb::len(self.distance)) + " points, " +
               std::to_string(nb::len(self.pairs)) + " pairs)";
      });
  bind_immutable(
      type, [](const ContactsOfScene& self) { return columns_state(contact_columns(), self); },
      [](const nb::tuple& state) { return columns_from_state(contact_columns(), state); });
}

void bind_hits(nb::module_& m) {
  nb::class_<HitsOfScene> type(m, "RayHits",
                               "Nearest objects on N rays, as arrays. World frame, metres.");
  bind_columns(type, hit_columns());
  type.def(
          "__len__", [](const HitsOfScene& self) { return nb::len(self.id); }, "Number of rays.")
      .def("__repr__", [](const HitsOfScene& self) {
        const nb::object found = numpy().attr("count_nonzero")(self.id.attr("__ge__")(0));
        return "RayHits(" + nb::cast<std::string>(nb::str(found)) + " of " +
               std::to_string(nb::len(self.id)) + " rays hit)";
      });
  bind_immutable(
      type, [](const HitsOfScene& self) { return columns_state(hit_columns(), self); },
      [](const nb::tuple& state) { return columns_from_state(hit_columns(), state); });
}

}  // namespace

nb::object pairs_array(std::span<const std::pair<SceneId, SceneId>> pairs) {
  return array_of<std::int32_t>(pairs.size(), 2, "int32", [&](std::size_t i, std::int32_t* out) {
    out[0] = pairs[i].first;
    out[1] = pairs[i].second;
  });
}

nb::object ids_array(const std::vector<SceneId>& ids) {
  return array_of<std::int32_t>(ids.size(), 0, "int32",
                                [&](std::size_t i, std::int32_t* out) { *out = ids[i]; });
}

DistancesOfScene copied(const SceneDistances& found) {
  DistancesOfScene result;
  result.rows.reserve(found.pairs.size());
  for (std::size_t i = 0; i < found.pairs.size(); ++i) {
    const GeometryDistance& d = found.distances[i];
    result.rows.push_back({.pair = found.pairs[i],
                           .parts = {d.part_a, d.part_b},
                           .distance = d.distance,
                           .lower = d.lower,
                           .upper = d.upper,
                           .normal = d.normal,
                           .point_a = d.point_a,
                           .point_b = d.point_b,
                           .iterations = d.iterations,
                           .status = d.status});
  }
  return result;
}

ContactsOfScene copied(const SceneContacts& found, const Scene& scene) {
  const auto& rows = found.contacts;
  ContactsOfScene r;
  r.pairs = pairs_array(found.pairs);
  r.ids = ids_array(scene.ids());
  r.offsets = array_of<std::int64_t>(
      found.offsets.size(), 0, "int64",
      [&](std::size_t i, std::int64_t* out) { *out = found.offsets[i]; });
  std::vector<std::size_t> pair_of(rows.size());
  std::vector<Material> materials;
  for (std::size_t pair = 0; pair < found.pairs.size(); ++pair) {
    const auto [a, b] = found.pairs[pair];
    materials.push_back(pair_material(scene.object(a).material, scene.object(b).material));
    for (auto i = found.offsets[pair]; i < found.offsets[pair + 1]; ++i)
      pair_of[static_cast<std::size_t>(i)] = pair;
  }
  r.pair = array_of<std::int32_t>(rows.size(), 2, "int32", [&](std::size_t i, std::int32_t* out) {
    out[0] = found.pairs[pair_of[i]].first;
    out[1] = found.pairs[pair_of[i]].second;
  });
  r.point_a = vectors_of(rows, [](const SceneContact& row) { return row.point_a; });
  r.point_b = vectors_of(rows, [](const SceneContact& row) { return row.point_b; });
  r.normal = vectors_of(rows, [](const SceneContact& row) { return row.normal; });
  r.distance = numbers_of(rows, [](const SceneContact& row) { return row.distance; });
  r.feature_id = array_of<std::uint64_t>(
      rows.size(), 0, "uint64",
      [&](std::size_t i, std::uint64_t* out) { *out = rows[i].feature_id; });
  const nb::object tangents = array_of<double>(
      rows.size(), 6, "float64", [&](std::size_t i, double* out) {
        const Matrix3 frame = contact_frame(rows[i].normal);
        Eigen::Map<Eigen::Matrix<double, 3, 2>>{out} = frame.leftCols<2>();
      });
  r.tangents = tangents.attr("reshape")(nb::make_tuple(rows.size(), 2, 3));
  const auto of_material = [&](double Material::*field) {
    return numbers_of(pair_of, [&](std::size_t pair) { return materials[pair].*field; });
  };
  r.friction = of_material(&Material::friction);
  r.restitution = of_material(&Material::restitution);
  r.compliance = of_material(&Material::compliance);
  return r;
}

HitsOfScene copied(const std::vector<SceneHit>& hits) {
  return {array_of<std::int32_t>(hits.size(), 0, "int32",
                                 [&](std::size_t i, std::int32_t* out) { *out = hits[i].id; }),
          numbers_of(hits, [](const SceneHit& hit) { return hit.distance; }),
          vectors_of(hits, [](const SceneHit& hit) { return hit.point; }),
          vectors_of(hits, [](const SceneHit& hit) { return hit.normal; })};
}

void bind_scene_results(nb::module_& m) {
  bind_distances_class(m);
  bind_contacts(m);
  bind_hits(m);
}

}  // namespace tactum::python
