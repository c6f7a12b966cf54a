// SPDX-License-Identifier: BSD-2-Clause
// DynamicTree and SweepAndPrune: one box or arrays of them. Calls keep the GIL, so that a structure
// may be shared between threads.
#include "tactum/broad_phase.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "batch_call.hpp"
#include "batch_input.hpp"
#include "bindings.hpp"
#include "convert.hpp"
#include "pickle.hpp"
#include "tactum/status.hpp"

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: the "name"_a of nanobind

namespace tactum::python {
namespace {

const char* const kBoxRemedy = "give three numbers in metres, or an (N, 3) array";
const char* const kIdsRemedy = "give an id, or a one-dimensional array of ids";

/// Calls the library and translates its errors to the names of Python's arguments: lower[2, 0] for
/// boxes[2].lower[0].
template <class Call>
auto in_own_words(Call&& call) {
  try {
    return call();
  } catch (const InvalidInput& error) {
    std::string field = error.field();
    const bool one = field.starts_with("box."), many = field.starts_with("boxes[");
    if (!one && !many) throw;
    const std::string row = many ? field.substr(6, field.find(']') - 6) + ", " : "";
    field = field.substr(field.find('.') + 1);
    field.insert(field.find('[') + 1, row);
    throw InvalidInput(field, error.value(), error.remedy());
  }
}

/// Boxes as they were given: one, or many.
struct BoxArgument {
  std::vector<Aabb> boxes;
  bool single;

  BoxArgument(nb::handle lower, nb::handle upper) {
    const nb::object low = as_real_array(lower, "lower", kBoxRemedy),
                     high = as_real_array(upper, "upper", kBoxRemedy);
    const HeldArray a(low, 'd', "float64"), b(high, 'd', "float64");
    for (const auto& [array, object, field] :
         {std::tuple(&a, low, "lower"), std::tuple(&b, high, "upper")}) {
      if (array->ndim() > 2 || array->shape(array->ndim() - 1) != 3)
        throw InvalidInput(field, shape_text(object), kBoxRemedy);
    }
    if (a.ndim() != b.ndim() || a.shape(0) != b.shape(0))
      throw InvalidInput("upper", shape_text(high),
                         "give as many as lower, which is " + shape_text(low));
    single = a.ndim() == 1;
    const auto from = a.items<Vector3>(), to = b.items<Vector3>();
    boxes.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) boxes[i] = {from[i], to[i]};
  }
};

/// Ids as they were given: one, or many.
struct IdArgument {
  std::vector<BoxId> ids;
  bool single;

  explicit IdArgument(nb::handle value, const char* field = "id") {
    const nb::object index = nb::steal(
        PyNumber_Check(value.ptr()) != 0 ? PyNumber_Index(value.ptr()) : nullptr);
    PyErr_Clear();
    single = index.is_valid();
    if (single) {
      ids.push_back(to_int(value, field));
      return;
    }
    const nb::object array = as_integer_array(value, field, kIdsRemedy);
    if (nb::cast<int>(array.attr("ndim")) != 1)
      throw InvalidInput(field, shape_text(array), kIdsRemedy);
    for (const nb::handle item : array.attr("tolist")()) ids.push_back(to_int(item, field));
  }
};

nb::object int_array(std::span<const BoxId> values) {
  nb::object array = numpy().attr("empty")(values.size(), "int32");
  Buffer buffer(array, PyBUF_WRITABLE);
  if (!values.empty()) std::memcpy(buffer.data(), values.data(), values.size_bytes());
  return array;
}

nb::object pair_array(const BoxPairs& pairs) {
  static_assert(sizeof(BoxPairs::value_type) == 2 * sizeof(BoxId));
  nb::object array = numpy().attr("empty")(nb::make_tuple(pairs.size(), 2), "int32");
  Buffer buffer(array, PyBUF_WRITABLE);
  if (!pairs.empty()) std::memcpy(buffer.data(), pairs.data(), pairs.size() * sizeof(pairs[0]));
  return array;
}

nb::object vector_rows(const std::vector<Vector3>& rows) {
  nb::object array = numpy().attr("empty")(nb::make_tuple(rows.size(), 3));
  if (!rows.empty())
    std::memcpy(float_span(array).data, rows.data(), rows.size() * sizeof(Vector3));
  return array;
}

template <class Structure>
std::vector<BoxId> used_ids(const Structure& self) {
  std::vector<BoxId> ids;
  for (BoxId id = 0; ids.size() < self.size(); ++id) {
    if (self.contains(id)) ids.push_back(id);
  }
  return ids;
}

template <class Structure>
nb::object insert(Structure& self, nb::handle lower, nb::handle upper) {
  const BoxArgument given(lower, upper);
  if (given.single) return nb::cast(in_own_words([&] { return self.insert(given.boxes[0]); }));
  std::vector<BoxId> ids(given.boxes.size());
  in_own_words([&] { self.insert(given.boxes, ids); });
  return int_array(ids);
}

template <class Structure>
void update(Structure& self, nb::handle id, nb::handle lower, nb::handle upper) {
  const IdArgument ids(id);
  const BoxArgument given(lower, upper);
  if (ids.single != given.single)
    throw InvalidInput("id", ids.single ? "one id" : "an array of ids",
                       "give one id with one box, or as many ids as boxes");
  in_own_words([&] {
    ids.single ? self.update(ids.ids[0], given.boxes[0]) : self.update(ids.ids, given.boxes);
  });
}

template <class Structure>
void remove(Structure& self, nb::handle id) {
  const IdArgument given(id);
  std::vector<BoxId> sorted = given.ids;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end())
    throw InvalidInput("id", std::to_string(*twice) + " twice", "give each id once");
  // throws before anything has changed
  for (const BoxId each : given.ids) static_cast<void>(self.box(each));
  for (const BoxId each : given.ids) self.remove(each);
}

template <class Structure>
nb::object query(const Structure& self, nb::handle lower, nb::handle upper) {
  const BoxArgument given(lower, upper);
  if (!given.single) throw InvalidInput("lower", "an array of boxes", "give one box");
  std::vector<BoxId> found;
  in_own_words([&] { self.query(given.boxes[0], [&](BoxId id) { found.push_back(id); }); });
  std::ranges::sort(found);
  return int_array(found);
}

template <class Structure>
nb::tuple get_state(const Structure& self) {
  const std::vector<BoxId> ids = used_ids(self);
  std::vector<Vector3> lower, upper;
  for (const BoxId id : ids) {
    lower.push_back(self.box(id).lower);
    upper.push_back(self.box(id).upper);
  }
  return nb::make_tuple(int_array(ids), vector_rows(lower), vector_rows(upper));
}

/// Restores ids: every id up to the largest is filled and the unused ones are removed again, so
/// that the free ids are the same as before.
template <class Structure>
Structure from_state(const nb::tuple& state) {
  StateReader read(state, 3);
  const nb::object ids_given = read.next(), lower = read.next(), upper = read.next();
  const IdArgument ids(ids_given, "state");
  const BoxArgument given(lower, upper);
  constexpr BoxId most = 100'000'000;
  BoxId last = -1;
  for (const BoxId id : ids.ids) {
    if (id <= last || id > most)
      throw InvalidInput("state", std::to_string(id), "unpickle what was pickled");
    last = id;
  }
  if (ids.ids.size() != given.boxes.size())
    throw InvalidInput("state", "ids and boxes of other numbers", "unpickle what was pickled");
  std::vector<Aabb> all(static_cast<std::size_t>(last + 1), Aabb{Vector3::Zero(), Vector3::Zero()});
  for (std::size_t i = 0; i < ids.ids.size(); ++i)
    all[static_cast<std::size_t>(ids.ids[i])] = given.boxes[i];
  std::vector<BoxId> filled(all.size());
  Structure structure;
  structure.insert(all, filled);
  std::size_t next = 0;
  for (const BoxId id : filled) {
    if (next < ids.ids.size() && ids.ids[next] == id) {
      ++next;
    } else {
      structure.remove(id);
    }
  }
  return structure;
}

// -------------------------------------------------------------------------------------------------
// rays

struct Hit {
  double distance;
  BoxId id;
  auto operator<=>(const Hit&) const = default;
};

/// Hits of rays, each ray's in the order of distance.
nb::object raycast(const DynamicTree& self, nb::handle origin, nb::handle direction,
                   nb::handle max_distance) {
  const char* const remedy = "give three numbers, or an (N, 3) array";
  const nb::object origins = as_real_array(origin, "origin", remedy),
                   directions = as_real_array(direction, "direction", remedy);
  const HeldArray a(origins, 'd', "float64"), b(directions, 'd', "float64");
  if (a.ndim() > 2 || a.shape(a.ndim() - 1) != 3)
    throw InvalidInput("origin", shape_text(origins), remedy);
  if (b.ndim() > 2 || b.shape(b.ndim() - 1) != 3)
    throw InvalidInput("direction", shape_text(directions), remedy);
  const auto from = a.items<Vector3>(), along = b.items<Vector3>();
  const std::size_t rays = std::max(from.size(), along.size());
  if ((from.size() != rays && a.ndim() == 2) || (along.size() != rays && b.ndim() == 2))
    throw InvalidInput("direction", shape_text(directions),
                       "give as many as origin, which is " + shape_text(origins));
  const double limit = to_double(max_distance, "max_distance");

  std::vector<BoxId> ids;
  std::vector<double> distances;
  std::vector<BoxId> offsets{0};
  std::vector<Hit> hits;
  for (std::size_t ray = 0; ray < rays; ++ray) {
    hits.clear();
    self.raycast(from[a.ndim() == 2 ? ray : 0], along[b.ndim() == 2 ? ray : 0], limit,
                 [&](BoxId id, double distance) {
                   hits.push_back({distance, id});
                   return limit;
                 });
    std::ranges::sort(hits);
    for (const Hit& hit : hits) {
      ids.push_back(hit.id);
      distances.push_back(hit.distance);
    }
    offsets.push_back(static_cast<BoxId>(ids.size()));
  }
  nb::object distance_array = numpy().attr("empty")(distances.size());
  if (!distances.empty())
    std::memcpy(float_span(distance_array).data, distances.data(),
                distances.size() * sizeof(double));
  if (a.ndim() == 1 && b.ndim() == 1) return nb::make_tuple(int_array(ids), distance_array);
  return nb::make_tuple(int_array(ids), distance_array, int_array(offsets));
}

// -------------------------------------------------------------------------------------------------
// classes

#define TACTUM_BOX_ARGUMENTS "lower: " TACTUM_ARRAY_LIKE ", upper: " TACTUM_ARRAY_LIKE
#define TACTUM_IDS "int | collections.abc.Sequence[int] | numpy.typing.NDArray[numpy.integer]"

template <class Structure>
nb::class_<Structure> bind_structure(nb::module_& m, const char* name, const char* doc) {
  nb::class_<Structure> type(m, name, doc);
  const std::string own = name;
  type.def(nb::init<>(), nb::sig("def __init__(self) -> None"), "Makes it without any boxes.")
      .def("insert", &insert<Structure>, "lower"_a.none(), "upper"_a.none(),
           nb::sig("def insert(self, " TACTUM_BOX_ARGUMENTS ") -> typing.Any"),
           R"(Adds boxes.

lower, upper: corners in metres, (3,) for one box or (N, 3) for many. Closed boxes with lower <=
upper; points are boxes; -inf and inf make unbounded boxes. Returns the id, or an (N,) int32 array
of ids: the lowest that are free.
Raises InvalidInput with field, index and value; nothing has changed then.)")
      .def("update", &update<Structure>, "id"_a.none(), "lower"_a.none(), "upper"_a.none(),
           nb::sig("def update(self, id: " TACTUM_IDS ", " TACTUM_BOX_ARGUMENTS ") -> None"),
           R"(Gives boxes new corners, in metres: one id with (3,) corners, or (N,) ids with (N,
3) corners.

Raises InvalidInput with field, index and value; nothing has changed then.)")
      .def("remove", &remove<Structure>, "id"_a.none(),
           nb::sig("def remove(self, id: " TACTUM_IDS ") -> None"),
           R"(Removes one box, or the boxes of an array of ids. Later inserts give the ids again.

Raises InvalidInput for an unknown id; nothing has changed then.)")
      .def(
          "pairs",
          [](const Structure& self) {
            BoxPairs found;
            interruptible_with_gil([&] { self.pairs(found); });
            return pair_array(found);
          },
          nb::sig("def pairs(self) -> " TACTUM_INT_ARRAY),
          R"(All pairs of boxes that overlap; touching counts.

Returns (M, 2) int32 ids, the smaller first, in ascending order. They depend on the boxes alone
and not on earlier calls.)")
      .def("query", &query<Structure>, "lower"_a.none(), "upper"_a.none(),
           nb::sig("def query(self, " TACTUM_BOX_ARGUMENTS ") -> " TACTUM_INT_ARRAY),
           "Ids of the boxes that overlap one box with these corners, (3,) in metres each. Returns "
           "(K,) int32, ascending.")
      .def(
          "box",
          [](const Structure& self, nb::handle id) {
            const Aabb& box = self.box(to_int(id, "id"));
            return nb::make_tuple(to_array(box.lower), to_array(box.upper));
          },
          "id"_a.none(),
          nb::sig("def box(self, id: int) -> tuple[" TACTUM_FLOAT_ARRAY ", " TACTUM_FLOAT_ARRAY
                  "]"),
          "Corners (lower, upper) of a box as last given, (3,) in metres each.")
      .def_prop_ro(
          "ids", [](const Structure& self) { return int_array(used_ids(self)); },
          nb::sig("def ids(self) -> " TACTUM_INT_ARRAY), "Ids of all boxes, (N,) int32, ascending.")
      .def_prop_ro("nbytes", &Structure::nbytes, "Bytes held.")
      .def("__len__", &Structure::size)
      .def(
          "__contains__",
          [](const Structure& self, nb::handle id) {
            return PyLong_Check(id.ptr()) != 0 && self.contains(to_int(id, "id"));
          },
          "id"_a.none(), nb::sig("def __contains__(self, id: object) -> bool"))
      .def("__repr__",
           [own](const Structure& self) {
             return own + "(boxes=" + std::to_string(self.size()) + ")";
           })
      .def("__getstate__", &get_state<Structure>,
           nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__",
          [](Structure* self, const nb::tuple& state) {
            new (self) Structure(in_own_words([&] { return from_state<Structure>(state); }));
          },
          nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"))
      .def("__copy__", [](const Structure& self) { return Structure(self); })
      .def(
          "__deepcopy__", [](const Structure& self, nb::handle) { return Structure(self); },
          "memo"_a);
  return type;
}

}  // namespace

void bind_broad_phase(nb::module_& m) {
  bind_structure<DynamicTree>(m, "DynamicTree",
                              R"(Finds which of many moving boxes overlap, by a tree that follows
them.

Answers are exactly those of trying all pairs on the boxes as last given. It is the fastest
structure for most scenes.)")
      .def(
          "pairs_with",
          [](const DynamicTree& self, const DynamicTree& other) {
            BoxPairs found;
            interruptible_with_gil([&] { self.pairs_with(other, found); });
            return pair_array(found);
          },
          "other"_a, nb::sig("def pairs_with(self, other: DynamicTree) -> " TACTUM_INT_ARRAY),
          "Pairs of a box here and a box of another tree that overlap: (M, 2) int32 ids, "
          "ascending.")
      .def("raycast", &raycast, "origin"_a.none(), "direction"_a.none(),
           "max_distance"_a.none() = std::numeric_limits<double>::infinity(),
           nb::sig("def raycast(self, origin: " TACTUM_ARRAY_LIKE ", direction: " TACTUM_ARRAY_LIKE
                   ", max_distance: float = float('inf')) -> "
                   "tuple[numpy.typing.NDArray[typing.Any], ...]"),
           R"(Boxes that rays hit, nearest first.

origin: (3,) or (N, 3) in metres. direction: (3,) or (N, 3), of any length but zero. max_distance:
metres along the ray.
Returns (ids, distances) for one ray: where it enters each box, in metres, 0 where it starts
inside. For many rays (ids, distances, offsets): the hits of ray k are those from offsets[k] to
offsets[k + 1].)")
      .def_prop_ro("height", &DynamicTree::height, "Levels of the tree; 0 when it is empty.");
  bind_structure<SweepAndPrune>(
      m, "SweepAndPrune", R"(Finds which of many moving boxes overlap, by sorting them along one
axis.

Answers are exactly those of trying all pairs on the boxes as last given. It is as fast as the
tree for a few hundred boxes or for boxes along a line.)")
      .def_prop_ro("axis", &SweepAndPrune::axis,
                   "The axis that boxes are sorted along: 0, 1 or 2.");
}

}  // namespace tactum::python
